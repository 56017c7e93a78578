package risk

import (
	"math"
	"slices"
	"time"

	"ballast/marketcache"
)

// Batch carries a sequence of trades of one wallet. Each is assessed as if the trades before it
// had filled at their estimated prices. A batch carries over positions, margin, fees, added open
// interest, and the units taken from the order books. Each asset's data is read once.
//
// For each trade call Fill, Engine.Assess, Apply. Create it with Engine.NewBatch; not safe for
// concurrent use.
type Batch struct {
	snapshotter snapshotter
	account     *marketcache.Account // the account after the trades so far; &own after the first fill
	own         marketcache.Account
	age         time.Duration
}

// runningAsset is an asset after the trades of a batch so far.
type runningAsset struct {
	AssetInput
	context marketcache.Context // replaces AssetInput's context after the first trade in this asset
}

// NewBatch starts a sequence; the arguments are those of Fill.
func (e *Engine) NewBatch(c *marketcache.Cache, account *marketcache.Account, age time.Duration, now marketcache.Instant, wallMs int64) *Batch {
	return &Batch{
		snapshotter: snapshotter{
			ages: &e.ages, cache: c, model: c.Model(), now: now, wallMs: wallMs,
			running: map[marketcache.AssetID]*runningAsset{}, asRead: account.Positions,
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
	if t.direction > 0 {
		market.TakenAsks += math.Abs(t.units)
	} else {
		market.TakenBids += math.Abs(t.units)
	}
	market.context = *market.Market.Context
	market.context.OpenInterestUnits += t.increaseUSD / t.mark
	market.Market.Context = &market.context
	b.move(s)
}

// move applies the fill to the running account. It switches the account to standard mode, in
// which the pool's equity is given and need not be inferred.
func (b *Batch) move(s *Scratch) {
	t, acct, fill := &s.view.plan, &s.account, s.Out.Slippage.FillPrice
	if b.account != &b.own {
		b.own = *b.account
		b.own.Positions, b.own.Pools = slices.Clone(b.account.Positions), slices.Clone(b.account.Pools)
		b.own.Mode, b.own.ModeUncertain = marketcache.ModeDisabled, acct.estimated
		b.account = &b.own
	}
	after := &s.view.after
	b.own.CrossAccountValueUSD = after.cross
	pool := acct.pool
	if pool == marketcache.NoPool { // no pool backs this asset: add one
		dex := t.asset.Dex
		if b.own.Pools[0].Dex == marketcache.Everywhere {
			dex = marketcache.Everywhere
		}
		pool = len(b.own.Pools)
		b.own.Pools = append(b.own.Pools, marketcache.Pool{Dex: dex, Token: t.asset.CollateralToken})
	}
	if len(b.own.Pools) > 0 {
		b.own.Pools[pool].EquityUSD = after.cross
	}
	defer b.own.Share()
	positions := b.own.Positions
	for i := range positions { // revalued at the snapshot's marks, as the pool was
		h := &acct.positions[i]
		if h.other {
			b.own.Pools[positions[i].Pool].EquityUSD += h.units * (h.mark - readMark(&positions[i]))
		}
		positions[i].ValueUSD, positions[i].LiquidationPrice = h.notional(), 0
		positions[i].UnrealizedPnLUSD = h.units * (h.mark - h.entry)
	}
	if t.after == 0 {
		if t.index >= 0 { // false for an opening trade below flatUSD
			b.own.Positions = slices.Delete(positions, t.index, t.index+1)
			b.own.Settings = append([]marketcache.LeverageSetting{{Asset: t.asset.ID, Leverage: t.leverage}}, b.own.Settings...)
		}
		return
	}
	p := marketcache.Position{
		Asset: t.asset.ID, Name: t.asset.Name, MaxLeverage: t.asset.MaxLeverage, Pool: pool,
	}
	if t.index >= 0 {
		p = positions[t.index]
	}
	p.EntryPrice = t.entryAfter(fill)
	p.Units, p.ValueUSD, p.Leverage = t.after, t.valueAfter, t.leverage
	p.UnrealizedPnLUSD = t.after * (t.mark - p.EntryPrice)
	p.Isolated, p.RawUSD, p.MarginUsedUSD = t.mode == Isolated, 0, t.valueAfter/t.leverage
	if p.Isolated {
		equity := after.isolated
		p.RawUSD, p.MarginUsedUSD = equity-t.after*t.mark, equity
	}
	if t.index >= 0 {
		positions[t.index] = p
		return
	}
	b.own.Positions = append(positions, p)
}
