package marketcache

import (
	"testing"
	"time"

	"ballast/internal/race"
)

func testAsset(id AssetID, name string) *Asset {
	return &Asset{ID: id, Name: name, MaxLeverage: 40, Tiers: NewTiers([]float64{0}, []float64{40})}
}

// filled returns a cache of two assets with complete data for the first.
func filled(t testing.TB) (*Cache, Instant) {
	t.Helper()
	c := New(Limits{Assets: 4, Bars: 8, Rows: 8, Samples: 8, Wallets: 8})
	if !c.SetUniverse(NewUniverse([]*Asset{testAsset(0, "BTC"), testAsset(1, "ETH")})) {
		t.Fatal("universe does not fit")
	}
	now := 100 * second
	c.Books(0).Publish(MergeBooks([][]Level{{{99, 1}}}, [][]Level{{{101, 1}}}, 0), now-2*second)
	c.Contexts(0).Publish(Context{MarkPrice: 100}, now-3*second)
	c.CEX(0).Publish(CEXFunding{RateHourly: 1e-5, Venues: 2}, now-60*second)
	c.SetFunding(0, &FundingStats{Rows: 9})
	c.SetInterest(0, &OpenInterestStats{MaxUSD180d: 5})
	c.SetSampleStats(0, &SampleStats{N: 3})
	c.Caps(0).Publish(Cap{Reached: true, Cadence: time.Minute}, now-second)
	c.StoreAccount(&Account{Wallet: Wallet{1}, Received: now})
	return c, now
}

func TestMarket(t *testing.T) {
	c, now := filled(t)
	limits := AgeLimits{Market: 30 * time.Second, CEX: 10 * time.Minute}
	var m Market
	if !c.Market(0, now, limits, &m) {
		t.Fatal("no market")
	}
	if m.Asset.Name != "BTC" || m.Book.MidPrice != 100 || m.Context.MarkPrice != 100 || m.CEX.Venues != 2 ||
		m.Funding.Rows != 9 || m.Interest.MaxUSD180d != 5 || m.Samples.N != 3 || !m.AtCap ||
		m.CapsCadence != time.Minute {
		t.Errorf("snapshot %+v", m)
	}
	if m.BookAge != 2*time.Second || m.ContextAge != 3*time.Second || m.CEXAge != time.Minute ||
		m.CapsAge != time.Second {
		t.Errorf("ages %v %v %v %v", m.BookAge, m.ContextAge, m.CEXAge, m.CapsAge)
	}
	if m.Age() != 3*time.Second {
		t.Errorf("age %v, want that of the older of the two prices", m.Age())
	}
	t.Run("past the limit the value is missing, its age is not", func(t *testing.T) {
		c.Market(0, now+28*second, limits, &m)
		if m.Context != nil || m.ContextAge != 31*time.Second || m.Book == nil || m.BookAge != 30*time.Second {
			t.Errorf("context %v %v, book %v %v", m.Context, m.ContextAge, m.Book, m.BookAge)
		}
	})
	t.Run("never seen", func(t *testing.T) {
		if !c.Market(1, now, limits, &m) {
			t.Fatal("no market")
		}
		if m.Book != nil || m.Context != nil || m.Funding != nil || m.BookAge >= 0 || m.Age() >= 0 || m.AtCap {
			t.Errorf("a snapshot %+v of an empty cache", m)
		}
	})
	t.Run("nothing of the last snapshot stays", func(t *testing.T) {
		c.Market(0, now, limits, &m)
		c.Market(1, now, limits, &m)
		if m.Samples != nil || m.Interest != nil || m.CEX != nil {
			t.Errorf("snapshot %+v", m)
		}
	})
	for _, id := range []AssetID{NoAsset, 2, 1 << 30} {
		if c.Market(id, now, limits, &m) {
			t.Errorf("asset %d is in the universe", id)
		}
	}
}

func TestUniverse(t *testing.T) {
	c, _ := filled(t)
	u := c.Universe()
	if u.Lookup([]byte("ETH")) != 1 || u.LookupString("ETH") != 1 || u.Lookup([]byte("eth")) != NoAsset ||
		u.LookupString("") != NoAsset {
		t.Error("lookup")
	}
	if u.Bitcoin != 0 || NewUniverse(nil).Bitcoin != NoAsset ||
		NewUniverse([]*Asset{testAsset(0, "ETH"), testAsset(1, "BTC")}).Bitcoin != 1 {
		t.Error("bitcoin")
	}
	big := make([]*Asset, 5)
	for i := range big {
		big[i] = testAsset(AssetID(i), string(rune('A'+i)))
	}
	if c.SetUniverse(NewUniverse(big)) || c.Universe() != u {
		t.Error("no error for a universe larger than the cache")
	}
}

func TestBugsPanic(t *testing.T) {
	for name, bug := range map[string]func(){
		"a universe out of order": func() { NewUniverse([]*Asset{testAsset(1, "BTC")}) },
		"pairs of nothing":        func() { NewPairTable([]AssetID{1, 2}, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error(name + " was accepted")
				}
			}()
			bug()
		}()
	}
}

func TestNewTiersIsContinuous(t *testing.T) {
	tiers := NewTiers([]float64{0, 1000, 50_000}, []float64{40, 20, 5})
	// Rates 1/80, 1/40 and 1/10; deductions by hand: 0, 1000*(1/40-1/80) = 12.5,
	// 12.5+50000*(1/10-1/40) = 3762.5 USD.
	want := []struct{ rate, ded float64 }{{0.0125, 0}, {0.025, 12.5}, {0.1, 3762.5}}
	for i, w := range want {
		if !close9(tiers[i].MaintenanceRate, w.rate) || !close9(tiers[i].DeductionUSD, w.ded) {
			t.Errorf("tier %d: %+v, want %+v", i, tiers[i], w)
		}
		if i > 0 {
			n := tiers[i].LowerBoundUSD
			below := n*tiers[i-1].MaintenanceRate - tiers[i-1].DeductionUSD
			if at := n*tiers[i].MaintenanceRate - tiers[i].DeductionUSD; !close9(at, below) {
				t.Errorf("maintenance jumps from %v to %v at %v", below, at, n)
			}
		}
	}
}

func TestBars(t *testing.T) {
	c, _ := filled(t)
	if bars, through := c.Bars(0); len(bars) != 0 || through != 0 {
		t.Error("a history that was never loaded has values")
	}
	c.AppendBars(0, []Bar{{OpenMs: 1}, {OpenMs: 2}}, 20)
	c.AppendBars(0, nil, 30) // an hour without a new bar
	if bars, through := c.Bars(0); len(bars) != 2 || through != 30 {
		t.Errorf("%d bars through %d", len(bars), through)
	}
	select {
	case <-c.BarsChanged():
	default:
		t.Error("no token")
	}
	select {
	case <-c.BarsChanged():
		t.Error("two tokens")
	default:
	}
	c.ReplaceBars(0, []Bar{{OpenMs: 9}}, 40)
	if bars, through := c.Bars(0); len(bars) != 1 || through != 40 {
		t.Errorf("%d bars through %d", len(bars), through)
	}
}

func TestWant(t *testing.T) {
	c, _ := filled(t)
	c.Want(1)
	c.Want(1)
	if !c.Wanted(1) || c.Wanted(0) {
		t.Error("the wrong asset is wanted")
	}
	<-c.WantedAny()
	select {
	case <-c.WantedAny():
		t.Error("a second signal for the same asset")
	default:
	}
}

func TestLastMessageAge(t *testing.T) {
	c, _ := filled(t)
	if c.LastMessageAge(5*second) >= 0 {
		t.Error("an age before the first message")
	}
	c.Venue.LastMessage.Store(int64(5 * second))
	if c.LastMessageAge(7*second) != 2*time.Second || c.LastMessageAge(4*second) != 0 {
		t.Error("wrong age")
	}
}

func TestModelAsset(t *testing.T) {
	fit := &AssetModel{}
	m := &Model{Assets: []*AssetModel{nil, fit}}
	if m.Asset(1) != fit || m.Asset(0) != nil || m.Asset(2) != nil || m.Asset(NoAsset) != nil ||
		(*Model)(nil).Asset(0) != nil {
		t.Error("wrong fit")
	}
	s := HourlySeries{FirstHour: 10, Values: []float64{1, 2}}
	for hour, want := range map[int64]float64{9: 0, 10: 1, 11: 2, 12: 0} {
		if v, ok := s.At(hour); v != want || ok != (want != 0) {
			t.Errorf("hour %d: %v %v", hour, v, ok)
		}
	}
}

// reads are on the path of every request.
func reads(t testing.TB) map[string]func() {
	c, now := filled(t)
	var m Market
	c.Market(0, now, AgeLimits{Market: Forever, CEX: Forever}, &m)
	book, name := m.Book, []byte("ETH")
	return map[string]func(){
		"Market":      func() { c.Market(0, now, AgeLimits{Market: Forever, CEX: Forever}, &m) },
		"Latest":      func() { c.Contexts(0).Latest(now, Forever) },
		"Account":     func() { c.Account(&Wallet{1}, now, Forever) },
		"Lookup":      func() { c.Universe().Lookup(name) },
		"Bars":        func() { c.Bars(0) },
		"Confirm":     func() { c.Books(0).Confirm(now) },
		"ParseWallet": func() { ParseWallet([]byte("0x00112233445566778899aabbccddeeff01234567")) },
		"DepthUSD":    func() { book.Bids.DepthUSD(100, 50) },
	}
}

// Reads must not allocate.
func TestAllocReads(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	for name, read := range reads(t) {
		if n := testing.AllocsPerRun(200, read); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for name, read := range reads(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				read()
			}
		})
	}
}

func TestPairTable(t *testing.T) {
	fit := TailPair{Known: true, Nu: 4}
	table := NewPairTable([]AssetID{5, 2, 9}, []TailPair{fit, {}, {Known: true, Nu: 7}})
	for _, row := range []struct {
		a, b AssetID
		nu   float64 // 0: none
	}{{5, 2, 4}, {2, 5, 4}, {5, 9, 0}, {2, 9, 7}, {2, 2, 0}, {2, 3, 0}, {NoAsset, 2, 0}, {2, 99, 0}} {
		if got := table.Get(row.a, row.b); got.Nu != row.nu || got.Known != (row.nu > 0) {
			t.Errorf("%d and %d: %+v", row.a, row.b, got)
		}
	}
	if (*PairTable)(nil).Pair(2, 5) != nil {
		t.Error("the nil table has a pair")
	}
}
