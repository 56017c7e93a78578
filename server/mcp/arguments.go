package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/server/api"
)

// member is a member of a JSON object with its raw value.
type member struct {
	name  string
	value json.RawMessage
}

// readMembers splits an object, such as the arguments of a call. It keeps repeated names, which the route then
// refuses.
func readMembers(arguments json.RawMessage) (list []member, bad *failure) {
	if len(arguments) == 0 || string(arguments) == "null" { // some clients send null for nothing
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(arguments))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, &failure{Code: api.CodeInvalidJSON, Detail: "the arguments must be one JSON object"}
	}
	for d.More() {
		name, err := d.Token()
		var m member
		if err == nil {
			m.name = name.(string)
			err = d.Decode(&m.value)
		}
		if err != nil {
			return nil, &failure{Code: api.CodeInvalidJSON, Detail: "the arguments are no JSON"}
		}
		list = append(list, m)
	}
	return list, nil
}

// appendMembers appends an object with these members.
func appendMembers(dst []byte, list []member) []byte {
	dst = append(dst, '{')
	for i, m := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(api.AppendString(dst, m.name), ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}

// wrapped refuses arguments that stand in an object of their own, as some models send them. Left to the route, the
// object would be one unknown field, and what it holds beside the required fields would be lost with it.
func (c *call) wrapped(known []string) *failure {
	for _, m := range c.members {
		inner, bad := readMembers(m.value)
		if bad != nil || len(inner) == 0 || slices.Contains(known, m.name) ||
			slices.ContainsFunc(inner, func(m member) bool { return !slices.Contains(known, m.name) }) {
			continue
		}
		name := printable.Name([]byte(m.name))
		return invalid("unknown field: "+name, api.Mending{Field: name, Allowed: &api.Allowed{Values: known},
			Suggestion: "leave it out and send its members themselves: they are the arguments"})
	}
	return nil
}

// view removes the argument detail and returns the corresponding query.
func (c *call) view() (query string, bad *failure) {
	query = "?view=compact"
	for _, m := range c.members {
		switch {
		case m.name != "detail":
		case string(m.value) == `"full"`:
			query = ""
		case string(m.value) != `"compact"` && string(m.value) != "null":
			got := printable.Text(m.value)
			return "", invalid("detail must be compact or full, got "+got, api.Mending{
				Field: "detail", Got: api.Got(m.value), Allowed: &api.Allowed{Values: details},
				Suggestion: cmp.Or(similar.Name(strings.Trim(got, `"`), details), details[0]),
			})
		}
	}
	c.members = slices.DeleteFunc(c.members, func(m member) bool { return m.name == "detail" })
	return query, nil
}

var details = []string{"compact", "full"}

// only returns the value of the call's single argument, a string. others names arguments that are also
// valid but have already been removed from the call.
func (c *call) only(name string, others ...string) (value string, bad *failure) {
	for _, m := range c.members {
		switch {
		case m.name != name:
			return "", c.unknown(&m, append([]string{name}, others...)...)
		case json.Unmarshal(m.value, &value) != nil:
			return "", m.mistyped("a string")
		}
	}
	if value == "" {
		return "", invalid("missing field: "+name, api.Mending{Field: name, Allowed: &api.Allowed{Type: "string"},
			Suggestion: found[name]})
	}
	return value, nil
}

// found says where the value of a tool's single argument is found.
var found = map[string]any{
	"wallet":     "the address of the account: 0x and 40 hexadecimal digits",
	"asset":      "a ticker, as tool list_markets lists",
	"request_id": "meta.request_id of an answer", "flag": "a name in flags of an answer",
}

// target removes the arguments that say what an action is to bring a pool to, and returns them as the rest of a query.
func (c *call) target() (query string, bad *failure) {
	for _, m := range c.members {
		var p float64
		var alive bool
		switch {
		case string(m.value) == "null":
		case m.name == maxProbability && json.Unmarshal(m.value, &p) != nil:
			return "", m.mistyped("a number")
		case m.name == maxProbability:
			query += "&" + maxProbability + "=" + strconv.FormatFloat(p, 'f', -1, 64)
		case m.name == survive && json.Unmarshal(m.value, &alive) != nil:
			return "", m.mistyped("a boolean")
		case m.name == survive:
			query += "&" + survive + "=" + strconv.FormatBool(alive)
		}
	}
	c.members = slices.DeleteFunc(c.members, func(m member) bool {
		return m.name == maxProbability || m.name == survive
	})
	return query, nil
}

// mistyped refuses a member that is not what is wanted: a string, an integer.
func (m *member) mistyped(want string) *failure {
	_, typ, _ := strings.Cut(want, " ")
	return invalid("field "+m.name+" must be "+want, api.Mending{Field: m.name, Got: api.Got(m.value),
		Allowed: &api.Allowed{Type: typ}, Suggestion: api.Meant(m.value, typ)})
}

// firstBytes are those of values that an argument of another name may have meant: a text, or a number of markets. None
// is meant for a limit on risk.
var firstBytes = map[string]string{"limit": "0123456789", maxProbability: "", survive: "", "detail": ""}

// unknown refuses an argument that the tool does not have. It may be another name of the first one that is not given
// and has the type of its value.
func (c *call) unknown(m *member, known ...string) *failure {
	name := printable.Name([]byte(m.name))
	how := api.Mending{Field: name, Allowed: &api.Allowed{Values: known}, Suggestion: "leave it out"}
	open := slices.DeleteFunc(slices.Clone(known), func(name string) bool {
		return slices.ContainsFunc(c.members, func(m member) bool { return m.name == name })
	})
	if near := similar.Name(m.name, open); near != "" {
		how.Suggestion = near
	} else if i := slices.IndexFunc(open, func(name string) bool {
		first, special := firstBytes[name]
		return strings.IndexByte(first, m.value[0]) >= 0 || !special && m.value[0] == '"'
	}); i >= 0 {
		how.Suggestion = open[i]
	}
	return invalid("unknown field: "+name, how)
}

func invalid(detail string, how api.Mending) *failure {
	return &failure{Code: api.CodeValidation, Detail: detail, Mending: how}
}
