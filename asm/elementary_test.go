package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ulps returns the distance in units of the last place of want.
func ulps(got, want float64) float64 {
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

func TestElementaryAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	worst := map[string]float64{}
	see := func(name string, got, want float64) { worst[name] = max(worst[name], ulps(got, want)) }
	for range n {
		x := (r.Float64() - 0.5) * 2 * MaxLogMove
		see("exp", Exp(x), math.Exp(x))
		see("exp near 0", Exp(x/1000), math.Exp(x/1000))
		u := (float64(r.Uint32()) + 0.5) / (1 << 32)
		see("log", Log(u), math.Log(u))
		see("log above 1", Log(1+100*u), math.Log(1+100*u))
	}
	for name, limit := range map[string]float64{"exp": 2, "exp near 0": 2, "log": 2, "log above 1": 2} {
		if worst[name] > limit || worst[name] == 0 {
			t.Errorf("%s: off by %.2f units", name, worst[name])
		}
	}
}

func TestElementaryExactPoints(t *testing.T) {
	if Exp(0) != 1 || Log(1) != 0 {
		t.Errorf("Exp(0) = %v, Log(1) = %v", Exp(0), Log(1))
	}
	// From t = BridgeReach on, Exp(-t) is below half a unit in the last place of 1, so 1-Exp(-t) is
	// exactly 1 and distant bridge steps can be skipped.
	if 1-Exp(-BridgeReach) != 1 || 1-Exp(-36) == 1 {
		t.Errorf("1-Exp(-t) at the reach of a bridge: %v; before it %v", 1-Exp(-BridgeReach), 1-Exp(-36))
	}
	if e := Exp(-1e-300); e != 1 {
		t.Errorf("Exp(-1e-300) = %v", e)
	}
}
