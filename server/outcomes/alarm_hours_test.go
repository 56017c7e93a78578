//go:build hours

package outcomes

import "testing"

// The alarm rings within a day when prices move twice as far: with every seed when the fits do not learn, and in nine
// of ten when they do.
func TestHoursAlarmRings(t *testing.T) {
	missed := map[bool]int{}
	for seed := range uint64(20) {
		for _, frozen := range []bool{true, false} {
			w := walk{seed: 301 + seed, assets: 64, doubled: true, frozen: frozen, before: 26, hours: 24}
			w.run(t)
			list, _ := w.rings()
			t.Logf("seed %d, frozen %t: rings after %d hours", w.seed, frozen, list)
			if len(list) == 0 || list[0] < 1 {
				missed[frozen]++
			}
		}
	}
	if missed[true] > 0 || missed[false] > 2 {
		t.Errorf("does not ring within a day: %d times with frozen fits, %d with others", missed[true], missed[false])
	}
}

// In ten months in which prices move as the fits know the alarm hardly ever rings.
func TestHoursAlarmIsSilentForTenMonths(t *testing.T) {
	total := 0
	for seed := range uint64(10) {
		w := walk{seed: 201 + seed, assets: 64, hours: 7300}
		w.run(t)
		list, alarms := w.rings()
		t.Logf("seed %d: rings at the hours %d: %+v", w.seed, list, alarms)
		total += len(list)
	}
	if total > 1 {
		t.Errorf("rings %d times in ten times ten months", total)
	}
}
