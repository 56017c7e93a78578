package console

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ballast/server/api"
)

// The page names every hard rule in the words of the answers.
func TestRuleWords(t *testing.T) {
	source, err := os.ReadFile("src/names.ts")
	if err != nil {
		t.Fatal(err)
	}
	for rule, words := range api.RuleWords {
		if want := fmt.Sprintf("%s: %q", rule, words); !strings.Contains(string(source), want) {
			t.Errorf("src/names.ts lacks %s", want)
		}
	}
}
