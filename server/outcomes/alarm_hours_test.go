//go:build hours

package outcomes

import "testing"

// The alarm rings within a day with every seed when prices move twice as far, whether the fits learn or not.
func TestHoursAlarmRings(t *testing.T) {
	for seed := range uint64(12) {
		for _, frozen := range []bool{true, false} {
			w := walk{seed: 301 + seed, assets: 64, doubled: true, frozen: frozen, before: 26, hours: 48}
			w.run(t)
			list, _ := w.rings()
			t.Logf("seed %d, frozen %t: rings after %d hours", w.seed, frozen, list)
			if len(list) == 0 || list[0] < 1 || list[0] > 24 {
				t.Errorf("seed %d, frozen %t: not within a day", w.seed, frozen)
			}
		}
	}
}

// In ten months in which prices move as the fits know the alarm rings when their volatility doubles by itself, which is
// seldom.
func TestHoursAlarmIsSilentForTenMonths(t *testing.T) {
	total := 0
	for seed := range uint64(3) {
		w := walk{seed: 201 + seed, assets: 64, before: 2600, hours: 4700}
		w.run(t)
		list, alarms := w.rings()
		t.Logf("seed %d: rings at the hours %d: %+v", w.seed, list, alarms)
		total += len(list)
	}
	if total > 2 {
		t.Errorf("rings %d times in thirty months", total)
	}
}
