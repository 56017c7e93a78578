package admission

import (
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

func (s *simulation) request(l *load) {
	came := time.Now()
	s.unread.Add(1)
	s.processors <- struct{}{}
	s.unread.Add(-1)
	t, refusal := s.c.Admit(l.kind, l.trades, s.c.cfg.Now(), simulated{came})
	if refusal == Admitted && t.queue != nil {
		<-s.processors
		_, refusal = t.Wait()
		s.processors <- struct{}{}
	}
	for done := 0; done < l.trades && refusal == Admitted; done++ {
		s.compute(l.service / time.Duration(l.trades))
		if l.kind == SimulatedBatch && !t.Progress(done+1, s.c.cfg.Now()) {
			refusal = TooLate
		}
	}
	t.Done(s.c.cfg.Now())
	if refusal != Admitted {
		time.Sleep(refusalTime)
	}
	<-s.processors
	s.note(l.name, refusal, time.Since(came))
}

// compute occupies a processor for d, and yields it in between as Ticket.Yield does.
func (s *simulation) compute(d time.Duration) {
	for ; d > workBudget; d -= workBudget {
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
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(simulatedProcessors))
	s := &simulation{outcomes: map[string]*outcome{}}
	for _, l := range loads {
		s.outcomes[l.name] = new(outcome)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s.processors = make(chan struct{}, simulatedProcessors)
		s.c = New(Config{
			Capacity: 256, MaxWait: DefaultMaxWait, Timeout: 10 * time.Second, Simulators: 1,
			Unread: func() int { return int(s.unread.Load()) },
			Now:    func() marketcache.Instant { return marketcache.Instant(time.Since(start) + time.Hour) },
		})
		defer s.c.Close()
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
		for range simulatedProcessors {
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
		if in, outside, working := s.c.InSystem(), s.c.Outside(), s.c.sockets.working.Load(); in != 0 || outside != 0 || working != 0 {
			t.Errorf("left: %d in the system, %d outside, %d working", in, outside, working)
		}
	})
	return s.outcomes
}

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// Within the capacity, bursts and pauses cause no refusal.
func TestNothingIsRefusedWithinTheCapacity(t *testing.T) {
	plain := load{name: "plain", kind: Plain, trades: 1, to: 2 * time.Second, every: 100 * us, service: 100 * us}
	burst := load{name: "burst", kind: Plain, trades: 1, from: time.Second, count: 400, service: 100 * us}
	for _, row := range []struct {
		name  string
		loads []load
		pause time.Duration
	}{
		{"half the capacity", []load{plain}, 0},
		{"a burst on top", []load{plain, burst}, 0},
		{"a pause of 20 ms", []load{plain}, 20 * ms},
		{"a pause of 90 ms", []load{plain}, 90 * ms},
		{"batches beside", []load{plain, {name: "batches", kind: Batch, trades: 50, to: 2 * time.Second, every: 10 * ms, service: 3 * ms}}, 0},
		{"a burst of batches", []load{{name: "batches", kind: Batch, trades: 50, count: 30, service: 3 * ms}}, 0},
		{"simulations beside", []load{plain, {name: "simulations", kind: Simulation, trades: 1, to: 2 * time.Second, every: 4 * ms, service: 600 * us}}, 0},
	} {
		for name, o := range simulate(t, row.loads, time.Second, row.pause) {
			if o.refused != 0 || o.answered == 0 {
				t.Errorf("%s: %s: %d answered, %d refused", row.name, name, o.answered, o.refused)
			}
		}
	}
}

// Under overload refusals and answers are quick, and little of the capacity is lost.
// Injects the fault overload of docs/faults.md.
func TestOverloadOnAVirtualClock(t *testing.T) {
	over := func(kind Kind, trades int, service, every time.Duration) load {
		return load{name: "over", kind: kind, trades: trades, to: 3 * time.Second, every: every, service: service}
	}
	for _, row := range []struct {
		name            string
		load            load
		capacity        float64       // answers in 3 s if the processors did nothing else
		refusal, answer time.Duration // upper bounds of the p99
	}{
		{"plain at four times the capacity", over(Plain, 1, 200*us, 25*us), 30_000, 60 * ms, 60 * ms},
		{"plain at twice the capacity", over(Plain, 1, 200*us, 50*us), 30_000, 60 * ms, 60 * ms},
		{"batches at four times the capacity", over(Batch, 50, 3*ms, 375*us), 2_000, 10 * ms, 40 * ms},
		{"simulations at four times the capacity", over(Simulation, 1, 600*us, 150*us), 5_000, 10 * ms, 30 * ms},
		{"quick simulations, whose queue is soon full", over(Simulation, 1, 300*us, 75*us), 10_000, 10 * ms, 2 * DefaultMaxWait},
	} {
		o := simulate(t, []load{row.load}, 0, 0)["over"]
		refusal, answer := percentile(o.refusals, 0.99), percentile(o.latencies, 0.99)
		t.Logf("%s: %d answered, p50 %v, p99 %v; %d refused, p50 %v, p99 %v", row.name, o.answered, percentile(o.latencies, 0.5), answer,
			o.refused, percentile(o.refusals, 0.5), refusal)
		if refusal > row.refusal || answer > row.answer || o.refused == 0 {
			t.Errorf("%s: %d refused, p99 %v to a refusal and %v to an answer", row.name, o.refused, refusal, answer)
		}
		if float64(o.answered) < 0.4*row.capacity {
			t.Errorf("%s: %d answered", row.name, o.answered)
		}
	}
}

// As soon as the overload ends, everything is answered again.
func TestOverloadEnds(t *testing.T) {
	outcomes := simulate(t, []load{
		{name: "over", kind: Plain, trades: 1, to: time.Second, every: 25 * us, service: 200 * us},
		{name: "after", kind: Plain, trades: 1, from: 1300 * ms, to: 3 * time.Second, every: 400 * us, service: 200 * us},
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
	if o := outcomes["together"]; o.answered != 1 || percentile(o.refusals, 1) > 500*ms {
		t.Errorf("together: %d answered, the last refused after %v", o.answered, percentile(o.refusals, 1))
	}
	if o := outcomes["later"]; o.answered != 0 || percentile(o.refusals, 1) > ms {
		t.Errorf("later: %d answered, the last refused after %v", o.answered, percentile(o.refusals, 1))
	}
	if o := outcomes["hopeless"]; o.answered != 0 || percentile(o.refusals, 1) > 3*time.Second {
		t.Errorf("hopeless: %d answered, the last refused after %v", o.answered, percentile(o.refusals, 1))
	}
	if o := outcomes["light"]; o.answered != 8 {
		t.Errorf("light: %d answered, %d refused", o.answered, o.refused)
	}
	if o := outcomes["medium"]; o.answered != 3 || percentile(o.refusals, 1) > 500*ms {
		t.Errorf("medium: %d answered, the last refused after %v", o.answered, percentile(o.refusals, 1))
	}
}
