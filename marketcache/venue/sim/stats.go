package sim

import (
	"maps"
	"sync"
	"sync/atomic"
)

// counters count since the start.
type counters struct {
	requests, weight, tooMany, panics atomic.Int64
	frames, bytes, messages           atomic.Int64

	mu     sync.Mutex
	byType map[string]int64
}

// count records an info request; "" is one that could not be read.
func (c *counters) count(kind string) {
	if kind == "" || len(kind) > 64 {
		kind = "unreadable"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byType == nil {
		c.byType = map[string]int64{}
	}
	if _, has := c.byType[kind]; !has && len(c.byType) >= 100 { // a stranger's invention
		kind = "unreadable"
	}
	c.byType[kind]++
}

// Stats is what the exchange has seen. Not part of the venue's protocol.
type Stats struct {
	Requests        int64            `json:"requests"`        // HTTP requests of any kind
	Info            map[string]int64 `json:"info"`            // info requests by type
	Weight          int64            `json:"weight"`          // spent since the start
	WeightMinute    int              `json:"weightMinute"`    // of the last 60 s
	TooManyRequests int64            `json:"tooManyRequests"` // answers with 429, those of faults included
	Refused         map[string]int64 `json:"refused"`         // by limit, and "badSubscription"
	Peak            map[string]int   `json:"peak"`            // the most that one address has reached, by limit
	Sockets         int              `json:"sockets"`
	Subscriptions   int              `json:"subscriptions"`
	FramesSent      int64            `json:"framesSent"`
	BytesSent       int64            `json:"bytesSent"`
	FramesReceived  int64            `json:"framesReceived"`
	Steps           uint64           `json:"steps"`
	TimeMs          int64            `json:"timeMs"` // of the market's state
	Panics          int64            `json:"panics"`
	Fault           string           `json:"fault"`
}

// Stats returns the counters.
func (e *Exchange) Stats() Stats {
	c := &e.counters
	s := Stats{
		Requests: c.requests.Load(), Weight: c.weight.Load(), Sockets: len(e.hub.list()),
		TooManyRequests: c.tooMany.Load(), FramesSent: c.frames.Load(), BytesSent: c.bytes.Load(),
		FramesReceived: c.messages.Load(), Panics: c.panics.Load(), Fault: e.Faults(), Info: map[string]int64{},
	}
	s.Subscriptions, s.WeightMinute = e.ledger.totals(e.nowMs())
	e.ledger.mu.Lock()
	s.Peak, s.Refused = maps.Clone(e.ledger.peak), maps.Clone(e.ledger.refused)
	e.ledger.mu.Unlock()
	if e.market != nil {
		e.market.mu.RLock()
		s.Steps, s.TimeMs = e.market.steps, e.market.nowMs
		e.market.mu.RUnlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(s.Info, c.byType)
	return s
}
