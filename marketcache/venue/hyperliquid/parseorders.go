package hyperliquid

import (
	"strings"

	"ballast/marketcache"
)

// maxOrders is the most resting orders of a wallet that are read.
const maxOrders = 5000

// cloidLength is the length of a client's id: 0x and 32 digits.
const cloidLength = 34

// openOrder is a resting order on the wire.
type openOrder struct {
	Coin         name                 `json:"coin"`
	OID          uint64               `json:"oid"`
	Cloid        *string              `json:"cloid"`
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

// parseOrders parses frontendOpenOrders of a dex and adds the orders of perpetuals to all, each followed by its
// children that protect. reason is "" or why the list cannot be used; an unreadable order or one on another dex costs
// the list. Orders of spot pairs are in the list of the main dex.
func parseOrders(b []byte, u *marketcache.Universe, dex string, all *marketcache.OpenOrders) (reason string) {
	var list elements[openOrder]
	if !wellFormed(b) || list.UnmarshalJSON(b) != nil {
		return marketcache.OrdersError
	}
	if len(list) > maxOrders {
		return marketcache.OrdersTooMany
	}
	for i := range list {
		w := &list[i].value
		if list[i].ok && w.isSpot() && dex == "" {
			all.Spot = true
			continue
		}
		o, ok := w.parse(u, dex)
		if !list[i].ok || !ok {
			return marketcache.OrdersError
		}
		all.Orders = append(all.Orders, o)
		if w.Children == nil {
			continue
		}
		for _, c := range *w.Children {
			child, ok := c.value.parse(u, dex)
			if !c.ok || !ok {
				return marketcache.OrdersError
			}
			if child.Child = true; child.Trigger && child.ReduceOnly {
				all.Orders = append(all.Orders, child)
			}
		}
	}
	return ""
}

// isSpot reports whether the order is one of a spot pair or an outcome.
func (w *openOrder) isSpot() bool {
	coin := string(w.Coin)
	return strings.HasPrefix(coin, "@") || strings.HasPrefix(coin, "#") || strings.Contains(coin, "/")
}

// parse returns the order; ok is false for an impossible one, or one on another dex.
func (w *openOrder) parse(u *marketcache.Universe, dex string) (o marketcache.OpenOrder, ok bool) {
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
	if o.OID = w.OID; w.Cloid != nil && len(*w.Cloid) == cloidLength {
		o.Cloid = *w.Cloid
	}
	return o, printableName(string(w.Coin)) && dexOf(string(w.Coin)) == dex && (o.Buy || w.Side == "A") &&
		w.Units != nil &&
		(o.Units > 0 || o.Whole && o.Units == 0) && o.Units <= maxUnits &&
		o.LimitPrice > 0 && o.LimitPrice <= maxAccountUSD &&
		(!o.Trigger || o.TriggerPrice > 0 && o.TriggerPrice <= maxAccountUSD)
}
