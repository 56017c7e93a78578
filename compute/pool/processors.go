package pool

import (
	"runtime"
	"sync"
	"time"
)

// Computing threads of low priority need additional Ps (GOMAXPROCS) in the Go scheduler; otherwise a
// connection would wait for the end of a chunk. But a P more than the machine has CPUs costs every
// request about 1.5 us, because connections then move between two threads on one CPU. So Ps are added
// while something computes, and removed after a while without computations.

// keepProcessors is how long additional Ps are kept: changing GOMAXPROCS stops all goroutines for some
// tens of microseconds.
const keepProcessors = 250 * time.Millisecond

// processors counts the computing goroutines. There is one instance, as there is one scheduler.
type processors struct {
	mu       sync.Mutex
	busy     int // computing goroutines
	lent     int // additional Ps in force
	wanted   int
	applying bool
	idle     *time.Timer // runs while busy is 0 and wanted is above 0
	set      func(change int)
}

var shared = processors{set: func(change int) { runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + change) }}

// Busy announces that the calling goroutine, on a thread of low priority, computes until it calls Idle.
// It does not block.
func Busy() { shared.enter() }

// Idle ends the computation announced by Busy.
func Idle() { shared.leave() }

func (p *processors) enter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy++; p.busy > p.wanted {
		p.want(p.busy)
	}
}

func (p *processors) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy--; p.busy > 0 || p.wanted == 0 {
		return
	}
	if p.idle == nil {
		p.idle = time.AfterFunc(keepProcessors, p.quiet)
	} else {
		p.idle.Reset(keepProcessors)
	}
}

// quiet removes the additional Ps when nothing computes.
func (p *processors) quiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy == 0 {
		p.want(0)
	}
}

// want changes the number of additional Ps in another goroutine, because the change waits for a garbage
// collection in progress. The caller holds p.mu.
func (p *processors) want(n int) {
	p.wanted = n
	if !p.applying && p.wanted != p.lent {
		p.applying = true
		go p.apply()
	}
}

func (p *processors) apply() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.wanted != p.lent {
		change := p.wanted - p.lent
		p.lent = p.wanted
		p.mu.Unlock()
		p.set(change)
		p.mu.Lock()
	}
	p.applying = false
}
