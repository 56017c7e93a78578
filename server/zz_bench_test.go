package server

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ballast/compute/calib"
	"ballast/compute/risk"
	"ballast/marketcache"
)

func zzFits(n int) []*marketcache.AssetModel {
	fits := make([]*marketcache.AssetModel, n)
	for i := range fits {
		m := testModel(marketcache.AssetID(i), zzName(i))
		r := rand.New(rand.NewPCG(uint64(i), 7))
		common := rand.New(rand.NewPCG(1, 7))
		z, u := make([]float64, 17521), make([]float64, 2160)
		low, high := make([]float64, 8761), make([]float64, 8761)
		for k := range z {
			z[k] = 0.6*common.NormFloat64() + 0.8*r.NormFloat64()
		}
		for k := range u {
			u[k] = 0.6*common.NormFloat64() + 0.8*r.NormFloat64()
		}
		for k := range low {
			v := z[len(z)-8761+k]
			low[k], high[k] = max(0, -v)+math.Abs(r.NormFloat64())*.3, max(0, v)+math.Abs(r.NormFloat64())*.3
		}
		m.Z24.Values, m.U1.Values = z, u
		first := m.Z24.FirstHour + 17521 - 8761
		m.Low24, m.High24 = marketcache.HourlySeries{FirstHour: first, Values: low}, marketcache.HourlySeries{FirstHour: first, Values: high}
		calib.Derive(m)
		m.Z24Sorted = slices.Sorted(slices.Values(z))
		m.Daily = &marketcache.HourlySeries{FirstHour: first, Values: u}
		fits[i] = m
	}
	return fits
}

func zzName(i int) string {
	return []string{"BTC", "ETH"}[min(i, 1)][:3-min(i, 1)*0] + map[bool]string{true: fmt.Sprint(i), false: ""}[i > 1]
}

func BenchmarkZZ(b *testing.B) {
	for _, n := range []int{0, 2, 40, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := newFixture(b, nil)
			f.warm()
			cache := marketcache.New(marketcache.Limits{Assets: 256, Wallets: 64, Bars: 16, Rows: 16, Samples: 16})
			tiers := marketcache.NewTiers([]float64{0, 1.5e8}, []float64{40, 20})
			var assets []*marketcache.Asset
			for i := range n + 1 {
				assets = append(assets, &marketcache.Asset{ID: marketcache.AssetID(i), Name: zzName(i), SizeDigits: 5, MaxLeverage: 40, Tiers: tiers, FeeMultiplier: 1})
			}
			cache.SetUniverse(marketcache.NewUniverse(assets))
			now := marketcache.Now().Add(time.Hour)
			hour := time.Now().UnixMilli() / 3_600_000 * 3_600_000
			acct := &marketcache.Account{Wallet: walletOf(wallet), Mode: marketcache.ModeDisabled, CrossAccountValueUSD: 20000 + 700*float64(n), TakerRate: 4.5e-4, Received: now}
			for i := range n + 1 {
				id, price := marketcache.AssetID(i), 67123.5/float64(i+1)
				cache.Contexts(id).Publish(marketcache.Context{MarkPrice: price, OraclePrice: price, MidPrice: price, FundingRateHourly: 0.0000125, HasFunding: true, OpenInterestUnits: 1e9 / price, DayVolumeUSD: 2e9, PrevDayPrice: price}, now)
				cache.Books(id).Publish(testBook(price), now)
				cache.CEX(id).Publish(marketcache.CEXFunding{RateHourly: 0.00001, Venues: 2}, now)
				cache.SetFunding(id, &marketcache.FundingStats{Rows: 720, MeanHourly168: 0.00001, MedianHourly720: 0.000011, MADHourly720: 0.000003})
				cache.SetInterest(id, &marketcache.OpenInterestStats{MaxUSD180d: 2e9})
				cache.SetSampleStats(id, &marketcache.SampleStats{N: 1440, SpreadBpsMedian: 2, SpreadBps95: 3, SpreadBps99: 5, Depth50BpsUSDMedian: 1e6})
				cache.AppendBars(id, []marketcache.Bar{{OpenMs: hour - 3_600_000, Open: price, High: price, Low: price, Close: price, Volume: 1}}, hour)
				if i > 0 {
					u := 1000 / price
					if i%3 == 0 {
						u = -u
					}
					acct.Positions = append(acct.Positions, marketcache.Position{Asset: id, Name: zzName(i), Units: u, EntryPrice: price, ValueUSD: 1000, Leverage: 10, MaxLeverage: 40})
				}
			}
			cache.Caps().Publish(&marketcache.Caps{AtCap: make([]bool, n+1)}, now)
			cache.SetModel(calib.Publish("fhs-px", risk.ConstantsDigest(), zzFits(n+1), 0))
			pair := marketcache.TailPair{Known: true, RhoTau: 0.6123, Pearson: 0.5912, Nu: 4.321, LogLik: 100, Lambda: 0.2345}
			ids, pairs := []marketcache.AssetID{}, []marketcache.TailPair{}
			for i := range n + 1 {
				ids = append(ids, marketcache.AssetID(i))
				for range i {
					pairs = append(pairs, pair)
				}
			}
			cache.SetPairs(marketcache.NewPairTable(ids, pairs))
			cache.StoreAccount(acct)
			cache.MessageReceived(now)
			cache.Venue.Connected.Store(true)
			f.s.cfg.Cache = cache
			p := newInProcess(f.s, f.request("POST", "/v1/validate", trade("BTC")))
			b.ReportAllocs()
			for b.Loop() {
				p.read(b)
				f.s.serve(&p.ctx, time.Now())
				p.write(b)
				if p.ctx.Response.StatusCode() != 200 {
					b.Fatal(string(p.ctx.Response.Body()))
				}
			}
			b.SetBytes(int64(len(p.ctx.Response.Body())))
		})
	}
}
