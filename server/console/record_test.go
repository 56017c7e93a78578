package console

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The record of the chances of liquidation that the page draws is that of docs/model.md.
func TestRecord(t *testing.T) {
	source, err := os.ReadFile("src/screens/record.ts")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/model.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`\["([^"]+)", ([\d_]+), ([\d.]+), ([\d.]+)\],`).FindAllStringSubmatch(string(source), -1)
	if len(rows) != 8+3 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		name, n := r[1], strings.ReplaceAll(r[2], "_", ",")
		if !strings.HasSuffix(name, "%") {
			name = "`" + name + "`"
		}
		if row := fmt.Sprintf("\n| %s | %s | %s | %s |", name, n, r[3], r[4]); !strings.Contains(string(page), row) {
			t.Errorf("docs/model.md lacks %q", row)
		}
	}
	scores := regexp.MustCompile(`brier = { chance: ([\d.]+), constant: ([\d.]+) }`).FindStringSubmatch(string(source))
	if scores == nil {
		t.Fatal("no Brier score")
	}
	for _, want := range []string{"The Brier score of `probability_24h` is " + scores[1] + ";", "would have " +
		scores[2]} {
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/model.md lacks %q", want)
		}
	}
}
