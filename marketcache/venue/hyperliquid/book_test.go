package hyperliquid

import (
	"testing"
	"time"

	"ballast/marketcache"
)

// oneBook is a cell that follows some precisions, with its ring.
func oneBook(every [precisions]time.Duration) (*bookCell, *marketcache.Snapshots[*marketcache.Book]) {
	cache := marketcache.New(marketcache.Limits{Assets: 1})
	cache.SetUniverse(marketcache.NewUniverse([]*marketcache.Asset{{Name: "A", Tiers: marketcache.NewTiers([]float64{0}, []float64{10})}}))
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

// The quick book of a moment and the full one of another make one book: best levels of the newer,
// the rest of the older; where they agree it is the full one, to the bit.
func TestQuickAndFull(t *testing.T) {
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
		t.Errorf("%d levels, depth proved at %v although 3 figures have not come", whole.Asks.Len(), whole.DepthProof)
	}
	put(figures3, precisionJSON("A", 1, 100, 3), now.Add(time.Second))
	before := put(full, precisionJSON("A", 1, 100, 0), now.Add(2*time.Second))
	after := put(fast, precisionJSON("A", 1, 100, -1), now.Add(3*time.Second))
	if after.Asks.Len() <= 20 || after.Asks.Len() != before.Asks.Len() {
		t.Fatalf("%d and %d levels", before.Asks.Len(), after.Asks.Len())
	}
	for i := range before.Asks.Price {
		if before.Asks.Price[i] != after.Asks.Price[i] || before.Asks.CumUSD[i] != after.Asks.CumUSD[i] {
			t.Fatalf("level %d differs although quick and full book agree", i)
		}
	}
	if after.DepthProof != now.Add(time.Second) || after.DepthCadence != 5*time.Second || after.Cadence != time.Second {
		t.Errorf("depth proved at %v, every %v", after.DepthProof, after.DepthCadence)
	}
	// The market has moved up: the best levels are the quick ones alone.
	moved := put(fast, precisionJSON("A", 1, 101, -1), now.Add(4*time.Second))
	if moved.MidPrice != 101 || moved.VenueMs != 1e12+4000 {
		t.Errorf("mid %v at %v", moved.MidPrice, moved.VenueMs)
	}
	for i := 1; i < moved.Asks.Len(); i++ {
		if moved.Asks.Price[i] <= moved.Asks.Price[i-1] {
			t.Fatalf("level %d at %v after %v", i, moved.Asks.Price[i], moved.Asks.Price[i-1])
		}
	}
	// A side that is empty now is empty, although the full book of before shows levels there.
	empty := put(fast, `{"coin":"A","time":1,"levels":[[{"px":"99","sz":"1","n":1}],[]],"fast":true}`, now.Add(5*time.Second))
	if empty.Asks.Len() != 0 || empty.Bids.Len() == 0 || empty.TwoSided() {
		t.Errorf("%d asks, %d bids", empty.Asks.Len(), empty.Bids.Len())
	}
	// An older quick book replaces nothing.
	if c.update(ring, fast, message(t, precisionJSON("A", 1, 100, -1)), now.Add(6*time.Second), 0, 1e12+1e6) != outdated {
		t.Error("an older book was taken")
	}
}
