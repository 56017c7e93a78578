package risk

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

// deskOf returns a desk with these markets.
func deskOf(t testing.TB, inputs []AssetInput) *desk {
	t.Helper()
	c := mc.New(mc.Limits{Assets: len(inputs), Bars: 16, Rows: 16, Samples: 16, Wallets: 16})
	now := mc.Now()
	model := &mc.Model{Name: "test", Unknown: unknownModel(), Calibrated: len(inputs)}
	var assets []*mc.Asset
	for _, a := range inputs {
		assets = append(assets, a.Market.Asset)
		model.Assets = append(model.Assets, a.Model)
	}
	if !c.SetUniverse(mc.NewUniverse(assets)) {
		t.Fatal("universe does not fit")
	}
	for i, a := range inputs {
		id := mc.AssetID(i)
		c.Books(id).Publish(a.Market.Book, now)
		c.Contexts(id).Publish(*a.Market.Context, now)
		c.Caps(id).Publish(mc.Cap{Reached: a.Market.AtCap}, now)
		c.SetFunding(id, a.Market.Funding)
		c.AppendBars(id, nil, testWallMs-60_000)
		a.Model.LastHour = testHour - 1
	}
	c.SetModel(model)
	return &desk{c, now, NewEngine(DefaultAges()), NewScratch(4)}
}

func TestGoldenBatch(t *testing.T) {
	var file struct {
		Markets map[string]json.RawMessage
		Cases   golden[struct {
			caseInput
			Trades []caseRequest
		}]
	}
	reference.Golden(t, "batch", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			first := c.Input.caseInput
			ids := map[string]mc.AssetID{}
			var inputs []AssetInput
			for i, name := range c.Input.Markets {
				first.Request.Asset, ids[name] = name, mc.AssetID(i)
				inputs = append(inputs, first.snapshot(t, file.Markets).Target)
			}
			d := deskOf(t, inputs)
			s, batch := d.s, d.batch(first.snapshot(t, file.Markets).Account)
			var got []reference.Fields
			for _, request := range c.Input.Trades {
				next := request.trade(ids[request.Asset])
				out, p := d.next(t, batch, next), &s.view
				wantSound(t, out)
				fields := reference.Fields{
					"fill_price": out.Slippage.FillPrice, "slippage_bps": out.Slippage.Bps, "fee_usd": p.after.feeUSD,
					"q1": p.plan.after, "Q_inc": p.plan.increaseUSD, "L": p.plan.leverage, "A": p.after.equity,
					"M_other": p.after.otherMaintenance, "liquidation_price": out.Liquidation.Price,
					"distance_pct": out.Liquidation.DistancePct, "margin_used_pct": out.Liquidation.MarginUsedPct,
					"effective_leverage": out.Liquidation.EffectiveLeverage, "depth_50bps": out.Slippage.Depth50Bps,
					"depth_100bps": out.Slippage.Depth100Bps, "bid_ask_imbalance": out.Slippage.Imbalance,
					"oi_before_usd": out.OpenInterest.CurrentUSD, "H3_margin_short": p.after.marginShort,
				}
				batch.Apply(s)
				d.fillBatch(t, batch, next) // as the next trade sees the wallet and the market
				fields["after"] = batchFields(s)
				got = append(got, fields)
			}
			inNineDigits.Match(t, c.Output, reference.Fields{"trades": got})
		})
	}
}

// batchFields are the wallet and the market of a snapshot within a batch.
func batchFields(s *Scratch) reference.Fields {
	var a account
	a.read(&s.In)
	var positions []reference.Fields
	for i := range a.positions {
		h := &a.positions[i]
		fields := reference.Fields{
			"asset": h.name, "q": h.units, "entry": h.entry, "leverage": h.leverage, "mode": "cross",
		}
		if h.isolated {
			fields["mode"], fields["isolated_equity"] = "isolated", h.equity
		}
		positions = append(positions, fields)
	}
	target := &s.In.Target
	m := &target.Market
	return reference.Fields{
		"A_before_of_next": a.crossEquity, "AV": a.value, "free_margin": a.freeMargin, "positions": positions,
		"oi_usd": m.Context.OpenInterestUnits * m.Context.MarkPrice, "mid": m.Book.MidPrice,
		"spread_bps": m.Book.SpreadBps, "taken_bid_units": target.TakenBids, "taken_ask_units": target.TakenAsks,
		"bids": pairs(&m.Book.Bids, target.TakenBids), "asks": pairs(&m.Book.Asks, target.TakenAsks),
	}
}

// A batch of one trade gives the same assessment as that trade alone.
func TestBatchOfOne(t *testing.T) {
	d := newDesk(t, 4)
	for _, holds := range []int{0, 1, 3} {
		for _, action := range []Action{ActionLong, ActionShort, ActionClose} {
			trade := Trade{Asset: 1, Action: action, SizeUSD: 5_000, MonteCarlo: holds == 3}
			owner := testWallet(holds)
			owner.Mode = mc.ModeUnified
			owner.SpotUSDC = 40_000
			one := *d.assess(t, owner, trade)
			b := (&desk{d.cache, d.now, d.e, NewScratch(4)})
			batch := b.batch(owner)
			if got := b.next(t, batch, trade); !sameAnswer(&one, got) {
				t.Errorf("%s with %d positions: %+v\n%+v", action, holds, one, *got)
			}
			before := *owner
			batch.Apply(b.s)
			if !reflect.DeepEqual(before, *owner) {
				t.Error("the account passed in was modified")
			}
		}
	}
}

// For every sequence of trades, the wallet's equity falls by exactly the fees and the difference
// between fills and mark, exactly the traded units disappear from each book, and every answer is
// consistent.
func TestBatchLosesNothing(t *testing.T) {
	d := newDesk(t, 5)
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[change]int{}
	for range 60 {
		owner := testWallet(r.IntN(4))
		if r.IntN(3) == 0 && len(owner.Positions) > 0 {
			owner.Positions[0] = isolatedAt(owner.Positions[0], 150)
		}
		b := d.batch(owner)
		units := map[mc.AssetID][2]float64{} // taken from the bids and the asks
		for range 20 {
			trade := Trade{
				Asset: mc.AssetID(r.IntN(5)), Action: []Action{ActionLong, ActionShort, ActionClose}[r.IntN(3)],
				SizeUSD: math.Exp(5 + 7*r.Float64()), Mode: Mode(r.IntN(2)), ModeGiven: r.IntN(2) == 0,
			}
			if r.IntN(2) == 0 {
				trade.Leverage = float64(1 + r.IntN(40))
			}
			wantSound(t, d.next(t, b, trade))
			if t.Failed() {
				t.Fatalf("%+v of %+v", trade, d.s.In.Account)
			}
			p, before, taken := d.s.view.plan, d.s.account.value, units[trade.Asset]
			if d.s.In.Target.TakenBids != taken[0] || d.s.In.Target.TakenAsks != taken[1] {
				t.Fatalf("the book of %d is not as the last trade left it: %v", trade.Asset, taken)
			}
			fill, cost, dust := d.s.Out.Slippage.FillPrice, 0.0, 0.0
			if p.kind != noFill {
				cost = math.Abs(p.units)*fill*testTaker + p.units*(fill-p.mark)
				taken[(1+int(p.direction))/2] += math.Abs(p.units)
			}
			if p.after == 0 {
				dust = flatUSD
			}
			b.Apply(d.s)
			seen[p.kind]++
			d.fillBatch(t, b, trade)
			var acct account
			acct.read(&d.s.In)
			scale := math.Abs(before) + p.notional + p.valueAfter
			if math.Abs(acct.value-(before-cost)) > 1e-9*scale+dust {
				t.Fatalf("%+v, kind %d: the account is worth %v, before %v, the trade cost %v", trade, p.kind,
					acct.value, before, cost)
			}
			if a := &d.s.In.Target; a.TakenBids != taken[0] || a.TakenAsks != taken[1] {
				t.Fatalf("%+v took %v and %v units, want %v", trade, a.TakenBids, a.TakenAsks, taken)
			}
			if mk := viewOf(&d.s.In.Target); mk.mid != d.s.Out.Slippage.MidPrice || mk.spreadBps == 0 {
				t.Fatal("mid or spread changed when depth was taken")
			}
			units[trade.Asset] = taken
		}
	}
	for _, k := range []change{opens, increases, reduces, flips, noFill} {
		if seen[k] < 20 {
			t.Errorf("only %d trades of kind %d: %v", seen[k], k, seen)
		}
	}
}

// The orders of a batch together cost as much as one order of their combined size.
func TestBatchCostsWhatOneOrderCosts(t *testing.T) {
	d := newDesk(t, 2)
	r := rand.New(rand.NewPCG(5, 2))
	beyond := 0
	for range 200 {
		action := []Action{ActionLong, ActionShort}[r.IntN(2)]
		b := d.batch(testWallet(0))
		size, cost := 0.0, 0.0
		for range 2 + r.IntN(3) {
			trade := Trade{Asset: 0, Action: action, SizeUSD: math.Exp(11 + 6*r.Float64())} // the side holds 20 M USD
			fill := d.next(t, b, trade).Slippage.FillPrice
			size, cost = size+trade.SizeUSD, cost+trade.SizeUSD/testMark*fill
			b.Apply(d.s)
		}
		if size > 2e7 {
			beyond++
		}
		whole := d.assess(t, testWallet(0), Trade{Asset: 0, Action: action, SizeUSD: min(size, MaxSizeUSD)})
		if want := size / testMark * whole.Slippage.FillPrice; math.Abs(cost-want) > 1e-9*want {
			t.Fatalf("%v USD in several orders cost %v, in one order %v", size, cost, want)
		}
	}
	if beyond < 20 {
		t.Errorf("only %d went beyond the visible book", beyond)
	}
}

// A batch uses one snapshot of the market: new data of the venue does not reach it, and the depth
// that it takes is not visible to other requests.
func TestBatchIsOneMoment(t *testing.T) {
	d := newDesk(t, 2)
	b := d.batch(testWallet(0))
	var m mc.Market
	d.cache.Market(0, d.now, mc.AgeLimits{Market: mc.Forever, CEX: mc.Forever}, &m)
	published := m.Book
	units := published.Asks.CumUnits[published.Asks.Len()-1]
	for range 3 {
		d.next(t, b, Trade{Asset: 0, Action: ActionLong, SizeUSD: 1e6})
		b.Apply(d.s)
		d.cache.Books(0).Publish(testBook(2*testMark, 1e6), d.now)
	}
	if d.s.Out.Slippage.MidPrice != testMark {
		t.Errorf("mid %v", d.s.Out.Slippage.MidPrice)
	}
	if published.Asks.CumUnits[published.Asks.Len()-1] != units {
		t.Error("the book in the cache was modified")
	}
	about(t, "open interest", d.s.Out.OpenInterest.CurrentUSD, 1e9+2e6, 1)
}

// An opening trade so small that it leaves no position changes nothing for the trades after it.
func TestBatchTradeBelowFlat(t *testing.T) {
	d := newDesk(t, 4)
	for _, positions := range []int{0, 2} {
		last := func(sizes ...float64) Assessment {
			b := d.batch(testWallet(positions))
			for _, size := range sizes {
				d.next(t, b, Trade{Asset: 0, Action: ActionLong, SizeUSD: size, Leverage: 5})
				b.Apply(d.s)
			}
			return d.s.Out
		}
		alone, after := last(1000), last(flatUSD/10, 1000)
		if after.Position != alone.Position || after.Recommendation != alone.Recommendation ||
			math.Abs(after.RiskScore-alone.RiskScore) > 1e-6 {
			t.Errorf("%d positions: %+v %v, without the small trade %+v %v", positions, after.Position,
				after.RiskScore, alone.Position, alone.RiskScore)
		}
	}
}

// The margin held for resting orders stays, however much margin the trades of a batch take: it is not read
// off the margin available in an asset, which the venue told before them.
func TestBatchKeepsHeldMargin(t *testing.T) {
	d, owner := newDesk(t, 3), testWallet(0) // 50,000 USD
	owner.Pools = []mc.Pool{{EquityUSD: 50_000, HeldUSD: 1_500, HeldMostUSD: 2_500}}
	for id := range mc.AssetID(3) {
		owner.Settings = append(owner.Settings, mc.LeverageSetting{
			Asset: id, Leverage: 10, HasAvailable: true, AvailableUSD: [2]float64{48_000, 47_000},
		})
	}
	b := d.batch(owner)
	for i, c := range []struct {
		asset  mc.AssetID
		action Action
		held   float64
	}{
		{0, ActionLong, 2_000}, // 50,000 - 48,000
		{1, ActionShort, 3_000},
		{2, ActionLong, 2_000},
		{0, ActionLong, 2_000}, // no longer flat: what was held with the trade before
	} {
		m := d.next(t, b, Trade{Asset: c.asset, Action: c.action, SizeUSD: 10_000}).Margin
		if math.Abs(m.HeldUSD-c.held) > 1e-6 || m.HeldMostUSD != m.HeldUSD {
			t.Errorf("trade %d: %v to %v USD held, want %v", i, m.HeldUSD, m.HeldMostUSD, c.held)
		}
		b.Apply(d.s)
	}
	if owner.Settings[1].AvailableUSD[0] != 48_000 {
		t.Error("the account passed in was modified")
	}
}

// When the wallet's own marks differ from the market's, every answer of a batch says so, not only the
// first, after which the batch values the positions at the market's marks.
func TestBatchKeepsDivergence(t *testing.T) {
	d, owner := newDesk(t, 4), testWallet(3)
	owner.Positions[2].ValueUSD *= 1.06
	b := d.batch(owner)
	for i, position := range owner.Positions {
		trade := Trade{Asset: position.Asset, Action: ActionClose, SizeUSD: 100}
		if !d.assess(t, owner, trade).Flags.Has(FlagPriceDivergence) {
			t.Fatalf("position %d alone: no flag", i)
		}
		a := d.next(t, b, trade)
		if !a.Flags.Has(FlagPriceDivergence) || a.Explanation.Divergence.With != "wallet" {
			t.Errorf("trade %d of the batch: flags %v, divergence %+v", i, raised(&a.Flags), a.Explanation.Divergence)
		}
		b.Apply(d.s)
	}
}

// A trade without a leverage that opens a position again, after an earlier trade of the batch has closed
// it, uses the closed position's leverage, as a flip does.
func TestBatchKeepsLeverage(t *testing.T) {
	d, owner := newDesk(t, 3), testWallet(2)
	owner.Positions[0].Leverage = 3
	asset, value := owner.Positions[0].Asset, owner.Positions[0].ValueUSD
	flip := Trade{Asset: asset, Action: ActionShort, SizeUSD: 2 * value}
	if flipped := d.assess(t, owner, flip).Position.After; flipped.Leverage != 3 || flipped.Side != -1 {
		t.Fatalf("the flip: %+v", flipped)
	}
	closing := Trade{Asset: asset, Action: ActionClose, SizeUSD: MaxSizeUSD}
	short := Trade{Asset: asset, Action: ActionShort, SizeUSD: value}
	five := short
	five.Leverage = 5
	for want, trades := range map[float64][]Trade{3: {closing, short}, 5: {closing, five, closing, short}} {
		b := d.batch(owner)
		for _, trade := range trades {
			d.next(t, b, trade)
			b.Apply(d.s)
		}
		if got := d.s.Out.Position.After.Leverage; got != want {
			t.Errorf("opened again at %vx, want %vx", got, want)
		}
	}
	if len(owner.Settings) != 0 {
		t.Error("the wallet itself has changed")
	}
}

// When prices contradict each other, a batch answers what only reduces a position, as a single request
// does. A trade that increases a position after the trades before it is refused.
func TestBatchReducesOnContradiction(t *testing.T) {
	for _, with := range []string{"oracle", "wallet"} {
		d, owner := newDesk(t, 3), testWallet(1) // long 1,000 USD of asset 1
		if with == "wallet" {
			owner.Positions[0].ValueUSD *= 1.06
		} else {
			x, _, _ := d.cache.Contexts(1).Latest(d.now, mc.Forever)
			context := *x
			context.OraclePrice = 1.21 * context.MarkPrice
			d.cache.Contexts(1).Publish(context, d.now)
		}
		sell := Trade{Asset: 1, Action: ActionShort, SizeUSD: 600}
		d.assess(t, owner, sell)
		b := d.batch(owner)
		if a := d.next(t, b, sell); a.Recommendation != Proceed || !a.Flags.Has(FlagPriceDivergence) {
			t.Errorf("%s: %s, flags %v", with, a.Recommendation, raised(&a.Flags))
		}
		b.Apply(d.s)
		if missing := b.Fill(&d.s.In, &sell); missing.Reason != Inconsistent { // 600 of the 400 USD left: flips
			t.Errorf("%s, a flip after a reduction: %+v", with, missing)
		}
	}
}
