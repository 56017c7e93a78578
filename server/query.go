package server

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/server/api"
)

// parameterValues are the allowed values of each query parameter but maxProbability and those of decisions.
var parameterValues = map[string][]string{
	"explain": {"true", "false"}, "deposit": {"true", "false"}, "record": {"true", "false"},
	"view": {"compact"}, "survive": {"true", "false"},
}

// maxProbability is the parameter whose value is a number from 0 to 1.
const maxProbability = "max_probability_24h"

// checkQuery refuses a parameter or a value that the route does not have, and a parameter given twice. A
// route without parameters ignores its query. It sets what the parameters ask for.
func (x *exchange) checkQuery() bool {
	known := routeTable[x.route].query
	if len(known) == 0 {
		return true
	}
	var seen uint32 // a bit for each known parameter
	for item := range bytes.SplitSeq(x.query, []byte("&")) {
		if len(item) == 0 {
			continue
		}
		name, value, _ := bytes.Cut(item, []byte("="))
		i := slices.Index(known, string(name))
		switch {
		case i < 0:
			return x.refuseQuery("unknown query parameter: ", printable.Text(name), name, known)
		case known[i] == maxProbability:
			if !x.readMaxProbability(value) {
				return false
			}
		case parameterValues[known[i]] == nil: // the handler reads it
		case !slices.Contains(parameterValues[known[i]], string(value)):
			values := parameterValues[known[i]]
			return x.refuseQuery("query parameter "+known[i]+" must be "+strings.Join(values,
				" or ")+", or left out, got ", known[i], value, values)
		}
		if seen&(1<<i) != 0 {
			return x.refuse(api.CodeValidation, "query parameter "+known[i]+" is given twice",
				api.Mending{Field: known[i]})
		}
		seen |= 1 << i
		x.explain = x.explain || string(item) == "explain=true"
		x.compact = x.compact || string(item) == "view=compact"
		x.deposit = x.deposit || string(item) == "deposit=true"
		x.unrecorded = x.unrecorded || string(item) == "record=false"
		x.until.Survive = x.until.Survive && string(item) != "survive=false"
	}
	return true
}

func (x *exchange) readMaxProbability(value []byte) bool {
	p, err := strconv.ParseFloat(string(value), 64)
	if err != nil || !(p >= 0 && p <= 1) {
		got := printable.Text(value)
		how := api.Mending{Field: maxProbability, Got: got, Allowed: &api.Allowed{Type: "number", Max: 1}}
		if err == nil && p > 1 && p <= 100 { // percent
			how.Suggestion = json.Number(printable.Decimal(p / 100))
		}
		return x.refuse(api.CodeValidation, "query parameter "+maxProbability+
			" must be a fraction from 0 to 1, such as 0.05, or left out, got "+got, how)
	}
	x.until.MaxProbability24h = p
	return true
}

// refuseQuery refuses the name or the value of a query parameter that is none of those allowed. why is the
// beginning of the error, up to that word.
func (x *exchange) refuseQuery(why, parameter string, word []byte, allowed []string) bool {
	got := printable.Text(word)
	return x.refuse(api.CodeValidation, why+got,
		api.Mending{Field: parameter, Got: got, Allowed: &api.Allowed{Values: allowed},
			Suggestion: api.Suggestion(similar.Name(got, allowed))})
}
