package api

import (
	"strings"
	"time"

	"ballast/compute/risk"
	"ballast/internal/jsonscan"
	"ballast/internal/similar"
)

// PolicyTest is the parsed body of a test of a policy.
type PolicyTest struct {
	Rules    []byte    // JSON object; valid until the body is reused
	From, To time.Time // zero: left out
}

var policyTestFields = []string{"rules", "from", "to"}

// aMoment is the form of a time.
const aMoment = "2026-11-27T10:00:00Z"

// PolicyTest parses the body of a test of a policy. It returns nil or the first fault.
func (s *Scanner) PolicyTest(body []byte, p *PolicyTest) *risk.Reject {
	var rules, from, to jsonscan.Value
	var unknown [][]byte
	s.Reset(body)
	s.Members(func(name []byte, v *jsonscan.Value) {
		switch string(name) {
		case "rules":
			rules = *v
		case "from":
			from = *v
		case "to":
			to = *v
		default:
			unknown = keep(unknown, name)
		}
	})
	if !s.End() {
		return invalidJSON(s)
	}
	if bad := firstUnknown(unknown); bad != nil {
		return bad
	}
	if p.Rules = rules.Raw; rules.Kind != jsonscan.Object {
		return invalid("rules", "field rules must be an object, the policy to try")
	}
	for _, field := range []struct {
		name string
		v    *jsonscan.Value
		at   *time.Time
	}{{"from", &from, &p.From}, {"to", &to, &p.To}} {
		at, err := time.Parse(time.RFC3339, string(field.v.Text))
		switch {
		case field.v.Kind == jsonscan.Null:
		case err != nil:
			return invalid(field.name, "field "+field.name+" must be a time (RFC 3339)")
		default:
			*field.at = at.UTC()
		}
	}
	return nil
}

// MendPolicyTest returns how to mend a refused body of a test of a policy.
func MendPolicyTest(bad *risk.Reject) Mending {
	m := Mending{Field: bad.Field}
	switch {
	case strings.HasPrefix(bad.Detail, "unknown field"):
		m.Allowed = &Allowed{Values: policyTestFields}
		m.Suggestion = Suggestion(similar.Name(bad.Field, policyTestFields))
	case bad.Field == "rules":
		m.Allowed = &Allowed{Type: "object"}
	case bad.Field != "":
		m.Suggestion = aMoment
	}
	return m
}
