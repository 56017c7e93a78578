package risk

import (
	"math"

	"ballast/marketcache"
)

// boundSlack is the relative tolerance for rounding error at tier bounds.
const boundSlack = 1e-12

// tierTable is a margin table: the asset's, or a single tier for a position whose own maximum
// leverage differs from the asset's.
type tierTable struct {
	asset []marketcache.Tier
	own   [1]marketcache.Tier // used when own[0].MaxLeverage > 0
}

func (t *tierTable) list() []marketcache.Tier {
	if t.own[0].MaxLeverage > 0 {
		return t.own[:]
	}
	return t.asset
}

// tierFor returns the tier of a notional (USD).
func (t *tierTable) tierFor(notional float64) *marketcache.Tier {
	tiers := t.list()
	i := len(tiers) - 1
	for i > 0 && notional < tiers[i].LowerBoundUSD*(1-boundSlack) {
		i--
	}
	return &tiers[i]
}

// maintenance returns the maintenance margin of a notional, USD.
func (t *tierTable) maintenance(notional float64) float64 {
	tier := t.tierFor(notional)
	return notional*tier.MaintenanceRate - tier.DeductionUSD
}

// liquidationPrice solves equity = maintenance for the price of a position of q units (signed) at mark
// p. The pool has equity a. mOther is the maintenance margin of its other positions, whose marks stay
// fixed. x is the root whose notional lies in the tier used to compute it; ok is false if there is none.
func (t *tierTable) liquidationPrice(a, mOther, q, p float64) (x float64, tier *marketcache.Tier, ok bool) {
	units := math.Abs(q)
	tiers := t.list()
	for i := range tiers {
		tier = &tiers[i]
		x = (mOther - tier.DeductionUSD - a + q*p) / (q - units*tier.MaintenanceRate)
		if !(x > 0) || math.IsInf(x, 0) {
			continue
		}
		notional := units * x
		if notional < tier.LowerBoundUSD*(1-boundSlack) {
			continue
		}
		if i+1 < len(tiers) && notional > tiers[i+1].LowerBoundUSD*(1+boundSlack) {
			continue
		}
		return x, tier, true
	}
	return 0, nil, false
}

// position is one position of a wallet at the snapshot's mark, before the trade or after it.
type position struct {
	id       marketcache.AssetID
	name     string
	units    float64 // signed base units; 0 is flat
	entry    float64 // USD
	mark     float64 // USD
	leverage float64
	isolated bool    // also true for a cross position in a pool other than the trade's
	other    bool    // a cross position in a pool other than the trade's
	equity   float64 // USD: equity of an isolated position; if other, its share of its pool; else 0
	tiers    tierTable
	stress   stressRule
	in       *AssetInput
}

func (p *position) side() float64          { return sign(p.units) }
func (p *position) notional() float64      { return math.Abs(p.units) * p.mark }
func (p *position) initialMargin() float64 { return p.notional() / p.leverage }
func (p *position) maintenance() float64   { return p.tiers.maintenance(p.notional()) }

// account is a wallet before the trade, valued at the snapshot's marks.
type account struct {
	crossEquity float64 // A_before: equity of the cross pool, USD
	value       float64 // AV: crossEquity plus the isolated equities
	freeMargin  float64 // cross equity minus the initial margins of cross positions, at least 0
	estimated   bool    // the collateral could not be read exactly
	// empty: no open position and less than 1 USD. An opening trade is then assessed as if
	// exactly its initial margin had been deposited.
	empty bool
	// negative: the equity is negative, or below minEquity with open positions. No deposit
	// is assumed and no margin is added.
	negative  bool
	takerRate float64
	positions []position
	pool      int  // index of the wallet's pool that crossEquity describes
	target    int  // index of the trade's asset in positions, -1 without a position
	rest      rest // all positions except the target
	margin    MarginState
}

const (
	// minEquity: equity below this counts as zero, USD. Cash of 1e-12 is rounding error.
	minEquity = 0.01
	// emptyBelowUSD is the account value below which a wallet without positions is empty.
	emptyBelowUSD = 1
	// portfolioMarginLimit is the venue's liquidation threshold under portfolio margin.
	portfolioMarginLimit = 0.95
)

// read fills the account from the snapshot.
//
// crossEquity is the equity of the pool that backs the trade's asset. A cross position in another pool
// is treated as isolated, with its share of that pool. If the feed lists no pools, all cross positions
// share one, whose equity in standard mode is the venue's account value. In other modes part of the
// collateral is in spot balances. The equity is then inferred from a liquidation price that the venue
// quotes; without one it is, in the unified modes, the spot USDC balance minus the isolated equities.
func (a *account) read(in *Input) {
	src := in.Account
	a.positions = a.positions[:0]
	a.takerRate, a.target = src.TakerRate, -1
	a.estimated = src.ModeUncertain || len(src.Unread) > 0 || src.Mode == marketcache.ModePortfolioMargin

	equity := src.CrossAccountValueUSD
	if a.pool = src.PoolOf(in.Target.Market.Asset); in.heldAt > 0 {
		a.pool = src.Positions[in.heldAt-1].Pool
	}
	if len(src.Pools) > 0 {
		equity = src.Equity(a.pool)
	} else if src.Mode != marketcache.ModeDisabled {
		if inverted, ok := invertEquity(in); ok {
			equity = inverted
		} else if src.Mode == marketcache.ModeUnified || src.Mode == marketcache.ModePortfolioMargin {
			equity = src.SpotUSDC
			for i := range src.Positions {
				if pos := &src.Positions[i]; pos.Isolated {
					equity -= pos.RawUSD + pos.Units*readMark(pos)
				}
			}
		}
	}
	for i := range src.Positions {
		a.positions = append(a.positions, position{})
		p := &a.positions[i]
		p.read(&src.Positions[i], &in.Held[i], a.pool)
		if p.id == in.Trade.Asset && in.heldAt == 0 || i == in.heldAt-1 {
			a.target = i
		}
		if !p.isolated {
			equity += p.units * (p.mark - readMark(&src.Positions[i]))
		}
	}
	a.crossEquity = equity
	a.rest.sum(a.positions, a.target)
	a.measure()
	if ratio := src.PortfolioMarginRatio; ratio > 0 && src.Mode == marketcache.ModePortfolioMargin {
		a.margin.MaintenanceRatioPct = min(pctPerUnit*ratio/portfolioMarginLimit, maxMaintenanceRatioPct)
	}
}

// read fills p from the venue's answer and the asset's snapshot; pool is the trade's pool.
func (p *position) read(src *marketcache.Position, in *AssetInput, pool int) {
	*p = position{
		id: src.Asset, name: src.Name, units: src.Units, entry: src.EntryPrice, mark: readMark(src),
		leverage: max(src.Leverage, 1), isolated: src.Isolated || src.Pool != pool, other: !src.Isolated && src.Pool != pool,
		tiers: tiersOf(src, in), stress: stressRuleOf(in), in: in,
	}
	if ctx := in.Market.Context; ctx != nil {
		p.mark = ctx.MarkPrice
	}
	if p.isolated {
		p.equity = src.RawUSD + p.units*p.mark
	}
}

// measure fills in the figures derived from the pool's equity and the positions.
func (a *account) measure() {
	book := a.rest.margin
	if a.target >= 0 {
		book.add(&a.positions[a.target])
	}
	a.freeMargin = max(0, a.crossEquity-book.crossInitial)
	a.value = a.crossEquity + book.isolatedEquity
	a.margin = book.state(a.crossEquity)
	open, cross := len(a.positions) > 0, book.cross > 0
	a.negative = min(a.crossEquity, a.value) <= -minEquity || a.crossEquity < minEquity && cross || a.value < minEquity && open
	a.empty = !open && !a.negative && a.value < emptyBelowUSD
}

// readMark is the mark price that the venue used for a position in its answer.
func readMark(pos *marketcache.Position) float64 { return pos.ValueUSD / math.Abs(pos.Units) }

// tiersOf returns the margin table of a position: the asset's, or a single tier of the
// position's own maximum leverage if that differs or the asset is unknown.
func tiersOf(pos *marketcache.Position, in *AssetInput) tierTable {
	asset := in.Market.Asset
	if asset != nil && (pos.MaxLeverage == asset.MaxLeverage || pos.MaxLeverage <= 0) {
		return tierTable{asset: asset.Tiers}
	}
	lev := pos.MaxLeverage
	if lev <= 0 {
		lev = 1 // nothing known: the strictest table
	}
	return tierTable{own: [1]marketcache.Tier{{MaxLeverage: lev, MaintenanceRate: 1 / (2 * lev)}}}
}

// invertEquity returns the pool equity implied by the venue's liquidation price of the largest
// cross position that has one, at the marks of the same answer.
func invertEquity(in *Input) (equity float64, ok bool) {
	positions := in.Account.Positions
	best, maintenance := -1, 0.0
	for i := range positions {
		pos := &positions[i]
		if pos.Isolated {
			continue
		}
		tiers := tiersOf(pos, &in.Held[i])
		maintenance += tiers.maintenance(pos.ValueUSD)
		if pos.LiquidationPrice > 0 && (best < 0 || pos.ValueUSD > positions[best].ValueUSD) {
			best = i
		}
	}
	if best < 0 {
		return 0, false
	}
	pos := &positions[best]
	tiers := tiersOf(pos, &in.Held[best])
	other := maintenance - tiers.maintenance(pos.ValueUSD)
	x, units := pos.LiquidationPrice, math.Abs(pos.Units)
	tier := tiers.tierFor(units * x)
	return other - tier.DeductionUSD - x*(pos.Units-units*tier.MaintenanceRate) + pos.Units*readMark(pos), true
}
