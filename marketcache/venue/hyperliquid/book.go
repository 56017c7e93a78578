package hyperliquid

import (
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
)

// precision is one view of a book that the venue offers.
type precision int

const (
	fast     precision = iota // the best five levels, some twice a second
	full                      // the best 20; this and the coarser ones every few seconds
	figures4                  // 20 buckets of prices cut to four figures
	figures3
	figures2
	precisions
)

// sigFigs are the nSigFigs of each precision; 0: the key is left out.
var sigFigs = [precisions]int{figures4: 4, figures3: 3, figures2: 2}

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
	// every is how often each precision is renewed, by a stream or by schedule; 0: it is not
	// followed.
	every [precisions]time.Duration
	made  composition // what the published book was made of
}

// bookPart is the newest book of one precision.
type bookPart struct {
	sides  [2]bookSide
	timeMs int64               // the venue's
	proof  marketcache.Instant // when this was last known to be what the venue says
}

// composition says what a merged book is made of.
type composition struct {
	top        precision // where the best levels come from
	deep       [precisions]bool
	depthProof marketcache.Instant // as in marketcache.Book
	depthEvery time.Duration
	topEvery   time.Duration
}

// verdict says what became of a book.
type verdict int

const (
	published verdict = iota
	unchanged         // the same levels again: confirmed
	outdated          // the venue's time is before that of the book held, or before our start
)

// follow sets how often each precision of the book is renewed now.
func (c *bookCell) follow(every [precisions]time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.every = every
}

// update takes in a plausible book of one precision that arrived at an Instant and was
// late by a duration.
func (c *bookCell) update(ring *marketcache.Snapshots[*marketcache.Book], p precision, m *bookMessage, arrival marketcache.Instant, late time.Duration, venueNowMs int64) verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := arrival.Add(-late)
	if at <= 0 {
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
		part.proof = max(part.proof, at)
	} else { // what proved the old levels says nothing of these
		part.proof, part.sides = at, m.sides
	}
	return c.publish(ring, arrival, !same)
}

// refresh republishes when a precision has become too old to take part.
func (c *bookCell) refresh(ring *marketcache.Snapshots[*marketcache.Book], now marketcache.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.publish(ring, now, false)
}

// usable is how old a part may be for what lies behind the best levels: twice as long as it
// takes to come anew. Its age is told with the book.
func (c *bookCell) usable(p precision, now marketcache.Instant) bool {
	part := c.parts[p]
	return part != nil && part.timeMs != 0 && now.Sub(part.proof) <= 2*c.every[p]+depthSlack
}

// maxDepthCadence is the longest cadence that readers hear of: depth that is older than this is
// old, however seldom it is read.
const maxDepthCadence = 4 * time.Minute

// depthSlack is for what is late once.
const depthSlack = 5 * time.Second

// compose says what a book merged now would be made of; ok is false when there are no best
// levels.
func (c *bookCell) compose(now marketcache.Instant) (m composition, ok bool) {
	quick, whole := c.parts[fast], c.parts[full]
	switch {
	case whole == nil || whole.timeMs == 0:
		if quick == nil || quick.timeMs == 0 {
			return m, false
		}
		m.top = fast
	case quick == nil || quick.timeMs == 0 || quick.proof < whole.proof:
		m.top = full
	default:
		m.top = fast
	}
	m.topEvery = c.every[fast]
	if m.topEvery == 0 {
		m.topEvery = c.every[full]
	}
	m.depthProof = now
	for p := full; p < precisions; p++ {
		m.deep[p] = p != m.top && c.usable(p, now)
		if c.every[p] == 0 {
			continue
		}
		m.depthEvery = max(m.depthEvery, min(c.every[p], maxDepthCadence))
		var proof marketcache.Instant
		if part := c.parts[p]; part != nil {
			proof = part.proof
		}
		m.depthProof = min(m.depthProof, proof)
	}
	if m.depthEvery == 0 {
		m.depthProof = 0
	}
	return m, true
}

// publish merges and publishes what is new; changed says that some levels are. Without best
// levels there is nothing to publish: neither mid nor spread nor age would be known.
func (c *bookCell) publish(ring *marketcache.Snapshots[*marketcache.Book], now marketcache.Instant, changed bool) verdict {
	m, ok := c.compose(now)
	if !ok {
		return published
	}
	top := c.parts[m.top]
	if !changed && m == c.made {
		ring.Confirm(top.proof)
		return unchanged
	}
	c.made = m
	var sides [2][precisions][]marketcache.Level
	n := 0
	add := func(part *bookPart) {
		for side := range sides {
			// A side that is empty now is empty, whatever it was seconds ago.
			if m.top != fast || top.sides[side].n > 0 {
				sides[side][n] = part.sides[side].list()
			}
		}
		n++
	}
	if m.top == full || !m.deep[full] || !top.begins(c.parts[full]) {
		add(top)
	}
	for p := full; p < precisions; p++ {
		if m.deep[p] {
			add(c.parts[p])
		}
	}
	book := marketcache.MergeBooks(sides[0][:n], sides[1][:n], top.timeMs)
	book.Cadence, book.DepthProof, book.DepthCadence = m.topEvery, m.depthProof, m.depthEvery
	ring.Publish(book, top.proof)
	return published
}

// begins reports whether the levels of b, a longer book, begin with those of a.
func (a *bookPart) begins(b *bookPart) bool {
	for side := range a.sides {
		short, long := a.sides[side].list(), b.sides[side].list()
		if len(short) > len(long) || !slices.Equal(short, long[:len(short)]) || len(short) < min(fastLevels, len(long)) {
			return false
		}
	}
	return true
}

// fastLevels is how many levels a side a quick book has at most.
const fastLevels = 5

func (b *bookSide) list() []marketcache.Level { return b.levels[:b.n] }

// age returns how long ago a precision was last proved; negative when it never was.
func (c *bookCell) age(p precision, now marketcache.Instant) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	part := c.parts[p]
	if part == nil || part.timeMs == 0 {
		return -1
	}
	return max(0, now.Sub(part.proof))
}
