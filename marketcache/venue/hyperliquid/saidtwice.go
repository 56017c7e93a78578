package hyperliquid

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ballast/marketcache"
)

// The venue says much of a wallet twice: totals beside the positions that they sum, a profit beside the prices
// that it follows from. saidOfWallet and saidOfPosition are all such pairs in one answer, overdrawn,
// misquoted and heldForNothing what needs the equity of a pool. saidbymarket.go has the pairs of market data. The
// figures of a pair are of one moment and differ by rounding
// alone, so a wallet whose figures differ by more is read once more and then refused.

// said are the figures of one clearinghouseState; NaN for one that the answer lacks, which equals everything.
type said struct {
	whole, cross              totals // the two summaries
	sum, crossSum             totals // of the positions
	isolated                  float64
	maintenance, crossTiers   float64 // crossTiers follows from the positions; NaN if a margin table is not known
	position                  *marketcache.Position
	returned, profit, entered float64 // of the position: return on equity and profit, entry price, NaN for null
	used                      float64
}

// totals are the amounts of a margin summary, USD. cash is the account value less the signed positions.
type totals struct{ value, notional, cash, used, signed float64 }

func (t *totals) add(value, used, signed float64) {
	t.notional, t.used, t.signed = t.notional+value, t.used+used, t.signed+signed
}

// twice is a pair of figures that the venue states and that must be equal.
type twice struct {
	name string
	both func(s *said) (a, b float64)
	// rounding is the tolerance beside that of every sum; nil: none.
	rounding func(s *said) float64
}

// saidOfWallet are the pairs of a wallet's account on a dex.
var saidOfWallet = []twice{
	{"totalNtlPos and positionValue", func(s *said) (a, b float64) {
		return s.whole.notional, nearer(s.whole.notional, s.sum.notional, s.crossSum.notional)
	}, nil},
	{"cross totalNtlPos and positionValue",
		func(s *said) (a, b float64) { return s.cross.notional, s.crossSum.notional }, nil},
	{"totalMarginUsed and marginUsed", func(s *said) (a, b float64) {
		return s.whole.used, nearer(s.whole.used, s.sum.used, s.crossSum.used)
	}, nil},
	{"cross totalMarginUsed and marginUsed",
		func(s *said) (a, b float64) { return s.cross.used, s.crossSum.used }, nil},
	{"accountValue and totalRawUsd",
		func(s *said) (a, b float64) { return s.whole.value, s.whole.cash + s.sum.signed }, nil},
	{"cross accountValue and totalRawUsd",
		func(s *said) (a, b float64) { return s.cross.value, s.cross.cash + s.crossSum.signed }, nil},
	{"accountValue of both summaries",
		func(s *said) (a, b float64) { return s.whole.value, s.cross.value + s.isolated }, nil},
	{"crossMaintenanceMarginUsed and the margin tables",
		func(s *said) (a, b float64) { return s.maintenance, s.crossTiers }, nil},
}

// saidOfPosition are the pairs of one position.
var saidOfPosition = []twice{
	{"marginUsed and leverage", func(s *said) (a, b float64) {
		if p := s.position; !p.Isolated {
			return s.used, p.ValueUSD / p.Leverage
		}
		return s.used, s.position.RawUSD + signed(s.position)
	}, nil},
	{"unrealizedPnl and entryPx", func(s *said) (a, b float64) {
		return s.profit, signed(s.position) - s.position.Units*s.entered
	}, func(s *said) float64 { return math.Abs(s.position.Units) * lastDigit(s.entered) }},
	{"returnOnEquity and unrealizedPnl", func(s *said) (a, b float64) {
		return s.returned * math.Abs(s.position.Units) * s.entered / s.position.Leverage, s.profit
	}, func(s *said) float64 { return 2 * math.Abs(s.profit) * lastDigit(s.entered) / s.entered }},
}

// nearer returns which of the sums over all and over the cross positions a total states: the venue's totals are of
// all, but some sources of recorded answers leave isolated positions out.
func nearer(total, all, cross float64) float64 {
	if math.Abs(total-cross) < math.Abs(total-all) {
		return cross
	}
	return all
}

// differs returns the name of the first pair whose figures differ, "" if none does.
func (s *said) differs(pairs []twice) string {
	for i := range pairs {
		a, b := pairs[i].both(s)
		tolerance := 0.001 + 1e-6*max(math.Abs(a), math.Abs(b)) // the venue prints millionths of a dollar
		if pairs[i].rounding != nil {
			tolerance += pairs[i].rounding(s)
		}
		if math.Abs(a-b) > tolerance { // false for NaN
			return pairs[i].name
		}
	}
	return ""
}

// lastDigit returns the unit of the last digit of a price as the venue prints it, with one decimal at least.
func lastDigit(price float64) float64 {
	text := strconv.FormatFloat(price, 'f', -1, 64)
	_, decimals, _ := strings.Cut(text, ".")
	return math.Pow10(-max(1, len(decimals)))
}

// see adds a position as parsed from the wire, and returns the pair of it that differs.
func (s *said) see(p *marketcache.Position, w *position, u *marketcache.Universe) string {
	s.position, s.used, s.profit = p, w.MarginUsed.orNaN(), w.UnrealizedPnL.orNaN()
	s.returned, s.entered = w.Return.orNaN(), w.EntryPrice.orNaN()
	s.sum.add(p.ValueUSD, s.used, signed(p))
	if p.Isolated {
		s.isolated += p.RawUSD + signed(p)
	} else {
		s.crossSum.add(p.ValueUSD, s.used, signed(p))
		s.crossTiers += maintenanceOf(u, p, p.ValueUSD)
	}
	return s.differs(saidOfPosition)
}

// maintenanceOf returns the maintenance margin of a position at a notional, USD; NaN if its margin table is not
// known. A position whose maximum leverage is not its asset's has that as its only tier.
func maintenanceOf(u *marketcache.Universe, p *marketcache.Position, notional float64) float64 {
	a := u.Asset(p.Asset)
	switch {
	case a == nil:
		return math.NaN()
	case a.MaxLeverage != p.MaxLeverage:
		return notional / (2 * p.MaxLeverage)
	}
	tier := a.Tiers[0]
	for _, t := range a.Tiers[1:] {
		if notional >= t.LowerBoundUSD {
			tier = t
		}
	}
	return notional*tier.MaintenanceRate - tier.DeductionUSD
}

// contradiction returns the error of a wallet whose figures contradict each other.
func (f *Feed) contradiction(w marketcache.Wallet, what string) error {
	f.setAside(asideTwice, w.String()+" "+what)
	return &marketcache.VenueError{Kind: marketcache.ErrContradiction, Detail: "clearinghouseState: " + what}
}

// foreign returns the error of an answer about a dex with a coin of another dex.
func (f *Feed) foreign(d *dexState) error {
	for i := range d.Positions {
		if name := d.Positions[i].Name; dexOf(name) != d.dex {
			return f.contradiction(d.Wallet, fmt.Sprintf("%s is no coin of dex %q", printable([]byte(name)), d.dex))
		}
	}
	return nil
}

// overdrawn reports whether a standard account could withdraw more than its equity less its initial margins, or less
// than nothing.
func overdrawn(a *marketcache.Account, states []dexState) bool {
	if a.ModeUncertain || a.Mode.Pooled() {
		return false
	}
	for i := range states {
		d := &states[i]
		free := max(0, d.CrossAccountValueUSD-d.initial)
		if d.withdrawable < 0 || d.withdrawable > free+0.001+1e-6*math.Abs(d.CrossAccountValueUSD) {
			return true
		}
	}
	return false
}

// availableShare is the tolerated difference between the largest size and what follows from the margin available.
const availableShare = 0.01

// contradicts reports whether the largest sizes of a wallet in an asset do not follow from the margin available,
// leverage and mark of the same answer. Only a size below the second margin tier, and without a position, surely
// does; the venue may allow none at all.
func (d *assetData) contradicts(a *marketcache.Asset) bool {
	if !d.Available.ok || !d.Largest.ok || d.Mark == nil || d.Leverage.RawUSD != 0 {
		return false
	}
	lot := float64(*d.Mark) * math.Pow10(-a.SizeDigits)
	available, largest := &d.Available.value, &d.Largest.value
	for _, side := range [2][2]decimal{{available.a, largest.a}, {available.b, largest.b}} {
		follows, told := float64(side[0])*float64(d.Leverage.Value), float64(side[1])*float64(*d.Mark)
		if told == 0 && follows >= 0 || len(a.Tiers) > 1 && follows > a.Tiers[1].LowerBoundUSD {
			continue
		}
		if math.Abs(follows-told) > lot+availableShare*math.Abs(follows) {
			return true
		}
	}
	return false
}

// misquotedShare is the tolerated difference, as a share of equity and notional, between equity and maintenance
// margin at the liquidation price that the venue quotes. Pooled balances are of another moment than positions.
const misquotedShare = 0.01

// misquoted reports whether a liquidation price of the venue does not follow from the equity of its pool, whose
// maintenance margins are given by pool. A pool that the venue computes in ways not known is left out.
func misquoted(a *marketcache.Account, u *marketcache.Universe, sums []poolMargins) bool {
	if a.Mode == marketcache.ModePortfolioMargin || a.ModeUncertain {
		return false
	}
	for i := range a.Positions {
		p := &a.Positions[i]
		equity, others, mark := p.RawUSD+signed(p), 0.0, p.ValueUSD/math.Abs(p.Units)
		if !p.Isolated {
			equity, others = a.Pools[p.Pool].EquityUSD, sums[p.Pool].maintenance-maintenanceOf(u, p, p.ValueUSD)
		}
		at := p.LiquidationPrice
		left := equity + p.Units*(at-mark) - others - maintenanceOf(u, p, math.Abs(p.Units)*at)
		tolerance := 1 + misquotedShare*max(math.Abs(equity), math.Abs(p.Units)*at)
		if at == 0 && (p.Units < 0 || left >= 0) { // none: the equity lasts at every price
			continue
		}
		if math.Abs(left) > tolerance {
			return true
		}
	}
	return false
}

// heldShare is the margin held for resting orders, as a share of the pool's equity, that says nothing: wallet and
// list are read one after the other.
const heldShare = 0.01

// heldUnknown reports whether an account does not tell what of it is held: a standard one lacks what it could
// withdraw, or of a unified one more is held than there is.
func heldUnknown(a *marketcache.Account, sums []poolMargins, spot *spotState) bool {
	for k := range a.Pools {
		token := int64(a.Pools[k].Token)
		total := spot.total[token]
		hold, told := spot.hold[token]
		switch {
		case !a.Mode.Pooled() && a.Pools[k].EquityUSD != 0 && math.IsNaN(sums[k].withdrawable),
			a.Mode == marketcache.ModeUnified &&
				(!told && total != 0 || hold < 0 || hold > max(0, total)*(1+heldShare)+1):
			return true
		}
	}
	return false
}

// heldForNothing reports whether the margin held for resting orders contradicts the list of them, read within a
// second or two: some is held and no order could hold it, or none is and one must. Spot orders hold some of a
// pooled account too.
func heldForNothing(u *marketcache.Universe, a *marketcache.Account) bool {
	o := a.Orders
	if o == nil || o.Reason != "" || a.OrdersIgnored || o.Read.Sub(a.Received).Abs() > 2*moreWait {
		return false
	}
	for k := range a.Pools {
		p := &a.Pools[k]
		pooled := p.Dex == marketcache.Everywhere
		free, trifle := p.EquityUSD, 1+heldShare*math.Abs(p.EquityUSD)
		for i := range a.Positions {
			if q := &a.Positions[i]; q.Pool == k && !q.Isolated {
				free -= q.MarginUsedUSD
			}
		}
		could, must := pooled && o.Spot, false
		for i := range o.Orders {
			q := &o.Orders[i]
			asset := u.Asset(q.Asset)
			if q.ReduceOnly || asset != nil && a.PoolOf(asset) != k {
				continue
			}
			could = true
			must = must || !pooled && !q.Trigger && asset != nil && a.PositionIn(q.Asset) < 0
		}
		if !could && p.HeldUSD > trifle || must && p.HeldMostUSD == 0 && free > trifle {
			return true
		}
	}
	return false
}
