package risk

import (
	"math"

	mc "ballast/marketcache"
)

// BookBefore is the wallet's risk before the trade. The first four figures are those of the trade's pool.
type BookBefore struct {
	Known          bool // the wallet has a position
	PoolKnown      bool // the trade's pool has one
	HasProbability bool
	Probability24h float64
	Probability7d  float64
	PoolVaR99USD   float64 // joint 24 h loss at 99 % of the pool's positions
	StressLossUSD  float64 // the pool's largest loss in a scenario, funding included, not limited to its equity
	// PortfolioVaR99USD is the joint 24 h loss at 99 % of all positions.
	PortfolioVaR99USD float64
}

// before returns the wallet's risk before the trade, and the largest load of its cross pool in a scenario.
func (s *Scratch) before(o *outcome) (b BookBefore, load float64) {
	a, t := &s.account, &o.plan
	if len(a.positions) == 0 {
		return b, 0
	}
	var p position
	if t.index >= 0 {
		p = a.positions[t.index]
	}
	own := &p
	if t.kind == held { // the rest of the wallet has it
		own = nil
	}
	b.Known = true
	b.PortfolioVaR99USD, _ = s.portfolioLoss(&p)
	if t.mode == Isolated {
		if b.PoolKnown = p.units != 0; !b.PoolKnown {
			return b, 0
		}
		b.HasProbability = true
		b.Probability24h, b.Probability7d = s.bothChances(func(h int) float64 {
			return p.chanceAlone(h, p.equity-max(0, p.signed()*p.in.expectedFunding(h)))
		})
	} else {
		pool := &a.pools[a.pool]
		if b.PoolKnown = pool.positions > 0; !b.PoolKnown {
			return b, 0
		}
		if b.HasProbability = !pool.unreadable; b.HasProbability {
			b.Probability24h, b.Probability7d = s.bothChances(func(h int) float64 {
				return s.crossChance(h, own, a.crossEquity, 0)
			})
		}
	}
	b.PoolVaR99USD = b.PortfolioVaR99USD
	if s.replay.separate {
		b.PoolVaR99USD = s.poolVaR(t.mode, &p)
	}
	stresser := s.stresser(t, &p)
	h := stresser.worst(a.crossEquity, 0, math.Inf(1), 0)
	if b.StressLossUSD = h.loss; t.mode == Cross {
		load = h.load
	}
	return b, load
}

// bothChances returns the chance within a day and within a week, which is at least the former.
func (s *Scratch) bothChances(chance func(h int) float64) (day, week float64) {
	day = chance(mc.Excursion24h)
	return day, max(day, chance(mc.Excursion168h))
}

// poolRisk has the figures of the trade's pool after the trade, whose joint VaR is poolVaR.
func (o *outcome) poolRisk(poolVaR float64) BookBefore {
	liq := &o.liquidation
	return BookBefore{
		Known: true, PoolKnown: true, HasProbability: liq.HasProbability,
		Probability24h: liq.Probability24h, Probability7d: liq.Probability7d,
		PoolVaR99USD: poolVaR, StressLossUSD: o.stressed.loss,
	}
}

// explain fills in the parts of the explanation that come from the snapshot and the plan.
func (s *Scratch) explain(x *Explanation) {
	in, t := &s.In, &s.view.plan
	x.Divergence, x.Market = in.Divergence, &in.Target.Market
	x.ModeSource, x.LeverageSource = t.modeSource, t.leverageSource
	x.Pool = s.account.pools[s.account.pool].name()
	x.Failed = s.view.stressed.worst.Failed
	x.Lateness = in.Lateness
	s.loading = s.loading[:0]
	s.noteLoading(&in.Target)
	for i := range in.Held {
		if i != s.account.target {
			s.noteLoading(&in.Held[i])
		}
	}
	for i := range in.Backing {
		s.noteLoading(&in.Backing[i])
	}
	if s.Out.PortfolioRisk.Known && s.pairsMissing() {
		s.loading = append(s.loading, LoadingPart{What: "pairs", ReadyInS: in.PairsReadyIn.Seconds()})
	}
	x.Loading = s.loading
}

// noteLoading lists what of an asset's history is still to be read.
func (s *Scratch) noteLoading(a *AssetInput) {
	m := &a.Market
	if m.Asset == nil || m.Asset.Delisted || m.Asset.ID == mc.NoAsset {
		return
	}
	candles, funding := LoadingPart{"candles", m.Asset.Name, -1}, LoadingPart{"funding", m.Asset.Name, -1}
	if l := m.Loading; l != nil {
		candles.ReadyInS, funding.ReadyInS = l.CandlesReadyIn.Seconds(), l.FundingReadyIn.Seconds()
		if l.OddCandle {
			candles.ReadyInS = -1
		}
	}
	if m.Loading.Bars() {
		s.loading = append(s.loading, candles)
	}
	if m.Funding == nil || m.Loading != nil && m.Loading.Funding {
		s.loading = append(s.loading, funding)
	}
}

// pairsMissing reports whether a pair of the book's listed assets is still to be fitted.
func (s *Scratch) pairsMissing() bool {
	missing, listed := 0, 0
	for i := range s.portfolio.legs {
		p := &s.portfolio.legs[i]
		asset := p.in.Market.Asset
		if p.id == mc.NoAsset || asset == nil || asset.Delisted || p.in.Model.Bars == 0 {
			continue
		}
		listed++
		if !s.In.Pairs.Has(p.id) {
			missing++
		}
	}
	return missing > 0 && listed > 1
}

// poolsAfter lists the pools with a position after the trade in s.pools: cross pools, then isolated
// positions. The answer has them when there are two or more.
func (s *Scratch) poolsAfter(o *outcome) []PoolState {
	a, t, p, after, liq := &s.account, &o.plan, &o.position, &o.after, &o.liquidation
	s.pools = s.pools[:0]
	for k := range a.pools {
		q := a.pools[k]
		switch {
		case k == a.pool:
			q.equity, q.positions, q.maintenance = after.counted, a.rest.cross.positions, a.rest.cross.maintenance
			if t.mode == Cross && p.units != 0 && t.kind != held {
				q.add(p)
			}
			if q.positions == 0 {
				continue
			}
			q.stress = o.stressed.cross
			if t.mode == Cross {
				q.chance[mc.Excursion24h] = liq.Probability24h
			} else {
				q.chance[mc.Excursion24h] = s.crossChance(mc.Excursion24h, nil, after.counted, 0)
			}
		case q.position >= 0 && q.position == t.index:
			continue // below
		case q.positions == 0:
			continue
		}
		state := q.state()
		state.tradesHere = k == a.pool && t.mode == Cross
		s.pools = append(s.pools, state)
	}
	if t.mode == Isolated && p.units != 0 {
		q := marginPool{
			mode: PoolIsolated, dex: a.pools[a.pool].dex, asset: p.name, equity: after.equity, stress: o.stressed.own,
		}
		q.add(p)
		q.chance[mc.Excursion24h] = liq.Probability24h
		state := q.state()
		state.tradesHere = true
		s.insertPool(state, t.index)
	}
	if len(s.pools) < minPortfolioPositions {
		return nil
	}
	return s.pools
}

// insertPool puts an isolated position's pool in the wallet's order; a new position is the last.
func (s *Scratch) insertPool(state PoolState, index int) {
	at := len(s.pools)
	if index >= 0 {
		at = 0
		for at < len(s.pools) && s.pools[at].Mode != PoolIsolated {
			at++
		}
		for i := range s.account.positions[:index] {
			if s.account.positions[i].isolated {
				at++
			}
		}
	}
	s.pools = append(s.pools, state)
	copy(s.pools[at+1:], s.pools[at:])
	s.pools[at] = state
}

// heldScore is the highest score of the positions of the trade's pool as held, computed once.
func (s *Scratch) heldScore() float64 {
	v := &s.view
	if v.scoreBefore >= 0 {
		return v.scoreBefore
	}
	if s.held == nil {
		s.held = NewScratch(len(s.account.positions))
	}
	v.scoreBefore = 0
	h := s.held
	held := append(h.In.Held[:0], s.In.Held...)
	h.In = s.In
	h.In.Held, h.In.AsHeld = held, true
	h.Deadline, h.Late = s.Deadline, false
	for i := range held {
		held[i].standIn(&s.In.Account.Positions[i], held[i].Model)
	}
	t := &v.plan
	h.assessHeld(func(i int) bool {
		p := &s.account.positions[i]
		return t.mode == Isolated && i == t.index || t.mode == Cross && p.poolIndex() == s.account.pool
	}, func(_ int, out *Assessment) { v.scoreBefore = math.Max(v.scoreBefore, out.RiskScore) })
	s.Late = s.Late || h.Late
	return v.scoreBefore
}
