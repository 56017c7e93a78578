//go:build hours

package outcomes

import "testing"

// The alarm rings within a day with every seed when prices move twice as far, whether the fits learn or not.
func TestHoursAlarmRings(t *testing.T) {
	for seed := range uint64(12) {
		for _, frozen := range []bool{true, false} {
			w := walk{seed: 301 + seed, assets: 64, doubled: true, frozen: frozen, before: 26, hours: 48}
			w.run(t)
			after, a, ok := w.ring()
			t.Logf("seed %d, frozen %t: %d hours: %+v", w.seed, frozen, after, a.Volatility)
			if !ok || after < 1 || after > 24 {
				t.Errorf("seed %d, frozen %t: rings after %d hours", w.seed, frozen, after)
			}
		}
	}
}

// The alarm does not ring in ten months in which prices move as the fits know.
func TestHoursAlarmIsSilentForTenMonths(t *testing.T) {
	for seed := range uint64(3) {
		w := walk{seed: 201 + seed, assets: 64, before: 2600, hours: 4700, leverages: leverages, every: 12}
		w.run(t)
		if after, a, ok := w.ring(); ok {
			t.Errorf("seed %d: rings at hour %d: %+v", w.seed, after, a)
		}
		var all promises
		for _, p := range w.promises {
			all.merge(&p)
		}
		t.Logf("seed %d: %+v", w.seed, all)
	}
}
