package alerts

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
)

const (
	// turns is how many sockets a writer serves before it lets other goroutines run: a
	// fan-out to thousands of sockets must not delay the answers of the service.
	turns = 8
	// keepScratch bounds what a writer keeps for joining packets, bytes.
	keepScratch = 256 << 10
)

// writers hands sockets with something queued to as many goroutines as there are
// processors. These try each socket without waiting; one that does not take its bytes at
// once gets a goroutine of its own, so that none waits for another. Without anything to
// write there is no goroutine.
type writers struct {
	hub     *Hub
	max     int
	batches sync.Pool // of *batch

	mu      sync.Mutex
	waiting chain
	running int
}

// chain is a list of sockets that are to be written to. A socket is in one at most.
type chain struct {
	head, tail *socket
	n          int
}

func (c *chain) add(s *socket) { c.join(chain{s, s, 1}) }

// join puts another chain behind this one, which takes its sockets over.
func (c *chain) join(d chain) {
	switch {
	case d.n == 0:
		return
	case c.n == 0:
		c.head = d.head
	default:
		c.tail.next = d.head
	}
	c.tail = d.tail
	c.n += d.n
}

// pop takes the first socket, nil when there is none.
func (c *chain) pop() *socket {
	s := c.head
	if s == nil {
		return nil
	}
	c.head, s.next = s.next, nil
	c.n--
	if c.n == 0 {
		c.tail = nil
	}
	return s
}

func (w *writers) init(h *Hub) {
	w.hub, w.max = h, runtime.GOMAXPROCS(0)
	w.batches.New = func() any { return newBatch() }
}

// wake hands over sockets that enqueue asked to be handed over.
func (w *writers) wake(c chain) {
	if c.n == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting.join(c)
	for n := c.n; n > 0 && w.running < w.max; n-- {
		w.running++
		w.hub.goroutines.Go(w.run)
	}
}

func (w *writers) pop() *socket {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.waiting.pop()
	if s == nil {
		w.running--
	}
	return s
}

func (w *writers) acquire() *batch { return w.batches.Get().(*batch) }

func (w *writers) release(b *batch) {
	b.data = nil
	w.batches.Put(b)
}

// run writes until nothing is left.
func (w *writers) run() {
	b := w.acquire()
	for n := 1; ; n++ {
		s := w.pop()
		if s == nil {
			w.release(b)
			return
		}
		if !w.write(s, b) {
			b = w.acquire()
		}
		if n%turns == 0 {
			runtime.Gosched()
		}
	}
}

// write writes what is queued for a socket as far as it goes without waiting. It reports
// whether the batch is free again: a goroutine that goes on takes it along.
func (w *writers) write(s *socket, b *batch) (free bool) {
	defer func() {
		if r := recover(); r != nil {
			w.hub.supervisor.Panicked(r, "in", "alert writer")
			s.drop()
			free = false // whatever state it is in
		}
	}()
	b.weight = 0 // of another socket
	for b.load(s) {
		n, err := b.try(s.raw)
		switch {
		case err != nil:
			s.drop()
			return true
		case n < len(b.data):
			w.hub.goroutines.Go(func() { s.drain(b.data[n:], b) })
			return false
		}
		s.wrote(b)
		if b.last {
			return true
		}
	}
	return true
}

// batch is what a writer has in hand: packets of one socket, joined for one write.
type batch struct {
	packets []*packet
	data    []byte // of the one packet, or joined in scratch
	weight  int
	alerts  int
	last    bool
	scratch []byte

	n    int // of the last try
	err  error
	call func(fd uintptr) bool // write to a descriptor, made once
}

func newBatch() *batch {
	b := new(batch)
	b.call = func(fd uintptr) bool {
		b.n, b.err = writeNow(fd, b.data)
		return true // never wait
	}
	return b
}

// load takes what is queued for a socket, counting the batch before as written. false:
// nothing was, and the socket was let go.
func (b *batch) load(s *socket) bool {
	b.packets = s.take(b.packets, b.weight)
	b.data, b.weight, b.alerts, b.last = nil, 0, 0, false
	for _, p := range b.packets {
		b.weight += p.weight
		b.alerts += p.alerts
		b.last = p.last
	}
	switch len(b.packets) {
	case 0:
		return false
	case 1:
		b.data = b.packets[0].frames
	default:
		if cap(b.scratch) > keepScratch {
			b.scratch = nil
		}
		b.scratch = b.scratch[:0]
		for _, p := range b.packets {
			b.scratch = append(b.scratch, p.frames...)
		}
		b.data = b.scratch
	}
	clear(b.packets) // the socket may stall for long
	return true
}

// try writes as much as the connection takes now; nothing where that cannot be done.
func (b *batch) try(raw syscall.RawConn) (int, error) {
	if raw == nil {
		return 0, nil
	}
	b.n, b.err = 0, nil
	if err := raw.Write(b.call); err != nil {
		return 0, err
	}
	return b.n, b.err
}

// counters of the hub.
type counters struct {
	accepted, refused, delivered, slow, invalid, crowdedOut atomic.Uint64
	subscriptions                                           atomic.Int64
}
