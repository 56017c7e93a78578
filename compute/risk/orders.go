package risk

import (
	"math"

	mc "ballast/marketcache"
)

// OpenOrders tells what the wallet's resting orders mean for it.
type OpenOrders struct {
	Known                bool // false with --open-orders off
	Read                 bool // the orders were listed; otherwise only the margin held for them is derived
	Reason               string
	AgeMs                float64
	Count                int
	HeldUSD, HeldMostUSD float64 // margin held: an interval, +Inf without an upper bound
	Exact                bool
	Buys, Sells          OrdersFilled // all orders of one side filled; only with Read
	Positions            []Protection
}

// OrdersFilled is the wallet once all resting orders of one side have filled.
type OrdersFilled struct {
	Orders                                         int
	NotionalUSD, GrossNotionalUSD, NetNotionalUSD  float64
	PoolEquityUSD, InitialUSD, MaintenanceRatioPct float64
	Funded                                         bool // the equity covers the initial margins
}

// Protection tells how far stop orders protect a position.
type Protection struct {
	Asset             string
	CoveredPct        float64
	StopPrice         float64 // the nearest stop, USD; 0: none
	StopLimit         bool    // one of the stops is a limit order
	BeyondLiquidation int     // stops that liquidation would beat
	Protected         bool
}

// ordersOf fills in the block; held to most is the margin that the venue keeps for the orders. Without a
// list of the orders that is all that is known of them.
func (s *Scratch) ordersOf(out *OpenOrders, held, most float64) {
	list := s.In.Account.Orders
	*out = OpenOrders{
		Known: !s.In.Account.OrdersIgnored, HeldUSD: held, HeldMostUSD: most, Exact: held == most,
	}
	if list == nil {
		return
	}
	age := s.In.WalletAge + s.In.Account.Received.Sub(list.Read)
	switch {
	case list.Read == 0 || list.Reason != "":
		out.Reason = list.Reason
	case age > mc.OrdersMaxAge:
		out.Reason = mc.OrdersTimeout
	default:
		out.Read, out.AgeMs = true, float64(age.Nanoseconds())/1e6
	}
	if !out.Read {
		return
	}
	for i := range list.Orders {
		if !list.Orders[i].Child {
			out.Count++
		}
	}
	out.Buys, out.Sells = s.filled(list.Orders, true), s.filled(list.Orders, false)
	s.protections = s.protections[:0]
	for i := range s.account.positions {
		s.protections = append(s.protections, s.protection(&s.account.positions[i], list.Orders))
	}
	out.Positions = s.protections
}

// orderedLeg is the position in one asset once its resting orders have filled.
type orderedLeg struct {
	before   *position // nil: none
	in       *AssetInput
	units    float64 // after the fills
	price    float64 // the farther of the mark and the last order
	gain     float64 // of position and fills at that price, USD
	posted   float64 // margin moved into an isolated position, USD
	leverage float64
	isolated bool
	pool     int
}

// fills reports whether an order adds exposure when the price meets it.
func fills(o *mc.OpenOrder, buy bool) bool {
	return o.Buy == buy && !o.Trigger && !o.ReduceOnly && !o.Child && o.Asset != mc.NoAsset
}

// filled is the wallet once every order of a side has filled at its limit price, at the maker's fee. Other
// assets stand at their marks.
func (s *Scratch) filled(orders []mc.OpenOrder, buy bool) (out OrdersFilled) {
	a := &s.account
	equity := a.pools[a.pool].equity
	var cross marginPool
	each := func(leg *orderedLeg, maker float64) {
		n := math.Abs(leg.units) * leg.price
		out.GrossNotionalUSD += n
		out.NetNotionalUSD += leg.units * leg.price
		var tiers tierTable
		if leg.before != nil {
			tiers = leg.before.tiers
		} else {
			tiers.asset = leg.in.Market.Asset.Tiers
		}
		maintenance := tiers.maintenance(n)
		if leg.pool == a.pool {
			equity -= maker + leg.posted
		}
		if leg.isolated {
			own := leg.posted + leg.gain
			if leg.before != nil {
				own += leg.before.equity
			}
			if n > 0 {
				out.MaintenanceRatioPct = max(out.MaintenanceRatioPct, maintenanceRatioPct(maintenance, own))
			}
			return
		}
		if leg.pool == a.pool {
			equity += leg.gain
			cross.initial += n / leg.leverage
			cross.maintenance += maintenance
			if n > 0 {
				cross.positions++
			}
		}
	}
	for i := range a.positions {
		p := &a.positions[i]
		leg := orderedLeg{
			before: p, in: p.in, units: p.units, price: p.mark, leverage: p.leverage, isolated: p.isolated,
			pool: p.pool,
		}
		each(&leg, s.fillAsset(&leg, orders, p.id, buy, &out))
	}
	for i := range s.In.Ordered {
		in := &s.In.Ordered[i]
		asset := in.Market.Asset
		leg := orderedLeg{in: in, price: in.Market.Context.MarkPrice, leverage: min(defaultLeverage,
			asset.MaxLeverage)}
		if set, ok := s.In.Account.Setting(asset.ID); ok && set.Leverage >= 1 {
			leg.leverage, leg.isolated = set.Leverage, set.Isolated
		}
		leg.pool = s.In.Account.PoolOf(asset)
		if maker := s.fillAsset(&leg, orders, asset.ID, buy, &out); leg.units != 0 {
			each(&leg, maker)
		}
	}
	cross.equity = equity
	out.PoolEquityUSD, out.InitialUSD = equity, cross.initial
	out.MaintenanceRatioPct = max(out.MaintenanceRatioPct, cross.ratio())
	out.Funded = equity >= cross.initial
	return out
}

// fillAsset fills the orders of a side in one asset and returns the maker's fee, USD.
func (s *Scratch) fillAsset(
	leg *orderedLeg, orders []mc.OpenOrder, id mc.AssetID, buy bool, out *OrdersFilled,
) (fee float64) {
	mark, side, before := leg.price, 1.0, leg.units
	if !buy {
		side = -1
	}
	traded := 0.0 // USD paid for the units filled, signed
	for i := range orders {
		o := &orders[i]
		if o.Asset != id || !fills(o, buy) {
			continue
		}
		notional := o.Units * o.LimitPrice
		out.Orders++
		out.NotionalUSD += notional
		leg.units += side * o.Units
		traded += side * notional
		fee += notional * s.In.Account.MakerRate
		if buy {
			leg.price = min(leg.price, o.LimitPrice)
		} else {
			leg.price = max(leg.price, o.LimitPrice)
		}
		if leg.isolated && side*before >= 0 {
			leg.posted += notional / leg.leverage
		}
	}
	leg.gain = before*(leg.price-mark) + (leg.units-before)*leg.price - traded
	return fee
}

// protection tells how far the stops among the orders protect a position: reduce-only trigger orders of the
// other side that wait on the losing side of the mark, before the liquidation price.
func (s *Scratch) protection(p *position, orders []mc.OpenOrder) Protection {
	out := Protection{Asset: p.name}
	size := math.Abs(p.units)
	liquidation := s.account.liquidationPrice(p)
	covered := 0.0
	for i := range orders {
		o := &orders[i]
		losing := p.side()*(p.mark-o.TriggerPrice) > 0
		if o.Asset != p.id || !o.Stop || !o.ReduceOnly || o.Buy == (p.units > 0) || !losing {
			continue
		}
		if liquidation > 0 && p.side()*(o.TriggerPrice-liquidation) <= 0 {
			out.BeyondLiquidation++
			continue
		}
		if o.Whole || o.Units == 0 {
			covered = size
		} else {
			covered += o.Units
		}
		out.StopLimit = out.StopLimit || o.StopLimit
		if out.StopPrice == 0 || p.side()*(o.TriggerPrice-out.StopPrice) > 0 {
			out.StopPrice = o.TriggerPrice
		}
	}
	lot := 0.0
	if asset := p.in.Market.Asset; asset != nil {
		lot = lotOf(asset.SizeDigits)
	}
	if withinLot(covered, size, lot) {
		covered = size
	}
	out.CoveredPct = pctPerUnit * min(covered/size, 1)
	out.Protected = covered >= size
	return out
}
