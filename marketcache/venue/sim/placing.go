package sim

import (
	"fmt"
	"math"
	"slices"

	"ballast/marketcache/venue/exchange"
)

// newOrder returns the order of the wire, or the venue's refusal of its form.
func (m *market) newOrder(w *exchange.Order) (o *order, refusal string) {
	a := m.assetOf(w.Asset)
	if a == nil {
		return nil, unknownAsset(w.Asset)
	}
	o = &order{asset: a, buys: w.Buy, reduceOnly: w.ReduceOnly, tif: w.TIF.String()}
	price, size := toScale(w.Price, a.digits), toScale(w.Size, a.szDecimals)
	o.limit, o.left, o.placed, o.hasCloid, o.cloid = price, size, size, w.HasCloid, w.Cloid
	if w.IsTrigger {
		o.trigger, o.isMarket, o.profit = toScale(w.Trigger.Price, a.digits), w.Trigger.IsMarket,
			w.Trigger.TPSL == exchange.TakeProfit
		price = min(price, o.trigger)
		o.tif = ""
	}
	switch {
	case price <= 0:
		return nil, refusedPrice
	case size < 0:
		return nil, refusedSize
	}
	return o, ""
}

// toScale returns a decimal in units of 10^-digits, -1 if it is not a whole number of them or too large.
func toScale(d exchange.Decimal, digits int) int64 {
	const most = 1e15 // units, which float64 has exactly
	if int(d.Scale) > digits || d.Units > most/uint64(pow10[digits-int(d.Scale)]) {
		return -1
	}
	return int64(d.Units) * pow10[digits-int(d.Scale)]
}

// placeOrders places the orders of an action.
func (m *market) placeOrders(acc *account, form *exchange.PlaceOrders, f *faults) exchange.Answer {
	orders := make([]*order, len(form.Orders))
	refusals := make([]string, len(form.Orders))
	for i := range form.Orders {
		orders[i], refusals[i] = m.newOrder(&form.Orders[i])
	}
	if text := checkTogether(form, orders); text != "" {
		return refuseAction(text)
	}
	group := int64(0)
	if form.Grouping == exchange.NormalTPSL || form.Grouping == exchange.PositionTPSL {
		group = m.nextID()
	}
	statuses := make([]exchange.Status, len(orders))
	for i, o := range orders {
		if refusals[i] == "" {
			if o.trigger > 0 {
				o.group = group
			}
			o.whole = form.Grouping == exchange.PositionTPSL
			if i > 0 && form.Grouping == exchange.NormalTPSL {
				statuses[i] = m.placeChild(acc, o, orders[0], refusals[0], form.Orders[i].Asset, f)
				continue
			}
			refusals[i] = m.place(acc, o, f)
		}
		statuses[i] = o.told(refusals[i], form.Orders[i].Asset)
	}
	return taken("order", statuses...)
}

// placeChild places a TP/SL order of a parent. It waits until the parent has filled, and has at most the size of
// that fill.
func (m *market) placeChild(acc *account, o, parent *order, refusal string, asset uint32,
	f *faults) exchange.Status {
	if refusal != "" {
		return refusedStatus(refusal, asset)
	}
	if parent.status == statusOpen {
		o.parent = parent
	} else {
		o.left = min(o.left, parent.placed-parent.left)
		o.placed = o.left
	}
	return o.told(m.place(acc, o, f), asset)
}

// checkTogether returns why the venue refuses all orders of an action before it looks at any; "" if it does not.
func checkTogether(form *exchange.PlaceOrders, orders []*order) string {
	if len(orders) == 0 {
		return "Empty batch of orders."
	}
	tpsl := form.Grouping == exchange.NormalTPSL || form.Grouping == exchange.PositionTPSL
	triggers, increases := 0, false
	for i, o := range orders {
		if o == nil {
			continue
		}
		if o.asset.far(o.limit) || o.trigger > 0 && o.asset.far(o.trigger) {
			return fmt.Sprintf("%s. asset=%d", refusedFar, form.Orders[i].Asset)
		}
		if o.trigger > 0 {
			triggers++
			increases = increases || !o.reduceOnly
		}
	}
	parents := len(orders) - triggers
	switch {
	case form.Grouping == exchange.NormalTPSL && (parents != 1 || triggers == 0 || form.Orders[0].IsTrigger),
		form.Grouping == exchange.PositionTPSL && parents > 0:
		return "Unexpected number of trigger orders"
	case tpsl && increases:
		return "TP/SL orders must be reduce only."
	}
	return ""
}

// told returns the status that tells what became of an order.
func (o *order) told(refusal string, asset uint32) exchange.Status {
	if refusal != "" {
		return refusedStatus(refusal, asset)
	}
	s := exchange.Status{OID: uint64(o.id), HasCloid: o.hasCloid, Cloid: o.cloid}
	switch {
	case o.parent != nil:
		s.Kind = exchange.WaitingForFill
	case o.group != 0:
		s.Kind = exchange.WaitingForTrigger
	case o.status == statusOpen:
		s.Kind = exchange.Resting
	default:
		filled := o.placed - o.left
		scale := float64(pow10[o.asset.digits+2])
		s.Kind, s.AveragePrice = exchange.Filled, math.Round(o.value/o.asset.baseUnits(filled)*scale)/scale
		s.Size, _ = exchange.ParseDecimal(o.asset.sz(filled)) // our own text
	}
	return s
}

// byID returns the account's open order of that number, byCloid that of the client's id; nil if there is none.
func (acc *account) byID(a *asset, id uint64) *order {
	return acc.find(func(o *order) bool { return uint64(o.id) == id && (a == nil || o.asset == a) })
}

func (acc *account) byCloid(a *asset, cloid exchange.Cloid) *order {
	return acc.find(func(o *order) bool { return o.hasCloid && o.cloid == cloid && (a == nil || o.asset == a) })
}

func (acc *account) find(is func(*order) bool) *order {
	if i := slices.IndexFunc(acc.orders, is); i >= 0 {
		return acc.orders[i]
	}
	return nil
}

// cancel cancels an open order and returns its status.
func (m *market) cancel(acc *account, o *order, asset uint32) exchange.Status {
	if o == nil || m.assetOf(asset) == nil {
		return refusedStatus(refusedMissing, asset)
	}
	acc.end(m, o, statusCanceled)
	return exchange.Status{Kind: exchange.Success}
}

// modify replaces an order by a new one. Unless always is set, the old one must be open, and the new one is post
// only: a Gtc becomes one.
func (m *market) modify(acc *account, c *exchange.Modification, always bool, f *faults) (o *order, refusal string) {
	o, refusal = m.newOrder(&c.Order)
	if refusal != "" {
		return nil, refusal
	}
	old := acc.byID(nil, c.OID.Number)
	if c.OID.ByCloid {
		old = acc.byCloid(nil, c.OID.Cloid)
	}
	switch {
	case old == nil && !always:
		return nil, refusedModify
	case o.asset.far(o.limit):
		return nil, refusedFar
	case !always && (o.tif == "Ioc" || o.tif == "FrontendMarket"):
		return nil, "Modified order must be post only."
	case !always && o.tif == "Gtc":
		o.tif = "Alo"
	}
	if old != nil {
		if old.trigger > 0 && o.trigger > 0 {
			o.parent, o.group, o.whole = old.parent, old.group, old.whole
		}
		acc.end(m, old, statusCanceled)
	}
	if refusal = m.place(acc, o, f); refusal != "" {
		return nil, "Error placing new order during modify: " + refusal
	}
	return o, ""
}

// scheduleCancel sets the time at which all orders of the account are cancelled.
func (m *market) scheduleCancel(acc *account, form *exchange.ScheduleCancel) string {
	if !form.HasTime {
		acc.cancelAt = 0
		return ""
	}
	now := m.clock()
	if day := floorDiv(now, dayMs); day != acc.cancelDay {
		acc.cancelDay, acc.cancels = day, 0
	}
	switch {
	case int64(form.Time) < now+cancelNoticeMs:
		return "Scheduled cancel time too early, must be at least 5 seconds from now."
	case acc.cancels >= cancelsADay:
		return "Too many scheduled cancels today."
	}
	acc.cancelAt = int64(form.Time)
	return ""
}

// startTWAP starts a TWAP and returns its status.
func (m *market) startTWAP(acc *account, form *exchange.TWAPOrder, f *faults) exchange.Status {
	const weekMinutes = 7 * 24 * 60
	w := &form.TWAP
	a := m.assetOf(w.Asset)
	if a == nil {
		return failedStatus(unknownAsset(w.Asset))
	}
	size, p := toScale(w.Size, a.szDecimals), acc.position(a)
	refusal := ""
	switch {
	case w.Minutes < 5 || w.Minutes > weekMinutes:
		refusal = fmt.Sprintf("Invalid TWAP duration: %d min(s)", w.Minutes)
	case form.HasDetails:
		refusal = "The simulated venue does not take details of a TWAP."
	case a.gone(f):
		refusal = refusedDelisted
	case size < 0:
		refusal = refusedSize
	case a.baseUnits(size)*a.markUSD() < twapMinimum:
		refusal = fmt.Sprintf("TWAP order must have minimum value of $%d.", twapMinimum)
	case w.ReduceOnly && !p.reducedBy(w.Buy):
		refusal = "Reduce-only TWAP order would increase position."
	}
	if refusal != "" {
		return failedStatus(refusal)
	}
	t := &twap{id: m.nextID(), asset: a, buys: w.Buy, reduce: w.ReduceOnly, size: size, startMs: m.nowMs,
		slices: int64(w.Minutes) * 60_000 / twapSliceMs}
	acc.twaps = append(acc.twaps, t)
	m.advance(acc, t)
	return exchange.Status{Kind: exchange.Running, OID: uint64(t.id)}
}

// cancelTWAP ends a TWAP and returns its status.
func (m *market) cancelTWAP(acc *account, form *exchange.TWAPCancel) exchange.Status {
	i := slices.IndexFunc(acc.twaps, func(t *twap) bool { return uint64(t.id) == form.ID })
	if i < 0 || acc.twaps[i].asset != m.assetOf(form.Asset) {
		return failedStatus("TWAP was never placed, already canceled, or filled.")
	}
	acc.twaps = slices.Delete(acc.twaps, i, i+1)
	return exchange.Status{Kind: exchange.Success}
}
