package api

import (
	"time"

	"ballast/compute/risk"
	"ballast/internal/jsonscan"
	"ballast/marketcache"
)

// explanation writes how the score was computed, with exact numbers, so that a reader can recompute it.
func (w *Writer) explanation(a *risk.Assessment) {
	x := &a.Explanation
	w.Raw(`,"explanation":{"components":[`)
	for c := range risk.ComponentCount {
		w.comma(int(c))
		w.component(c, x)
	}
	w.Exact(`],"base":`, x.Base)
	w.Exact(`,"interaction":`, x.Interaction)
	w.Exact(`,"portfolio":`, x.Portfolio)
	w.Exact(`,"regime":`, x.Regime)
	w.Raw(`,"hard_rules":{`)
	for i, score := range x.HardRules {
		w.comma(i)
		w.word(`"`, risk.HardRuleNames[i])
		w.Exact(`:`, score)
	}
	w.Exact(`},"floor":`, x.Floor)
	w.Exact(`,"raw_score":`, x.RawScore)
	w.Boolean(`,"capped":`, x.Capped)
	w.Boolean(`,"oi_cap_estimated":`, x.OICapEstimated())
	w.Exact(`,"score_leverage":`, x.Leverage)
	w.inputs(a)
	w.wallet(x)
	w.Exact(`,"account_value":`, x.AccountValue)
	w.Integer(`,"positions_after":`, x.PositionsAfter)
	w.Exact(`,"portfolio_var_99_24h":`, x.PortfolioVaR99)
	w.Exact(`,"regime_probabilities":{"normal":`, x.RegimeProb[0])
	w.Exact(`,"stressed":`, x.RegimeProb[1])
	w.Exact(`,"crisis":`, x.RegimeProb[2])
	w.Exact(`},"breakeven_move_pct_of_margin":`, x.BreakevenPct)
	if m := x.Market; m != nil {
		w.age(`,"slippage":{"book_age_ms":`, m.BookAge)
		w.age(`,"depth_age_ms":`, m.DepthAge)
		w.age(`},"context":{"mark_age_ms":`, m.ContextAge)
		w.age(`,"slow_age_ms":`, m.SlowAge)
		paid := 0
		if m.Funding != nil {
			paid = m.Funding.Rows
		}
		w.Integer(`},"funding":{"paid_rates":`, paid)
		w.end()
	}
	w.divergence(&x.Divergence, a.Meta.WalletAgeMs)
	s := &a.Sizing
	w.Exact(`,"sizing":{"book_depth":`, s.BookDepth)
	w.Exact(`,"oi_capacity":`, s.OICapacity)
	w.Exact(`,"margin_headroom":`, s.MarginHeadroom)
	w.Exact(`,"market_impact":`, s.MarketImpact)
	w.end()
	if m := &a.MonteCarlo; m.Known {
		w.Exact(`,"monte_carlo":{"var_95_se":`, m.SE95)
		w.Exact(`,"var_99_se":`, m.SE99)
		w.Exact(`,"liquidated_share":`, m.LiquidatedShare)
		w.end()
	}
	w.Exact(`,"greeks":{"touch_probability":`, a.Greeks.TouchProbability)
	w.Exact(`,"loss_at_touch_usd":`, a.Greeks.LossAtTouchUSD)
	w.Raw(`},"flags":[`)
	w.raisedFlags(a)
	w.Raw(`]}`)
}

// wallet writes what the score knows about the whole wallet, where mode and leverage come from, and which
// inputs are still to be read.
func (w *Writer) wallet(x *risk.Explanation) {
	w.Exact(`,"hedge_weight":`, x.HedgeWeight)
	w.exactOrNull(`,"score_before":`, x.ScoreBefore, x.HedgeWeight > 0)
	w.bookAfter(&x.BookAfter)
	w.Exact(`,"portfolio_loss_99":`, x.PortfolioLoss99)
	w.failedScenarios(x.Failed)
	w.TextOrNull(`,"size_rule":`, x.SizeRule)
	w.word(`,"mode_source":"`, x.ModeSource.String())
	w.word(`,"leverage_source":"`, x.LeverageSource.String())
	for i := range w.Each(`,"loading":`, len(x.Loading)) {
		part := &x.Loading[i]
		w.word(`{"what":"`, part.What)
		w.TextOrNull(`,"asset":`, part.Asset)
		w.exactOrNull(`,"ready_in_s":`, part.ReadyInS, part.ReadyInS >= 0)
		w.end()
	}
}

func (w *Writer) divergence(d *marketcache.Divergence, walletAgeMs float64) {
	if d.With == "" {
		w.null(`,"divergence":`)
		return
	}
	w.word(`,"divergence":{"with":"`, d.With)
	w.Exact(`,"mark":`, d.Mark)
	w.Exact(`,"other":`, d.Other)
	w.Exact(`,"pct":`, d.Pct)
	w.age(`,"mark_age_ms":`, d.MarkAge)
	if d.With == "wallet" {
		w.Exact(`,"other_age_ms":`, walletAgeMs)
	} else {
		w.age(`,"other_age_ms":`, d.OtherAge)
	}
	w.end()
}

// inputs writes, with all digits, the inputs of the score that other blocks show rounded.
func (w *Writer) inputs(a *risk.Assessment) {
	w.Exact(`,"inputs":{"pct_99_24h":`, a.VaR.Pct99_24h)
	w.Exact(`,"pct_99_4h":`, a.VaR.Pct99_4h)
	w.exactOrNull(`,"probability_24h":`, a.Liquidation.Probability24h, a.Liquidation.HasProbability)
	w.exactOrNull(`,"probability_7d":`, a.Liquidation.Probability7d, a.Liquidation.HasProbability)
	w.Exact(`,"stress_load":`, a.Explanation.StressLoad)
	w.Exact(`,"funding_share":`, a.Explanation.FundingShare)
	w.Exact(`,"total_round_trip_cost_bps":`, a.Cost.RoundTripBps)
	w.Exact(`,"participation_pct":`, a.Impact.ParticipationPct)
	w.end()
}

func (w *Writer) component(c risk.Component, x *risk.Explanation) {
	w.word(`{"name":"`, c.String())
	separator := `,"raw":{"`
	for i, name := range risk.RawNames[c] {
		if name == "" {
			continue
		}
		w.word(separator, name)
		w.Exact(`:`, x.Raw[c][i])
		separator = `,"`
	}
	w.Exact(`},"score":`, x.Scores[c])
	w.Exact(`,"weight":`, x.Weights[c])
	w.Exact(`,"contribution":`, x.Weights[c]*x.Scores[c])
	w.end()
}

func (w *Writer) raisedFlags(a *risk.Assessment) {
	separator, s := ``, &a.Flags
	for f := range risk.FlagCount {
		if !s.Has(f) {
			continue
		}
		w.Raw(separator)
		w.Raw(flagHeads[f])
		w.Exact(`,"value":`, s.Value[f])
		w.Exact(`,"threshold":`, s.Threshold[f])
		w.word(`,"unit":"`, flagUnit(f, a))
		w.meaning(f, a)
		w.end()
		separator = `,`
	}
}

// meaning writes the meaning of a flag; without a copy unless it needs escaping.
func (w *Writer) meaning(f risk.Flag, a *risk.Assessment) {
	w.Raw(`,"meaning":`)
	start := len(w.b)
	w.b, _ = appendMeaning(append(w.b, '"'), f, a)
	if text := w.b[start+1:]; jsonscan.Plain(text, 0) < len(text) {
		w.b = AppendString(w.b[:start], string(text))
		return
	}
	w.b = append(w.b, '"')
}

// flagUnit returns the unit of a raised flag's figure and threshold. Flags with two rules have their
// figure in percent if the second rule raised them.
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

// age writes an age in milliseconds, null for data never received.
func (w *Writer) age(key string, age time.Duration) { w.exactOrNull(key, float64(age)/1e6, age >= 0) }
