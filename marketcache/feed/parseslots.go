package feed

import (
	"runtime"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// ParseSlots bounds how many socket readers parse messages at the same time. A venue sends to
// all sockets at once: if all readers parsed at once, an HTTP request, which needs the processor
// several times, would wait for all of them each time.
type ParseSlots chan *ParseSlot

// ParseSlot is the right to parse one message.
type ParseSlot struct {
	network        *yield.Point
	yieldToNetwork func()              // lets HTTP requests that have arrived run first
	yielded        marketcache.Instant // time of the last yieldToNetwork
	budget         time.Duration       // parsing time until the next yield
}

const (
	// minParseTime is the parsing time between two yields, about the time of answering one request.
	minParseTime = 40 * time.Microsecond
	// yieldShare limits yields to yieldShare times the parsing time. On a busy processor a
	// yield takes milliseconds; without this limit messages would pile up.
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

// Acquire waits for a slot. The caller must return it with Release.
func (s ParseSlots) Acquire() *ParseSlot { return <-s }

// Idled records that the holder waited for the network until at, so no yield is due.
func (p *ParseSlot) Idled(at marketcache.Instant) { p.yielded = max(p.yielded, at) }

// Release returns a slot. If its holder has used its parsing time, HTTP requests that have
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

// Close releases the slots' resources. No reader may be running.
func (s ParseSlots) Close() {
	for range cap(s) {
		(<-s).network.Close()
	}
}
