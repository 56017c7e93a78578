package risk

// Attribution splits the joint loss after the trade among the positions.
type Attribution struct {
	Known              bool    // false without any position
	TotalVaR99         float64 // USD
	DiversificationPct float64 // TotalVaR99 is this much below the sum of the stand-alone VaRs, 0 to 100
	Positions          []PositionVaR
}

// PositionVaR is one position's part of the joint loss, USD.
type PositionVaR struct {
	Asset        string
	Collateral   bool    // a balance that counts as collateral, not a position
	MarginalVaR  float64 // decrease of the joint VaR if the position were closed
	ComponentVaR float64 // its share of the joint VaR; shares sum to the total; negative: a hedge
	ComponentPct float64
}

// attribute splits the joint VaR. ComponentVaR is the Euler allocation for an elliptical distribution
// with today's volatilities and historical correlations. For MarginalVaR the recorded
// hours are replayed without the position (see replay).
//
// Source: McNeil, Frey, Embrechts, Quantitative Risk Management, 2nd ed., 8.5.
func (s *Scratch) attribute(b *portfolio) Attribution {
	out := Attribution{Known: b.count > 0, TotalVaR99: b.var99, Positions: s.attribution[:0]}
	if b.count == 0 {
		return out
	}
	b.shareOut()
	alone := 0.0
	for i := range b.legs {
		l := &b.legs[i]
		p := PositionVaR{Asset: l.name, Collateral: l.collateral}
		if b.var99 > 0 {
			p.ComponentVaR, p.ComponentPct = b.var99*l.share, pctPerUnit*l.share
		}
		own, without := s.withAndWithout(b, i)
		p.MarginalVaR = b.var99 - without
		alone += own
		out.Positions = append(out.Positions, p)
	}
	s.attribution = out.Positions
	if alone > 0 && len(b.legs) > 1 {
		out.DiversificationPct = min(max(pctPerUnit*(1-b.var99/alone), 0), pctPerUnit)
	}
	return out
}

// withAndWithout returns the VaR of leg i alone and the VaR of all other legs, USD.
func (s *Scratch) withAndWithout(b *portfolio, i int) (own, without float64) {
	l := &b.legs[i]
	own, _ = s.aloneLoss(&l.position)
	switch t := &s.view.plan; {
	case len(b.legs) == 1:
	case !s.replay.recorded: // the losses of the legs alone add up
		without = b.var99 - own
	case len(b.legs) == 2:
		without, _ = s.aloneLoss(&b.legs[1-i].position)
	case i == b.target && t.kind == opens && s.view.before.Known: // the wallet before the trade
		without = s.view.before.PortfolioVaR99USD
	default:
		without = max(0, s.replay.whole.Without(l.in.Model, l.signed()))
	}
	return own, without
}

// shareOut fills in the legs' shares of the portfolio's standard deviation, which under an elliptical
// distribution are those of any quantile. The shares sum to 1, or are all 0 when every volatility is 0; that of
// a leg alone is 1.
func (b *portfolio) shareOut() {
	if len(b.legs) == 1 {
		b.legs[0].share = 1
		return
	}
	for i := range b.legs {
		b.legs[i].spread = b.legs[i].signed() * b.legs[i].in.Model.DailySigma
	}
	total := 0.0
	for i := range b.legs {
		l, sum := &b.legs[i], 0.0
		for j := range b.legs {
			sum += b.correlation(i, j) * b.legs[j].spread
		}
		l.share = l.spread * sum
		total += l.share
	}
	for i := range b.legs {
		if total > 0 {
			b.legs[i].share /= total
		} else {
			b.legs[i].share = 0
		}
	}
}
