package server

import (
	"sync"
	"sync/atomic"
	"time"

	"ballast/internal/yield"
)

// busyPoll keeps a processor awake for a time after each request, looking for the next one:
// to wake a processor that has gone to sleep takes longer than to answer, and on a virtual
// machine now and then some milliseconds. Its price is the processor's idle time while
// requests come. A nil busyPoll does nothing.
type busyPoll struct {
	s    *Server
	time time.Duration
	wg   sync.WaitGroup

	last   atomic.Int64 // when the newest request was taken up, since the server's start
	asleep atomic.Bool
	wake   chan struct{}
	looks  atomic.Uint64
}

// newBusyPoll returns nil where nothing is to be done.
func newBusyPoll(s *Server, d time.Duration) *busyPoll {
	if d <= 0 || !yield.Network {
		return nil
	}
	b := &busyPoll{s: s, time: d, wake: make(chan struct{}, 1)}
	b.wg.Go(func() { s.guarded("busy poll", b.run) })
	return b
}

// note tells of a request taken up at an instant.
func (b *busyPoll) note(at time.Time) {
	if b == nil {
		return
	}
	b.last.Store(int64(at.Sub(b.s.started)))
	if b.asleep.Load() && b.asleep.Swap(false) {
		b.wake <- struct{}{} // has room: one a sleep
	}
}

func (b *busyPoll) run() {
	p := yield.NewPoint(0)
	defer p.Close()
	for b.s.life.Err() == nil {
		if b.isOver() {
			b.asleep.Store(true)
			if b.isOver() || !b.asleep.Swap(false) { // no request meanwhile, or one that has seen the sleep
				select {
				case <-b.wake:
				case <-b.s.life.Done():
				}
			}
		}
		b.looks.Add(1)
		p.Look()
	}
}

func (b *busyPoll) isOver() bool {
	return time.Since(b.s.started)-time.Duration(b.last.Load()) > b.time
}

func (b *busyPoll) wait() {
	if b != nil {
		b.wg.Wait()
	}
}
