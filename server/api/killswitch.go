package api

import (
	"strings"

	"ballast/compute/risk"
	"ballast/internal/jsonscan"
	"ballast/internal/printable"
	"ballast/internal/similar"
)

var killSwitchFields = []string{"on", "reason"}

// KillSwitch parses the body that turns the kill switch. It returns nil or the first fault.
func (s *Scanner) KillSwitch(body []byte) (on bool, reason string, bad *risk.Reject) {
	var turn risk.Field[bool]
	var why risk.Field[[]byte]
	var unknown [][]byte
	s.Reset(body)
	if s.BeginObject() {
		var v jsonscan.Value
		for name, more := s.Member(); more; name, more = s.Member() {
			if !s.Value(&v) {
				s.Blame(printable.Name(name))
				break
			}
			switch string(name) {
			case "on":
				set(&turn, &v, jsonscan.Bool, v.Bool)
			case "reason":
				set(&why, &v, jsonscan.String, v.Text)
			default:
				unknown = keep(unknown, name)
			}
		}
	}
	if !s.End() {
		return false, "", invalidJSON(s)
	}
	if bad := firstUnknown(unknown); bad != nil {
		return false, "", bad
	}
	if bad := risk.Required(turn.Kind, "on", "a boolean"); bad != nil {
		return false, "", bad
	}
	if why.Kind == risk.Mistyped {
		return false, "", invalid("reason", "field reason must be a string")
	}
	return turn.Value, string(why.Value), nil
}

// MendKillSwitch returns how to mend a refused body of the kill switch.
func MendKillSwitch(bad *risk.Reject) Mending {
	m := Mending{Field: bad.Field}
	switch {
	case strings.HasPrefix(bad.Detail, "unknown field"):
		m.Allowed = &Allowed{Values: killSwitchFields}
		m.Suggestion = Suggestion(similar.Name(bad.Field, killSwitchFields))
	case bad.Field == "on":
		m.Allowed = &Allowed{Type: "boolean"}
	case bad.Field == "reason":
		m.Allowed = &Allowed{Type: "string"}
	}
	return m
}
