package backtest

import (
	"math"
	"math/rand/v2"
	"testing"
)

func close12(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

// Ten days at 90 % with two breaches in a row: every figure computed by hand.
func TestEvaluateByHand(t *testing.T) {
	var days []Day
	for i := range 10 {
		days = append(days, Day{TimeMs: int64(i), Loss: -0.01, VaR: 0.02, ES: 0.03, SD: 0.01, HSVaR: 0.04})
	}
	days[4].Loss, days[5].Loss = 0.025, 0.055
	days[9].Loss = 0.02 // a loss equal to the VaR is no breach
	got := Evaluate(days, 0.9)
	if got.N != 10 || got.Hits != 2 || got.Rate != 0.2 || got.Level != 0.9 {
		t.Errorf("%+v", got)
	}
	ln := math.Log
	kupiec := -2 * (8*ln(0.9) + 2*ln(0.1) - 8*ln(0.8) - 2*ln(0.2))
	// Nine transitions between days: no breach to no breach 6, no breach to breach 1, breach to
	// breach 1, breach to no breach 1.
	christoffersen := -2 * (7*ln(7.0/9) + 2*ln(2.0/9) - 6*ln(6.0/7) - ln(1.0/7) - 2*ln(0.5))
	if !close12(got.KupiecLR, kupiec) || !close12(got.ChristoffersenLR, christoffersen) {
		t.Errorf("Kupiec %v, want %v; Christoffersen %v, want %v", got.KupiecLR, kupiec, got.ChristoffersenLR, christoffersen)
	}
	if want := (-0.5 + 2.5) / 2; !close12(got.ESResidual, want) {
		t.Errorf("residual %v, want %v", got.ESResidual, want)
	}
	// A return is minus the loss. The model's quantile is -0.02, the historical simulation's is -0.04.
	tick := (7*0.1*0.03 + 0.9*0.005 + 0.9*0.035 + 0) / 10
	historical := (7*0.1*0.05 + 0.1*0.015 + 0.9*0.015 + 0.1*0.02) / 10
	if !close12(got.Pinball, tick) || !close12(got.PinballRatio, tick/historical) {
		t.Errorf("tick loss %v, want %v; ratio %v, want %v", got.Pinball, tick, got.PinballRatio, tick/historical)
	}
	fz0 := 2.0/3 + ln(0.03) - 1 + (0.005+0.035+0)/(0.1*0.03)/10
	if !close12(got.FZ0, fz0) {
		t.Errorf("FZ0 %v, want %v", got.FZ0, fz0)
	}
}

// Compares the tail of the chi-square distribution with table values.
func TestChiSquare(t *testing.T) {
	for x, p := range map[float64]float64{0: 1, 3.841458820694124: 0.05, 6.6348966010212145: 0.01} {
		if got := chiSquare1(x); !close12(got, p) {
			t.Errorf("p of %v: %v, want %v", x, got, p)
		}
	}
}

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
	got := row(0, 0, 0)
	if got.ESResidual != 0 || got.McNeilFreyP != 1 || got.ChristoffersenLR != 0 || !close12(got.KupiecLR, -6*math.Log(0.99)) {
		t.Errorf("no breach: %+v", got)
	}
	if got := row(1, 1); got.Rate != 1 || got.ChristoffersenP != 1 || !close12(got.KupiecLR, -4*math.Log(0.01)) || got.McNeilFreyP != 0 {
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
