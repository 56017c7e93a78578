// Command skips reads the output of go test -json and prints it in the usual form of go test. It
// fails when a test was skipped for a reason that is not in a list of allowed reasons:
//
//	go test -json ./... | skips [-when race,short] list
//
// A row of the list is a condition and the beginning of a reason. The reason is allowed if the
// condition is "any", if it is "notlinux" and the system is not Linux, or if it is one of the
// conditions given by -when.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	when := flag.String("when", "", "conditions that hold, separated by commas")
	flag.Parse()
	list, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	holds := append(strings.Split(*when, ","), "any")
	if runtime.GOOS != "linux" {
		holds = append(holds, "notlinux")
	}
	bad, err := filter(os.Stdin, os.Stdout, allowed(string(list), holds))
	if err != nil {
		log.Fatal(err)
	}
	if bad {
		os.Exit(1)
	}
}

// allowed returns the reasons in the rows whose condition is true.
func allowed(list string, holds []string) (reasons []string) {
	for line := range strings.Lines(list) {
		condition, reason, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && condition != "#" && slices.Contains(holds, condition) {
			reasons = append(reasons, strings.TrimSpace(reason))
		}
	}
	return reasons
}

// event is one line of go test -json.
type event struct{ Action, Package, Test, Output string }

// logged matches a line logged by a test.
var logged = regexp.MustCompile(`(?m)^ *\S+\.go:\d+: (.*)$`)

// filter prints everything except the output of passed tests, and reports whether a test failed or was
// skipped for a reason that is not allowed.
func filter(r io.Reader, w io.Writer, allowed []string) (bad bool, err error) {
	type test struct{ pkg, name string }
	output := map[test][]string{}
	print := func(said []string) { io.WriteString(w, strings.Join(said, "")) }
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil { // a line of the go command itself
			fmt.Fprintln(w, lines.Text())
			continue
		}
		id := test{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			io.WriteString(w, e.Output)
		case "output":
			if e.Test == "" {
				if e.Output != "PASS\n" {
					io.WriteString(w, e.Output)
				}
				break
			}
			if !strings.HasPrefix(e.Output, "=== ") { // RUN, PAUSE, CONT, NAME
				output[id] = append(output[id], e.Output)
			}
		case "fail", "build-fail":
			bad = true
			if e.Test != "" {
				print(output[id])
			} else {
				// Tests that were running when the program ended.
				for id, said := range output {
					if id.pkg == e.Package {
						print(said)
					}
				}
			}
			delete(output, id)
		case "skip":
			if e.Test != "" {
				reason := ""
				if all := logged.FindAllStringSubmatch(strings.Join(output[id], ""), -1); all != nil {
					reason = all[len(all)-1][1]
				}
				if !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(reason, a) }) {
					bad = true
					fmt.Fprintf(w, "SKIPPED, not for an allowed reason: %s %s: %s\n", e.Package, e.Test, reason)
				}
			}
			delete(output, id)
		case "pass":
			delete(output, id)
		}
	}
	return bad, lines.Err()
}
