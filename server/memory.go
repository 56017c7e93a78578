package server

import (
	"sync"

	"ballast/compute/risk"
)

// memories are the free Scratches for assessments, as many as requests were ever in flight at once. The
// one released last is used first, because it is still in the processor's cache.
type memories struct {
	mu   sync.Mutex
	free []*risk.Scratch
}

// scratchPositions is the number of positions for which a new Scratch has memory.
const scratchPositions = 64

func (m *memories) acquire() *risk.Scratch {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.free)
	if n == 0 {
		return risk.NewScratch(scratchPositions)
	}
	scratch := m.free[n-1]
	m.free = m.free[:n-1]
	return scratch
}

func (m *memories) release(back *risk.Scratch) {
	m.mu.Lock()
	m.free = append(m.free, back)
	m.mu.Unlock()
}
