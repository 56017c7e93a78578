package feed

import (
	"slices"
	"testing"
	"time"

	"ballast/marketcache"
)

func TestBreaker(t *testing.T) {
	var changes []bool
	all := NewBreakers(func(open bool) { changes = append(changes, open) })
	b := all.Of(ForWanted)
	now := marketcache.Instant(time.Hour)
	for i := range breakerFailures {
		if _, ok := b.Allow(now); !ok || b.Pause(now) != 0 {
			t.Fatalf("open after %d failures", i)
		}
		b.Done(Failed, now)
	}
	recovered := all.Recovered()
	for _, p := range []Priority{ForPosition, ForFirst, ForWallet, ForLive, ForTables} {
		if all.Of(p).Pause(now) != 0 {
			t.Errorf("histories that fail stop priority %d", p)
		}
	}
	for range 10 { // pauses grow up to their bound
		wait, ok := b.Allow(now)
		if ok || wait <= 0 || wait > breakerPauseMax || b.Pause(now) != wait {
			t.Fatalf("allowed %v, wait %v, pause %v", ok, wait, b.Pause(now))
		}
		now = now.Add(wait)
		if _, ok := b.Allow(now); !ok {
			t.Fatal("no request tries after the pause")
		}
		if wait, ok := b.Allow(now); ok || wait != breakerPauseMin {
			t.Fatalf("a second request tries too: %v %v", ok, wait)
		}
		b.Done(Failed, now)
	}
	now = now.Add(breakerPauseMax)
	b.Allow(now)
	b.Done(NoVerdict, now)
	if _, ok := b.Allow(now); !ok {
		t.Error("a cancelled request keeps others from trying")
	}
	b.Done(Succeeded, now)
	select {
	case <-recovered:
	default:
		t.Error("nobody hears of the recovery")
	}
	if _, ok := b.Allow(now); !ok || !slices.Equal(changes, []bool{true, false}) {
		t.Errorf("changes %v", changes)
	}
}
