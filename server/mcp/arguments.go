package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"ballast/internal/printable"
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

// view removes the argument detail and returns the corresponding query.
func (c *call) view() (query string, bad *failure) {
	query = "?view=compact"
	for _, m := range c.members {
		switch {
		case m.name != "detail":
		case string(m.value) == `"full"`:
			query = ""
		case string(m.value) != `"compact"` && string(m.value) != "null":
			return "", invalid("detail must be compact or full", api.Mending{
				Field: "detail", Got: printable.Text(m.value),
				Allowed:    &api.Allowed{Values: []string{"compact", "full"}},
				Suggestion: "compact",
			})
		}
	}
	c.members = slices.DeleteFunc(c.members, func(m member) bool { return m.name == "detail" })
	return query, nil
}

// only returns the value of the call's single argument, a string. others names arguments that are also
// valid but have already been removed from the call.
func (c *call) only(name string, others ...string) (value string, bad *failure) {
	for _, m := range c.members {
		switch {
		case m.name != name:
			return "", unknown(m.name, append([]string{name}, others...)...)
		case json.Unmarshal(m.value, &value) != nil:
			return "", m.mistyped("a string")
		}
	}
	if value == "" {
		return "", invalid("missing field: "+name, api.Mending{Field: name, Allowed: &api.Allowed{Type: "string"}})
	}
	return value, nil
}

// mistyped refuses a member that is not what is wanted: a string, an integer.
func (m *member) mistyped(want string) *failure {
	_, typ, _ := strings.Cut(want, " ")
	how := api.Mending{Field: m.name, Got: api.Got(m.value), Allowed: &api.Allowed{Type: typ}}
	if text, ok := how.Got.(string); ok && typ == "integer" {
		if n, err := strconv.Atoi(text); err == nil {
			how.Suggestion = n
		}
	}
	return invalid("field "+m.name+" must be "+want, how)
}

func unknown(name string, known ...string) *failure {
	name = printable.Name([]byte(name))
	return invalid("unknown field: "+name, api.Mending{Field: name, Allowed: &api.Allowed{Values: known},
		Suggestion: known[0]})
}

func invalid(detail string, how api.Mending) *failure {
	return &failure{Code: api.CodeValidation, Detail: detail, Mending: how}
}
