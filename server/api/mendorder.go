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

// orderTypes are the types of an order; orderWords are words for them, in lower case.
var (
	orderTypes = []string{"market"}
	orderWords = map[string]string{"market": "market"}
)

// ofOrder maps names that other services use to the member of an order of that meaning.
var ofOrder = map[string]string{
	"stop": "stop_loss_price", "stop_loss": "stop_loss_price", "stop_price": "stop_loss_price", "sl": "stop_loss_price",
	"stoploss": "stop_loss_price", "stoplossprice": "stop_loss_price",
	"take_profit": "take_profit_price", "tp": "take_profit_price", "takeprofit": "take_profit_price",
	"takeprofitprice": "take_profit_price",
	"reduceonly":      "reduce_only", "order_type": "type",
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
