package risk

import (
	"math"
	"slices"
	"time"

	"ballast/marketcache"
)

// Batch carries a sequence of trades of one wallet, each assessed as if those before it
// had filled at their estimated prices: positions, margin and fees, the open interest
// they added, and the units they took out of the books. Every asset is photographed once.
//
// Per trade: Fill, Engine.Assess, Apply. Create it with Engine.NewBatch; one goroutine at
// a time.
type Batch struct {
	photographer photographer
	account      *marketcache.Account // the running one
	own          marketcache.Account  // its memory from the first fill on
	age          time.Duration
}

// taken is what a batch knows of one asset.
type taken struct {
	AssetInput
	context marketcache.Context // what AssetInput points to once open interest has grown
	book    marketcache.Book    // once units are gone
	own     bool                // the book's slices are ours
}

// NewBatch begins a sequence; the arguments are those of Fill.
func (e *Engine) NewBatch(c *marketcache.Cache, account *marketcache.Account, age time.Duration, now marketcache.Instant, wallMs int64) *Batch {
	return &Batch{
		photographer: photographer{
			ages: &e.ages, cache: c, model: c.Model(), now: now, wallMs: wallMs,
			taken: map[marketcache.AssetID]*taken{},
		},
		account: account, age: age,
	}
}

// Fill photographs what the assessment of t needs as the trades before it leave it. The
// photograph is good until the next Apply.
func (b *Batch) Fill(in *Input, t *Trade) Missing {
	return b.photographer.fill(in, t, b.account, b.age)
}

// Apply moves the wallet and the market on by the trade that s has just assessed. A close
// without a position fills nothing.
func (b *Batch) Apply(s *Scratch) {
	t := &s.view.plan
	if t.kind == nothing || t.kind == holdsFor || t.units == 0 {
		return
	}
	market := b.photographer.taken[t.asset.ID]
	market.take(t.direction, math.Abs(t.units))
	market.context = *market.Market.Context
	market.context.OpenInterestUnits += t.increaseUSD / t.mark
	market.Market.Context = &market.context
	b.move(s)
}

// move makes the running account the one after the fill. Its pool is known by now,
// whatever the mode: it is given as the venue gives it in the standard mode.
func (b *Batch) move(s *Scratch) {
	t, acct, fill := &s.view.plan, &s.account, s.Out.Slippage.FillPrice
	if b.account != &b.own {
		b.own = *b.account
		b.own.Positions = slices.Clone(b.account.Positions)
		b.own.Mode, b.own.ModeUncertain = marketcache.ModeDisabled, acct.estimated
		b.account = &b.own
	}
	after := t.pools(acct, fill, s.view.taker)
	b.own.CrossAccountValueUSD = after.cross
	positions := b.own.Positions
	for i := range positions { // at the photograph's marks, as the pool is
		h := &acct.holdings[i]
		positions[i].ValueUSD, positions[i].LiquidationPrice = h.notional(), 0
		positions[i].UnrealizedPnLUSD = h.units * (h.mark - h.entry)
	}
	if t.after == 0 {
		b.own.Positions = slices.Delete(positions, t.index, t.index+1)
		return
	}
	p := marketcache.Position{
		Asset: t.asset.ID, Name: t.asset.Name, EntryPrice: fill, MaxLeverage: t.asset.MaxLeverage,
	}
	if t.index >= 0 {
		p = positions[t.index]
	}
	switch t.kind {
	case flips:
		p.EntryPrice = fill
	case increases:
		p.EntryPrice = (p.EntryPrice*math.Abs(t.before) + fill*math.Abs(t.units)) / math.Abs(t.after)
	}
	p.Units, p.ValueUSD, p.Leverage = t.after, t.valueAfter, t.leverage
	p.UnrealizedPnLUSD = t.after * (t.mark - p.EntryPrice)
	p.Isolated, p.RawUSD, p.MarginUsedUSD = t.mode == Isolated, 0, t.valueAfter/t.leverage
	if p.Isolated {
		p.RawUSD, p.MarginUsedUSD = after.isolated-t.after*t.mark, after.isolated
	}
	if t.index >= 0 {
		positions[t.index] = p
		return
	}
	b.own.Positions = append(positions, p)
}

// take removes units from the side that an order of direction d takes from, best first.
// Mid, spread and what lies on the other side stay.
func (t *taken) take(d, units float64) {
	if !t.own {
		t.book, t.own = *t.Market.Book, true
		t.book.Asks, t.book.Bids = cloneSide(&t.book.Asks), cloneSide(&t.book.Bids)
		t.Market.Book = &t.book
	}
	s := &t.book.Bids
	if d > 0 {
		s = &t.book.Asks
	}
	gone := 0
	for gone < s.Len() && s.Units[gone] <= units*(1+roundingSlack) {
		units -= s.Units[gone]
		gone++
	}
	s.Price, s.Units = s.Price[gone:], s.Units[gone:]
	s.CumUnits, s.CumUSD = s.CumUnits[gone:], s.CumUSD[gone:]
	if s.Len() > 0 && units > 0 {
		s.Units[0] -= units
	}
	cumUnits, cumUSD := 0.0, 0.0
	for i := range s.Price {
		cumUnits += s.Units[i]
		cumUSD += s.Price[i] * s.Units[i]
		s.CumUnits[i], s.CumUSD[i] = cumUnits, cumUSD
	}
	if t.book.TwoSided() {
		s.MeasureDepth(t.book.MidPrice)
	}
}

func cloneSide(s *marketcache.Side) marketcache.Side {
	return marketcache.Side{
		Price: slices.Clone(s.Price), Units: slices.Clone(s.Units),
		CumUnits: slices.Clone(s.CumUnits), CumUSD: slices.Clone(s.CumUSD),
		Depth50USD: s.Depth50USD, Depth100USD: s.Depth100USD,
	}
}
