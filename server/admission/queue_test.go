package admission

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

func newController(t *testing.T, change func(*Config)) *Controller {
	t.Helper()
	cfg := Config{Capacity: 8, MaxWait: DefaultMaxWait, Timeout: 10 * time.Second, Simulators: 1}
	cfg.Unread = func() int { return 0 }
	if change != nil {
		change(&cfg)
	}
	c := New(cfg)
	t.Cleanup(c.Close)
	return c
}

// onVirtualClock runs a test in a bubble, whose clock starts in 2000, at a time after the start of the process:
// Instants count from that.
func onVirtualClock(t *testing.T, test func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(40 * 365 * 24 * time.Hour)
		test(t)
	})
}

// newQueue returns a queue with two workers, two turns each, and a large capacity.
func newQueue(t *testing.T, maxWait time.Duration) *workQueue {
	c := newController(t, func(cfg *Config) { cfg.Capacity, cfg.MaxWait = 1000, maxWait })
	q := newWorkQueue(c, Batch, rule{share: 1, workers: 2, turns: 2})
	t.Cleanup(q.close)
	return q
}

// Every kind has a row in the table, and the queued kinds together leave room for the others.
func TestKinds(t *testing.T) {
	taken := 0.0
	for kind, r := range rules(1) {
		if r.turns < 1 || r.workers < 1 || Kind(kind).String() == "" {
			t.Errorf("kind %d has no rule", kind)
		}
		if Kind(kind).Queued() {
			taken += 1 / float64(r.share)
		}
	}
	if taken >= 1 {
		t.Errorf("the kinds that queue may take %g of the capacity", taken)
	}
}

// At most Capacity requests are in the system, and at most half of Capacity wait for the venue.
func TestCapacity(t *testing.T) {
	c := newController(t, nil)
	var tickets []Ticket
	for i := range 9 {
		ticket, refusal := c.Admit(Plain, 1, marketcache.Now(), nil)
		if (refusal == Full) != (i == 8) {
			t.Fatalf("request %d: %v", i, refusal)
		}
		tickets = append(tickets, ticket)
	}
	for i := range 8 {
		if tickets[i].BeginOutside() != (i < 4) || i < 4 && !tickets[i].BeginOutside() {
			t.Errorf("request %d: wrong answer to whether it may wait for the venue", i)
		}
	}
	tickets[0].EndOutside()
	if !tickets[4].BeginOutside() {
		t.Error("no capacity after a request has ended")
	}
	for i := range tickets {
		tickets[i].Done()
		tickets[i].Done() // a second Done has no effect
	}
	if c.InSystem() != 0 || c.Outside() != 0 {
		t.Errorf("left: %d, %d outside", c.InSystem(), c.Outside())
	}
}

// A burst may wait in a queue; under overload only a few requests may.
func TestQueueThatIsOverloaded(t *testing.T) {
	const workers, each = 2, time.Millisecond
	q := newQueue(t, 4*time.Millisecond)
	q.cost.ns.Store(q.width * int64(each))
	c := &Controller{cfg: Config{Timeout: time.Hour}}
	now := marketcache.Now()
	// ask sends one request per millisecond, 200 in all; inSystem gives the queue's occupancy.
	ask := func(inSystem func(ms int) int64) (refused int) {
		for ms := range 200 {
			now = now.Add(time.Millisecond)
			q.inSystem.Store(inSystem(ms))
			if t := (Ticket{controller: c, arrived: now}); q.enter(&t, false) != Admitted || t.held {
				if t.held {
					q.refuse(&t) // as if no turn had come in time
				}
				refused++
			}
		}
		return refused
	}
	always := func(n int64) func(int) int64 { return func(int) int64 { return n } }
	few, many := int64(roomPerWorker*workers-1), int64(longQueue*workers-1)
	tooMany := many + int64(farTooLong/each)
	for _, row := range []struct {
		name     string
		inSystem func(int) int64
		min, max int
	}{
		{"not too many", always(many - 1), 0, 0},
		{"too many", always(many), 90, 110},
		{"kept short by refusing", always(few + 1), 90, 200},
		{"few", always(few), 0, 0},
		{"far too many", always(tooMany), 180, 195},
		{"few again", always(few), 0, 0},
		{"a burst that is worked off", func(ms int) int64 { return max(0, int64(60-ms)) }, 0, 0},
		{"more than can be served", func(ms int) int64 { return min(3*int64(ms)/2, 30) }, 150, 185},
		{"few once more", always(few), 0, 0},
		{"not too many, after the overload", always(many - 1), 0, 0},
	} {
		if n := ask(row.inSystem); n < row.min || n > row.max {
			t.Errorf("%s: %d of 200 refused, want %d to %d", row.name, n, row.min, row.max)
		}
	}
	q.maxWait = 0
	if n := ask(always(tooMany)); n != 0 {
		t.Errorf("%d of 200 refused, want none", n)
	}
	q.capacity = tooMany
	if n := ask(always(tooMany)); n != 200 {
		t.Errorf("%d of 200 refused without capacity", n)
	}
}

// Turns are granted in order of arrival, at most width at once. While the queue is overloaded, a
// request whose turn comes is refused if more requests than room are in the queue.
// Injects the fault impossible-work of docs/faults.md.
func TestTurns(t *testing.T) { onVirtualClock(t, testTurns) }

// enter admits a request.
func enter(t *testing.T, c *Controller, kind Kind) *Ticket {
	t.Helper()
	ticket, refusal := c.Admit(kind, 1, marketcache.Now(), nil)
	if refusal != Admitted {
		t.Fatal(refusal)
	}
	return &ticket
}

func testTurns(t *testing.T) {
	const waiting = 10
	c := newController(t, func(cfg *Config) { cfg.Capacity = 1000 })
	q := c.queues[Simulation]
	var mine []*Ticket
	for range q.width {
		ticket := enter(t, c, Simulation)
		if waited, refusal := ticket.Wait(); waited || refusal != Admitted {
			t.Fatal("a free turn was not given")
		}
		if waited, refusal := ticket.Wait(); waited || refusal != Admitted {
			t.Fatal("a request with a turn waits")
		}
		mine = append(mine, ticket)
	}
	var mu sync.Mutex
	var order []int
	refused := 0
	var wg sync.WaitGroup
	for i := range waiting {
		ticket := enter(t, c, Simulation)
		wg.Go(func() {
			waited, refusal := ticket.Wait()
			if !waited {
				t.Error("the request did not wait for a turn")
			}
			mu.Lock()
			if refusal == Admitted {
				order = append(order, i)
			} else {
				refused++
			}
			mu.Unlock()
			ticket.Done()
		})
		synctest.Wait() // this request queues before the next one
		if i < waiting/2 {
			time.Sleep(2 * recheckInterval)
		}
		if i == waiting/2 {
			mine[0].BeginOutside() // gives the turn back, so the requests run one after the other
			synctest.Wait()
			mine[0].Wait()
		}
	}
	for i, who := range order {
		if who != i {
			t.Errorf("turns were given in the order %v", order)
		}
	}
	if len(order) != waiting/2+1 {
		t.Errorf("turns %v, want the first %d", order, waiting/2+1)
	}
	q.detector.overloaded.Store(true)
	for _, ticket := range mine {
		ticket.Done()
	}
	wg.Wait()
	if left := waiting - waiting/2 - 1; refused == 0 || refused > left-int(q.room)+1 {
		t.Errorf("%d refused of %d, with room for %d", refused, left, q.room)
	}
	if n := q.inSystem.Load(); n != 0 || c.InSystem() != 0 {
		t.Errorf("%d requests are still counted, %d in the system", n, c.InSystem())
	}
}

// A request whose timeout passes while it waits is refused, also where it is not known how long a trade takes.
func TestWaitEndsWithTheTimeout(t *testing.T) {
	onVirtualClock(t, func(t *testing.T) {
		c := newController(t, func(cfg *Config) { cfg.Capacity = 1000 })
		var first []*Ticket
		for range c.queues[Record].width {
			first = append(first, enter(t, c, Record))
		}
		last := enter(t, c, Record)
		for _, ticket := range first {
			ticket.Wait()
		}
		began := time.Now()
		go func() { // so that the test fails rather than waits for ever
			time.Sleep(time.Minute)
			for _, ticket := range first {
				ticket.Done()
			}
		}()
		waited, refusal := last.Wait()
		if !waited || refusal != TooLate || time.Since(began) > c.cfg.Timeout+2*recheckInterval {
			t.Errorf("waited %v, %v after %v", waited, refusal, time.Since(began))
		}
		last.Done()
		time.Sleep(2 * time.Minute)
	})
}

// A request that waits when the overload begins is served when its turn comes; those behind it that came just
// now are refused.
// Injects the fault overload of docs/faults.md.
func TestLongWaitIsNotInVain(t *testing.T) {
	onVirtualClock(t, func(t *testing.T) {
		c := newController(t, func(cfg *Config) { cfg.Capacity = 1000 })
		q := c.queues[SimulatedBatch]
		var wg sync.WaitGroup
		var refusals [8]Refusal
		ask := func(i int) {
			ticket := enter(t, c, SimulatedBatch)
			wg.Go(func() {
				if _, refusals[i] = ticket.Wait(); refusals[i] == Admitted {
					time.Sleep(2 * time.Second)
				}
				ticket.Done()
			})
			synctest.Wait()
		}
		for i := range 4 {
			ask(i)
		}
		q.detector.overloaded.Store(true)
		time.Sleep(8*time.Second - time.Millisecond) // until the last of them is nearly done
		for i := range 4 {
			ask(4 + i)
		}
		q.detector.overloaded.Store(true) // it has ended in the silence
		wg.Wait()
		for i, r := range refusals[:4] {
			if r != Admitted {
				t.Errorf("request %d: %v", i, r)
			}
		}
		if refused := strings.Count(fmt.Sprint(refusals[4:]), QueueFull.String()); refused < 2 || refused > 3 {
			t.Errorf("%d refused of 4, with room for %d", refused, q.room)
		}
	})
}

// The cost of a kind is a moving average of earlier requests, each capped.
func TestCost(t *testing.T) {
	for kind := range KindCount {
		c := newController(t, nil)
		limit := map[bool]time.Duration{false: maxShort, true: maxQueued}[kind.Queued()]
		learn := func(took time.Duration) time.Duration { c.learn(kind, took); return c.Cost(kind) }
		if got := learn(4 * ms); got != 4*ms {
			t.Errorf("%v: after one of 4 ms: %v", kind, got)
		}
		for range 400 {
			learn(time.Hour)
		}
		if got := learn(time.Hour); got < limit*95/100 || got > limit {
			t.Errorf("%v: after many of an hour: %v", kind, got)
		}
		for other := range KindCount {
			if other != kind && c.Cost(other) != 0 {
				t.Errorf("%v has learned from %v", other, kind)
			}
		}
	}
}

// Done learns the time of the work alone: not that of waits for the venue or for a turn, nor of a request
// that ends while it waits.
func TestDoneLearnsTheWork(t *testing.T) {
	onVirtualClock(t, func(t *testing.T) {
		for kind := range KindCount {
			c := newController(t, func(cfg *Config) { cfg.Capacity = 64 })
			run := func(work time.Duration) {
				ticket, refusal := c.Admit(kind, 1, marketcache.Now(), nil)
				if refusal != Admitted {
					t.Fatal(kind, refusal)
				}
				ticket.BeginOutside()
				time.Sleep(time.Second)
				if work > 0 {
					ticket.Wait()
					ticket.EndOutside()
					time.Sleep(work)
					ticket.Progress(1, marketcache.Now())
				}
				if q := c.queues[kind]; q != nil && q.perTrade != 0 {
					t.Errorf("%v: the first trade counts for those after it", kind)
				}
				ticket.Done()
			}
			run(0)
			if got := c.Cost(kind); got != 0 {
				t.Errorf("%v: learned %v of a request that has not worked", kind, got)
			}
			run(3 * ms)
			if got := c.Cost(kind); got != 3*ms {
				t.Errorf("%v: learned %v of 3 ms", kind, got)
			}
		}
	})
}

// way is a fixed Arrival of a test request.
type way struct {
	pipelined bool
	waited    time.Duration
}

func (w way) Pipelined() bool              { return w.pipelined }
func (w way) Insists() bool                { return false }
func (w way) SinceLastByte() time.Duration { return w.waited }

// A growing number of unread sockets means overload, even while every wait is acceptable.
func TestSocketsThatGrow(t *testing.T) {
	unread := 0
	c := newController(t, func(cfg *Config) { cfg.Unread = func() int { unread += 20; return unread } })
	c.sockets.mean.ns.Store(int64(maxShort)) // a wait is too long only above 160 ms
	at, took := marketcache.Now(), 0
	for ; !c.sockets.detector.overloaded.Load(); took++ {
		ticket, _ := c.Admit(Plain, 1, at.Add(time.Duration(took)*lookInterval), way{false, 2 * DefaultMaxWait})
		ticket.Cancel()
		if took > 100 {
			t.Fatal("never overloaded")
		}
	}
	if min := int(2 * growthInterval / lookInterval); took < min {
		t.Errorf("overloaded after %d ms, before it has grown twice", took)
	}
}

// A pipelined request, or a request with unknown arrival time, is not refused for its wait while
// the sockets are not overloaded.
func TestArrivalsThatSayNothingAboutTheQueue(t *testing.T) {
	c := newController(t, nil)
	now := marketcache.Now()
	for range 1000 {
		now = now.Add(time.Millisecond)
		for _, a := range []Arrival{nil, way{true, time.Hour}} {
			ticket, refusal := c.Admit(Plain, 1, now, a)
			if refusal != Admitted {
				t.Fatal(refusal)
			}
			ticket.Done()
		}
	}
}

// A held request is refused when the service ends, at once, and leaves nothing behind. One that has its turn goes on.
func TestHeldAtTheEnd(t *testing.T) {
	onVirtualClock(t, func(t *testing.T) {
		c := newController(t, func(cfg *Config) { cfg.Capacity = 1000 })
		q := c.queues[Batch]
		var running []*Ticket
		for range q.width {
			ticket := enter(t, c, Batch)
			if _, refusal := ticket.Wait(); refusal != Admitted {
				t.Fatal(refusal)
			}
			running = append(running, ticket)
		}
		began, done := marketcache.Now(), make(chan Refusal, 3)
		for range cap(done) {
			ticket := &Ticket{controller: c, kind: Batch, arrived: began, trades: 1,
				left: 1} // a held one as Admit makes it
			q.hold(ticket, true)
			go func() {
				_, refusal := ticket.Wait()
				done <- refusal
			}()
		}
		synctest.Wait()
		c.Drain()
		for range cap(done) {
			if refusal := <-done; refusal == Admitted {
				t.Error("a held request was admitted at the end")
			}
		}
		if took := marketcache.Now().Sub(began); took > 0 {
			t.Errorf("held requests were refused %v after the end began", took)
		}
		for _, ticket := range running {
			ticket.Done()
		}
		if n := q.inSystem.Load(); n != 0 || c.InSystem() != 0 {
			t.Errorf("%d requests are still counted, %d in the system", n, c.InSystem())
		}
	})
}
