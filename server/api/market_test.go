package api

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

const wallMs = 1_800_000_000_000

func levels(prices ...float64) (l []marketcache.Level) {
	for _, p := range prices {
		l = append(l, marketcache.Level{Price: p, Units: 10})
	}
	return l
}

// marketOfTwo returns a cache in which BTC is known and NEW is not, and the book of BTC.
func marketOfTwo() (c *marketcache.Cache, now marketcache.Instant, book *marketcache.Book) {
	c = marketcache.New(marketcache.Limits{Assets: 4, Contexts: 4})
	tiers := marketcache.NewTiers([]float64{0}, []float64{40})
	c.SetUniverse(marketcache.NewUniverse([]*marketcache.Asset{{ID: 0, Name: "BTC", MaxLeverage: 40, Tiers: tiers},
		{ID: 1, Name: "NEW", MaxLeverage: 3, Tiers: tiers}}))
	now = marketcache.Now()
	for i := range 6 { // the ring holds four
		c.Contexts(0).Publish(marketcache.Context{
			MarkPrice: 100, OraclePrice: 101, MidPrice: 100 + float64(i), OpenInterestUnits: 2, DayVolumeUSD: 3e9,
			FundingRateHourly: -1.25e-05, HasFunding: true, SlowProof: now.Add(-9 * time.Second),
		}, now.Add(time.Duration(i-6)*time.Second))
	}
	c.Contexts(0).Publish(marketcache.Context{MarkPrice: 100, OraclePrice: 101, OpenInterestUnits: 2,
		DayVolumeUSD: 3e9, FundingRateHourly: -1.25e-05, HasFunding: true}, now.Add(-500*time.Millisecond))
	book = marketcache.MergeBooks([][]marketcache.Level{levels(99.95, 99.6, 99.2)},
		[][]marketcache.Level{levels(100.05, 100.7)}, 1)
	c.Books(0).Publish(book, now.Add(-200*time.Millisecond))
	fit := &marketcache.AssetModel{Name: "BTC", Bars: 1000, LastHour: wallMs/3_600_000 - 2,
		RegimeState: marketcache.RegimeStressed, RegimeConfidence: 0.75, Sigma: [marketcache.HorizonCount]float64{0.1,
			0.2, 0.3, 0.4}, LongRunSigma: 0.5}
	setDay(fit)
	c.SetModel(&marketcache.Model{Name: "x", Assets: []*marketcache.AssetModel{fit}})
	return c, now, book
}

// setDay sets the losses of a day.
func setDay(fit *marketcache.AssetModel) {
	fit.HasExtreme, fit.MedianPct = true, 0.123456
	fit.ExtremePct = [marketcache.SideCount]marketcache.TailPct{{VaR: 12.5}, {VaR: 14}}
	hours, week := &fit.Tail[marketcache.H4], &fit.Tail[marketcache.H168]
	hours[marketcache.Long][marketcache.P99].PctVaR, hours[marketcache.Short][marketcache.P99].PctVaR = 3.5, 3
	week[marketcache.Long][marketcache.P99].PctVaR, week[marketcache.Short][marketcache.P99].PctVaR = 20, 7
	day := &fit.Tail[marketcache.H24]
	for side, pct := range [marketcache.SideCount][marketcache.LevelCount]float64{{4, 7}, {4.5, 8}} {
		day[side][marketcache.P95].PctVaR, day[side][marketcache.P99].PctVaR = pct[0], pct[1]
	}
}

func TestAppendMarket(t *testing.T) {
	c, now, book := marketOfTwo()
	c.SetLoading(0, &marketcache.Loading{Candles: true})
	universe := c.Universe()
	parse := func(text []byte) (tree map[string]any) {
		if err := json.Unmarshal(text, &tree); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return tree
	}
	text := AppendMarket(nil, c, universe.Assets[0], now, wallMs, 30*time.Second)
	mid := func(at, price float64) any { return map[string]any{"at_ms": wallMs + at, "mid_price": price} }
	want := map[string]any{
		"asset": "BTC", "mark_price": 100.0, "oracle_price": 101.0, "mid_price": 100.0, "spread_bps": book.SpreadBps,
		"depth": map[string]any{
			"bids": map[string]any{"usd_10bps": 999.5, "usd_50bps": 999.5 + 996, "usd_100bps": 999.5 + 996 + 992},
			"asks": map[string]any{"usd_10bps": 1000.5, "usd_50bps": 1000.5, "usd_100bps": 1000.5 + 1007},
		},
		"imbalance":    (1995.5 - 1000.5) / (1995.5 + 1000.5),
		"funding_rate": -1.25e-05, "open_interest_usd": 200.0, "volume_24h_usd": 3e9,
		"regime": map[string]any{"state": "stressed", "confidence": 0.75}, "liquidity_regime": "stressed",
		"day": map[string]any{"down_999_pct": -12.5, "down_99_pct": -7.0, "down_95_pct": -4.0, "median_pct": 0.123456,
			"up_95_pct": 4.5, "up_99_pct": 8.0, "up_999_pct": 14.0},
		"four_hours": map[string]any{"down_99_pct": -3.5, "up_99_pct": 3.0},
		"week":       map[string]any{"down_99_pct": -20.0, "up_99_pct": 8.0}, // a week is never calmer than its day
		"volatility_forecast": map[string]any{"sigma_1h": 0.1, "sigma_4h": 0.2, "sigma_1d": 0.3, "sigma_7d": 0.4,
			"long_run_sigma": 0.5},
		"history_loading": true,
		"ages": map[string]any{"mark_ms": 500.0, "slow_ms": 500.0, "book_ms": 200.0, "depth_ms": 200.0,
			"fit_ms": float64(wallMs - (wallMs/3_600_000-1)*3_600_000)},
		// a snapshot without a mid is left out
		"mids": []any{mid(-1000, 105), mid(-2000, 104), mid(-3000, 103)},
	}
	got := parse(text)
	for key := range want {
		if !reflect.DeepEqual(got[key], want[key]) && fmt.Sprint(got[key]) != fmt.Sprint(want[key]) {
			t.Errorf("%s: %v, want %v", key, got[key], want[key])
		}
	}
	if len(got) != len(want) {
		t.Errorf("members %v", got)
	}
	if n := testing.AllocsPerRun(50, func() {
		AppendMarket(text[:0], c, universe.Assets[0], now, wallMs, time.Hour)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	// Nothing is known, or everything is too old.
	empty := `{"asset":"%s","mark_price":null,"oracle_price":null,"mid_price":null,"spread_bps":null,"depth":null,` +
		`"imbalance":null,"funding_rate":null,"open_interest_usd":null,"volume_24h_usd":null,"regime":null,` +
		`"liquidity_regime":null,"volatility_forecast":null,"day":null,"four_hours":null,"week":null,` +
		`"history_loading":false,"ages":{"mark_ms":null,"slow_ms":null,"book_ms":null,"depth_ms":null,"fit_ms":null},` +
		`"mids":[]}`
	if s := string(AppendMarket(nil, c, universe.Assets[1], now, wallMs, time.Hour)); s != fmt.Sprintf(empty, "NEW") {
		t.Error(s)
	}
	old := parse(AppendMarket(nil, c, universe.Assets[0], now.Add(time.Minute), wallMs+60_000, 30*time.Second))
	if old["mark_price"] != nil || old["depth"] != nil || old["ages"].(map[string]any)["book_ms"] != nil ||
		len(old["mids"].([]any)) != 3 {
		t.Errorf("%v", old)
	}
	// A book with one empty side: the mid is the venue's.
	c.Books(0).Publish(marketcache.MergeBooks([][]marketcache.Level{levels(99)}, nil, 1), now)
	c.Contexts(0).Publish(marketcache.Context{MarkPrice: 100, MidPrice: 99.5}, now)
	if half := parse(AppendMarket(nil, c, universe.Assets[0], now, wallMs, time.Hour)); half["mid_price"] != 99.5 ||
		half["spread_bps"] != nil || half["depth"] != nil || half["funding_rate"] != nil {
		t.Errorf("%v", half)
	}
}

// listed returns a cache of four listed assets: one of which all is known, one without funding, two that are unknown;
// and the whole book.
func listed() (c *marketcache.Cache, now marketcache.Instant, whole *marketcache.Book) {
	c = marketcache.New(marketcache.Limits{Assets: 8})
	tiers := marketcache.NewTiers([]float64{0, 150_000_000}, []float64{40, 20})
	one := marketcache.NewTiers([]float64{0}, []float64{3})
	c.SetUniverse(marketcache.NewUniverse([]*marketcache.Asset{
		{ID: 0, Name: "BTC", MaxLeverage: 40, Tiers: tiers},
		{ID: 1, Name: "GONE", MaxLeverage: 3, Tiers: one, Delisted: true},
		{ID: 2, Name: "dex:\"odd\\\n\u00e9", MaxLeverage: 3, Tiers: one, OnlyIsolated: true},
		{ID: 3, Name: "STALE", MaxLeverage: 3, Tiers: one},
		{ID: 4, Name: "NOFUNDING", MaxLeverage: 3, Tiers: one},
	}))
	now = marketcache.Now()
	c.Contexts(0).Publish(marketcache.Context{MarkPrice: 67123.5, OpenInterestUnits: 2, DayVolumeUSD: 3.5e9,
		FundingRateHourly: 1.25e-05, HasFunding: true, PrevDayPrice: 65000}, now.Add(-400*time.Millisecond))
	c.Contexts(3).Publish(marketcache.Context{MarkPrice: 5}, now.Add(-time.Minute))
	c.Contexts(4).Publish(marketcache.Context{MarkPrice: 0.000001234, OpenInterestUnits: math.Inf(1)}, now)
	level := func(px float64) [][]marketcache.Level { return [][]marketcache.Level{{{Price: px, Units: 1}}} }
	whole = marketcache.MergeBooks(level(99.99), level(100.01), 1)
	whole.Cadence, whole.DepthCadence, whole.DepthProof = 540*time.Millisecond, 5400*time.Millisecond,
		now.Add(-3*time.Second)
	c.Books(0).Publish(whole, now.Add(-200*time.Millisecond))
	c.Books(4).Publish(marketcache.MergeBooks(level(99), nil, 1), now)
	c.Caps(0).Publish(marketcache.Cap{Reached: true}, now)
	fit := &marketcache.AssetModel{Name: "BTC", Bars: 1000, RegimeState: marketcache.RegimeStressed,
		Sigma: [marketcache.HorizonCount]float64{0.1, 0.2, 0.3, 0.4}}
	setDay(fit)
	fit.HasExtreme = false
	c.SetModel(&marketcache.Model{Name: "x", Assets: []*marketcache.AssetModel{fit}})
	return c, now, whole
}

func TestAppendAssets(t *testing.T) {
	c, now, whole := listed()
	c.SetLoading(0, &marketcache.Loading{OddCandle: true})
	text := AppendAssets(nil, c, now, 30*time.Second)
	if !strings.Contains(string(text), `"funding_rate":0.0000125,`) {
		t.Errorf("not in fixed point: %s", text)
	}
	var got struct{ Assets []map[string]any }
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	small := []any{map[string]any{"lower_bound": 0.0, "max_leverage": 3.0}}
	none := func(name string, isolated bool) map[string]any {
		return map[string]any{
			"name": name, "number": 0.0, "mark_price": nil, "max_leverage": 3.0, "funding_rate_8h": nil,
			"funding_rate": nil,
			"oi":           nil,
			"volume_24h":   nil, "change_24h_pct": nil, "only_isolated": isolated, "margin_tiers": small, "book": nil,
			"mark_age_ms": nil, "at_cap": nil, "spread_bps": nil, "depth_10bps_usd": nil, "liquidity_regime": nil,
			"sigma_1d": nil, "history_loading": false,
			"day": nil,
		}
	}
	noFunding := none("NOFUNDING", false)
	noFunding["mark_price"], noFunding["volume_24h"], noFunding["mark_age_ms"] = 0.000001234, 0.0, 0.0
	noFunding["book"] = map[string]any{"levels": 0.0, "depth_pct": nil, "cadence_ms": nil, "age_ms": 0.0,
		"depth_cadence_ms": nil, "depth_age_ms": 0.0}
	want := []map[string]any{
		{
			"name": "BTC", "number": 0.0, "mark_price": 67123.5, "max_leverage": 40.0, "funding_rate_8h": 1.25e-05,
			"funding_rate": 1.25e-05, "oi": 134247.0, "volume_24h": 3.5e9, "change_24h_pct": 3.2669,
			"mark_age_ms": 400.0, "at_cap": true, "spread_bps": whole.SpreadBps, "depth_10bps_usd": 99.99,
			"liquidity_regime": "stressed", "sigma_1d": 0.3, "history_loading": true,
			"book": map[string]any{"levels": 1.0, "depth_pct": 0.0099, "cadence_ms": 540.0, "age_ms": 200.0,
				"depth_cadence_ms": 5400.0, "depth_age_ms": 3000.0},
			"day": map[string]any{"down_999_pct": nil, "down_99_pct": -7.0, "down_95_pct": -4.0, "median_pct": 0.1235,
				"up_95_pct": 4.5, "up_99_pct": 8.0, "up_999_pct": nil},
			"only_isolated": false, "margin_tiers": []any{
				map[string]any{"lower_bound": 0.0, "max_leverage": 40.0}, map[string]any{"lower_bound": 150_000_000.0,
					"max_leverage": 20.0},
			},
		},
		none("dex:\"odd\\\n\u00e9", true), none("STALE", false), noFunding,
	}
	if !reflect.DeepEqual(got.Assets, want) {
		t.Errorf("got  %v\nwant %v", got.Assets, want)
	}
	if n := testing.AllocsPerRun(50, func() { AppendAssets(text[:0], c, now, time.Hour) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	empty := marketcache.New(marketcache.Limits{Assets: 1})
	if s := string(AppendAssets(nil, empty, now, time.Hour)); s != `{"assets":[]}` {
		t.Errorf("empty universe: %s", s)
	}
}
