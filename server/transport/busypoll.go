package transport

import (
	"sync/atomic"
	"time"

	"ballast/internal/yield"
)

// busyPoll keeps a processor awake for a time after each request by polling the network for
// the next request. Waking a sleeping processor takes longer than an answer, and occasionally
// some milliseconds on a virtual machine. A nil busyPoll does nothing.
type busyPoll struct {
	time    time.Duration
	started time.Time

	last   atomic.Int64 // ns from started to the instant when the newest request was taken up
	asleep atomic.Bool
	wake   chan struct{}
	looks  atomic.Uint64
	ending atomic.Bool
	done   chan struct{}
}

// newBusyPoll starts busy polling for d after each request. It returns nil when d is not
// positive or the system does not support polling.
func newBusyPoll(d time.Duration, guard func(string, func())) *busyPoll {
	if d <= 0 || !yield.Network {
		return nil
	}
	b := &busyPoll{time: d, started: time.Now(), wake: make(chan struct{}, 1), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		guard("busy poll", b.run)
	}()
	return b
}

// note records that a request was taken up at an instant.
func (b *busyPoll) note(at time.Time) {
	if b == nil {
		return
	}
	b.last.Store(int64(at.Sub(b.started)))
	if b.asleep.Load() && b.asleep.Swap(false) {
		b.wake <- struct{}{} // does not block: one wake per sleep, and room for one
	}
}

func (b *busyPoll) run() {
	p := yield.NewPoint(0)
	defer p.Close()
	for !b.ending.Load() {
		if b.isOver() {
			b.asleep.Store(true)
			if b.isOver() || !b.asleep.Swap(false) { // no request came, or note sends a wake for it
				<-b.wake
			}
		}
		b.looks.Add(1)
		p.PollNetwork()
	}
}

func (b *busyPoll) isOver() bool {
	return time.Since(b.started)-time.Duration(b.last.Load()) > b.time
}

func (b *busyPoll) close() {
	if b != nil {
		b.ending.Store(true)
		select {
		case b.wake <- struct{}{}:
		default: // a wake is on its way
		}
		<-b.done
	}
}
