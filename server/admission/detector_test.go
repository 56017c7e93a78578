package admission

import (
	"testing"
	"time"

	"ballast/marketcache"
)

func TestOverloadedQueue(t *testing.T) {
	var q overloadDetector
	now := marketcache.Now()
	const short, long = -time.Millisecond, 10 * time.Millisecond // excess delay: acceptable; too long but below farTooLong
	observe := func(excess, waited time.Duration, at marketcache.Instant) bool {
		return q.observe(&observation{at: at, excess: excess, waited: waited})
	}
	look := func(excess time.Duration) bool { return observe(excess, max(0, 4*time.Millisecond+excess), now) }
	// pass advances the clock by d, with an observation every millisecond, until overload is found.
	pass := func(d, excess time.Duration) (stands bool) {
		for range d / time.Millisecond {
			now = now.Add(time.Millisecond)
			if look(excess) {
				return true
			}
		}
		return false
	}
	anew := func() {
		now = now.Add(time.Hour)
		if look(short) || pass(50*time.Millisecond, short) {
			t.Fatal("overload reported for a short queue")
		}
	}
	anew()
	if pass(overloadInterval-5*time.Millisecond, long) {
		t.Error("overload reported for a burst")
	}
	if pass(overloadInterval, short) || pass(overloadInterval/2, long) || pass(time.Millisecond, short) || pass(overloadInterval, long) {
		t.Error("overload reported although the queue was short in between")
	}
	if !pass(2*overloadInterval, long) {
		t.Error("no overload reported for a queue that is never short")
	}

	// A delay that is far too long means overload within growthInterval. After a pause of the
	// machine the queue gets twice the pause to empty.
	anew()
	if pass(growthInterval, farTooLong) || !pass(2*time.Millisecond, farTooLong) {
		t.Errorf("no overload reported after %v of a far too long queue", growthInterval)
	}
	for _, paused := range []time.Duration{6 * time.Millisecond, 15 * time.Millisecond, 19 * time.Millisecond, 90 * time.Millisecond} {
		anew()
		now = now.Add(paused)
		// The requests that arrived during the pause have waited; they take twice the pause to serve.
		for left := paused; left > 0; left -= time.Millisecond / 2 {
			if look(left + farTooLong/2) {
				t.Errorf("overload reported for the requests kept back by a pause of %v", paused)
			}
			now = now.Add(time.Millisecond)
		}
		anew()
		pass(5*time.Millisecond, long)
		now = now.Add(paused)
		if pass(growthInterval+time.Millisecond, 2*paused+farTooLong-1) {
			t.Errorf("overload reported for a pause of %v in a burst", paused)
		}
		if !pass(2*paused+overloadInterval, long) {
			t.Errorf("no overload reported after a pause of %v although the queue stays", paused)
		}
	}
	// A gap without arrivals is not a pause of the machine if the next request has hardly waited.
	anew()
	now = now.Add(longSilence - time.Millisecond)
	if observe(0, time.Millisecond, now) || !pass(2*growthInterval, farTooLong) {
		t.Error("a gap without arrivals counts as a pause of the machine")
	}
	// Long requests give few observations.
	anew()
	stood := false
	for range 20 {
		now = now.Add(10 * time.Millisecond)
		stood = look(long) || stood
	}
	if !stood {
		t.Error("no overload reported for a queue of slow requests")
	}

	anew()
	if !pass(2*overloadInterval, long) {
		t.Error("no overload reported the second time")
	}
	// Overload lasts as long as many requests are refused, even if the refusals keep the queue short.
	for i := range 2000 {
		if i%refusedShare == 0 {
			q.refuse()
		}
		now = now.Add(time.Millisecond)
		if !look(short) {
			t.Fatal("overload ended although many requests are refused")
		}
	}
	stands := 0
	for i := range 200 {
		if i%(2*refusedShare) == 0 {
			q.refuse()
		}
		now = now.Add(time.Millisecond)
		if look(short) {
			stands++
		}
	}
	if stands > 150 {
		t.Error("overload continues although few requests are refused")
	}
	// Observations more than longSilence apart do not add up to overload.
	anew()
	for range 20 {
		now = now.Add(longSilence + time.Millisecond)
		if look(long) {
			t.Error("overload reported for a few slow requests")
		}
	}
	if !pass(2*overloadInterval, long) {
		t.Error("no overload reported the second time")
	}
	q.refuse()
	now = now.Add(time.Hour)
	if look(long) {
		t.Error("overload reported for a queue of an hour ago")
	}
	// Observations may come out of order.
	anew()
	if pass(5*time.Millisecond, long) || observe(long, 2*long, now.Add(-30*time.Millisecond)) || !pass(overloadInterval+time.Millisecond, long) {
		t.Error("an older observation hides the overload")
	}
}

func TestGrowingQueue(t *testing.T) {
	now := marketcache.Now()
	// run observes every millisecond for a duration d and reports whether growth was detected;
	// waiting returns the queue length at each millisecond.
	run := func(g *overloadDetector, d time.Duration, queue func(ms int) bool, waiting func(ms int) int) (grown bool) {
		now = now.Add(time.Hour)
		counted := 0
		for ms := range int(d / time.Millisecond) {
			now = now.Add(time.Millisecond)
			grown = g.observe(&observation{
				at: now, excess: -1, queued: queue(ms), minLength: 20, length: func() int { counted++; return waiting(ms) },
			}) || grown
		}
		if max := int(d/growthInterval) + 1; counted > max {
			t.Errorf("counted %d times in %v", counted, d)
		}
		return grown
	}
	always := func(int) bool { return true }
	for _, row := range []struct {
		name    string
		queue   func(ms int) bool
		waiting func(ms int) int
		want    bool
	}{
		{"four times what can be served", always, func(ms int) int { return 8 + 3*ms/2 }, true},
		{"many, and half more than can be served", always, func(ms int) int { return 100 + 10*ms }, true},
		{"held up by one long request", always, func(ms int) int { return []int{20, 60}[ms/10%2] }, false},
		{"twice what can be served, but few", always, func(ms int) int { return ms / 4 }, false},
		{"a burst that is worked off", always, func(ms int) int { return 200 - 2*ms }, false},
		{"as many come as are served", always, func(ms int) int { return 50 + ms%3 }, false},
		{"slow random growth", always, func(ms int) int { return 60 + ms/10 }, false},
		{"empty now and then", func(ms int) bool { return ms%8 != 0 }, func(ms int) int { return 8 * ms }, false},
	} {
		var g overloadDetector
		if got := run(&g, 60*time.Millisecond, row.queue, row.waiting); got != row.want {
			t.Errorf("%s: grows %v", row.name, got)
		}
	}
	// Counts from before a long gap are ignored.
	var g overloadDetector
	n := 0
	for range 10 {
		now = now.Add(longSilence + time.Millisecond)
		n += 100
		if g.observe(&observation{at: now, excess: -1, queued: true, length: func() int { return n }}) {
			t.Error("growth reported after a silence")
		}
	}
}
