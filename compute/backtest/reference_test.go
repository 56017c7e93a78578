package backtest

import (
	_ "embed"
	"encoding/json"
	"testing"

	"ballast/internal/reference"
	"ballast/marketcache"
)

//go:embed testdata/synthetic.json
var syntheticJSON []byte

// Compares a backtest of a synthetic market with testdata/reference.py. The bootstrap of McNeil and Frey
// is left out, because it uses different random numbers there.
func TestAgainstReference(t *testing.T) {
	var g struct {
		Bars int
		Rows []map[string]any
	}
	if err := json.Unmarshal(syntheticJSON, &g); err != nil {
		t.Fatal(err)
	}
	var bars []marketcache.Bar
	for _, row := range reference.Synthetic(g.Bars) {
		bars = append(bars, marketcache.Bar(row))
	}
	r := run(t, bars, FHSPX)
	if len(g.Rows) != len(r.Rows) {
		t.Fatalf("%d rows, want %d", len(r.Rows), len(g.Rows))
	}
	for i, want := range g.Rows {
		var got reference.Fields
		text, err := json.Marshal(r.Rows[i])
		if err != nil || json.Unmarshal(text, &got) != nil {
			t.Fatalf("%+v, %v", r.Rows[i], err)
		}
		delete(got, "mcneil_frey_p")
		reference.Tolerance{Rel: 1e-9, Abs: 1e-11}.Match(t, want, got)
	}
}
