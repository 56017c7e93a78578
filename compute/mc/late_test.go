package mc

import "testing"

// A simulation that is late looks no further. Injects the fault long-computation of docs/faults.md.
func TestLateSimulationEnds(t *testing.T) {
	const k = 3
	p := Portfolio{Nu: 4, Correlation: make([]float64, k*k), Marginals: make([]Marginal, k)}
	for i := range k {
		p.Correlation[i*k+i], p.Marginals[i] = 1, Marginal{Scale: 0.03, NotionalUSD: 1000}
	}
	var w Workspace
	whole := w.Simulate(&p, Draws)
	for after := range Draws/2/blockPairs + 1 {
		looks := 0
		p.Late = func() bool { looks++; return looks > after }
		if r := w.Simulate(&p, Draws); looks != after+1 || r.VaR99 != 0 {
			t.Errorf("late at look %d: %d looks, VaR %v", after, looks, r.VaR99)
		}
	}
	p.Late = func() bool { return false }
	if again := w.Simulate(&p, Draws); again.VaR99 != whole.VaR99 || again.ES99 != whole.ES99 {
		t.Error("the workspace is spoilt")
	}
}
