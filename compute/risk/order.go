package risk

import (
	"cmp"
	"math"

	"ballast/internal/printable"
)

// OrderRequest is the decoded member order of a request, not yet checked.
type OrderRequest struct {
	Kind                        Kind
	Raw                         []byte // JSON text of a value that is no object
	Type, TIF                   Field[[]byte]
	ReduceOnly                  Field[bool]
	Price, TakeProfit, StopLoss Field[float64]
}

// Order says how a trade is sent. The zero value is a market order.
type Order struct {
	Limit                bool
	TIF                  TIF     // of a limit order
	Price                float64 // of a limit order, USD
	ReduceOnly           bool
	TakeProfit, StopLoss float64 // trigger prices, USD; 0: none
}

// TIF is the time in force: what the venue does with the part of a limit order that does not fill at once.
type TIF uint8

const (
	GTC TIF = iota // it rests
	IOC            // it is cancelled
	ALO            // it rests; an order that would fill at once is refused: post only
)

// rests reports whether the order may rest in the book.
func (o *Order) rests() bool { return o.Limit && o.TIF != IOC }

// protects reports whether the order comes with a stop or a take-profit price.
func (o *Order) protects() bool { return o.StopLoss > 0 || o.TakeProfit > 0 }

// Exits reports whether the trade may only reduce a position.
func (t *Trade) Exits() bool { return t.Action == ActionClose || t.Order.ReduceOnly }

// checkOrder checks the member order and enters it into t.
func (r *Request) checkOrder(t *Trade) *Reject {
	o := &r.Order
	if o.Kind == Mistyped {
		return mistyped("order", "an object")
	}
	if bad := cmp.Or(o.checkType(&t.Order), o.checkLimit(&t.Order), o.checkTIF(&t.Order)); bad != nil {
		return bad
	}
	if t.Order.ReduceOnly = o.ReduceOnly.Value; o.ReduceOnly.Kind == Mistyped {
		return mistyped("order.reduce_only", "a boolean")
	}
	if bad := checkPrice(&o.TakeProfit, &t.Order.TakeProfit, "order.take_profit_price"); bad != nil {
		return bad
	}
	return checkPrice(&o.StopLoss, &t.Order.StopLoss, "order.stop_loss_price")
}

func (o *OrderRequest) checkType(to *Order) *Reject {
	if o.Type.Kind == Mistyped {
		return mistyped("order.type", "a string")
	}
	word := string(o.Type.Value)
	if to.Limit = word == "limit"; o.Type.Kind == Given && !to.Limit && word != "market" {
		return reject("order.type", "invalid order.type: "+printable.Text(o.Type.Value)+" (want market or limit)")
	}
	return nil
}

func (o *OrderRequest) checkLimit(to *Order) *Reject {
	switch {
	case to.Limit && o.Price.Kind == Absent:
		return reject("order.price", "missing field: order.price")
	case !to.Limit && o.Price.Kind == Given:
		return reject("order.price", "order.price is for a limit order: set order.type to limit, or leave it out")
	}
	return checkPrice(&o.Price, &to.Price, "order.price")
}

func (o *OrderRequest) checkTIF(to *Order) *Reject {
	if o.TIF.Kind == Mistyped {
		return mistyped("order.tif", "a string")
	}
	word := o.TIF.Value
	switch string(word) {
	case "", "gtc":
	case "ioc":
		to.TIF = IOC
	case "alo":
		to.TIF = ALO
	}
	switch {
	case o.TIF.Kind == Absent:
	case to.TIF == GTC && string(word) != "gtc":
		return reject("order.tif", "invalid order.tif: "+printable.Text(word)+" (want gtc, ioc or alo)")
	case !to.Limit && to.TIF != IOC:
		return reject("order.tif",
			"order.tif "+string(word)+" is for a limit order: a market order takes what it finds")
	case !to.Limit:
		to.TIF = GTC // as every market order
	}
	return nil
}

// checkPrice checks an optional price.
func checkPrice(f *Field[float64], price *float64, field string) *Reject {
	if *price = f.Value; f.Kind == Mistyped {
		return mistyped(field, "a number")
	}
	if f.Kind == Given && !(f.Value > 0) {
		return reject(field, field+" must be positive, got "+printable.Number(f.Value))
	}
	return nil
}

// refusedExit returns the Reject for a stop or take-profit price on the wrong side of the price at which the
// position is held, nil otherwise. Which side that is only the position after the trade tells.
func (t *tradePlan) refusedExit() *Reject {
	o := &t.order
	if t.side == 0 || !o.protects() {
		return nil
	}
	side := "long"
	if t.side < 0 {
		side = "short"
	}
	start := t.start()
	if o.StopLoss > 0 && !(t.side*(start-o.StopLoss) > 0) {
		return t.wrongSide("order.stop_loss_price", "the stop of a "+side, o.StopLoss, t.side < 0)
	}
	if o.TakeProfit > 0 && !(t.side*(o.TakeProfit-start) > 0) {
		return t.wrongSide("order.take_profit_price", "the take-profit price of a "+side, o.TakeProfit, t.side > 0)
	}
	return nil
}

func (t *tradePlan) wrongSide(field, what string, price float64, above bool) *Reject {
	where, from := "below", "the mark price "
	if above {
		where = "above"
	}
	start := t.start()
	if start != t.mark {
		from = "the order's price "
	}
	bad := reject(field, field+" "+printable.Number(price)+" is on the wrong side: "+what+" must be "+where+" "+from+
		printable.Number(start))
	bad.Bound, bad.Above = start, above
	return bad
}

// OrderExits is what a stop and a take-profit price do to the position after the trade.
type OrderExits struct {
	Known                bool // the request has one of them
	Flat                 bool // no position is left: neither can trigger
	StopLoss, TakeProfit ExitLevel
	// StopFirst24h is the probability that the price touches the stop before the take-profit price within
	// 24 hours; 0 when liquidation comes before the stop.
	StopFirst24h          float64
	StopBeyondLiquidation bool
}

// ExitLevel is the whole position closed at a price.
type ExitLevel struct {
	Price       float64 // USD; 0: not asked for
	DistancePct float64 // from mark, percent of it
	PnLUSD      float64 // change of the wallet's value from now on, net; negative: a loss
	FeesUSD     float64 // of the trade and of the exit
	FundingUSD  float64 // expected of a day, positive: paid
}

// orderExits fills in the block.
func (s *Scratch) orderExits(out *OrderExits) {
	t := &s.view.plan
	order := &t.order
	if !order.protects() {
		return
	}
	out.Known, out.Flat = true, t.side == 0
	if out.Flat {
		return
	}
	out.StopLoss, out.TakeProfit = s.exitAt(order.StopLoss), s.exitAt(order.TakeProfit)
	if order.StopLoss == 0 {
		return
	}
	if liq := &s.view.liquidation; liq.Price > 0 {
		out.StopBeyondLiquidation = t.side*(order.StopLoss-liq.Price) <= 0
	} else {
		out.StopBeyondLiquidation = t.side < 0 // past liquidation at every price; a long without one has none
	}
	if !out.StopBeyondLiquidation {
		out.StopFirst24h = s.stopFirst(order)
	}
}

// exitAt closes the position after the trade at a price, as a taker, after a day of expected funding.
func (s *Scratch) exitAt(price float64) (out ExitLevel) {
	if price == 0 {
		return out
	}
	v := &s.view
	t := &v.plan
	traded, entryFee := t.units, v.after.feeUSD
	if t.kind == noFill {
		traded, entryFee = 0, 0
	}
	out.Price, out.DistancePct = price, pctPerUnit*math.Abs(price/t.mark-1)
	out.FeesUSD = entryFee + float64(math.Abs(t.after)*price*v.taker)
	out.FundingUSD = t.after * t.mark * v.funding.Expected24h
	out.PnLUSD = float64(t.after*(price-t.mark)) - float64(traded*(v.fillPrice-t.mark)) - out.FeesUSD - out.FundingUSD
	return out
}

// stopFirst is the probability that the price touches the stop within 24 hours of the fill, and before the take-profit
// price if there is one. Each is touched as often as the table of the asset's excursions says; which comes
// first is that of a Brownian motion with barriers so far away that it touches each alone equally often.
func (s *Scratch) stopFirst(o *Order) float64 {
	t, m := &s.view.plan, s.view.market.model
	stop := touch24h(m, t.start(), o.StopLoss, t.side)
	if o.TakeProfit == 0 {
		return stop
	}
	return min(firstOfTwo(barrier(stop), barrier(touch24h(m, t.start(), o.TakeProfit, -t.side))), stop)
}

// barrier is the distance that a standard Brownian motion reaches within a unit of time with probability p.
func barrier(p float64) float64 { return math.Sqrt2 * math.Erfcinv(p) }

// firstOfTwo is the probability that a standard Brownian motion reaches a on one side within a unit of time, and
// before b on the other side. By the reflection principle:
//
//	sum over k of reached(a + 2k(a+b)) - reached(a + 2b + 2k(a+b))
func firstOfTwo(a, b float64) float64 {
	both := a + b
	if both < soonReached { // one of them is reached before the time is over
		if both == 0 {
			return 0.5
		}
		return b / both
	}
	reached := func(x float64) float64 { return math.Erfc(x / math.Sqrt2) }
	sum := 0.0
	for x := a; x < neverReached; x += 2 * both {
		sum += reached(x) - reached(x+2*b)
	}
	return sum
}

const (
	// soonReached: a motion stays between barriers this far apart with a probability below 1e-20.
	soonReached = 0.3
	// neverReached: a barrier this far away is reached with a probability below 1e-18.
	neverReached = 9
)
