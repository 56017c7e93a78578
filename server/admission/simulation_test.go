package admission

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// load is a stream of requests of one kind, by arrival and service times.
type load struct {
	name     string
	kind     Kind
	trades   int
	from, to time.Duration // since the start of the simulation
	every    time.Duration // mean time between two arrivals at random times; 0: no such arrivals
	count    int           // number of requests that arrive together at from
	service  time.Duration // of each request
}

// outcome holds the results of the requests of a load.
type outcome struct {
	answered, refused int
	latencies         []time.Duration // of the answered requests
	refusals          []time.Duration // time from arrival to each refusal
}

func percentile(d []time.Duration, p float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[int(p*float64(len(d)-1))]
}

// simulatedProcessors is the number of processors of the simulated machine.
const simulatedProcessors = 2

// simulation is a service on a virtual clock: processors that serve requests in order of
// arrival, and the controller under test. A pause occupies all processors.
type simulation struct {
	c          *Controller
	processors chan struct{}
	unread     atomic.Int64
	mu         sync.Mutex
	outcomes   map[string]*outcome
}

// simulated is the Arrival of a simulated request: each comes in a read of its own, and the
// kernel's clock has a resolution of 1 ms.
type simulated struct{ came time.Time }

func (simulated) Pipelined() bool { return false }
func (s simulated) SinceLastByte() time.Duration {
	return time.Since(s.came).Truncate(time.Millisecond)
}

// refusalTime is the processor time of a simulated refusal.
const refusalTime = 15 * time.Microsecond

func (s *simulation) request(l *load) { s.ask(l, new(caller)) }

// ask sends a request and returns how it ended.
func (s *simulation) ask(l *load, by *caller) Refusal {
	came := time.Now()
	by.came = came
	s.unread.Add(1)
	s.processors <- struct{}{}
	s.unread.Add(-1)
	by.Came(int64(s.c.cfg.Now().Add(-by.SinceLastByte())))
	t, refusal := s.c.Admit(l.kind, l.trades, s.c.cfg.Now(), by)
	if refusal == Admitted && t.queue != nil {
		<-s.processors
		_, refusal = t.Wait()
		s.processors <- struct{}{}
	}
	for done := 0; done < l.trades && refusal == Admitted; done++ {
		s.compute(l.service/time.Duration(l.trades), t.turn != nil)
		if l.trades > 1 && !t.Progress(done+1, s.c.cfg.Now()) {
			refusal = TooLate
		}
	}
	t.Done()
	if refusal != Admitted {
		time.Sleep(refusalTime)
		by.Refused(int64(s.c.cfg.Now()))
	}
	<-s.processors
	s.note(l.name, refusal, time.Since(came))
	return refusal
}

// compute occupies a processor for d. If yields is set, it yields it in between as Ticket.Yield does.
func (s *simulation) compute(d time.Duration, yields bool) {
	for ; yields && d > workBudget; d -= workBudget {
		time.Sleep(workBudget)
		<-s.processors
		s.processors <- struct{}{}
	}
	time.Sleep(d)
}

func (s *simulation) note(name string, refusal Refusal, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.outcomes[name]
	if o == nil {
		o = new(outcome)
		s.outcomes[name] = o
	}
	if refusal == Admitted {
		o.answered++
		o.latencies = append(o.latencies, took)
		return
	}
	o.refused++
	o.refusals = append(o.refusals, took)
}

// simulate runs the loads and returns the outcome of each load. At pauseAt the machine pauses
// for the duration pause.
func simulate(t *testing.T, loads []load, pauseAt, pause time.Duration) map[string]*outcome {
	s := newSimulation(simulatedProcessors)
	for _, l := range loads {
		s.outcomes[l.name] = new(outcome)
	}
	s.run(t, func() { s.play(loads, pauseAt, pause) })
	return s.outcomes
}

func newSimulation(processors int) *simulation {
	return &simulation{processors: make(chan struct{}, processors), outcomes: map[string]*outcome{}}
}

// run runs a load on the virtual clock. Then nothing is left in the system.
func (s *simulation) run(t *testing.T, load func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cap(s.processors)))
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s.processors = make(chan struct{}, cap(s.processors))
		s.c = New(Config{
			Capacity: 256, MaxWait: DefaultMaxWait, Timeout: 10 * time.Second, Simulators: 1,
			Unread: func() int { return int(s.unread.Load()) },
			Now:    func() marketcache.Instant { return marketcache.Instant(time.Since(start) + time.Hour) },
		})
		defer s.c.Close()
		load()
		for kind := range KindCount {
			if n := s.c.InQueue(kind); n != 0 {
				t.Errorf("%v: left %d in the queue", kind, n)
			}
		}
		if in, outside := s.c.InSystem(), s.c.Outside(); in != 0 || outside != 0 {
			t.Errorf("left: %d in the system, %d outside", in, outside)
		}
	})
}

// play sends the requests of the loads and waits for their ends.
func (s *simulation) play(loads []load, pauseAt, pause time.Duration) {
	var wg sync.WaitGroup
	for i := range loads {
		l := &loads[i]
		random := rand.New(rand.NewPCG(1, uint64(i)))
		wg.Go(func() {
			time.Sleep(l.from)
			for range l.count {
				wg.Go(func() { s.request(l) })
			}
			for begun := time.Now(); l.every > 0 && time.Since(begun) < l.to-l.from; {
				time.Sleep(time.Duration(random.ExpFloat64() * float64(l.every)))
				wg.Go(func() { s.request(l) })
			}
		})
	}
	for range cap(s.processors) {
		wg.Go(func() {
			time.Sleep(pauseAt)
			if pause > 0 {
				s.processors <- struct{}{}
				time.Sleep(pause)
				<-s.processors
			}
		})
	}
	wg.Wait()
}

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// Within the capacity, bursts and pauses cause no refusal.
func TestNothingIsRefusedWithinTheCapacity(t *testing.T) {
	plain := load{name: "plain", kind: Plain, trades: 1, to: 2 * time.Second, every: 100 * us, service: 100 * us}
	burst := load{name: "burst", kind: Plain, trades: 1, from: time.Second, count: 400, service: 100 * us}
	batches := load{name: "batches", kind: Batch, trades: 50, service: 3 * ms}
	many := batches
	many.to, many.every = 2*time.Second, 10*ms
	simulations := load{name: "simulations", kind: Simulation, trades: 1, service: 600 * us}
	simulations.to, simulations.every = 2*time.Second, 4*ms
	batches.count = 30
	for _, row := range []struct {
		name  string
		loads []load
		pause time.Duration
	}{
		{"half the capacity", []load{plain}, 0},
		{"a burst on top", []load{plain, burst}, 0},
		{"a pause of 20 ms", []load{plain}, 20 * ms},
		{"a pause of 90 ms", []load{plain}, 90 * ms},
		{"batches beside", []load{plain, many}, 0},
		{"a burst of batches", []load{batches}, 0},
		{"simulations beside", []load{plain, simulations}, 0},
	} {
		for name, o := range simulate(t, row.loads, time.Second, row.pause) {
			if o.refused != 0 || o.answered == 0 {
				t.Errorf("%s: %s: %d answered, %d refused", row.name, name, o.answered, o.refused)
			}
		}
	}
}

// takesLong skips a long test in short runs.
func takesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
}

// Under overload refusals and answers of every kind are quick, and little of the capacity is lost, from the
// first request that the service ever gets.
// Injects the fault overload of docs/faults.md.
func TestOverloadOnAVirtualClock(t *testing.T) {
	takesLong(t)
	for _, row := range []struct {
		kind            Kind
		trades          int
		service         time.Duration
		workers         int           // requests of the kind that the machine works on at once
		times           float64       // arrivals, as a multiple of what the workers can serve
		refusal, answer time.Duration // upper bounds of the p99
	}{
		{Plain, 1, 200 * us, 2, 4, 60 * ms, 60 * ms},
		{Plain, 1, 200 * us, 2, 2, 60 * ms, 60 * ms},
		{Plain, 1, 50 * us, 2, 2, 60 * ms, 60 * ms},
		{Monitor, 1, 300 * us, 2, 2, 60 * ms, 60 * ms},
		{Monitor, 1, 3 * ms, 2, 2, 120 * ms, 120 * ms},
		{Stress, 1, 100 * us, 2, 2, 60 * ms, 60 * ms},
		{Batch, 50, 3 * ms, 2, 4, 10 * ms, 40 * ms},
		{Batch, 50, 3 * ms, 2, 2, 10 * ms, 60 * ms},
		{Simulation, 1, 600 * us, 1, 4, 10 * ms, 30 * ms},
		{Simulation, 1, 600 * us, 1, 3, 10 * ms, 30 * ms},
		{Simulation, 1, 300 * us, 1, 4, 10 * ms, 2 * DefaultMaxWait}, // whose queue is soon full
		{SimulatedBatch, 50, 20 * ms, 1, 2, 60 * ms, 400 * ms},
		{Record, 1, 5 * ms, 1, 2, 60 * ms, 120 * ms},
	} {
		capacity := float64(row.workers) / float64(row.service)
		o := simulate(t, []load{{
			name: "over", kind: row.kind, trades: row.trades, to: 3 * time.Second, service: row.service,
			every: time.Duration(1 / (row.times * capacity)),
		}}, 0, 0)["over"]
		name := fmt.Sprintf("%v of %v, %g times the capacity", row.kind, row.service, row.times)
		refusal, answer := percentile(o.refusals, 0.99), percentile(o.latencies, 0.99)
		t.Logf("%s: %d answered, p50 %v, p99 %v; %d refused, p50 %v, p99 %v", name, o.answered,
			percentile(o.latencies, 0.5), answer, o.refused, percentile(o.refusals, 0.5), refusal)
		if refusal > row.refusal || answer > row.answer || o.refused == 0 {
			t.Errorf("%s: %d refused, p99 %v to a refusal and %v to an answer", name, o.refused, refusal, answer)
		}
		if share := float64(o.answered) / (3e9 * capacity); share < 0.4 {
			t.Errorf("%s: answers %g of what can be served", name, share)
		}
	}
}

// As soon as the overload ends, everything is answered again.
func TestOverloadEnds(t *testing.T) {
	outcomes := simulate(t, []load{
		{name: "over", kind: Plain, trades: 1, to: time.Second, every: 25 * us, service: 200 * us},
		{name: "after", kind: Plain, trades: 1, from: 1300 * ms, to: 3 * time.Second, every: 400 * us, service: 200 *
			us},
	}, 0, 0)
	if o := outcomes["over"]; o.refused == 0 {
		t.Error("nothing was refused in the overload")
	}
	if o := outcomes["after"]; o.refused != 0 || percentile(o.latencies, 0.99) > 5*ms {
		t.Errorf("0.3 s later: %d answered, p99 %v, %d refused", o.answered, percentile(o.latencies, 0.99), o.refused)
	}
}

// Overload of one kind does not cause refusals of the other kinds.
func TestKindsDoNotDisturbEachOther(t *testing.T) {
	outcomes := simulate(t, []load{
		{name: "plain", kind: Plain, trades: 1, to: 3 * time.Second, every: 200 * us, service: 100 * us},
		{name: "simulations", kind: Simulation, trades: 1, to: 3 * time.Second, every: 300 * us, service: 600 * us},
	}, 0, 0)
	if o := outcomes["plain"]; o.refused != 0 || percentile(o.latencies, 0.99) > 5*ms {
		t.Errorf("plain: %d answered, p99 %v, %d refused", o.answered, percentile(o.latencies, 0.99), o.refused)
	}
	if o := outcomes["simulations"]; o.refused == 0 || o.answered < 3000 {
		t.Errorf("simulations: %d answered, %d refused", o.answered, o.refused)
	}
}

// A request that cannot finish before the timeout is refused at once, and every other request
// finishes: of eight batches of 8 s that arrive together, one fits into 10 s, and of batches of 1.9 s three.
// Injects the fault impossible-work of docs/faults.md.
func TestWorkThatCannotBeFinishedIsRefused(t *testing.T) {
	heavy := func(name string, count int, from, service time.Duration) load {
		return load{name: name, kind: SimulatedBatch, trades: 50, from: from, count: count, service: service}
	}
	outcomes := simulate(t, []load{
		heavy("together", 8, 0, 8*time.Second),
		heavy("later", 3, 5*time.Second, 8*time.Second),
		heavy("hopeless", 1, 20*time.Second, 80*time.Second),
		heavy("light", 8, 30*time.Second, 100*ms), // after the 8 s batches
		heavy("medium", 12, 40*time.Second, 1900*ms),
	}, 0, 0)
	for _, row := range []struct {
		name     string
		answered int
		refusal  time.Duration // upper bound of the last
	}{
		{"together", 1, 500 * ms}, {"later", 0, ms}, {"hopeless", 0, 3 * time.Second},
		{"light", 8, 0}, {"medium", 3, 500 * ms},
	} {
		if o := outcomes[row.name]; o.answered != row.answered || percentile(o.refusals, 1) > row.refusal {
			t.Errorf("%s: %d answered, the last refused after %v", row.name, o.answered, percentile(o.refusals, 1))
		}
	}
}
