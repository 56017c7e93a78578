package feed

import (
	"fmt"
	"testing"

	"ballast/marketcache"
)

// TestOddBars: closes that the next one undoes and wicks are left out, moves of a market are not; after a lasting jump
// by a unit what was before is. The mark decides about a newest close.
func TestOddBars(t *testing.T) {
	flat := func(closes ...float64) (bars []marketcache.Bar) {
		for i, c := range closes {
			bars = append(bars, marketcache.Bar{OpenMs: int64(i+1) * hourMs, Open: c, High: c, Low: c, Close: c})
		}
		return bars
	}
	wick := func(high, low float64) []marketcache.Bar {
		bars := flat(100, 100, 100)
		bars[1].High, bars[1].Low = high, low
		return bars
	}
	for _, c := range []struct {
		bars         []marketcache.Bar
		before, mark float64
		kept         string // hours
		odd          int64
		other        bool
	}{
		{flat(100, 20.1, 100), 0, 100, "[1 2 3]", 0, false},
		{flat(100, 499, 100), 0, 100, "[1 2 3]", 0, false},
		{flat(100, 501, 100), 0, 100, "[1 3]", 2, false},
		{flat(100, 0.1, 100), 0, 100, "[1 3]", 2, false},
		{flat(100, 1000, 7, 100), 0, 100, "[1 4]", 3, false},
		{flat(100, 900, 900), 0, 900, "[1 2 3]", 0, false}, // a market can do that
		{flat(100, 100, 1e5, 1e5), 0, 1e5, "[3 4]", 2, true},
		{flat(1e5, 1e5), 100, 1e5, "[1 2]", 0, true},
		{flat(1e5, 100), 100, 100, "[2]", 1, false},
		{flat(100, 1e5), 0, 100, "[1]", 2, false},
		{flat(100, 1e5), 0, 0, "[1]", 2, false}, // nothing tells whether it lasts
		{flat(100, 1e5), 0, 1e5, "[2]", 1, true},
		{wick(999, 10.1), 0, 100, "[1 2 3]", 0, false},
		{wick(1001, 100), 0, 100, "[1 3]", 2, false},
		{wick(100, 9.9), 0, 100, "[1 3]", 2, false},
	} {
		a := BarsAnswer{Bars: c.bars, NewestMs: c.bars[len(c.bars)-1].OpenMs, NewestClose: c.mark}
		other := a.setOddAside(c.before, c.mark)
		var kept []int64
		for _, b := range a.Bars {
			kept = append(kept, b.OpenMs/hourMs)
		}
		if fmt.Sprint(kept) != c.kept || a.OddMs != c.odd*hourMs || other != c.other {
			t.Errorf("%+v: %v, odd %d, %v", c, kept, a.OddMs/hourMs, other)
		}
	}
	if got := union(flat(1, 2, 3)[1:], flat(7, 8, 9, 10)); fmt.Sprint(got) != fmt.Sprint(flat(7, 2, 3, 10)) {
		t.Errorf("union: %v", got)
	}
}
