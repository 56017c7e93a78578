package server

import (
	"sync"
	"sync/atomic"

	"ballast/compute/risk"
)

// slot is the memory of one request in flight.
type slot struct {
	scratch *risk.Scratch
}

// slots admits requests: there are as many as may be in flight, and a request without
// one is refused at once. Waiting costs nothing but the slot; at most half of them may be
// held by requests that wait for the venue, so that a slow venue does not keep warm
// requests out.
//
// The slot given back last is taken first: its memory is still in the processor's cache.
// A slot is made when that many requests are in flight for the first time: most services
// never need the memory of all.
type slots struct {
	mu        sync.Mutex
	free      []*slot
	made      int
	total     int
	positions int

	waiting    atomic.Int64
	maxWaiting int64
}

func newSlots(n, positions int) *slots {
	return &slots{total: n, positions: positions, maxWaiting: max(1, int64(n/2)), free: make([]*slot, 0, n)}
}

func (s *slots) make() *slot {
	return &slot{scratch: risk.NewScratch(s.positions)}
}

// take returns a slot, nil when none is free.
func (s *slots) take() *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	switch {
	case n == 0 && s.made == s.total:
		return nil
	case n == 0:
		s.made++
		return s.make()
	}
	taken := s.free[n-1]
	s.free = s.free[:n-1]
	return taken
}

func (s *slots) give(back *slot) {
	s.mu.Lock()
	s.free = append(s.free, back)
	s.mu.Unlock()
}

// replace gives back a fresh slot for one that a panic left in an unknown state.
func (s *slots) replace() { s.give(s.make()) }

func (s *slots) inFlight() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made - len(s.free)
}

// beginWait counts a request that is about to wait; false when too many do.
func (s *slots) beginWait() bool {
	if s.waiting.Add(1) > s.maxWaiting {
		s.waiting.Add(-1)
		return false
	}
	return true
}

func (s *slots) endWait() { s.waiting.Add(-1) }
