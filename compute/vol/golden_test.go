package vol

import (
	"encoding/json"
	"math"
	"testing"

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

func within(got, want, rel, abs float64) bool {
	return math.Abs(got-want) <= rel*math.Abs(want)+abs
}

var (
	horizonNames = [mc.HorizonCount]string{"1", "4", "24", "168"}
	sideNames    = [mc.SideCount]string{"long", "short"}
	levelNames   = [mc.LevelCount]string{"95", "99"}
)

// The cases of the same reference file that need candle files are in TestEvidenceRegime.
func TestGoldenRegime(t *testing.T) {
	var g struct {
		Cases []struct {
			Name  string
			Input struct {
				V24       []float64
				V24Before []float64 `json:"V24_before_720"`
			}
			Output map[string]json.RawMessage
		}
	}
	reference.Golden(t, "regime", &g)
	for _, c := range g.Cases {
		decode := func(name string, into any) {
			t.Helper()
			if err := json.Unmarshal(c.Output[name], into); err != nil {
				t.Fatalf("%s, %s: %v", c.Name, name, err)
			}
		}
		var state []string
		decode("state", &state)
		switch {
		case c.Input.V24 != nil:
			var rank []float64
			var plain []string
			decode("rank", &rank)
			decode("plain", &plain)
			s := &State{bars: seedBars, day: tape{keep: regimeWindow + regimeBars}}
			for i, v := range c.Input.V24 {
				s.day.append(v)
				if got := s.VolatilityRegime().String(); got != state[i] {
					t.Errorf("%s, bar %d: %s, want %s", c.Name, i, got, state[i])
				}
				r := rankOfLast(s.day.newest(regimeWindow))
				if !within(r, rank[i], 1e-9, 1e-15) || plainRegime(r).String() != plain[i] {
					t.Errorf("%s, bar %d: rank %v, want %v (%s)", c.Name, i, r, rank[i], plain[i])
				}
			}
		case c.Input.V24Before != nil:
			for i, v := range c.Input.V24Before {
				if got := youngRegime(v).String(); got != state[i] {
					t.Errorf("%s, value %d: %s, want %s", c.Name, i, got, state[i])
				}
			}
		}
	}
}
