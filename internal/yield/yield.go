// Package yield lets the network go first.
//
// runtime.Gosched is not enough where all goroutines share one processor: a scheduler asks
// for network events when nothing else can run, and a goroutine that yields can run. While
// it works through a burst, its Goscheds notwithstanding, no connection that has something
// to say is heard for up to the 10 ms after which the runtime's monitor looks. So this
// package makes the goroutine wait for a network event of its own.
package yield

import (
	"runtime"
	"time"
)

// A Point is where one goroutine yields. Use NewPoint; not safe for concurrent use.
type Point struct {
	net    network
	budget time.Duration
	last   time.Time // when the network was last asked
}

// NewPoint returns a Point of a goroutine that may work for budget before connections are
// asked. Where the system has no events of the kind that is needed, yielding is
// runtime.Gosched.
func NewPoint(budget time.Duration) *Point {
	p := &Point{budget: budget, last: time.Now()}
	p.net.open()
	return p
}

// Waited tells that the goroutine has just waited for the network by itself, or begins.
func (p *Point) Waited() { p.last = time.Now() }

// Yield lets connections go first that have something to say, unless the goroutine has
// worked for less than its budget since they were last asked. It takes a microsecond or two
// when none has. It reports whether they were asked: those whose event is behind its own are
// ready to run then, and go first, too, if runtime.Gosched follows.
func (p *Point) Yield() (asked bool) {
	if time.Since(p.last) < p.budget {
		return false
	}
	p.PollNetwork()
	p.last = time.Now()
	return true
}

// PollNetwork is Yield whatever the budget: it returns when the network has been asked.
func (p *Point) PollNetwork() {
	if !p.net.wait() {
		runtime.Gosched()
	}
}

// Close releases what the Point holds. It stays usable, as runtime.Gosched.
func (p *Point) Close() { p.net.close() }
