package console

import (
	"os"
	"strings"
	"testing"

	"ballast/compute/risk"
)

// The page has a short name for every flag.
func TestFlagNames(t *testing.T) {
	source, err := os.ReadFile("src/names.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range risk.FlagTable {
		if !strings.Contains(string(source), "\n  "+f.Name+": \"") {
			t.Errorf("src/names.ts has no name for the flag %s", f.Name)
		}
	}
}
