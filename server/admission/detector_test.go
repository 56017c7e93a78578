package admission

import (
	"testing"
	"time"

	"ballast/marketcache"
)

// Excess delays: acceptable, and too long but below farTooLong.
const (
	short = -ms
	long  = 10 * ms
)

// observer is a detector with a clock.
type observer struct {
	overloadDetector
	now marketcache.Instant
}

// newObserver returns a detector whose queue has been short.
func newObserver() *observer {
	o := &observer{now: marketcache.Now()}
	o.pass(50*ms, short)
	return o
}

// look observes a request with an excess delay after a time, and reports whether that shows overload.
func (o *observer) look(after, excess time.Duration) bool {
	o.now = o.now.Add(after)
	return o.observe(&observation{at: o.now, excess: excess, waited: max(0, DefaultMaxWait+excess)})
}

// pass observes a request every millisecond for a time, until one shows overload.
func (o *observer) pass(lasts, excess time.Duration) bool {
	for range lasts / ms {
		if o.look(ms, excess) {
			return true
		}
	}
	return false
}

// After a pause of the machine the queue gets twice the pause to empty.
func TestPauseOfTheMachine(t *testing.T) {
	for _, paused := range []time.Duration{6 * ms, 15 * ms, 19 * ms, 90 * ms} {
		o := newObserver()
		o.now = o.now.Add(paused)
		// The requests that arrived during the pause have waited; they take twice the pause to serve.
		for left := paused; left > 0; left -= ms / 2 {
			if o.look(0, left+farTooLong/2) {
				t.Errorf("overload reported for the requests kept back by a pause of %v", paused)
			}
			o.now = o.now.Add(ms)
		}
		o = newObserver()
		o.pass(5*ms, long)
		o.now = o.now.Add(paused)
		if o.pass(growthInterval+ms, 2*paused+farTooLong-1) {
			t.Errorf("overload reported for a pause of %v in a burst", paused)
		}
		if !o.pass(2*paused+overloadInterval, long) {
			t.Errorf("no overload reported after a pause of %v although the queue stays", paused)
		}
	}
}

// Overload lasts as long as many requests are refused, even if the refusals keep the queue short.
func TestOverloadLastsWhileManyAreRefused(t *testing.T) {
	for _, row := range []struct {
		refusedEvery, min, max int // one in refusedEvery is refused; bounds of the observations in overload
	}{{refusedShare, 2000, 2000}, {2 * refusedShare, 50, 150}} {
		o := newObserver()
		if !o.pass(2*overloadInterval, long) {
			t.Fatal("no overload reported")
		}
		lasts := 0
		for i := range 2000 {
			if i%row.refusedEvery == 0 {
				o.refuse()
			}
			if o.look(ms, short) {
				lasts++
			}
		}
		if lasts < row.min || lasts > row.max {
			t.Errorf("one in %d refused: overloaded for %d ms", row.refusedEvery, lasts)
		}
	}
}

func TestGrowingQueue(t *testing.T) {
	now := marketcache.Now()
	// run observes every millisecond for a duration d and reports whether growth was detected;
	// waiting returns the queue length at each millisecond.
	run := func(d time.Duration, queue func(ms int) bool, waiting func(ms int) int) (grown bool) {
		var g overloadDetector
		now = now.Add(time.Hour)
		counted := 0
		for ms := range int(d / time.Millisecond) {
			now = now.Add(time.Millisecond)
			length := func() int { counted++; return waiting(ms) }
			grown = g.observe(&observation{at: now, excess: -1, queued: queue(ms), minLength: 20, length: length}) ||
				grown
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
		if got := run(60*time.Millisecond, row.queue, row.waiting); got != row.want {
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
