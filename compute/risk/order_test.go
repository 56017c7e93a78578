package risk

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ballast/internal/race"
)

// near fails the test unless two figures agree to nine digits.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// One coin at 60,000 USD fills at the first ask, 60,006. Fees are 4.5 bps of 60,006 and of the price of the exit,
// a day's funding is 24 * 1.25e-5 of 60,000.
func TestExitsByHand(t *testing.T) {
	s := newSituation(100_000, ActionLong, 60_000)
	s.in.Trade.Order = Order{StopLoss: 57_000, TakeProfit: 66_000}
	a := s.assess(t)
	stop, profit := &a.Order.StopLoss, &a.Order.TakeProfit
	near(t, "fees at the stop", stop.FeesUSD, 27.0027+25.65)
	near(t, "fees at the take-profit price", profit.FeesUSD, 27.0027+29.7)
	near(t, "funding", stop.FundingUSD, 18)
	near(t, "P&L at the stop", stop.PnLUSD, -3000-6-52.6527-18)
	near(t, "P&L at the take-profit price", profit.PnLUSD, 6000-6-56.7027-18)
	near(t, "distance", stop.DistancePct, 5)
	if a.Order.StopBeyondLiquidation || a.Flags.Has(FlagStopBeyondLiquidation) || a.Order.Flat {
		t.Errorf("%+v", a.Order)
	}

	// Half of a long is closed: the other half of the position is left, which gains and pays half.
	s = newSituation(100_000, ActionClose, 60_000).holds(holding(0, "BTC", 2, testMark, 10))
	s.in.Trade.Order = Order{StopLoss: 57_000}
	a = s.assess(t)
	near(t, "P&L of the rest", a.Order.StopLoss.PnLUSD, -3000-6-(59_994*testTaker+25.65)-18)

	// A short receives the funding.
	s = newSituation(100_000, ActionShort, 60_000)
	s.in.Trade.Order = Order{StopLoss: 63_000}
	a = s.assess(t)
	near(t, "P&L of a short", a.Order.StopLoss.PnLUSD, -3000-6-(59_994+63_000)*testTaker+18)

	// Nothing is left to close.
	s = newSituation(100_000, ActionClose, 60_000).holds(holding(0, "BTC", 1, testMark, 10))
	s.in.Trade.Order = Order{StopLoss: 63_000}
	if a = s.assess(t); !a.Order.Known || !a.Order.Flat || a.Order.StopLoss.Price != 0 {
		t.Errorf("flat: %+v", a.Order)
	}
}

// The chance of a stop alone is the one that the table of excursions gives for a liquidation at its price: 0.1 at
// 1.759 standard deviations below for a long.
func TestChanceOfTheStop(t *testing.T) {
	s := newSituation(100_000, ActionLong, 60_000)
	s.in.Trade.Order = Order{StopLoss: testMark * math.Exp(-0.025*1.759)}
	near(t, "stop alone", s.assess(t).Order.StopFirst24h, 0.1)
	// A take-profit price is reached first in some of these cases, and always when it is next to the mark.
	last := 0.1 + 1e-12
	for _, price := range []float64{90_000, 63_000, 61_000, 60_100, 60_000.000001} {
		s.in.Trade.Order.TakeProfit = price
		p := s.assess(t).Order.StopFirst24h
		if !(p <= last && p >= 0) {
			t.Errorf("take profit at %v: %v after %v", price, p, last)
		}
		last = p
	}
	if last > 1e-6 {
		t.Errorf("take profit at the mark: %v", last)
	}
	s.in.Trade.Order = Order{StopLoss: 100, TakeProfit: 61_000}
	if a := s.assess(t); !a.Order.StopBeyondLiquidation && a.Liquidation.Price > 100 ||
		a.Order.StopFirst24h != 0 && a.Order.StopBeyondLiquidation {
		t.Errorf("%+v", a.Order)
	}
}

// The chance of two barriers agrees with the eigenfunctions of the heat equation, which converge where the images
// do not.
func TestFirstOfTwo(t *testing.T) {
	for _, a := range []float64{1e-3, 0.1, 0.149, 0.151, 0.5, 1, 2, 4} {
		for _, b := range []float64{1e-3, 0.1, 0.149, 0.151, 0.5, 1, 2, 4} {
			l := a + b
			want := b / l
			for n := 1.0; n < 4000; n++ {
				want -= 2 / (n * math.Pi) * math.Sin(n*math.Pi*a/l) * math.Exp(-n*n*math.Pi*math.Pi/(2*l*l))
			}
			if got := firstOfTwo(a, b); math.Abs(got-want) > 1e-12 {
				t.Errorf("a %v, b %v: %v, want %v", a, b, got, want)
			}
		}
	}
	near(t, "far away", firstOfTwo(1.5, 40), math.Erfc(1.5/math.Sqrt2))
	near(t, "both at once", firstOfTwo(0, 0), 0.5)
	if p := firstOfTwo(math.Inf(1), 1); p != 0 {
		t.Errorf("never reached: %v", p)
	}
}

// Prices on the wrong side are refused, with the side on which they belong.
func TestExitsOnTheWrongSide(t *testing.T) {
	for _, row := range []struct {
		action   Action
		order    Order
		before   float64 // coins
		field    string
		contains string
	}{
		{ActionLong, Order{StopLoss: 59_999}, 0, "", ""},
		{ActionLong, Order{StopLoss: 60_000}, 0, "order.stop_loss_price", "the stop of a long must be below the mark"},
		{ActionShort, Order{StopLoss: 60_000}, 0, "order.stop_loss_price", "must be above the mark price 60000"},
		{ActionShort, Order{TakeProfit: 60_001}, 0, "order.take_profit_price", "must be below"},
		{ActionLong, Order{TakeProfit: 59_000}, 0, "order.take_profit_price", "must be above"},
		{ActionLong, Order{StopLoss: 61_000}, -3, "", ""}, // what is left is a short
		{ActionLong, Order{StopLoss: 59_000}, -3, "order.stop_loss_price", "must be above"},
		{ActionLong, Order{StopLoss: 1, TakeProfit: 1}, -1, "", ""}, // nothing is left
	} {
		s := newSituation(1e6, row.action, 60_000)
		if row.before != 0 {
			s.holds(holding(0, "BTC", row.before, testMark, 10))
		}
		s.in.Trade.Order = row.order
		scratch := NewScratch(4)
		assessWith(t, NewEngine(DefaultAges()), scratch, &s.in)
		bad := scratch.Refused
		if (bad == nil) != (row.field == "") {
			t.Errorf("%+v: %+v", row, bad)
		} else if bad != nil && (bad.Field != row.field || !strings.Contains(bad.Detail, row.contains) ||
			bad.Bound != testMark) {
			t.Errorf("%+v: %+v", row, bad)
		}
	}
}

// A reduce-only order takes at most the position, and nothing of a position on its own side.
func TestReduceOnly(t *testing.T) {
	for _, row := range []struct {
		action        Action
		before, after float64
		rejected      bool
	}{
		{ActionLong, -3, -2, false}, {ActionLong, -0.5, 0, false}, {ActionShort, 0.5, 0, false},
		{ActionLong, 3, 3, true}, {ActionShort, -3, -3, true}, {ActionLong, 0, 0, true},
	} {
		s := newSituation(1e6, row.action, 60_000)
		if row.before != 0 {
			s.holds(holding(0, "BTC", row.before, testMark, 5))
		}
		s.in.Trade.Order.ReduceOnly = true
		a := s.assess(t)
		if got := a.Position.After.Side * a.Position.After.SizeCoin; got != row.after || a.RiskScore > 30 ||
			a.Recommendation != Proceed {
			t.Errorf("%+v: %v coins after, score %v", row, got, a.RiskScore)
		}
		adm := &a.Admissibility
		if rejected := adm.Verdict == VerdictWillReject; rejected != row.rejected ||
			rejected && adm.Issues[0].Code != IssueReduceOnly {
			t.Errorf("%+v: %+v", row, adm)
		}
		if row.rejected && row.before != 0 && a.Position.After.Leverage != 5 {
			t.Errorf("%+v: an order that is refused changes the leverage to %v", row, a.Position.After.Leverage)
		}
		if exceeds := math.Abs(row.before) == 0.5; a.Flags.Has(FlagSizeExceedsPosition) != exceeds ||
			a.Flags.Has(FlagNoOpenPosition) != (row.before == 0) {
			t.Errorf("%+v: %v", row, raised(&a.Flags))
		}
	}
}

// A reduce-only order never increases a position and never scores above 30. Against a position it is the close of
// the same size.
func TestMustNotIncreaseWithReduceOnly(t *testing.T) {
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		in.Trade.Action, in.Trade.Order.ReduceOnly = Action(r.IntN(2)), true
		before := 0.0
		if i := in.Account.PositionIn(in.Trade.Asset); i >= 0 {
			before = in.Account.Positions[i].Units
		}
		a := *answer(e, s, in)
		after := s.view.plan.after
		if math.Abs(after) > math.Abs(before) || after*before < 0 || a.RiskScore > 30 || a.Recommendation != Proceed {
			return fmt.Sprintf("%v coins become %v, score %v", before, after, a.RiskScore)
		}
		if s.view.plan.kind != reduces {
			return ""
		}
		in.Trade.Action, in.Trade.Order.ReduceOnly = ActionClose, false
		if b := answer(e, s, in); a.Position != b.Position || a.Cost != b.Cost || a.Margin.After != b.Margin.After {
			return fmt.Sprintf("%+v, as a close %+v", a.Position, b.Position)
		}
		return ""
	})
}

// A stop nearer than liquidation caps the loss: there it is less than at the liquidation price, and of an isolated
// position never more than its margin and costs.
func TestMustCapTheLossAtTheStop(t *testing.T) {
	capped := 0
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		r.opens(in)
		mark, side := in.Target.Market.Context.MarkPrice, 1-2*float64(in.Trade.Action)
		in.Trade.Order.StopLoss = mark * (1 - side*r.log(1e-4, 0.9))
		if r.chance(2) {
			in.Trade.Order.TakeProfit = mark * (1 + side*r.log(1e-4, 0.9))
		}
		a := answer(e, s, in)
		o, liq := &a.Order, a.Liquidation.Price
		alone := in.Trade.Order
		alone.TakeProfit = 0
		switch beyond := liq > 0 && side*(in.Trade.Order.StopLoss-liq) <= 0; {
		case beyond && (!o.StopBeyondLiquidation || o.StopFirst24h != 0 || !a.Flags.Has(FlagStopBeyondLiquidation)):
			return fmt.Sprintf("a stop beyond %v: %+v", liq, o)
		case beyond || liq == 0:
			return ""
		case o.StopBeyondLiquidation || !(o.StopFirst24h >= 0 && o.StopFirst24h <= s.stopFirst(&alone)):
			return fmt.Sprintf("a stop before %v: %+v", liq, o)
		}
		capped++
		if atLiquidation := s.exitAt(liq); o.StopLoss.PnLUSD <= atLiquidation.PnLUSD {
			return fmt.Sprintf("%+v is not better than liquidation, %+v", o.StopLoss, atLiquidation)
		}
		v := &s.view
		costs := o.StopLoss.FeesUSD + o.StopLoss.FundingUSD
		if v.plan.mode == Isolated && !v.after.assumed && -o.StopLoss.PnLUSD > (v.after.posted+costs)*(1+1e-9) {
			return fmt.Sprintf("%+v loses more than its margin %v", o.StopLoss, v.after.posted)
		}
		return ""
	})
	if capped < mustStates/20 {
		t.Errorf("only %d stops before liquidation", capped)
	}
}

// An assessment of an order allocates nothing.
func TestAllocOrder(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	c, now := testCache(t, 3)
	e, s, owner := NewEngine(DefaultAges()), NewScratch(2), testWallet(2)
	for _, o := range []Order{{StopLoss: 57_000, TakeProfit: 66_000}, {ReduceOnly: true}} {
		trade := Trade{Asset: 0, Action: ActionLong, SizeUSD: 50_000, Leverage: 10, Order: o}
		run := func() {
			refuse(t, e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs))
			e.Assess(s)
		}
		run()
		if got := testing.AllocsPerRun(100, run); got != 0 {
			t.Errorf("%+v: %v allocations", o, got)
		}
	}
}
