package sim

import (
	"testing"
	"time"
)

// Two exchanges with one seed have the same past, whenever each was started; a market that ran
// through an hour agrees with one started after that hour.
func TestRestartFindsTheSameWorld(t *testing.T) {
	early := newMarket(24, 24, 5, 1, testStart.UnixMilli())
	later := testStart.Add(7 * time.Hour).UnixMilli()
	fresh := newMarket(24, 24, 5, 1, later)
	early.step(later)
	for _, name := range []string{"BTC", "kPEPE", "CRCLX"} {
		a, b := early.byName[name], fresh.byName[name]
		if a.state.mid != b.state.mid {
			t.Errorf("%s: mid %v after living on, %v after a restart", name, a.state.mid, b.state.mid)
		}
		old, now := early.past(a), fresh.past(b)
		byHour := map[int64]bar{}
		for _, x := range old {
			byHour[x.openMs] = x
		}
		same := 0
		for _, x := range now {
			if y, has := byHour[x.openMs]; has {
				if x != y {
					t.Fatalf("%s hour %d: %+v and %+v", name, x.openMs, y, x)
				}
				same++
			}
		}
		if same < 4900 {
			t.Errorf("%s: only %d hours in common", name, same)
		}
		for _, x := range early.hourly(a, early.startMs, early.nowMs)[:7] { // the hours during which it ran
			if y := now[len(now)-7+int(x.openMs/hourMs-early.startHour)]; x != y {
				t.Errorf("%s hour %d: %+v, after a restart %+v", name, x.openMs, x, y)
			}
		}
	}
}
