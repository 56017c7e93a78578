package sim

import (
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
	Requests        int64            `json:"requests"` // HTTP requests of any kind
	Info            map[string]int64 `json:"info"`     // info requests by type
	Weight          int64            `json:"weight"`   // spent since the start
	WeightMinute    int              `json:"weightMinute"`
	TooManyRequests int64            `json:"tooManyRequests"` // answers with 429
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
		Requests: c.requests.Load(), Weight: c.weight.Load(), WeightMinute: e.budget.used(e.nowMs()),
		TooManyRequests: c.tooMany.Load(), FramesSent: c.frames.Load(), BytesSent: c.bytes.Load(),
		FramesReceived: c.messages.Load(), Panics: c.panics.Load(), Fault: e.Faults(), Info: map[string]int64{},
	}
	s.Sockets, s.Subscriptions = e.hub.size()
	if e.market != nil {
		e.market.mu.RLock()
		s.Steps, s.TimeMs = e.market.steps, e.market.nowMs
		e.market.mu.RUnlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, v := range c.byType {
		s.Info[k] = v
	}
	return s
}

// budget is the request weight that addresses have spent in the present minute.
type budget struct {
	mu     sync.Mutex
	minute int64
	spent  map[string]int
}

// turn starts a new minute. The lock is held.
func (b *budget) turn(nowMs int64) {
	if minute := nowMs / 60_000; minute != b.minute || b.spent == nil {
		b.minute, b.spent = minute, map[string]int{}
	}
}

// spend takes weight from an address's budget; false when it is exhausted (limit 0:
// never).
func (b *budget) spend(ip string, weight, limit int, nowMs int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn(nowMs)
	if limit > 0 && b.spent[ip]+weight > limit {
		return false
	}
	b.spent[ip] += weight
	return true
}

// charge adds weight that was not known before.
func (b *budget) charge(ip string, weight int, nowMs int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn(nowMs)
	b.spent[ip] += weight
}

// used is the weight of all addresses in the present minute.
func (b *budget) used(nowMs int64) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn(nowMs)
	sum := 0
	for _, w := range b.spent {
		sum += w
	}
	return sum
}
