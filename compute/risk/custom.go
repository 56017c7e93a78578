package risk

import (
	"cmp"
	"slices"

	mc "ballast/marketcache"
)

// CustomShock is a price move of one asset.
type CustomShock struct {
	Asset string
	Pct   float64 // percent of the mark, above -100, at most 1000
}

// ShockReport is a wallet after price moves of one's own, everything at once: no funding, no path.
type ShockReport struct {
	Applied         []CustomShock // for each asset of the wallet, by name
	Unused          []string      // named assets that the wallet does not hold, by name
	PnLUSD          float64
	AccountValueUSD float64
	AccountSurvives bool
	Pools           []ShockedPool
	Positions       []ShockedPosition
	Meta            Meta
}

// ShockedPool is one pool after the moves, USD.
type ShockedPool struct {
	Dex                 string
	Mode                PoolMode
	Asset               string // of an isolated position; "" otherwise
	EquityUSD           float64
	MaintenanceUSD      float64
	MaintenanceRatioPct float64
	PnLUSD              float64
	Survives            bool
	PositionsLiquidated int
}

// ShockedPosition is one position after the moves, USD. NotionalUSD is before them.
type ShockedPosition struct {
	Asset                         string
	NotionalUSD, ShockPct, PnLUSD float64
	Liquidated                    bool
	Collateral                    bool
}

// Shock applies moves of one's own to the wallet in s.In: after its trade, as taken by Fill, or as held, as
// taken by FillWallet. shocks must be sorted by asset; star moves every asset that they do not name. The
// report refers to memory of the scratch: it is valid until the scratch is used again.
func (e *Engine) Shock(s *Scratch, shocks []CustomShock, star float64, r *ShockReport) {
	*r = ShockReport{
		Applied: r.Applied[:0], Unused: r.Unused[:0], Pools: r.Pools[:0], Positions: r.Positions[:0],
	}
	legs, pools := s.shockedWallet()
	move := func(l *position) float64 {
		if i, ok := findShock(shocks, l.name); ok {
			return shocks[i].Pct
		}
		return star
	}
	positive, sum, deadIsolated := 0.0, 0.0, 0.0
	survives := true
	for k := range pools {
		p := &pools[k]
		positive += max(p.equity, 0)
		pnl, dies := s.shockPool(r, p, k, legs, move)
		sum += pnl
		if dies && p.position >= 0 {
			deadIsolated += max(p.equity, 0)
		} else if dies {
			survives = false
		}
	}
	r.list(legs, pools, move)
	r.nameShocks(shocks, legs, move)
	r.PnLUSD = sum
	plain := 0.0
	for k := range pools {
		plain += pools[k].equity
	}
	r.AccountValueUSD = valueOf(positive, plain) + sum
	r.AccountSurvives = survives && positive+sum >= minLeftUSD && !(positive > 0 && deadIsolated >= deadShare*positive)
	r.Meta.date(&s.In)
}

// shockedWallet returns the legs of the wallet after its trade, collateral last, each with its pool's
// index, and the pools.
func (s *Scratch) shockedWallet() ([]leg, []marginPool) {
	a, v := &s.account, &s.view
	if s.In.AsHeld {
		s.In.Trade, s.In.heldAt = Trade{Asset: noTarget}, 0
		s.readHeld(-1)
		s.listLegs(&s.portfolio, &v.position)
		return s.portfolio.legs, a.pools
	}
	s.begin()
	t := &v.plan
	s.fill(&v.outcome, t)
	t.positionAfter(&v.position, &v.market, a, &v.after, v.fillPrice)
	s.listLegs(&s.portfolio, &v.position)
	a.pools[a.pool].equity = v.after.counted
	if t.mode == Isolated {
		own := -1
		if t.index >= 0 {
			own = a.positions[t.index].own
		} else if v.position.units != 0 {
			own = len(a.pools)
			a.pools = append(a.pools, marginPool{mode: PoolIsolated, dex: a.pools[a.pool].dex})
		}
		if own >= 0 {
			a.pools[own].equity = 0
			if s.portfolio.target >= 0 {
				a.pools[own].equity = v.after.equity
				s.portfolio.legs[s.portfolio.target].own = own
			}
		}
	}
	for i := range s.portfolio.legs[:s.portfolio.count] { // the indexes after the trade
		if own := s.portfolio.legs[i].own; own >= 0 {
			a.pools[own].position = i
		}
	}
	return s.portfolio.legs, a.pools
}

// shockPool adds one pool to the report, if it has a position, and returns its P&L, USD.
func (s *Scratch) shockPool(
	r *ShockReport, p *marginPool, k int, legs []leg, move func(*position) float64,
) (pnl float64, dies bool) {
	gain, maintenance, positions, any := 0.0, 0.0, 0, false
	for i := range legs {
		l := &legs[i]
		if s.account.poolIndex(&l.position) != k {
			continue
		}
		any = true
		x := move(&l.position) / pctPerUnit
		gain += l.signed() * x
		if !l.collateral {
			maintenance += l.maintenanceOf(l.notional() * (1 + x))
			positions++
		}
	}
	if !any {
		return 0, false
	}
	if dies = positions > 0 && !(p.equity+gain > maintenance); dies {
		pnl = -max(p.equity, 0)
	} else {
		pnl = max(gain, -max(p.equity, 0))
	}
	p.stress = poolStress{fails: dies}
	if positions == 0 {
		return pnl, dies
	}
	out := ShockedPool{
		Dex: p.dex, Mode: p.mode, EquityUSD: p.equity + pnl, MaintenanceUSD: maintenance,
		MaintenanceRatioPct: maintenanceRatioPct(maintenance, p.equity+gain), PnLUSD: pnl, Survives: !dies,
	}
	if out.Dex == mc.Everywhere {
		out.Dex = ""
	}
	if p.mode == PoolIsolated {
		out.Asset = legs[p.position].name
	}
	if dies {
		out.PositionsLiquidated = positions
	}
	r.Pools = append(r.Pools, out)
	return pnl, dies
}

// list fills in the legs: those of cross pools with collateral last, then isolated positions.
func (r *ShockReport) list(legs []leg, pools []marginPool, move func(*position) float64) {
	for _, isolated := range [2]bool{false, true} {
		for i := range legs {
			l := &legs[i]
			if l.isolated != isolated {
				continue
			}
			k := l.pool
			if isolated {
				k = l.own
			}
			r.Positions = append(r.Positions, ShockedPosition{
				Asset:       l.name,
				NotionalUSD: l.notional(),
				ShockPct:    move(&l.position),
				PnLUSD:      l.signed() * move(&l.position) / pctPerUnit,
				Liquidated:  pools[k].stress.fails && !l.collateral,
				Collateral:  l.collateral,
			})
		}
	}
}

// nameShocks lists the moves of the wallet's assets, and the named assets that it does not hold, by name.
func (r *ShockReport) nameShocks(shocks []CustomShock, legs []leg, move func(*position) float64) {
	for i := range legs {
		at, found := findShock(r.Applied, legs[i].name)
		if !found {
			r.Applied = slices.Insert(r.Applied, at, CustomShock{legs[i].name, move(&legs[i].position)})
		}
	}
	for _, shock := range shocks {
		if _, held := findShock(r.Applied, shock.Asset); !held {
			r.Unused = append(r.Unused, shock.Asset)
		}
	}
}

// findShock finds an asset in moves sorted by asset, or where it belongs.
func findShock(shocks []CustomShock, asset string) (at int, found bool) {
	return slices.BinarySearchFunc(
		shocks,
		asset,
		func(s CustomShock, asset string) int { return cmp.Compare(s.Asset, asset) },
	)
}
