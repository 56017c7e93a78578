package risk

import (
	"fmt"
	"math"
	"testing"

	mc "ballast/marketcache"

	"ballast/internal/race"
)

const testMaker = 1.5e-4

// limitTrade returns a wallet with a limit order in BTC, whose book has 1,000,000 USD at every 6 USD from 60,006 and
// 59,994 on.
func limitTrade(equity float64, action Action, sizeUSD float64, o Order) *situation {
	s := newSituation(equity, action, sizeUSD)
	s.in.Account.MakerRate = testMaker
	o.Limit = true
	s.in.Trade.Order = o
	return s
}

// The first level is worth 1,000,000 USD at mid, which is 1,000,100 USD at its price of 60,006.
func TestExecutionByHand(t *testing.T) {
	const all = 2e6
	for name, row := range map[string]struct {
		action Action
		order  Order
		want   OrderFill
		issue  IssueCode
		fix    float64
	}{
		"two levels": {ActionLong, Order{Price: 60_012},
			OrderFill{TakerUSD: all, FillPrice: 60_009, FeeUSD: 2_000_300 * testTaker, FillProbability24h: 1}, 0, 0},
		"one level, the rest waits": {ActionLong, Order{Price: 60_006},
			OrderFill{TakerUSD: 1e6, MakerUSD: 1e6, FillPrice: 60_006, FeeUSD: 1_000_100 * (testTaker + testMaker),
				FillProbability24h: 1}, 0, 0},
		"between the levels": {ActionLong, Order{Price: 60_009},
			OrderFill{TakerUSD: 1e6, MakerUSD: 1e6, FillPrice: 60_007.5,
				FeeUSD: 1_000_100*testTaker + 1_000_150*testMaker, FillProbability24h: 1}, 0, 0},
		"the rest is cancelled": {ActionLong, Order{Price: 60_006, TIF: IOC},
			OrderFill{TakerUSD: 1e6, UnfilledUSD: 1e6, FillPrice: 60_006, FeeUSD: 1_000_100 * testTaker}, 0, 0},
		"nothing within its price": {ActionShort, Order{Price: 60_000, TIF: IOC},
			OrderFill{UnfilledUSD: all}, IssueNoLiquidity, 0},
		"post only, not first": {ActionLong, Order{Price: 59_994, TIF: ALO},
			OrderFill{MakerUSD: all, FillPrice: 59_994, FeeUSD: 1_999_800 * testMaker, FillProbability24h: -1}, 0, 0},
		"post only that would fill": {ActionLong, Order{Price: 60_006, TIF: ALO},
			OrderFill{UnfilledUSD: all}, IssueWouldCross, 60_005},
		"post only that would sell": {ActionShort, Order{Price: 50_000, TIF: ALO},
			OrderFill{UnfilledUSD: all}, IssueWouldCross, 59_995},
		"a short one": {ActionShort, Order{Price: 59_994},
			OrderFill{TakerUSD: 1e6, MakerUSD: 1e6, FillPrice: 59_994, FeeUSD: 999_900 * (testTaker + testMaker),
				FillProbability24h: 1}, 0, 0},
		"as far away as the table's 1 in 10": {ActionLong, Order{Price: testMark * math.Exp(-0.025*1.759)},
			OrderFill{MakerUSD: all, FillPrice: testMark * math.Exp(-0.025*1.759),
				FeeUSD: all * math.Exp(-0.025*1.759) * testMaker, FillProbability24h: 0.1}, IssueTick, 57_418},
	} {
		t.Run(name, func(t *testing.T) {
			a := limitTrade(1e6, row.action, all, row.order).assess(t)
			got := a.Execution
			near(t, "taker", got.TakerUSD, row.want.TakerUSD)
			near(t, "maker", got.MakerUSD, row.want.MakerUSD)
			near(t, "unfilled", got.UnfilledUSD, row.want.UnfilledUSD)
			near(t, "fill", got.FillPrice, row.want.FillPrice)
			near(t, "fee", got.FeeUSD, row.want.FeeUSD)
			if row.want.FillProbability24h >= 0 {
				near(t, "chance", got.FillProbability24h, row.want.FillProbability24h)
			} else if p := got.FillProbability24h; !(p > 0.98 && p < 1) {
				t.Errorf("chance %v of a price next to the mark", p)
			}
			adm := &a.Admissibility
			switch {
			case row.issue == 0 && (adm.Count != 0 || adm.Verdict != VerdictOK):
				t.Errorf("%+v", adm)
			case row.issue != 0 && (adm.Issues[0].Code != row.issue || adm.Issues[0].Fix != row.fix ||
				adm.Verdict != VerdictWillReject):
				t.Errorf("%v %+v", adm.Issues[0].Code, adm.Issues[0])
			}
			if got := a.Position.After.NotionalUSD; math.Abs(got-all) > 1 {
				t.Errorf("the figures are of %v USD, want the whole order", got)
			}
		})
	}
}

// An order that rests 10 % below the mark needs its margin at its own price, u*54000/10, and the position that it
// opens is liquidated where its equity, A + u*(x - 54000), meets the maintenance margin u*x/80.
func TestRestingOrderByHand(t *testing.T) {
	const units = 10_000 / testMark
	order := Order{Price: 54_000, TIF: ALO}
	for equity, short := range map[float64]bool{901.36: false, 901.34: true} { // 900 and the fee of 1.35
		s := limitTrade(equity, ActionLong, 10_000, order)
		a := s.assess(t)
		if got := a.Flags.Has(FlagInsufficientMargin); got != short {
			t.Errorf("%v USD: margin short %v, want %v", equity, got, short)
		}
		near(t, "price", a.Liquidation.Price, (units*54_000-(equity-1.35))/(units*(1-1.0/80)))
		near(t, "entry", a.Position.After.EntryPrice, 54_000)
	}
	want := (units*54_000 - 900) / (units * (1 - 1.0/80))
	s := limitTrade(50_000, ActionLong, 10_000, order)
	s.in.Trade.Mode, s.in.Trade.ModeGiven = Isolated, true
	a := s.assess(t)
	near(t, "isolated", a.Liquidation.Price, want)
	near(t, "margin posted", a.Margin.DeltaInitialUSD, 900)
	near(t, "an empty account", limitTrade(0, ActionLong, 10_000, order).assess(t).Liquidation.Price, want)

	s = limitTrade(50_000, ActionShort, 10_000, Order{Price: 66_000, TIF: ALO})
	s.in.Trade.Mode, s.in.Trade.ModeGiven = Isolated, true
	near(t, "a short", s.assess(t).Liquidation.Price, (units*66_000+1100)/(units*(1+1.0/80)))

	// A stop of a resting order is measured from the order's price.
	s = limitTrade(50_000, ActionLong, 10_000, Order{Price: 54_000, StopLoss: 54_000 * math.Exp(-0.025*1.759),
		TakeProfit: 58_000})
	a = s.assess(t)
	near(t, "loss at the stop", a.Order.StopLoss.PnLUSD, units*(54_000*(math.Exp(-0.025*1.759)-1)-
		54_000*testMaker-54_000*math.Exp(-0.025*1.759)*testTaker-testMark*24*testFunding))
	if p := a.Order.StopFirst24h; !(p > 0.09 && p < 0.1) {
		t.Errorf("chance of the stop %v", p)
	}
}

func TestPriceIssues(t *testing.T) {
	for _, row := range []struct {
		price, buy, sell float64 // the next allowed prices; the same: it is allowed
		digits           int
	}{
		{67_123.5, 67_123, 67_124, 5}, {123_456, 123_456, 123_456, 5}, {1234.5, 1234.5, 1234.5, 5},
		{1234.56, 1234.5, 1234.6, 2}, {1234.55, 1234.5, 1234.6, 5}, {12.345, 12.3, 12.4, 5},
		{12.345, 12.345, 12.345, 2},
		{99_999.5, 99_999, 100_000, 0}, {0.00012345, 0.000123, 0.000124, 0}, {0.001234, 0.001234, 0.001234, 0},
		{0.1, 0, 1, 6}, {1000, 1000, 1000, 3}, {1e-9, 0, 1e-6, 0}, {0.3, 0.3, 0.3, 5}, {1e15 + 0.5, 1e15, 1e15 + 1, 1},
	} {
		step := priceStep(row.price, row.digits)
		if down, up := onStep(row.price, step, -1), onStep(row.price, step, +1); down != row.buy || up != row.sell {
			t.Errorf("%v with %d digits: between %v and %v, want %v and %v", row.price, row.digits, down, up, row.buy,
				row.sell)
		}
	}
	for price, want := range map[float64]Issue{
		12_000: {}, 108_000: {}, 11_999: {Limit: 12_000, Fix: 12_000}, 108_001: {Limit: 108_000, Fix: 108_000},
	} {
		a := limitTrade(1e6, ActionLong, 6000, Order{Price: price}).assess(t)
		issue := a.Admissibility.Issues[0]
		if far := want.Limit != 0; far != (a.Admissibility.Count > 0) ||
			far && (issue.Code != IssuePriceTooFar || math.Abs(issue.Limit-want.Limit) > 1e-9 ||
				issue.Fix != want.Fix) {
			t.Errorf("%v: %+v", price, issue)
		}
	}
	// The smallest order is 10 USD at the order's price.
	a := limitTrade(1e6, ActionLong, 12, Order{Price: 30_000}).assess(t)
	if issue := &a.Admissibility.Issues[0]; issue.Code != IssueMinNotional || !(issue.Fix >= 20 && issue.Fix < 21) {
		t.Errorf("%+v", issue)
	}
	// A resting order may be ten times as large as a market order.
	s := limitTrade(1e9, ActionLong, 20e6, Order{Price: 59_000})
	for tif, want := range map[TIF]bool{GTC: false, ALO: false, IOC: true} {
		s.in.Trade.Order.TIF = tif
		a, found := s.assess(t), false
		for _, issue := range a.Admissibility.Issues[:a.Admissibility.Count] {
			found = found || issue.Code == IssueMaxMarketOrder
		}
		if found != want {
			t.Errorf("20 million USD, tif %v: %+v", tif, a.Admissibility)
		}
	}
	s = limitTrade(1e6, ActionLong, 6000, Order{Price: 59_000, TIF: ALO})
	s.in.Notice = "post only"
	if a := s.assess(t); a.Admissibility.Verdict != VerdictOK {
		t.Errorf("post only in a market of post-only orders: %+v", a.Admissibility)
	}
}

// A limit order whose price is far on the other side is a market order.
func TestMustFillAsAMarketOrderFarAway(t *testing.T) {
	compared := 0
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		market := *answer(e, s, in)
		if d := s.view.plan.direction; !s.view.market.side(d).empty() {
			compared++
			in.Trade.Order = Order{Limit: true, TIF: TIF(r.IntN(2)), Price: s.view.market.mid * (1 + d*0.5000001)}
			limit := *answer(e, s, in)
			if x := &limit.Execution; s.view.plan.kind != noFill && (x.TakerUSD != s.view.plan.notional ||
				x.MakerUSD+x.UnfilledUSD != 0 || x.FillProbability24h != 1) {
				return fmt.Sprintf("%+v", x)
			}
			limit.Execution, limit.Admissibility = market.Execution, market.Admissibility
			if !alike(&market, &limit) {
				return "the answer differs"
			}
		}
		return ""
	})
	if compared < mustStates/2 {
		t.Errorf("only %d compared", compared)
	}
}

// The parts of an order add up, none fills beyond its price, and a better price for the other side fills no less
// and no later.
func TestMustWalkUpToThePrice(t *testing.T) {
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		mark := in.Target.Market.Context.MarkPrice
		tif := TIF(r.IntN(3))
		in.Trade.Order = Order{Limit: true, TIF: tif, Price: mark * (1 + r.one(-1, 1)*r.log(1e-6, 0.7))}
		in.Account.MakerRate = r.one(0, testMaker, -1e-5)
		a := *answer(e, s, in)
		x, t, price := a.Execution, s.view.plan, in.Trade.Order.Price
		d, scale := t.direction, t.notional*1e-9
		worse := func(a, b float64) bool { return d*(a-b) > 1e-9*b }
		switch {
		case math.Abs(x.TakerUSD+x.MakerUSD+x.UnfilledUSD-t.notional) > scale:
			return fmt.Sprintf("%+v is not %v USD", x, t.notional)
		case x.FillPrice > 0 && worse(x.FillPrice, price), worse(a.Slippage.FillPrice, price):
			return fmt.Sprintf("filled at %v and %v, limit %v", x.FillPrice, a.Slippage.FillPrice, price)
		case tif == ALO && x.TakerUSD > 0, tif == IOC && x.MakerUSD > 0,
			tif == GTC && t.kind != noFill && x.UnfilledUSD > 0:
			return fmt.Sprintf("tif %v: %+v", tif, x)
		case (x.FillPrice == 0) != (x.TakerUSD+x.MakerUSD <= 0):
			return fmt.Sprintf("a price of nothing: %+v", x)
		}
		if t.kind == noFill || tif == ALO {
			return ""
		}
		in.Trade.Order.Price *= 1 + d*r.log(1e-6, 0.3)
		if y := answer(e, s, in).Execution; y.TakerUSD < x.TakerUSD-scale ||
			y.FillProbability24h < x.FillProbability24h-1e-12 {
			return fmt.Sprintf("%+v, at a better price %+v", x, y)
		}
		return ""
	})
}

// Only what an order takes at once is gone from the book for the next trade of a batch.
func TestLimitOrdersInABatch(t *testing.T) {
	d := newDesk(t, 2)
	owner := testWallet(1)
	owner.CrossAccountValueUSD = 1e7
	b := d.batch(owner)
	limit := Trade{Asset: 0, Action: ActionLong, SizeUSD: 2e6, Order: Order{Limit: true, Price: 60_006}}
	near(t, "resting", d.next(t, b, limit).Execution.MakerUSD, 1e6)
	b.Apply(d.s)
	next := d.next(t, b, Trade{Asset: 0, Action: ActionLong, SizeUSD: 1e6})
	near(t, "second level", next.Slippage.FillPrice, 60_012)
	if before := next.Position.Before; math.Abs(before.NotionalUSD-2e6) > 1 {
		t.Errorf("the position before the second trade: %+v", before)
	}
	b.Apply(d.s)
	post := Trade{Asset: 0, Action: ActionLong, SizeUSD: 1e6, Order: Order{Limit: true, Price: 60_012, TIF: ALO}}
	if a := d.next(t, b, post); a.Admissibility.Verdict != VerdictOK { // two levels are gone
		t.Errorf("%+v", a.Admissibility)
	}
}

func TestAllocLimitOrder(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	c, now := testCache(t, 3)
	e, s, owner := NewEngine(DefaultAges()), NewScratch(2), testWallet(2)
	for _, tif := range []TIF{GTC, IOC, ALO} {
		for _, price := range []float64{60_006, 54_000.5} {
			trade := Trade{Asset: mc.AssetID(0), Action: ActionLong, SizeUSD: 2e6, Leverage: 10,
				Order: Order{Limit: true, TIF: tif, Price: price, StopLoss: 50_000}}
			run := func() {
				refuse(t, e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs))
				e.Assess(s)
			}
			run()
			if got := testing.AllocsPerRun(50, run); got != 0 {
				t.Errorf("%+v: %v allocations", trade.Order, got)
			}
		}
	}
}
