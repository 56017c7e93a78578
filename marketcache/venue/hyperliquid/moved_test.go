package hyperliquid

import (
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// TestMovedMark: after a move of the mark the older oracle price is compared with nothing until REST brings
// both, which is asked within seconds, and ever less often if it does not help.
func TestMovedMark(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) { cfg.DataDir = t.TempDir() }, func(s scene) {
		time.Sleep(20 * time.Second)
		divergence := func() (d marketcache.Divergence) {
			m := s.market(1)
			m.Book = nil
			d.SeeMarket(&m)
			return d
		}
		mark := func() float64 { return s.cache.Contexts(1).Newest().Value.MarkPrice }
		s.v.script(func() {
			s.v.marks = func() string {
				return `{"A":{"markPx":"100"},"B":{"markPx":"106","midPx":"106"},"C":{"markPx":"100"}}`
			}
			s.v.noLists = true
		})
		asked := s.v.count("metaAndAssetCtxs")
		s.within(2*time.Second, "the mark", func() bool { return mark() == 106 })
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			if d := divergence(); d.Pct > marketcache.DivergingPct {
				t.Fatalf("%+v", d)
			}
		}
		n := s.v.count("metaAndAssetCtxs") - asked
		// every ten seconds because no list comes, every minute in any case, and 3, 6, 12, 24, 48 s apart
		if n < 5 || n > 25 {
			s.Errorf("%d requests to REST", n)
		}
		moved := strings.Replace(metaOfMarks(100, 106, 100), `"oraclePx":"106"`, `"oraclePx":"99"`, 1)
		s.v.says(200, moved, "metaAndAssetCtxs")
		s.within(25*time.Second, "the oracle price of the new mark", func() bool { return divergence().Mark == 106 })
		if d := divergence(); d.With != "oracle" || d.Other != 99 || d.MarkAge != d.OtherAge ||
			d.OtherAge > 25*time.Second {
			s.Errorf("%+v", d)
		}
	})
}
