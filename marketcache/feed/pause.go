package feed

import (
	"math/rand/v2"
	"slices"
	"time"

	"ballast/marketcache"
)

// kind groups the classes that pause together.
type kind int

const (
	walletKind kind = iota
	liveKind
	historyKind
	kinds
)

func (c Class) kind() kind {
	switch c {
	case ForWallet, ForKnown:
		return walletKind
	case ForWanted, ForHistory:
		return historyKind
	}
	return liveKind
}

// pause is the state of a kind after an HTTP 429 or maxFailing failures in a row: no read is granted until it is over,
// then one at a time until the venue answers one.
type pause struct {
	refusals int // in a row
	failures int // in a row: no answer, 5xx, garbage
	until    marketcache.Instant
	length   time.Duration       // of the last pause after failures
	era      int                 // counts pauses after failures; the failure of an earlier grant lengthens none
	probed   marketcache.Instant // when the single read after the pause was granted; 0: none is in flight
	quiet    marketcache.Instant // of histories: until then they wait after a silence
}

const (
	// Pauses after a refusal. A Retry-After above refusalPauseMax is ignored: otherwise one answer could stop
	// the service for an hour, or wallet reads until the cached wallets are too old to answer for a close.
	refusalPause    = 10 * time.Second // without Retry-After; doubles with each refusal up to refusalPauseMax
	refusalPauseMax = 30 * time.Second // before jitter, which adds up to a quarter

	// Pauses after failures, before jitter, which takes up to a half: a venue that comes back is noticed within 5 s.
	maxFailing      = 5
	failurePauseMin = 500 * time.Millisecond
	failurePauseMax = 3 * time.Second

	quietAfter = 10 * time.Second // how long histories wait after a silence

	probeAgain = time.Second // estimated time until a probe's result
	// ProbeFor is the longest wait for the answer to a probe: one that hangs is joined by another.
	ProbeFor = 3 * time.Second
)

func (p *pause) failing() bool { return p.failures >= maxFailing }

// paused returns the time until a class may be read again, 0 if it may be now. Histories weigh most: they are not read
// while the last live read failed, and those that nobody waits for not soon after a silence.
func (q *Queue) paused(c Class, now marketcache.Instant) time.Duration {
	switch p := &q.pauses[c.kind()]; {
	case c.kind() == historyKind && q.pauses[liveKind].failures > 0,
		c == ForHistory && now < q.pauses[historyKind].quiet:
		return probeAgain
	case p.refusals == 0 && !p.failing():
		return 0
	case now < p.until:
		return p.until.Sub(now)
	case p.probed != 0 && now.Sub(p.probed) < ProbeFor:
		return probeAgain
	}
	return 0
}

// Refused records an HTTP 429. retryAfter is 0 when the venue named no time. All reads of that
// kind pause, and the limit halves for a minute. Refused returns the length of the pause.
func (q *Queue) Refused(c Class, retryAfter time.Duration) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := marketcache.Now()
	p := &q.pauses[c.kind()]
	if p.refusals == 0 || now >= p.until { // refusals of requests in flight together count once
		p.refusals++
	}
	pause := retryAfter
	if pause <= 0 || pause > refusalPauseMax {
		pause = refusalPause << min(p.refusals-1, 2)
	}
	pause = min(pause, refusalPauseMax)
	pause += time.Duration(rand.Int64N(int64(pause)/4 + 1))
	p.until = max(p.until, now.Add(pause))
	p.failures = 0 // the venue is up
	q.tellVenue()
	q.meter.halved = max(q.meter.halved, now.Add(budgetWindow))
	q.serve(now)
	return p.until.Sub(now)
}

// Accepted records that the venue answered a read of a class, which ends a pause: after failures also that of other
// kinds.
func (q *Queue) Accepted(c Class) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p, now := &q.pauses[c.kind()], marketcache.Now()
	failed := p.failing()
	if p.failures = 0; p.refusals > 0 && now >= p.until { // else it was sent before the pause
		p.refusals = 0
	}
	if failed {
		if p.refusals == 0 {
			p.until = 0
		}
		if c.kind() != historyKind {
			q.pauses[historyKind].quiet = now.Add(quietAfter)
		}
		close(q.recovered)
		q.recovered = make(chan struct{})
		q.tellVenue()
		q.retry()
	}
}

// Failed records that the venue did not answer a read.
func (q *Queue) Failed(g *Grant) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := &q.pauses[g.spent.class.kind()]
	if g.era != p.era {
		return
	}
	if p.failures++; !p.failing() {
		return
	}
	if p.failures == maxFailing {
		p.length = 0
	}
	p.length = min(max(2*p.length, failurePauseMin), failurePauseMax)
	p.until = max(p.until, marketcache.Now().Add(p.length/2+time.Duration(rand.Int64N(int64(p.length/2)))))
	p.era++
	p.probed = 0
	q.tellVenue()
}

// Retry ends the pauses after failures, after a sign that the venue is back: probes that hang were sent before.
func (q *Queue) Retry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.retry()
}

func (q *Queue) retry() {
	for k := range q.pauses {
		if p := &q.pauses[k]; p.failing() && p.refusals == 0 {
			p.until, p.length, p.probed = 0, 0, 0
		}
	}
	q.serve(marketcache.Now())
}

// Recovered returns a channel that is closed when reads of a kind next succeed after failures.
func (q *Queue) Recovered() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.recovered
}

// tellVenue keeps Venue.BreakerOpen: reads of some kind fail.
func (q *Queue) tellVenue() {
	q.Venue.BreakerOpen.Store(slices.ContainsFunc(q.pauses[:], func(p pause) bool { return p.failing() }))
}

// Grant is granted weight that is not settled yet.
type Grant struct {
	q      *Queue
	spent  *spending
	second int64 // second of the log that holds the weight
	era    int   // of the pauses
	probe  bool  // this is the single read after a pause
}

// Probe reports whether reads of the grant's kind were failing when it was granted: its answer tells whether the venue
// is back.
func (g *Grant) Probe() bool { return g.probe }

func (q *Queue) grant(w *row, now marketcache.Instant) *Grant {
	p := &q.pauses[w.Class.kind()]
	g := &Grant{q: q, spent: q.meter.begin(w.Class, w.Weight, w.Weight, now), probe: p.refusals > 0 || p.failing()}
	if g.probe {
		p.probed = now
		p.era++
	}
	g.era = p.era
	if q.meter.limit != 0 {
		g.second = q.log.spend(w.Weight, time.Now())
	}
	return g
}

// settle ends a part of a grant: of the reserved weight, weighed was spent and the rest is free again.
func (q *Queue) settle(g *Grant, reserved, weighed int) {
	q.meter.settle(g.spent, reserved, weighed, marketcache.Now())
	q.log.refund(g.second, reserved-weighed)
	if p := &q.pauses[g.spent.class.kind()]; g.probe && g.spent.flying <= 0 && g.era == p.era {
		p.probed = 0
	}
}

// Settle ends a request that used the part reserved of the grant; its actual weight is weighed.
func (g *Grant) Settle(reserved, weighed int) {
	g.q.mu.Lock()
	defer g.q.mu.Unlock()
	g.q.settle(g, reserved, weighed)
	g.q.serve(marketcache.Now())
}

// Release gives the unsettled weight of a grant back.
func (g *Grant) Release() {
	if flying := g.spent.flying; flying > 0 {
		g.Settle(flying, 0)
	}
}
