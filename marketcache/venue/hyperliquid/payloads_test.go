package hyperliquid

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"

	"ballast/marketcache"
)

//go:embed testdata/payloads.json
var payloadsJSON []byte

// payload returns an answer of testdata/payloads.json.
func payload(t testing.TB, name string) []byte {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(payloadsJSON, &all); err != nil {
		t.Fatal(err)
	}
	if all[name] == nil {
		t.Fatalf("no payload %q", name)
	}
	return all[name]
}

func TestPayloadBook(t *testing.T) {
	m, ok := parseBook(payload(t, "l2Book"))
	if !ok || !m.plausible() || string(m.coin) != "BTC" || m.timeMs != 1790000000123 || m.sides[0].n != 3 ||
		m.sides[1].n != 2 {
		t.Fatalf("ok %v: %s %d, %d bids, %d asks", ok, m.coin, m.timeMs, m.sides[0].n, m.sides[1].n)
	}
	if m.sides[0].levels[1] != (marketcache.Level{Price: 80999, Units: 0.00033}) ||
		m.sides[1].levels[1] != (marketcache.Level{Price: 81003, Units: 3.25}) {
		t.Errorf("%v, %v", m.sides[0].levels[1], m.sides[1].levels[1])
	}
}

func TestPayloadUniverse(t *testing.T) {
	m, rows, ok := parseMetaAndContexts(payload(t, "metaAndAssetCtxs"), nil)
	if !ok || len(m.assets) != 4 || len(rows) != 4 {
		t.Fatalf("ok %v, %d assets, %d contexts", ok, len(m.assets), len(rows))
	}
	for i, want := range []struct {
		name               string
		sizeDigits         int
		maxLeverage        float64
		delisted, alone    bool
		tiers              []marketcache.Tier
		mark, mid, rate    float64
		open, dayVolumeUSD float64
	}{
		{"BTC", 5, 40, false, false, marketcache.NewTiers([]float64{0, 150e6}, []float64{40, 20}), 81000, 81000.5,
			-0.0000031, 21000.5, 2500000000.25},
		{"OLD", 1, 20, true, false, marketcache.NewTiers([]float64{0}, []float64{20}), 0.5, 0, 0, 0, 0},
		{"ALONE", 0, 3, false, true, marketcache.NewTiers([]float64{0}, []float64{3}), 0.0201, 0.0202, 0.0000125,
			900000,
			15000.5},
		{"TEN", 2, 10, false, false, marketcache.NewTiers([]float64{0, 3e6}, []float64{10, 5}), 12.5, 12.51, 0.0000125,
			40000.25, 3e6},
	} {
		a, c := m.assets[i], rows[i].ctx
		if a.name != want.name || int(a.sizeDigits) != want.sizeDigits || a.maxLeverage != want.maxLeverage ||
			a.delisted != want.delisted || a.onlyIsolated != want.alone {
			t.Errorf("%+v, want %+v", a, want)
		}
		tiers := m.tiers(&a)
		if len(tiers) != len(want.tiers) {
			t.Fatalf("%s: tiers %v, want %v", a.name, tiers, want.tiers)
		}
		for j, tier := range tiers {
			if tier != want.tiers[j] {
				t.Errorf("%s: tier %+v, want %+v", a.name, tier, want.tiers[j])
			}
		}
		if !rows[i].ok || c.MarkPrice != want.mark || c.MidPrice != want.mid || !c.HasFunding ||
			c.FundingRateHourly != want.rate ||
			c.OpenInterestUnits != want.open || c.DayVolumeUSD != want.dayVolumeUSD {
			t.Errorf("%s: %+v, want %+v", a.name, c, want)
		}
	}
	tiers := m.tiers(&m.assets[0])
	if want := 150e6 * (1./40 - 1./80); math.Abs(tiers[1].DeductionUSD-want) > 1e-6 {
		t.Errorf("deduction %v, want %v", tiers[1].DeductionUSD, want)
	}
}

func TestPayloadContextFrame(t *testing.T) {
	channel, data, ok := parseFrame(payload(t, "allDexsAssetCtxs"), nil)
	if !ok || string(channel) != "allDexsAssetCtxs" {
		t.Fatal("frame refused")
	}
	rows, found, ok := readMainContexts(data)
	if !ok || !found || len(rows) != 2 || !rows[0].ok || !rows[1].ok || rows[0].ctx.MarkPrice != 81000 ||
		rows[1].ctx.MarkPrice != 0.5 {
		t.Fatalf("found %v, ok %v: %+v", found, ok, rows)
	}
}

func TestPayloadHistories(t *testing.T) {
	b := payload(t, "candleSnapshot")
	bars, dropped, newest, ok := parseCandles(b, "kPEPE", 0, 1<<50)
	if !ok || dropped != 0 || newest != 1790002800000 || len(bars) != 2 ||
		bars[0] != (marketcache.Bar{OpenMs: 1789999200000, Open: 0.0016, High: 0.0017, Low: 0.0015, Close: 0.00161,
			Volume: 5000000.5}) {
		t.Fatalf("ok %v, %d dropped, newest %d: %+v", ok, dropped, newest, bars)
	}
	// A bar that ends after the given time is not closed.
	if bars, _, _, _ := parseCandles(b, "kPEPE", 0, 1790002800000+hourMs-1); len(bars) != 1 {
		t.Fatalf("forming bar taken: %+v", bars)
	}
	rows, count, dropped, ok := parseFunding(payload(t, "fundingHistory"), "BTC", 0, 1<<50)
	if !ok || count != 2 || len(rows) != 2 || dropped != 0 ||
		rows[1] != (marketcache.FundingRow{VenueMs: 1790006400055, RateHourly: -0.00061334}) {
		t.Fatalf("ok %v, %d rows: %+v", ok, count, rows)
	}
	got := map[string]marketcache.CEXFunding{}
	if !parsePredicted(payload(t, "predictedFundings"), func(c []byte, f marketcache.CEXFunding) {
		got[string(c)] = f
	}) {
		t.Fatal("predicted fundings refused")
	}
	// 0.00004 per 8 hours and 0.00002 per 4 hours are both 0.000005 per hour.
	if f := got["BTC"]; len(got) != 2 || f.Venues != 2 || math.Abs(f.RateHourly-0.000005) > 1e-18 ||
		got["ALONE"].Venues != 0 {
		t.Fatalf("%+v", got)
	}
}

func TestPayloadAccounts(t *testing.T) {
	m, _, _ := parseMetaAndContexts(payload(t, "metaAndAssetCtxs"), nil)
	cache := marketcache.New(marketcache.Limits{Bars: 8, Rows: 8, Samples: 8, Wallets: 8})
	(&universe{cache: cache}).apply(m)
	u := cache.Universe()

	var a marketcache.Account
	if accountOf(payload(t, "clearinghouseState"), u, &a) != "" || len(a.Positions) != 3 ||
		a.VenueMs != 1790000000456 ||
		a.CrossAccountValueUSD != 14000 {
		t.Fatalf("%+v", a)
	}
	for i, want := range []marketcache.Position{
		{Name: "BTC", Units: 0.2, EntryPrice: 79000, ValueUSD: 16200, Leverage: 20, MaxLeverage: 40,
			MarginUsedUSD: 810},
		{Name: "TEN", Units: -100, EntryPrice: 13, ValueUSD: 1250, Leverage: 5, MaxLeverage: 10, MarginUsedUSD: 250,
			LiquidationPrice: 141.25},
		{Name: "ALONE", Units: 207711.44, EntryPrice: 0.021, ValueUSD: 4175, Leverage: 3, MaxLeverage: 3,
			MarginUsedUSD: 1100, LiquidationPrice: 0.0177652, Isolated: true, RawUSD: -3075},
	} {
		got := a.Positions[i]
		if got.Asset != u.LookupString(want.Name) || got.Name != want.Name || got.Units != want.Units ||
			got.EntryPrice != want.EntryPrice || got.ValueUSD != want.ValueUSD ||
			got.Leverage != want.Leverage || got.MaxLeverage != want.MaxLeverage ||
			got.MarginUsedUSD != want.MarginUsedUSD ||
			got.LiquidationPrice != want.LiquidationPrice || got.Isolated != want.Isolated ||
			got.RawUSD != want.RawUSD {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	a = marketcache.Account{}
	if accountOf(payload(t, "clearinghouseState empty"), u, &a) != "" || a.CrossAccountValueUSD != 0 ||
		len(a.Positions) != 0 {
		t.Errorf("empty account: %+v", a)
	}
	if usd, ok := spotUSDC(payload(t, "spotClearinghouseState")); !ok || usd != 250.75 {
		t.Errorf("spot %v %v", usd, ok)
	}
	if rate, _, ok := parseFees(payload(t, "userFees")); !ok || rate != 0.00035 {
		t.Errorf("fees %v %v", rate, ok)
	}
	if l, ok := parseSetting(payload(t, "activeAssetData"), "HYPE"); !ok || l.Leverage != 7 {
		t.Errorf("setting %+v %v", l, ok)
	}
}

func TestPayloadFrames(t *testing.T) {
	var frames []json.RawMessage
	if err := json.Unmarshal(payload(t, "frames"), &frames); err != nil || len(frames) == 0 {
		t.Fatal(len(frames), err)
	}
	for _, b := range frames {
		if channel, _, ok := parseFrame(b, nil); !ok {
			t.Errorf("refused %s", printable(channel))
		}
	}
}
