package risk

import mc "ballast/marketcache"

// diedBy names what ends the trade's pool in scenario i: the asset whose move costs it most, or the pool itself
// when it is below its maintenance margin before any price moves.
func (s *Scratch) diedBy(i int, o *outcome, w *poolStresser) string {
	a, t := &s.account, &o.plan
	if t.mode == Isolated {
		return t.asset.Name
	}
	worst, name, maintenance := 0.0, a.pools[a.pool].name(), 0.0
	see := func(at int, l *position) {
		if !l.collateral {
			maintenance += l.maintenance()
		}
		if cost := l.costOf(i, at == w.prey, w); cost > worst {
			worst, name = cost, l.name
		}
	}
	a.eachLeg(a.pool, t.leftOut(), see)
	if w.joins {
		at := t.index
		if at < 0 {
			at = len(a.positions)
		}
		see(at, &o.position)
	}
	if o.after.equity <= maintenance {
		return a.pools[a.pool].name()
	}
	return name
}

// costOf is what scenario i takes of the room of the leg's pool by the leg alone, USD. In the squeeze only the prey
// moves.
func (p *position) costOf(i int, prey bool, w *poolStresser) float64 {
	var shock poolShock
	l := p.shocked()
	shock.add(i, &l)
	shock.maintenance -= p.maintenanceOf(l.notional)
	if i == squeezeScenario && prey {
		shock = shock.plus(&w.squeeze)
	}
	return shock.maintenance + shock.funding - shock.move
}

// name is the dex of a cross pool, main for that of the venue itself; the asset of an isolated position;
// of a pool over several dexes its mode.
func (p *marginPool) name() string {
	switch {
	case p.mode == PoolIsolated:
		return p.asset
	case p.mode != PoolCross:
		return p.mode.String()
	case p.dex == "" || p.dex == mc.Everywhere:
		return "main"
	}
	return p.dex
}
