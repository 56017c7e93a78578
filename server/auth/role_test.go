package auth

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestRoles: the role of a key outlives the process, a record without a role is an agent's, and nothing turns the
// role of a key that is held.
func TestRoles(t *testing.T) {
	dir := t.TempDir()
	k := keysOf(t, dir)
	_, operator, err := k.Issue(t.Context(), "ops@example.org", Operator)
	if err != nil {
		t.Fatal(err)
	}
	_, agent := k.issue(t)
	again := keysOf(t, dir).Store()
	for id, want := range map[string]Role{operator.ID: Operator, agent.ID: Agent} {
		r, ok := again.Record(id)
		if !ok || r.Role != want {
			t.Errorf("%s: %v, want %v", id, r.Role, want)
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseRecord(text)
		if err != nil || back != r || strings.Contains(string(text), `"role"`) != (want == Operator) {
			t.Errorf("%+v from %s, %v", back, text, err)
		}
	}
	wider, _ := again.Record(agent.ID)
	wider.Role = Operator
	again.Merge(wider)
	if r, _ := again.Record(agent.ID); r.Role != Agent {
		t.Error("a record made an operator of an agent")
	}
	text, _ := json.Marshal(wider)
	for _, role := range []string{"Operator", "root", "", "operator "} {
		bad := strings.Replace(string(text), `"role":"operator"`, `"role":"`+role+`"`, 1)
		if r, err := ParseRecord([]byte(bad)); err == nil {
			t.Errorf("role %q is taken for %v", role, r.Role)
		}
	}
}
