package server

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"ballast/marketcache"
)

// growthTraded is the number of assets traded in turn, in a universe of any size: the data touched
// stays the same while the universe grows.
const growthTraded = 8

// growthName returns a name of the same length for every asset.
func growthName(id marketcache.AssetID) string { return fmt.Sprintf("A%04d", id) }

// growthAsset returns the id of the i-th traded asset. Traded assets are spread evenly over a
// universe of n, and include its last asset.
func growthAsset(i, n int) marketcache.AssetID { return marketcache.AssetID((i+1)*n/growthTraded - 1) }

// growthCache returns a cache with n assets that all have a price; the traded ones can be assessed.
// The data is fresh for an hour.
func growthCache(t testing.TB, n int) *marketcache.Cache {
	cache := marketcache.New(marketcache.Limits{Assets: n, Wallets: 64})
	fresh := marketcache.Now().Add(time.Hour)
	hour := time.Now().UnixMilli() / 3_600_000 * 3_600_000
	const price = 67123.5
	assets := make([]*marketcache.Asset, n)
	for i := range assets {
		id := marketcache.AssetID(i)
		assets[i] = &marketcache.Asset{
			ID: id, Name: growthName(id), SizeDigits: 5, MaxLeverage: 40, FeeMultiplier: 1,
			Tiers: marketcache.NewTiers([]float64{0, 1.5e8}, []float64{40, 20}),
		}
		cache.Contexts(id).Publish(marketcache.Context{
			MarkPrice: price, OraclePrice: price, MidPrice: price, FundingRateHourly: 0.0000125, HasFunding: true,
			OpenInterestUnits: 1e9 / price, DayVolumeUSD: 2e9, PrevDayPrice: price,
		}, fresh)
	}
	if !cache.SetUniverse(marketcache.NewUniverse(assets)) {
		t.Fatal("the universe does not fit")
	}
	model := &marketcache.Model{Name: "fhs-px", Assets: make([]*marketcache.AssetModel, n), Calibrated: growthTraded,
		Digest: [32]byte{1}, Unknown: testModel(-1, "")}
	for i := range growthTraded {
		id := growthAsset(i, n)
		cache.Books(id).Publish(testBook(price), fresh)
		cache.CEX(id).Publish(marketcache.CEXFunding{RateHourly: 0.00001, Venues: 2}, fresh)
		cache.Caps(id).Publish(marketcache.Cap{}, fresh)
		cache.SetFunding(id, &marketcache.FundingStats{Rows: 720, MeanHourly168: 0.00001, MedianHourly720: 0.000011,
			MADHourly720: 0.000003})
		cache.SetInterest(id, &marketcache.OpenInterestStats{MaxUSD180d: 2e9})
		cache.SetSampleStats(id, &marketcache.SampleStats{N: 1440, SpreadBpsMedian: 2, SpreadBps95: 3, SpreadBps99: 5,
			Depth50BpsUSDMedian: 1e6})
		cache.AppendBars(id, []marketcache.Bar{{OpenMs: hour - 3_600_000, Open: price, High: price, Low: price,
			Close: price, Volume: 1}}, hour)
		model.Assets[id] = testModel(id, growthName(id))
	}
	cache.SetModel(model)
	cache.MessageReceived(fresh)
	cache.Venue.Connected.Store(true)
	return cache
}

// BenchmarkValidateAssets is BenchmarkValidateEmptyWallet with more assets listed. A request finds
// its asset by one map look-up and everything else by its id, so the time must not grow with the
// universe.
func BenchmarkValidateAssets(b *testing.B) {
	for _, n := range []int{200, 500, 2000} {
		b.Run(fmt.Sprintf("assets=%d", n), func(b *testing.B) {
			cache := growthCache(b, n)
			f := newFixture(b, func(cfg *Config) { cfg.Cache = cache })
			f.cache = cache
			var traded [growthTraded]marketcache.AssetID
			for i := range traded {
				traded[i] = growthAsset(i, n)
			}
			f.holdNothing(traded[:]...)

			var p *inProcess
			var texts [growthTraded][]byte
			for i := range texts {
				name := growthName(traded[i])
				texts[i] = []byte(f.request("POST", "/v1/validate", trade(name)))
				p = newInProcess(f.s, string(texts[i]))
				p.read(b)
				f.s.serve(&p.ctx, time.Now())
				body := p.ctx.Response.Body()
				if p.ctx.Response.StatusCode() != 200 || !bytes.Contains(body, []byte(`"`+name+`"`)) {
					b.Fatalf("%s: %.300s", name, body)
				}
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p.text = texts[i%growthTraded]
				p.read(b)
				f.s.serve(&p.ctx, time.Now())
				p.write(b)
			}
			if p.ctx.Response.StatusCode() != 200 || f.loadCount() != 0 {
				b.Fatalf("%d accounts read, %.300s", f.loadCount(), p.ctx.Response.Body())
			}
		})
	}
}
