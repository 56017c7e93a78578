package server

import (
	"sync"

	"ballast/compute/risk"
)

// memories are the Scratches that assessments are computed in: as many as requests were ever
// in flight at once. The one given back last is taken first: it is still in the processor's
// cache.
type memories struct {
	positions int // of a wallet, that each has room for from the start

	mu   sync.Mutex
	free []*risk.Scratch
}

func (m *memories) take() *risk.Scratch {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.free)
	if n == 0 {
		return risk.NewScratch(m.positions)
	}
	taken := m.free[n-1]
	m.free = m.free[:n-1]
	return taken
}

func (m *memories) give(back *risk.Scratch) {
	m.mu.Lock()
	m.free = append(m.free, back)
	m.mu.Unlock()
}
