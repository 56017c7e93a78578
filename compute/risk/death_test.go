package risk

import (
	"math"
	"testing"

	mc "ballast/marketcache"
)

// The loss at the liquidation price and after it, and the loss of a bad day, are those of the position's pool.
func TestLossAtLiquidation(t *testing.T) {
	for _, mode := range []Mode{Cross, Isolated} {
		for _, action := range []Action{ActionLong, ActionShort} {
			s := newSituation(40_000, action, 200_000)
			s.in.Trade.Mode, s.in.Trade.ModeGiven = mode, true
			a := s.assess(t)
			l, p := &a.Liquidation, &a.Position.After
			about(t, "loss at", l.PnLAtUSD, -p.SizeCoin*math.Abs(l.Price-testMark), 0.1) // rounded to the lot
			if l.PnLAfterUSD != -l.PoolEquityUSD || !(l.PnLAfterUSD < l.PnLAtUSD && l.PnLAtUSD < 0) {
				t.Errorf("%v: %+v", mode, l)
			}
			if want := 20_000.0; mode == Isolated && math.Abs(l.PoolEquityUSD-want) > 100 {
				t.Errorf("equity %v, want about %v", l.PoolEquityUSD, want)
			}
			if a.VaR.Loss99CappedUSD != min(a.VaR.Dollar99_24h, l.PoolEquityUSD) {
				t.Errorf("%v of %v, equity %v", a.VaR.Loss99CappedUSD, a.VaR.Dollar99_24h, l.PoolEquityUSD)
			}
			about(t, "funding", a.Funding.Cost24hUSD, p.Side*a.Funding.Expected24h*p.NotionalUSD, 0.1)
		}
	}
	none := newSituation(1_000_000, ActionLong, 200_000).assess(t)
	if l := &none.Liquidation; l.Price != 0 || l.PnLAtUSD != 0 || l.PnLAfterUSD != 0 || l.PoolEquityUSD < 999_000 {
		t.Errorf("out of reach: %+v", l)
	}
}

// A day's moves are the losses of both sides.
func TestDayMove(t *testing.T) {
	long := newSituation(40_000, ActionLong, 20_000).assess(t)
	short := newSituation(40_000, ActionShort, 20_000).assess(t)
	d := &long.Day
	if *d != short.Day || !d.Known || !d.HasExtreme {
		t.Errorf("%+v and %+v", d, short.Day)
	}
	want := [...]float64{-long.EVT.VaR999, -long.VaR.Pct99_24h, -long.VaR.Pct95_24h, short.VaR.Pct95_24h,
		short.VaR.Pct99_24h, short.EVT.VaR999}
	if got := [...]float64{d.Down999, d.Down99, d.Down95, d.Up95, d.Up99, d.Up999}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if !(d.Down95 <= d.Median && d.Median <= d.Up95) || DayMoveOf(nil).Known {
		t.Errorf("median %v", d.Median)
	}
}

// The ranges of four hours and of a week are the losses of the same horizons, of both sides.
func TestRanges(t *testing.T) {
	s := newSituation(40_000, ActionLong, 20_000)
	long, short := s.assess(t), newSituation(40_000, ActionShort, 20_000).assess(t)
	hours, week := RangesOf(s.in.Target.Model)
	if hours != (Range{-long.VaR.Pct99_4h, short.VaR.Pct99_4h}) ||
		week != (Range{-long.VaR.Pct99_7d, short.VaR.Pct99_7d}) {
		t.Errorf("%v and %v", hours, week)
	}
}

// A pool dies by the asset on which it loses most. One that is due for liquidation at today's prices dies by itself:
// its own name is given.
func TestDiedBy(t *testing.T) {
	names := testNames(3)
	alt := func(units float64) mc.Position { return holding(2, names[2], units, testMark/2, 10) }
	s := newSituation(5_000, ActionLong, 100)
	s.holds(alt(-60_000 / testMark))
	s.in.Held[0].Model.VolumeUSD7d = 7e6 // a thin listing
	a := s.assess(t)
	if squeeze := &a.Stress[squeezeScenario]; squeeze.Survives || squeeze.DiedBy != names[2] {
		t.Errorf("squeezed: %+v", squeeze)
	}
	s = newSituation(5_000, ActionLong, 90_000)
	s.holds(alt(20_000 / testMark))
	a = s.assess(t)
	for i := range a.Stress {
		r := &a.Stress[i]
		if r.Survives != (r.DiedBy == "") || !r.Survives && r.DiedBy != "BTC" {
			t.Errorf("%s: %+v", Scenarios[i].ID, r)
		}
	}
	s = newSituation(100, ActionLong, 10)
	s.holds(alt(60_000 / testMark))
	if r := &s.assess(t).Stress[squeezeScenario]; r.DiedBy != "main" {
		t.Errorf("below the maintenance margin: %+v", r)
	}
	s = newSituation(50_000, ActionLong, 20_000)
	s.in.Trade.Mode, s.in.Trade.ModeGiven = Isolated, true
	if r := &s.assess(t).Stress[5]; r.DiedBy != "BTC" {
		t.Errorf("isolated: %+v", r)
	}
}
