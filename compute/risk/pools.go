package risk

import (
	mc "ballast/marketcache"
)

// PoolMode tells how a pool's collateral is shared.
type PoolMode uint8

const (
	PoolCross     PoolMode = iota // the cross positions of one dex
	PoolIsolated                  // one position with its own margin
	PoolUnified                   // the cross positions of all dexes with the same collateral
	PoolPortfolio                 // the same under portfolio margin
)

// String returns cross, isolated, unified or portfolio.
func (m PoolMode) String() string {
	return [...]string{"cross", "isolated", "unified", "portfolio"}[m]
}

// PoolState is one pool: positions that the venue liquidates together, and their equity.
type PoolState struct {
	Dex                 string // "" is the main dex; of no meaning for PoolUnified and PoolPortfolio
	Mode                PoolMode
	Asset               string  // of an isolated position; "" otherwise
	EquityUSD           float64 // may be negative
	MaintenanceRatioPct float64 // 100*maintenance/equity, 0 to 1000; the venue liquidates at 100
	HasProbability      bool    // false for a portfolio-margin pool that could not be read
	Probability24h      float64 // of liquidation within 24 hours
	Failed              uint32  // bit i is set when it does not survive scenario i
	WorstPnLUSD         float64 // the pool's lowest stress result
	tradesHere          bool    // it is the trade's pool
}

// poolModeOf is the mode of a cross pool. In the unified modes a pool that is not limited to one dex
// backs all cross positions with its collateral.
func poolModeOf(m mc.AccountMode, dex string) PoolMode {
	switch {
	case dex != mc.Everywhere:
	case m == mc.ModePortfolioMargin:
		return PoolPortfolio
	case m == mc.ModeUnified:
		return PoolUnified
	}
	return PoolCross
}

// marginPool is what the venue liquidates together, before the trade or after it, USD.
type marginPool struct {
	mode     PoolMode
	dex      string
	position int    // index of an isolated position in account.positions, -1 for a cross pool
	asset    string // of an isolated position; "" otherwise

	equity            float64 // A, at the snapshot's marks
	read, readInitial float64 // equity and initial margins at the venue's own marks
	held, heldMost    float64
	cash              float64 // under portfolio margin: the equity without the venue's lending, when read
	unreadable        bool

	positions            int // that count towards maintenance
	initial, maintenance float64

	stress poolStress
	chance [mc.ExcursionHorizons]float64 // of liquidation, when it was computed
}

// poolStress is how a pool fares in the scenarios so far.
type poolStress struct {
	failed uint32  // bit i is set when the pool dies in scenario i
	worst  float64 // lowest P&L, USD
	any    bool    // a scenario has been seen
}

// see takes in scenario i.
func (s *poolStress) see(i int, pnl float64, dies bool) {
	if dies {
		s.failed |= 1 << i
	}
	if !s.any || pnl < s.worst {
		s.worst, s.any = pnl, true
	}
}

// add adds a position's margins.
func (p *marginPool) add(l *position) {
	p.positions++
	p.initial += l.initialMargin()
	p.maintenance += l.maintenance()
}

// ratio is the maintenance margin in percent of the equity; 0 without a position.
func (p *marginPool) ratio() float64 {
	if p.positions == 0 {
		return 0
	}
	return maintenanceRatioPct(p.maintenance, p.equity)
}

// state describes the pool.
func (p *marginPool) state() PoolState {
	out := PoolState{
		Dex: p.dex, Mode: p.mode, Asset: p.asset, EquityUSD: p.equity, MaintenanceRatioPct: p.ratio(),
		HasProbability: !p.unreadable, Probability24h: p.chance[mc.Excursion24h],
		Failed: p.stress.failed, WorstPnLUSD: p.stress.worst,
	}
	if out.Dex == mc.Everywhere {
		out.Dex = ""
	}
	return out
}

// rest is a wallet without the trade's position: the other legs of the trade's cross pool, and the other
// pools. For a wallet assessed as held it is the whole wallet.
type rest struct {
	count int     // positions
	gross float64 // sum of their |notional|, USD
	cross legSum  // the other legs of the trade's cross pool

	// The other pools, USD: their number with a position, sums of equities, of margins, and the
	// largest maintenance ratio.
	pools                int
	positive, sumEquity  float64
	initial, maintenance float64
	ratioPct             float64

	shocks poolShocks // of the trade's cross pool
	others [ScenarioCount]walletShock
}

// legSum adds up legs of one pool, USD.
type legSum struct {
	positions, collateral int
	only                  int // index of a position; the only one if positions is 1
	initial, maintenance  float64
	gross                 float64
	net                   float64                       // signed notional, collateral included
	funding               [mc.ExcursionHorizons]float64 // expected, positive: paid
}

func (s *legSum) add(p *position, at int) {
	s.net += p.signed()
	if p.collateral {
		s.collateral++
		return
	}
	s.positions++
	s.only = at
	s.gross += p.notional()
	s.initial += p.initialMargin()
	s.maintenance += p.maintenance()
	for h := range s.funding {
		s.funding[h] += p.signed() * p.in.expectedFunding(h)
	}
}

// sum makes r the wallet without the position at index except, and fills in the pools' margins and how
// the other pools fare under stress.
func (r *rest) sum(a *account, except int) {
	*r = rest{}
	for i := range a.positions {
		p := &a.positions[i]
		a.pools[p.poolIndex()].add(p)
		if i == except {
			continue
		}
		r.count++
		r.gross += p.notional()
	}
	a.eachLeg(a.pool, except, func(i int, p *position) {
		r.cross.add(p, i)
		r.shocks.add(p)
	})
	r.shocks.squeeze(a, a.pool, except)
	for k := range a.pools {
		if p := &a.pools[k]; k != a.pool && !(except >= 0 && p.position == except) {
			r.addPool(a, k, p)
		}
	}
}

// addPool adds a pool other than the trade's.
func (r *rest) addPool(a *account, k int, p *marginPool) {
	if p.positions > 0 {
		r.pools++
	}
	r.positive += max(p.equity, 0)
	r.sumEquity += p.equity
	r.initial += p.initial
	r.maintenance += p.maintenance
	r.ratioPct = max(r.ratioPct, p.ratio())
	var shocks poolShocks
	if !shocks.sum(a, k) {
		return
	}
	p.stress = poolStress{}
	for i := range Scenarios {
		shock := shocks.at(i)
		r.others[i].add(i, p, &shock)
	}
}
