package risk

import (
	"math"
	"testing"
)

// A figure that is not a number never looks like a small load.
func TestHeaviestKeepsNaN(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct{ equity, loss, maintenance float64 }{
		"equity": {nan, 10, 1}, "loss": {100, nan, 1}, "maintenance": {100, 10, nan},
	} {
		h := heaviest{equity: c.equity}
		h.see(1, c.loss, c.maintenance)
		h.see(2, 5, 1) // and a later scenario does not hide it
		if h.load < maxLoad || name == "loss" && !math.IsNaN(h.loss) {
			t.Errorf("%s: load %v, loss %v", name, h.load, h.loss)
		}
	}
}
