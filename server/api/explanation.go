package api

import "ballast/compute/risk"

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
	for i, name := range [len(x.HardRules)]string{`{"H1":`, `,"H2":`, `,"H3":`, `,"H4":`, `,"H5":`, `,"H6":`} {
		w.exact(name, x.HardRules[i])
	}
	w.exact(`},"floor":`, x.Floor)
	w.exact(`,"raw_score":`, x.RawScore)
	w.exact(`,"account_value":`, x.AccountValue)
	w.integer(`,"positions_after":`, x.PositionsAfter)
	w.exact(`,"portfolio_var_99_24h":`, x.PortfolioVaR99)
	w.exact(`,"regime_probabilities":{"normal":`, x.RegimeProb[0])
	w.exact(`,"stressed":`, x.RegimeProb[1])
	w.exact(`,"crisis":`, x.RegimeProb[2])
	w.exact(`},"breakeven_move_pct_of_margin":`, x.BreakevenPct)
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
	w.raisedFlags(&a.Flags)
	w.raw(`]}`)
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
	w.exact(`,"weight":`, risk.Weights[c])
	w.exact(`,"contribution":`, risk.Weights[c]*x.Scores[c])
	w.end()
}

func (w *writer) raisedFlags(s *risk.FlagSet) {
	head := `{"name":"`
	for f := range risk.FlagCount {
		if !s.Has(f) {
			continue
		}
		info := &risk.FlagTable[f]
		w.word(head, info.Name)
		w.word(`,"severity":"`, info.Severity.String())
		w.exact(`,"value":`, s.Value[f])
		w.exact(`,"threshold":`, s.Threshold[f])
		w.end()
		head = `,{"name":"`
	}
}
