package outcomes

import (
	"math"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/server/journal"
)

func of[T any](x T) *T { return &x }

// hour0 is a Monday's midnight.
var hour0 = start.UnixMilli() / hourMs

// flat are bars at a price from an hour on.
func flat(from int64, n int, price float64) (bars []marketcache.Bar) {
	for i := range n {
		bars = append(bars, marketcache.Bar{OpenMs: (from + int64(i)) * hourMs, Open: price, High: price, Low: price,
			Close: price})
	}
	return bars
}

// long is a decision about a long of 1,000 USD at 100 with 10x, liquidated at 91.
func long(at time.Time) journal.Decision {
	return journal.Decision{
		RequestID: "req_1", At: at, Kind: journal.Validate, KeyID: "key_a", Asset: "BTC", Action: "long", SizeUSD: 1000,
		Leverage: 10, Recommendation: "proceed_with_caution", RiskScore: of(55.0), Probability24h: of(0.03),
		Probability7d: of(0.2), Liquidation: of(91.0), Side: "long", MarkPrice: of(100.0), PositionUSD: of(1000.0),
		MarginUSD: of(100.0), VaR99: of(80.0),
	}
}

// Which bars count: none that has a price from before the decision, and 24 of them.
func TestWindow(t *testing.T) {
	for _, row := range []struct {
		name string
		at   time.Duration // after hour0
		low  int           // the hour after hour0 in which the price touches 91
		hit  bool
	}{
		{"in the hour of the decision", 10 * time.Minute, 0, false},
		{"in the next hour", 10 * time.Minute, 1, true},
		{"in the last hour", 10 * time.Minute, 24, true},
		{"after it", 10 * time.Minute, 25, false},
		{"in the hour that begins with the decision", 0, 0, true},
		{"in the last hour of that", 0, 23, true},
		{"after that", 0, 24, false},
		{"a millisecond later", time.Millisecond, 0, false},
	} {
		d := long(start.Add(row.at))
		bars := flat(hour0, 30, 100)
		bars[row.low].Low = 91
		c, ok := CaseOf(&d)
		o, closed := c.Close(bars, Day)
		if !ok || !closed || o.Liquidated != row.hit {
			t.Errorf("%s: %v %v %+v", row.name, ok, closed, o)
		}
		if row.hit && o.LiquidatedHour != hour0+int64(row.low) {
			t.Errorf("%s: liquidated in hour %d", row.name, o.LiquidatedHour-hour0)
		}
	}
}

// P&L, VaR and both sides, by hand.
func TestFiguresByHand(t *testing.T) {
	end := func(d journal.Decision, change func(bars []marketcache.Bar)) Outcome {
		t.Helper()
		bars := flat(hour0-3, 200, 100)
		change(bars)
		c, _ := CaseOf(&d)
		o, ok := c.Close(bars, Day)
		if !ok {
			t.Fatal("not closed")
		}
		return o
	}
	last := func(price float64) func([]marketcache.Bar) {
		return func(bars []marketcache.Bar) { bars[3+23].Close = price }
	}
	short := long(start)
	short.Action, short.Side, short.Liquidation = "short", "short", of(109.0)
	unpriced := long(start)
	unpriced.PositionUSD, unpriced.MarginUSD, unpriced.Liquidation = nil, nil, nil
	held := long(start) // a trade of 1,000 with a position of 3,000 after it
	held.PositionUSD = of(3000.0)
	for _, row := range []struct {
		name     string
		o        Outcome
		hit      bool
		usd, pct float64
		beyond   bool
	}{
		{"a long gains 2 %", end(long(start), last(102)), false, 20, 20, false},
		{"a long loses 8 %: as much as the VaR", end(long(start), last(92)), false, -80, -80, false},
		{"a long loses 8.1 %", end(long(start), last(91.9)), false, -81, -81, true},
		{"a long is liquidated and comes back", end(long(start), func(b []marketcache.Bar) { b[5].Low = 90 }), true,
			-90,
			-90, false},
		{"a long is liquidated and falls on", end(long(start), func(b []marketcache.Bar) {
			b[5].Low, b[26].Close = 90, 50
		}), true, -90, -90, true},
		{"a short gains", end(short, last(98)), false, 20, 20, false},
		{"a short is liquidated", end(short, func(b []marketcache.Bar) { b[3].High = 109 }), true, -90, -90, false},
		{"a low is nothing to a short", end(short, func(b []marketcache.Bar) { b[3].Low = 1 }), false, 0, 0, false},
		{"nothing is known of the position", end(unpriced, last(50)), false, math.NaN(), math.NaN(), false},
		{"the position is larger than the trade", end(held, last(99)), false, -30, -10, false},
	} {
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		if o := row.o; o.Liquidated != row.hit || !same(o.PnLUSD, row.usd) || !same(o.PnLPct, row.pct) ||
			o.VaRExceeded != row.beyond {
			t.Errorf("%s: %+v", row.name, o)
		}
	}
}

// A window with a missing bar has no outcome, whatever the other bars tell.
func TestMissingBars(t *testing.T) {
	d := long(start.Add(time.Minute))
	c, _ := CaseOf(&d)
	whole := flat(hour0+1, 24, 100)
	whole[3].Low = 50
	if _, ok := c.Close(whole, Day); !ok {
		t.Error("not closed with every bar")
	}
	for i := range whole {
		if o, ok := c.Close(append(append([]marketcache.Bar{}, whole[:i]...), whole[i+1:]...), Day); ok {
			t.Errorf("closed without bar %d: %+v", i, o)
		}
	}
	if _, ok := c.Close(nil, Day); ok {
		t.Error("closed without bars")
	}
	if _, ok := c.Close(whole, Week); ok {
		t.Error("a week closed with 24 bars")
	}
}

// Which decisions have an outcome.
func TestCaseOf(t *testing.T) {
	for name, change := range map[string]func(*journal.Decision){
		"a size":                          func(d *journal.Decision) { d.Kind = journal.Size },
		"not assessed":                    func(d *journal.Decision) { d.Recommendation = "" },
		"flat":                            func(d *journal.Decision) { d.Side = "flat" },
		"without a price":                 func(d *journal.Decision) { d.MarkPrice = nil },
		"neither liquidation nor a VaR":   func(d *journal.Decision) { d.Liquidation, d.VaR99 = nil, nil },
		"a figure that is no number":      func(d *journal.Decision) { d.MarkPrice = of(math.NaN()) },
		"a recommendation of another age": func(d *journal.Decision) { d.Recommendation = "maybe" },
	} {
		d := long(start)
		change(&d)
		if _, ok := CaseOf(&d); ok {
			t.Errorf("%s has an outcome", name)
		}
	}
	for name, change := range map[string]func(*journal.Decision){
		"a batch's": func(d *journal.Decision) { d.Kind = journal.Batch },
		"a gate's":  func(d *journal.Decision) { d.Kind = journal.Gate },
		"a VaR":     func(d *journal.Decision) { d.Liquidation = nil },
		"a price":   func(d *journal.Decision) { d.VaR99 = nil },
	} {
		d := long(start)
		change(&d)
		if _, ok := CaseOf(&d); !ok {
			t.Errorf("%s has no outcome", name)
		}
	}
}
