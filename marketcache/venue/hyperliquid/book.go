package hyperliquid

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
)

// precision is one of the venue's views of a book.
type precision int

const (
	fast     precision = iota // the best 5 levels, about twice a second
	full                      // the best 20 levels; this and the coarser views come every few seconds
	figures4                  // 20 levels, each a bucket of prices rounded to four significant figures
	figures3
	figures2
	precisions
)

// sigFigs is the request's nSigFigs for each precision; 0: the field is left out.
var sigFigs = [precisions]int{figures4: 4, figures3: 3, figures2: 2}

// futureSlack is how far ahead of the venue's clock a book's time may be. A time further ahead is
// not believed: otherwise one message from the future would block all messages until then.
const futureSlack = 5 * time.Second

// bookCell holds the newest book of each precision of one asset and publishes them merged. The
// precisions arrive on different sockets, so a mutex orders them. It is held for one merge (some
// microseconds), never across I/O.
type bookCell struct {
	mu    sync.Mutex
	parts [precisions]*bookPart // nil: none received
	// waiting are the newest books of precisions that wait for another source (bookjumps.go); nil: none does.
	waiting [precisions]*bookPart
	// every is the cadence of each precision, by stream or by schedule; 0: it is not followed.
	every [precisions]time.Duration
	made  composition // of the published book
}

// bookPart is the newest book of one precision.
type bookPart struct {
	sides  [2]bookSide
	timeMs int64               // venue time
	proof  marketcache.Instant // when these levels were last confirmed
}

// composition says which parts a merged book consists of.
type composition struct {
	top        precision // the source of the best levels
	deep       [precisions]bool
	depthProof marketcache.Instant // as in marketcache.Book
	depthEvery time.Duration
	topEvery   time.Duration
}

// verdict is the outcome of an update.
type verdict int

const (
	published verdict = iota
	unchanged         // the same levels again: the part is confirmed
	outdated          // the venue time is before the held book's, or before our start
	doubtful          // it has jumped and waits for another source
)

// follow sets the cadence of each precision.
func (c *bookCell) follow(every [precisions]time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.every = every
}

// update applies a plausible book of one precision. arrival is when it arrived; late is how long
// it was under way.
func (c *bookCell) update(ring *marketcache.Snapshots[*marketcache.Book], p precision, m *bookMessage,
	arrival marketcache.Instant, late time.Duration, venueNowMs int64) verdict {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := arrival.Add(-late)
	if at <= 0 {
		// Such a book is older than any limit, and an Instant of zero would mean "never".
		return outdated
	}
	var newest int64
	for _, known := range []*bookPart{c.parts[p], c.waiting[p]} {
		if known != nil {
			newest = max(newest, known.timeMs)
		}
	}
	if m.timeMs < newest && newest <= venueNowMs+futureSlack.Milliseconds() {
		return outdated
	}
	if !c.believes(p, m, arrival) {
		c.waiting[p] = &bookPart{sides: m.sides, timeMs: m.timeMs, proof: at}
		return doubtful
	}
	c.waiting[p] = nil
	part := c.parts[p]
	if part == nil {
		part = &bookPart{}
		c.parts[p] = part
	}
	same := part.timeMs != 0 && part.sides[0].equal(&m.sides[0]) && part.sides[1].equal(&m.sides[1])
	part.timeMs = m.timeMs
	if same {
		part.proof = max(part.proof, at)
	} else { // a confirmation of the old levels does not confirm these
		part.proof, part.sides = at, m.sides
	}
	return c.publish(ring, arrival, !same)
}

// refresh republishes the book when one of its precisions has become too old to be used.
func (c *bookCell) refresh(ring *marketcache.Snapshots[*marketcache.Book], now marketcache.Instant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.publish(ring, now, false)
}

// usable reports whether a precision is young enough to supply levels behind the best ones: at most
// two cadences old. The published book states the age of these levels.
func (c *bookCell) usable(p precision, now marketcache.Instant) bool {
	part := c.parts[p]
	return part != nil && now.Sub(part.proof) <= 2*c.every[p]+depthSlack
}

// maxDepthCadence is the longest depth cadence that is published: depth older than this is flagged
// as old, however seldom it is read.
const maxDepthCadence = 4 * time.Minute

// depthSlack allows for a single late book.
const depthSlack = 5 * time.Second

// compose returns the composition of a book merged now; ok is false without best levels.
func (c *bookCell) compose(now marketcache.Instant) (m composition, ok bool) {
	switch quick, whole := c.parts[fast], c.parts[full]; {
	case quick == nil && whole == nil:
		return m, false
	case quick == nil || whole != nil && quick.proof < whole.proof:
		m.top = full
	default:
		m.top = fast
	}
	m.topEvery = cmp.Or(c.every[fast], c.every[full])
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
	if c.waiting[fast] != nil { // the best levels of the other views are in doubt too
		var proof marketcache.Instant
		if quick := c.parts[fast]; quick != nil {
			proof = quick.proof
		}
		m.depthProof = min(m.depthProof, proof)
	}
	if m.depthEvery == 0 {
		m.depthProof = 0
	}
	return m, true
}

// publish merges and publishes the book if its composition or levels changed; changed says that
// some levels did. Without best levels nothing is published: mid, spread and age would be unknown.
func (c *bookCell) publish(ring *marketcache.Snapshots[*marketcache.Book], now marketcache.Instant,
	changed bool) verdict {
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
			// A side that is empty in the newest book is empty, whatever older parts say.
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

// begins reports whether the longer book b starts with the levels of a.
func (a *bookPart) begins(b *bookPart) bool {
	for side := range a.sides {
		short, long := a.sides[side].list(), b.sides[side].list()
		if len(short) > len(long) || !slices.Equal(short, long[:len(short)]) ||
			len(short) < min(fastLevels, len(long)) {
			return false
		}
	}
	return true
}

// fastLevels is the number of levels per side in a fast book.
const fastLevels = 5

func (b *bookSide) list() []marketcache.Level { return b.levels[:b.n] }

// age returns the time since a precision was last confirmed; negative if it never was.
func (c *bookCell) age(p precision, now marketcache.Instant) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	part := c.parts[p]
	if part == nil {
		return -1
	}
	return max(0, now.Sub(part.proof))
}
