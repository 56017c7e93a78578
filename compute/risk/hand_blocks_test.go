package risk

import (
	"math"
	"testing"

	mc "ballast/marketcache"
)

func TestFundingByHand(t *testing.T) {
	cex := func(rate float64) *mc.CEXFunding { return &mc.CEXFunding{RateHourly: rate, Venues: 2} }
	type row struct {
		name                   string
		rate, mean             float64
		cex                    *mc.CEXFunding
		side                   Action
		annual, f24, divergent float64
		longsPay, pays         bool
	}
	long := func(name string, rate float64, cex *mc.CEXFunding, divergent float64) row { // at its mean
		return row{name, rate, rate, cex, ActionLong, 100 * 8760 * rate, 24 * rate, divergent, true, true}
	}
	rows := []row{
		long("at its mean: 24 hours cost 24 times the rate", 1.25e-5, nil, 0),
		{"the short receives", 1.25e-5, 1.25e-5, nil, ActionShort, -10.95, 3e-4, 0, true, false},
		{"negative: shorts pay", -1e-4, -1e-4, nil, ActionShort, 87.6, -24e-4, 0, false, true},
		// weight = 0.95*(1-0.95^24)/0.05 = 13.452...; mean 0
		{"reverts to the mean", 1e-4, 0, nil, ActionLong, 87.6, 1e-4 * 0.95 * (1 - math.Pow(0.95, 24)) / 0.05, 0, true,
			true},
		long("three times the exchanges'", 3e-5, cex(1e-5), 3),
		long("opposite signs", 3e-5, cex(-1e-5), -3),
		long("the exchanges' rate has a floor", 3e-5, cex(-1e-9), -30),
		long("minus zero too", 3e-5, cex(math.Copysign(0, -1)), 30),
		long("zero counts as positive", 3e-5, cex(0), 30),
		long("the ratio is bounded", 3e-4, cex(1e-6), 99),
		long("both negligible", 9e-7, cex(9e-7), 0),
		long("no exchange known", 3e-5, &mc.CEXFunding{RateHourly: 1e-5}, 0),
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(20_000, r.side, 10_000)
			m := &s.in.Target.Market
			m.Context.FundingRateHourly = r.rate
			m.Funding = &mc.FundingStats{Rows: 168, MeanHourly168: r.mean}
			m.CEX = r.cex
			f := s.assess(t).Funding
			about(t, "annualised", f.AnnualizedPct, r.annual, 1e-9)
			about(t, "F(24)", f.Expected24h, r.f24, 1e-15)
			about(t, "divergence", f.VsCEXDivergence, r.divergent, 1e-9)
			if f.LongsPay != r.longsPay || f.AgentPays != r.pays || !f.Known {
				t.Errorf("%+v", f)
			}
		})
	}
	t.Run("no rate: nothing", func(t *testing.T) {
		s := newSituation(20_000, ActionLong, 10_000)
		s.in.Target.Market.Context.HasFunding = false
		f := s.assess(t).Funding
		if f.Known || f.AgentPays || f.AnnualizedPct != 0 || f.Expected24h != 0 || f.VsCEXDivergence != 0 {
			t.Errorf("%+v", f)
		}
	})
	t.Run("without history the resting rate is the mean", func(t *testing.T) {
		s := newSituation(20_000, ActionLong, 10_000)
		s.in.Target.Market.Funding = &mc.FundingStats{}
		s.in.Target.Market.Context.FundingRateHourly = 0
		f := s.assess(t).Funding
		weight := 0.95 * (1 - math.Pow(0.95, 24)) / 0.05
		about(t, "F(24)", f.Expected24h, 1.25e-5*(24-weight), 1e-15)
	})
}

func TestOpenInterestByHand(t *testing.T) {
	rows := []struct {
		name         string
		change       func(m *mc.Market, f *mc.AssetModel)
		cap, utility float64
	}{
		{"one and a half times the highest seen", func(m *mc.Market, f *mc.AssetModel) {}, 6e9, 100.0 / 6},
		{"today's when nothing higher was seen", func(m *mc.Market, f *mc.AssetModel) {
			m.Interest = nil
		}, 1.5e9, 100 / 1.5},
		{"half the daily volume", func(m *mc.Market, f *mc.AssetModel) { f.VolumeUSD30d = 2e10 }, 1e10, 10},
		{"the floor", func(m *mc.Market, f *mc.AssetModel) {
			m.Interest, f.VolumeUSD30d, m.Context.OpenInterestUnits = nil, 0, 1e6/m.Context.MarkPrice
		}, 5e6, 20},
		{"published", func(m *mc.Market, f *mc.AssetModel) { a := *m.Asset; a.CapUSD = 2e9; m.Asset = &a }, 2e9, 50},
		{"published and exceeded", func(m *mc.Market, f *mc.AssetModel) {
			a := *m.Asset
			a.CapUSD = 5e8
			m.Asset = &a
		}, 5e8, 100},
		{"at the cap now", func(m *mc.Market, f *mc.AssetModel) { m.AtCap = true }, 1e9, 100},
		{"at the cap now, nothing open", func(m *mc.Market, f *mc.AssetModel) {
			m.AtCap, m.Context.OpenInterestUnits = true, 0
		}, 0, 100},
		{"nothing open", func(m *mc.Market, f *mc.AssetModel) { m.Context.OpenInterestUnits = 0 }, 6e9, 0},
		{"at the cap within 30 days", func(m *mc.Market, f *mc.AssetModel) {
			m.Interest = &mc.OpenInterestStats{MaxUSD180d: 4e9, AtCapUSD30d: 2e9}
		}, 2e9, 50},
		{"at the cap within 30 days, but higher now", func(m *mc.Market, f *mc.AssetModel) {
			m.Interest = &mc.OpenInterestStats{MaxUSD180d: 4e9, AtCapUSD30d: 9e8}
		}, 6e9, 100.0 / 6},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(20_000, ActionLong, 10_000)
			r.change(&s.in.Target.Market, s.in.Target.Model)
			oi := s.assess(t).OpenInterest
			about(t, "cap", oi.CapUSD, r.cap, 1e-3)
			about(t, "utilization", oi.UtilizationPct, r.utility, 1e-9)
		})
	}
}

func TestVaRByHand(t *testing.T) {
	s := newSituation(20_000, ActionLong, 60_000)
	s.in.Target.Market.Book = oneLevel(60_000, 2, 1e6)
	a := s.assess(t)
	v := a.VaR
	for what, pair := range map[string][2]float64{
		"95 24h": {v.Dollar95_24h, 2_400}, "99 24h": {v.Dollar99_24h, 3_720}, "99 4h": {v.Dollar99_4h, 1_860},
		"99 7d": {v.Dollar99_7d, 9_000}, "es 95": {v.ES95_24h, 5.6}, "es 99": {v.ES99_24h, 8},
		// Spread quantiles 3 and 4 bps: 60,000*1e-4*(S/2 + max(0, 2 - 4/2)).
		"lvar 95": {v.LVaR95_24h, 2_400 + 6*1.5}, "lvar 99": {v.LVaR99_24h, 3_720 + 6*2},
		"sigma 1d": {v.Forecast.Sigma1d, 0.025 * math.Sqrt(365)},
		"sigma 1h": {v.Forecast.Sigma1h, 0.025 * math.Sqrt(365)},
		"sigma 7d": {v.Forecast.Sigma7d, 0.025 * math.Sqrt(365)},
		"long run": {v.Forecast.LongRunSigma, math.Sqrt(2.6e-5 * 8760)},
	} {
		about(t, what, pair[0], pair[1], 1e-7)
	}
	t.Run("without samples two and three spreads", func(t *testing.T) {
		s.in.Target.Market.Samples = &mc.SampleStats{N: 99, SpreadBps95: 300, SpreadBps99: 300}
		v := s.assess(t).VaR
		about(t, "lvar 95", v.LVaR95_24h, 2_400+6*4, 1e-6) // 2*4 bps / 2
		about(t, "lvar 99", v.LVaR99_24h, 3_720+6*6, 1e-6)
	})
	t.Run("a large exit adds what it costs beyond the half spread", func(t *testing.T) {
		s := newSituation(20_000, ActionLong, 3e6) // fills three levels of 1 M USD at 1, 2 and 3 bps: 2 bps on average
		v := s.assess(t).VaR
		about(t, "lvar 99", v.LVaR99_24h-v.Dollar99_24h, 300*(2+1), 1)
	})
	t.Run("maxima between the figures", func(t *testing.T) {
		tail := &s.in.Target.Model.Tail
		tail[mc.H4][mc.Long][mc.P99].PctVaR = 9
		tail[mc.H24][mc.Long][mc.P99] = mc.TailQuantile{PctVaR: 6, PctES: 7}
		tail[mc.H168][mc.Long][mc.P99].PctVaR = 8
		v := s.assess(t).VaR
		if v.Pct99_4h != 9 || v.Pct99_24h != 9 || v.Pct99_7d != 9 || v.ES99_24h != 9 {
			t.Errorf("%+v", v)
		}
	})
	t.Run("no candle at all", func(t *testing.T) {
		s.in.Target.Model.Bars = 0
		if v := s.assess(t).VaR; v.HasForecast || v.Forecast != (VolatilityForecast{}) {
			t.Errorf("%+v", v)
		}
	})
}

// Impact is relative to the larger of yesterday's volume and the week's daily average;
// participation is relative to yesterday's volume, or to a quarter of the week's average if that is larger.
func TestImpactByHand(t *testing.T) {
	rows := []struct {
		name                          string
		day, week, bps, participation float64
	}{
		// (2/3)*0.025*sqrt(1e5/V)*1e4
		{"a quiet day in a busy week", 1e6, 7e9, 500.0 / 3 * 0.01, 100 * 1e5 / 2.5e8},
		{"a busy day", 1e9, 7e6, 500.0 / 3 * 0.01, 0.01},
		{"no volume today", 0, 7e9, 500.0 / 3 * 0.01, 100 * 1e5 / 2.5e8},
		{"no volume at all", 0, 0, 500.0 / 3 * 10, 1e6}, // of 1,000 USD; of 1 USD, bounded
		{"bounded", 1e-3, 0, 5000, 1e6},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(20_000, ActionLong, 1e5)
			s.in.Target.Market.Context.DayVolumeUSD, s.in.Target.Model.VolumeUSD7d = r.day, r.week
			i := s.assess(t).Impact
			about(t, "impact", i.ExpectedBps, r.bps, 1e-9)
			about(t, "participation", i.ParticipationPct, r.participation, 1e-9)
			s.in.Trade.SizeUSD /= 4
			if r.bps < 5000 {
				about(t, "a quarter of the size", s.assess(t).Impact.ExpectedBps, r.bps/2, 1e-9)
			}
		})
	}
}

// An account of which a dex could not be read is an estimate.
func TestUnreadDexIsAnEstimate(t *testing.T) {
	for _, unread := range [][]string{nil, {"xyz"}} {
		s := newSituation(20_000, ActionLong, 1_000)
		s.in.Account.Unread = unread
		var a account
		if a.read(&s.in); a.estimated != (unread != nil) {
			t.Errorf("%v unread: estimated %v", unread, a.estimated)
		}
	}
}

// The two scores that docs/model.md computes by hand.
func TestDocumentedScores(t *testing.T) {
	rows := []struct {
		name                       string
		sizeUSD, leverage, funding float64
		prob                       [3]float64
		distance                   float64
		scores                     [ComponentCount]float64
		base, interaction, regime  float64
		portfolio                  float64
		h1, probability, h7        float64
		week, h7b, score           float64
		verdict                    Recommendation
	}{
		{
			"50,000 at 10x", 50_000, 10, 1.25e-5, [3]float64{1, 0, 0}, 8.8486,
			[6]float64{41.90835, 42.2, 1.66667, 1.92, 17, 1.76777}, 27.44831, 0, 0,
			3 * (15.5 - 10) / 15, // 3,100 of 20,000 USD, between 10:0 and 25:3
			// 4,994 of margin less a day's funding of 0.0003*50,000 = 15: liquidation at 54,709.06,
			// ln(60,000/54,709.06)/0.025 = 3.692607, between 3.551 (1.5 %) and 4.026 (1 %).
			// Less a week's 105: at 54,818.43, 1.365481, between 1.365 (15 %) and 1.670 (10 %).
			0, 0.0132921, 22.6652, 0.149904, 40.9607, 40.9607, ProceedWithCaution,
		},
		{
			"300,000 at 20x", 300_000, 20, 6e-5, [3]float64{0.7, 0.25, 0.05}, 3.78532,
			[6]float64{75.12236, 71, 1.66667, 1.92, 60.36430, 4.33013}, 50.73776, 2.68159, 1.15,
			8 + 7*(93.0-50)/50, // 18,600, between 50:8 and 100:15
			// Funding of 6e-5 reverts to 1.25e-5: 6e-5*13.45221 + 1.25e-5*10.54779 = 9.38980e-4 a day, 281.69;
			// 6e-5*18.99656 + 1.25e-5*149.00344 = 3.00234e-3 a week, 900.70. 14,964 of margin less these:
			// at 57,785.86, 1.504017, between 1.452 (15 %) and 1.759 (10 %); at 57,911.23, 0.535700, between
			// 0.442 (60 %) and 0.569 (50 %).
			61.73581, 0.140041, 73.80287, 0.524483, 71, 73.8029, Abort,
		},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(20_000, ActionLong, r.sizeUSD)
			s.in.Trade.Mode, s.in.Trade.ModeGiven, s.in.Trade.Leverage = Isolated, true, r.leverage
			oneTier(&s.in.Target, 40)
			s.in.Target.Market.Book = oneLevel(60_000, 1.2, 1e6)
			s.in.Target.Market.Context.FundingRateHourly = r.funding
			s.in.Target.Model.RegimeProb = r.prob
			a := s.assess(t)
			x := &a.Explanation
			about(t, "distance", a.Liquidation.DistancePct, r.distance, 5e-5)
			for c, want := range r.scores {
				about(t, Component(c).String(), x.Scores[c], want, 5.1e-6)
			}
			about(t, "base", x.Base, r.base, 5.1e-6)
			about(t, "interaction", x.Interaction, r.interaction, 5.1e-6)
			about(t, "regime", x.Regime, r.regime, 1e-12)
			about(t, "portfolio", x.Portfolio, r.portfolio, 1e-9)
			about(t, "H1", x.HardRules[ruleLiquidation], r.h1, 5.1e-6)
			about(t, "probability", a.Liquidation.Probability24h, r.probability, 1e-6)
			about(t, "H7", x.HardRules[ruleProbability], r.h7, 5e-3)
			about(t, "probability of a week", a.Liquidation.Probability7d, r.week, 1e-6)
			about(t, "H7b", x.HardRules[ruleProbability7d], r.h7b, 1e-3)
			about(t, "score", a.RiskScore, r.score, 1e-3)
			if a.Recommendation != r.verdict || a.Flags.Empty() != (r.verdict == ProceedWithCaution) {
				t.Errorf("%s, flags %v", a.Recommendation, raised(&a.Flags))
			}
		})
	}
}
