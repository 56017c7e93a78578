package hyperliquid

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// recorded returns a recording of testdata/recorded.
func recorded(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/recorded", name))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b)
}

// recordedFeed returns a feed that knows the recorded assets of two dexes and has no contexts yet.
func recordedFeed(t *testing.T) *Feed {
	t.Helper()
	f := bareFeed()
	for _, dex := range []string{"main", "xyz"} {
		m, rows, ok := parseMetaAndContexts(recorded(t, "metaAndAssetCtxs-"+dex+"-2026-02-06.json"), nil)
		if dex != "main" {
			m.dex = dex
		}
		if _, aside, err := f.universe.apply(m); !ok || err != nil || len(aside) != 0 || len(rows) != len(m.assets) {
			t.Fatalf("%s: %v, set aside %v, %d contexts", dex, err, aside, len(rows))
		}
	}
	f.replan()
	return f
}

// feedFrame passes a frame to the socket that carries a precision of BTC, at a time of the venue's
// clock.
func (f *Feed) feedFrame(p precision, frame []byte, venueMs int64) {
	for range 3 {
		f.clock.ObserveStatus(venueMs, marketcache.Now(), marketcache.Now())
	}
	f.socketWith(f.cache.Universe().LookupString("BTC"), p).handle(frame, marketcache.Now())
}

func TestRecordedUniverse(t *testing.T) {
	u := recordedFeed(t).cache.Universe()
	for _, want := range []struct {
		name                   string
		sizeDigits             int
		leverage               float64
		tiers                  []float64 // pairs of lower bound (USD) and leverage
		onlyIsolated, delisted bool
		fee                    float64
	}{
		{"BTC", 5, 40, []float64{0, 40, 150e6, 20}, false, false, 1},
		{"ETH", 4, 25, []float64{0, 25, 100e6, 15}, false, false, 1},
		{"ATOM", 2, 5, []float64{0, 5}, false, false, 1},
		{"MATIC", 1, 20, []float64{0, 20}, false, true, 1},
		// fee doubled by the deployer, and a tenth of that in growth mode
		{"xyz:XYZ100", 4, 25, []float64{0, 25}, true, false, 0.2},
		{"xyz:TSLA", 3, 10, []float64{0, 10}, true, false, 0.2},
	} {
		a := u.Asset(u.LookupString(want.name))
		if a == nil {
			t.Fatalf("%s is not listed", want.name)
		}
		var tiers []float64
		for _, tier := range a.Tiers {
			tiers = append(tiers, tier.LowerBoundUSD, tier.MaxLeverage)
		}
		if a.SizeDigits != want.sizeDigits || a.MaxLeverage != want.leverage || !slices.Equal(tiers, want.tiers) ||
			a.OnlyIsolated != want.onlyIsolated || a.Delisted != want.delisted ||
			math.Abs(a.FeeMultiplier-want.fee) > 1e-12 {
			t.Errorf("%+v, want %+v", *a, want)
		}
	}
	m, _, ok := parseMetaAndContexts(payload(t, "metaAndAssetCtxs"), nil)
	if alone := m.assets[2]; !ok || !alone.onlyIsolated || m.assets[3].onlyIsolated {
		t.Errorf("strictIsolated: %+v", m.assets)
	}
	names, caps, ok := parseDexs(recorded(t, "perpDexs-2025-12-13.json"))
	if !ok || !slices.Equal(names, []string{"xyz"}) || len(caps) != 2 || caps["xyz:TSLA"] != 25e6 ||
		caps["xyz:XYZ100"] != 150e6 {
		t.Errorf("%v %v %v", names, caps, ok)
	}
}

func TestRecordedBooks(t *testing.T) { synctest.Test(t, readRecordedBooks) }

func readRecordedBooks(t *testing.T) {
	toTheFuture() // a book cannot be older than the process
	f := recordedFeed(t)
	btc := f.cache.Universe().LookupString("BTC")
	book := func() *marketcache.Book {
		b, _, ok := f.cache.Books(btc).Latest(marketcache.Now(), marketcache.Forever)
		if !ok {
			t.Fatal("no book")
		}
		return *b
	}
	f.feedFrame(full, recorded(t, "frame-l2Book-BTC-2026-07-19.json"), 1784431349577)
	b := book()
	if b.VenueMs != 1784431349577 || b.MidPrice != 64641.5 || b.Bids.Len() != 20 || b.Asks.Len() != 20 ||
		b.Bids.Price[0] != 64641 || math.Abs(b.Bids.CumUSD[0]-64641*4.71005) > 1e-6 || b.Asks.Price[1] != 64643 ||
		math.Abs(b.Asks.CumUSD[1]-(64642*10.13777+64643*0.099)) > 1e-6 {
		t.Errorf("%+v", b)
	}
	// A fast frame shortly afterwards: its best levels replace the earlier ones.
	f.feedFrame(fast, []byte(
		`{"channel":"l2Book","data":{"coin":"BTC","time":1784431350114,"levels":[[{"px":"64650.0","sz":"2.5","n":3}],`+
			`[{"px":"64652.0","sz":"0.4","n":1}]],"fast":true}}`), 1784431350114)
	if b := book(); b.VenueMs != 1784431350114 || b.MidPrice != 64651 || b.SpreadBps < 0.3 || b.SpreadBps > 0.31 {
		t.Errorf("%+v", b)
	}
	if st := f.Stats(); st.ParseErrors != 0 || st.RejectedBooks != 0 {
		t.Errorf("%+v", st)
	}
	f = recordedFeed(t) // a book in steps of 100 USD alone gives depth, but no best levels
	f.feedFrame(figures3, recorded(t, "frame-l2Book-BTC-nSigFigs3-2026-06-22.json"), 1782131344546)
	part := f.cells[btc].parts[figures3]
	if part == nil || part.timeMs != 1782131344546 || part.sides[0].n != 20 || part.sides[1].n != 20 ||
		part.sides[0].levels[1] != (marketcache.Level{Price: 64800, Units: 589.48131}) ||
		part.sides[1].levels[0] != (marketcache.Level{Price: 65000, Units: 658.6479}) {
		t.Errorf("%+v", part)
	}
}

func TestRecordedContexts(t *testing.T) {
	f := recordedFeed(t)
	context := func(name string) marketcache.Context {
		c, _, _ := f.cache.Contexts(f.cache.Universe().LookupString(name)).Latest(marketcache.Now(),
			marketcache.Forever)
		if c == nil {
			return marketcache.Context{}
		}
		return *c
	}
	lists := recorded(t, "frame-allDexsAssetCtxs-2026.json")
	last := f.sockets[len(f.sockets)-1]
	last.handle(lists, marketcache.Now())
	if c := context("BTC"); c.MarkPrice != 0 {
		t.Errorf("a list without names was taken without proof: %+v", c)
	}
	// Marks with names confirm the order of the lists. The first message of the stream is complete,
	// later ones contain changes.
	f.sockets[0].handle(frameOf("fastAssetCtxs",
		`"`+pack(`{"BTC":{"markPx":"77562.0","midPx":"77558.5"},"ETH":{"markPx":"2123.7","midPx":"2123.95"},`+
			`"ATOM":{"markPx":"2.1315","midPx":"2.1312"},"xyz:XYZ100":{"markPx":"29855.0","midPx":"29854.5"},`+
			`"xyz:TSLA":{"markPx":"433.64","midPx":"433.635"},"@107":{"midPx":"92.9"},`+
			`"#14880":{"markPx":"0.11"}}`)+`"`), marketcache.Now())
	last.handle(lists, marketcache.Now())
	f.sockets[0].handle(frameOf("fastAssetCtxs",
		`"`+pack(`{"BTC":{"midPx":"77559.5"},"MATIC":{"midPx":null},"ATOM":{"midPx":null}}`)+`"`), marketcache.Now())
	for name, want := range map[string]marketcache.Context{
		"BTC": {MarkPrice: 77562, OraclePrice: 77605, MidPrice: 77559.5, FundingRateHourly: -0.0000015186,
			HasFunding:        true,
			OpenInterestUnits: 27353.17682, DayVolumeUSD: 1516669192.1953897476, PrevDayPrice: 76317},
		"ATOM": {MarkPrice: 2.1315, OraclePrice: 2.1345, FundingRateHourly: 0.0000125, HasFunding: true,
			OpenInterestUnits: 1485517.8400000001, DayVolumeUSD: 539123.9194869999, PrevDayPrice: 2.0531},
		"MATIC": {}, // delisted: its last price is not used
		"xyz:TSLA": {MarkPrice: 433.64, OraclePrice: 433.95, MidPrice: 433.635, FundingRateHourly: -0.0000068725,
			HasFunding:        true,
			OpenInterestUnits: 87563.654, DayVolumeUSD: 5038245.83519, PrevDayPrice: 431.33},
	} {
		got := context(name)
		want.PairMark = want.MarkPrice
		if got.SlowProof = 0; got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if st := f.Stats(); st.ParseErrors != 0 || st.RejectedContexts != 0 {
		t.Errorf("%+v", st)
	}
}

func TestRecordedFrames(t *testing.T) {
	f := recordedFeed(t)
	s := f.sockets[0]
	s.heartbeat.Ping(marketcache.Now())
	var frames []json.RawMessage
	if err := json.Unmarshal(recorded(t, "frames-2026-10.json"), &frames); err != nil {
		t.Fatal(err)
	}
	for _, b := range frames {
		s.handle(b, marketcache.Now())
	}
	_, dead := s.heartbeat.Check(marketcache.Now().Add(time.Minute)) // without the pong it would count as dead
	if st := f.Stats(); st.ErrorFrames != 1 || st.ParseErrors != 0 || dead {
		t.Errorf("%+v, dead %v", st, dead)
	}
	for _, c := range []struct {
		data, kind, coin string
		fast, aggregated bool
	}{
		{`{"method":"subscribe","subscription":{"type":"l2Book","coin":"xyz:TSLA","nSigFigs":null,"mantissa":null,` +
			`"fast":true}}`, "l2Book", "xyz:TSLA", true, false},
		{`{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC","nSigFigs":3,"mantissa":null,` +
			`"fast":null}}`, "l2Book", "BTC", false, true},
		{`{"method":"subscribe","subscription":{"type":"fastAssetCtxs"}}`, "fastAssetCtxs", "", false, false},
	} {
		if kind, m, ok := parseAcknowledgement([]byte(c.data)); !ok || kind != c.kind || string(m.coin) != c.coin ||
			m.fast != c.fast || m.aggregated != c.aggregated {
			t.Errorf("%s: %v %s %s %+v", c.data, ok, kind, m.coin, m)
		}
	}
}

func TestRecordedHistories(t *testing.T) {
	candles, dropped, ok := parseCandles(recorded(t, "candleSnapshot-kPEPE-2023-07-17.json"), "kPEPE", 0, 1<<50)
	bars, newest := candles.Bars, candles.NewestMs
	if !ok || dropped != 0 || newest != 1684706400000 || len(bars) != 3 ||
		bars[1] != (marketcache.Bar{OpenMs: 1684702800000, Open: 0.001603, High: 0.001603, Low: 0.001584,
			Close:  0.001591,
			Volume: 682593287}) {
		t.Errorf("%v, %d dropped, newest %d: %+v", ok, dropped, newest, bars)
	}
	// A bar that ends after the given time is not closed.
	if got, _, _ := parseCandles(recorded(t, "candleSnapshot-kPEPE-2023-07-17.json"), "kPEPE", 0,
		newest+hourMs-1); len(got.Bars) != 2 {
		t.Errorf("forming bar taken: %+v", got.Bars)
	}
	rows, count, dropped, ok := parseFunding(recorded(t, "fundingHistory-BTC-2026-07-19.json"), "BTC", 1784422800044,
		1<<50)
	if !ok || count != 4 || dropped != 0 || len(rows) != 3 ||
		rows[2] != (marketcache.FundingRow{VenueMs: 1784433600031, RateHourly: 0.0000125}) {
		t.Errorf("%v %d %d %+v", ok, count, dropped, rows)
	}
	got := map[string]marketcache.CEXFunding{}
	take := func(c []byte, f marketcache.CEXFunding, _ float64) { got[string(c)] = f }
	ok = parsePredicted(recorded(t, "predictedFundings-2026-09-27.json"), take)
	if btc := got["BTC"]; !ok || btc.Venues != 2 || math.Abs(btc.RateHourly-(0.00003866+0.0000501)/16) > 1e-18 ||
		len(got) != 2 || got["HYPE"].Venues != 0 {
		t.Errorf("%v %+v", ok, got)
	}
	ok = parsePredicted(payload(t, "predictedFundings"), take) // 0.00004 per 8 hours and 0.00002 per 4 hours
	if f := got["BTC"]; !ok || f.Venues != 2 || math.Abs(f.RateHourly-0.000005) > 1e-18 {
		t.Errorf("%v %+v", ok, got)
	}
}

func TestRecordedAccount(t *testing.T) {
	u := recordedFeed(t).cache.Universe()
	var a marketcache.Account
	m, unreadable, _ := parseAccount(recorded(t, "clearinghouseState-2026-06-22.json"), u, &a)
	if unreadable != "" || m.maintenance != 47968.681271 || a.CrossAccountValueUSD != 319194.558725 ||
		a.VenueMs != 1782131344477 || len(a.Positions) != 3 {
		t.Fatalf("%q, %+v: %+v", unreadable, m, a)
	}
	if want := (marketcache.Position{Asset: u.LookupString("BTC"), Name: "BTC", Units: -56.27938, EntryPrice: 100941.1,
		ValueUSD:         3652194.0857199999,
		UnrealizedPnLUSD: 2028711.3783120001, Leverage: 30, MaxLeverage: 40, MarginUsedUSD: 121739.802857,
		LiquidationPrice: 78924.0010794823}); a.Positions[0] != want {
		t.Errorf("%+v, want %+v", a.Positions[0], want)
	}
	alone := marketcache.Account{}
	_, what, _ := parseAccount(payload(t, "clearinghouseState"), u, &alone)
	if what != "" || len(alone.Positions) != 3 ||
		!alone.Positions[2].Isolated || alone.Positions[2].RawUSD != -3075 || alone.CrossAccountValueUSD != 14000 {
		t.Errorf("with an isolated position: %q %+v", what, alone)
	}
	if p := a.Positions[2]; p.Name != "PUMP" || p.Asset != marketcache.NoAsset || p.Units != -3900000 {
		t.Errorf("a position in an asset that is not listed here: %+v", p)
	}
}
