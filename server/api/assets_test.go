package api

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

func TestAppendAssets(t *testing.T) {
	c := marketcache.New(marketcache.Limits{Assets: 8})
	tiers := marketcache.NewTiers([]float64{0, 150_000_000}, []float64{40, 20})
	one := marketcache.NewTiers([]float64{0}, []float64{3})
	c.SetUniverse(marketcache.NewUniverse([]*marketcache.Asset{
		{ID: 0, Name: "BTC", MaxLeverage: 40, Tiers: tiers},
		{ID: 1, Name: "GONE", MaxLeverage: 3, Tiers: one, Delisted: true},
		{ID: 2, Name: "dex:\"odd\\\n\u00e9", MaxLeverage: 3, Tiers: one, OnlyIsolated: true},
		{ID: 3, Name: "STALE", MaxLeverage: 3, Tiers: one},
		{ID: 4, Name: "NOFUNDING", MaxLeverage: 3, Tiers: one},
	}))
	now := marketcache.Now()
	c.Contexts(0).Publish(marketcache.Context{MarkPrice: 67123.5, OpenInterestUnits: 2, DayVolumeUSD: 3.5e9,
		FundingRateHourly: 1.25e-05, HasFunding: true, PrevDayPrice: 65000}, now)
	c.Contexts(3).Publish(marketcache.Context{MarkPrice: 5}, now.Add(-time.Minute))
	c.Contexts(4).Publish(marketcache.Context{MarkPrice: 0.000001234, OpenInterestUnits: math.Inf(1)}, now)
	level := func(px float64) [][]marketcache.Level { return [][]marketcache.Level{{{Price: px, Units: 1}}} }
	whole := marketcache.MergeBooks(level(99), level(101), 1)
	whole.Cadence, whole.DepthCadence, whole.DepthProof = 540*time.Millisecond, 5400*time.Millisecond,
		now.Add(-3*time.Second)
	c.Books(0).Publish(whole, now.Add(-200*time.Millisecond))
	c.Books(4).Publish(marketcache.MergeBooks(level(99), nil, 1), now)
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
			"name": name, "mark_price": nil, "max_leverage": 3.0, "funding_rate_8h": nil, "funding_rate": nil,
			"oi":         nil,
			"volume_24h": nil, "change_24h_pct": nil, "only_isolated": isolated, "margin_tiers": small, "book": nil,
		}
	}
	noFunding := none("NOFUNDING", false)
	noFunding["mark_price"], noFunding["volume_24h"] = 0.000001234, 0.0
	noFunding["book"] = map[string]any{"levels": 0.0, "depth_pct": nil, "cadence_ms": nil, "age_ms": 0.0,
		"depth_cadence_ms": nil, "depth_age_ms": 0.0}
	want := []map[string]any{
		{
			"name": "BTC", "mark_price": 67123.5, "max_leverage": 40.0, "funding_rate_8h": 1.25e-05,
			"funding_rate": 1.25e-05,
			"oi":           134247.0, "volume_24h": 3.5e9, "change_24h_pct": 3.2669,
			"book": map[string]any{"levels": 1.0, "depth_pct": 1.0, "cadence_ms": 540.0, "age_ms": 200.0,
				"depth_cadence_ms": 5400.0, "depth_age_ms": 3000.0},
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
	if s := string(AppendAssets(nil, marketcache.New(marketcache.Limits{Assets: 1}), now, time.Hour)); s != `{"assets":[]}` {
		t.Errorf("empty universe: %s", s)
	}
}
