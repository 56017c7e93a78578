// Package environ guards the settings that programs take from their environment.
package environ

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Check refuses names that begin with prefix and that no flag of the program has: a
// misspelt setting must not be ignored in silence. Names that begin with one of others
// belong to another program.
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
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return fmt.Errorf("unknown environment variable %s", strings.Join(unknown, ", "))
	}
	return nil
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
