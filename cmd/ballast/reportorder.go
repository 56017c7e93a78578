package main

import (
	"fmt"
	"strings"

	"ballast/internal/printable"
	"ballast/server/spec/types"
)

// order returns the order of the request, empty for a plain market order.
func (f *orderFlags) order() map[string]any {
	order := map[string]any{}
	if kind := f.kind(); kind != "" {
		order["type"] = kind
	}
	for name, price := range map[string]*dollars{"price": f.Price, "stop_loss_price": f.StopLoss,
		"take_profit_price": f.TakeProfit} {
		if price != nil {
			order[name] = *price
		}
	}
	if f.TIF != "" {
		order["tif"] = f.TIF
	}
	if f.ReduceOnly {
		order["reduce_only"] = true
	}
	return order
}

// kind is the type of the order, "" for none named: one with a price is a limit order.
func (f *orderFlags) kind() string {
	if f.OrderType == "" && f.Price != nil {
		return "limit"
	}
	return f.OrderType
}

// words says what the flags ask for, after the words about the trade.
func (f *orderFlags) words() string {
	var b strings.Builder
	add := func(name string, price *dollars) {
		if price != nil {
			fmt.Fprintf(&b, ", %s %s", name, printable.Decimal(float64(*price)))
		}
	}
	add("limit", f.Price)
	if f.TIF != "" {
		b.WriteString(" " + f.TIF)
	}
	if f.ReduceOnly {
		b.WriteString(", reduce only")
	}
	add("stop", f.StopLoss)
	add("take profit", f.TakeProfit)
	return b.String()
}

// reportOrder says what becomes of a limit order, and what a stop and a take-profit price do.
func (a *answer) reportOrder(w sheet) {
	if f := a.Execution; f != nil {
		parts := []string{usd(f.TakerUSD) + " USD fill at once"}
		if f.MakerUSD > 0 {
			parts = append(parts, fmt.Sprintf("%s USD rest: filled within 24 h in %s", usd(f.MakerUSD),
				chance(f.PFill24h)))
		}
		if f.UnfilledUSD > 0 {
			parts = append(parts, usd(f.UnfilledUSD)+" USD are cancelled or refused")
		}
		row(w, "limit order", "%s", strings.Join(parts, ", "))
	}
	if o := a.Order; o != nil {
		first := ""
		if o.PStopFirst != nil {
			first = fmt.Sprintf("; touched within 24 h in %s, if nothing else ends it before", chance(*o.PStopFirst))
		}
		exitRow(w, "stop", o.StopLoss, first)
		exitRow(w, "take profit", o.TakeProfit, "")
	}
}

func exitRow(w sheet, name string, l *types.ExitLevel, more string) {
	if l != nil {
		row(w, name, "at %s, %.2f %% from mark: %s USD net%s", price(l.Price), l.DistancePct, usd(l.PnLUSD), more)
	}
}

// exitMarks are the stop and the take-profit price on the axis.
func (a *answer) exitMarks() (marks []priceMark) {
	o := a.Order
	if o == nil {
		return nil
	}
	if l := o.StopLoss; l != nil {
		marks = append(marks, priceMark{'S', "stop", l.Price, yellow})
	}
	if l := o.TakeProfit; l != nil {
		marks = append(marks, priceMark{'T', "take profit", l.Price, green})
	}
	return marks
}
