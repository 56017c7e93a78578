package hyperliquid

import (
	"sync"
	"time"

	"ballast/marketcache"
)

// precision is one aggregation of a book that the venue offers.
type precision int

const (
	full precision = iota
	figures4
	figures3
	figures2
	precisions
)

// sigFigs are the nSigFigs of each precision; 0: the key is left out.
var sigFigs = [precisions]int{0, 4, 3, 2}

// coarseMaxAge is how old a coarse precision may be to take part in a merged book.
// The age of a merged book is that of its full precision, so an older coarse part would
// look fresher than it is; without it the book reaches less far, which is safe.
const coarseMaxAge = 30 * time.Second

// futureSlack is how far ahead of the venue's clock a book's time may be and still
// bar earlier ones. Beyond it the time is not believed: otherwise one message from the
// future would bar every message until then.
const futureSlack = 5 * time.Second

// bookCell holds the newest book of each precision of one asset and publishes their
// merger. The precisions arrive on different sockets, so a lock orders them; it is
// held for one merge (some microseconds), never across I/O.
type bookCell struct {
	mu    sync.Mutex
	parts [precisions]*bookPart // nil: never seen
	mixed [precisions]bool      // what the published book was merged from
}

// bookPart is the newest book of one precision.
type bookPart struct {
	sides  [2]bookSide
	timeMs int64               // the venue's
	proof  marketcache.Instant // when this was last known to be what the venue says
}

// verdict says what became of a book.
type verdict int

const (
	published verdict = iota
	unchanged         // the same levels again: confirmed
	outdated          // the venue's time is before that of the book held, or before our start
)

// update takes in a plausible book of one precision that arrived at an Instant and was
// late by a duration.
func (c *bookCell) update(ring *marketcache.Snapshots[*marketcache.Book], p precision, m *bookMessage, arrival marketcache.Instant, late time.Duration, venueNowMs int64) verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	if arrival.Add(-late) <= 0 {
		// Later than any age that could matter; an Instant below zero means "never".
		return outdated
	}
	part := c.parts[p]
	if part == nil {
		part = &bookPart{}
		c.parts[p] = part
	}
	if m.timeMs < part.timeMs && part.timeMs <= venueNowMs+futureSlack.Milliseconds() {
		return outdated
	}
	same := part.timeMs != 0 && part.sides[0].equal(&m.sides[0]) && part.sides[1].equal(&m.sides[1])
	part.timeMs = m.timeMs
	if same {
		part.proof = max(part.proof, arrival.Add(-late))
	} else {
		// What proved the old levels says nothing of these.
		part.proof = arrival.Add(-late)
	}
	if same && c.mixed == c.mix(arrival) {
		if p == full {
			ring.Confirm(part.proof)
		}
		return unchanged
	}
	part.sides = m.sides
	c.publish(ring, arrival)
	return published
}

// mix says which precisions a book merged now would be made of.
func (c *bookCell) mix(now marketcache.Instant) (mixed [precisions]bool) {
	if c.parts[full] == nil {
		return mixed
	}
	for p, part := range c.parts {
		mixed[p] = part != nil && part.timeMs != 0 && (precision(p) == full || now.Sub(part.proof) <= coarseMaxAge)
	}
	return mixed
}

// publish merges and publishes. Without the full precision there is nothing to
// publish: neither mid nor spread nor age would be known.
func (c *bookCell) publish(ring *marketcache.Snapshots[*marketcache.Book], now marketcache.Instant) {
	mixed := c.mix(now)
	if !mixed[full] {
		return
	}
	var bids, asks [precisions][]marketcache.Level
	n := 0
	for p, in := range mixed {
		if in {
			part := c.parts[p]
			bids[n] = part.sides[0].levels[:part.sides[0].n]
			asks[n] = part.sides[1].levels[:part.sides[1].n]
			n++
		}
	}
	c.mixed = mixed
	f := c.parts[full]
	ring.Publish(marketcache.MergeBooks(bids[:n], asks[:n], f.timeMs), f.proof)
}

// confirm records that at an Instant the book of a precision was still the venue's.
func (c *bookCell) confirm(ring *marketcache.Snapshots[*marketcache.Book], p precision, at marketcache.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	part := c.parts[p]
	if part == nil || part.timeMs == 0 {
		return
	}
	part.proof = max(part.proof, at)
	if p == full {
		ring.Confirm(part.proof)
	}
}

// refresh republishes when a coarse precision has become too old to take part, or
// has come back.
func (c *bookCell) refresh(ring *marketcache.Snapshots[*marketcache.Book], now marketcache.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mix(now) != c.mixed {
		c.publish(ring, now)
	}
}

// holds reports whether the book of a precision has the same levels as m, or a newer
// time, so that m has nothing to add.
func (c *bookCell) holds(p precision, m *bookMessage) (same, newer bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	part := c.parts[p]
	if part == nil || part.timeMs == 0 {
		return false, false
	}
	return part.sides[0].equal(&m.sides[0]) && part.sides[1].equal(&m.sides[1]), part.timeMs > m.timeMs
}
