package hyperliquid

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// TestMarksBySecondSource: while the stream of marks is silent or unreadable, REST is used instead,
// with a few requests per minute, and no value gets a lower age than its true one.
func TestMarksBySecondSource(t *testing.T) {
	for name, break_ := range map[string]func(v *fakeVenue){
		"silence":  func(v *fakeVenue) { v.noMarks = true },
		"not JSON": func(v *fakeVenue) { v.marks = func() string { return `{"A":{"markPx"` } },
		"a list":   func(v *fakeVenue) { v.marks = func() string { return `[]` } },
		"nothing":  func(v *fakeVenue) { v.marks = func() string { return `` } },
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(v *fakeVenue, cfg *Config) {
				cfg.Budget, v.limit, cfg.DataDir = 600, 600, t.TempDir()
			}, func(s scene) {
				time.Sleep(30 * time.Second)
				s.fresh(1100*time.Millisecond, 0, 1, 2)
				s.v.script(func() { break_(s.v) })
				broken := time.Now()
				for range 50 {
					time.Sleep(100 * time.Millisecond)
					if a := s.contextAge(0); a < time.Since(broken)-100*time.Millisecond &&
						s.v.count("metaAndAssetCtxs") == 1 {
						s.Fatalf("marks look %v old, %v after they stopped", a, time.Since(broken))
					}
				}
				before := s.v.count("metaAndAssetCtxs")
				worst := time.Duration(0)
				for range 600 {
					time.Sleep(100 * time.Millisecond)
					worst = max(worst, s.contextAge(0), s.contextAge(2))
				}
				if worst > marksByREST+2*time.Second {
					s.Errorf("marks grew %v old although REST answers", worst)
				}
				if n := s.v.count("metaAndAssetCtxs") - before; n > 8 {
					s.Errorf("REST was asked %d times in a minute", n)
				}
				s.v.script(func() { s.v.noMarks, s.v.marks = false, nil })
				time.Sleep(30 * time.Second)
				s.fresh(1100*time.Millisecond, 0, 1, 2)
			})
		})
	}
}

// TestMarksAreChanges: when a message leaves out an asset, that asset is unchanged. An unreadable
// entry affects only its own asset, until the next entry for it.
func TestMarksAreChanges(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) { v.noLists = true }, func(s scene) {
		time.Sleep(5 * time.Second)
		s.v.says(500, "null", "metaAndAssetCtxs") // the second source of marks
		said := func(text string) { s.v.script(func() { s.v.marks = func() string { return text } }) }
		mark := func(id marketcache.AssetID) float64 {
			c, _, _ := s.cache.Contexts(id).Latest(marketcache.Now(), time.Second)
			if c == nil {
				return -1
			}
			return c.MarkPrice
		}
		said(`{"A":{"markPx":"101.5"},"B":{"midPx":null},"#14880":{"markPx":"1"},"@107":{"midPx":"2"}}`)
		before := mark(2)
		time.Sleep(2 * time.Second)
		if a, b, c := mark(0), mark(1), mark(2); a != 101.5 || b <= 0 || c != before {
			s.Errorf("marks %v %v %v, before %v", a, b, c, before)
		}
		if c, _, _ := s.cache.Contexts(1).Latest(marketcache.Now(), time.Second); c.MidPrice != 0 {
			s.Errorf("a mid that is null is %v", c.MidPrice)
		}
		for _, odd := range []string{`{"markPx":"NaN"}`, `{"markPx":null}`, `{"markPx":"-1"}`, `[]`, `null`,
			`{"markPx":{}}`, `{"markPx":"1e400"}`} {
			said(`{"A":` + odd + `}`)
			time.Sleep(4 * time.Second)
			s.fresh(1100*time.Millisecond, 1, 2)
			if a := s.contextAge(0); a < 3*time.Second {
				s.Errorf("%s: the mark looks %v old", odd, a)
			}
			said(`{"A":{"markPx":"101"}}`)
			time.Sleep(2 * time.Second)
			if a := mark(0); a != 101 {
				s.Errorf("after %s the mark is %v", odd, a)
			}
		}
	})
}

// TestListsAreProved: a list of contexts without names is ignored if its order or length does not
// match the universe.
func TestListsAreProved(t *testing.T) {
	prices := []float64{100, 110, 118}
	context := func(mark, interest float64) string {
		return strings.Replace(contextJSON(mark), `"1000.0"`, fmt.Sprintf(`"%g"`, interest), 1)
	}
	list := func(order ...int) string {
		var rows []string
		for _, i := range order {
			rows = append(rows, context(prices[i], 1000+100*float64(i)))
		}
		return `{"ctxs":[["",[` + strings.Join(rows, ",") + `]]]}`
	}
	marks := `{"A":{"markPx":"100"},"B":{"markPx":"110"},"C":{"markPx":"118"}}`
	for name, order := range map[string][]int{"reversed": {2, 1, 0}, "swapped": {1, 0, 2}, "rotated": {1, 2, 0},
		"short": {0, 1}, "long": {0, 1, 2, 2}} {
		t.Run(name, func(t *testing.T) {
			play(t, func(v *fakeVenue, _ *Config) {
				v.marks = func() string { return marks }
				v.allData = func() string { return list(order...) }
				v.says(200, metaOfMarks(prices...), "metaAndAssetCtxs")
			}, func(s scene) {
				check := func(want float64) {
					s.Helper()
					for id, price := range prices {
						c, _, ok := s.cache.Contexts(marketcache.AssetID(id)).Latest(marketcache.Now(), 2*time.Second)
						if !ok || c.MarkPrice != price || c.OpenInterestUnits != 1000+100*want*float64(id) {
							s.Errorf("asset %d has %+v", id, c)
						}
					}
				}
				time.Sleep(40 * time.Second)
				check(0) // the list from REST, which has names
				if s.f.stats.rejectedContexts.Load() == 0 {
					s.Error("no list was refused")
				}
				s.v.script(func() { s.v.allData = func() string { return list(0, 1, 2) } })
				time.Sleep(30 * time.Second)
				check(1)
			})
		})
	}
}

// TestContradictedAnswer: an answer whose contexts are in another order than its names is not used. A
// single row that belongs to another asset is dropped alone.
func TestContradictedAnswer(t *testing.T) {
	oracle := func(s scene, id marketcache.AssetID) float64 {
		c, _, _ := s.cache.Contexts(id).Latest(marketcache.Now(), marketcache.Forever)
		return c.OraclePrice
	}
	play(t, func(v *fakeVenue, _ *Config) {
		v.noLists = true
		v.marks = func() string { return `{"A":{"markPx":"92"},"B":{"markPx":"105"},"C":{"markPx":"118"}}` }
	}, func(s scene) {
		said := func(marks ...float64) {
			s.v.says(200, metaOfMarks(marks...), "metaAndAssetCtxs")
			time.Sleep(2 * time.Minute)
		}
		said(92, 105, 118)
		said(105, 92, 118)
		for id, want := range []float64{92, 105, 118} {
			if got := oracle(s, marketcache.AssetID(id)); got != want {
				s.Errorf("exchanged: the oracle price of asset %d is %v", id, got)
			}
		}
		if s.f.stats.rejectedContexts.Load() == 0 {
			s.Error("nothing was refused")
		}
		said(92.1, 104.7, 92)
		for id, want := range []float64{92.1, 104.7, 118} {
			if got := oracle(s, marketcache.AssetID(id)); got != want {
				s.Errorf("one wild row: the oracle price of asset %d is %v, want %v", id, got, want)
			}
		}
	})
}

// TestBadSubscription: the venue closes the connection because of one subscription. That
// subscription is found and set aside, and all others continue.
func TestBadSubscription(t *testing.T) {
	takesLong(t)
	play(t, func(v *fakeVenue, cfg *Config) {
		cfg.DataDir = t.TempDir()
		v.kills = func(sub string) bool { return strings.Contains(sub, `"B"`) && strings.Contains(sub, `"fast"`) }
	}, func(s scene) {
		time.Sleep(2 * time.Minute)
		if n := s.f.Stats().ClosedFor; n != 1 {
			s.Errorf("%d subscriptions set aside, want one", n)
		}
		s.fresh(time.Second, 0, 2)
		if a := s.bookAge(1); a > minSilence+time.Second {
			s.Errorf("the book without a quick stream is %v old", a)
		}
		before := s.f.Stats().Reconnects
		time.Sleep(5 * time.Minute)
		if n := s.f.Stats().Reconnects; n != before {
			s.Errorf("%d connections lost after it was set aside", n-before)
		}
		s.v.script(func() { s.v.kills = nil })
		time.Sleep(12 * time.Minute)
		s.fresh(time.Second, 0, 1, 2)
	})
}
