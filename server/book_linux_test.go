package server

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"ballast/compute/calib"
	"ballast/marketcache"
	"ballast/server/admission"
)

// bookAssets is the number of assets in these benchmarks.
const bookAssets = 230

// bookFits returns fits with three years of outcomes, which are correlated by a common factor.
func bookFits(n int) []*marketcache.AssetModel {
	fits := make([]*marketcache.AssetModel, n)
	for i := range fits {
		m := testModel(marketcache.AssetID(i), bookName(i))
		common, own := rand.New(rand.NewPCG(1, 7)), rand.New(rand.NewPCG(uint64(i), 8))
		draw := func(n int) []float64 {
			x := make([]float64, n)
			for k := range x {
				x[k] = 0.6*common.NormFloat64() + 0.8*own.NormFloat64()
			}
			return x
		}
		m.Z24.Values, m.U1.Values = draw(17521), draw(2160)
		low, high := make([]float64, 8761), make([]float64, 8761)
		for k, v := range m.Z24.Values[17521-8761:] {
			low[k], high[k] = max(0, -v)+0.3*math.Abs(own.NormFloat64()), max(0, v)+0.3*math.Abs(own.NormFloat64())
		}
		first := m.Z24.FirstHour + 17521 - 8761
		m.Low24, m.High24 = marketcache.HourlySeries{FirstHour: first, Values: low},
			marketcache.HourlySeries{FirstHour: first, Values: high}
		calib.Derive(m)
		m.Z24Sorted = slices.Sorted(slices.Values(m.Z24.Values))
		m.Daily = &marketcache.HourlySeries{FirstHour: first, Values: m.U1.Values}
		fits[i] = m
	}
	return fits
}

func bookName(i int) string {
	if i < 2 {
		return []string{"BTC", "ETH"}[i]
	}
	return fmt.Sprintf("A%03d", i)
}

// bookCache returns a cache that holds every input of bookAssets assets, fresh for an hour.
func bookCache(tb testing.TB) (*marketcache.Cache, marketcache.Instant) {
	cache := marketcache.New(marketcache.Limits{Assets: 256, Wallets: 64, Bars: 16, Rows: 16, Samples: 16})
	tiers := marketcache.NewTiers([]float64{0, 1.5e8}, []float64{40, 20})
	var assets []*marketcache.Asset
	for i := range bookAssets {
		assets = append(assets, &marketcache.Asset{ID: marketcache.AssetID(i), Name: bookName(i), SizeDigits: 5,
			MaxLeverage: 40, Tiers: tiers, FeeMultiplier: 1})
	}
	cache.SetUniverse(marketcache.NewUniverse(assets))
	now := marketcache.Now().Add(time.Hour)
	var ids []marketcache.AssetID
	var pairs []marketcache.TailPair
	for i := range bookAssets {
		id := marketcache.AssetID(i)
		publish(cache, id, marketOf(bookPrice(i)), now)
		publishHistory(cache, id, bookPrice(i), now)
		ids = append(ids, id)
		for j := range i {
			rho := 0.3 + 0.002*float64((7*i+j)%200)
			pairs = append(pairs, marketcache.TailPair{Known: true, RhoTau: rho, Pearson: rho - 0.02137, Nu: 3 +
				10*rho*rho, LogLik: 100, Lambda: rho / 3})
		}
	}
	cache.SetModel(calib.Publish(bookFits(bookAssets), 0))
	cache.SetPairs(marketcache.NewPairTable(ids, pairs))
	cache.Venue.Connected.Store(true)
	return cache, now
}

func bookPrice(i int) float64 { return 67123.5 / float64(i+1) }

// hold gives the wallet of the requests n positions.
func hold(cache *marketcache.Cache, now marketcache.Instant, n int, seed uint64) {
	cache.StoreAccount(bookAccount(now, n, seed))
}

// bookAccount returns an account with n positions of 1,000 USD in randomly chosen assets, a third of them short.
func bookAccount(now marketcache.Instant, n int, seed uint64) *marketcache.Account {
	acct := &marketcache.Account{
		Wallet: walletOf(wallet), Mode: marketcache.ModeDisabled, CrossAccountValueUSD: 20000 + 700*float64(n),
		TakerRate: 4.5e-4, Received: now,
		Settings: []marketcache.LeverageSetting{{Asset: btc, Read: now}}, // it has none in BTC, which it never holds
	}
	for k, i := range rand.New(rand.NewPCG(seed, 9)).Perm(bookAssets - 1)[:n] {
		price := bookPrice(i + 1)
		units := 1000 / price
		if k%3 == 0 {
			units = -units
		}
		acct.Positions = append(acct.Positions, marketcache.Position{
			Asset: marketcache.AssetID(i + 1), Name: bookName(i + 1), Units: units, EntryPrice: price, ValueUSD: 1000,
			Leverage: 10, MaxLeverage: 40,
		})
	}
	return acct
}

// BenchmarkBook measures a request for a wallet with the given number of positions.
func BenchmarkBook(b *testing.B) {
	f := newFixture(b, nil)
	cache, now := bookCache(b)
	f.s.cfg.Cache = cache
	for _, n := range []int{0, 2, 40, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			hold(cache, now, n, 1)
			f.measure(b, f.request("POST", "/v1/validate", trade("BTC")), 200)
		})
	}
}

// A batch yields to short requests that arrive while it runs.
func TestBatchYieldsToShortRequests(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f := newFixture(t, nil)
	f.contract = nil // checking a thousand results takes longer than the connections stay open
	cache, _ := bookCache(t)
	f.s.cfg.Cache = cache
	batch, plain := f.dial(), f.dial()
	trades := slices.Repeat([]string{btcLong}, 50)
	const rounds = 20
	first := 0 // rounds whose batch had ended when the short request's answer was read; a few are normal
	for range rounds {
		hold(cache, marketcache.Now(), 8, 1) // so that the batch takes milliseconds on any processor
		leave := f.occupy(admission.Batch, 1)
		io.WriteString(batch, f.request("POST", "/v1/validate/batch", batchOf(trades...)))
		until(t, "the batch waits", func() bool { return f.s.admission.InQueue(admission.Batch) == 2 })
		io.WriteString(plain, f.request("POST", "/v1/validate", trade("BTC")))
		leave()
		f.readReply(bufio.NewReader(plain), "POST /v1/validate").ok()
		if f.s.admission.InQueue(admission.Batch) == 0 {
			first++
		}
		if r := f.readReply(bufio.NewReader(batch), "POST /v1/validate/batch"); len(r.results(t)) != len(trades) {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	if first > rounds/4 {
		t.Errorf("the batch was first %d times of %d", first, rounds)
	}
}
