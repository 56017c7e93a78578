// Command crosscheck type-checks the module, tests included, for other systems and processors. go vet would compile
// every dependency for each of them, which takes minutes.
//
//	crosscheck -tags all,evidence,hours darwin/arm64 linux/arm64
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	tags := flag.String("tags", "", "build tags, separated by commas")
	flag.Parse()
	failed := false
	for _, target := range flag.Args() {
		system, processor, _ := strings.Cut(target, "/")
		found, err := packages.Load(&packages.Config{
			Mode: packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedSyntax |
				packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedFiles |
				packages.NeedCompiledGoFiles,
			Env:        append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor),
			BuildFlags: []string{"-tags=" + *tags},
			Tests:      true,
		}, "./...")
		if err != nil {
			fmt.Fprintln(os.Stderr, "crosscheck:", err)
			os.Exit(1)
		}
		errors := packages.PrintErrors(found)
		failed = failed || errors > 0 || len(found) == 0
		fmt.Printf("crosscheck: %s: %d packages, %d errors\n", target, len(found), errors)
	}
	if failed {
		os.Exit(1)
	}
}
