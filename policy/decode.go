package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"ballast/internal/jsonscan"
	"ballast/internal/printable"
	"ballast/internal/similar"
	"ballast/marketcache"
)

// Problem says why a text is no policy.
type Problem struct {
	Field      string // the rule, "" when the whole text is meant
	Detail     string
	Suggestion string // how to mend it, "" for none
}

// Error returns the problem and how to mend it as a sentence.
func (p *Problem) Error() string {
	switch {
	case p.Suggestion == "":
		return p.Detail
	case slices.Contains(names, p.Suggestion):
		return p.Detail + ", did you mean " + p.Suggestion + "?"
	}
	return p.Detail + ": " + p.Suggestion
}

// value is one value of a policy's text, in JSON or YAML.
type value struct {
	kind   jsonscan.Kind
	text   string
	number float64
	yes    bool
	items  []value
}

// DecodeJSON parses a JSON object with the rules by their names. Null is absence. What is no rule, or no value of
// one, is refused.
func DecodeJSON(text []byte) (Rules, *Problem) {
	var s jsonscan.Scanner
	var r Rules
	s.Reset(text)
	if s.BeginObject() {
		for name, more := s.Member(); more; name, more = s.Member() {
			field := string(name)
			v, ok := scan(&s)
			if !ok {
				s.Blame(printable.Name([]byte(field)))
				break
			}
			if bad := r.take(field, &v); bad != nil {
				return Rules{}, bad
			}
		}
	}
	if !s.End() {
		return Rules{}, &Problem{
			Field: s.Field(), Detail: "not a JSON object: " + s.Problem(),
			Suggestion: `write one object, such as {"max_leverage":5}`,
		}
	}
	return r, nil
}

// scan parses the next value. Of an object only the kind is kept.
func scan(s *jsonscan.Scanner) (out value, ok bool) {
	if s.NextKind() == jsonscan.Array {
		out.kind = jsonscan.Array
		if !s.BeginArray() {
			return out, false
		}
		for s.Element() {
			item, ok := scan(s)
			if !ok {
				return out, false
			}
			out.items = append(out.items, item)
		}
		return out, s.OK()
	}
	var v jsonscan.Value
	ok = s.Value(&v)
	return value{kind: v.Kind, text: string(v.Text), number: v.Number, yes: v.Bool}, ok
}

// DecodeYAML parses a YAML file with one rule a line, or a JSON object. Numbers and words are those of JSON; a rule
// without a value is refused.
func DecodeYAML(text []byte) (Rules, *Problem) {
	var file, more yaml.Node
	var r Rules
	d := yaml.NewDecoder(bytes.NewReader(text))
	const form = "write lines such as max_leverage: 5"
	switch err := d.Decode(&file); {
	case errors.Is(err, io.EOF):
		return r, &Problem{Detail: "the file has no rule", Suggestion: "write {} for a policy that limits nothing"}
	case err != nil:
		return r, &Problem{Detail: "not YAML: " + printable.Start([]byte(err.Error()), 200), Suggestion: form}
	case d.Decode(&more) == nil:
		return r, &Problem{Detail: fmt.Sprintf("line %d: a second document", more.Line),
			Suggestion: "write all rules into one"}
	}
	return DecodeNode(file.Content[0])
}

// DecodeNode reads a policy from a part of a YAML text, as strictly as DecodeYAML.
func DecodeNode(root *yaml.Node) (Rules, *Problem) {
	var r Rules
	const form = "write lines such as max_leverage: 5"
	if root.Kind != yaml.MappingNode || root.Anchor != "" {
		return r, &Problem{Detail: fmt.Sprintf("line %d: not a list of rules", root.Line), Suggestion: form}
	}
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		name, node := root.Content[i], root.Content[i+1]
		field := printable.Name([]byte(name.Value))
		v, bad := scanYAML(node)
		switch {
		case name.Kind != yaml.ScalarNode || name.Tag != "!!str":
			bad = &Problem{Detail: "not a rule's name", Suggestion: form}
		case seen[name.Value]:
			bad = &Problem{Detail: field + " is given twice", Suggestion: "leave one of the two out"}
		case bad != nil:
			bad.Detail = field + bad.Detail
		default:
			bad = r.take(name.Value, &v)
		}
		if bad != nil {
			bad.Field, bad.Detail = field, fmt.Sprintf("line %d: %s", name.Line, bad.Detail)
			return Rules{}, bad
		}
		seen[name.Value] = true
	}
	return r, nil
}

// scanYAML returns the value of a node. The problem lacks the rule's name.
func scanYAML(n *yaml.Node) (out value, bad *Problem) {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return out, &Problem{Detail: " has an anchor or an alias", Suggestion: "write the value itself"}
	case n.Kind == yaml.MappingNode:
		out.kind = jsonscan.Object
	case n.Kind == yaml.SequenceNode:
		out.kind = jsonscan.Array
		for _, c := range n.Content {
			item, bad := scanYAML(c)
			if bad != nil {
				return out, bad
			}
			out.items = append(out.items, item)
		}
	case n.Tag == "!!null":
		return out, &Problem{Detail: " has no value", Suggestion: "write one, or leave the line out"}
	case n.Tag == "!!bool":
		out.kind, out.yes = jsonscan.Bool, n.Value == "true"
		if n.Value != "true" && n.Value != "false" {
			return out, &Problem{Detail: ": " + printable.Name([]byte(n.Value)), Suggestion: "write true or false"}
		}
	case n.Tag == "!!int" || n.Tag == "!!float":
		number, length, problem := jsonscan.ParseNumber([]byte(n.Value))
		if out.kind, out.number = jsonscan.Number, number; problem != "" || length != len(n.Value) {
			return out, &Problem{Detail: ": " + printable.Name([]byte(n.Value)) + " is not a plain number",
				Suggestion: "write it with digits alone, such as 50000 or 0.5; a name in quotes"}
		}
	default:
		out.kind, out.text = jsonscan.String, n.Value
	}
	return out, nil
}

// take enters the value of one rule.
func (r *Rules) take(name string, v *value) *Problem {
	at := slices.Index(names, name)
	field := printable.Name([]byte(name))
	if at < 0 {
		p := &Problem{Field: field, Detail: "unknown rule: " + field}
		if near := similar.Name(name, names); near != "" {
			p.Suggestion = near
		} else {
			p.Suggestion = "the rules are " + strings.Join(names, ", ")
		}
		return p
	}
	if v.kind == jsonscan.Null {
		return nil
	}
	rule := Rule(slices.IndexFunc(RuleTable[:], func(i Info) bool { return i.Name == name }))
	switch rule {
	case AllowedAssets, DeniedAssets:
		return r.takeAssets(rule, v)
	case Halt:
		if v.kind != jsonscan.Bool {
			return &Problem{Field: name, Detail: "halt must be a boolean", Suggestion: "true or false"}
		}
		r.Halt = v.yes
		return nil
	case ExpiresAt:
		return r.takeTime(v)
	}
	return r.takeNumber(rule, v)
}

func (r *Rules) takeNumber(rule Rule, v *value) *Problem {
	info := &RuleTable[rule]
	bounds := "a number from 0 to " + printable.Decimal(info.Max)
	if info.Whole {
		bounds = "a whole number from 0 to " + printable.Decimal(info.Max)
	}
	switch {
	case v.kind != jsonscan.Number:
		return &Problem{Field: info.Name, Detail: "rule " + info.Name + " must be a number", Suggestion: bounds}
	case !(v.number >= 0 && v.number <= info.Max) || info.Whole && v.number != float64(int64(v.number)):
		return &Problem{Field: info.Name, Detail: "rule " + info.Name + " cannot be " + printable.Number(v.number),
			Suggestion: bounds}
	}
	r.SetLimit(rule, v.number+0) // + 0: no "-0"
	return nil
}

func (r *Rules) takeTime(v *value) *Problem {
	at, err := time.Parse(time.RFC3339, v.text)
	if v.kind != jsonscan.String || err != nil || at.UnixMilli() <= 0 {
		return &Problem{Field: "expires_at", Detail: "rule expires_at must be a time in the form of RFC 3339",
			Suggestion: "2026-12-31T00:00:00Z"}
	}
	r.ExpiresAt = at.UnixMilli()
	return nil
}

const (
	maxAssets    = 1000
	maxAssetName = 64
)

// takeAssets enters a list of tickers. Whether the venue lists them is not known here, see CheckAssets.
func (r *Rules) takeAssets(rule Rule, v *value) *Problem {
	field := rule.String()
	if v.kind != jsonscan.Array || len(v.items) > maxAssets {
		return &Problem{Field: field, Detail: fmt.Sprintf("rule %s must be a list of at most %d tickers", field,
			maxAssets), Suggestion: `["BTC","ETH"]`}
	}
	list := []string{}
	for _, item := range v.items {
		name := item.text
		shown := printable.Text([]byte(name))
		switch {
		case item.kind != jsonscan.String:
			return &Problem{Field: field, Detail: "rule " + field + " has an element that is no string",
				Suggestion: "write tickers in quotes"}
		case name == "" || len(name) > maxAssetName || strings.ContainsFunc(name, noTicker):
			return &Problem{Field: field, Detail: "rule " + field + " has " + shown + ", which is no ticker",
				Suggestion: "tickers are written in ASCII without spaces, as the venue writes them"}
		}
		for _, other := range list {
			if strings.EqualFold(other, name) {
				return &Problem{Field: field, Detail: "rule " + field + " has both " + other + " and " + shown,
					Suggestion: "name each ticker once, exactly as the venue writes it"}
			}
		}
		list = append(list, name)
	}
	if rule == AllowedAssets {
		r.Allowed, r.OnlyAllowed = list, true
	} else {
		r.Denied = list
	}
	return nil
}

// noTicker reports whether a character is in no ticker.
func noTicker(c rune) bool { return c <= ' ' || c >= 0x7f || c == '"' || c == '\\' }

// CheckAssets refuses tickers that the venue does not list, such as one in another case: the rule would never hold.
func (r *Rules) CheckAssets(universe *marketcache.Universe) *Problem {
	for _, rule := range []Rule{AllowedAssets, DeniedAssets} {
		list := r.Allowed
		if rule == DeniedAssets {
			list = r.Denied
		}
		for _, name := range list {
			if universe.Asset(universe.LookupString(name)) != nil {
				continue
			}
			listed := make([]string, len(universe.Assets))
			for i := range universe.Assets {
				listed[i] = universe.Assets[i].Name
			}
			return &Problem{Field: rule.String(), Suggestion: similar.Name(name, listed),
				Detail: "rule " + rule.String() + " names an asset that the venue does not list: " + name}
		}
	}
	return nil
}
