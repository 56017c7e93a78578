// Package environ checks the environment variables of a program for unknown names.
package environ

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ballast/internal/similar"
)

// Check returns an error for a name that begins with prefix and belongs to no flag of the program,
// so that a misspelt setting is not ignored silently. Names that begin with one of others belong to
// another program.
func Check(root *kong.Node, environ []string, prefix string, others ...string) error {
	known := map[string]bool{}
	collect(root, known)
	var unknown []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		foreign := slices.ContainsFunc(others, func(o string) bool { return strings.HasPrefix(name, o) })
		if strings.HasPrefix(name, prefix) && !known[name] && !foreign {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(known)) {
		names = append(names, strings.TrimPrefix(name, prefix))
	}
	var problems []error
	for _, name := range unknown {
		advice := ": unset it"
		if near := similar.Name(strings.TrimPrefix(name, prefix), names); near != "" {
			advice = ", did you mean " + prefix + near + "? Otherwise unset it"
		}
		problems = append(problems, fmt.Errorf("unknown environment variable %s%s", name, advice))
	}
	return errors.Join(problems...)
}

func collect(n *kong.Node, known map[string]bool) {
	for _, f := range n.Flags {
		for _, env := range f.Envs {
			known[env] = true
		}
	}
	for _, child := range n.Children {
		collect(child, known)
	}
}
