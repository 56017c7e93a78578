package risk

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	mc "ballast/marketcache"
)

// notFinite returns the path of the first float in v that is not finite, "" if all are.
func notFinite(path string, v reflect.Value) string {
	switch v.Kind() {
	case reflect.Float64:
		if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprintf("%s = %v", path, x)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[MarketMove]() { // NaN: no such move
			return ""
		}
		for i := range v.NumField() {
			if s := notFinite(path+"."+v.Type().Field(i).Name, v.Field(i)); s != "" {
				return s
			}
		}
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			if s := notFinite(fmt.Sprintf("%s[%d]", path, i), v.Index(i)); s != "" {
				return s
			}
		}
	}
	return ""
}

// broken returns the first invariant that an assessment violates, "" if none.
func broken(a *Assessment) string {
	bounded := *a
	for _, x := range []*float64{&bounded.Margin.HeldMostUSD, &bounded.OpenOrders.HeldMostUSD} {
		if math.IsInf(*x, 1) { // no bound
			*x = 0
		}
	}
	for i := range bounded.Admissibility.Issues {
		if x := &bounded.Admissibility.Issues[i].FixDepositProbability24h; math.IsNaN(*x) { // not known
			*x = 0
		}
	}
	if s := notFinite("", reflect.ValueOf(bounded)); s != "" {
		return "not finite: " + s
	}
	type bound struct {
		what      string
		x, lo, hi float64
	}
	bounds := []bound{
		{"score", a.RiskScore, 0, 100},
		{"slippage", a.Slippage.Bps, 0, maxSlippageBps},
		{"fill", a.Slippage.FillPrice, 0, math.MaxFloat64},
		{"imbalance", a.Slippage.Imbalance, -1, 1},
		{"depth", a.Slippage.Depth100Bps, a.Slippage.Depth50Bps * (1 - 1e-12), math.MaxFloat64},
		{"price", a.Liquidation.Price, 0, math.MaxFloat64},
		{"distance", a.Liquidation.DistancePct, 0, 100},
		{"margin used", a.Liquidation.MarginUsedPct, 0, maxMarginUsedPct},
		{"effective leverage", a.Liquidation.EffectiveLeverage, 0, maxEffectiveLeverage},
		{"probability of a day", a.Liquidation.Probability24h, 0, 1},
		{"probability of a week", a.Liquidation.Probability7d, a.Liquidation.Probability24h, 1},
		{"maintenance ratio", a.Margin.After.MaintenanceRatioPct, 0, maxMaintenanceRatioPct},
		{"free margin", a.Margin.After.Free, 0, math.MaxFloat64},
		{"total P&L percent", a.PortfolioStress.TotalPnLPct, -100, math.MaxFloat64},
		{"divergence", a.Funding.VsCEXDivergence, -maxDivergence, maxDivergence},
		{"impact", a.Impact.ExpectedBps, 0, maxImpactBps},
		{"participation", a.Impact.ParticipationPct, 0, maxParticipationPct},
		{"utilization", a.OpenInterest.UtilizationPct, 0, 100},
		{"99 over 95", a.VaR.Pct99_24h, a.VaR.Pct95_24h, 500},
		{"24 h over 4 h", a.VaR.Pct99_24h, a.VaR.Pct99_4h, 500},
		{"7 d over 24 h", a.VaR.Pct99_7d, a.VaR.Pct99_24h, 500},
		{"ES over VaR 95", a.VaR.ES95_24h, a.VaR.Pct95_24h, 500},
		{"ES over VaR 99", a.VaR.ES99_24h, a.VaR.Pct99_24h, 500},
		{"LVaR over VaR 95", a.VaR.LVaR95_24h, a.VaR.Dollar95_24h, math.MaxFloat64},
		{"LVaR over VaR 99", a.VaR.LVaR99_24h, a.VaR.Dollar99_24h, math.MaxFloat64},
		{"round trip over entry", a.Cost.RoundTripBps, a.Cost.EntryBps, math.MaxFloat64},
		{"cost score", a.Cost.Score, 0, 1},
		{"max safe", a.Sizing.MaxSafeUSD, 0, MaxSizeUSD},
		{"suggested", a.Sizing.SuggestedUSD, 0, a.Sizing.MaxSafeUSD},
		{"interaction", a.Explanation.Interaction, 0, maxInteraction},
		{"floor under raw", a.Explanation.RawScore, 0, 100},
	}
	if p := &a.PortfolioRisk; p.Known {
		bounds = append(bounds, bound{"book ES over VaR", p.ES99, p.VaR99, math.MaxFloat64})
		for _, d := range p.TailDependence {
			bounds = append(bounds, bound{"lambda", d.Lambda, 0, 1}, bound{"pearson", d.Pearson, -1, 1},
				bound{"nu", d.Nu, 2.05, 40})
		}
		if m := &p.Simulation; m.Known {
			bounds = append(bounds, bound{"simulated ES over VaR 95", m.ES95, m.VaR95, math.MaxFloat64},
				bound{"simulated ES over VaR 99", m.ES99, m.VaR99, math.MaxFloat64},
				bound{"99 over 95", m.VaR99, m.VaR95, math.MaxFloat64},
				bound{"liquidation probability", m.LiquidationProbability, 0, 1})
		}
	}
	if m := &a.MonteCarlo; m.Known {
		bounds = append(bounds, bound{"MC ES over VaR 95", m.ES95, m.VaR95, math.MaxFloat64},
			bound{"MC ES over VaR 99", m.ES99, m.VaR99, math.MaxFloat64},
			bound{"MC median", m.Median, m.Lower, m.Upper}, bound{"MC worst", m.Worst, -math.MaxFloat64, m.Lower})
	}
	if a.EVT.Known {
		bounds = append(bounds, bound{"99.9 over 99", a.EVT.VaR999, a.VaR.Pct99_24h, 500},
			bound{"ES over VaR 99.9", a.EVT.ES999, a.EVT.VaR999, 500})
	}
	if d := &a.Drawdown; d.Known {
		bounds = append(bounds, bound{"trailing stop", d.TrailingStopPct, 0, 50},
			bound{"stop", d.StopLossPct, 0, math.MaxFloat64}, bound{"largest drawdown", d.MaxPct, d.CurrentPct, 100})
	}
	if x := &a.Attribution; x.Known {
		total := 0.0
		for _, p := range x.Positions {
			total += p.ComponentVaR
		}
		bounds = append(bounds, bound{"diversification", x.DiversificationPct, 0, 100})
		if math.Abs(total-x.TotalVaR99) > 1e-9*x.TotalVaR99 && total != 0 {
			return fmt.Sprintf("components add up to %v of %v", total, x.TotalVaR99)
		}
	}
	bounds = append(bounds, bound{"touch probability", a.Greeks.TouchProbability, 0, 1},
		bound{"regime confidence", a.Regime.Confidence, 0, 1})
	for i, s := range a.Stress {
		bounds = append(bounds,
			bound{Scenarios[i].ID + " distance", s.LiquidationDistancePct, 0, 100},
			bound{Scenarios[i].ID + " liquidity", s.LiquidityCostPct, 0, maxLiquidityCost})
		if s.Survives && !(s.LiquidationDistancePct > 0) {
			return Scenarios[i].ID + " survives at no distance"
		}
	}
	for _, b := range bounds {
		if !(b.x >= b.lo && b.x <= b.hi) {
			return fmt.Sprintf("%s = %v outside [%v, %v]", b.what, b.x, b.lo, b.hi)
		}
	}
	if a.OpenInterest.AtCap && a.OpenInterest.UtilizationPct != 100 {
		return "at the cap and not full"
	}
	for f := range FlagCount {
		if !a.Flags.Has(f) && (a.Flags.Value[f] != 0 || a.Flags.Threshold[f] != 0) {
			return "a figure behind a flag that is not raised: " + f.String()
		}
	}
	return ""
}

// wantSound fails the test when an assessment violates an invariant.
func wantSound(t testing.TB, a *Assessment) {
	t.Helper()
	if why := broken(a); why != "" {
		t.Error(why)
	}
}

// logUniform draws a number between lo and hi, uniform in the logarithm.
func logUniform(t *rapid.T, label string, lo, hi float64) float64 {
	return math.Exp(rapid.Float64Range(math.Log(lo), math.Log(hi)).Draw(t, label))
}

func drawBook(t *rapid.T, mark float64) *mc.Book {
	mid := mark * rapid.Float64Range(0.98, 1.02).Draw(t, "mid over mark")
	half := mid * logUniform(t, "half spread", 1e-6, 3e-2)
	if rapid.IntRange(0, 9).Draw(t, "crossed") == 0 {
		half = -half
	}
	usd := logUniform(t, "usd a level", 1, 1e7)
	side := func(dir float64) (out []mc.Level) {
		price := mid + dir*half
		for range rapid.IntRange(0, 20).Draw(t, "levels") {
			if price > 0 {
				out = append(out, mc.Level{Price: price, Units: usd * rapid.Float64Range(0.1, 3).Draw(t, "share") /
					price})
			}
			price += dir * mid * logUniform(t, "step", 1e-6, 1e-2)
		}
		return out
	}
	return mc.MergeBooks([][]mc.Level{side(-1)}, [][]mc.Level{side(+1)}, 0)
}

// drawInput draws the snapshot of an asset: any mark, any book, any consistent fit.
func drawInput(t *rapid.T, id mc.AssetID, name string) AssetInput {
	mark := logUniform(t, "mark", 1e-5, 1e5)
	in := testInput(id, name, mark)
	m, f := &in.Market, in.Model
	m.Book = drawBook(t, mark)
	lev := float64(rapid.IntRange(2, 50).Draw(t, "maximum leverage"))
	lower := []float64{0}
	levs := []float64{lev}
	for range rapid.IntRange(0, 2).Draw(t, "more tiers") {
		lower = append(lower, lower[len(lower)-1]*2+logUniform(t, "bound", 1e3, 1e8))
		levs = append(levs, max(1, math.Floor(levs[len(levs)-1]/2)))
	}
	m.Asset.MaxLeverage, m.Asset.Tiers = lev, mc.NewTiers(lower, levs)
	if rapid.Bool().Draw(t, "published cap") {
		m.Asset.CapUSD = logUniform(t, "cap", 1e5, 1e10)
	}
	if rapid.IntRange(0, 9).Draw(t, "builder") == 0 {
		m.Asset.Dex = "xyz"
	}
	m.AtCap = rapid.IntRange(0, 9).Draw(t, "at cap") == 0
	c := m.Context
	c.OpenInterestUnits = rapid.SampledFrom([]float64{0, 1e3, 1e6, 1e9}).Draw(t, "open interest") / mark
	c.DayVolumeUSD = rapid.SampledFrom([]float64{0, 1, 1e5, 1e8, 1e10}).Draw(t, "volume")
	c.HasFunding = rapid.IntRange(0, 5).Draw(t, "funding known") > 0
	c.FundingRateHourly = rapid.Float64Range(-1e-3, 1e-3).Draw(t, "funding")
	if rapid.Bool().Draw(t, "no exchanges") {
		m.CEX = nil
	} else {
		m.CEX = &mc.CEXFunding{RateHourly: rapid.Float64Range(-1e-4, 1e-4).Draw(t, "exchanges"), Venues: 2}
	}
	if rapid.Bool().Draw(t, "no samples") {
		m.Samples = nil
	}
	if rapid.Bool().Draw(t, "no interest") {
		m.Interest = nil
	}
	for h := range mc.HorizonCount {
		sd := logUniform(t, "sigma", 1e-3, 0.5)
		f.Variance[h], f.Kappa2[h] = sd*sd, rapid.Float64Range(0.25, 4).Draw(t, "kappa2")
		for s := range mc.SideCount {
			ceiling := []float64{100, 500}[s]
			v95 := min(rapid.Float64Range(0, 3).Draw(t, "q95")*100*sd, ceiling)
			v99 := min(v95*rapid.Float64Range(1, 2).Draw(t, "q99"), ceiling)
			f.Tail[h][s][mc.P95] = mc.TailQuantile{PctVaR: v95, PctES: min(v95*1.4, ceiling)}
			f.Tail[h][s][mc.P99] = mc.TailQuantile{PctVaR: v99, PctES: min(v99*1.3, ceiling)}
		}
	}
	f.Bars = rapid.SampledFrom([]int{0, 10, 719, 2000, 9000}).Draw(t, "bars")
	for _, series := range []*mc.HourlySeries{&f.Z24, &f.Low24, &f.High24} { // drops outcomes, to align faster
		series.FirstHour, series.Values = series.FirstHour+7261, series.Values[7261:]
	}
	if f.Bars < 720 {
		f.Low24.Values, f.High24.Values = nil, nil
		f.Z24.Values, f.U1.Values, f.Z24Sorted, f.Innovations, f.Daily = nil, nil, nil, nil, nil
	}
	f.HasExtreme, f.Drawdown.Known = f.Bars >= 24, f.Bars >= 30
	for s := range f.Extreme {
		f.Extreme[s] = mc.ExtremeTail{
			U: rapid.Float64Range(-1, 5).Draw(t, "u"), Beta: logUniform(t, "beta", 1e-6, 10),
			Xi: rapid.Float64Range(0.05, 0.5).Draw(t, "xi"),
		}
	}
	f.K2Hourly, f.RangeToReturn = rapid.Float64Range(0.25, 4).Draw(t, "k2"), logUniform(t, "g", 0.1, 10)
	f.MomentMatch = rapid.Float64Range(0.5, 2).Draw(t, "c")
	f.Drawdown.ATR = mark * logUniform(t, "atr", 1e-6, 10)
	f.VolumeUSD7d, f.VolumeUSD30d = 7*c.DayVolumeUSD, c.DayVolumeUSD
	p := rapid.Float64Range(0, 1).Draw(t, "crisis")
	f.RegimeProb = [3]float64{(1 - p) / 2, (1 - p) / 2, p}
	f.RegimeState = mc.LiquidityRegime(rapid.IntRange(0, 2).Draw(t, "regime"))
	return in
}

func drawPosition(t *rapid.T, id mc.AssetID, name string, in *AssetInput) mc.Position {
	read := in.Market.Context.MarkPrice * rapid.Float64Range(0.97, 1.03).Draw(t, "read mark over mark")
	usd := logUniform(t, "position", 1, 1e7)
	p := holding(id, name, usd/read, read, float64(rapid.IntRange(1, 40).Draw(t, "position leverage")))
	p.MaxLeverage = in.Market.Asset.MaxLeverage
	if rapid.IntRange(0, 9).Draw(t, "own table") == 0 {
		p.MaxLeverage = 3
	}
	if rapid.Bool().Draw(t, "short") {
		p.Units = -p.Units
	}
	if rapid.IntRange(0, 2).Draw(t, "isolated") == 0 {
		p = isolatedAt(p, usd*rapid.Float64Range(-0.1, 1).Draw(t, "isolated equity"))
	} else if rapid.Bool().Draw(t, "quoted") {
		p.LiquidationPrice = read * rapid.Float64Range(0.3, 1.7).Draw(t, "quoted price")
	}
	return p
}

// drawSituation draws a random snapshot and trade.
func drawSituation(t *rapid.T) *situation {
	s := &situation{Input{Target: drawInput(t, 0, "BTC"), Account: &mc.Account{
		Mode:                 mc.AccountMode(rapid.IntRange(0, 4).Draw(t, "account mode")),
		CrossAccountValueUSD: rapid.SampledFrom([]float64{-100, 0, 0.005, 1, 1e3, 1e5, 1e9}).Draw(t, "account value"),
		SpotUSDC:             1000,
		TakerRate:            rapid.Float64Range(0, 1e-3).Draw(t, "taker"),
	}}}
	s.in.Trade = Trade{
		Action:  Action(rapid.IntRange(0, 2).Draw(t, "action")),
		SizeUSD: logUniform(t, "size", 1e-3, MaxSizeUSD),
		Mode:    Mode(rapid.IntRange(0, 1).Draw(t, "mode")), ModeGiven: true,

		MonteCarlo: rapid.IntRange(0, 3).Draw(t, "monte carlo") == 0,
	}
	if rapid.Bool().Draw(t, "leverage given") {
		s.in.Trade.Leverage = rapid.Float64Range(1, s.in.Target.Market.Asset.MaxLeverage).Draw(t, "leverage")
	}
	if rapid.Bool().Draw(t, "rows") {
		s.in.Rows = s.in.Target.Model
	}
	s.in.AsHeld = rapid.IntRange(0, 6).Draw(t, "as held") == 0
	s.in.Stale = rapid.IntRange(0, 6).Draw(t, "stale") == 0
	names := testNames(5)
	for i := range names {
		if rapid.Bool().Draw(t, "holds "+names[i]) {
			in := s.in.Target
			if i > 0 {
				in = drawInput(t, mc.AssetID(i), names[i])
			}
			s.in.Account.Positions = append(s.in.Account.Positions, drawPosition(t, mc.AssetID(i), names[i], &in))
			s.in.Held = append(s.in.Held, in)
		}
	}
	return s
}

// For every state: all figures are finite and within bounds, a close is never blocked, and the same
// snapshot gives the same answer.
func TestAnyState(t *testing.T) {
	e := NewEngine(DefaultAges())
	fresh, used := NewScratch(8), NewScratch(0)
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSituation(rt)
		tie(&s.in)
		fresh.In, used.In = s.in, s.in
		e.Assess(fresh)
		a := &fresh.Out
		if why := broken(a); why != "" {
			rt.Fatal(why)
		}
		if fresh.view.plan.increaseUSD == 0 && !s.in.AsHeld && (a.RiskScore > 30 || a.Recommendation != Proceed) {
			rt.Fatalf("a reduction scores %v, %s", a.RiskScore, a.Recommendation)
		}
		if s.in.Stale != a.Flags.Has(FlagStaleMarketData) {
			rt.Fatal("stale data is not flagged")
		}
		e.Assess(used) // with a scratch used for something else before
		if !alike(a, &used.Out) {
			rt.Fatalf("one snapshot gives two answers:\n%+v\n%+v", *a, used.Out)
		}
		if e.Assess(fresh); !alike(a, &used.Out) {
			rt.Fatal("assessing a scratch twice changes the answer")
		}
	})
}

// assessed returns the answer to a situation, within a rapid test.
func assessed(s *situation) *Assessment {
	scratch := NewScratch(4)
	scratch.In = s.in
	tie(&scratch.In)
	NewEngine(DefaultAges()).Assess(scratch)
	return &scratch.Out
}

// opening draws a situation without a position in the target asset, so that the trade opens one.
func opening(t *rapid.T) *situation {
	s := drawSituation(t)
	s.in.AsHeld = false
	s.in.Trade.Action = Action(rapid.IntRange(0, 1).Draw(t, "long or short"))
	if len(s.in.Held) > 0 && s.in.Account.Positions[0].Asset == 0 {
		s.in.Held, s.in.Account.Positions = s.in.Held[1:], s.in.Account.Positions[1:]
	}
	return s
}

// A larger opening trade never has a lower cost per unit or a lower risk.
func TestLargerIsNotCheaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := opening(t)
		a := assessed(s)
		s.in.Trade.SizeUSD = min(MaxSizeUSD, s.in.Trade.SizeUSD*rapid.Float64Range(1, 10).Draw(t, "times"))
		b := assessed(s)
		for what, pair := range map[string][2]float64{
			"slippage":  {a.Slippage.Bps, b.Slippage.Bps},
			"impact":    {a.Impact.ExpectedBps, b.Impact.ExpectedBps},
			"VaR USD":   {a.VaR.Dollar99_24h, b.VaR.Dollar99_24h},
			"VaR 7d":    {a.VaR.Dollar99_7d, b.VaR.Dollar99_7d},
			"LVaR":      {a.VaR.LVaR99_24h, b.VaR.LVaR99_24h},
			"fee":       {a.Fees.EstimatedUSD * (1 - 1e-9), b.Fees.EstimatedUSD},
			"entry":     {a.Cost.EntryBps, b.Cost.EntryBps},
			"cost":      {a.Cost.Score, b.Cost.Score},
			"increase":  {a.Explanation.Raw[ComponentOI][1], b.Explanation.Raw[ComponentOI][1]},
			"suggested": {b.Sizing.SuggestedUSD * (1 - 1e-9), a.Sizing.SuggestedUSD * (1 + 1e-9)},
		} {
			if pair[1] < pair[0]-1e-9*math.Abs(pair[0])-1e-12 {
				t.Fatalf("%s falls from %v to %v with the size", what, pair[0], pair[1])
			}
		}
	})
}

// The score never falls when one input gets worse and nothing else switches: neither the margin
// tier (a larger position may be forced to lower leverage), nor whether the margin suffices (higher
// leverage posts less), nor whether there is any equity.
func TestScoreNeverFalls(t *testing.T) {
	sequential(t)
	worse := map[string]func(t *rapid.T, s *situation){
		"size": func(t *rapid.T, s *situation) {
			s.in.Trade.SizeUSD = min(MaxSizeUSD, s.in.Trade.SizeUSD*rapid.Float64Range(1, 10).Draw(t, "times"))
		},
		"leverage": func(t *rapid.T, s *situation) {
			s.in.Trade.Leverage = rapid.Float64Range(s.in.Trade.Leverage, s.in.Target.Market.Asset.MaxLeverage).Draw(t,
				"more leverage")
		},
		"depth": func(t *rapid.T, s *situation) {
			f := rapid.Float64Range(0.01, 1).Draw(t, "depth left")
			thin := func(side *mc.Side) (out []mc.Level) {
				before := 0.0
				for i, p := range side.Price {
					out = append(out, mc.Level{Price: p, Units: (side.CumUnits[i] - before) * f})
					before = side.CumUnits[i]
				}
				return out
			}
			b := s.in.Target.Market.Book
			s.in.Target.Market.Book = mc.MergeBooks([][]mc.Level{thin(&b.Bids)}, [][]mc.Level{thin(&b.Asks)}, 0)
		},
		"volatility": func(t *rapid.T, s *situation) {
			f := rapid.Float64Range(1, 3).Draw(t, "times")
			m := *s.in.Target.Model
			for h := range m.Variance {
				m.Variance[h] *= f * f
				for side := range m.Tail[h] {
					for level := range m.Tail[h][side] {
						p := &m.Tail[h][side][level]
						p.PctVaR, p.PctES = min(f*p.PctVaR, []float64{100, 500}[side]),
							min(f*p.PctES, []float64{100, 500}[side])
					}
				}
			}
			s.in.Target.Model = &m
		},
		"funding": func(t *rapid.T, s *situation) {
			c := *s.in.Target.Market.Context
			move := rapid.Float64Range(0, 1e-3).Draw(t, "dearer by")
			if s.in.Trade.Action == ActionShort {
				move = -move
			}
			c.FundingRateHourly += move
			s.in.Target.Market.Context = &c
		},
		"equity": func(t *rapid.T, s *situation) {
			s.in.Account.CrossAccountValueUSD *= rapid.Float64Range(0.01, 1).Draw(t, "equity left")
		},
	}
	for what, change := range worse {
		t.Run(what, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := opening(t)
				s.in.Account.Mode, s.in.Account.Positions, s.in.Held = mc.ModeDisabled, nil, nil
				s.in.Account.CrossAccountValueUSD = logUniform(t, "equity", 10, 1e8)
				s.in.Trade.MonteCarlo = false
				s.in.Trade.Leverage = rapid.Float64Range(1, s.in.Target.Market.Asset.MaxLeverage).Draw(t,
					"leverage used")
				if !s.in.Target.Market.Book.TwoSided() {
					s.in.Target.Market.Book = testBook(s.in.Target.Market.Context.MarkPrice, 1e5)
				}
				a := *assessed(s)
				change(t, s)
				b := assessed(s)
				if a.Explanation.HardRules[2] > b.Explanation.HardRules[2] ||
					a.Flags.Has(FlagTierLeverageExceeded) != b.Flags.Has(
						FlagTierLeverageExceeded) ||
					a.Flags.Has(FlagNoAccountEquity) != b.Flags.Has(FlagNoAccountEquity) ||
					b.Flags.Has(FlagTierLeverageExceeded) {
					return
				}
				if b.RiskScore < a.RiskScore-1e-4 {
					t.Fatalf("the score falls from %v to %v\n%+v\n%+v", a.RiskScore, b.RiskScore, a.Explanation,
						b.Explanation)
				}
			})
		})
	}
}

// With more leverage on an isolated position, liquidation is never farther away.
func TestLeverageBringsLiquidationNearer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := opening(t)
		s.in.Trade.Mode = Isolated // named by every drawn trade
		top := s.in.Target.Market.Asset.MaxLeverage
		lo := rapid.Float64Range(1, top).Draw(t, "less")
		hi := rapid.Float64Range(lo, top).Draw(t, "more")
		s.in.Trade.Leverage = lo
		a := assessed(s)
		s.in.Trade.Leverage = hi
		b := assessed(s)
		if b.Liquidation.DistancePct > a.Liquidation.DistancePct+1e-9 {
			t.Fatalf("%v %% away at %vx, %v %% at %vx", a.Liquidation.DistancePct, lo, b.Liquidation.DistancePct, hi)
		}
		if b.VaR.MarginVaR99Pct < a.VaR.MarginVaR99Pct {
			t.Fatalf("margin VaR falls from %v to %v", a.VaR.MarginVaR99Pct, b.VaR.MarginVaR99Pct)
		}
	})
}
