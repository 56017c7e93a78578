package api

import (
	"slices"
	"strings"

	"ballast/compute/risk"
	"ballast/internal/printable"
)

// order is for a member of the order.
func (m *Mending) order(field string, bad *risk.Reject, o *risk.OrderRequest) {
	switch field {
	case "type":
		m.text(&o.Type, orderWords[strings.ToLower(string(o.Type.Value))], &Allowed{Values: orderTypes})
		if words := strings.ToLower(string(o.Type.Value)); strings.Contains(words, "stop") ||
			strings.Contains(words, "take") {
			m.Suggestion = "market or limit; the trigger goes into order.stop_loss_price or order.take_profit_price"
		}
	case "price":
		m.price(&o.Price, bad)
		if o.Price.Kind == risk.Given && o.Price.Value > 0 { // of an order that is no limit order
			m.Allowed, m.Suggestion = nil, "set order.type to limit, or leave order.price out"
		}
	case "tif":
		m.text(&o.TIF, orderWords[strings.ToLower(string(o.TIF.Value))], &Allowed{Values: orderTIFs})
		if m.Suggestion == string(o.TIF.Value) { // of an order that is no limit order
			m.Allowed, m.Suggestion = nil, "set order.type to limit, or leave order.tif out"
		}
	case "reduce_only":
		m.boolean(&o.ReduceOnly)
	case "take_profit_price":
		m.price(&o.TakeProfit, bad)
	case "stop_loss_price":
		m.price(&o.StopLoss, bad)
	default:
		*m = mendUnknown(field, orderFields)
		m.Field = bad.Field
	}
}

// price is for a price, which may have to lie on one side of another.
func (m *Mending) price(f *risk.Field[float64], bad *risk.Reject) {
	m.number(f, &Allowed{ExclusiveMin: new(float64)}, usdWords)
	bound := bad.Bound
	switch {
	case bound == 0:
	case bad.Above:
		m.Allowed.ExclusiveMin = &bound
		m.Suggestion = "a price above " + printable.Number(bound)
	default:
		m.Allowed.ExclusiveMax = &bound
		m.Suggestion = "a price below " + printable.Number(bound)
	}
}

// orderTypes and orderTIFs are the words of an order; orderWords are words for them, in lower case.
var (
	orderTypes = []string{"market", "limit"}
	orderTIFs  = []string{"gtc", "ioc", "alo"}
	orderWords = map[string]string{"market": "market", "limit": "limit", "gtc": "gtc", "good_til_cancelled": "gtc",
		"good-til-cancelled": "gtc", "ioc": "ioc",
		"immediate_or_cancel": "ioc", "alo": "alo", "gtx": "alo", "post_only": "alo", "post-only": "alo",
		"postonly": "alo"}
)

// postOnly is what other services have a flag for.
const postOnly = `tif "alo"`

// ofOrder maps names that other services use to the member of an order of that meaning.
var ofOrder = map[string]string{
	"stop": "stop_loss_price", "stop_loss": "stop_loss_price", "stop_price": "stop_loss_price", "sl": "stop_loss_price",
	"stoploss": "stop_loss_price", "stoplossprice": "stop_loss_price",
	"take_profit": "take_profit_price", "tp": "take_profit_price", "takeprofit": "take_profit_price",
	"takeprofitprice": "take_profit_price",
	"reduceonly":      "reduce_only", "order_type": "type",
	"limit_price": "price", "limitprice": "price", "limit_px": "price",
	"time_in_force": "tif", "timeinforce": "tif", "post_only": postOnly, "postonly": postOnly,
}

// orderMember returns the member of an order that a name means, "" if it means none.
func orderMember(name string) string {
	if word := ofOrder[name]; word != "" {
		return word
	}
	if name != "type" && slices.Contains(orderFields, name) {
		return name
	}
	return ""
}
