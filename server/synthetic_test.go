package server

import (
	"math"
	"time"

	"ballast/compute/calib"
	"ballast/compute/vol"
	"ballast/marketcache"
)

const (
	btc = marketcache.AssetID(iota)
	eth
	iso   // isolated margin only
	old   // delisted
	fresh // listed, but its history is not loaded
	assetCount
)

const wallet = "0x00000000000000000000000000000000000000aa"

func walletOf(s string) marketcache.Wallet {
	w, ok := marketcache.ParseWallet([]byte(s))
	if !ok {
		panic("bad wallet " + s)
	}
	return w
}

func testBook(mid float64) *marketcache.Book {
	levels := func(dir float64) []marketcache.Level {
		var l []marketcache.Level
		for i := range 20 {
			l = append(l, marketcache.Level{Price: mid * (1 + dir*0.0001*float64(i+1)),
				Units: (0.5 + 0.3*float64(i)) * 60000 / mid})
		}
		return l
	}
	return marketcache.MergeBooks([][]marketcache.Level{levels(-1)}, [][]marketcache.Level{levels(+1)},
		time.Now().UnixMilli())
}

// testModel returns a fit with plausible numbers: about 45 % volatility per year.
func testModel(id marketcache.AssetID, name string) *marketcache.AssetModel {
	hour := time.Now().UnixMilli() / 3_600_000
	m := &marketcache.AssetModel{
		Asset: id, Name: name, Bars: 20000, FirstHour: hour - 20000, LastHour: hour - 1,
		LongRunVariance: 0.45 * 0.45 / 8760, RegimeProb: [3]float64{0.9, 0.09, 0.01}, RegimeConfidence: 0.9,
		VolRegime: marketcache.VolatilityNormal, VolumeUSD7d: 7e9, VolumeUSD30d: 1e9, Digest: [32]byte{byte(id + 1)},
	}
	for h, hours := range marketcache.Horizons {
		m.Variance[h], m.Kappa2[h], m.Outcomes[h] = m.LongRunVariance*float64(hours), 1.05, 10000
		sd := 100 * math.Sqrt(m.Variance[h])
		for side := range marketcache.SideCount {
			m.Tail[h][side] = [marketcache.LevelCount]marketcache.TailQuantile{
				{ZQ: -1.6, ZES: -2.3, PctVaR: 1.6 * sd, PctES: 2.3 * sd},
				{ZQ: -2.7, ZES: -3.6, PctVaR: 2.7 * sd, PctES: 3.6 * sd},
			}
		}
	}
	series := func(n int) marketcache.HourlySeries {
		s := marketcache.HourlySeries{FirstHour: hour - int64(n), Values: make([]float64, n)}
		for i := range s.Values {
			s.Values[i] = math.Sin(float64(i)*0.7+float64(id)) * 1.4
		}
		return s
	}
	m.Z24, m.U1 = series(17521), series(2160)
	for h := range m.Excursions {
		for side := range m.Excursions[h] {
			m.Excursions[h][side] = vol.PooledExcursions[h][side]
		}
	}
	calib.Derive(m)
	return m
}

// newCache returns a cache in which every asset except fresh can be assessed.
func newCache() *marketcache.Cache {
	cache := marketcache.New(marketcache.Limits{Assets: 8, Wallets: 64})
	tiers := marketcache.NewTiers([]float64{0, 1.5e8}, []float64{40, 20})
	small := marketcache.NewTiers([]float64{0}, []float64{10})
	assets := []*marketcache.Asset{
		btc:   {Name: "BTC", SizeDigits: 5, MaxLeverage: 40, Tiers: tiers},
		eth:   {Name: "ETH", SizeDigits: 4, MaxLeverage: 40, Tiers: tiers},
		iso:   {Name: "ISO", MaxLeverage: 10, Tiers: small, OnlyIsolated: true},
		old:   {Name: "OLD", MaxLeverage: 10, Tiers: small, Delisted: true},
		fresh: {Name: "FRESH", MaxLeverage: 10, Tiers: small},
	}
	for i, a := range assets {
		a.ID, a.Number, a.FeeMultiplier = marketcache.AssetID(i), int64(i), 1
	}
	cache.SetUniverse(marketcache.NewUniverse(assets))
	fits := make([]*marketcache.AssetModel, assetCount)
	now := marketcache.Now()
	for i, a := range assets {
		id := marketcache.AssetID(i)
		market := marketOf([]float64{67123.5, 3456.78, 1.2345, 1, 2}[i])
		if id == fresh {
			market.OpenInterestUnits /= 1000
			publish(cache, id, market, now)
			continue
		}
		publish(cache, id, market, now)
		publishHistory(cache, id, market.MarkPrice, now)
		if id != old {
			fits[id] = testModel(id, a.Name)
		}
	}
	cache.SetModel(calib.Publish(fits, btc))
	cache.Venue.LastMessage.Store(int64(now))
	cache.Venue.Connected.Store(true)
	return cache
}

// marketOf returns a market with 1e9 USD of open interest.
func marketOf(price float64) marketcache.Context {
	return marketcache.Context{
		MarkPrice: price, OraclePrice: price * 0.9999, MidPrice: price, FundingRateHourly: 0.0000125, HasFunding: true,
		OpenInterestUnits: 1e9 / price, DayVolumeUSD: 2e9, PrevDayPrice: price * 0.98,
	}
}

// publish stores what the sockets of the venue tell about an asset.
func publish(cache *marketcache.Cache, id marketcache.AssetID, market marketcache.Context, at marketcache.Instant) {
	cache.Contexts(id).Publish(market, at)
	cache.Books(id).Publish(testBook(market.MarkPrice), at)
	cache.Caps(id).Publish(marketcache.Cap{}, at)
}

// publishHistory stores what else an assessment needs of an asset, except its fit.
func publishHistory(cache *marketcache.Cache, id marketcache.AssetID, price float64, at marketcache.Instant) {
	cache.CEX(id).Publish(marketcache.CEXFunding{RateHourly: 0.00001, Venues: 2}, at)
	cache.SetFunding(id, &marketcache.FundingStats{Rows: 720, MeanHourly168: 0.00001, MedianHourly720: 0.000011,
		MADHourly720: 0.000003})
	cache.SetInterest(id, &marketcache.OpenInterestStats{MaxUSD180d: 2e9})
	cache.SetSampleStats(id, &marketcache.SampleStats{N: 1440, SpreadBpsMedian: 2, SpreadBps95: 3, SpreadBps99: 5,
		Depth50BpsUSDMedian: 1e6})
	hour := time.Now().UnixMilli() / 3_600_000 * 3_600_000
	cache.AppendBars(id, []marketcache.Bar{{OpenMs: hour - 3_600_000, Open: price, High: price, Low: price,
		Close: price, Volume: 1}}, hour)
}

// testAccount returns a wallet with 100,000 USD, long 1 BTC and short 10 ETH, read just now.
func testAccount(w marketcache.Wallet) *marketcache.Account {
	return &marketcache.Account{
		Wallet: w, Mode: marketcache.ModeDisabled, CrossAccountValueUSD: 100000, TakerRate: 0.00045,
		Received: marketcache.Now(),
		Positions: []marketcache.Position{
			{Asset: btc, Name: "BTC", Units: 1, EntryPrice: 60000, ValueUSD: 67123.5, MarginUsedUSD: 6712.35,
				Leverage: 10, MaxLeverage: 40},
			{Asset: eth, Name: "ETH", Units: -10, EntryPrice: 3400, ValueUSD: 34567.8, MarginUsedUSD: 3456.78,
				Leverage: 10, MaxLeverage: 40},
		},
	}
}
