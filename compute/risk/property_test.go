package risk

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"ballast/compute/calib"
	"ballast/compute/joint"
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

// bound is a figure with its limits.
type bound struct {
	what      string
	x, lo, hi float64
}

// figureBounds are the limits of the figures that every assessment has.
func figureBounds(a *Assessment) []bound {
	const most = math.MaxFloat64
	bounds := []bound{
		{"score", a.RiskScore, 0, 100},
		{"slippage", a.Slippage.Bps, 0, maxSlippageBps},
		{"fill", a.Slippage.FillPrice, 0, most},
		{"imbalance", a.Slippage.Imbalance, -1, 1},
		{"depth", a.Slippage.Depth100Bps, a.Slippage.Depth50Bps * (1 - 1e-12), most},
		{"price", a.Liquidation.Price, 0, most},
		{"distance", a.Liquidation.DistancePct, 0, 100},
		{"margin used", a.Liquidation.MarginUsedPct, 0, maxMarginUsedPct},
		{"effective leverage", a.Liquidation.EffectiveLeverage, 0, maxEffectiveLeverage},
		{"probability of a day", a.Liquidation.Probability24h, 0, 1},
		{"probability of a week", a.Liquidation.Probability7d, a.Liquidation.Probability24h, 1},
		{"maintenance ratio", a.Margin.After.MaintenanceRatioPct, 0, maxMaintenanceRatioPct},
		{"free margin", a.Margin.After.Free, 0, most},
		{"total P&L percent", a.PortfolioStress.TotalPnLPct, -100, most},
		{"divergence", a.Funding.VsCEXDivergence, -maxDivergence, maxDivergence},
		{"impact", a.Impact.ExpectedBps, 0, maxImpactBps},
		{"participation", a.Impact.ParticipationPct, 0, maxParticipationPct},
		{"utilization", a.OpenInterest.UtilizationPct, 0, 100},
		{"99 over 95", a.VaR.Pct99_24h, a.VaR.Pct95_24h, 500},
		{"24 h over 4 h", a.VaR.Pct99_24h, a.VaR.Pct99_4h, 500},
		{"7 d over 24 h", a.VaR.Pct99_7d, a.VaR.Pct99_24h, 500},
		{"ES over VaR 95", a.VaR.ES95_24h, a.VaR.Pct95_24h, 500},
		{"ES over VaR 99", a.VaR.ES99_24h, a.VaR.Pct99_24h, 500},
		{"LVaR over VaR 95", a.VaR.LVaR95_24h, a.VaR.Dollar95_24h, most},
		{"LVaR over VaR 99", a.VaR.LVaR99_24h, a.VaR.Dollar99_24h, most},
		{"round trip over entry", a.Cost.RoundTripBps, a.Cost.EntryBps, most},
		{"cost score", a.Cost.Score, 0, 1},
		{"max safe", a.Sizing.MaxSafeUSD, 0, MaxSizeUSD},
		{"suggested", a.Sizing.SuggestedUSD, 0, a.Sizing.MaxSafeUSD},
		{"interaction", a.Explanation.Interaction, 0, maxInteraction},
		{"floor under raw", a.Explanation.RawScore, 0, 100},
		{"touch probability", a.Greeks.TouchProbability, 0, 1},
		{"regime confidence", a.Regime.Confidence, 0, 1},
	}
	for i, s := range a.Stress {
		bounds = append(bounds,
			bound{Scenarios[i].ID + " distance", s.LiquidationDistancePct, 0, 100},
			bound{Scenarios[i].ID + " liquidity", s.LiquidityCostPct, 0, maxLiquidityCost})
	}
	return bounds
}

// blockBounds are the limits of the figures of blocks that an assessment may lack.
func blockBounds(a *Assessment) (bounds []bound) {
	const most = math.MaxFloat64
	if p := &a.PortfolioRisk; p.Known {
		bounds = append(bounds, bound{"book ES over VaR", p.ES99, p.VaR99, most})
		for _, d := range p.TailDependence {
			bounds = append(bounds, bound{"lambda", d.Lambda, 0, 1}, bound{"pearson", d.Pearson, -1, 1},
				bound{"nu", d.Nu, 2.05, 40})
		}
		if m := &p.Simulation; m.Known {
			bounds = append(bounds, bound{"simulated ES over VaR 95", m.ES95, m.VaR95, most},
				bound{"simulated ES over VaR 99", m.ES99, m.VaR99, most},
				bound{"simulated 99 over 95", m.VaR99, m.VaR95, most},
				bound{"liquidation probability", m.LiquidationProbability, 0, 1})
		}
	}
	if m := &a.MonteCarlo; m.Known {
		bounds = append(bounds, bound{"MC ES over VaR 95", m.ES95, m.VaR95, most},
			bound{"MC ES over VaR 99", m.ES99, m.VaR99, most},
			bound{"MC median", m.Median, m.Lower, m.Upper}, bound{"MC worst", m.Worst, -most, m.Lower})
	}
	if a.EVT.Known {
		bounds = append(bounds, bound{"99.9 over 99", a.EVT.VaR999, a.VaR.Pct99_24h, 500},
			bound{"ES over VaR 99.9", a.EVT.ES999, a.EVT.VaR999, 500})
	}
	if d := &a.Drawdown; d.Known {
		bounds = append(bounds, bound{"trailing stop", d.TrailingStopPct, 0, 50},
			bound{"stop", d.StopLossPct, 0, most}, bound{"largest drawdown", d.MaxPct, d.CurrentPct, 100})
	}
	if x := &a.Attribution; x.Known {
		bounds = append(bounds, bound{"diversification", x.DiversificationPct, 0, 100})
	}
	return bounds
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
	for _, b := range append(figureBounds(a), blockBounds(a)...) {
		if !(b.x >= b.lo && b.x <= b.hi) {
			return fmt.Sprintf("%s = %v outside [%v, %v]", b.what, b.x, b.lo, b.hi)
		}
	}
	total := 0.0
	for _, p := range a.Attribution.Positions {
		total += p.ComponentVaR
	}
	if all := a.Attribution.TotalVaR99; math.Abs(total-all) > 1e-9*all && total != 0 {
		return fmt.Sprintf("components add up to %v of %v", total, all)
	}
	for i, s := range a.Stress {
		if s.Survives && !(s.LiquidationDistancePct > 0) {
			return Scenarios[i].ID + " survives at no distance"
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

// A larger opening trade never has a lower cost per unit or a lower risk.
func TestMustNotBeCheaperWhenLarger(t *testing.T) {
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		r.opens(in)
		a := *answer(e, s, in)
		in.Trade.SizeUSD = min(MaxSizeUSD, in.Trade.SizeUSD*(1+9*r.Float64()))
		b := answer(e, s, in)
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
				return fmt.Sprintf("%s falls from %v to %v with the size", what, pair[0], pair[1])
			}
		}
		return ""
	})
}

// The score of an opening trade never falls with a thinner book, more volatility or dearer funding, unless the
// margin no longer is short or the account no longer empty.
func TestMustNotGainFromAWorseMarket(t *testing.T) {
	for what, change := range map[string]func(in *Input, r dice){
		"depth": func(in *Input, r dice) {
			left := r.log(0.01, 1)
			thin := func(side *mc.Side) (out []mc.Level) {
				for i, p := range side.Price {
					out = append(out, mc.Level{Price: p, Units: side.Units[i] * left})
				}
				return out
			}
			b := in.Target.Market.Book
			in.Target.Market.Book = mc.MergeBooks([][]mc.Level{thin(&b.Bids)}, [][]mc.Level{thin(&b.Asks)}, 0)
		},
		"volatility": func(in *Input, r dice) {
			f, m := 1+2*r.Float64(), *in.Target.Model
			for h := range m.Variance {
				m.Variance[h] *= f * f
				for side, most := range []float64{100, 500} {
					for level := range m.Tail[h][side] {
						p := &m.Tail[h][side][level]
						p.PctVaR, p.PctES = min(f*p.PctVaR, most), min(f*p.PctES, most)
					}
				}
			}
			calib.Derive(&m)
			m.Joint = joint.Align(in.Rows, &m)
			in.Target.Model = &m
		},
		"funding": func(in *Input, r dice) {
			c, dearer := *in.Target.Market.Context, r.log(1e-6, 1e-3)
			if in.Trade.Action == ActionShort {
				dearer = -dearer
			}
			c.FundingRateHourly += dearer
			in.Target.Market.Context = &c
		},
	} {
		t.Run(what, func(t *testing.T) {
			compared := 0
			must(t, mustStates/2, func(e *Engine, s *Scratch, in *Input, r dice) string {
				r.opens(in)
				in.Account.Positions, in.Held = nil, nil
				in.Account.CrossAccountValueUSD = r.log(10, 1e8)
				if !in.Target.Market.Book.TwoSided() {
					return ""
				}
				w, _ := worsen(e, s, in, func(in *Input) { change(in, r) })
				if w.fell(ruleMarginShort) || w.after.Flags.Has(FlagTierLeverageExceeded) {
					return ""
				}
				if compared++; w.score < -1e-4 {
					return w.String()
				}
				return ""
			})
			wantAtLeast(t, "compared", compared, mustStates/4)
		})
	}
}
