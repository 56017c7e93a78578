package risk

import (
	"slices"
	"testing"
	"time"

	mc "ballast/marketcache"
)

// fillTrade is the trade of fillCases, by a wallet that also holds assets 1 and 2.
var fillTrade = Trade{Asset: 0, Action: ActionLong, SizeUSD: 1000}

var fillCases = []struct {
	name    string
	without string // datum of the target that the cache has never received
	change  func(c *mc.Cache, owner *mc.Account)
	later   time.Duration // added to both clocks
	wallet  time.Duration
	want    Unavailable
	stale   bool
	funding bool // the paid funding of the target is still to be read
}{
	{name: "all there"},
	{name: "market past its soft limit", later: 6 * time.Second, stale: true},
	{name: "market past its hard limit", later: 31 * time.Second, want: Unavailable{StaleData, 0, "book",
		31 * time.Second, 30 * time.Second}},
	{name: "wallet past its soft limit", wallet: 3 * time.Second, stale: true},
	{name: "wallet at its soft limit", wallet: 2 * time.Second},
	{name: "wallet past its hard limit", wallet: 16 * time.Second, want: Unavailable{StaleData, 0, "wallet",
		16 * time.Second, 15 * time.Second}},
	{name: "the wallet unread on the dex", want: Unavailable{Reason: Unread},
		change: func(c *mc.Cache, owner *mc.Account) { owner.Unread = []string{"xyz", ""} }},
	{name: "the wallet unread on another dex", stale: true,
		change: func(c *mc.Cache, owner *mc.Account) { owner.Unread = []string{"xyz"} }},
	{name: "no book yet", without: "book", want: Unavailable{Starting, 0, "book", -1, 0}},
	{name: "no context yet", without: "context", want: Unavailable{Starting, 0, "context", -1, 0}},
	{name: "no fit yet", want: Unavailable{Starting, 0, "candles", -1, 0},
		change: func(c *mc.Cache, owner *mc.Account) { unfit(c, 0) }},
	{name: "no funding history yet: said, not refused", funding: true,
		change: func(c *mc.Cache, owner *mc.Account) { c.SetFunding(0, nil) }},
	{name: "candles never loaded", want: Unavailable{Starting, 0, "candles", -1, 0},
		change: func(c *mc.Cache, owner *mc.Account) { c.AppendBars(0, nil, 0) }},
	{name: "candles past two bars", stale: true,
		change: func(c *mc.Cache, owner *mc.Account) { c.AppendBars(0, nil, testWallMs-2*3_600_000-1) }},
	{name: "candles of yesterday",
		want:   Unavailable{StaleData, 0, "candles", 24*time.Hour + time.Millisecond, 24 * time.Hour},
		change: func(c *mc.Cache, owner *mc.Account) { c.AppendBars(0, nil, testWallMs-24*3_600_000-1) }},
	{name: "candles complete beyond our clock",
		change: func(c *mc.Cache, owner *mc.Account) { c.AppendBars(0, nil, testWallMs+5000) }},
	{name: "a held asset without a fit", want: Unavailable{Starting, 2, "candles", -1, 0},
		change: func(c *mc.Cache, owner *mc.Account) { unfit(c, 2) }},
	{name: "a held asset that is delisted needs nothing", change: func(c *mc.Cache, owner *mc.Account) {
		unfit(c, 2)
		old := testAsset(2, "A002")
		old.Delisted = true
		c.SetUniverse(mc.NewUniverse([]*mc.Asset{testAsset(0, "BTC"), testAsset(1, "ETH"), old}))
	}},
	{name: "the newest fit failed: the last good one, flagged", stale: true,
		change: func(c *mc.Cache, owner *mc.Account) { refit(c, 0, func(m *mc.AssetModel) { m.FitError = "no" }) }},
	{name: "a held asset's newest fit failed", stale: true,
		change: func(c *mc.Cache, owner *mc.Account) { refit(c, 1, func(m *mc.AssetModel) { m.FitError = "no" }) }},
	{name: "the fit lags three hours behind its bars", stale: true,
		change: func(c *mc.Cache, owner *mc.Account) { refit(c, 0, func(m *mc.AssetModel) { m.LastHour -= 3 }) }},
	{name: "the fit lags a day behind its bars", want: Unavailable{Reason: StaleData, Asset: 0, What: "candles",
		Age: 26*time.Hour + testWallMs%hourMs*time.Millisecond, Limit: 24 * time.Hour},
		change: func(c *mc.Cache, owner *mc.Account) { refit(c, 0, func(m *mc.AssetModel) { m.LastHour -= 26 }) }},
	{name: "a held asset that nobody knows needs nothing",
		change: func(c *mc.Cache, owner *mc.Account) { owner.Positions[1].Asset = mc.NoAsset }},
}

func TestFill(t *testing.T) {
	for _, r := range fillCases {
		t.Run(r.name, func(t *testing.T) {
			c, now := testCache(t, 3)
			owner := testWallet(2)
			if r.without != "" {
				c = cacheWithout(c, now, r.without)
			}
			if r.change != nil {
				r.change(c, owner)
			}
			e, s := NewEngine(DefaultAges()), NewScratch(2)
			missing := e.Fill(&s.In, c, &fillTrade, owner, r.wallet, now.Add(r.later),
				testWallMs+r.later.Milliseconds())
			if missing != r.want {
				t.Fatalf("%+v, want %+v", missing, r.want)
			}
			if missing.Reason != Complete {
				return
			}
			if s.In.Stale != r.stale {
				t.Errorf("stale %v", s.In.Stale)
			}
			if len(s.In.Held) != 2 || s.In.Rows == nil || s.In.Held[1].Model == nil {
				t.Fatalf("snapshot %+v", s.In)
			}
			e.Assess(s)
			if why := broken(&s.Out); why != "" {
				t.Error(why)
			}
			if s.Out.Flags.Has(FlagStaleMarketData) != r.stale {
				t.Errorf("flags %v", raised(&s.Out.Flags))
			}
			loading := slices.Contains(s.Out.Explanation.Loading, LoadingPart{"funding", "BTC", -1})
			if loading != r.funding || loading && !s.Out.Flags.Has(FlagHistoryLoading) {
				t.Errorf("loading %+v, flags %v", s.Out.Explanation.Loading, raised(&s.Out.Flags))
			}
		})
	}
}

// TestOddCandleIsFlagged: an asset with an hour left out has it among what is still to be read, at no known time.
func TestOddCandleIsFlagged(t *testing.T) {
	for _, odd := range []bool{false, true} {
		c, now := testCache(t, 3)
		c.SetLoading(fillTrade.Asset, &mc.Loading{OddCandle: odd, CandlesReadyIn: time.Second})
		e, s := NewEngine(DefaultAges()), NewScratch(2)
		if missing := e.Fill(&s.In, c, &fillTrade, testWallet(2), 0, now, testWallMs); missing.Reason != Complete {
			t.Fatal(missing)
		}
		e.Assess(s)
		name := s.In.Target.Market.Asset.Name
		told := slices.Contains(s.Out.Explanation.Loading, LoadingPart{"candles", name, -1})
		if told != odd || odd && !s.Out.Flags.Has(FlagHistoryLoading) {
			t.Errorf("odd %v: %+v, flags %v", odd, s.Out.Explanation.Loading, raised(&s.Out.Flags))
		}
	}
}

// An input with a regular interval is flagged as stale one second after that interval, for every
// kind of market data.
func TestFillByCadence(t *testing.T) {
	const cadence = 2 * time.Second
	age := map[string]func(c *mc.Cache, now mc.Instant){
		"best levels": func(c *mc.Cache, now mc.Instant) {
			b, _, _ := c.Books(0).Latest(now, mc.Forever)
			book := **b
			book.Cadence = cadence
			c.Books(0).Publish(&book, now)
		},
		"depth": func(c *mc.Cache, now mc.Instant) {
			b, _, _ := c.Books(0).Latest(now, mc.Forever)
			book := **b
			book.DepthCadence, book.DepthProof = cadence, now
			c.Books(0).Publish(&book, now.Add(time.Hour))
		},
		"mark": func(c *mc.Cache, now mc.Instant) { c.Venue.MarkCadence.Store(int64(cadence)) },
		"funding": func(c *mc.Cache, now mc.Instant) {
			x, _, _ := c.Contexts(0).Latest(now, mc.Forever)
			context := *x
			context.SlowProof = now
			c.Contexts(0).Publish(context, now.Add(time.Hour))
			c.Venue.SlowCadence.Store(int64(cadence))
		},
	}
	for name, prepare := range age {
		for _, later := range []time.Duration{cadence + 900*time.Millisecond, cadence + time.Second} {
			c, now := testCache(t, 3)
			prepare(c, now)
			e, s := NewEngine(DefaultAges()), NewScratch(2)
			trade := Trade{Asset: 0, Action: ActionLong, SizeUSD: 1000}
			refuse(t, e.Fill(&s.In, c, &trade, testWallet(0), 0, now.Add(later), testWallMs+later.Milliseconds()))
			if want := later > cadence+950*time.Millisecond; s.In.Stale != want {
				t.Errorf("%s, %v old: stale %v", name, later, s.In.Stale)
			}
		}
	}
	// Depth that was never received is flagged too.
	c, now := testCache(t, 3)
	b, _, _ := c.Books(0).Latest(now, mc.Forever)
	book := **b
	book.DepthCadence = cadence
	c.Books(0).Publish(&book, now)
	e, s := NewEngine(DefaultAges()), NewScratch(2)
	if e.Fill(&s.In, c, &Trade{Asset: 0, SizeUSD: 1000}, testWallet(0), 0, now, testWallMs); !s.In.Stale {
		t.Error("depth that was never received is not flagged")
	}
}

// Mark and book are fresh; oracle price, funding and open interest are too old. An opening trade gets no
// answer, a close is answered with the flag stale_market_data.
func TestFillOldContext(t *testing.T) {
	const cadence = 10 * time.Second
	for _, action := range []Action{ActionLong, ActionClose} {
		c, now := testCache(t, 3)
		x, _, _ := c.Contexts(0).Latest(now, mc.Forever)
		context := *x
		context.SlowProof = now.Add(-51 * time.Second)
		c.Contexts(0).Publish(context, now)
		c.Venue.SlowCadence.Store(int64(cadence))
		e, s := NewEngine(DefaultAges()), NewScratch(2)
		missing := e.Fill(&s.In, c, &Trade{Asset: 0, Action: action, SizeUSD: 1000}, testWallet(0), 0, now, testWallMs)
		if refused := missing.Reason == StaleData && missing.What == "context"; refused != (action == ActionLong) ||
			action == ActionClose && !s.In.Stale {
			t.Errorf("action %v: %+v, stale %v", action, missing, s.In.Stale)
		}
	}
}

// When prices contradict each other, trades that open a position are refused; trades that reduce
// one are assessed and flagged.
func TestFillContradictions(t *testing.T) {
	rows := []struct {
		name    string
		change  func(x *mc.Context, a *mc.Account)
		missing string
		flag    bool
	}{
		{name: "all agree"},
		{"oracle 6 % off", func(x *mc.Context, a *mc.Account) { x.OraclePrice = 1.06 * x.MarkPrice }, "", true},
		{"oracle 21 % off", func(x *mc.Context, a *mc.Account) { x.OraclePrice = 1.21 * x.MarkPrice }, "oracle", true},
		{"mark half of the book", func(x *mc.Context, a *mc.Account) {
			x.MarkPrice, x.OraclePrice, x.MidPrice = x.MarkPrice/2, x.OraclePrice/2, 0
		}, "mid", true},
		{"the wallet's mark 6 % off", func(x *mc.Context, a *mc.Account) {
			a.Positions[0].ValueUSD *= 1.06
		}, "wallet", true},
		{"the wallet's mark a thousand times off", func(x *mc.Context, a *mc.Account) {
			a.Positions[0].ValueUSD *= 1000
		}, "wallet", true},
	}
	for _, r := range rows {
		for _, trade := range []Trade{
			{Asset: 0, Action: ActionLong, SizeUSD: 100, Leverage: 5}, {Asset: 0, Action: ActionShort, SizeUSD: 1e6,
				Leverage: 5},
			{Asset: 0, Action: ActionShort, SizeUSD: 10, Leverage: 5}, {Asset: 0, Action: ActionClose, SizeUSD: 1e6},
			// less than a lot more: closes
			{Asset: 0, Action: ActionShort, SizeCoin: 100/testMark + 0.9e-5, Leverage: 5},
		} {
			c, now := testCache(t, 3)
			x, _, _ := c.Contexts(0).Latest(now, mc.Forever)
			context, owner := *x, testWallet(0)
			owner.Positions = []mc.Position{{
				Asset: 0, Name: "BTC", Units: 100 / context.MarkPrice, ValueUSD: 100, EntryPrice: context.MarkPrice,
				Leverage:    5,
				MaxLeverage: 40,
			}}
			if r.change != nil {
				r.change(&context, owner)
			}
			c.Contexts(0).Publish(context, now)
			e, s := NewEngine(DefaultAges()), NewScratch(2)
			missing := e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs)
			reduces := trade.Action == ActionClose || trade.SizeUSD == 10 || trade.SizeCoin > 0
			if r.missing != "" && !reduces {
				if missing.Reason != Inconsistent || missing.What != r.missing || missing.Asset != 0 {
					t.Errorf("%s, %v of %v: %+v", r.name, trade.Action, trade.SizeUSD, missing)
				}
				continue
			}
			if missing.Reason != Complete {
				t.Errorf("%s, %v of %v: %+v", r.name, trade.Action, trade.SizeUSD, missing)
				continue
			}
			e.Assess(s)
			if s.Out.Flags.Has(FlagPriceDivergence) != r.flag {
				t.Errorf("%s: flags %v", r.name, raised(&s.Out.Flags))
			}
			if increases := !reduces; r.flag && (s.Out.RiskScore >= 71) != increases || r.flag && reduces &&
				s.Out.Recommendation != Proceed {
				t.Errorf("%s, %v of %v: score %v", r.name, trade.Action, trade.SizeUSD, s.Out.RiskScore)
			}
		}
	}
}

// unfit publishes a model without the fit of one asset.
func unfit(c *mc.Cache, id mc.AssetID) {
	m := *c.Model()
	m.Assets = slices.Clone(m.Assets)
	m.Assets[id] = nil
	c.SetModel(&m)
}

// refit publishes a model in which the fit of one asset is changed.
func refit(c *mc.Cache, id mc.AssetID, change func(*mc.AssetModel)) {
	model := *c.Model()
	model.Assets = slices.Clone(model.Assets)
	fit := *model.Assets[id]
	change(&fit)
	model.Assets[id] = &fit
	c.SetModel(&model)
}

// cacheWithout returns a cache like c that has never received one datum of asset 0.
func cacheWithout(c *mc.Cache, now mc.Instant, without string) *mc.Cache {
	fresh := mc.New(c.Limits())
	fresh.SetUniverse(c.Universe())
	fresh.SetModel(c.Model())
	for id := range mc.AssetID(3) {
		if book, _, ok := c.Books(id).Latest(now, mc.Forever); ok && (without != "book" || id != 0) {
			fresh.Books(id).Publish(*book, now)
		}
		if ctx, _, ok := c.Contexts(id).Latest(now, mc.Forever); ok && (without != "context" || id != 0) {
			fresh.Contexts(id).Publish(*ctx, now)
		}
		fresh.SetFunding(id, c.FundingStats(id))
		fresh.AppendBars(id, nil, testWallMs)
	}
	return fresh
}

// The list of open interest caps has its own age limit. Without the list, utilisation may be wrong.
func TestFillCaps(t *testing.T) {
	c, now := testCache(t, 2)
	e, s := NewEngine(DefaultAges()), NewScratch(1)
	keep := func(at mc.Instant) {
		for id := range mc.AssetID(2) {
			c.Books(id).Confirm(at)
			c.Contexts(id).Confirm(at)
		}
	}
	trade := Trade{Asset: 0, SizeUSD: 1}
	for _, row := range []struct {
		cadence, age time.Duration
		stale        bool
	}{
		{0, 119 * time.Second, false}, {0, 121 * time.Second, true}, {time.Minute, 119 * time.Second, false},
		{5 * time.Minute, 299 * time.Second, false}, {5 * time.Minute, 301 * time.Second, true},
	} {
		at := now.Add(row.age)
		keep(at)
		c.Caps(0).Publish(mc.Cap{Cadence: row.cadence}, now)
		refuse(t, e.Fill(&s.In, c, &trade, testWallet(0), 0, at, testWallMs))
		if s.In.Stale != row.stale {
			t.Errorf("%+v: stale %v", row, s.In.Stale)
		}
	}
}

// The asset of the trade is read once, even when the wallet also holds it: otherwise a new mark that
// arrives between two reads would give two prices.
func TestFillReadsTheTargetOnce(t *testing.T) {
	c, now := testCache(t, 2)
	owner := testWallet(1)
	owner.Positions[0] = holding(0, "BTC", 1, testMark, 10)
	e, s := NewEngine(DefaultAges()), NewScratch(1)
	refuse(t, e.Fill(&s.In, c, &Trade{Asset: 0, SizeUSD: 1}, owner, 0, now, testWallMs))
	if s.In.Held[0].Market.Context != s.In.Target.Market.Context ||
		s.In.Held[0].Market.Book != s.In.Target.Market.Book {
		t.Error("the target was read twice")
	}
}

// A refused snapshot must not discard the memory of the scratch.
func TestFillKeepsItsMemory(t *testing.T) {
	c, now := testCache(t, 3)
	e, s, owner := NewEngine(DefaultAges()), NewScratch(8), testWallet(2)
	trade := Trade{Asset: 0, SizeUSD: 1}
	for range 3 {
		e.Fill(&s.In, c, &trade, owner, time.Minute, now, testWallMs)
		e.Fill(&s.In, c, &trade, owner, 0, now.Add(time.Minute), testWallMs)
	}
	if got := cap(s.In.Held); got != 8 {
		t.Errorf("room for %d positions, was 8", got)
	}
}

// Missing data of the other positions never blocks an exit: an asset that is not loaded counts as
// unknown, is requested, and is flagged.
func TestFillOfACloseNeedsOnlyItsAsset(t *testing.T) {
	c, now := testCache(t, 3)
	owner := testWallet(2)
	all := *c.Model()
	unfit(c, 2)
	e, s := NewEngine(DefaultAges()), NewScratch(2)
	trade := Trade{Asset: 0, Action: ActionClose, SizeUSD: 1000}
	refuse(t, e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs))
	if !s.In.Stale || !c.Wanted(2) {
		t.Errorf("stale %v, wanted %v: not flagged or not requested", s.In.Stale, c.Wanted(2))
	}
	e.Assess(s)
	wantSound(t, &s.Out)
	if s.Out.Recommendation != Proceed || !s.Out.Flags.Has(FlagStaleMarketData) {
		t.Errorf("%v, flags %v", s.Out.Recommendation, s.Out.Flags.Has(FlagStaleMarketData))
	}
	// Any other trade needs all held assets, and requests all missing ones at once.
	unfit(c, 1)
	trade.Action = ActionLong
	if missing := e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs); missing.Reason != Starting ||
		missing.Asset != 1 ||
		!c.Wanted(2) {
		t.Errorf("%+v, the second missing asset requested: %v", missing, c.Wanted(2))
	}
	trade.Action = ActionClose
	// A closing trade does need the asset that it closes.
	c.SetModel(&all)
	unfit(c, 0)
	if missing := e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs); missing.Reason != Starting {
		t.Errorf("a close without a fit of its asset: %+v", missing)
	}
}

// A size in coins becomes USD at the mark of the snapshot.
func TestFillSizeInCoins(t *testing.T) {
	c, now := testCache(t, 1)
	trade := Trade{Asset: 0, Action: ActionLong, SizeCoin: 0.25}
	var in Input
	refuse(t, NewEngine(DefaultAges()).Fill(&in, c, &trade, &mc.Account{}, 0, now, testWallMs))
	if in.Trade.SizeUSD != 0.25*testMark || trade.SizeUSD != 0 {
		t.Errorf("%v USD in the snapshot, %v in the request", in.Trade.SizeUSD, trade.SizeUSD)
	}
}
