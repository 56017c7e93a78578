package admission

import (
	"testing"
	"time"

	"ballast/marketcache"
)

func TestStandingQueue(t *testing.T) {
	var q overloadDetector
	now := marketcache.Now()
	const short, long = -time.Millisecond, 10 * time.Millisecond // too long, but not by far
	observe := func(excess, waited time.Duration, at marketcache.Instant) bool {
		return q.observe(&observation{at: at, excess: excess, waited: waited})
	}
	look := func(excess time.Duration) bool { return observe(excess, max(0, 4*time.Millisecond+excess), now) }
	// pass lets time go by, with a look every millisecond, until the queue stands.
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
			t.Fatal("a short queue stands")
		}
	}
	anew()
	if pass(overloadInterval-5*time.Millisecond, long) {
		t.Error("a burst stands")
	}
	if pass(overloadInterval, short) || pass(overloadInterval/2, long) || pass(time.Millisecond, short) || pass(overloadInterval, long) {
		t.Error("a queue that has been short meanwhile stands")
	}
	if !pass(2*overloadInterval, long) {
		t.Error("a queue that is never short does not stand")
	}

	// A queue that is far too long is overloaded within growthInterval; one that a pause of the
	// machine has filled is given twice the pause to empty.
	anew()
	if pass(growthInterval, farTooLong) || !pass(2*time.Millisecond, farTooLong) {
		t.Errorf("a queue that is far too long does not stand after %v", growthInterval)
	}
	for _, paused := range []time.Duration{6 * time.Millisecond, 15 * time.Millisecond, 19 * time.Millisecond, 90 * time.Millisecond} {
		anew()
		now = now.Add(paused)
		// All who came meanwhile have waited, and are worked off in twice the time.
		for left := paused; left > 0; left -= time.Millisecond / 2 {
			if look(left + farTooLong/2) {
				t.Errorf("those that a pause of %v has kept are a queue", paused)
			}
			now = now.Add(time.Millisecond)
		}
		anew()
		pass(5*time.Millisecond, long)
		now = now.Add(paused)
		if pass(growthInterval+time.Millisecond, 2*paused+farTooLong-1) {
			t.Errorf("a pause of %v in a burst makes a queue", paused)
		}
		if !pass(2*paused+overloadInterval, long) {
			t.Errorf("after a pause of %v none is a queue", paused)
		}
	}
	// Nobody had waited while nobody came: that was no pause.
	anew()
	now = now.Add(longSilence - time.Millisecond)
	if observe(0, time.Millisecond, now) || !pass(2*growthInterval, farTooLong) {
		t.Error("silence is taken for a pause")
	}
	// Requests that take long are seldom looked at.
	anew()
	stood := false
	for range 20 {
		now = now.Add(10 * time.Millisecond)
		stood = look(long) || stood
	}
	if !stood {
		t.Error("a queue of slow requests does not stand")
	}

	anew()
	if !pass(2*overloadInterval, long) {
		t.Error("does not stand again")
	}
	// It stands as long as many are refused for it, however short it is kept by that.
	for i := range 2000 {
		if i%refusedShare == 0 {
			q.refuse()
		}
		now = now.Add(time.Millisecond)
		if !look(short) {
			t.Fatal("over while many are refused")
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
		t.Error("stands although few are refused")
	}
	// What is seldom looked at says nothing.
	anew()
	for range 20 {
		now = now.Add(longSilence + time.Millisecond)
		if look(long) {
			t.Error("few slow requests are a queue")
		}
	}
	if !pass(2*overloadInterval, long) {
		t.Error("does not stand again")
	}
	q.refuse()
	now = now.Add(time.Hour)
	if look(long) {
		t.Error("the queue of an hour ago still stands")
	}
	// One may have been taken up before the newest.
	anew()
	if pass(5*time.Millisecond, long) || observe(long, 2*long, now.Add(-30*time.Millisecond)) || !pass(overloadInterval+time.Millisecond, long) {
		t.Error("one that was overtaken hides a queue that stands")
	}
}

func TestGrowingQueue(t *testing.T) {
	now := marketcache.Now()
	// run looks every millisecond for a while and reports whether growth was seen; waiting is
	// how many wait after so many milliseconds.
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
		{"closed in by one long request", always, func(ms int) int { return []int{20, 60}[ms/10%2] }, false},
		{"twice what can be served, but few", always, func(ms int) int { return ms / 4 }, false},
		{"a burst that is worked off", always, func(ms int) int { return 200 - 2*ms }, false},
		{"as many come as are served", always, func(ms int) int { return 50 + ms%3 }, false},
		{"few more, as chance has it", always, func(ms int) int { return 60 + ms/10 }, false},
		{"empty now and then", func(ms int) bool { return ms%8 != 0 }, func(ms int) int { return 8 * ms }, false},
	} {
		var g overloadDetector
		if got := run(&g, 60*time.Millisecond, row.queue, row.waiting); got != row.want {
			t.Errorf("%s: grows %v", row.name, got)
		}
	}
	// What was counted before a silence says nothing.
	var g overloadDetector
	n := 0
	for range 10 {
		now = now.Add(longSilence + time.Millisecond)
		n += 100
		if g.observe(&observation{at: now, excess: -1, queued: true, length: func() int { return n }}) {
			t.Error("a silence makes a queue grow")
		}
	}
}
