package api

import (
	"time"

	"ballast/compute/risk"
)

// explanation writes how the score came about, with every number as computed, so that a
// reader can compute it again.
func (w *writer) explanation(a *risk.Assessment) {
	x := &a.Explanation
	w.raw(`,"explanation":{"components":[`)
	for c := range risk.ComponentCount {
		if c > 0 {
			w.raw(`,`)
		}
		w.component(c, x)
	}
	w.exact(`],"base":`, x.Base)
	w.exact(`,"interaction":`, x.Interaction)
	w.exact(`,"portfolio":`, x.Portfolio)
	w.exact(`,"regime":`, x.Regime)
	w.raw(`,"hard_rules":`)
	for i, name := range [len(x.HardRules)]string{
		`{"H1":`, `,"H2":`, `,"H3":`, `,"H4":`, `,"H5":`, `,"H6":`, `,"H7":`, `,"H8":`, `,"H9":`, `,"H10":`, `,"H11":`, `,"H12":`, `,"H13":`,
	} {
		w.exact(name, x.HardRules[i])
	}
	w.exact(`},"floor":`, x.Floor)
	w.exact(`,"raw_score":`, x.RawScore)
	w.boolean(`,"oi_cap_estimated":`, x.OICapEstimated())
	w.exact(`,"score_leverage":`, x.Leverage)
	w.inputs(a)
	w.exact(`,"account_value":`, x.AccountValue)
	w.integer(`,"positions_after":`, x.PositionsAfter)
	w.exact(`,"portfolio_var_99_24h":`, x.PortfolioVaR99)
	w.exact(`,"regime_probabilities":{"normal":`, x.RegimeProb[0])
	w.exact(`,"stressed":`, x.RegimeProb[1])
	w.exact(`,"crisis":`, x.RegimeProb[2])
	w.exact(`},"breakeven_move_pct_of_margin":`, x.BreakevenPct)
	if m := x.Market; m != nil {
		w.age(`,"slippage":{"book_age_ms":`, m.BookAge)
		w.age(`,"depth_age_ms":`, m.DepthAge)
		w.age(`},"context":{"mark_age_ms":`, m.ContextAge)
		w.age(`,"slow_age_ms":`, m.SlowAge)
		paid := 0
		if m.Funding != nil {
			paid = m.Funding.Rows
		}
		w.integer(`},"funding":{"paid_rates":`, paid)
		w.end()
	}
	if d := &x.Divergence; d.With != "" {
		w.word(`,"divergence":{"with":"`, d.With)
		w.exact(`,"mark":`, d.Mark)
		w.exact(`,"other":`, d.Other)
		w.exact(`,"pct":`, d.Pct)
		w.end()
	} else {
		w.raw(`,"divergence":null`)
	}
	s := &a.Sizing
	w.exact(`,"sizing":{"book_depth":`, s.BookDepth)
	w.exact(`,"oi_capacity":`, s.OICapacity)
	w.exact(`,"margin_headroom":`, s.MarginHeadroom)
	w.exact(`,"market_impact":`, s.MarketImpact)
	w.end()
	if m := &a.MonteCarlo; m.Known {
		w.exact(`,"monte_carlo":{"var_95_se":`, m.SE95)
		w.exact(`,"var_99_se":`, m.SE99)
		w.exact(`,"liquidated_share":`, m.LiquidatedShare)
		w.end()
	}
	w.exact(`,"greeks":{"touch_probability":`, a.Greeks.TouchProbability)
	w.exact(`,"loss_at_touch_usd":`, a.Greeks.LossAtTouchUSD)
	w.raw(`},"flags":[`)
	w.raisedFlags(a)
	w.raw(`]}`)
}

// inputs writes figures of other blocks, as computed, that the score follows from.
func (w *writer) inputs(a *risk.Assessment) {
	w.exact(`,"inputs":{"pct_99_24h":`, a.VaR.Pct99_24h)
	w.exact(`,"pct_99_4h":`, a.VaR.Pct99_4h)
	if a.Liquidation.HasProbability {
		w.exact(`,"probability_24h":`, a.Liquidation.Probability24h)
	} else {
		w.raw(`,"probability_24h":null`)
	}
	w.exact(`,"total_round_trip_cost_bps":`, a.Cost.RoundTripBps)
	w.exact(`,"participation_pct":`, a.Impact.ParticipationPct)
	w.end()
}

func (w *writer) component(c risk.Component, x *risk.Explanation) {
	w.word(`{"name":"`, c.String())
	separator := `,"raw":{"`
	for i, name := range risk.RawNames[c] {
		if name == "" {
			continue
		}
		w.word(separator, name)
		w.exact(`:`, x.Raw[c][i])
		separator = `,"`
	}
	w.exact(`},"score":`, x.Scores[c])
	w.exact(`,"weight":`, x.Weights[c])
	w.exact(`,"contribution":`, x.Weights[c]*x.Scores[c])
	w.end()
}

func (w *writer) raisedFlags(a *risk.Assessment) {
	head, s := `{"name":"`, &a.Flags
	for f := range risk.FlagCount {
		if !s.Has(f) {
			continue
		}
		info := &risk.FlagTable[f]
		w.word(head, info.Name)
		w.word(`,"severity":"`, info.Severity.String())
		w.exact(`,"value":`, s.Value[f])
		w.exact(`,"threshold":`, s.Threshold[f])
		w.word(`,"unit":"`, flagUnit(f, a))
		w.word(`,"meaning":"`, info.Meaning)
		w.end()
		head = `,{"name":"`
	}
}

// flagUnit is the unit of the figure and the threshold of a raised flag. Flags with two rules
// have their figure in percent when the second rule raised them.
func flagUnit(f risk.Flag, a *risk.Assessment) string {
	info, value, threshold := &risk.FlagTable[f], a.Flags.Value[f], a.Flags.Threshold[f]
	if threshold == 0 && value == 1 {
		return "" // raised by a rule without a figure
	}
	percent := 0.0
	switch f {
	case risk.FlagHighLeverage:
		percent = a.Explanation.Raw[risk.ComponentVaR][0]
	case risk.FlagLowVolume:
		percent = a.Impact.ParticipationPct
	case risk.FlagHighVaR:
		percent = a.VaR.Pct99_24h
	}
	if info.Percent > 0 && threshold == info.Percent && value == percent {
		return "%"
	}
	return info.Unit
}

// age writes an age in milliseconds, null for what has never come.
func (w *writer) age(key string, age time.Duration) {
	if age < 0 {
		w.begin(key)
		w.raw(`null`)
		return
	}
	w.exact(key, float64(age)/1e6)
}
