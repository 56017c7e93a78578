package hyperliquid

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// storeFeed returns a feed with a store in dir and nothing running.
func storeFeed(t testing.TB, dir string) *Feed {
	t.Helper()
	f := quietFeed(t, 1)
	if err := os.MkdirAll(filepath.Join(dir, "assets"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.store = newStore(f, dir)
	return f
}

func bar(i int) marketcache.Bar {
	px := 100 + float64(i%7)
	return marketcache.Bar{OpenMs: int64(i+1) * hourMs, Open: px, High: px + 1, Low: px - 1, Close: px + 0.5, Volume: float64(i)}
}

// TestStoreCutAtEveryByte: whatever is left of a log, what comes out of it is a prefix
// of what went in, and appending goes on behind that.
func TestStoreCutAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	f := storeFeed(t, dir)
	now := int64(100 * hourMs)
	f.history.restore(0, "kPEPE")
	for i := range 5 {
		f.store.append("kPEPE", barOf(bar(i)), record{kind: fundingRecord, timeMs: int64(i+1) * hourMs, v: [5]float64{0.001}})
	}
	whole, err := os.ReadFile(f.store.path("kPEPE"))
	if err != nil || len(whole) != 10*recordSize {
		t.Fatal(len(whole), err)
	}
	for n := range len(whole) + 1 {
		os.WriteFile(f.store.path("kPEPE"), whole[:n], 0o600)
		k, _ := f.store.load("kPEPE", now)
		good := n / recordSize
		if len(k.bars) != (good+1)/2 || len(k.rows) != good/2 {
			t.Fatalf("%d bytes: %d bars, %d rows", n, len(k.bars), len(k.rows))
		}
		f.store.append("kPEPE", barOf(bar(50)))
		if k, _ := f.store.load("kPEPE", now); len(k.bars) != (good+1)/2+1 {
			t.Fatalf("%d bytes: appending behind the cut gave %d bars", n, len(k.bars))
		}
	}
}

func TestStoreDamage(t *testing.T) {
	dir := t.TempDir()
	f := storeFeed(t, dir)
	r := rand.New(rand.NewPCG(1, 9))
	var whole []byte
	for i := range 40 {
		whole = barOf(bar(i)).append(whole)
	}
	for range 500 {
		b := bytes.Clone(whole)
		at := r.IntN(len(b))
		b[at] ^= byte(1 + r.IntN(255))
		os.WriteFile(f.store.path("A"), b, 0o600)
		k, _ := f.store.load("A", 1000*hourMs)
		if len(k.bars) != at/recordSize {
			t.Fatalf("damage at byte %d left %d bars", at, len(k.bars))
		}
		for i, x := range k.bars {
			if x != bar(i) {
				t.Fatalf("bar %d is %+v", i, x)
			}
		}
	}
	// Records that check but cannot be end the log too.
	for _, bad := range []record{
		{kind: barRecord, timeMs: 5, v: [5]float64{1, 1, 1, 1, 1}}, {kind: barRecord, timeMs: hourMs, v: [5]float64{1, 0.5, 1, 1, 1}},
		{kind: 99}, {kind: fundingRecord, timeMs: 1, v: [5]float64{2}}, {kind: interestRecord, timeMs: 5},
	} {
		os.WriteFile(f.store.path("A"), barOf(bar(9)).append(bad.append(nil)), 0o600)
		if k, _ := f.store.load("A", 1000*hourMs); len(k.bars) != 0 || k.barsThroughMs != 0 {
			t.Errorf("%+v was taken", bad)
		}
	}
}

func TestStoreDiskFull(t *testing.T) {
	dir := t.TempDir()
	f := storeFeed(t, dir)
	f.store.load("A", 1000*hourMs)
	f.store.append("A", barOf(bar(0)))
	// A torn record behind the good length, as a full disk leaves it, is written over.
	file, _ := os.OpenFile(f.store.path("A"), os.O_WRONLY|os.O_APPEND, 0o600)
	file.Write([]byte("torn"))
	file.Close()
	f.store.append("A", barOf(bar(1)))
	if k, _ := f.store.load("A", 1000*hourMs); len(k.bars) != 2 {
		t.Errorf("%d bars", len(k.bars))
	}
	os.RemoveAll(dir)
	f.store.append("A", barOf(bar(2)))
	f.store.rewrite("A", func() *kept { return &kept{} })
	if f.stats.diskErrors.Load() != 2 {
		t.Errorf("%d disk errors", f.stats.diskErrors.Load())
	}
}

func TestStoreKeepsAndTrims(t *testing.T) {
	f := storeFeed(t, t.TempDir())
	now := int64(400 * dayMs)
	k := &kept{barsThroughMs: now, fundingThrough: now - 5, capMs: now - 3*dayMs, capUSD: 7e6, days: []marketcache.DayMaximum{{DayMs: now - 200*dayMs, USD: 9e9}, {DayMs: now - 10*dayMs, USD: 5e6}, {DayMs: now, USD: 6e6}}}
	for i := range 100 {
		k.bars = append(k.bars, bar(i))
		k.rows = append(k.rows, marketcache.FundingRow{VenueMs: int64(i+1) * hourMs, RateHourly: float64(i) * 1e-6})
	}
	f.store.load("xyz:TSLA", now)
	f.store.rewrite("xyz:TSLA", func() *kept { return k })
	got, _ := f.store.load("xyz:TSLA", now)
	k.trim(f.cache.Limits(), now)
	if !reflect.DeepEqual(got, k) || len(got.bars) != 64 || len(got.days) != 2 {
		t.Errorf("%+v, want %+v", got, k)
	}
	for _, name := range []string{"../../etc/passwd", "kPEPE", "KPEPE", "xyz:TSLA", strings.Repeat("x", 500), ".", ".."} {
		if e := escapeName(name); strings.ContainsAny(e, "/.\\") || len(e) > 200 || e == "" {
			t.Errorf("%q is the file %q", name, e)
		}
	}
	if escapeName("kPEPE") == escapeName("KPEPE") {
		t.Error("two assets share a file")
	}
}

// FuzzStore: no log makes load panic or return what is out of order.
func FuzzStore(f *testing.F) {
	var b []byte
	for i := range 3 {
		b = barOf(bar(i)).append(b)
	}
	f.Add(b)
	f.Add((&kept{barsThroughMs: 5, fundingThrough: 6, capMs: 7, capUSD: 8, days: []marketcache.DayMaximum{{DayMs: dayMs, USD: 1}}}).encode())
	feed := storeFeed(f, f.TempDir())
	f.Fuzz(func(t *testing.T, b []byte) {
		os.WriteFile(feed.store.path("A"), b, 0o600)
		k, _ := feed.store.load("A", 1000*hourMs)
		for i := 1; i < len(k.bars); i++ {
			if k.bars[i].OpenMs <= k.bars[i-1].OpenMs {
				t.Fatal("bars out of order")
			}
		}
	})
}

// TestRestart: a second life reads the first one's histories before it has spoken to
// the venue, and then asks only for what is missing.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	first := func(v *fakeVenue, cfg *Config) { cfg.DataDir, cfg.Name, v.every = dir, "venue", 8*time.Second }
	play(t, first, func(s scene) {
		time.Sleep(20 * time.Minute)
	})
	again := func(extra func(v *fakeVenue, cfg *Config), script func(s scene)) {
		t.Helper()
		play(t, func(v *fakeVenue, cfg *Config) {
			first(v, cfg)
			if extra != nil {
				extra(v, cfg)
			}
		}, script)
	}
	again(func(v *fakeVenue, _ *Config) { v.down = true }, func(s scene) {
		bars, through := s.cache.Bars(1)
		if len(bars) != 200 || through == 0 || s.cache.FundingStats(1) == nil || s.cache.InterestStats(1).MaxUSD180d == 0 {
			s.Errorf("%d bars through %d, funding %v, interest %v", len(bars), through, s.cache.FundingStats(1), s.cache.InterestStats(1))
		}
		if s.bookAge(1) >= 0 || s.contextAge(1) >= 0 {
			s.Error("a book or a context came from disk")
		}
	})
	// The same moment again: nothing is missing.
	again(nil, func(s scene) {
		time.Sleep(10 * time.Second)
		if n := s.v.count("candleSnapshot") + s.v.count("fundingHistory"); n != 0 || s.f.history.pending() != 0 {
			s.Errorf("%d questions for histories that are complete, %d pending", n, s.f.history.pending())
		}
	})
	// Three hours later: three bars are.
	again(func(v *fakeVenue, _ *Config) { time.Sleep(3 * time.Hour) }, func(s scene) {
		time.Sleep(10 * time.Second)
		bars, _ := s.cache.Bars(2)
		if len(bars) != 203 {
			s.Errorf("%d bars", len(bars))
		}
		if n := s.v.count("candleSnapshot"); n != 3 || s.f.budget.Used() > 250 {
			s.Errorf("%d questions, %d weight", n, s.f.budget.Used())
		}
	})
	// Another past behind the same name: what is on disk is dropped.
	again(func(v *fakeVenue, _ *Config) {
		time.Sleep(5 * time.Hour)
		v.info = func(kind string, req infoRequest) (int, string, map[string]string) {
			if kind != "candleSnapshot" {
				return 0, "", nil
			}
			hour := v.now().Truncate(time.Hour)
			var rows []string
			for i := 300; i >= 0; i-- {
				if open := hour.Add(-time.Duration(i) * time.Hour).UnixMilli(); open >= req.Req.StartTime {
					rows = append(rows, candleJSON(req.Req.Coin, open, 5000))
				}
			}
			return 200, "[" + strings.Join(rows, ",") + "]", nil
		}
	}, func(s scene) {
		time.Sleep(10 * time.Second)
		bars, _ := s.cache.Bars(2)
		if len(bars) != 300 || bars[0].Close != 5000 {
			s.Errorf("%d bars, first %+v", len(bars), bars[0])
		}
	})
	// Damage: the universe file and the tail of one log.
	uni := filepath.Join(dir, "venue-"+escapeName("venue"), "universe")
	if err := os.WriteFile(uni, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "venue-"+escapeName("venue"), "assets", "C.log")
	if b, err := os.ReadFile(log); err != nil || os.WriteFile(log, b[:len(b)/2+3], 0o600) != nil {
		t.Fatal(err)
	}
	again(func(v *fakeVenue, _ *Config) { time.Sleep(5 * time.Hour) }, func(s scene) {
		if len(s.cache.Universe().Assets) != 0 {
			s.Error("a damaged universe was used")
		}
		time.Sleep(10 * time.Second)
		s.fresh(9*time.Second, 0, 1, 2)
		if n := s.f.history.pending(); n != 0 {
			s.Errorf("%d pending", n)
		}
	})
}

// BenchmarkRestore reads 5,000 bars and 720 rows of one asset from disk.
func BenchmarkRestore(b *testing.B) {
	dir := b.TempDir()
	f := New(marketcache.New(marketcache.Limits{Assets: 1}), Config{BaseURL: "http://127.0.0.1:1"})
	f.store = newStore(f, dir)
	os.MkdirAll(filepath.Join(dir, "assets"), 0o700)
	k := &kept{barsThroughMs: 1, fundingThrough: 1}
	for i := range 5000 {
		k.bars = append(k.bars, bar(i))
	}
	for i := range 720 {
		k.rows = append(k.rows, marketcache.FundingRow{VenueMs: int64(i+1) * hourMs})
	}
	f.store.load("A", 10000*hourMs)
	f.store.rewrite("A", func() *kept { return k })
	b.SetBytes(recordSize * 5720)
	for b.Loop() {
		f.store.load("A", 10000*hourMs)
	}
}

// TestSave writes down what another process's feed has brought, twice: what only the disk
// has stays.
func TestSave(t *testing.T) {
	cfg := Config{Name: "venue", DataDir: t.TempDir()}
	const first = 480_000 // hours since 1970
	hour := func(h int64) marketcache.Bar {
		return marketcache.Bar{OpenMs: h * hourMs, Open: 1, High: 2, Low: 1, Close: 2, Volume: float64(h)}
	}
	day := time.Now().UnixMilli() / dayMs * dayMs
	held := func(from, to int64, days ...marketcache.DayMaximum) *marketcache.Cache {
		c := marketcache.New(marketcache.Limits{Assets: 2, Bars: 100, Rows: 100, Samples: 1, Wallets: 1})
		c.SetUniverse(marketcache.NewUniverse([]*marketcache.Asset{{ID: 0, Name: "BTC", MaxLeverage: 10, Tiers: marketcache.NewTiers([]float64{0}, []float64{10})}}))
		for h := from; h < to; h++ {
			c.AppendBars(0, []marketcache.Bar{hour(first + h)}, (first+h+1)*hourMs)
			c.FundingRows(0).Append(marketcache.FundingRow{VenueMs: (first + h) * hourMs, RateHourly: 1e-5})
		}
		c.SetFunding(0, &marketcache.FundingStats{ThroughVenueMs: (first + to) * hourMs})
		c.SetInterest(0, &marketcache.OpenInterestStats{Maxima: days})
		return c
	}
	saved := func(c *marketcache.Cache) *kept {
		t.Helper()
		if err := Save(c, cfg); err != nil {
			t.Fatal(err)
		}
		f := New(c, cfg)
		defer f.budget.Close()
		defer f.parsers.Close()
		k, err := f.store.load("BTC", time.Now().UnixMilli())
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	saved(held(0, 20, marketcache.DayMaximum{DayMs: day - dayMs, USD: 5}, marketcache.DayMaximum{DayMs: day, USD: 6}))
	k := saved(held(10, 30, marketcache.DayMaximum{DayMs: day, USD: 8}))
	if len(k.bars) != 30 || k.bars[0] != hour(first) || k.bars[29] != hour(first+29) || k.barsThroughMs != (first+30)*hourMs {
		t.Errorf("%d bars through %d", len(k.bars), k.barsThroughMs)
	}
	if len(k.rows) != 20 || k.fundingThrough != (first+30)*hourMs {
		t.Errorf("%d rows through %d", len(k.rows), k.fundingThrough)
	}
	if len(k.days) != 2 || k.days[0].USD != 5 || k.days[1].USD != 8 {
		t.Errorf("days %v", k.days)
	}
	if k = saved(held(5, 25)); len(k.bars) != 30 || k.barsThroughMs != (first+30)*hourMs {
		t.Errorf("an older cache leaves %d bars through %d", len(k.bars), k.barsThroughMs)
	}
}
