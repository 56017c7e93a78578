package feed

import (
	"math/rand/v2"
	"testing"
	"time"

	"ballast/marketcache"
)

func TestSlidingLimit(t *testing.T) {
	limit := NewSlidingLimit(10)
	now := marketcache.Instant(time.Hour)
	r := rand.New(rand.NewPCG(5, 6))
	var taken []marketcache.Instant
	for range 2000 {
		now = now.Add(time.Duration(r.Int64N(int64(4 * time.Second))))
		keep := 0
		if r.IntN(2) == 0 {
			keep = 4
		}
		if !limit.Acquire(now, 1, keep) {
			if len(taken) < 10-keep || now.Sub(taken[len(taken)-(10-keep)]) > time.Minute {
				t.Fatal("refused although it fits")
			}
			continue
		}
		taken = append(taken, now)
		n := 0
		for _, o := range taken {
			if now.Sub(o) <= time.Minute {
				n++
			}
		}
		if n > 10-keep && keep > 0 || n > 10 {
			t.Fatalf("%d in a minute", n)
		}
	}
}

func TestSlidingLimitAllOrNone(t *testing.T) {
	limit := NewSlidingLimit(5)
	now := marketcache.Instant(time.Hour)
	for i, step := range []struct {
		n, reserve int
		ok         bool
	}{{0, 0, true}, {6, 0, false}, {5, 1, false}, {3, 2, true}, {0, 5, true}, {3, 0, false}, {2, 0, true},
		{1, 0, false}} {
		if limit.Acquire(now, step.n, step.reserve) != step.ok {
			t.Errorf("step %d: %+v", i, step)
		}
	}
}
