package alerts

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"syscall"
)

const (
	// turns is the number of sockets a writer serves before it lets other goroutines run: a
	// fan-out to thousands of sockets must not delay the answers of the service.
	turns = 8
	// keepScratch is the maximum size in bytes of the buffer for joining packets that a batch keeps.
	keepScratch = 256 << 10
)

// writers hands sockets with queued packets to at most one goroutine per processor. These goroutines
// write without blocking. A socket that does not accept all bytes at once gets a goroutine of its own,
// so that no socket waits for another. While there is nothing to write, no goroutine runs.
type writers struct {
	hub *Hub
	max int // goroutines

	mu      sync.Mutex
	waiting []*socket
	served  int // the first sockets of waiting, which are nil
	running int
}

// wake hands over the sockets for which enqueue returned true.
func (w *writers) wake(sockets ...*socket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.served > len(w.waiting)/2 {
		w.waiting, w.served = slices.Delete(w.waiting, 0, w.served), 0
	}
	w.waiting = append(w.waiting, sockets...)
	for range min(len(sockets), w.max-w.running) {
		w.running++
		w.hub.goroutines.Go(w.run)
	}
}

// pop removes and returns the socket that has waited longest, nil if there is none.
func (w *writers) pop() *socket {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.served == len(w.waiting) {
		w.running--
		return nil
	}
	s := w.waiting[w.served]
	w.waiting[w.served] = nil // the array must not keep it
	w.served++
	return s
}

// run writes until no socket is left in the list.
func (w *writers) run() {
	b := batches.Get().(*batch)
	for n := 1; ; n++ {
		s := w.pop()
		if s == nil {
			b.release()
			return
		}
		if !w.write(s, b) {
			b = batches.Get().(*batch)
		}
		if n%turns == 0 {
			runtime.Gosched()
		}
	}
}

// write writes a socket's queued packets as far as possible without blocking. free is false if
// a goroutine of the socket's own keeps the batch to write the rest, and after a panic.
func (w *writers) write(s *socket, b *batch) (free bool) {
	defer s.rescue("alert writer")
	b.weight = 0 // the old value belongs to another socket
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

// batch holds packets of one socket, joined for one write.
type batch struct {
	data    []byte // bytes to write: a single packet's frames, or scratch with all packets joined
	weight  int
	alerts  int
	last    bool
	scratch []byte

	n    int // bytes written by the last try
	err  error
	call func(fd uintptr) bool // writes to a descriptor; bound once to avoid allocations
}

var batches = sync.Pool{New: func() any {
	b := new(batch)
	b.call = func(fd uintptr) bool {
		b.n, b.err = writeNow(fd, b.data)
		return true // never wait for the descriptor
	}
	return b
}}

func (b *batch) release() {
	b.data = nil
	batches.Put(b)
}

// load counts the previous batch as written and takes the socket's queued packets. It returns
// false if the queue was empty; the writer then no longer owns the socket.
func (b *batch) load(s *socket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending -= b.weight
	b.data, b.weight, b.alerts, b.last = nil, 0, 0, false
	if len(s.queue) == 0 {
		s.writing = false
		return false
	}
	for _, p := range s.queue {
		b.weight += p.weight
		b.alerts += p.alerts
		b.last = p.last
	}
	b.data = s.queue[0].frames
	if len(s.queue) > 1 {
		b.join(s.queue)
	}
	clear(s.queue) // frees the packets, because the socket may stall for long
	s.queue = s.queue[:0]
	if cap(s.queue) > keepQueue {
		s.queue = nil
	}
	return true
}

// join makes the frames of several packets the data of the batch.
func (b *batch) join(packets []*packet) {
	if cap(b.scratch) > keepScratch {
		b.scratch = nil
	}
	b.scratch = b.scratch[:0]
	for _, p := range packets {
		b.scratch = append(b.scratch, p.frames...)
	}
	b.data = b.scratch
}

// try writes as many bytes as the connection accepts without blocking; 0 bytes if raw is nil.
func (b *batch) try(raw syscall.RawConn) (int, error) {
	if raw == nil {
		return 0, nil
	}
	b.n, b.err = 0, nil
	err := raw.Write(b.call)
	return b.n, cmp.Or(err, b.err)
}
