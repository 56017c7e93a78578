package sim

import (
	"math"
	"slices"
)

// trading is what an account that trades has beside its positions. The market's lock guards it.
type trading struct {
	agents []agent

	spotUSDC float64
	volume   float64 // traded since the start, USD
	actions  int64   // orders, cancels and other actions since the start

	history []*order // newest last, at most historyMax
	fills   log[fill]
	updates log[update]
	moves   log[move] // of collateral
	twaps   []*twap

	cancelAt       int64 // ms at which all orders are cancelled; 0: never
	cancels        int   // of this kind on cancelDay
	cancelDay      int64
	changed        bool // since the last push of its streams
	nextSettlement int64
}

// historyMax is the number of orders and fills that an account remembers.
const historyMax = 2000

// log is a list of which the newest entries are kept.
type log[T any] struct {
	rows    []T
	dropped int
}

func (l *log[T]) add(row T) {
	if l.rows = append(l.rows, row); len(l.rows) >= 2*historyMax {
		l.dropped += historyMax
		l.rows = slices.Clone(l.rows[historyMax:])
	}
}

// since returns the entries after the first n ever added, and how many there are now.
func (l *log[T]) since(n int) ([]T, int) {
	return l.rows[min(max(n-l.dropped, 0), len(l.rows)):], l.dropped + len(l.rows)
}

// fill is one trade of an account.
type fill struct {
	order  order // after the fill
	size   int64 // size units, positive
	price  int64
	taker  bool
	before int64 // the position before, size units
	fee    float64
	pnl    float64 // realised, USD
	ms, id int64
	mark   int64
}

// update is a change of an order's status.
type update struct {
	order order
	ms    int64
}

// funding is what a position has paid, USD.
type funding struct{ allTime, sinceOpen, sinceChange float64 }

// snapshot is what an order can change in an account.
type snapshot struct {
	positions, pooled []*position
	position          *position
	was               position
	cash              float64
	orders            []*order
}

// snapshot returns the state that restore brings back.
func (acc *account) snapshot(a *asset) snapshot {
	on := acc.poolOf(a)
	s := snapshot{positions: slices.Clone(acc.positions), pooled: slices.Clone(on.positions), cash: on.cash,
		orders: slices.Clone(acc.orders), position: acc.position(a)}
	if s.position != nil {
		s.was = *s.position
		if s.was.funding != nil {
			paid := *s.was.funding
			s.was.funding = &paid
		}
	}
	return s
}

func (acc *account) restore(a *asset, s snapshot) {
	on := acc.poolOf(a)
	acc.positions, on.positions, on.cash, acc.orders = s.positions, s.pooled, s.cash, s.orders
	if s.position != nil {
		*s.position = s.was
	}
}

// poolOf returns the pool behind the account's cross positions in an asset. It makes one that is missing.
func (acc *account) poolOf(a *asset) *pool {
	dex := a.dex
	if acc.pooled {
		dex = ""
	}
	if acc.pools[dex] == nil {
		acc.pools[dex] = &pool{}
	}
	return acc.pools[dex]
}

// free returns the collateral in the asset's pool that no position and no order needs as initial margin.
func (acc *account) free(a *asset) float64 {
	on, dex := acc.poolOf(a), a.dex
	if acc.pooled {
		dex = everyDex
	}
	return acc.collateral(on) + acc.lent() - on.initial(everyDex) - acc.held(dex)
}

// trade changes position and collateral by a fill of signed size units at a price in units. It returns the fee and
// the realised profit.
//
// A cross fill moves cash against units, so that equity changes by the distance between price and mark, and the
// fee. An isolated fill moves the initial margin of what it opens out of the pool, and that share of the
// position's equity which it closes back.
func (acc *account) trade(a *asset, size, price int64, rate float64) (fee, pnl float64) {
	on, p, px := acc.poolOf(a), acc.position(a), a.usdOf(price)
	fee = math.Trunc(a.baseUnits(abs(size))*px*rate*1e6+1e-6) / 1e6
	if p == nil {
		p = acc.setting(a)
		p.asset, p.margins, p.maxLever, p.funding = a, margins(a.tiers), a.maxLeverage, &funding{}
		acc.positions = append(acc.positions, p)
		if !p.isolated {
			on.positions = append(on.positions, p)
		}
	}
	closed, opened := int64(0), size
	if p.size < 0 != (size < 0) && p.size != 0 {
		closed = min(abs(size), abs(p.size))
		if size < 0 {
			closed = -closed
		}
		opened -= closed
	}
	cash := -fee // what the pool gets
	if closed != 0 {
		share := float64(-closed) / float64(p.size)
		pnl = roundUSD(a.baseUnits(-closed) * (px - p.entry))
		released := roundUSD(share * (p.raw + p.units()*px))
		if p.isolated {
			p.raw = roundUSD(p.raw - a.baseUnits(closed)*px - released)
			cash += released
		}
		if p.size += closed; p.size == 0 {
			p.funding.sinceOpen = 0
		}
		p.funding.sinceChange = 0
	}
	if opened != 0 {
		total := abs(p.size) + abs(opened)
		p.entry = (p.entry*float64(abs(p.size)) + px*float64(abs(opened))) / float64(total)
		if p.isolated {
			posted := roundUSD(a.baseUnits(abs(opened)) * a.markUSD() / float64(p.leverage))
			p.raw = roundUSD(p.raw + posted - a.baseUnits(opened)*px)
			cash -= posted
		}
		p.size += opened
	}
	if !p.isolated {
		cash -= a.baseUnits(size) * px
	}
	on.cash = roundUSD(on.cash + cash)
	if p.size == 0 {
		acc.remove(p)
	}
	return fee, pnl
}

// remove takes a closed position out of the account.
func (acc *account) remove(p *position) {
	is := func(x *position) bool { return x == p }
	acc.positions = slices.DeleteFunc(slices.Clone(acc.positions), is)
	on := acc.poolOf(p.asset)
	on.positions = slices.DeleteFunc(slices.Clone(on.positions), is)
}

// rate returns the account's fee as a fraction of the notional. On a builder-deployed dex the deployer's scale is
// added, and growth mode waives nine tenths.
func (acc *account) rate(a *asset, taker bool) float64 {
	rate := feeTiers[acc.vip][1]
	if taker {
		rate = feeTiers[acc.vip][0]
	}
	rate *= 1 - acc.referral
	if a.dex != "" {
		scale, growth := a.feeScale()
		if scale < 1 {
			rate *= 1 + scale
		} else {
			rate *= 2 * scale
		}
		if growth {
			rate *= 0.1
		}
	}
	return rate
}

// settle pays the funding of an hour that has ended: units times oracle times the hour's rate.
func (acc *account) settle(hour int64) {
	for _, p := range acc.positions {
		rate, _ := p.asset.paid(hour)
		paid := roundUSD(p.units() * p.asset.usdOf(p.asset.state.oracle) * rate)
		if p.isolated {
			p.raw = roundUSD(p.raw - paid)
		} else {
			on := acc.poolOf(p.asset)
			on.cash = roundUSD(on.cash - paid)
		}
		p.funding.allTime += paid
		p.funding.sinceOpen += paid
		p.funding.sinceChange += paid
		acc.changed = true
	}
}

// setLeverage chooses leverage and mode of an asset; it returns the venue's refusal.
func (acc *account) setLeverage(a *asset, leverage int, cross bool) (refusal string) {
	p := acc.position(a)
	switch {
	case leverage < 1 || leverage > a.maxLeverage:
		return "Invalid leverage value"
	case cross && a.marginMode != "":
		return "Cross margin is not allowed for this asset."
	case p != nil && p.isolated == cross:
		return "Cannot switch leverage type with open position."
	}
	setting, had := acc.settings[a.name]
	before := acc.setting(a).leverage
	acc.settings[a.name] = leverage
	if !cross {
		acc.settings[a.name] = -leverage
	}
	if p != nil {
		before, p.leverage = p.leverage, leverage
	}
	switch {
	case leverage >= before: // leverage is checked when a position opens
	case p != nil && p.isolated && p.equity() < p.value()/float64(leverage):
		refusal = "Isolated position does not have sufficient margin available to decrease leverage. To decrease " +
			"leverage, add margin to the position."
	case cross && acc.free(a) < 0:
		refusal = "Cross position does not have sufficient margin available to decrease leverage. To decrease " +
			"leverage, deposit more collateral."
	}
	if refusal != "" {
		acc.settings[a.name] = setting
		if !had {
			delete(acc.settings, a.name)
		}
		if p != nil {
			p.leverage = before
		}
	}
	return refusal
}

// moveMargin moves USD from the pool to an isolated position, or back if negative.
func (acc *account) moveMargin(a *asset, amount float64) (refusal string) {
	p := acc.position(a)
	switch {
	case amount == 0:
		return "Update to isolated margin cannot be zero."
	case p == nil:
		return "Cannot update margin for empty position."
	case !p.isolated:
		return "Position does not use isolated margin."
	case amount < 0 && a.marginMode == "strictIsolated":
		return "Cannot remove isolated margin for this asset. To remove margin, reduce the position."
	case amount > 0 && acc.free(a) < amount:
		return "Account does not have sufficient margin available for increase."
	case amount < 0 && p.equity()+amount < max(p.value()/float64(p.leverage), 0.1*p.value()):
		return "Position does not have sufficient margin for reduction."
	}
	on := acc.poolOf(a)
	p.raw, on.cash = roundUSD(p.raw+amount), roundUSD(on.cash-amount)
	return ""
}
