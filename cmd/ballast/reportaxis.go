package main

import (
	"fmt"
	"math"
	"strings"
)

// farthest is the distance from the mark beyond which a price is not drawn to scale, as a share of the mark.
const farthest = 0.5

// priceMark is a price on the axis.
type priceMark struct {
	sign   rune
	name   string
	price  float64
	colour colour
}

// reportPrices draws the prices that matter on one axis: the mark, entry and liquidation of the position after the
// trade, its stop and take-profit price, and the range of the price within a day.
func (a *answer) reportPrices(w sheet) {
	mark := a.Meta.MarkPrice
	if mark <= 0 {
		return
	}
	marks := []priceMark{}
	low, high := 0.0, 0.0
	if d := &a.Day; d.Down99Pct < d.Up99Pct {
		low, high = mark*(1+d.Down99Pct/100), mark*(1+d.Up99Pct/100)
	}
	if p := a.Position.After; p != nil {
		if p.LiquidationPrice != nil {
			marks = append(marks, priceMark{'L', "liquidation", *p.LiquidationPrice, red})
		}
		if p.EntryPrice != nil {
			marks = append(marks, priceMark{'E', "entry", *p.EntryPrice, bold})
		}
	}
	marks = append(append(marks, a.exitMarks()...), priceMark{'M', "mark", mark, bold})
	if len(marks) == 1 && low == high {
		return
	}
	fmt.Fprintln(w, drawAxis(w, marks, mark, low, high))
	var words []string
	for _, m := range marks {
		text := string(m.sign) + " " + m.name + " " + price(m.price)
		if m.sign != 'M' {
			text += fmt.Sprintf(" (%+.1f %%)", 100*(m.price/mark-1))
		}
		words = append(words, text)
	}
	if low < high {
		words = append(words, fmt.Sprintf("▒ 98 of 100 days end between %s and %s", price(low), price(high)))
	}
	wrapped(w, "  ", strings.Join(words, ", "))
	fmt.Fprintln(w)
}

// drawAxis draws the marks and the day's range. What is too far from the mark stands at the edge, as an arrow.
func drawAxis(w sheet, marks []priceMark, mark, low, high float64) string {
	const cells = width - 4
	from, to := mark, mark
	include := func(x float64) {
		if math.Abs(x/mark-1) <= farthest {
			from, to = min(from, x), max(to, x)
		}
	}
	include(low)
	include(high)
	for _, m := range marks {
		include(m.price)
	}
	margin := max((to-from)*0.03, mark*1e-4)
	from, to = from-margin, to+margin
	at := func(x float64) int { return min(max(int((x-from)/(to-from)*cells), 0), cells-1) }
	axis := make([]string, cells)
	for i := range axis {
		axis[i] = "─"
	}
	for i := at(low); low < high && i <= at(high); i++ {
		axis[i] = "▒"
	}
	for _, m := range marks {
		sign := string(m.sign)
		switch {
		case m.price < from:
			sign = "◄"
		case m.price > to:
			sign = "►"
		}
		axis[at(m.price)] = w.paint(m.colour, sign)
	}
	return "  " + strings.Join(axis, "")
}
