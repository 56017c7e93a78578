package backtest

import (
	"math"
	"math/rand/v2"
	"testing"
)

func close12(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

func TestEvaluateAtTheEdges(t *testing.T) {
	row := func(losses ...float64) Row {
		var days []Day
		for _, l := range losses {
			days = append(days, Day{Loss: l, VaR: 0.02, ES: 0.03, SD: 0.01, HSVaR: 0.02})
		}
		return Evaluate(days, 0.99)
	}
	none := Row{Level: 0.99, KupiecP: 1, ChristoffersenP: 1, McNeilFreyP: 1}
	if got := row(); got != none {
		t.Errorf("no day: %+v", got)
	}
	got := row(0, 0, 0.02) // a loss equal to the VaR is no breach
	if got.ESResidual != 0 || got.McNeilFreyP != 1 || got.ChristoffersenLR != 0 ||
		!close12(got.KupiecLR, -6*math.Log(0.99)) {
		t.Errorf("no breach: %+v", got)
	}
	if got := row(1, 1); got.Rate != 1 || got.ChristoffersenP != 1 || !close12(got.KupiecLR, -4*math.Log(0.01)) ||
		got.McNeilFreyP != 0 {
		t.Errorf("nothing but equal breaches: %+v", got)
	}
	if got := row(0, 1); got.Hits != 1 || got.McNeilFreyP != 1 {
		t.Errorf("one breach: %+v", got)
	}
	// The price does not move on the first day and moves on the next two.
	frozen := Evaluate([]Day{{}, {Loss: 0.1}, {Loss: -0.1}}, 0.95)
	for _, v := range []float64{frozen.ESResidual, frozen.Pinball, frozen.FZ0, frozen.PinballRatio} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("frozen: %+v", frozen)
		}
	}
}

// The bootstrap p-value is uniform when ES is right, small when ES is too low, and the same in
// every run.
func TestMcNeilFrey(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	draw := func(shift float64) []float64 {
		x := make([]float64, 40)
		for i := range x {
			x[i] = rng.ExpFloat64() - 1 + shift
		}
		return x
	}
	below := 0
	for range 100 {
		if _, p := mcNeilFrey(draw(0)); p < 0.25 {
			below++
		}
	}
	if below < 12 || below > 42 {
		t.Errorf("%d of 100 correct models have p < 0.25", below)
	}
	if mean, p := mcNeilFrey(draw(0.8)); p > 0.01 || mean < 0.4 {
		t.Errorf("ES too low: mean %v, p %v", mean, p)
	}
	if _, p := mcNeilFrey(draw(-0.8)); p < 0.95 {
		t.Errorf("ES too high: p %v", p)
	}
	x := draw(0.1)
	_, p := mcNeilFrey(x)
	if _, again := mcNeilFrey(x); p != again {
		t.Error("two p-values of the same residuals:", p, again)
	}
}
