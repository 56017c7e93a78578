package hyperliquid

import (
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
)

// TestEmptyDex: a dex that lists nothing yet is read in its turn like any other, not again and again.
func TestEmptyDex(t *testing.T) {
	var asked atomic.Int32
	play(t, func(v *fakeVenue, cfg *Config) {
		twoDexes(v, cfg)
		v.dexes = append(v.dexes, "none")
		v.info = func(q infoRequest) reply {
			if q.Type != "metaAndAssetCtxs" || q.Dex != "none" {
				return reply{}
			}
			asked.Add(1)
			return reply{status: 200, body: `[{"universe":[],"marginTables":[],"collateralToken":0},[]]`}
		}
	}, func(s scene) {
		time.Sleep(20 * time.Minute)
		if n := asked.Load(); n < 1 || n > 2 {
			s.Errorf("read %d times", n)
		}
	})
}

// TestEmptyMain: the main dex always lists assets.
func TestEmptyMain(t *testing.T) {
	empty, _, ok := parseMetaAndContexts([]byte(`[{"universe":[]},[]]`), nil)
	u := &universe{cache: marketcache.New(smallCache)}
	if _, _, err := u.apply(empty); !ok || err == nil {
		t.Errorf("the first: parsed %v, taken", ok)
	}
	m, _, _ := parseMetaAndContexts([]byte(metaJSON("A", "B")), nil)
	if _, _, err := u.apply(m); err != nil {
		t.Fatal(err)
	}
	if _, _, err := u.apply(empty); err == nil {
		t.Error("a later one: taken")
	}
}
