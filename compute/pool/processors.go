package pool

import (
	"runtime"
	"sync"
	"time"
)

// Threads of low priority compute beside the requests: the scheduler needs a processor more
// for each of them, or a connection that is due would wait for a chunk to end. But one more
// than the machine has costs every request, computing or not: connections are handed between
// two threads that share a processor, about 1.5 us a request. So processors are lent while
// something computes, and taken back when nothing has for a while.

// keepProcessors is how long processors stay lent: changing their number stops every
// goroutine for some tens of microseconds.
const keepProcessors = 250 * time.Millisecond

// processors counts who computes. There is one, because the scheduler is one.
type processors struct {
	mu       sync.Mutex
	busy     int // goroutines that compute
	lent     int // processors in force beyond those the scheduler had
	wanted   int
	applying bool
	idle     *time.Timer // runs while busy is 0 and something is lent
	set      func(change int)
}

var shared = processors{set: func(change int) { runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + change) }}

// Busy says that the calling goroutine, of a thread of low priority, computes from now on,
// until it calls Idle. It does not wait for the scheduler.
func Busy() { shared.enter() }

// Idle ends what Busy began.
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

// quiet takes back what is lent when nothing computes.
func (p *processors) quiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy == 0 {
		p.want(0)
	}
}

// want changes the number lent, on another goroutine: the change waits for a garbage
// collection under way. p.mu is held.
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
