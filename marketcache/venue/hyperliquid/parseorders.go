package hyperliquid

import (
	"strings"

	"ballast/marketcache"
)

// maxOrders is the most resting orders of a wallet that are read.
const maxOrders = 5000

// openOrder is a resting order on the wire.
type openOrder struct {
	Coin         name                 `json:"coin"`
	Side         string               `json:"side"` // B buys, A sells
	LimitPrice   *decimal             `json:"limitPx"`
	Units        *decimal             `json:"sz"` // left
	IsTrigger    bool                 `json:"isTrigger"`
	TriggerPrice *decimal             `json:"triggerPx"`
	ReduceOnly   bool                 `json:"reduceOnly"`
	Whole        bool                 `json:"isPositionTpsl"`
	Kind         string               `json:"orderType"`
	Children     *elements[openOrder] `json:"children"`
}

// parseOrders parses frontendOpenOrders and appends the orders of perpetuals to orders, each followed by its
// children that protect. reason is "" or why the list cannot be used; an unreadable order costs the list.
func parseOrders(
	b []byte, u *marketcache.Universe, orders []marketcache.OpenOrder,
) (all []marketcache.OpenOrder, reason string) {
	var list elements[openOrder]
	if !wellFormed(b) || list.UnmarshalJSON(b) != nil {
		return nil, marketcache.OrdersError
	}
	if len(list) > maxOrders {
		return nil, marketcache.OrdersTooMany
	}
	for i := range list {
		w := &list[i].value
		if list[i].ok && w.isSpot() {
			continue
		}
		o, ok := w.parse(u)
		if !list[i].ok || !ok {
			return nil, marketcache.OrdersError
		}
		orders = append(orders, o)
		if w.Children == nil {
			continue
		}
		for _, c := range *w.Children {
			child, ok := c.value.parse(u)
			if !c.ok || !ok {
				return nil, marketcache.OrdersError
			}
			if child.Child = true; child.Trigger && child.ReduceOnly {
				orders = append(orders, child)
			}
		}
	}
	return orders, ""
}

// isSpot reports whether the order is one of a spot pair or an outcome.
func (w *openOrder) isSpot() bool {
	coin := string(w.Coin)
	return strings.HasPrefix(coin, "@") || strings.HasPrefix(coin, "#") || strings.Contains(coin, "/")
}

// parse returns the order; ok is false for an impossible one.
func (w *openOrder) parse(u *marketcache.Universe) (o marketcache.OpenOrder, ok bool) {
	o = marketcache.OpenOrder{
		Asset: u.LookupString(string(w.Coin)), Buy: w.Side == "B",
		LimitPrice: w.LimitPrice.orZero(), Units: w.Units.orZero(),
		Trigger: w.IsTrigger, Stop: strings.HasPrefix(w.Kind, "Stop"), StopLimit: w.Kind == "Stop Limit",
		ReduceOnly: w.ReduceOnly,
	}
	if o.Trigger {
		o.TriggerPrice = w.TriggerPrice.orZero()
		o.Whole = w.Whole || w.Units != nil && o.Units == 0
	}
	if o.Whole {
		o.Units = 0
	}
	return o, printableName(string(w.Coin)) && (o.Buy || w.Side == "A") && w.Units != nil &&
		(o.Units > 0 || o.Whole && o.Units == 0) && o.Units <= maxUnits &&
		o.LimitPrice > 0 && o.LimitPrice <= maxAccountUSD &&
		(!o.Trigger || o.TriggerPrice > 0 && o.TriggerPrice <= maxAccountUSD)
}
