package risk

import (
	"math"

	"ballast/marketcache"
)

// boundSlack widens tier bounds by rounding error only.
const boundSlack = 1e-12

// tierTable is a margin table, either the asset's or the single tier of a position
// whose own maximum leverage differs from the asset's.
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

// tierFor returns the tier that a notional (USD) lies in.
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

// liquidationPrice solves equity = maintenance for the price of a position of q units
// (signed) at mark p in a pool of equity a whose other positions need mOther, holding
// all other marks. It returns the root whose own notional lies in the tier that
// produced it and that tier; ok is false when no positive root exists.
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

// holding is one open position as the arithmetic sees it, at the photograph's mark.
type holding struct {
	id       marketcache.AssetID
	name     string
	units    float64 // signed base units
	entry    float64 // USD
	mark     float64 // USD
	leverage float64
	isolated bool
	rawUSD   float64 // isolated: equity = rawUSD + units*mark
	tiers    tierTable
	in       *AssetInput
}

func (h *holding) notional() float64       { return math.Abs(h.units) * h.mark }
func (h *holding) initialMargin() float64  { return h.notional() / h.leverage }
func (h *holding) maintenance() float64    { return h.tiers.maintenance(h.notional()) }
func (h *holding) isolatedEquity() float64 { return h.rawUSD + h.units*h.mark }

// account is a wallet before the trade, revalued to the photograph's marks.
type account struct {
	crossEquity  float64 // A_before: equity of the cross pool, USD
	value        float64 // AV: crossEquity plus the isolated equities
	freeMargin   float64 // cross equity less initial margins, at least 0
	estimated    bool    // the collateral could not be read exactly
	takerRate    float64
	holdings     []holding
	crossInitial float64 // sum of initial margins of the cross positions
	target       int     // index of the trade's asset in holdings, -1 when none is held
	// rest sums the cross positions other than the target.
	rest poolRest
}

// poolRest sums cross positions that share the trade's pool, USD.
type poolRest struct{ maintenance, notional, initial float64 }

// noEquity is the account value, USD, below which a wallet counts as having none.
const noEquity = 0.01

// read fills the account from the photograph.
//
// In the standard mode the pool is the venue's account value. In every other mode part
// of the collateral lies elsewhere (spot balances), so it is inverted from a
// liquidation price that the venue quotes; where none is quoted, unified accounts fall
// back on the spot USDC balance less what isolated positions hold.
func (a *account) read(in *Input) {
	src := in.Account
	*a = account{holdings: a.holdings[:0], takerRate: src.TakerRate, target: -1}
	a.estimated = src.ModeUncertain || src.Mode == marketcache.ModePortfolioMargin

	equity := src.CrossAccountValueUSD
	if src.Mode != marketcache.ModeDisabled {
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

	isolated := 0.0
	for i := range src.Positions {
		pos := &src.Positions[i]
		h := holding{
			id: pos.Asset, name: pos.Name, units: pos.Units, entry: pos.EntryPrice,
			leverage: max(pos.Leverage, 1), isolated: pos.Isolated, rawUSD: pos.RawUSD,
			mark: readMark(pos), tiers: tiersOf(pos, &in.Held[i]), in: &in.Held[i],
		}
		if ctx := in.Held[i].Market.Context; ctx != nil {
			h.mark = ctx.MarkPrice
		}
		target := h.id == in.Trade.Asset
		if in.heldAt > 0 {
			target = i == in.heldAt-1
		}
		if target {
			a.target = i
		}
		if h.isolated {
			isolated += h.isolatedEquity()
		} else {
			equity += h.units * (h.mark - readMark(pos))
			a.crossInitial += h.initialMargin()
			if !target {
				a.rest.maintenance += h.maintenance()
				a.rest.notional += h.notional()
				a.rest.initial += h.initialMargin()
			}
		}
		a.holdings = append(a.holdings, h)
	}
	a.crossEquity = equity
	a.value = equity + isolated
	a.freeMargin = max(0, equity-a.crossInitial)
}

// readMark is the mark at which the venue valued a position in its answer.
func readMark(pos *marketcache.Position) float64 { return pos.ValueUSD / math.Abs(pos.Units) }

// tiersOf returns the margin table of a position: the asset's, or one tier of the
// position's own maximum leverage where that differs or the asset is not known.
func tiersOf(pos *marketcache.Position, in *AssetInput) tierTable {
	asset := in.Market.Asset
	if asset != nil && (pos.MaxLeverage == asset.MaxLeverage || pos.MaxLeverage <= 0) {
		return tierTable{asset: asset.Tiers}
	}
	lev := pos.MaxLeverage
	if lev <= 0 {
		lev = 1 // nothing known: the strictest table there is
	}
	return tierTable{own: [1]marketcache.Tier{{MaxLeverage: lev, MaintenanceRate: 1 / (2 * lev)}}}
}

// invertEquity returns the pool equity that the venue must have used for the
// liquidation price of the largest cross position that has one, at the marks of the
// account's own answer.
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
