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

// cacheOf returns a cache that holds these snapshots, and the instant at which they are current.
func cacheOf(t testing.TB, inputs []AssetInput) (*mc.Cache, mc.Instant) {
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
	return c, now
}

func TestGoldenBatch(t *testing.T) {
	type after struct {
		Cross     float64 `json:"A_before_of_next"`
		AV        float64
		Free      float64      `json:"free_margin"`
		OI        float64      `json:"oi_usd"`
		Mid       float64      `json:"mid"`
		Spread    float64      `json:"spread_bps"`
		Bids      [][2]float64 `json:"bids"`
		Asks      [][2]float64 `json:"asks"`
		TakenBids float64      `json:"taken_bid_units"`
		TakenAsks float64      `json:"taken_ask_units"`
		Positions []struct {
			Asset    string
			Q        float64
			Entry    float64
			Leverage float64
			Mode     string
			Isolated float64 `json:"isolated_equity"`
		}
	}
	type trade struct {
		Asset, Action, Mode string
		Size, Leverage      float64
	}
	var file struct {
		Markets map[string]json.RawMessage
		Cases   []struct {
			Name  string
			Input struct {
				caseInput
				Trades []trade
			}
			Output struct {
				Trades []struct {
					Fill       float64 `json:"fill_price"`
					Slippage   float64 `json:"slippage_bps"`
					Fee        float64 `json:"fee_usd"`
					Q1         float64 `json:"q1"`
					QInc       float64 `json:"Q_inc"`
					L          float64
					A          float64
					MOther     float64 `json:"M_other"`
					Price      float64 `json:"liquidation_price"`
					Distance   float64 `json:"distance_pct"`
					MarginUsed float64 `json:"margin_used_pct"`
					Effective  float64 `json:"effective_leverage"`
					H3         bool    `json:"H3_margin_short"`
					D50        float64 `json:"depth_50bps"`
					D100       float64 `json:"depth_100bps"`
					Imbalance  float64 `json:"bid_ask_imbalance"`
					OIBefore   float64 `json:"oi_before_usd"`
					After      after
				}
			}
		}
	}
	reference.Golden(t, "batch", &file)
	if len(file.Cases) < 3 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	e := NewEngine(DefaultAges())
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			first := c.Input.caseInput
			first.Request.Asset = c.Input.Trades[0].Asset
			snapshot := first.snapshot(t, file.Markets)
			ids := map[string]mc.AssetID{}
			var inputs []AssetInput
			for i, name := range c.Input.Markets {
				one := first
				one.Request.Asset = name
				ids[name] = mc.AssetID(i)
				inputs = append(inputs, one.snapshot(t, file.Markets).Target)
			}
			cache, now := cacheOf(t, inputs)
			batch, s := e.NewBatch(cache, snapshot.Account, 0, now, testWallMs), NewScratch(4)
			for i, tr := range c.Input.Trades {
				want := &c.Output.Trades[i]
				next := Trade{
					Asset: ids[tr.Asset], SizeUSD: tr.Size, Leverage: tr.Leverage,
					Action: map[string]Action{"long": ActionLong, "short": ActionShort,
						"close": ActionClose}[tr.Action],
				}
				next.ModeGiven = tr.Mode != ""
				if tr.Mode == "isolated" {
					next.Mode = Isolated
				}
				if missing := batch.Fill(&s.In, &next); missing != (Unavailable{}) {
					t.Fatalf("%+v", missing)
				}
				e.Assess(s)
				checkInvariants(t, &s.Out)
				out, p := &s.Out, &s.view
				same(t, "fill", out.Slippage.FillPrice, want.Fill)
				same(t, "slippage", out.Slippage.Bps, want.Slippage)
				same(t, "fee", p.after.feeUSD, want.Fee)
				same(t, "q1", p.plan.after, want.Q1)
				same(t, "Q_inc", p.plan.increaseUSD, want.QInc)
				same(t, "L", p.plan.leverage, want.L)
				same(t, "A", p.after.equity, want.A)
				same(t, "M_other", p.after.otherMaintenance, want.MOther)
				same(t, "liquidation", out.Liquidation.Price, want.Price)
				same(t, "distance", out.Liquidation.DistancePct, want.Distance)
				same(t, "margin used", out.Liquidation.MarginUsedPct, want.MarginUsed)
				same(t, "effective leverage", out.Liquidation.EffectiveLeverage, want.Effective)
				same(t, "depth 50", out.Slippage.Depth50Bps, want.D50)
				same(t, "depth 100", out.Slippage.Depth100Bps, want.D100)
				same(t, "imbalance", out.Slippage.Imbalance, want.Imbalance)
				same(t, "open interest", out.OpenInterest.CurrentUSD, want.OIBefore)
				if p.after.marginShort != want.H3 {
					t.Errorf("H3 %v", p.after.marginShort)
				}
				batch.Apply(s)

				// Reads the account again after the fill, as the next trade sees it.
				if missing := batch.Fill(&s.In, &next); missing != (Unavailable{}) {
					t.Fatalf("%+v", missing)
				}
				var acct account
				acct.read(&s.In)
				same(t, "cross equity after", acct.crossEquity, want.After.Cross)
				same(t, "account value after", acct.value, want.After.AV)
				same(t, "free margin after", acct.freeMargin, want.After.Free)
				m := &s.In.Target.Market
				same(t, "open interest after", m.Context.OpenInterestUnits*m.Context.MarkPrice, want.After.OI)
				same(t, "mid after", m.Book.MidPrice, want.After.Mid)
				same(t, "spread after", m.Book.SpreadBps, want.After.Spread)
				same(t, "taken of the bids", s.In.Target.TakenBids, want.After.TakenBids)
				same(t, "taken of the asks", s.In.Target.TakenAsks, want.After.TakenAsks)
				for _, side := range []struct {
					name string
					got  [][2]float64
					want [][2]float64
				}{
					{"bids", visible(&m.Book.Bids, s.In.Target.TakenBids), want.After.Bids},
					{"asks", visible(&m.Book.Asks, s.In.Target.TakenAsks), want.After.Asks},
				} {
					if len(side.got) != len(side.want) {
						t.Fatalf("%d %s left, want %d", len(side.got), side.name, len(side.want))
					}
					for j, l := range side.want {
						same(t, side.name, side.got[j][0], l[0])
						same(t, side.name, side.got[j][1], l[1])
					}
				}
				if len(acct.positions) != len(want.After.Positions) {
					t.Fatalf("%d positions after, want %d", len(acct.positions), len(want.After.Positions))
				}
				for j, w := range want.After.Positions {
					h := &acct.positions[j]
					same(t, "units", h.units, w.Q)
					same(t, "entry", h.entry, w.Entry)
					same(t, "leverage", h.leverage, w.Leverage)
					if h.name != w.Asset || h.isolated != (w.Mode == "isolated") {
						t.Errorf("%s isolated %v, want %+v", h.name, h.isolated, w)
					}
					if h.isolated {
						same(t, "isolated equity", h.equity, w.Isolated)
					}
				}
			}
		})
	}
}

// visible returns the price and units that are left on each level of a side after a batch took units.
func visible(s *mc.Side, taken float64) (out [][2]float64) {
	for i, price := range s.Price {
		if units := min(s.Units[i], s.CumUnits[i]-taken); units > 0 {
			out = append(out, [2]float64{price, units})
		}
	}
	return out
}

// A batch of one trade gives the same assessment as that trade alone.
func TestBatchOfOne(t *testing.T) {
	cache, now := testCache(t, 4)
	e, one, batched := NewEngine(DefaultAges()), NewScratch(4), NewScratch(4)
	for _, holds := range []int{0, 1, 3} {
		for _, action := range []Action{ActionLong, ActionShort, ActionClose} {
			trade := Trade{Asset: 1, Action: action, SizeUSD: 5_000, MonteCarlo: holds == 3}
			owner := testWallet(holds)
			owner.Mode = mc.ModeUnified
			owner.SpotUSDC = 40_000
			if missing := e.Fill(&one.In, cache, &trade, owner, 0, now, testWallMs); missing != (Unavailable{}) {
				t.Fatal(missing)
			}
			e.Assess(one)
			b := e.NewBatch(cache, owner, 0, now, testWallMs)
			if missing := b.Fill(&batched.In, &trade); missing != (Unavailable{}) {
				t.Fatal(missing)
			}
			e.Assess(batched)
			if !sameAnswer(&one.Out, &batched.Out) {
				t.Errorf("%s with %d positions: %+v\n%+v", action, holds, one.Out, batched.Out)
			}
			before := *owner
			b.Apply(batched)
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
	cache, now := testCache(t, 5)
	e, s := NewEngine(DefaultAges()), NewScratch(6)
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[change]int{}
	for range 60 {
		owner := testWallet(r.IntN(4))
		if r.IntN(3) == 0 && len(owner.Positions) > 0 {
			owner.Positions[0] = isolatedAt(owner.Positions[0], 150)
		}
		b := e.NewBatch(cache, owner, 0, now, testWallMs)
		units := map[mc.AssetID][2]float64{}
		for range 20 {
			trade := Trade{
				Asset: mc.AssetID(r.IntN(5)), Action: []Action{ActionLong, ActionShort, ActionClose}[r.IntN(3)],
				SizeUSD: math.Exp(5 + 7*r.Float64()), Mode: Mode(r.IntN(2)), ModeGiven: r.IntN(2) == 0,
			}
			if r.IntN(2) == 0 {
				trade.Leverage = float64(1 + r.IntN(40))
			}
			if missing := b.Fill(&s.In, &trade); missing != (Unavailable{}) {
				t.Fatal(missing)
			}
			e.Assess(s)
			if why := broken(&s.Out); why != "" {
				t.Fatalf("%+v of %+v: %s", trade, s.In.Account, why)
			}
			p, before := s.view.plan, s.account.value
			bids, asks := s.In.Target.TakenBids, s.In.Target.TakenAsks
			if u := units[trade.Asset]; u[0] != bids || u[1] != asks {
				t.Fatalf("%v and %v units are taken from the book of %d, after the last trade it was %v", bids, asks,
					trade.Asset,
					u)
			}
			fill := s.Out.Slippage.FillPrice
			cost := math.Abs(p.units)*fill*testTaker + p.units*(fill-p.mark)
			dust := 0.0
			if p.kind == noFill {
				cost = 0
			} else if p.after == 0 {
				dust = flatUSD
			}
			b.Apply(s)
			seen[p.kind]++
			if missing := b.Fill(&s.In, &trade); missing != (Unavailable{}) {
				t.Fatal(missing)
			}
			var acct account
			acct.read(&s.In)
			scale := math.Abs(before) + p.notional + p.valueAfter
			if math.Abs(acct.value-(before-cost)) > 1e-9*scale+dust {
				t.Fatalf("%+v, kind %d: the account is worth %v, before %v, the trade cost %v", trade, p.kind,
					acct.value, before,
					cost)
			}
			if p.kind != noFill {
				if taken := math.Abs(p.units); p.direction > 0 {
					asks += taken
				} else {
					bids += taken
				}
			}
			if a := &s.In.Target; a.TakenBids != bids || a.TakenAsks != asks {
				t.Fatalf("%+v took %v and %v units, want %v and %v", trade, a.TakenBids, a.TakenAsks, bids, asks)
			}
			if mk := viewOf(&s.In.Target); mk.mid != s.Out.Slippage.MidPrice || mk.spreadBps == 0 {
				t.Fatal("mid or spread changed when depth was taken")
			}
			units[trade.Asset] = [2]float64{bids, asks}
		}
	}
	for _, k := range []change{opens, increases, reduces, flips, noFill} {
		if seen[k] < 20 {
			t.Errorf("only %d trades of kind %d: %v", seen[k], k, seen)
		}
	}
}

// Two orders of a batch together cost as much as one order of their combined size.
func TestBatchCostsWhatOneOrderCosts(t *testing.T) {
	cache, now := testCache(t, 2)
	e, s := NewEngine(DefaultAges()), NewScratch(2)
	r := rand.New(rand.NewPCG(5, 2))
	beyond := 0
	for range 200 {
		action := []Action{ActionLong, ActionShort}[r.IntN(2)]
		b := e.NewBatch(cache, testWallet(0), 0, now, testWallMs)
		size, cost := 0.0, 0.0
		for range 2 + r.IntN(3) {
			trade := Trade{Asset: 0, Action: action, SizeUSD: math.Exp(11 + 6*r.Float64())} // the side holds 20 M USD
			if missing := b.Fill(&s.In, &trade); missing != (Unavailable{}) {
				t.Fatal(missing)
			}
			e.Assess(s)
			size, cost = size+trade.SizeUSD, cost+trade.SizeUSD/testMark*s.Out.Slippage.FillPrice
			b.Apply(s)
		}
		if size > 2e7 {
			beyond++
		}
		if missing := e.Fill(&s.In, cache, &Trade{Asset: 0, Action: action, SizeUSD: min(size, MaxSizeUSD)},
			testWallet(0),
			0, now, testWallMs); missing != (Unavailable{}) {
			t.Fatal(missing)
		}
		e.Assess(s)
		if want := size / testMark * s.Out.Slippage.FillPrice; math.Abs(cost-want) > 1e-9*want {
			t.Fatalf("%v USD in two orders cost %v, in one order %v", size, cost, want)
		}
	}
	if beyond < 20 {
		t.Errorf("only %d went beyond the visible book", beyond)
	}
}

// A batch uses one snapshot of the market: new data of the venue does not reach it, and the depth
// that it takes is not visible to other requests.
func TestBatchIsOneMoment(t *testing.T) {
	cache, now := testCache(t, 2)
	e, s := NewEngine(DefaultAges()), NewScratch(2)
	trade := Trade{Asset: 0, Action: ActionLong, SizeUSD: 1e6}
	b := e.NewBatch(cache, testWallet(0), 0, now, testWallMs)
	var m mc.Market
	cache.Market(0, now, mc.AgeLimits{Market: mc.Forever, CEX: mc.Forever}, &m)
	published := m.Book
	units := published.Asks.CumUnits[published.Asks.Len()-1]
	for range 3 {
		if missing := b.Fill(&s.In, &trade); missing != (Unavailable{}) {
			t.Fatal(missing)
		}
		e.Assess(s)
		b.Apply(s)
		cache.Books(0).Publish(testBook(2*testMark, 1e6), now)
	}
	if s.Out.Slippage.MidPrice != testMark {
		t.Errorf("mid %v", s.Out.Slippage.MidPrice)
	}
	if published.Asks.CumUnits[published.Asks.Len()-1] != units {
		t.Error("the book in the cache was modified")
	}
	if got, want := s.Out.OpenInterest.CurrentUSD, 1e9+2e6; math.Abs(got-want) > 1 {
		t.Errorf("open interest %v, want %v", got, want)
	}
}

// An opening trade so small that it leaves no position changes nothing for the trades after it.
func TestBatchTradeBelowFlat(t *testing.T) {
	cache, now := testCache(t, 4)
	e := NewEngine(DefaultAges())
	for _, positions := range []int{0, 2} {
		next := func(first float64) Assessment {
			s, b := NewScratch(2), e.NewBatch(cache, testWallet(positions), 0, now, testWallMs)
			for _, size := range []float64{first, 1000} {
				if size == 0 {
					continue
				}
				trade := Trade{Asset: 0, Action: ActionLong, SizeUSD: size, Leverage: 5}
				if m := b.Fill(&s.In, &trade); m != (Unavailable{}) {
					t.Fatal(m)
				}
				e.Assess(s)
				b.Apply(s)
			}
			return s.Out
		}
		alone, after := next(0), next(flatUSD/10)
		if after.Position != alone.Position || after.Recommendation != alone.Recommendation ||
			math.Abs(after.RiskScore-alone.RiskScore) > 1e-6 {
			t.Errorf("%d positions: %+v %v, without the small trade %+v %v", positions, after.Position,
				after.RiskScore,
				alone.Position, alone.RiskScore)
		}
	}
}

// The margin held for resting orders stays, however much margin the trades of a batch take: it is not read
// off the margin available in an asset, which the venue told before them.
func TestBatchKeepsHeldMargin(t *testing.T) {
	cache, now := testCache(t, 3)
	e, s, owner := NewEngine(DefaultAges()), NewScratch(2), testWallet(0) // 50,000 USD
	owner.Pools = []mc.Pool{{EquityUSD: 50_000, HeldUSD: 1_500, HeldMostUSD: 2_500}}
	for id := range mc.AssetID(3) {
		owner.Settings = append(owner.Settings, mc.LeverageSetting{
			Asset: id, Leverage: 10, HasAvailable: true, AvailableUSD: [2]float64{48_000, 47_000},
		})
	}
	b := e.NewBatch(cache, owner, 0, now, testWallMs)
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
		trade := Trade{Asset: c.asset, Action: c.action, SizeUSD: 10_000}
		if missing := b.Fill(&s.In, &trade); missing != (Unavailable{}) {
			t.Fatal(missing)
		}
		e.Assess(s)
		m := &s.Out.Margin
		if math.Abs(m.HeldUSD-c.held) > 1e-6 || m.HeldMostUSD != m.HeldUSD {
			t.Errorf("trade %d: %v to %v USD held, want %v", i, m.HeldUSD, m.HeldMostUSD, c.held)
		}
		b.Apply(s)
	}
	if owner.Settings[1].AvailableUSD[0] != 48_000 {
		t.Error("the account passed in was modified")
	}
}
