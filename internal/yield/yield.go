// Package yield lets a long computation give way to network connections.
//
// runtime.Gosched is not enough when all goroutines share one processor: the scheduler polls the network
// only when nothing else can run, and a goroutine that calls Gosched can run. During a burst of work,
// connections with data could then wait for up to 10 ms, until the runtime's monitor polls. This package
// makes the goroutine wait for a network event of its own, which forces the poll.
package yield

import (
	"runtime"
	"time"
)

// A Point is where one goroutine yields. Use NewPoint; not safe for concurrent use.
type Point struct {
	net    network
	budget time.Duration
	last   time.Time // last network poll
}

// NewPoint returns a Point for a goroutine that may work for budget between network polls. On systems
// without suitable events, yielding is runtime.Gosched.
func NewPoint(budget time.Duration) *Point {
	p := &Point{budget: budget, last: time.Now()}
	p.net.open()
	return p
}

// Yield lets connections with data run first, unless the goroutine has worked for less than its budget
// since the last poll. Without such connections it takes one or two microseconds. It reports whether the
// network was polled. Some connections become ready in that poll only after the Point's own event: they
// run first if the caller then calls runtime.Gosched.
func (p *Point) Yield() (asked bool) {
	if time.Since(p.last) < p.budget {
		return false
	}
	if !p.net.wait() {
		runtime.Gosched()
	}
	p.last = time.Now()
	return true
}

// Close releases the Point's resources. The Point then works like runtime.Gosched.
func (p *Point) Close() { p.net.close() }
