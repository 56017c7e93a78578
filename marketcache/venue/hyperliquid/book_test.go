package hyperliquid

import (
	"testing"
	"time"

	"ballast/marketcache"
)

// oneBook returns a cell that follows the given precisions, and the ring in which it publishes.
func oneBook(every [precisions]time.Duration) (*bookCell, *marketcache.Snapshots[*marketcache.Book]) {
	cache := marketcache.New(marketcache.Limits{Assets: 1})
	cache.SetUniverse(
		marketcache.NewUniverse([]*marketcache.Asset{{Name: "A", Tiers: marketcache.NewTiers([]float64{0},
			[]float64{10})}}))
	c := &bookCell{}
	c.follow(every)
	return c, cache.Books(0)
}

func message(t *testing.T, text string) *bookMessage {
	t.Helper()
	m := &bookMessage{}
	if !m.parse([]byte(text)) || !m.plausible() {
		t.Fatal(text)
	}
	return m
}

// A fast book and a full book of different times are merged: best levels from the newer, the rest
// from the older. If they agree, the result equals the full book bit by bit.
func TestFastAndFullBook(t *testing.T) {
	now := marketcache.Now().Add(time.Hour)
	c, ring := oneBook([precisions]time.Duration{fast: time.Second, full: 5 * time.Second, figures3: 5 * time.Second})
	put := func(p precision, text string, at marketcache.Instant) *marketcache.Book {
		t.Helper()
		m := message(t, text)
		m.timeMs = int64(at.Sub(now)/time.Millisecond) + 1e12
		c.update(ring, p, m, at, 0, 1e12+1e6)
		b, _, _ := ring.Latest(at, marketcache.Forever)
		return *b
	}
	whole := put(full, precisionJSON("A", 1, 100, 0), now)
	if whole.Asks.Len() != 20 || whole.DepthProof != 0 {
		t.Errorf("%d levels, depth confirmed at %v although the book of 3 figures has not arrived", whole.Asks.Len(),
			whole.DepthProof)
	}
	put(figures3, precisionJSON("A", 1, 100, 3), now.Add(time.Second))
	before := put(full, precisionJSON("A", 1, 100, 0), now.Add(2*time.Second))
	after := put(fast, precisionJSON("A", 1, 100, -1), now.Add(3*time.Second))
	if after.Asks.Len() <= 20 || after.Asks.Len() != before.Asks.Len() {
		t.Fatalf("%d and %d levels", before.Asks.Len(), after.Asks.Len())
	}
	for i := range before.Asks.Price {
		if before.Asks.Price[i] != after.Asks.Price[i] || before.Asks.CumUSD[i] != after.Asks.CumUSD[i] {
			t.Fatalf("level %d differs although fast and full book agree", i)
		}
	}
	if after.DepthProof != now.Add(time.Second) || after.DepthCadence != 5*time.Second || after.Cadence != time.Second {
		t.Errorf("depth proved at %v, every %v", after.DepthProof, after.DepthCadence)
	}
	// The market has moved up: the best levels come from the fast book alone.
	moved := put(fast, precisionJSON("A", 1, 101, -1), now.Add(4*time.Second))
	if moved.MidPrice != 101 || moved.VenueMs != 1e12+4000 {
		t.Errorf("mid %v at %v", moved.MidPrice, moved.VenueMs)
	}
	for i := 1; i < moved.Asks.Len(); i++ {
		if moved.Asks.Price[i] <= moved.Asks.Price[i-1] {
			t.Fatalf("level %d at %v after %v", i, moved.Asks.Price[i], moved.Asks.Price[i-1])
		}
	}
	// A side that is empty in the newer book stays empty, although the older full book has levels
	// there.
	empty := put(fast, `{"coin":"A","time":1,"levels":[[{"px":"99","sz":"1","n":1}],[]],"fast":true}`,
		now.Add(5*time.Second))
	if empty.Asks.Len() != 0 || empty.Bids.Len() == 0 || empty.TwoSided() {
		t.Errorf("%d asks, %d bids", empty.Asks.Len(), empty.Bids.Len())
	}
	// An older fast book replaces nothing.
	if c.update(ring, fast, message(t, precisionJSON("A", 1, 100, -1)), now.Add(6*time.Second), 0,
		1e12+1e6) != outdated {
		t.Error("an older book was accepted")
	}
}
