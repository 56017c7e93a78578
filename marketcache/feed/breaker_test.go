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
	allow := func() (e Era) {
		t.Helper()
		e, _, _, ok := b.Allow(now)
		if !ok {
			t.Fatal("no request may be sent")
		}
		return e
	}
	early := allow()
	for i := range breakerFailures {
		if b.Pause(now) != 0 {
			t.Fatalf("open after %d failures", i)
		}
		b.Done(allow(), Failed, now)
	}
	pause := b.Pause(now)
	b.Done(early, Failed, now)
	if b.Pause(now) != pause {
		t.Error("a request sent before the breaker opened lengthens the pause")
	}
	recovered := all.Recovered()
	for _, p := range []Class{ForStart, ForLive, ForWallet, ForDepth} {
		if all.Of(p).Pause(now) != 0 {
			t.Errorf("histories that fail stop class %d", p)
		}
	}
	for i := range 10 { // pauses grow up to their bound
		_, wait, _, ok := b.Allow(now)
		if ok || wait <= 0 || wait > min(breakerPauseMin<<i, breakerPauseMax) || b.Pause(now) != wait {
			t.Fatalf("allowed %v, wait %v, pause %v", ok, wait, b.Pause(now))
		}
		now = now.Add(wait)
		e := allow() // one request is allowed after the pause
		_, wait, probe, ok := b.Allow(now)
		if ok || wait != breakerPauseMin {
			t.Fatalf("a second request after the pause: allowed %v, wait %v", ok, wait)
		}
		b.Done(early, Failed, now)
		select {
		case <-probe:
			t.Fatal("an older request's end counts as the end of the half-open request")
		default:
		}
		b.Done(e, Failed, now)
		<-probe
	}
	now = now.Add(breakerPauseMax)
	b.Done(allow(), NoVerdict, now) // the next request may be sent at once
	e := allow()
	_, _, probe, _ := b.Allow(now)
	b.Done(e, Succeeded, now)
	<-probe
	select {
	case <-recovered:
	default:
		t.Error("the channel of Recovered is still open")
	}
	b.Done(e, Failed, now) // of an earlier era: does not count
	for range breakerFailures - 1 {
		b.Done(allow(), Failed, now)
	}
	if allow(); !slices.Equal(changes, []bool{true, false}) {
		t.Errorf("changes %v", changes)
	}
}
