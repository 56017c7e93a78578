// Command notices prints the licences of everything that the released programs contain:
// the Go modules that are linked into them, Go's own library, and the JavaScript that is
// embedded in the service's pages. `make notices` writes the output to THIRD_PARTY; a test fails
// when that file is out of date. The command fails when a module has no licence file.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// programs and targets are what `make release` builds.
var (
	programs = []string{"./cmd/ballast", "./cmd/ballast-load", "./cmd/venuesim"}
	targets  = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64"}
)

// licenceFile and licenceFolder match the names that licences have in modules.
var (
	licenceFile   = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)`)
	licenceFolder = regexp.MustCompile(`(?i)^(third_party_)?licen[sc]es$`)
)

// component is one work that the programs contain.
type component struct {
	name, version string
	files         []string // licence files, absolute
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("notices: ")
	out := bufio.NewWriter(os.Stdout)
	if err := write(out, "."); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// write prints the notices of the programs of the module in root.
func write(w io.Writer, root string) error {
	all, err := goComponents(root)
	if err != nil {
		return err
	}
	scripts, err := scriptComponents(root)
	if err != nil {
		return err
	}
	return print(w, append(all, scripts...))
}

// goComponents returns the linked modules, by path, after Go itself.
func goComponents(root string) ([]component, error) {
	goroot, err := command(root, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	byPath := map[string]*component{}
	for _, target := range targets {
		system, arch, _ := strings.Cut(target, "/")
		env := []string{"GOOS=" + system, "GOARCH=" + arch, "CGO_ENABLED=0"}
		const form = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}"
		list, err := command(root, env, "go", append([]string{"list", "-deps", "-f", form}, programs...)...)
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(list)) {
			p := strings.Split(strings.TrimSpace(line), "\t")
			if len(p) != 4 {
				continue // of the standard library or this module
			}
			module, version, moduleDir, dir := p[0], p[1], p[2], p[3]
			if byPath[module] == nil {
				byPath[module] = &component{name: module, version: version}
			}
			if err := byPath[module].addLicences(dir, moduleDir); err != nil {
				return nil, err
			}
		}
	}
	all := []component{{name: "Go, its standard library and runtime",
		files: []string{filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE")}}}
	for _, c := range byPath {
		if len(c.files) == 0 {
			return nil, fmt.Errorf("%s %s has no licence file", c.name, c.version)
		}
		slices.Sort(c.files)
		all = append(all, *c)
	}
	slices.SortFunc(all[1:], func(a, b component) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// addLicences adds the licence files of a package's directory and its parent directories, up to the
// module's: a package may have its own licence.
func (c *component) addLicences(dir, module string) error {
	for {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			switch path := filepath.Join(dir, e.Name()); {
			case e.IsDir() && licenceFolder.MatchString(e.Name()):
				inside, err := filepath.Glob(filepath.Join(path, "*"))
				if err != nil {
					return err
				}
				c.add(inside...)
			case e.Type().IsRegular() && licenceFile.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go":
				c.add(path)
			}
		}
		if dir == module {
			return nil
		}
		dir = filepath.Dir(dir)
	}
}

func (c *component) add(files ...string) {
	for _, f := range files {
		if !slices.Contains(c.files, f) {
			c.files = append(c.files, f)
		}
	}
}

// scriptComponents returns what the embedded pages contain: Redoc in the reference page, and the
// dependencies in the console's package.json, each with a file NAME.LICENSE next to it.
func scriptComponents(root string) ([]component, error) {
	redoc := filepath.Join(root, "server/spec/redoc")
	all := []component{{name: "Redoc, and what its bundle contains", files: []string{filepath.Join(redoc, "LICENSE"),
		filepath.Join(redoc, "redoc.standalone.js.LICENSE.txt")}}}
	console := filepath.Join(root, "server/console")
	text, err := os.ReadFile(filepath.Join(console, "package.json"))
	if err != nil {
		return nil, err
	}
	var manifest struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &manifest); err != nil {
		return nil, fmt.Errorf("package.json of the console: %w", err)
	}
	for name, version := range manifest.Dependencies {
		all = append(all, component{name: name, version: version,
			files: []string{filepath.Join(console, name+".LICENSE")}})
	}
	slices.SortFunc(all[1:], func(a, b component) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

const header = `THIRD-PARTY NOTICES

The programs of Ballast (ballast, ballast-load, venuesim) contain the works listed here,
under the licences that follow. Written by "make notices".

`

var rule = strings.Repeat("=", 80)

// print lists the components, then each licence text once, with the names of all components under it.
func print(w io.Writer, all []component) error {
	var texts []string // in order of first use
	users := map[string][]string{}
	var list strings.Builder
	for _, c := range all {
		name := strings.TrimSpace(c.name + " " + c.version)
		var kinds []string
		for _, file := range c.files {
			raw, err := os.ReadFile(file)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			text := strings.TrimSpace(strings.ReplaceAll(string(raw), "\r\n", "\n"))
			if k := kind(text); !slices.Contains(kinds, k) && k != "" {
				kinds = append(kinds, k)
			}
			if users[text] == nil {
				texts = append(texts, text)
			}
			if !slices.Contains(users[text], name) {
				users[text] = append(users[text], name)
			}
		}
		fmt.Fprintf(&list, "%-84s %s\n", name, cmp.Or(strings.Join(kinds, ", "), "as below"))
	}
	if _, err := io.WriteString(w, header+list.String()); err != nil {
		return err
	}
	for _, text := range texts {
		_, err := fmt.Fprintf(w, "\n%s\n%s\n%s\n\n%s\n", rule, strings.Join(users[text], "\n"), rule, text)
		if err != nil {
			return err
		}
	}
	return nil
}

// kind returns the SPDX name of a licence by characteristic phrases of its text, "" if unknown. It is for
// orientation only; the texts are binding.
func kind(text string) string {
	switch text = strings.Join(strings.Fields(text), " "); {
	case strings.Contains(text, "Creative Commons Attribution 4.0"):
		return "CC-BY-4.0"
	case strings.Contains(text, "Apache License Version 2.0"):
		return "Apache-2.0"
	case strings.Contains(text, "Permission is hereby granted, free of charge"):
		return "MIT"
	case !strings.Contains(text, "Redistribution and use in source and binary forms"):
		return ""
	case strings.Contains(text, "Neither the name"):
		return "BSD-3-Clause"
	}
	return "BSD-2-Clause"
}

// command runs a program in a directory and returns its output.
func command(dir string, env []string, name string, args ...string) ([]byte, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), env...), os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return out, nil
}
