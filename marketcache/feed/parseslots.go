package feed

import (
	"runtime"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// ParseSlots bounds how many socket readers parse messages at the same time. A venue sends to
// all sockets at one moment: if all readers ran at once, a request, which needs the processor
// several times, would wait for all of them each time.
type ParseSlots chan *ParseSlot

// ParseSlot is the right to parse one message.
type ParseSlot struct {
	network        *yield.Point
	yieldToNetwork func()              // returns after requests that have arrived could run
	yielded        marketcache.Instant // the last call of yieldToNetwork
	budget         time.Duration       // parsing time between two yields
}

const (
	// minParseTime is how long messages are parsed between two yields: about what an answer to
	// one request takes.
	minParseTime = 40 * time.Microsecond
	// yieldShare is how many times as long a yield may take as the parsing before it. On a busy
	// processor a yield takes milliseconds; parsing must then go on for longer, or messages
	// would pile up.
	yieldShare = 8
)

// NewParseSlots returns n slots.
func NewParseSlots(n int) ParseSlots {
	s := make(ParseSlots, n)
	for range n {
		network := yield.NewPoint(0)
		s <- &ParseSlot{network: network, yieldToNetwork: network.PollNetwork, budget: minParseTime}
	}
	return s
}

// Acquire waits for a slot. The caller must give it back with Release.
func (s ParseSlots) Acquire() *ParseSlot { return <-s }

// Idled records that the holder waited for the network itself until at: no yield is due yet.
func (p *ParseSlot) Idled(at marketcache.Instant) { p.yielded = max(p.yielded, at) }

// Release gives a slot back. When its holder has parsed for long enough, requests that have
// arrived run first.
func (s ParseSlots) Release(p *ParseSlot) {
	if began := marketcache.Now(); began.Sub(p.yielded) >= p.budget {
		p.yieldToNetwork()
		runtime.Gosched()
		p.yielded = marketcache.Now()
		p.budget = max(minParseTime, p.yielded.Sub(began)/yieldShare)
	}
	s <- p
}

// Close releases the slots' resources. No reader may be at work.
func (s ParseSlots) Close() {
	for range cap(s) {
		(<-s).network.Close()
	}
}
