package sim

import (
	"math"
	"sync"

	"ballast/marketcache/venue/hyperliquid"
)

// account is a wallet's positions and cash.
type account struct {
	*Wallet
	mu        sync.Mutex // cash moves when the account is read: a top-up
	positions []*position
	// cash is the pool's raw USD: collateral = cash + sum of cross units*mark.
	cash float64
}

// position is one open position.
type position struct {
	asset    *asset
	size     int64 // size units, signed
	leverage int
	isolated bool
	entry    float64 // USD
	raw      float64 // isolated: equity = raw + units*mark
	margins  []margin
	maxLever int
}

// units is the signed size in base units.
func (p *position) units() float64 { return p.asset.baseUnits(p.size) }

// value is the notional at mark, USD.
func (p *position) value() float64 { return math.Abs(p.units()) * p.asset.markUSD() }

// openAccounts opens the positions of all wallets at the present marks.
func (m *market) openAccounts() {
	for i := range Wallets {
		w := &Wallets[i]
		acc := &account{Wallet: w}
		holds := w.holds
		if w.spread > 0 {
			holds = m.everywhere(w.spread)
		}
		for _, h := range holds {
			if a := m.byName[h.coin]; a != nil { // a small universe lacks some
				acc.positions = append(acc.positions, open(a, h, w.override))
			}
		}
		acc.cash = roundUSD(w.equity - acc.crossValue())
		m.accounts[w.Address] = acc
	}
}

// everywhere is a holding in each live asset of the main dex, long and short in turn.
func (m *market) everywhere(usd float64) []holding {
	var holds []holding
	for i, a := range m.dexAssets("") {
		if a.life == delisted || a.life == unopened {
			continue
		}
		h := holding{a.name, usd * (0.5 + newKey(m.seed, 9).uniform(int64(i))), min(3, a.maxLeverage), a.marginMode != "", 1}
		if i%3 == 1 {
			h.usd = -h.usd
		}
		holds = append(holds, h)
	}
	return holds
}

// open makes a position of a holding; an isolated one gets its initial margin and a
// tenth more.
func open(a *asset, h holding, override int) *position {
	mark := a.markUSD()
	p := &position{
		asset: a, leverage: min(h.leverage, a.maxLeverage), isolated: h.isolated || a.marginMode != "",
		size:     int64(math.Round(h.usd / mark * float64(pow10[a.szDecimals]))),
		entry:    significant(mark*h.entry, 6),
		margins:  margins(a.tiers),
		maxLever: a.maxLeverage,
	}
	if override > 0 {
		p.maxLever = override
		p.margins = margins([]tier{{0, override}})
	}
	if p.isolated {
		p.raw = roundUSD(1.1*p.value()/float64(p.leverage) - p.units()*mark)
	}
	return p
}

// crossValue is the sum of units*mark over the pool.
func (acc *account) crossValue() float64 {
	sum := 0.0
	for _, p := range acc.positions {
		if !p.isolated {
			sum += p.units() * p.asset.markUSD()
		}
	}
	return sum
}

// crossMaintenance is the pool's maintenance margin.
func (acc *account) crossMaintenance() float64 {
	sum := 0.0
	for _, p := range acc.positions {
		if !p.isolated {
			sum += maintenance(p.margins, p.value())
		}
	}
	return sum
}

// collateral returns the pool's equity A at the present marks, after any top-up.
func (acc *account) collateral() float64 {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	value, needed := acc.crossValue(), acc.crossMaintenance()
	switch {
	case acc.health > 0:
		acc.cash = roundUSD(acc.health*needed - value)
	case acc.pinned:
		acc.cash = roundUSD(acc.equity - value)
	case acc.cash+value < 2*needed:
		acc.cash = roundUSD(max(acc.equity, 4*needed) - value)
	}
	return acc.cash + value
}

// clearinghouse prints a wallet's account on one dex. The caller holds the market's
// read lock. acc may be nil: a wallet never seen.
func (acc *account) clearinghouse(dex string, ms int64) hyperliquid.ClearinghouseState {
	out := hyperliquid.ClearinghouseState{AssetPositions: []hyperliquid.AssetPosition{}, Time: ms}
	if acc == nil {
		acc = &account{Wallet: &Wallet{}}
	}
	pool := 0.0
	if dex == "" {
		pool = acc.collateral()
	}
	needed := acc.crossMaintenance()
	var cross, isolated sums
	for _, p := range acc.positions {
		if p.asset.dex != dex {
			continue
		}
		row, margin := p.print(pool, needed)
		out.AssetPositions = append(out.AssetPositions, hyperliquid.AssetPosition{Type: "oneWay", Position: row})
		s := &cross
		if p.isolated {
			s = &isolated
			s.raw += p.raw
		}
		s.notional += p.value()
		s.signed += p.units() * p.asset.markUSD()
		s.margin += margin
	}
	if dex == "" {
		cross.raw = pool - cross.signed
		if acc.reported > 0 { // the rest of the collateral lies in spot
			cross.raw = roundUSD(acc.reported*pool - cross.signed)
		}
		out.Withdrawable = usd(max(0, pool-max(cross.margin, 0.1*cross.notional)))
		if acc.reported > 0 {
			out.Withdrawable = usd(0)
		}
		out.CrossMaintenanceMarginUsed = usd(needed)
	} else {
		out.Withdrawable, out.CrossMaintenanceMarginUsed = usd(0), usd(0)
	}
	out.CrossMarginSummary = cross.print()
	out.MarginSummary = cross.add(isolated).print()
	return out
}

// sums are the totals of a margin summary, USD.
type sums struct{ raw, signed, notional, margin float64 }

func (s sums) add(t sums) sums {
	return sums{s.raw + t.raw, s.signed + t.signed, s.notional + t.notional, s.margin + t.margin}
}

func (s sums) print() hyperliquid.MarginSummary {
	return hyperliquid.MarginSummary{
		AccountValue: usd(s.raw + s.signed), TotalNtlPos: usd(s.notional),
		TotalRawUsd: usd(s.raw), TotalMarginUsed: usd(s.margin),
	}
}

// print makes the wire's row and returns the margin used. pool is the collateral of
// cross positions, needed their maintenance margin.
func (p *position) print(pool, needed float64) (row hyperliquid.WirePosition, margin float64) {
	mark, q, value := p.asset.markUSD(), p.units(), p.value()
	equity, others := pool, needed-maintenance(p.margins, value)
	margin = value / float64(p.leverage)
	lever := hyperliquid.Leverage{Type: "cross", Value: p.leverage}
	if p.isolated {
		margin = p.raw + q*mark
		equity, others = margin, 0
		lever.Type, lever.RawUsd = "isolated", usd(p.raw)
	}
	pnl := q * (mark - p.entry)
	paid := q * mark * 0.0000125 * 24 * 5 // five days at the resting rate
	row = hyperliquid.WirePosition{
		Coin: p.asset.name, Szi: p.asset.sz(p.size), Leverage: lever,
		EntryPx: decimal(p.entry, p.asset.digits+1), PositionValue: usd(value), UnrealizedPnl: usd(pnl),
		ReturnOnEquity: decimal(pnl/(math.Abs(q)*p.entry/float64(p.leverage)), 10),
		MarginUsed:     usd(margin), MaxLeverage: p.maxLever,
		CumFunding: hyperliquid.CumFunding{AllTime: usd(3 * paid), SinceOpen: usd(paid), SinceChange: usd(paid / 4)},
	}
	if x, ok := liquidationPrice(p.margins, q, mark, equity, others); ok {
		s := decimal(x, 10)
		row.LiquidationPx = &s
	}
	return row, margin
}
