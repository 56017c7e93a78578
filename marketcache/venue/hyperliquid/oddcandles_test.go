package hyperliquid

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// oddCandles are changes of a candle that make it impossible, or of the list around it.
var oddCandles = map[string]func(list []map[string]any, at int) []map[string]any{
	"high below low": func(l []map[string]any, at int) []map[string]any {
		l[at]["h"], l[at]["l"] = l[at]["l"], l[at]["h"]
		return l
	},
	"close outside": func(l []map[string]any, at int) []map[string]any { l[at]["c"] = "90"; return l },
	"zero":          func(l []map[string]any, at int) []map[string]any { l[at]["l"] = "0"; return l },
	"negative": func(l []map[string]any, at int) []map[string]any {
		l[at]["o"], l[at]["l"] = "-1", "-1"
		return l
	},
	"wick up":   func(l []map[string]any, at int) []map[string]any { l[at]["h"] = "10000"; return l },
	"wick down": func(l []map[string]any, at int) []map[string]any { l[at]["l"] = "1"; return l },
	"another unit": func(l []map[string]any, at int) []map[string]any {
		l[at]["o"], l[at]["c"], l[at]["h"], l[at]["l"] = "100000", "100000", "101000", "99000"
		return l
	},
	"close": func(l []map[string]any, at int) []map[string]any { l[at]["c"], l[at]["h"] = "1000", "1000"; return l },
	"two": func(l []map[string]any, at int) []map[string]any {
		other := map[string]any{}
		for k, v := range l[at] {
			other[k] = v
		}
		other["c"] = "100.9"
		return append(l, other)
	},
}

// TestOddCandles: an hour whose candle cannot be what was traded is left out and told, whether it is in the first
// answer or a later one; all others are used. When the venue says it right, nothing is told any more. Candles in an
// order of their own, or told twice alike, are used. Injects the fault odd-candles of docs/faults.md.
func TestOddCandles(t *testing.T) {
	takesLong(t)
	t.Run("first answer", func(t *testing.T) { oddCandle(t, 2*time.Minute, -7*time.Hour) })
	t.Run("newest hour", func(t *testing.T) {
		takesLong(t)
		oddCandle(t, 65*time.Minute, 0)
	})
}

// candlesWith returns the venue's candles of an asset, changed.
func candlesWith(v *fakeVenue, q infoRequest, change func([]map[string]any) []map[string]any) reply {
	var list []map[string]any
	decoder := json.NewDecoder(strings.NewReader(v.candles(q, 200)))
	decoder.UseNumber()
	decoder.Decode(&list)
	b, _ := json.Marshal(change(list))
	return reply{status: 200, body: string(b)}
}

// oddCandle has one odd hour, from the running one on, in each asset but the last, and looks at it after a time.
func oddCandle(t *testing.T, after, from time.Duration) {
	odd, right := int64(0), false // the odd hour
	kinds := slices.Sorted(maps.Keys(oddCandles))
	play(t, func(v *fakeVenue, _ *Config) {
		odd = v.now().Truncate(time.Hour).Add(from).UnixMilli()
		v.assets, v.every = many(len(kinds)+1), time.Minute
		v.info = func(q infoRequest) reply {
			n := slices.Index(v.assets, q.Req.Coin)
			if q.Type != "candleSnapshot" {
				return reply{}
			}
			return candlesWith(v, q, func(l []map[string]any) []map[string]any {
				if n == len(kinds) {
					slices.Reverse(l)
					return append(l, l[0])
				}
				for i := range len(l) - 1 { // closed
					if !right && fmt.Sprint(l[i]["t"]) == fmt.Sprint(odd) {
						return oddCandles[kinds[n]](l, i)
					}
				}
				return l
			})
		}
	}, func(s scene) {
		check := func(odd bool) {
			s.Helper()
			for n, kind := range append(kinds, "reversed") {
				bars, through := s.cache.Bars(marketcache.AssetID(n))
				if len(bars) == 0 {
					s.Fatalf("%s: no bars", kind)
				}
				missing, l := int(through-bars[0].OpenMs)/hourMs-len(bars), s.cache.Loading(marketcache.AssetID(n))
				want := odd && kind != "reversed"
				if (missing == 1) != want || missing > 1 || (l != nil && l.OddCandle) != want {
					s.Errorf("%s: %d bars, %d missing, %+v", kind, len(bars), missing, l)
				}
				for _, b := range bars {
					if b.High > 102 || b.Low < 98 {
						s.Errorf("%s: %+v", kind, b)
					}
				}
			}
		}
		time.Sleep(after)
		check(true)
		s.v.script(func() { right = true })
		time.Sleep(65 * time.Minute)
		check(false)
	})
}

// TestCandlesInAnotherUnit: candles that contradict the mark are not read. A history whose older part is in another
// unit begins after it, and that is told.
func TestCandlesInAnotherUnit(t *testing.T) {
	for _, from := range []int{0, 120} {
		play(t, func(v *fakeVenue, _ *Config) {
			v.info = func(q infoRequest) reply {
				if q.Type != "candleSnapshot" || q.Req.Coin != "A" {
					return reply{}
				}
				return candlesWith(v, q, func(l []map[string]any) []map[string]any {
					for i := range l {
						if from == 0 || i < from && len(l) > from {
							for _, k := range []string{"o", "h", "l", "c"} {
								l[i][k] = l[i][k].(string) + "e3"
							}
						}
					}
					return l
				})
			}
		}, func(s scene) {
			time.Sleep(2 * time.Minute)
			bars, through := s.cache.Bars(0)
			l := s.cache.Loading(0)
			if from == 0 && (through != 0 || s.cache.Loading(1) != nil) ||
				from > 0 && (len(bars) != 200-from || l == nil || !l.OddCandle) {
				s.Errorf("%d: %d bars, %+v", from, len(bars), l)
			}
		})
	}
}
