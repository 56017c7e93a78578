package risk

import (
	"slices"
	"time"

	mc "ballast/marketcache"
)

// Batch carries a sequence of trades of one wallet. Each is assessed as if the trades before it
// had filled at their estimated prices. A batch carries over positions, margin, fees, added open
// interest, and the units taken from the order books. Each asset's data is read once.
//
// For each trade call Fill, Engine.Assess, Apply. Create it with Engine.NewBatch; not safe for
// concurrent use.
type Batch struct {
	snapshotter snapshotter
	account     *mc.Account // the account after the trades so far; like all of a snapshot it does not change
	age         time.Duration
}

// NewBatch starts a sequence; the arguments are those of Fill.
func (e *Engine) NewBatch(c *mc.Cache, account *mc.Account, age time.Duration, now mc.Instant, wallMs int64) *Batch {
	return &Batch{
		snapshotter: snapshotter{
			ages: &e.ages, cache: c, model: c.Model(), now: now, wallMs: wallMs,
			running: map[mc.AssetID]*AssetInput{}, asRead: account.Positions,
		},
		account: account, age: age,
	}
}

// Fill takes the snapshot for t after the trades before it. The snapshot is valid until the next Apply.
func (b *Batch) Fill(in *Input, t *Trade) Unavailable {
	return b.snapshotter.fill(in, t, b.account, b.age)
}

// Apply updates the wallet and the market by the trade that s has just assessed. A close
// without a position changes nothing.
func (b *Batch) Apply(s *Scratch) {
	t := &s.view.plan
	if t.kind == noFill || t.kind == held || t.units == 0 {
		return
	}
	market := b.snapshotter.running[t.asset.ID]
	taken, _ := t.taking()
	if t.direction > 0 {
		market.TakenAsks += taken
	} else {
		market.TakenBids += taken
	}
	context := *market.Market.Context
	context.OpenInterestUnits += t.increaseUSD / t.mark
	market.Market.Context = &context
	own := *b.account
	own.Positions, own.Pools = slices.Clone(own.Positions), slices.Clone(own.Pools)
	own.Collateral, own.Settings = slices.Clone(own.Collateral), slices.Clone(own.Settings)
	own.PortfolioMarginRatio = 0 // of the wallet before the trades
	move(&own, s)
	b.keepHeld(&own, &s.account)
	b.account = &own
}

// keepHeld lets the margin held for resting orders stay what it was: the pool of the trade keeps what the
// trade saw, and the margin available in an asset follows the room of its pool. own is the account after the trade,
// acct before it.
func (b *Batch) keepHeld(own *mc.Account, acct *account) {
	pools := own.Pools
	pools[acct.pool].HeldUSD, pools[acct.pool].HeldMostUSD = acct.held, acct.heldMost
	for i := range own.Settings {
		set := &own.Settings[i]
		k := own.PoolOf(b.snapshotter.cache.Universe().Asset(set.Asset))
		if !set.HasAvailable || k == mc.NoPool {
			continue
		}
		before := &acct.pools[k]
		change := pools[k].EquityUSD - (before.read - before.readInitial)
		for j := range own.Positions {
			if p := &own.Positions[j]; !p.Isolated && p.Pool == k {
				change -= p.ValueUSD / max(p.Leverage, 1)
			}
		}
		set.AvailableUSD[0], set.AvailableUSD[1] = set.AvailableUSD[0]+change, set.AvailableUSD[1]+change
	}
}

// move applies the fill to the account, whose pools then have their equity listed.
func move(own *mc.Account, s *Scratch) {
	t, acct, fill := &s.view.plan, &s.account, s.view.fillPrice
	after := &s.view.after
	own.CrossAccountValueUSD = after.cross
	for len(own.Pools) < len(acct.pools) && acct.pools[len(own.Pools)].position < 0 {
		p := &acct.pools[len(own.Pools)] // the only pool, or one that the wallet had no money in
		own.Pools = append(own.Pools, mc.Pool{
			Dex: p.dex, Token: t.asset.CollateralToken, HeldUSD: p.held, HeldMostUSD: p.heldMost, CashUSD: p.cash,
		})
	}
	for k := range own.Pools { // revalued at the snapshot's marks
		own.Pools[k].EquityUSD = acct.pools[k].equity
	}
	pool := &own.Pools[acct.pool]
	pool.EquityUSD = after.cross
	pool.CashUSD += after.cross - acct.crossEquity
	positions := own.Positions
	for i := range positions {
		h := &acct.positions[i]
		positions[i].ValueUSD, positions[i].LiquidationPrice = h.notional(), 0
	}
	for i := range own.Collateral {
		own.Collateral[i].Mark = acct.collateral[i].mark
	}
	if t.after == 0 {
		if t.index >= 0 { // false for an opening trade below flatUSD
			own.Positions = slices.Delete(positions, t.index, t.index+1)
			own.Settings = append([]mc.LeverageSetting{{
				Asset: t.asset.ID, Leverage: t.leverage, Isolated: t.mode == Isolated, ModeKnown: true,
			}}, own.Settings...)
		}
		return
	}
	p := mc.Position{
		Asset: t.asset.ID, Name: t.asset.Name, MaxLeverage: t.asset.MaxLeverage, Pool: acct.pool,
	}
	if t.index >= 0 {
		p = positions[t.index]
	}
	p.EntryPrice = t.entryAfter(fill)
	p.Units, p.ValueUSD = t.after, t.valueAfter
	if t.index < 0 || t.leverageSource != SourceDefault { // not known otherwise
		p.Leverage = t.leverage
	}
	p.Isolated, p.RawUSD, p.MarginUsedUSD = t.mode == Isolated, 0, t.valueAfter/t.leverage
	if p.Isolated {
		equity := after.isolated
		p.RawUSD, p.MarginUsedUSD = equity-t.after*t.mark, equity
	}
	if t.index >= 0 {
		positions[t.index] = p
		return
	}
	own.Positions = append(positions, p)
}
