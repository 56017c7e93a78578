package marketcache_test

import (
	"math"
	"testing"

	"ballast/internal/reference"
	"ballast/marketcache"
)

func TestGoldenHeld(t *testing.T) {
	var golden struct {
		Held []struct {
			Name  string
			Input struct {
				Equity, Initial, Notional, Withdrawable, Hold, Isolated, Maintenance, Available *float64
			}
			Output struct {
				Held float64 `json:"held_usd"`
				Most float64 `json:"held_most_usd"`
			}
		}
	}
	reference.Golden(t, "account_truth", &golden)
	tested := 0
	for _, c := range golden.Held {
		var held, most float64
		switch in := c.Input; {
		case in.Withdrawable != nil:
			held, most = marketcache.HeldStandard(*in.Equity, *in.Initial, *in.Notional, *in.Withdrawable)
		case in.Hold != nil:
			held, most = marketcache.HeldPooled(*in.Hold, *in.Isolated, *in.Initial, *in.Maintenance)
		default:
			continue // of the setting, by package risk
		}
		tested++
		near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-9*max(1, math.Abs(want)) }
		if !near(held, c.Output.Held) || !near(most, c.Output.Most) {
			t.Errorf("%s: %v to %v, want %v to %v", c.Name, held, most, c.Output.Held, c.Output.Most)
		}
	}
	if held, most := marketcache.HeldStandard(10, 1, 10, math.NaN()); held != 0 || !math.IsInf(most, 1) {
		t.Errorf("withdrawable not known: %v to %v", held, most)
	}
	if tested < 15 {
		t.Errorf("only %d cases", tested)
	}
}
