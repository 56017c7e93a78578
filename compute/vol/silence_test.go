package vol

import (
	"math"
	"testing"

	mc "ballast/marketcache"
)

// A market that never moved is no evidence of calm: it has the prior's variance and the pooled tails.
func TestFrozenAsset(t *testing.T) {
	s, b := NewState(mc.ClassCrypto), mc.Bar{OpenMs: 0, Open: 5, High: 5, Low: 5, Close: 5}
	for n := 1; n <= 3000; n++ {
		pushAll(t, s, []mc.Bar{b})
		b = FlatAfter(b)
		if n%250 == 0 {
			checkSane(t, s)
		}
	}
	none := NewState(mc.ClassCrypto)
	none.Await(s.NextHour())
	if got, want := s.Forecasts(&Scratch{}), none.Forecasts(&Scratch{}); got != want {
		t.Errorf("%+v, want the figures of an asset without bars, %+v", got, want)
	}
	if s.Excursions(&Scratch{}) != PooledExcursions {
		t.Error("knots differ from the pooled ones")
	}
	if got := s.VolatilityRegime(); got != mc.VolatilityLow {
		t.Errorf("regime %v", got)
	}
	if s.RangeToReturn() != 1 {
		t.Errorf("g = %v", s.RangeToReturn())
	}
}

// A market that moves, but hardly, has the floor's variance and tails that are not below the pooled ones.
func TestMarketAtTheFloor(t *testing.T) {
	s, b := NewState(mc.ClassCrypto), mc.Bar{OpenMs: 0, Open: 5, High: 5, Low: 5, Close: 5}
	for range 4000 {
		pushAll(t, s, []mc.Bar{b})
		b = FlatAfter(b)
		b.High *= 1 + 1e-9
	}
	for h, f := range s.Forecasts(&Scratch{}) {
		if !AtFloor(h, f.AverageVariance) || f.OwnWeight != 1 || f.Kappa2 != kappaLow {
			t.Errorf("%d h: %+v", mc.Horizons[h], f)
		}
		sd := math.Sqrt(f.Variance)
		for side := range mc.SideCount {
			for level := range mc.LevelCount {
				def := pooled[h][side][level]
				want := mc.TailQuantile{
					ZQ: -def.quantile, ZES: -def.es,
					PctVaR: LossPct(-def.quantile, side, sd), PctES: LossPct(-def.es, side, sd),
				}
				if got := f.Tail[side][level]; got != want {
					t.Errorf("%d h, %s %s: %+v, want %+v", mc.Horizons[h], sideNames[side], levelNames[level],
						got, want)
				}
			}
		}
	}
	if s.Excursions(&Scratch{}) != PooledExcursions {
		t.Error("knots differ from the pooled ones")
	}
}

// Without bars, the variance is the prior and the tail is the pooled one.
func TestNoBars(t *testing.T) {
	s := NewState(mc.ClassCrypto)
	checkSane(t, s)
	if s.Excursions(&Scratch{}) != PooledExcursions {
		t.Error("knots differ from the pooled ones")
	}
	if s.Memories() != [4]float64{PriorVariance, PriorVariance, PriorVariance, PriorVariance} {
		t.Error(s.Memories())
	}
	f := s.Forecast(mc.H24, &Scratch{})
	if f.Tail[mc.Long][mc.P99].ZQ != -2.874 || f.Kappa2 != 1.163 || s.VolatilityRegime() != mc.VolatilityHigh {
		t.Errorf("%+v", f)
	}
	const day = 0.90 * PriorVariance
	if !within(f.AverageVariance, 24*day, 1e-14, 0) || !within(f.Variance, 26.43*day, 1e-14, 0) {
		t.Errorf("variance %v, on average %v", f.Variance, f.AverageVariance)
	}
}
