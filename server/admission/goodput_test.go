package admission

import (
	"sync"
	"testing"
	"time"

	"ballast/server/transport"
)

// caller is a connection whose requests come one after the other.
type caller struct {
	simulated
	transport.Insistence
}

// closedLoop is a number of callers that ask again a while after each answer and each refusal.
type closedLoop struct {
	kind                          Kind
	callers                       int
	service, thinks, afterRefusal time.Duration
}

// run asks for a time.
func (l *closedLoop) run(s *simulation, lasts time.Duration) {
	var wg sync.WaitGroup
	one := load{name: "closed", kind: l.kind, trades: 1, service: l.service}
	for range l.callers {
		wg.Go(func() {
			c := new(caller)
			for began := time.Now(); time.Since(began) < lasts; {
				if s.ask(&one, c) == Admitted {
					time.Sleep(l.thinks)
				} else {
					time.Sleep(l.thinks + l.afterRefusal)
				}
			}
		})
	}
	wg.Wait()
}

// openLoop sends requests at even distances, each on the connection that was free longest.
func openLoop(s *simulation, one *load, every, lasts time.Duration) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var free []*caller
	for began := time.Now(); time.Since(began) < lasts; time.Sleep(every) {
		mu.Lock()
		c := new(caller)
		if len(free) > 0 {
			c, free = free[0], free[1:]
		}
		mu.Unlock()
		wg.Go(func() {
			s.ask(one, c)
			time.Sleep(50 * us)
			mu.Lock()
			free = append(free, c)
			mu.Unlock()
		})
	}
	wg.Wait()
}

// Callers that ask again at once get at least 0.75 of the answers that the processor can give. Nine of ten
// refusals come within 25 ms: after 15 ms once the overload is known.
// Injects the fault closed-loop of docs/faults.md.
func TestGoodputOfClosedLoops(t *testing.T) {
	takesLong(t)
	const lasts = 2 * time.Second
	for _, kind := range []struct {
		kind    Kind
		service time.Duration
	}{{Plain, 80 * us}, {Monitor, 170 * us}, {Simulation, 600 * us}, {Batch, 3 * ms}} {
		for _, callers := range []int{16, 64, 256} {
			for name, after := range map[string]time.Duration{"at once": 0, "after a second": time.Second} {
				s := newSimulation(1)
				l := closedLoop{kind.kind, callers, kind.service, 50 * us, after}
				s.run(t, func() { l.run(s, lasts) })
				o := s.outcomes["closed"]
				share := float64(o.answered) * float64(kind.service+refusalTime) / float64(lasts)
				t.Logf("%v %d %s: %.2f, %d refused, p50 %v p99 %v", kind.kind, callers, name, share, o.refused,
					percentile(o.refusals, 0.5), percentile(o.refusals, 0.99))
				if after == 0 && share < 0.75 {
					t.Errorf("%v, %d callers: %g of what can be answered", kind.kind, callers, share)
				}
				if p90 := percentile(o.refusals, 0.9); after == 0 && p90 > 25*ms {
					t.Errorf("%v, %d callers: p90 %v to a refusal", kind.kind, callers, p90)
				}
			}
		}
	}
}

// In an open loop nine of ten refusals come within 5 ms. The others are of the time before the overload was
// known, or on a connection that was used again at once.
// Injects the fault overload of docs/faults.md.
func TestRefusalsOfOpenLoops(t *testing.T) {
	takesLong(t)
	for _, kind := range []struct {
		kind    Kind
		service time.Duration
	}{{Plain, 100 * us}, {Monitor, 170 * us}, {Simulation, 600 * us}} {
		for _, times := range []time.Duration{2, 4} {
			s := newSimulation(1)
			one := load{name: "open", kind: kind.kind, trades: 1, service: kind.service}
			s.run(t, func() { openLoop(s, &one, kind.service/times, time.Second) })
			o := s.outcomes["open"]
			t.Logf("%v %d times: %d answered %d refused, p50 %v p99 %v", kind.kind, times, o.answered, o.refused,
				percentile(o.refusals, 0.5), percentile(o.refusals, 0.99))
			if p90 := percentile(o.refusals, 0.9); p90 > 5*ms || o.refused == 0 {
				t.Errorf("%v: p90 %v to a refusal", kind.kind, p90)
			}
		}
	}
}
