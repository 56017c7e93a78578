//go:build hours

package outcomes

import "testing"

// The alarm does not ring in ten months in which prices move as the fits know.
func TestHoursAlarmIsSilentForTenMonths(t *testing.T) {
	for seed := range uint64(3) {
		w := walk{seed: 11 + seed, assets: 64, hours: 4700, before: 2600, every: 12, leverages: leverages}
		w.run(t)
		if hour, a := w.ring(); hour != 0 {
			t.Errorf("seed %d: rings at hour %d: %+v", w.seed, hour-start.UnixMilli()/hourMs, a)
		}
		for band := range promisedBands {
			t.Logf("seed %d: %s: predicted %.4f, liquidated %.4f of %.0f", w.seed, Bands[band], w.want[band]/w.n[band],
				w.hits[band]/w.n[band], w.n[band])
		}
	}
}

// When prices move twice as far as the fits know, the alarm rings within a day of the first outcomes with most seeds,
// and within two days with still more.
func TestHoursAlarmRingsWithMostSeeds(t *testing.T) {
	const seeds = 12
	day, twoDays := 0, 0
	for seed := range uint64(seeds) {
		w := walk{seed: 1 + seed, assets: 64, doubled: true, frozen: true, hours: 97, before: 48, every: 3,
			leverages: leverages}
		w.run(t)
		hour, _ := w.ring()
		after := hour - start.UnixMilli()/hourMs
		t.Logf("seed %d: %d hours", w.seed, after)
		if hour != 0 && after <= 49 {
			day++
		}
		if hour != 0 && after <= 73 {
			twoDays++
		}
	}
	if day < 8 || twoDays < 10 {
		t.Errorf("of %d seeds %d ring within a day of the first outcomes, %d within two", seeds, day, twoDays)
	}
}
