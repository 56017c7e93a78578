package risk

import (
	"math"
	"time"

	mc "ballast/marketcache"
)

// boundSlack is the relative tolerance for rounding error at tier bounds.
const boundSlack = 1e-12

// tierTable is a margin table: the asset's, or a single tier for a position whose own maximum
// leverage differs from the asset's.
type tierTable struct {
	asset []mc.Tier
	own   [1]mc.Tier // used when own[0].MaxLeverage > 0
}

func (t *tierTable) list() []mc.Tier {
	if t.own[0].MaxLeverage > 0 {
		return t.own[:]
	}
	return t.asset
}

// tierFor returns the tier of a notional (USD).
func (t *tierTable) tierFor(notional float64) *mc.Tier { return tierIn(t.list(), notional) }

func tierIn(tiers []mc.Tier, notional float64) *mc.Tier {
	i := 0
	for i+1 < len(tiers) && notional >= tiers[i+1].LowerBoundUSD*(1-boundSlack) {
		i++
	}
	return &tiers[i]
}

// maintenance returns the maintenance margin of a notional, USD.
func (t *tierTable) maintenance(notional float64) float64 { return maintenanceIn(t.list(), notional) }

func maintenanceIn(tiers []mc.Tier, notional float64) float64 {
	tier := tierIn(tiers, notional)
	return notional*tier.MaintenanceRate - tier.DeductionUSD
}

// liquidationPrice solves equity = maintenance for the price of a position of q units (signed) at mark
// p. The pool has equity a. mOther is the maintenance margin of its other positions, whose marks stay
// fixed. x is the root whose notional lies in the tier used to compute it; ok is false if there is none.
func (t *tierTable) liquidationPrice(a, mOther, q, p float64) (x float64, tier *mc.Tier, ok bool) {
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

// position is one leg of a wallet at the snapshot's mark, before the trade or after it: a position, or
// a balance that counts as collateral.
type position struct {
	id         mc.AssetID
	name       string
	units      float64 // signed base units; 0 is flat
	entry      float64 // USD; 0: not known
	mark       float64 // USD
	leverage   float64
	assumed    bool // the leverage is the venue's default, because the venue did not tell it
	isolated   bool
	collateral bool    // moves like a long position, without margin, funding or liquidation of its own
	pool       int     // index in account.pools of the cross pool behind it, also of an isolated position
	own        int     // index in account.pools of an isolated position's own pool, -1 otherwise
	equity     float64 // USD: equity of an isolated position, else 0
	tiers      tierTable
	stress     stressRule
	in         *AssetInput
}

func (p *position) side() float64          { return sign(p.units) }
func (p *position) signed() float64        { return p.units * p.mark }
func (p *position) notional() float64      { return math.Abs(p.units) * p.mark }
func (p *position) initialMargin() float64 { return p.notional() / p.leverage }
func (p *position) maintenance() float64   { return p.maintenanceOf(p.notional()) }

// poolIndex is the index of the pool that a leg is liquidated with.
func (p *position) poolIndex() int {
	if p.own >= 0 {
		return p.own
	}
	return p.pool
}

// liquidationPrice is that of an open position of the wallet before the trade, USD; 0 where there is none.
func (a *account) liquidationPrice(p *position) float64 {
	pool := &a.pools[p.poolIndex()]
	price, _, _ := p.tiers.distance(pool.equity, pool.maintenance-p.maintenance(), p.units, p.mark)
	return price
}

// maintenanceOf is the maintenance margin of the leg at another notional, USD.
func (p *position) maintenanceOf(notional float64) float64 {
	if p.collateral {
		return 0
	}
	return p.tiers.maintenance(notional)
}

// account is a wallet before the trade, valued at the snapshot's marks.
type account struct {
	pools       []marginPool // cross pools, then one for each isolated position
	pool        int          // the trade's cross pool: behind a cross position, and the source of isolated margin
	crossEquity float64      // A_before: equity of that pool, USD
	value       float64      // AV: sum over all pools of max(equity, 0); where nothing is left, the plain sum
	held        float64      // margin that the venue keeps for resting orders in the trade's pool, USD
	heldMost    float64      // the most that it may be; +Inf: no bound
	freeMargin  float64      // cross equity minus initial margins of the pool's positions and held, at least 0
	estimated   bool         // the collateral could not be read exactly
	assumed     bool         // the leverage of a position is not known
	// empty: no open position and less than 1 USD. An opening trade is then assessed as if
	// exactly its initial margin had been deposited.
	empty bool
	// negative: the equity is negative, or below minEquity with open positions. No deposit is assumed.
	negative   bool
	takerRate  float64
	positions  []position
	collateral []position // the legs that are not positions
	target     int        // index of the trade's asset in positions, -1 without a position
	rest       rest       // the wallet without the target
	margin     MarginState
}

// allPools is no pool in particular: eachLeg visits the legs of all.
const allPools = mc.NoPool

// eachLeg calls f for the legs of pool k with their indexes: its positions, without the one at index except,
// and its collateral, which is numbered after all positions.
func (a *account) eachLeg(k, except int, f func(i int, p *position)) {
	for i := range a.positions {
		if p := &a.positions[i]; i != except && (k == allPools || p.poolIndex() == k) {
			f(i, p)
		}
	}
	for i := range a.collateral {
		if p := &a.collateral[i]; k == allPools || p.pool == k {
			f(len(a.positions)+i, p)
		}
	}
}

const (
	// minEquity: equity below this counts as zero, USD. Cash of 1e-12 is rounding error.
	minEquity = 0.01
	// emptyBelowUSD is the account value below which a wallet without positions is empty.
	emptyBelowUSD = 1
	// portfolioMarginLimit is the venue's liquidation threshold under portfolio margin.
	portfolioMarginLimit = 0.95
	// availableFor is the largest difference in age between a wallet and the margin available in an asset.
	availableFor = 2 * time.Second
)

// read fills the account from the snapshot: all pools and their legs, the margins before the trade, and
// the rest of the wallet beside the trade's position.
func (a *account) read(in *Input) {
	src := in.Account
	a.takerRate, a.target, a.assumed = src.TakerRate, -1, false
	a.estimated = src.ModeUncertain || src.Misquoted || src.FeesDoubted || len(src.Unread) > 0 ||
		src.Mode == mc.ModePortfolioMargin
	a.readPools(in)
	a.readLegs(in)
	a.crossEquity = a.pools[a.pool].equity
	a.readHeld(in)
	except := a.target
	if in.AsHeld {
		except = -1
	}
	a.rest.sum(a, except)
	a.measure()
	if ratio := src.PortfolioMarginRatio; ratio > 0 && src.Mode == mc.ModePortfolioMargin {
		a.margin.MaintenanceRatioPct = min(pctPerUnit*ratio/portfolioMarginLimit, maxMaintenanceRatioPct)
	}
}

// readPools fills in the cross pools, at the venue's own marks. A wallet without listed pools has one.
// In standard mode its equity is the venue's account value. In other modes part of the collateral is in
// spot balances: the equity is inferred from a liquidation price that the venue quotes; without one it
// is, in the unified modes, the spot USDC balance minus the isolated equities.
func (a *account) readPools(in *Input) {
	src := in.Account
	a.pools = a.pools[:0]
	for i := range src.Pools {
		p := &src.Pools[i]
		a.pools = append(a.pools, marginPool{
			mode: poolModeOf(src.Mode, p.Dex), dex: p.Dex, position: -1, equity: p.EquityUSD, read: p.EquityUSD,
			held: p.HeldUSD, heldMost: p.HeldMostUSD, cash: p.CashUSD, unreadable: p.Unreadable,
		})
	}
	if len(src.Pools) == 0 {
		equity := src.CrossAccountValueUSD
		if src.Mode != mc.ModeDisabled {
			equity = inferredEquity(in)
		}
		a.pools = append(a.pools, marginPool{
			mode: poolModeOf(src.Mode, mc.Everywhere), dex: mc.Everywhere, position: -1,
			equity: equity, read: equity, cash: equity,
		})
	}
	a.pool = src.PoolOf(in.Target.Market.Asset)
	if in.heldAt > 0 {
		a.pool = src.Positions[in.heldAt-1].Pool
	}
	if a.pool == mc.NoPool { // no money on that dex
		a.pool = len(a.pools)
		a.pools = append(a.pools, marginPool{mode: poolModeOf(src.Mode, ""), dex: in.Target.Market.Asset.Dex,
			position: -1})
	}
}

// inferredEquity is the equity of an account that is not in standard mode and lists no pools.
func inferredEquity(in *Input) float64 {
	src := in.Account
	if inverted, ok := invertEquity(in); ok {
		return inverted
	}
	if !src.Mode.Pooled() {
		return src.CrossAccountValueUSD
	}
	equity := src.SpotUSDC
	for i := range src.Positions {
		if pos := &src.Positions[i]; pos.Isolated {
			equity -= pos.RawUSD + pos.Units*readMark(pos)
		}
	}
	return equity
}

// readLegs fills in positions and collateral, revalues the pools at the snapshot's marks, and adds a pool
// for each isolated position.
func (a *account) readLegs(in *Input) {
	src := in.Account
	a.positions, a.collateral = a.positions[:0], a.collateral[:0]
	for i := range src.Positions {
		a.positions = append(a.positions, position{})
		p, from := &a.positions[i], &src.Positions[i]
		p.read(from, &in.Held[i])
		a.assumed = a.assumed || p.assumed
		if p.id == in.Trade.Asset && in.heldAt == 0 || i == in.heldAt-1 {
			a.target = i
		}
		if p.isolated {
			p.own = len(a.pools)
			a.pools = append(a.pools, marginPool{mode: PoolIsolated, dex: a.pools[p.pool].dex, position: i,
				asset: p.name, equity: p.equity})
			continue
		}
		a.pools[p.pool].equity += p.units * (p.mark - readMark(from))
		a.pools[p.pool].readInitial += from.ValueUSD / p.leverage
	}
	for i := range src.Collateral {
		from := &src.Collateral[i]
		a.collateral = append(a.collateral, position{
			id: from.Asset, name: from.Name, units: from.Units, mark: from.Mark, leverage: 1, collateral: true,
			pool: from.Pool, own: -1, stress: stressRuleOf(&in.Backing[i]), in: &in.Backing[i],
		})
		p := &a.collateral[i]
		if ctx := p.in.Market.Context; ctx != nil {
			p.mark = ctx.MarkPrice
		}
		a.pools[p.pool].equity += p.units * (p.mark - from.Mark)
	}
}

// read fills p from the venue's answer and the asset's snapshot.
func (p *position) read(src *mc.Position, in *AssetInput) {
	*p = position{
		id: src.Asset, name: src.Name, units: src.Units, entry: src.EntryPrice, mark: readMark(src),
		leverage: max(src.Leverage, 1), assumed: src.Leverage == 0, isolated: src.Isolated,
		pool: max(src.Pool, 0), own: -1,
		tiers: tiersOf(src, in), stress: stressRuleOf(in), in: in,
	}
	if ctx := in.Market.Context; ctx != nil {
		p.mark = ctx.MarkPrice
	}
	if p.assumed {
		p.leverage = min(defaultLeverage, src.MaxLeverage)
	}
	if p.isolated {
		p.equity = src.RawUSD + p.units*p.mark
	}
}

// readHeld fills in the margin held for resting orders in the trade's pool. The margin that the venue
// calls available in the asset gives it exactly, if it was read with the wallet and there is no position.
func (a *account) readHeld(in *Input) {
	pool := &a.pools[a.pool]
	a.held, a.heldMost = pool.held, pool.heldMost
	if a.target >= 0 || in.AsHeld || in.Account.OrdersIgnored {
		return
	}
	s, ok := in.Account.Setting(in.Trade.Asset)
	apart := s.Read.Sub(in.Account.Received)
	if !ok || !s.HasAvailable || max(apart, -apart) > availableFor || in.Trade.Exits() {
		return
	}
	available := s.AvailableUSD[0]
	if in.Trade.Action == ActionShort {
		available = s.AvailableUSD[1]
	}
	a.held = max(0, pool.read-pool.readInitial-available)
	a.heldMost = a.held
}

// measure fills in the figures derived from the pools' equity and the positions.
func (a *account) measure() {
	positive, sum := 0.0, 0.0
	cross := &a.pools[a.pool]
	for i := range a.pools {
		positive += max(a.pools[i].equity, 0)
		sum += a.pools[i].equity
	}
	a.value = valueOf(positive, sum)
	a.freeMargin = max(0, a.crossEquity-cross.initial-a.held)
	a.margin = MarginState{AccountValue: a.value, Free: a.freeMargin}
	for i := range a.pools {
		p := &a.pools[i]
		a.margin.Initial += p.initial
		a.margin.Maintenance += p.maintenance
		a.margin.MaintenanceRatioPct = max(a.margin.MaintenanceRatioPct, p.ratio())
	}
	open := len(a.positions) > 0
	a.negative = min(a.crossEquity, a.value) <= -minEquity || a.crossEquity < minEquity && cross.positions > 0 ||
		a.value < minEquity && open
	a.empty = !open && !a.negative && a.value < emptyBelowUSD
}

// valueOf is AV from the sum of the positive equities and the plain sum.
func valueOf(positive, sum float64) float64 {
	if positive < minEquity {
		return sum
	}
	return positive
}

// readMark is the mark price that the venue used for a position in its answer.
func readMark(pos *mc.Position) float64 { return pos.ValueUSD / math.Abs(pos.Units) }

// tiersOf returns the margin table of a position: the asset's, or a single tier of the
// position's own maximum leverage if that differs or the asset is unknown.
func tiersOf(pos *mc.Position, in *AssetInput) tierTable {
	asset := in.Market.Asset
	if asset != nil && (pos.MaxLeverage == asset.MaxLeverage || pos.MaxLeverage <= 0) {
		return tierTable{asset: asset.Tiers}
	}
	lev := pos.MaxLeverage
	if lev <= 0 {
		lev = 1 // nothing known: the strictest table
	}
	return tierTable{own: [1]mc.Tier{{MaxLeverage: lev, MaintenanceRate: 1 / (2 * lev)}}}
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
