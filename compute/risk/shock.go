package risk

import mc "ballast/marketcache"

// hedgeHaircut is the share of a winning leg's gain that does not count under stress: legs do not reach
// their extremes in the same hour, and the venue closes winners before the losers are out.
const hedgeHaircut = 0.40

// kept is what a leg's P&L counts for under stress.
func kept(pnl float64) float64 {
	if pnl > 0 {
		return (1 - hedgeHaircut) * pnl
	}
	return pnl
}

// poolShock is the effect of one scenario on the legs of a pool, USD.
type poolShock struct {
	move        float64 // change of the equity at the scenario's extreme, gains after the haircut
	mark        float64 // the same at the scenario's mark
	maintenance float64 // at the extreme
	funding     float64 // positive: paid
}

func (s *poolShock) plus(o *poolShock) poolShock {
	return poolShock{s.move + o.move, s.mark + o.mark, s.maintenance + o.maintenance, s.funding + o.funding}
}

// shockedLeg is what scenarios need of a leg.
type shockedLeg struct {
	signed, notional float64
	rule             stressRule
	tiers            []mc.Tier // none of collateral
}

func (p *position) shocked() shockedLeg {
	l := shockedLeg{signed: p.signed(), notional: p.notional(), rule: p.stress}
	if !p.collateral {
		l.tiers = p.tiers.list()
	}
	return l
}

// add adds the effect of scenario i on a leg. In the squeeze its price stands.
func (s *poolShock) add(i int, l *shockedLeg) {
	extreme := 0.0
	if i != squeezeScenario {
		var mark float64
		extreme, mark = l.rule.shock(i)
		s.move += kept(l.signed * extreme)
		s.mark += kept(l.signed * mark)
	}
	if len(l.tiers) > 0 {
		s.maintenance += maintenanceIn(l.tiers, l.notional*(1+extreme))
		s.funding += l.signed * fundingOf[i]
	}
}

// on applies the scenario to a pool of the given equity. The pool dies when what is left does not exceed
// its maintenance margin. A pool that dies loses its equity; another loses no more than that.
func (s *poolShock) on(equity float64, positions int) (pnl float64, dies bool) {
	dies = positions > 0 && !(equity+s.move-max(0, s.funding) > s.maintenance)
	if dies {
		return -max(equity, 0), true
	}
	return max(s.mark, -max(equity, 0)), false
}

// loss is what the scenario costs the pool, funding included, not limited to its equity, USD.
func (s *poolShock) loss() float64 { return max(0, s.funding) - s.move }

// poolShocks is the effect of all scenarios on the legs of a pool. In the squeeze of a thin listing only
// one asset moves: the one that costs the pool most. The element of that scenario holds the legs at
// unmoved prices, squeezed the change by the asset that moves.
type poolShocks struct {
	shocks   [ScenarioCount]poolShock
	squeezed squeezed
}

// squeezed is the asset of a pool that costs it most in the squeeze: the index of its position, and what
// its move changes. found is false when none costs anything.
type squeezed struct {
	found  bool
	at     int
	change poolShock
}

// at is the effect of scenario i.
func (s *poolShocks) at(i int) poolShock {
	if i == squeezeScenario && s.squeezed.found {
		return s.shocks[i].plus(&s.squeezed.change)
	}
	return s.shocks[i]
}

// add adds a leg; squeeze is called after the last one.
func (s *poolShocks) add(p *position) {
	l := p.shocked()
	for i := range s.shocks {
		s.shocks[i].add(i, &l)
	}
}

// sum fills in the shocks of pool k of the wallet as held; ok is false when it has no leg.
func (s *poolShocks) sum(a *account, k int) (ok bool) {
	*s = poolShocks{}
	a.eachLeg(k, -1, func(_ int, p *position) {
		s.add(p)
		ok = true
	})
	if ok {
		s.squeeze(a, k, -1)
	}
	return ok
}

// survives reports whether a pool of the given equity and number of positions survives every scenario.
func (s *poolShocks) survives(equity float64, positions int) bool {
	for i := range Scenarios {
		shock := s.at(i)
		if _, dies := shock.on(equity, positions); dies {
			return false
		}
	}
	return true
}

// squeeze finds the asset of pool k that costs it most, without the position at index except.
func (s *poolShocks) squeeze(a *account, k, except int) {
	for i := range a.positions {
		if p := &a.positions[i]; i != except && p.poolIndex() == k {
			s.squeezed.consider(i, p, a.collateralIn(k, p))
		}
	}
}

// consider makes the position at index i the squeezed one if that costs more. The pool also holds
// its asset as collateral for the given USD. Only a short costs anything, because the price rises.
func (q *squeezed) consider(i int, p *position, collateral float64) {
	if p.units >= 0 {
		return
	}
	change := squeezeOf(p, collateral)
	first := change.move == q.change.move && i < q.at
	if change.move < 0 && (!q.found || change.move < q.change.move || first) {
		*q = squeezed{true, i, change}
	}
}

// squeezeOf is the change of a pool's shock when the asset of p moves and the others stand. The pool also holds
// its asset as collateral for the given USD.
func squeezeOf(p *position, collateral float64) (change poolShock) {
	extreme, mark := p.stress.shock(squeezeScenario)
	n := p.notional()
	return poolShock{
		move:        kept(p.signed()*extreme) + kept(collateral*extreme),
		mark:        kept(p.signed()*mark) + kept(collateral*mark),
		maintenance: p.maintenanceOf(n*(1+extreme)) - p.maintenanceOf(n),
	}
}

// collateralIn is the USD that pool k holds of p's asset as collateral.
func (a *account) collateralIn(k int, p *position) (usd float64) {
	for i := range a.collateral {
		if c := &a.collateral[i]; c.pool == k && c.name == p.name {
			usd += c.signed()
		}
	}
	return usd
}

// walletShock adds up the results of pools in one scenario, USD.
type walletShock struct {
	pnl          float64 // each pool limited to its equity
	net          float64 // at the marks, not limited, less funding
	funding      float64
	dead         int // pools
	liquidated   int // positions of the pools that die
	crossDies    bool
	isolatedDead float64 // equity of isolated pools that die
}

// add applies scenario i, whose effect is s, to a pool and adds the result.
func (w *walletShock) add(i int, p *marginPool, s *poolShock) {
	pnl, dies := s.on(p.equity, p.positions)
	p.stress.see(i, pnl, dies)
	w.pnl += pnl
	w.net += s.mark - s.funding
	w.funding += s.funding
	if !dies {
		return
	}
	w.dead++
	w.liquidated += p.positions
	if p.mode == PoolIsolated {
		w.isolatedDead += max(p.equity, 0)
	} else {
		w.crossDies = true
	}
}
