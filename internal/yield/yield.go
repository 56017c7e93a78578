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

// Budget is how long a goroutine may work before connections are asked: about what an
// answer to one takes.
const Budget = 40 * time.Microsecond

// A Point is where one goroutine yields. Use NewPoint; not safe for concurrent use.
type Point struct {
	net  network
	last time.Time // when the network was last asked
}

// NewPoint returns a Point. Where the system has no events of the kind that is needed,
// yielding is runtime.Gosched.
func NewPoint() *Point {
	p := &Point{last: time.Now()}
	p.net.open()
	return p
}

// Waited tells that the goroutine has just waited for the network by itself.
func (p *Point) Waited() { p.last = time.Now() }

// Yield lets all connections go first that have something to say, unless the goroutine has
// worked for less than Budget since they were last asked. It takes a microsecond or two
// when none has.
func (p *Point) Yield() {
	if time.Since(p.last) < Budget {
		return
	}
	p.Look()
	p.last = time.Now()
}

// Look is Yield whatever the budget: it returns when the network has been asked.
func (p *Point) Look() {
	if !p.net.wait() {
		runtime.Gosched()
	}
}

// Close releases what the Point holds. It stays usable, as runtime.Gosched.
func (p *Point) Close() { p.net.close() }
