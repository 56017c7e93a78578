package backtest

import (
	_ "embed"
	"encoding/json"
	"math"
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
		Rows []Row
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
		got := r.Rows[i]
		if got.Side != want.Side || got.Level != want.Level || got.N != want.N || got.Hits != want.Hits {
			t.Errorf("%+v, want %+v", got, want)
			continue
		}
		for what, v := range map[string][2]float64{
			"rate": {got.Rate, want.Rate}, "Kupiec": {got.KupiecLR, want.KupiecLR},
			"Kupiec p":         {got.KupiecP, want.KupiecP},
			"Christoffersen":   {got.ChristoffersenLR, want.ChristoffersenLR},
			"Christoffersen p": {got.ChristoffersenP, want.ChristoffersenP},
			"ES residual":      {got.ESResidual, want.ESResidual}, "pinball": {got.Pinball, want.Pinball},
			"pinball ratio": {got.PinballRatio, want.PinballRatio}, "FZ0": {got.FZ0, want.FZ0},
		} {
			if !(math.Abs(v[0]-v[1]) <= 1e-9*math.Abs(v[1])+1e-11) {
				t.Errorf("%s %v: %s %v, want %v", got.Side, got.Level, what, v[0], v[1])
			}
		}
	}
}
