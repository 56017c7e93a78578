package hyperliquid

import (
	"testing"

	"ballast/marketcache"
)

// The positions of all dexes are bounded together. Injects the fault long-computation of docs/faults.md.
func TestTooManyPositions(t *testing.T) {
	states := make([]dexState, 3)
	for i := range states {
		states[i].Positions = make([]marketcache.Position, maxPositions/2-1+i)
	}
	if tooMany(states[:2]) || !tooMany(states) {
		t.Errorf("%v of two dexes, %v of three", tooMany(states[:2]), tooMany(states))
	}
}
