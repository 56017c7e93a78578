package feed

import (
	"encoding/json"
	"errors"
	"hash/crc32"
	"log/slog"
	"maps"
	"math"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"ballast/internal/supervise"
	"ballast/marketcache"
)

// memory is an Archive in memory.
type memory struct {
	mu       sync.Mutex
	names    map[string]map[string][]byte
	onLoad   func() error // nil: loads succeed
	saveErr  error
	written  []string // parts, by order of writing
	saveTime time.Duration
}

func (m *memory) Load(name string) (map[string][]byte, error) {
	if m.onLoad != nil {
		if err := m.onLoad(); err != nil {
			return nil, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.names[name]), nil
}

func (m *memory) Save(name string, parts map[string][]byte) error {
	time.Sleep(m.saveTime)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.saveErr != nil {
		return m.saveErr
	}
	if m.names == nil {
		m.names = map[string]map[string][]byte{}
	}
	if m.names[name] == nil {
		m.names[name] = map[string][]byte{}
	}
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		m.written = append(m.written, part)
		if m.names[name][part] = parts[part]; parts[part] == nil {
			delete(m.names[name], part)
		}
	}
	return nil
}

// writes returns the parts written since its last call.
func (m *memory) writes() []string {
	defer func() { m.written = nil }()
	return m.written
}

// put saves a history as a process would that has read the asset before.
func (m *memory) put(name string, l *savedHistory) {
	parts := map[string][]byte{}
	l.encode(func(part string, value []byte) { parts[part] = slices.Clone(value) })
	m.Save(assetPrefix+name, parts)
	m.sum(name)
}

// sum saves the checksums of a history as it is.
func (m *memory) sum(name string) {
	sums := map[string]uint32{}
	for part, value := range m.names[assetPrefix+name] {
		if part != sumsPart {
			sums[part] = crc32.Checksum(value, castagnoli)
		}
	}
	text, _ := json.Marshal(sums)
	m.Save(assetPrefix+name, map[string][]byte{sumsPart: text})
}

// testHistory returns the histories of one asset, N0, saved in a. Nothing runs in the background.
func testHistory(t testing.TB, a Archive) *History {
	t.Helper()
	cache := marketcache.New(marketcache.Limits{Assets: 1, Bars: 64, Rows: 64, Samples: 64, Wallets: 1})
	cache.SetUniverse(marketcache.NewUniverse([]*marketcache.Asset{{Name: "N0", MaxLeverage: 10,
		Tiers: marketcache.NewTiers([]float64{0}, []float64{10})}}))
	supervisor := supervise.New(slog.New(slog.DiscardHandler))
	return NewHistory(HistoryConfig{
		Cache: cache, Clock: &Clock{VenueClock: &cache.Venue.Clock}, Interest: NewOpenInterestTracker(cache),
		Supervisor: supervisor,
		Store:      NewStore(a, cache.Limits(), supervisor), Ranking: func() *Ranking {
			return Rank(cache)
		}, FundingEvery: time.Hour, OnFuture: func(string) {},
	})
}

func bar(i int) marketcache.Bar {
	px := 100 + float64(i%7)
	return marketcache.Bar{OpenMs: int64(i+1) * hourMs, Open: px, High: px + 1, Low: px - 1, Close: px + 0.5,
		Volume: float64(i)}
}

// month returns a part of January 1970 with one row.
func month(name string, row ...float64) map[string][]byte {
	s := series[[]float64]{name: name, write: func(to, row []float64) []float64 { return append(to, row...) }}
	parts := map[string][]byte{}
	s.encode([][]float64{row}, func(part string, value []byte) { parts[part] = slices.Clone(value) })
	return parts
}

// TestStoreDamage: a series with one impossible row, a changed bit or a lost month is not used, and the others are.
func TestStoreDamage(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	whole := &savedHistory{
		funding:    []marketcache.FundingRow{{VenueMs: hourMs, RateHourly: 0.001}},
		days:       []marketcache.DayMaximum{{DayMs: dayMs, USD: 5}},
		savedState: savedState{BarsThroughMs: 41 * hourMs, FundingThroughMs: 41 * hourMs},
	}
	for i := range 40 {
		whole.bars = append(whole.bars, bar(i))
	}
	for i, bad := range []map[string][]byte{
		month("bars", 5, 1, 1, 1, 1, 1), month("bars", hourMs, 1, 0.5, 1, 1, 1), month("bars", hourMs, 1, 1, 1, 1,
			inf),
		month("bars", hourMs, nan, 1, 1, 1, 1), month("bars", hourMs, 1, 1, 1, 1, 1, hourMs, 1, 1, 1, 1, 1),
		month("bars", 1, 2),
		month("funding", hourMs, 2), month("funding", hourMs, nan), month("funding", hourMs),
		month("funding", 1e300, 0),
		month("interest", 5, 1), month("interest", dayMs, -1), {"funding 1970-01": {1, 2, 3}},
		{"state": []byte("{"), sumsPart: nil},
		// What follows is possible, but not what was saved.
		month("bars", hourMs, 1, 1, 1, 1, 1), month("funding", hourMs, 0.002), month("interest", dayMs, 6),
		{"bars 1970-01": nil}, {"funding 1970-01": nil}, {"interest 1970-01": nil}, month("bars", 900*hourMs, 1, 1, 1,
			1, 1),
		{"state": nil}, {sumsPart: []byte("{}")}, {sumsPart: nil}, {sumsPart: []byte("x")},
	} {
		m := &memory{}
		m.put("N0", whole)
		m.Save(assetPrefix+"N0", bad)
		if i < 13 {
			m.sum("N0") // so that the rows are looked at
		}
		h := testHistory(t, m)
		l, err := h.Store.load("N0", 1000*hourMs)
		if err != nil {
			t.Fatal(err)
		}
		for part := range bad {
			lost := func(name string, left, all int, through int64) {
				is := part == statePart || part == sumsPart || len(part) > len(name) && part[:len(name)] == name
				if is && (left != 0 || through != 0) || !is && left != all {
					t.Errorf("%q %v: %d of %d %s are left, through %d", part, bad[part], left, all, name, through)
				}
			}
			lost("bars", len(l.bars), 40, l.BarsThroughMs)
			lost("funding", len(l.funding), 1, l.FundingThroughMs)
			lost("interest", len(l.days), 1, 0)
		}
		// What is loaded again takes its place.
		h.Store.save("N0", func() *savedHistory { return whole })
		if l, _ = h.Store.load("N0", 1000*hourMs); !reflect.DeepEqual(l, whole) {
			t.Errorf("%v: saved again: %+v", bad, l)
		}
	}
}

// TestStoreWritesWhatChanged: a month at a time, nothing before the asset was read, and after a full disk all of it.
func TestStoreWritesWhatChanged(t *testing.T) {
	m := &memory{}
	s := testHistory(t, m).Store
	l := &savedHistory{savedState: savedState{BarsThroughMs: 1}}
	save := func(parts ...string) {
		t.Helper()
		s.save("A", func() *savedHistory { return l })
		if got := m.writes(); !slices.Equal(got, parts) {
			t.Errorf("written %q, want %q", got, parts)
		}
	}
	save()
	if _, err := s.load("A", 10_000*hourMs); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		l.bars = append(l.bars, bar(i))
	}
	save("bars 1970-01", "bars 1970-02", "state", sumsPart)
	save()
	l.bars = append(l.bars, bar(1000))
	l.BarsThroughMs = 2
	save("bars 1970-02", "state", sumsPart)
	m.saveErr = errors.New("no space left on device")
	l.days = []marketcache.DayMaximum{{DayMs: 40 * dayMs, USD: 5}}
	save()
	l.bars = l.bars[800:]
	save()
	if s.Errors() != 2 {
		t.Errorf("%d disk errors", s.Errors())
	}
	m.saveErr = nil
	save("bars 1970-01", "bars 1970-02", "interest 1970-02", sumsPart)
	kept := []string{"bars 1970-02", "interest 1970-02", "state", sumsPart}
	if got := slices.Sorted(maps.Keys(m.names[assetPrefix+"A"])); !slices.Equal(got, kept) {
		t.Errorf("kept %q", got)
	}
	s.SaveTable("a", []byte("x"))
	s.SaveTable("b", []byte("y"))
	m.Save(tablesName, map[string][]byte{"b": []byte("damaged")})
	if got := s.Tables(); len(got) != 1 || string(got["a"]) != "x" {
		t.Errorf("tables %q", got)
	}
	m.saveErr = errors.New("read-only file system")
	s.SaveTable("universe", []byte("x"))
	if m.saveErr = nil; s.Errors() != 3 || s.Tables()["universe"] != nil {
		t.Errorf("%d disk errors, tables %v", s.Errors(), s.Tables())
	}
}

func TestStoreKeepsAndTrims(t *testing.T) {
	s := testHistory(t, &memory{}).Store
	now := int64(400 * dayMs)
	k := &savedHistory{
		days: []marketcache.DayMaximum{{DayMs: now - 200*dayMs, USD: 9e9}, {DayMs: now - 10*dayMs, USD: 5e6},
			{DayMs: now, USD: 6e6}},
		savedState: savedState{BarsThroughMs: now, Short: true, FundingThroughMs: now - 5, CapMs: now - 3*dayMs,
			CapUSD: 7e6},
	}
	for i := range 1600 {
		k.bars = append(k.bars, bar(i))
		k.funding = append(k.funding, marketcache.FundingRow{VenueMs: int64(i+1)*hourMs + 37, RateHourly: float64(i) *
			1e-6})
	}
	s.load("xyz:TSLA", now)
	s.save("xyz:TSLA", func() *savedHistory { return k })
	s.limits.Bars = 1500
	got, _ := s.load("xyz:TSLA", now)
	k.trim(s.limits, now)
	if !reflect.DeepEqual(got, k) || len(got.bars) != 1500 || len(got.funding) != 64 || len(got.days) != 2 {
		t.Errorf("%+v, want %+v", got, k)
	}
}

// FuzzSavedHistory: whatever is saved, reading it does not panic and returns rows in order.
func FuzzSavedHistory(f *testing.F) {
	l := &savedHistory{bars: []marketcache.Bar{bar(0), bar(1)}, funding: []marketcache.FundingRow{{VenueMs: 5}},
		days: []marketcache.DayMaximum{{DayMs: dayMs, USD: 1}}}
	l.encode(func(part string, value []byte) { f.Add(part, slices.Clone(value)) })
	f.Fuzz(func(t *testing.T, part string, value []byte) {
		l, _ := decodeHistory(map[string][]byte{part: value, "bars 1970-02": month("bars", 800*hourMs, 1, 1, 1, 1,
			1)["bars 1970-02"]}, nil, 1000*hourMs)
		for i := 1; i < len(l.bars); i++ {
			if l.bars[i].OpenMs <= l.bars[i-1].OpenMs {
				t.Fatal("bars out of order")
			}
		}
	})
}

func TestFutureIsNotKept(t *testing.T) {
	m := &memory{}
	h := testHistory(t, m)
	s, cache, now := h.Store, h.Cache, h.nowMs()
	hour := now - now%hourMs
	at := func(h int64) marketcache.Bar { b := bar(0); b.OpenMs = hour + h*hourMs; return b }
	m.put("N0", &savedHistory{
		bars: []marketcache.Bar{at(-3), at(-2), at(-1), at(0), at(5)},
		funding: []marketcache.FundingRow{{VenueMs: hour - hourMs, RateHourly: 0.1},
			{VenueMs: hour + hourMs, RateHourly: 0.2}},
		days: []marketcache.DayMaximum{{DayMs: now - now%dayMs + dayMs, USD: 9}},
		savedState: savedState{BarsThroughMs: hour + 6*hourMs, FundingThroughMs: hour + 2*hourMs, CapMs: now + 1,
			CapUSD: 4},
	})
	k, err := s.load("N0", now)
	if err != nil || len(k.bars) != 3 || k.bars[2] != at(-1) || k.BarsThroughMs != hour || len(k.funding) != 1 ||
		k.FundingThroughMs != now ||
		len(k.days) != 0 || k.CapUSD != 0 || k.future != 5 {
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
	if bars, through := cache.Bars(0); len(bars) != 2 || through != hour || len(cache.FundingRows(0).View()) != 1 ||
		told != 1 {
		t.Errorf("%v through %d", bars, through)
	}
	if k, _ := s.load("N0", now+100*dayMs); len(k.bars) != 2 || len(k.funding) != 1 {
		t.Errorf("on disk %d bars, %d rows", len(k.bars), len(k.funding))
	}
}

// TestDiskRefusesARead: a history that cannot be read is not treated as empty.
func TestDiskRefusesARead(t *testing.T) {
	for _, times := range []int{1, diskTries - 1, 1000} {
		m := &memory{}
		l := &savedHistory{savedState: savedState{BarsThroughMs: 101 * hourMs}}
		for i := range 100 {
			l.bars = append(l.bars, bar(i))
		}
		m.put("N0", l)
		h, left := testHistory(t, m), times
		m.onLoad = func() error {
			if left--; left >= 0 {
				return errors.New("input/output error")
			}
			return nil
		}
		for n := 1; h.restore(0, "N0") != nil; n++ {
			if n == diskTries {
				t.Fatalf("a history that cannot be read still blocks the asset after %d tries", diskTries)
			}
		}
		// Later bars are added to the saved history, or not saved at all.
		more := bar(200)
		h.Cache.AppendBars(0, []marketcache.Bar{more}, more.OpenMs+hourMs)
		h.save(0, "N0")
		m.onLoad = nil
		got, _ := testHistory(t, m).Store.load("N0", 1000*hourMs)
		held, _ := h.Cache.Bars(0)
		if used := times < diskTries; used && (len(held) != 64 || got.bars[63] != more) || !used &&
			(len(held) != 1 || got.bars[63] != bar(99)) {
			t.Errorf("%d failures: %d bars held, the newest on disk is %+v", times, len(held), got.bars[63])
		}
	}
}

// TestRestoreIsWaitedFor: a caller that needs a history while another caller is reading it waits until
// the read is done.
func TestRestoreIsWaitedFor(t *testing.T) {
	m := &memory{}
	m.put("N0", &savedHistory{bars: []marketcache.Bar{bar(1)}, savedState: savedState{BarsThroughMs: 3 * hourMs}})
	h := testHistory(t, m)
	reading := make(chan struct{})
	m.onLoad = func() error {
		close(reading)
		time.Sleep(50 * time.Millisecond)
		return nil
	}
	go h.restore(0, "N0")
	<-reading
	h.restore(0, "N0")
	if bars, _ := h.Cache.Bars(0); len(bars) != 1 {
		t.Errorf("%d bars", len(bars))
	}
}

// TestSave saves histories that the feed of another process has received, twice. Rows that only
// the disk has are kept.
func TestSave(t *testing.T) {
	m := &memory{}
	const first = 480_000 // hours since 1970
	hour := func(h int64) marketcache.Bar {
		return marketcache.Bar{OpenMs: h * hourMs, Open: 1, High: 2, Low: 1, Close: 2, Volume: float64(h)}
	}
	day := time.Now().UnixMilli() / dayMs * dayMs
	held := func(from, to int64, days ...marketcache.DayMaximum) *marketcache.Cache {
		c := marketcache.New(marketcache.Limits{Assets: 2, Bars: 100, Rows: 100, Samples: 1, Wallets: 1})
		c.SetUniverse(marketcache.NewUniverse([]*marketcache.Asset{{ID: 0, Name: "BTC", MaxLeverage: 10,
			Tiers: marketcache.NewTiers([]float64{0}, []float64{10})}}))
		for h := from; h < to; h++ {
			c.AppendBars(0, []marketcache.Bar{hour(first + h)}, (first+h+1)*hourMs)
			c.FundingRows(0).Append(marketcache.FundingRow{VenueMs: (first + h) * hourMs, RateHourly: 1e-5})
		}
		c.SetFunding(0, &marketcache.FundingStats{ThroughVenueMs: (first + to) * hourMs})
		c.SetInterest(0, &marketcache.OpenInterestStats{Maxima: days})
		return c
	}
	saved := func(c *marketcache.Cache) *savedHistory {
		t.Helper()
		s := testHistory(t, m).Store
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
	if len(k.bars) != 30 || k.bars[0] != hour(first) || k.bars[29] != hour(first+29) ||
		k.BarsThroughMs != (first+30)*hourMs {
		t.Errorf("%d bars through %d", len(k.bars), k.BarsThroughMs)
	}
	if len(k.funding) != 20 || k.FundingThroughMs != (first+30)*hourMs {
		t.Errorf("%d rows through %d", len(k.funding), k.FundingThroughMs)
	}
	if len(k.days) != 2 || k.days[0].USD != 5 || k.days[1].USD != 8 {
		t.Errorf("days %v", k.days)
	}
	if k = saved(held(5, 25)); len(k.bars) != 30 || k.BarsThroughMs != (first+30)*hourMs {
		t.Errorf("an older cache leaves %d bars through %d", len(k.bars), k.BarsThroughMs)
	}
	// The wall clock has stepped back by a year: no row is of the future.
	m = &memory{}
	newest := time.Now().UnixMilli()/hourMs + 8000 - first
	for _, from := range []int64{newest - 20, newest - 10} {
		c := held(from, from+10)
		c.Venue.Clock.Set(time.Now().AddDate(1, 0, 0).UnixNano(), marketcache.Now())
		k = saved(c)
	}
	if len(k.bars) != 20 || k.BarsThroughMs != (first+newest)*hourMs {
		t.Errorf("a year ahead of the wall clock: %d bars through %d", len(k.bars), k.BarsThroughMs)
	}
}
