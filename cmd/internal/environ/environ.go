// Package environ checks the environment variables of a program for unknown names.
package environ

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"ballast/internal/similar"
)

// Check returns an error for a name that begins with prefix and belongs to no flag of the program,
// so that a misspelt setting is not ignored silently. Names that begin with one of others belong to
// another program, and the variables of service links to Kubernetes.
func Check(root *kong.Node, environ []string, prefix string, others ...string) error {
	known := map[string]bool{}
	collect(root, known)
	var unknown []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		foreign := slices.ContainsFunc(others, func(o string) bool { return strings.HasPrefix(name, o) })
		if strings.HasPrefix(name, prefix) && !known[name] && !foreign && !isServiceLink(name, value) {
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

var serviceLink = regexp.MustCompile(`_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)$`)

// isServiceLink reports whether Kubernetes (or Docker's --link) sets a variable for a service whose name is that of
// the program, or begins with it: NAME_SERVICE_HOST, NAME_PORT=tcp://..., and so on.
func isServiceLink(name, value string) bool {
	return serviceLink.MatchString(name) || strings.HasSuffix(name, "_PORT") && strings.Contains(value, "://")
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
