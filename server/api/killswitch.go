package api

import (
	"slices"
	"strings"

	"ballast/compute/risk"
	"ballast/internal/jsonscan"
	"ballast/internal/similar"
)

var killSwitchFields = []string{"on", "reason"}

// otherOn are names that mean on with the same sense.
var otherOn = []string{"active", "enabled", "engaged", "halt", "halted", "kill", "kill_switch", "killed", "state"}

// KillSwitch parses the body that turns the kill switch. It returns nil or the first fault, and how to mend it.
func (s *Scanner) KillSwitch(body []byte) (on bool, reason string, bad *risk.Reject, how Mending) {
	var turn risk.Field[bool]
	var why risk.Field[[]byte]
	var unknown [][]byte
	s.Reset(body)
	s.Members(func(name []byte, v *jsonscan.Value) {
		switch string(name) {
		case "on":
			set(&turn, v, jsonscan.Bool, v.Bool)
		case "reason":
			set(&why, v, jsonscan.String, v.Text)
		default:
			unknown = keep(unknown, name)
		}
	})
	if !s.End() {
		bad = invalidJSON(s)
		return false, "", bad, Mending{Field: bad.Field}
	}
	if bad := firstUnknown(unknown); bad != nil {
		return false, "", bad, mendSwitchName(bad.Field)
	}
	if bad := risk.Required(turn.Kind, "on", "a boolean"); bad != nil {
		how.Field = "on"
		how.boolean(&turn)
		return false, "", bad, how
	}
	if why.Kind == risk.Mistyped {
		return false, "", invalid("reason", "field reason must be a string"),
			Mending{Field: "reason", Got: Got(why.Raw), Allowed: &Allowed{Type: "string"}}
	}
	return turn.Value, string(why.Value), nil, Mending{}
}

// mendSwitchName returns how to mend a field that the kill switch does not have.
func mendSwitchName(name string) Mending {
	m := Mending{Field: name, Allowed: &Allowed{Values: killSwitchFields},
		Suggestion: Suggestion(similar.Name(name, killSwitchFields))}
	if slices.Contains(otherOn, strings.ToLower(name)) {
		m.Suggestion = "on"
	}
	return m
}
