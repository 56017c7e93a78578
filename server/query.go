package server

import (
	"bytes"
	"slices"
	"strings"

	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/server/api"
)

// parameter is a query parameter and its allowed values.
type parameter struct {
	name   string
	values []string
}

var (
	explainParameter = parameter{"explain", []string{"true", "false"}}
	viewParameter    = parameter{"view", []string{"compact"}}
)

// checkQuery refuses a parameter or a value that the route does not have, and a parameter given twice. A
// route without parameters ignores its query. It sets what the parameters ask for.
func (x *exchange) checkQuery() bool {
	known := routeTable[x.route].query
	if len(known) == 0 {
		return true
	}
	var seen uint8 // a bit for each known parameter
	for item := range bytes.SplitSeq(x.query, []byte("&")) {
		if len(item) == 0 {
			continue
		}
		name, value, _ := bytes.Cut(item, []byte("="))
		i := slices.IndexFunc(known, func(p parameter) bool { return p.name == string(name) })
		switch {
		case i < 0:
			return x.refuseParameter(printable.Text(name), known)
		case !slices.Contains(known[i].values, string(value)):
			return x.refuseValue(&known[i], printable.Text(value))
		case seen&(1<<i) != 0:
			return x.refuse(api.CodeValidation, "query parameter "+known[i].name+" is given twice", api.Mending{Field: known[i].name})
		}
		seen |= 1 << i
		x.explain = x.explain || string(item) == "explain=true"
		x.compact = x.compact || string(item) == "view=compact"
	}
	return true
}

func (x *exchange) refuseParameter(name string, known []parameter) bool {
	var names []string
	for _, p := range known {
		names = append(names, p.name)
	}
	return x.refuse(api.CodeValidation, "unknown query parameter: "+name,
		api.Mending{Field: name, Got: name, Allowed: &api.Allowed{Values: names}, Suggestion: similar.Name(name, names)})
}

func (x *exchange) refuseValue(p *parameter, value string) bool {
	return x.refuse(api.CodeValidation, "query parameter "+p.name+" must be "+strings.Join(p.values, " or ")+", or left out, got "+value,
		api.Mending{Field: p.name, Got: value, Allowed: &api.Allowed{Values: p.values}, Suggestion: similar.Name(value, p.values)})
}
