package sim

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sync"
)

// account is a wallet's positions and collateral.
type account struct {
	*Wallet
	mu        sync.Mutex        // guards the pools' cash of an account that does not trade
	assets    map[string]*asset // by name
	positions []*position
	// pools hold the collateral of cross positions, by dex. A pooled wallet has a single pool, under "",
	// for all dexes whose collateral is USDC.
	pools    map[string]*pool
	orders   []*order
	settings map[string]int // leverage chosen by asset; negative: isolated
	*trading                // of an account that trades; nil: the account keeps its positions
}

// nobody is the account of every wallet unknown to the venue: all figures are zero.
var nobody = &account{Wallet: &Wallet{mode: "default", role: "missing"}}

// pool is the collateral of cross positions. Its equity is cash + sum of units*mark.
type pool struct {
	cash, start float64
	positions   []*position
}

// position is one open position.
type position struct {
	asset    *asset
	size     int64 // size units, signed
	leverage int
	isolated bool
	entry    float64 // USD
	raw      float64 // cash of an isolated position, USD: equity = raw + units*mark
	margins  []margin
	maxLever int
	funding  *funding // paid by an account that trades; nil: invented
}

// reducedBy reports whether there is a position and an order of that side reduces it.
func (p *position) reducedBy(buys bool) bool { return p != nil && p.size < 0 == buys }

// units returns the signed size in base units, value the notional at the mark in USD.
func (p *position) units() float64 { return p.asset.baseUnits(p.size) }
func (p *position) value() float64 { return math.Abs(p.units()) * p.asset.markUSD() }

// openAccount opens a wallet's positions at the current marks.
func (m *market) openAccount(w *Wallet) *account {
	acc := &account{Wallet: w, assets: m.byName, pools: map[string]*pool{"": {start: w.equity}},
		settings: map[string]int{}}
	maps.Copy(acc.settings, w.settings)
	for dex, equity := range w.dexEquity {
		acc.pools[dex] = &pool{start: equity}
	}
	holds := w.holds
	if w.spread > 0 {
		holds = m.everywhere(w.spread)
	}
	for _, h := range holds {
		if a := m.byName[h.coin]; a != nil { // a small universe lacks some assets
			p := open(a, h, w.override)
			acc.positions = append(acc.positions, p)
			if !p.isolated {
				on := acc.pool(a.dex, 0)
				on.positions = append(on.positions, p)
			}
		}
	}
	for _, p := range acc.pools {
		p.cash = roundUSD(p.start - p.value())
	}
	acc.openOrders(m)
	m.accounts[w.Address] = acc
	return acc
}

// position returns the account's position in an asset, nil without one.
func (acc *account) position(a *asset) *position {
	for _, p := range acc.positions {
		if p.asset == a {
			return p
		}
	}
	return nil
}

// pool returns the pool behind an account's cross positions on a dex.
func (acc *account) pool(dex string, token int) *pool {
	if acc.pooled {
		dex = ""
	}
	if p := acc.pools[dex]; p != nil && (!acc.pooled || token == 0) {
		return p
	}
	return &pool{} // empty
}

// everywhere returns a holding of about usd in each live asset of the main dex; a third of them are short.
func (m *market) everywhere(usd float64) []holding {
	var holds []holding
	for i, a := range m.dex("").assets {
		if a.life == delisted || a.life == unopened {
			continue
		}
		h := holding{a.name, usd * (0.5 + newKey(m.seed, 9).uniform(int64(i))), min(3, a.maxLeverage),
			a.marginMode != "", 1}
		if i%3 == 1 {
			h.usd = -h.usd
		}
		holds = append(holds, h)
	}
	return holds
}

// open opens the position of a holding; an isolated one gets 1.1 times its initial margin.
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

// equity returns the equity of an isolated position, which is also its margin used, rounded as on the
// wire.
func (p *position) equity() float64 { return roundUSD(p.raw + p.units()*p.asset.markUSD()) }

// everyDex stands for all dexes in a sum.
const everyDex = "*"

// sum adds up a figure of the pool's positions on a dex.
func (p *pool) sum(dex string, figure func(*position) float64) (sum float64) {
	for _, x := range p.positions {
		if dex == everyDex || dex == x.asset.dex {
			sum += figure(x)
		}
	}
	return sum
}

// value returns the sum of units*mark over the pool.
func (p *pool) value() float64 {
	return p.sum(everyDex, func(x *position) float64 { return x.units() * x.asset.markUSD() })
}

// maintenance returns the maintenance margin of the pool's positions on a dex, rounded as on the wire.
func (p *pool) maintenance(dex string) float64 {
	return roundUSD(p.sum(dex, func(x *position) float64 { return maintenance(x.margins, x.value()) }))
}

// required returns the pool's maintenance margin over all dexes: the sum of the rounded values.
func (p *pool) required() (sum float64) {
	for _, dex := range p.dexes() {
		sum += p.maintenance(dex)
	}
	return sum
}

// initial returns the margin used by the pool's positions on a dex.
func (p *pool) initial(dex string) float64 {
	return p.sum(dex, func(x *position) float64 { return x.value() / float64(x.leverage) })
}

// dexes returns the dexes on which the pool has positions.
func (p *pool) dexes() []string {
	var names []string
	for _, x := range p.positions {
		if !slices.Contains(names, x.asset.dex) {
			names = append(names, x.asset.dex)
		}
	}
	return names
}

// slice returns the part of a pool's collateral that a dex's accountValue shows: the initial margin on that
// dex, reduced in proportion if the initial margins of all dexes exceed the collateral.
func (p *pool) slice(dex string, collateral float64) float64 {
	own, all := p.initial(dex), p.initial(everyDex)
	if all > collateral {
		own *= max(collateral, 0) / all
	}
	return roundUSD(own)
}

// collateral returns a pool's equity at the current marks, after setting its cash as Wallets describes.
func (acc *account) collateral(p *pool) float64 {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	value, needed := p.value(), p.required()
	switch {
	case acc.trading != nil:
	case acc.health > 0:
		p.cash = roundUSD(acc.health*needed - value)
	case acc.pinned:
		p.cash = roundUSD(p.start - value)
	case p.cash+value < 2*needed:
		p.cash = roundUSD(max(p.start, 4*needed) - value)
	}
	return roundUSD(p.cash + value)
}

// clearinghouse returns a wallet's account on a dex. The caller holds the market's read lock.
func (m *market) clearinghouse(acc *account, name string, f *faults) object {
	return acc.clearinghouse(name, m.dex(name).token, m.nowMs+f.skewMs())
}

// clearinghouse returns a wallet's account on one dex; token is the dex's collateral token.
func (acc *account) clearinghouse(dex string, token int, ms int64) object {
	positions := []object{}
	on := acc.pool(dex, token)
	collateral, required, needed := acc.collateral(on), on.required(), on.maintenance(dex)
	var cross, isolated sums
	for _, p := range acc.positions {
		if p.asset.dex != dex {
			continue
		}
		row, margin := p.encode(collateral+acc.lent(), required)
		positions = append(positions, object{"type": "oneWay", "position": row})
		s := &cross
		if p.isolated {
			s = &isolated
			s.value += margin
		}
		s.notional += p.value()
		s.signed += p.units() * p.asset.markUSD()
		s.margin += margin
	}
	cross.value = collateral
	withdrawable := max(0, collateral-max(cross.margin, 0.1*cross.notional)-acc.held(dex))
	if acc.pooled { // the rest is in the spot state
		cross.value, withdrawable = on.slice(dex, collateral), 0
	}
	return object{
		"marginSummary": cross.add(isolated).encode(), "crossMarginSummary": cross.encode(),
		"crossMaintenanceMarginUsed": usd(needed),
		"withdrawable":               usd(withdrawable), "assetPositions": positions, "time": ms,
	}
}

// sums are the totals of a margin summary, USD.
type sums struct{ value, signed, notional, margin float64 }

func (s sums) add(t sums) sums {
	return sums{s.value + t.value, s.signed + t.signed, s.notional + t.notional, s.margin + t.margin}
}

func (s sums) encode() object {
	return object{
		"accountValue": usd(s.value), "totalNtlPos": usd(s.notional),
		"totalRawUsd": usd(s.value - s.signed), "totalMarginUsed": usd(s.margin),
	}
}

// encode returns the position on the wire and its margin used. collateral and required are the equity
// and maintenance margin of the cross positions over all dexes of the pool.
func (p *position) encode(collateral, required float64) (row object, margin float64) {
	mark, q, value := p.asset.markUSD(), p.units(), p.value()
	equity, others := collateral, required-maintenance(p.margins, value)
	margin = value / float64(p.leverage)
	if p.isolated {
		margin = p.equity()
		equity, others = margin, 0
	}
	pnl := q * (mark - p.entry)
	paid := q * mark * 0.0000125 * 24 * 5 // five days at the default rate
	funding := cmp.Or(p.funding, &funding{3 * paid, paid, paid / 4})
	row = object{
		"coin": p.asset.name, "szi": p.asset.sz(p.size), "leverage": p.setting(),
		"entryPx": decimal(p.entry, p.asset.digits+1), "positionValue": usd(value), "unrealizedPnl": usd(pnl),
		"returnOnEquity": decimal(pnl/(math.Abs(q)*p.entry/float64(p.leverage)), 10),
		"liquidationPx":  nil, // null: there is no positive liquidation price
		"marginUsed":     usd(margin), "maxLeverage": p.maxLever,
		"cumFunding": object{"allTime": usd(funding.allTime), "sinceOpen": usd(funding.sinceOpen),
			"sinceChange": usd(funding.sinceChange)},
	}
	if x, ok := liquidationPrice(p.margins, q, mark, equity, others); ok {
		row["liquidationPx"] = decimal(x, 10)
	}
	return row, margin
}

// setting returns a position's leverage object, with the cash of an isolated position.
func (p *position) setting() object {
	if p.isolated {
		return object{"type": "isolated", "value": p.leverage, "rawUsd": usd(p.raw)}
	}
	return object{"type": "cross", "value": p.leverage}
}
