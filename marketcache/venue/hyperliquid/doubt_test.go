package hyperliquid

import (
	"fmt"
	"testing"
	"time"

	"ballast/marketcache"
)

// TestDoubtfulMark: a mark far from the last closed bar is used only after REST confirms it, also when the stream of
// whole contexts says it too. Until then the asset keeps the mark from REST, with its true age.
func TestDoubtfulMark(t *testing.T) {
	for _, lists := range []bool{false, true} {
		t.Run(fmt.Sprint("lists ", lists), func(t *testing.T) { doubtfulMark(t, lists) })
	}
}

func doubtfulMark(t *testing.T, lists bool) {
	play(t, func(v *fakeVenue, cfg *Config) { v.noLists, cfg.DataDir = !lists, t.TempDir() }, func(s scene) {
		time.Sleep(20 * time.Second)
		mark := func() float64 {
			c, _, _ := s.cache.Contexts(1).Latest(marketcache.Now(), marketcache.Forever)
			return c.MarkPrice
		}
		s.v.script(func() {
			s.v.marks = func() string {
				return `{"A":{"markPx":"100.3"},"B":{"markPx":"1000","midPx":"1000"},"C":{"markPx":"100.3"}}`
			}
			s.v.allData = func() string {
				return `{"ctxs":[["",[` + contextJSON(100) + "," + contextJSON(1000) + "," + contextJSON(100) + `]]]}`
			}
		})
		asked := s.v.count("metaAndAssetCtxs")
		time.Sleep(3 * time.Second)
		if m := mark(); m > 200 {
			s.Errorf("the mark is %v", m)
		}
		s.fresh(1100*time.Millisecond, 0, 2)
		time.Sleep(30 * time.Second) // REST still says 100, so the mark is not confirmed
		if m := mark(); m > 101 {
			s.Errorf("the mark is %v although REST says about 100", m)
		}
		if n := s.v.count("metaAndAssetCtxs") - asked; n < 1 || n > 8 {
			s.Errorf("%d requests to REST", n)
		}
		s.v.says(200, metaOfMarks(100, 1000, 100), "metaAndAssetCtxs")
		time.Sleep(15 * time.Second)
		if m := mark(); m != 1000 {
			s.Errorf("the mark is %v although stream and REST say 1000", m)
		}
		time.Sleep(2 * time.Second)
		s.fresh(1100*time.Millisecond, 0, 1, 2)
	})
}
