package risk

import (
	"cmp"
	"slices"
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
	Flags           FlagSet // FlagStaleMarketData, or none
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
	var all walletShock
	positive, sum := 0.0, 0.0 // of the pools' equities
	for k := range pools {
		p := &pools[k]
		positive, sum = positive+max(p.equity, 0), sum+p.equity
		shock := p.moved(k, legs, move)
		all.add(0, p, &shock)
		if p.positions > 0 {
			r.Pools = append(r.Pools, p.shockedPool(&shock))
		}
	}
	r.list(legs, pools, move)
	r.nameShocks(shocks, legs, move)
	r.PnLUSD, r.AccountValueUSD, r.AccountSurvives = all.pnl, valueOf(positive, sum)+all.pnl, !all.fails(positive)
	r.Flags.when(FlagStaleMarketData, s.In.Stale)
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
			a.pools = append(a.pools, marginPool{mode: PoolIsolated, dex: a.pools[a.pool].dex, asset: t.asset.Name})
		}
		if own >= 0 {
			a.pools[own].equity = 0
			if s.portfolio.target >= 0 {
				a.pools[own].equity = v.after.equity
				s.portfolio.legs[s.portfolio.target].own = own
			}
		}
	}
	return s.portfolio.legs, a.pools
}

// moved is what the moves do to pool k, and counts its positions.
func (p *marginPool) moved(k int, legs []leg, move func(*position) float64) (shock poolShock) {
	p.positions, p.stress = 0, poolStress{}
	for i := range legs {
		l := &legs[i]
		if l.poolIndex() != k {
			continue
		}
		x := move(&l.position) / pctPerUnit
		shock.move += l.signed() * x
		if !l.collateral {
			shock.maintenance += l.maintenanceOf(l.notional() * (1 + x))
			p.positions++
		}
	}
	shock.mark = shock.move
	return shock
}

// shockedPool describes the pool after its moves.
func (p *marginPool) shockedPool(shock *poolShock) ShockedPool {
	state := p.state()
	out := ShockedPool{
		Dex: state.Dex, Mode: state.Mode, Asset: state.Asset, EquityUSD: p.equity + state.WorstPnLUSD,
		MaintenanceUSD:      shock.maintenance,
		MaintenanceRatioPct: maintenanceRatioPct(shock.maintenance, p.equity+shock.move),
		PnLUSD:              state.WorstPnLUSD, Survives: state.Failed == 0,
	}
	if p.stress.failed != 0 {
		out.PositionsLiquidated = p.positions
	}
	return out
}

// list fills in the legs: those of cross pools with collateral last, then isolated positions.
func (r *ShockReport) list(legs []leg, pools []marginPool, move func(*position) float64) {
	for _, isolated := range [2]bool{false, true} {
		for i := range legs {
			l := &legs[i]
			if l.isolated != isolated {
				continue
			}
			r.Positions = append(r.Positions, ShockedPosition{
				Asset:       l.name,
				NotionalUSD: l.notional(),
				ShockPct:    move(&l.position),
				PnLUSD:      l.signed() * move(&l.position) / pctPerUnit,
				Liquidated:  pools[l.poolIndex()].stress.failed != 0 && !l.collateral,
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
	return slices.BinarySearchFunc(shocks, asset,
		func(s CustomShock, asset string) int { return cmp.Compare(s.Asset, asset) })
}
