package feed

import (
	"math/rand/v2"
	"time"

	"ballast/marketcache"
)

// kind groups the classes that a refusal pauses together.
type kind int

const (
	walletKind kind = iota
	liveKind
	historyKind
	kinds
)

func (c Class) kind() kind {
	switch c {
	case ForWallet:
		return walletKind
	case ForWanted, ForHistory:
		return historyKind
	}
	return liveKind
}

// refusal is the state of a kind after an HTTP 429: no read is granted during the pause, then
// one at a time until the venue answers one.
type refusal struct {
	n       int // refusals in a row; 0: none
	until   marketcache.Instant
	probing bool // the single read after the pause is in flight
}

// Pauses after a refusal. A Retry-After above refusalPauseMax is ignored: otherwise one answer could stop
// the service for an hour, or wallet reads until the cached wallets are too old to answer for a close.
const (
	refusalPause    = 10 * time.Second // without Retry-After; doubles with each refusal up to refusalPauseMax
	refusalPauseMax = 30 * time.Second // before jitter, which adds up to a quarter
	probeAgain      = time.Second      // estimated time until a probe's result
)

// paused returns the time until a class may be read again after a refusal, 0 if it may be now.
func (q *Queue) paused(c Class, now marketcache.Instant) time.Duration {
	switch r := &q.refusals[c.kind()]; {
	case r.n > 0 && now < r.until:
		return r.until.Sub(now)
	case r.probing:
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
	r := &q.refusals[c.kind()]
	if r.n == 0 || now >= r.until { // refusals of requests in flight together count once
		r.n++
	}
	pause := retryAfter
	if pause <= 0 || pause > refusalPauseMax {
		pause = refusalPause << min(r.n-1, 2)
	}
	pause = min(pause, refusalPauseMax)
	pause += time.Duration(rand.Int64N(int64(pause)/4 + 1))
	r.until = max(r.until, now.Add(pause))
	q.meter.halved = max(q.meter.halved, now.Add(budgetWindow))
	q.serve(now)
	return r.until.Sub(now)
}

// Accepted records that the venue answered a read of a class, which ends a refusal.
func (q *Queue) Accepted(c Class) {
	q.mu.Lock()
	defer q.mu.Unlock()
	// An answer to a request sent before the pause proves nothing.
	if r := &q.refusals[c.kind()]; marketcache.Now() >= r.until {
		*r = refusal{}
	}
}

// Grant is granted weight that is not settled yet.
type Grant struct {
	q      *Queue
	key    *keyState
	weight int
	second int64 // second of the log that holds the weight
	probe  bool  // this is the single read after a pause
}

func (q *Queue) grant(w *row) *Grant {
	q.meter.begin(w.key, w.Weight)
	refused := &q.refusals[w.Class.kind()]
	refused.probing = refused.n > 0
	g := &Grant{q: q, key: w.key, weight: w.Weight, probe: refused.probing}
	if q.meter.limit != 0 {
		g.second = q.log.spend(w.Weight, time.Now())
	}
	return g
}

// settle ends a part of a grant: of the reserved weight, weighed was spent and the rest is free again.
func (q *Queue) settle(g *Grant, reserved, weighed int) {
	g.weight -= reserved
	q.meter.settle(g.key, reserved, weighed, marketcache.Now())
	q.log.refund(g.second, reserved-weighed)
	if g.probe && g.weight <= 0 {
		q.refusals[g.key.class.kind()].probing = false
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
	if g.weight > 0 {
		g.Settle(g.weight, 0)
	}
}
