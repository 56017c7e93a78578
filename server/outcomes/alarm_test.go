package outcomes

import (
	"fmt"
	"testing"
)

// hitIn is the unit of a position that was liquidated in an hour.
func hitIn(hour int64) *unit {
	return &unit{Count: 1, Probability: 0.03, Hits: map[int64]int{hour: 1}}
}

// hoursOf are decisions of one hour about a number of assets on both sides, one position each.
func hoursOf(assets int, change func(asset int, short bool) *unit) map[int64]tallied {
	t := tallied{}
	for i := range assets {
		for _, short := range []bool{false, true} {
			u := change(i, short)
			if u == nil {
				u = &unit{Count: 1, Probability: 0.03}
			}
			t.merge(name{1, fmt.Sprint("A", i), short}, u)
		}
	}
	return map[int64]tallied{hour0: t}
}

// What is an alarm, and what is none however large the share.
func TestWhatRaisesTheAlarm(t *testing.T) {
	const assets = 50
	for _, row := range []struct {
		what   string
		change func(asset int, short bool) *unit
		raised bool
	}{
		{"nothing happened", func(int, bool) *unit { return nil }, false},
		{"a crash: all longs within an hour", func(_ int, short bool) *unit {
			if short {
				return nil
			}
			return hitIn(hour0 + 5)
		}, false},
		{"a crash and a rebound", func(_ int, short bool) *unit {
			if short {
				return hitIn(hour0 + 9)
			}
			return hitIn(hour0 + 5)
		}, false},
		{"as many as promised, at all hours", func(i int, short bool) *unit {
			if i%17 != 0 || short {
				return nil
			}
			return hitIn(hour0 + int64(i)*24/assets)
		}, false},
		{"a quarter, on both sides and at all hours", func(i int, _ bool) *unit {
			if i%4 != 0 {
				return nil
			}
			return hitIn(hour0 + int64(i)*24/assets)
		}, true},
	} {
		a := judge(hoursOf(assets, row.change), hour0+1)
		if a.Raised() != row.raised || len(a) != promisedBands {
			t.Errorf("%s: %+v", row.what, a)
		}
	}
}

// A thousand answers about one trade are one, and so are those of one asset and side at all leverages.
func TestOneTradeCountsOnce(t *testing.T) {
	hours := map[int64]tallied{}
	for h := range int64(24) {
		hours[hour0+h] = tallied{}
		for range 100 {
			hours[hour0+h].merge(name{0, "BTC", false}, &unit{
				Count: 1, Probability: 0.0001, Hits: map[int64]int{hour0 + 20 + h/6: 1},
			})
		}
	}
	v := compare(hours, hour0+24, 0, 24)
	if v.Units != 1 || v.Mass < 0.999 || v.Mass > 1.001 || v.Events > 1.001 || v.Want != leastPromise || v.Raised {
		t.Errorf("%+v", v)
	}
}

// The alarm rings within a day of the first outcomes when prices move twice as far as the fits know: the first
// question after that is closed after 25 hours.
func TestAlarmRings(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := walk{seed: 1, assets: 64, doubled: true, frozen: true, hours: 73, before: 24, every: 3, leverages: leverages}
	w.run(t)
	hour, a := w.ring()
	if after := hour - start.UnixMilli()/hourMs; hour == 0 || after < 1 || after > 49 {
		t.Errorf("rings %d hours after the start: %+v", after, a)
	}
	for _, v := range a {
		t.Logf("%+v", v)
	}
}

// The alarm does not ring in a month in which prices move as the fits know.
func TestAlarmIsSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := walk{seed: 1, assets: 64, hours: 30 * 24, every: 24, leverages: leverages}
	w.run(t)
	if hour, a := w.ring(); hour != 0 {
		t.Errorf("rings at hour %d: %+v", hour-start.UnixMilli()/hourMs, a)
	}
	for band := range promisedBands {
		if w.n[band] < 1000 || w.want[band] == 0 {
			t.Errorf("%s: %g positions, %g expected", Bands[band], w.n[band], w.want[band])
		}
	}
}
