package risk

import (
	"fmt"
	"math"
	"testing"

	mc "ballast/marketcache"
)

// On a symmetric book, long and short have the same cost and risk.
func TestMustMirrorLongAndShort(t *testing.T) {
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		r.opens(in)
		market, model := &in.Target.Market, *in.Target.Model
		mark := market.Context.MarkPrice
		var bids, asks []mc.Level
		step := mark * r.log(1e-6, 1e-3)
		for range 1 + r.IntN(20) {
			units := r.log(1e3, 1e7) / mark
			bids = append(bids, mc.Level{Price: mark - step, Units: units})
			asks = append(asks, mc.Level{Price: mark + step, Units: units})
			step += mark * r.log(1e-6, 1e-3)
		}
		market.Book = mc.MergeBooks([][]mc.Level{bids}, [][]mc.Level{asks}, 0)
		for h := range model.Tail {
			model.Tail[h][mc.Short] = model.Tail[h][mc.Long]
		}
		in.Target.Model = &model
		in.Trade.Action = ActionLong
		a := *answer(e, s, in)
		in.Trade.Action = ActionShort
		market.Context.FundingRateHourly *= -1
		market.Funding.MeanHourly168 *= -1
		b := answer(e, s, in)
		for what, pair := range map[string][2]float64{
			"slippage":   {a.Slippage.Bps, b.Slippage.Bps},
			"impact":     {a.Impact.ExpectedBps, b.Impact.ExpectedBps},
			"VaR":        {a.VaR.Dollar99_24h, b.VaR.Dollar99_24h},
			"ES":         {a.VaR.ES99_24h, b.VaR.ES99_24h},
			"LVaR":       {a.VaR.LVaR99_24h, b.VaR.LVaR99_24h},
			"margin VaR": {a.VaR.MarginVaR99Pct, b.VaR.MarginVaR99Pct},
			"round trip": {a.Cost.RoundTripBps, b.Cost.RoundTripBps},
			"funding":    {a.Funding.AnnualizedPct, b.Funding.AnnualizedPct},
			"drag":       {a.Cost.FundingDrag24hPct, b.Cost.FundingDrag24hPct},
			"breakeven":  {a.Cost.BreakevenMovePct, b.Cost.BreakevenMovePct},
			"margin":     {a.Liquidation.MarginUsedPct, b.Liquidation.MarginUsedPct},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*max(1, math.Abs(pair[0])) {
				return fmt.Sprintf("%s: %v long, %v short", what, pair[0], pair[1])
			}
		}
		return ""
	})
}

// At the liquidation price equity equals maintenance margin.
func TestMustMeetMaintenanceAtLiquidation(t *testing.T) {
	priced := 0
	must(t, mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		in.AsHeld = r.chance(6)
		var acct account
		acct.read(in)
		mk := viewOf(&in.Target)
		p := planOf(&in.Trade, in.AsHeld, in.Account, &acct, &mk)
		pos := filledOf(&p, &acct, mk.slippage(&p, mk.fillPrice(&p)).FillPrice, acct.takerRate)
		x, distance, tier := p.tiers.distance(pos.equity, pos.otherMaintenance, p.after, p.mark)
		if tier == nil {
			return ""
		}
		priced++
		equity := pos.equity + p.after*(x-p.mark)
		need := p.tiers.maintenance(math.Abs(p.after)*x) + pos.otherMaintenance
		scale := max(math.Abs(pos.equity), math.Abs(p.after)*max(x, p.mark), need, 1)
		if math.Abs(equity-need) > 1e-9*scale {
			return fmt.Sprintf("equity %v against %v of maintenance at the liquidation price %v", equity, need, x)
		}
		at := 100 * p.side * (p.mark - x) / p.mark
		if distance > 0 && distance < 100 && math.Abs(at-distance) > 1e-9*max(1, at) {
			return fmt.Sprintf("distance %v, want %v", distance, at)
		}
		return ""
	})
	wantAtLeast(t, "priced", priced, mustStates/4)
}

// carried reports whether a size satisfies the margin constraint. It plans, fills and measures the
// trade of that size in full.
func carried(in *Input, acct *account, mk *marketView, size float64) bool {
	trade := in.Trade
	trade.SizeUSD = size
	p := planOf(&trade, false, in.Account, acct, mk)
	if p.kind == reduces {
		return true
	}
	if acct.negative || acct.empty {
		return false
	}
	after := filledOf(&p, acct, mk.side(p.direction).fill(math.Abs(p.units)), acct.takerRate*mk.asset.FeeMultiplier)
	_, loss := lossPct24h(mk.model, tailSide(p.direction))
	loss *= math.Sqrt(max(1, mk.model.AverageVariance[mc.H24]/mk.model.Variance[mc.H24])) // the quiet day ends
	_, distance, _ := p.tiers.distance(after.equity, after.otherMaintenance, p.after, p.mark)
	return p.deltaInitial(acct, &after) <= 0.8*acct.freeMargin && distance >= 1.25*loss &&
		p.valueAfter*loss/100 <= 0.25*acct.value
}

// headrooms returns the margin constraint as computed by the code and by its definition: the first
// of 48 sizes that violates the constraint, then bisection between that size and the previous one.
func headrooms(in *Input) (got, want float64) {
	scratch := NewScratch(4)
	scratch.In = *in
	scratch.begin()
	acct, mk := &scratch.account, &scratch.view.market
	opposite := 0.0
	if p := &scratch.view.plan; p.before != 0 && sign(p.before) != p.direction {
		opposite = math.Abs(p.before) * p.mark
	}
	got = scratch.safeMarginSize(opposite, MaxSizeUSD)
	lo := opposite
	for j := range 48 {
		hi := min(1e8, opposite+10*math.Pow(10, 7*float64(j)/47))
		if carried(in, acct, mk, hi) {
			lo = hi
			continue
		}
		for j > 0 && hi-lo > 1e-6*hi {
			if mid := (lo + hi) / 2; carried(in, acct, mk, mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		return got, lo
	}
	return got, 1e8
}

// The optimised margin constraint equals its definition.
func TestMustKeepToMarginHeadroom(t *testing.T) {
	must(t, mustStates/4, func(e *Engine, s *Scratch, in *Input, r dice) string {
		in.Trade.Action, in.Target.Market.Asset.SizeDigits = Action(r.IntN(2)), 12 // no size is near a lot
		if got, want := headrooms(in); math.Abs(got-want) > 1e-9*max(1, want) {
			return fmt.Sprintf("%.17g, want %.17g", got, want)
		}
		return ""
	})
}

// When an isolated position flips, the fill price of the new part is not linear in the size, so linear
// interpolation would give a wrong result.
func TestMarginHeadroomOfAnIsolatedFlip(t *testing.T) {
	s := newSituation(40_000, ActionShort, 90_000)
	s.holds(isolatedAt(holding(0, "BTC", 1, testMark, 10), 6_000))
	s.in.Account.CrossAccountValueUSD = 1e7
	s.in.Target.Market.Book = mc.MergeBooks(
		[][]mc.Level{{{Price: 59_990, Units: 1}, {Price: 59_000, Units: 400}}},
		[][]mc.Level{{{Price: 60_010, Units: 400}}}, 0)
	got, want := headrooms(&s.in)
	about(t, "margin headroom", got, want, 1e-6)
	// Liquidation is 7.75 % away when the average price of u units is 540 USD below the mark: 10 +
	// 1,000*(u-1) = 540*u, at u of about 2.15.
	if want < 125_000 || want > 135_000 {
		t.Errorf("%v: the margin constraint is not the tightest in this case", want)
	}
}

// At the largest safe size, before the score is checked, the constraint that the answer names is
// exactly used up, and no other constraint is violated.
func TestMustSizeTightly(t *testing.T) {
	var named [4]int
	must(t, 2*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		r.opens(in)
		a := *answer(e, s, in)
		z := a.Sizing
		smallest := min(z.BookDepth, z.OICapacity, z.MarginHeadroom, z.MarketImpact)
		if z.MaxSafeUSD > smallest*(1+1e-12) {
			return fmt.Sprintf("max safe %v of %+v", z.MaxSafeUSD, z)
		}
		if in.Rules.LargestMarketOrder(in.Target.Market.Asset.MaxLeverage) < smallest {
			return "" // named as a limit of the book
		}
		if confirmed := z.MaxSafeUSD >= min(smallest, MaxSizeUSD)*(1-1e-12); !confirmed &&
			z.Limit != LimitMarginHeadroom {
			return fmt.Sprintf("the score reduced it, but the named limit is %s: %+v", z.Limit, z)
		} else if !confirmed || z.MaxSafeUSD < 1 || z.MaxSafeUSD == MaxSizeUSD {
			return ""
		}
		var acct account
		acct.read(in)
		in.Trade.SizeUSD = z.MaxSafeUSD
		mk := viewOf(&in.Target)
		p := planOf(&in.Trade, false, in.Account, &acct, &mk)
		slip := mk.slippage(&p, mk.fillPrice(&p))
		bids, depth := mk.depth(100)
		if p.direction < 0 {
			depth = bids
		}
		near := func(x, limit float64) bool { return math.Abs(x-limit) <= 2e-6*max(1, math.Abs(limit)) }
		tight := false
		switch z.Limit {
		case LimitBookDepth: // or the best price is already beyond the limit
			best := p.direction * (mk.side(p.direction).levels.Price[0]/mk.mid - 1) * 1e4
			tight = near(slip.Bps, 25) || near(p.notional, 0.5*depth) || best > 25-1e-6
		case LimitOICapacity:
			oi := a.OpenInterest
			tight = near(p.notional, 0.1*oi.CurrentUSD) || near(p.notional, 0.5*(oi.CapUSD-oi.CurrentUSD))
		case LimitMarketImpact:
			tight = near(mk.impactBps(p.notional), 25)
		case LimitMarginHeadroom:
			tight = carried(in, &acct, &mk, z.MaxSafeUSD) && !carried(in, &acct, &mk, z.MaxSafeUSD*(1+2e-6))
		}
		named[z.Limit]++
		if !tight {
			return fmt.Sprintf("%s is named %v, but is not exactly used up: %+v", z.Limit, z.MaxSafeUSD, z)
		}
		if slip.Bps > 25*(1+1e-6) || p.notional > 0.5*depth*(1+1e-6)+1e-6 || mk.impactBps(p.notional) > 25*(1+1e-6) {
			return fmt.Sprintf("at %v slippage is %v, depth %v, impact %v", z.MaxSafeUSD, slip.Bps, depth,
				mk.impactBps(p.notional))
		}
		return ""
	})
	for limit, n := range named {
		wantAtLeast(t, SizeLimit(limit).String(), n, 1)
	}
}

// Rounding down to three digits.
func TestRoundDown3(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 0, -1: 0, 1e-9: 1e-9, 1: 1, 999.9: 999, 1000: 1000, 1009: 1000, 12345: 12300,
		1e8: 1e8, 99999999: 99900000, 0.012345: 0.0123, 0.3: 0.3,
	} {
		if got := roundDown3(x); !(math.Abs(got-want) <= 1e-15*max(1, want)) {
			t.Errorf("roundDown3(%v) = %v, want %v", x, got, want)
		}
	}
}
