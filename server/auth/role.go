package auth

import "fmt"

// Role says what the holder of a key may do. The zero Role is Agent, which may do least.
type Role uint8

const (
	// Agent asks, and reads policies and the kill switch.
	Agent Role = iota
	// Operator may also change policies and the kill switch.
	Operator
)

// Roles are the names of the roles, by their numbers.
var Roles = [...]string{Agent: "agent", Operator: "operator"}

func (r Role) String() string { return Roles[r] }

// MarshalText writes the name.
func (r Role) MarshalText() ([]byte, error) { return []byte(Roles[r]), nil }

// UnmarshalText reads exactly what MarshalText writes.
func (r *Role) UnmarshalText(text []byte) error {
	for i, name := range Roles {
		if name == string(text) {
			*r = Role(i)
			return nil
		}
	}
	return fmt.Errorf("no role %.20q: want agent or operator", text)
}

func roleOf(operator bool) Role {
	if operator {
		return Operator
	}
	return Agent
}
