package risk

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	mc "ballast/marketcache"
)

// On a symmetric book, long and short have the same cost and risk.
func TestLongAndShortMirror(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := opening(t)
		mark := s.in.Target.Market.Context.MarkPrice
		var bids, asks []mc.Level
		step := mark * logUniform(t, "half spread", 1e-6, 1e-3)
		for range rapid.IntRange(1, 20).Draw(t, "levels") {
			units := logUniform(t, "usd", 1e3, 1e7) / mark
			bids = append(bids, mc.Level{Price: mark - step, Units: units})
			asks = append(asks, mc.Level{Price: mark + step, Units: units})
			step += mark * logUniform(t, "step", 1e-6, 1e-3)
		}
		s.in.Target.Market.Book = mc.MergeBooks([][]mc.Level{bids}, [][]mc.Level{asks}, 0)
		model := s.in.Target.Model
		for h := range model.Tail {
			model.Tail[h][mc.Short] = model.Tail[h][mc.Long]
		}
		s.in.Trade.Action = ActionLong
		a := assessed(s)
		s.in.Trade.Action = ActionShort
		s.in.Target.Market.Context.FundingRateHourly *= -1
		f := *s.in.Target.Market.Funding
		f.MeanHourly168 *= -1
		s.in.Target.Market.Funding = &f
		b := assessed(s)
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
				t.Fatalf("%s: %v long, %v short", what, pair[0], pair[1])
			}
		}
	})
}

// At the liquidation price equity equals maintenance margin.
func TestLiquidationPlugsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSituation(t)
		var acct account
		acct.read(&s.in)
		mk := viewOf(&s.in.Target)
		p := planOf(&s.in.Trade, s.in.AsHeld, s.in.Account, &acct, &mk)
		slip := mk.slippage(&p, mk.fillPrice(&p))
		pos := filledOf(&p, &acct, slip.FillPrice, acct.takerRate)
		x, distance, tier := p.tiers.distance(pos.equity, pos.otherMaintenance, p.after, p.mark)
		if tier == nil {
			return
		}
		equity := pos.equity + p.after*(x-p.mark)
		need := p.tiers.maintenance(math.Abs(p.after)*x) + pos.otherMaintenance
		scale := max(math.Abs(pos.equity), math.Abs(p.after)*max(x, p.mark), need, 1)
		if math.Abs(equity-need) > 1e-9*scale {
			t.Fatalf("equity %v against %v of maintenance at the liquidation price %v", equity, need, x)
		}
		if distance > 0 && distance < 100 {
			if at := 100 * p.side * (p.mark - x) / p.mark; math.Abs(at-distance) > 1e-9*max(1, at) {
				t.Fatalf("distance %v, want %v", distance, at)
			}
		}
	})
}

// carried reports whether a size satisfies the margin constraint. It plans, fills and measures the
// trade of that size in full.
func carried(s *situation, acct *account, mk *marketView, size float64) bool {
	trade := s.in.Trade
	trade.SizeUSD = size
	p := planOf(&trade, false, s.in.Account, acct, mk)
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
func headrooms(s *situation) (got, want float64) {
	scratch := NewScratch(4)
	scratch.In = s.in
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
		if carried(s, acct, mk, hi) {
			lo = hi
			continue
		}
		for j > 0 && hi-lo > 1e-6*hi {
			if mid := (lo + hi) / 2; carried(s, acct, mk, mid) {
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
func TestMarginHeadroomByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSituation(t)
		s.in.AsHeld = false
		s.in.Trade.Action = Action(rapid.IntRange(0, 1).Draw(t, "long or short"))
		got, want := headrooms(s)
		if math.Abs(got-want) > 1e-9*max(1, want) {
			t.Fatalf("%.17g, want %.17g", got, want)
		}
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
	got, want := headrooms(s)
	about(t, "margin headroom", got, want, 1e-6)
	// Liquidation is 7.75 % away when the average price of u units is 540 USD below the mark: 10 +
	// 1,000*(u-1) = 540*u, at u of about 2.15.
	if want < 125_000 || want > 135_000 {
		t.Errorf("%v: the margin constraint is not the tightest in this case", want)
	}
}

// At the largest safe size, before the score is checked, the constraint that the answer names is
// exactly used up, and no other constraint is violated.
func TestSizingIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := opening(t)
		a := assessed(s)
		z := a.Sizing
		smallest := min(z.BookDepth, z.OICapacity, z.MarginHeadroom, z.MarketImpact)
		if z.MaxSafeUSD > smallest*(1+1e-12) {
			t.Fatalf("max safe %v of %+v", z.MaxSafeUSD, z)
		}
		if confirmed := z.MaxSafeUSD >= min(smallest, MaxSizeUSD)*(1-1e-12); !confirmed &&
			z.Limit != LimitMarginHeadroom {
			t.Fatalf("the score reduced it, but the named limit is %s: %+v", z.Limit, z)
		} else if !confirmed || z.MaxSafeUSD < 1 || z.MaxSafeUSD == MaxSizeUSD {
			return
		}
		var acct account
		acct.read(&s.in)
		s.in.Trade.SizeUSD = z.MaxSafeUSD
		mk := viewOf(&s.in.Target)
		p := planOf(&s.in.Trade, false, s.in.Account, &acct, &mk)
		slip := mk.slippage(&p, mk.fillPrice(&p))
		bids, depth := mk.depth(100)
		if p.direction < 0 {
			depth = bids
		}
		near := func(x, limit float64) bool { return math.Abs(x-limit) <= 2e-6*max(1, math.Abs(limit)) }
		tight := false
		switch z.Limit {
		case LimitBookDepth:
			tight = near(slip.Bps, 25) || near(p.notional, 0.5*depth)
			// the best price is already beyond the limit
			if s := p.direction * (mk.side(p.direction).levels.Price[0]/mk.mid - 1) * 1e4; s > 25-1e-6 {
				tight = true
			}
		case LimitOICapacity:
			oi := a.OpenInterest
			tight = near(p.notional, 0.1*oi.CurrentUSD) || near(p.notional, 0.5*(oi.CapUSD-oi.CurrentUSD))
		case LimitMarketImpact:
			tight = near(mk.impactBps(p.notional), 25)
		case LimitMarginHeadroom:
			tight = carried(s, &acct, &mk, z.MaxSafeUSD) && !carried(s, &acct, &mk, z.MaxSafeUSD*(1+2e-6))
		}
		if !tight {
			t.Fatalf("%s is named %v, but is not exactly used up: %+v", z.Limit, z.MaxSafeUSD, z)
		}
		if slip.Bps > 25*(1+1e-6) || p.notional > 0.5*depth*(1+1e-6)+1e-6 || mk.impactBps(p.notional) > 25*(1+1e-6) {
			t.Fatalf("at %v slippage is %v, depth %v, impact %v", z.MaxSafeUSD, slip.Bps, depth,
				mk.impactBps(p.notional))
		}
	})
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
