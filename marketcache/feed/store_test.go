package feed

import (
	"bytes"
	"errors"
	"log/slog"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"ballast/internal/supervise"
	"ballast/marketcache"
)

// testHistory returns the histories of one asset, N0, with a store in dir. Nothing runs in the
// background.
func testHistory(t testing.TB, dir string) *History {
	t.Helper()
	cache := marketcache.New(marketcache.Limits{Assets: 1, Bars: 64, Rows: 64, Samples: 64, Wallets: 1})
	cache.SetUniverse(marketcache.NewUniverse([]*marketcache.Asset{{Name: "N0", MaxLeverage: 10, Tiers: marketcache.NewTiers([]float64{0}, []float64{10})}}))
	supervisor := supervise.New(slog.New(slog.DiscardHandler))
	store, err := OpenStore(dir, cache.Limits(), supervisor)
	if err != nil {
		t.Fatal(err)
	}
	return NewHistory(HistoryConfig{
		Cache: cache, Clock: &Clock{VenueClock: &cache.Venue.Clock}, Interest: NewOpenInterestTracker(cache), Supervisor: supervisor, Store: store,
		Ranking: func() *Ranking { return Rank(cache) }, FundingEvery: time.Hour, OnFuture: func(string) {},
	})
}

func testStore(t testing.TB, dir string) *Store { return testHistory(t, dir).Store }

// add appends records to a log.
func (s *Store) add(name string, records ...record) { s.write(name, records, false, nil) }

func bar(i int) marketcache.Bar {
	px := 100 + float64(i%7)
	return marketcache.Bar{OpenMs: int64(i+1) * hourMs, Open: px, High: px + 1, Low: px - 1, Close: px + 0.5, Volume: float64(i)}
}

// TestStoreCutAtEveryByte: a log that is cut at any byte yields a prefix of its records, and new
// records are appended after that prefix.
func TestStoreCutAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	s := testStore(t, dir)
	now := int64(100 * hourMs)
	s.load("kPEPE", now)
	for i := range 5 {
		s.add("kPEPE", barOf(bar(i)), fundingOf(marketcache.FundingRow{VenueMs: int64(i+1) * hourMs, RateHourly: 0.001}))
	}
	whole, err := os.ReadFile(s.path("kPEPE"))
	if err != nil || len(whole) != 10*recordSize {
		t.Fatal(len(whole), err)
	}
	for n := range len(whole) + 1 {
		os.WriteFile(s.path("kPEPE"), whole[:n], 0o600)
		k, _ := s.load("kPEPE", now)
		good := n / recordSize
		if len(k.bars) != (good+1)/2 || len(k.funding) != good/2 {
			t.Fatalf("%d bytes: %d bars, %d rows", n, len(k.bars), len(k.funding))
		}
		s.add("kPEPE", barOf(bar(50)))
		if k, _ := s.load("kPEPE", now); len(k.bars) != (good+1)/2+1 {
			t.Fatalf("%d bytes: appending behind the cut gave %d bars", n, len(k.bars))
		}
	}
}

func TestStoreDamage(t *testing.T) {
	dir := t.TempDir()
	s := testStore(t, dir)
	r := rand.New(rand.NewPCG(1, 9))
	var records []record
	for i := range 40 {
		records = append(records, barOf(bar(i)))
	}
	whole := encode(records)
	for range 500 {
		b := bytes.Clone(whole)
		at := r.IntN(len(b))
		b[at] ^= byte(1 + r.IntN(255))
		os.WriteFile(s.path("A"), b, 0o600)
		k, _ := s.load("A", 1000*hourMs)
		if len(k.bars) != at/recordSize {
			t.Fatalf("damage at byte %d left %d bars", at, len(k.bars))
		}
		for i, x := range k.bars {
			if x != bar(i) {
				t.Fatalf("bar %d is %+v", i, x)
			}
		}
	}
	// A record with a valid checksum but invalid content also ends the log.
	for _, bad := range []record{
		{kind: barRecord, timeMs: 5, v: [5]float64{1, 1, 1, 1, 1}}, {kind: barRecord, timeMs: hourMs, v: [5]float64{1, 0.5, 1, 1, 1}},
		{kind: 99}, {kind: fundingRecord, timeMs: 1, v: [5]float64{2}}, {kind: interestRecord, timeMs: 5},
	} {
		os.WriteFile(s.path("A"), encode([]record{bad, barOf(bar(9))}), 0o600)
		if k, _ := s.load("A", 1000*hourMs); len(k.bars) != 0 || k.barsThroughMs != 0 {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

func TestStoreDiskFull(t *testing.T) {
	dir := t.TempDir()
	s := testStore(t, dir)
	s.load("A", 1000*hourMs)
	s.add("A", barOf(bar(0)))
	// A partial record after the last valid one, as left by a full disk, is overwritten.
	file, _ := os.OpenFile(s.path("A"), os.O_WRONLY|os.O_APPEND, 0o600)
	file.Write([]byte("torn"))
	file.Close()
	s.add("A", barOf(bar(1)))
	if k, _ := s.load("A", 1000*hourMs); len(k.bars) != 2 {
		t.Errorf("%d bars", len(k.bars))
	}
	os.RemoveAll(dir)
	s.add("A", barOf(bar(2)))
	s.write("A", nil, true, func() *assetLog { return &assetLog{} })
	if s.Errors() != 2 {
		t.Errorf("%d disk errors", s.Errors())
	}
}

func TestStoreKeepsAndTrims(t *testing.T) {
	s := testStore(t, t.TempDir())
	now := int64(400 * dayMs)
	k := &assetLog{barsThroughMs: now, fundingThroughMs: now - 5, capMs: now - 3*dayMs, capUSD: 7e6, days: []marketcache.DayMaximum{{DayMs: now - 200*dayMs, USD: 9e9}, {DayMs: now - 10*dayMs, USD: 5e6}, {DayMs: now, USD: 6e6}}}
	for i := range 100 {
		k.bars = append(k.bars, bar(i))
		k.funding = append(k.funding, marketcache.FundingRow{VenueMs: int64(i+1) * hourMs, RateHourly: float64(i) * 1e-6})
	}
	s.load("xyz:TSLA", now)
	s.write("xyz:TSLA", nil, true, func() *assetLog { return k })
	got, _ := s.load("xyz:TSLA", now)
	k.trim(s.limits, now)
	if !reflect.DeepEqual(got, k) || len(got.bars) != 64 || len(got.days) != 2 {
		t.Errorf("%+v, want %+v", got, k)
	}
	for _, name := range []string{"../../etc/passwd", "kPEPE", "KPEPE", "xyz:TSLA", strings.Repeat("x", 500), ".", ".."} {
		if e := EscapeName(name); strings.ContainsAny(e, "/.\\") || len(e) > 200 || e == "" {
			t.Errorf("%q is the file %q", name, e)
		}
	}
	if EscapeName("kPEPE") == EscapeName("KPEPE") {
		t.Error("two assets share a file")
	}
}

// FuzzStore: for every log, load does not panic and returns records in order.
func FuzzStore(f *testing.F) {
	f.Add(encode([]record{barOf(bar(0)), barOf(bar(1)), barOf(bar(2))}))
	f.Add(encode((&assetLog{barsThroughMs: 5, fundingThroughMs: 6, capMs: 7, capUSD: 8, days: []marketcache.DayMaximum{{DayMs: dayMs, USD: 1}}}).records()))
	s := testStore(f, f.TempDir())
	f.Fuzz(func(t *testing.T, b []byte) {
		os.WriteFile(s.path("A"), b, 0o600)
		k, _ := s.load("A", 1000*hourMs)
		for i := 1; i < len(k.bars); i++ {
			if k.bars[i].OpenMs <= k.bars[i-1].OpenMs {
				t.Fatal("bars out of order")
			}
		}
	})
}

// BenchmarkRestore reads 5,000 bars and 720 rows of one asset from disk.
func BenchmarkRestore(b *testing.B) {
	dir := b.TempDir()
	s := testStore(b, dir)
	s.limits = marketcache.Limits{Bars: 5000, Rows: 720}
	k := &assetLog{barsThroughMs: 1, fundingThroughMs: 1}
	for i := range 5000 {
		k.bars = append(k.bars, bar(i))
	}
	for i := range 720 {
		k.funding = append(k.funding, marketcache.FundingRow{VenueMs: int64(i+1) * hourMs})
	}
	s.load("A", 10000*hourMs)
	s.write("A", nil, true, func() *assetLog { return k })
	b.SetBytes(recordSize * 5720)
	for b.Loop() {
		s.load("A", 10000*hourMs)
	}
}

func TestFutureIsNotKept(t *testing.T) {
	h := testHistory(t, t.TempDir())
	s, cache, now := h.Store, h.Cache, h.nowMs()
	hour := now - now%hourMs
	at := func(h int64) marketcache.Bar { b := bar(0); b.OpenMs = hour + h*hourMs; return b }
	s.load("N0", now)
	s.add("N0", barOf(at(-3)), barOf(at(5)), barOf(at(-2)), record{kind: barsThrough, timeMs: hour + 6*hourMs},
		record{kind: fundingRecord, timeMs: hour - hourMs, v: [5]float64{0.1}}, record{kind: fundingRecord, timeMs: hour + hourMs, v: [5]float64{0.2}},
		record{kind: interestRecord, timeMs: now - now%dayMs + dayMs, v: [5]float64{9}}, barOf(at(-1)), barOf(at(0)))
	k, err := s.load("N0", now)
	if err != nil || len(k.bars) != 3 || k.bars[2] != at(-1) || k.barsThroughMs != hour || len(k.funding) != 1 || len(k.days) != 0 || k.future != 4 {
		t.Fatalf("%+v %v", k, err)
	}
	// A bar in memory was received under a wrong clock; it is removed once the venue's time is
	// known.
	cache.ReplaceBars(0, []marketcache.Bar{at(-2), at(-1), at(30)}, hour+31*hourMs)
	cache.FundingRows(0).Replace([]marketcache.FundingRow{{VenueMs: now - 5}, {VenueMs: now + dayMs}})
	told := 0
	h.OnFuture = func(string) { told++ }
	h.forgetFuture(0, "N0")
	if bars, _ := cache.Bars(0); len(bars) != 3 {
		t.Error("bars were dropped although the clock is not verified")
	}
	for range 2 {
		h.Clock.ObserveStatus(now, marketcache.Now(), marketcache.Now())
	}
	h.forgetFuture(0, "N0")
	if bars, through := cache.Bars(0); len(bars) != 2 || through != hour || len(cache.FundingRows(0).View()) != 1 || told != 1 {
		t.Errorf("%v through %d", bars, through)
	}
	if k, _ := s.load("N0", now+100*dayMs); len(k.bars) != 2 || len(k.funding) != 1 {
		t.Errorf("on disk %d bars, %d rows", len(k.bars), len(k.funding))
	}
}

// TestDiskRefusesARead: a log that cannot be read is not treated as empty.
func TestDiskRefusesARead(t *testing.T) {
	dir := t.TempDir()
	for _, times := range []int{1, diskTries - 1, 1000} {
		s := testStore(t, dir)
		os.Remove(s.path("N0"))
		s.load("N0", 1000*hourMs)
		for i := range 100 {
			s.add("N0", barOf(bar(i)))
		}
		whole, _ := os.ReadFile(s.path("N0"))
		h := testHistory(t, dir)
		h.Store.read = func(path string) ([]byte, error) {
			if times--; times >= 0 {
				return whole[:56], errors.New("input/output error")
			}
			return os.ReadFile(path)
		}
		for n := 1; h.restore(0, "N0") != nil; n++ {
			if n == diskTries {
				t.Fatalf("a log that cannot be read still blocks the history after %d tries", diskTries)
			}
		}
		// Later records are appended to the existing log, or not written at all.
		more := bar(200)
		h.Cache.AppendBars(0, []marketcache.Bar{more}, more.OpenMs+hourMs)
		h.save(0, "N0", times > 0, barOf(more))
		got, _ := os.ReadFile(s.path("N0"))
		if len(got) < len(whole) || string(got[:len(whole)]) != string(whole) || (times > 0) != (len(got) == len(whole)) {
			t.Errorf("%d bytes of %d are left", len(got), len(whole))
		}
		if bars, _ := h.Cache.Bars(0); times <= 0 && len(bars) != 64 || times > 0 && len(bars) != 1 {
			t.Errorf("%d bars", len(bars))
		}
	}
}

// TestRestoreIsWaitedFor: a caller that needs a log while another caller is reading it waits until
// the read is done.
func TestRestoreIsWaitedFor(t *testing.T) {
	h := testHistory(t, t.TempDir())
	s := h.Store
	os.WriteFile(s.path("N0"), encode([]record{barOf(bar(1))}), 0o600)
	reading := make(chan struct{})
	s.read = func(path string) ([]byte, error) {
		close(reading)
		time.Sleep(50 * time.Millisecond)
		return os.ReadFile(path)
	}
	go h.restore(0, "N0")
	<-reading
	h.restore(0, "N0")
	if bars, _ := h.Cache.Bars(0); len(bars) != 1 {
		t.Errorf("%d bars", len(bars))
	}
}

// TestSave saves histories that the feed of another process has received, twice. Records that only
// the disk has are kept.
func TestSave(t *testing.T) {
	dir := t.TempDir()
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
	saved := func(c *marketcache.Cache) *assetLog {
		t.Helper()
		s := testStore(t, dir)
		if err := s.SaveCache(c); err != nil {
			t.Fatal(err)
		}
		k, err := s.load("BTC", c.Venue.Clock.VenueMs(marketcache.Now()))
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
	if len(k.funding) != 20 || k.fundingThroughMs != (first+30)*hourMs {
		t.Errorf("%d rows through %d", len(k.funding), k.fundingThroughMs)
	}
	if len(k.days) != 2 || k.days[0].USD != 5 || k.days[1].USD != 8 {
		t.Errorf("days %v", k.days)
	}
	if k = saved(held(5, 25)); len(k.bars) != 30 || k.barsThroughMs != (first+30)*hourMs {
		t.Errorf("an older cache leaves %d bars through %d", len(k.bars), k.barsThroughMs)
	}
	// The wall clock has stepped back by a year: no record is of the future.
	dir = t.TempDir()
	newest := time.Now().UnixMilli()/hourMs + 8000 - first
	for _, from := range []int64{newest - 20, newest - 10} {
		c := held(from, from+10)
		c.Venue.Clock.Set(time.Now().AddDate(1, 0, 0).UnixNano(), marketcache.Now())
		k = saved(c)
	}
	if len(k.bars) != 20 || k.barsThroughMs != (first+newest)*hourMs {
		t.Errorf("a year ahead of the wall clock: %d bars through %d", len(k.bars), k.barsThroughMs)
	}
}
