package auth

import (
	"hash/maphash"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// bucket is a rate limiter in one atomic word (GCRA, ITU-T I.371): the theoretical arrival time of the
// next request. A whole minute's allowance may be used at once. The zero value has the full allowance.
type bucket struct{ due atomic.Int64 } // ns

// Quota is the state of a rate limit.
type Quota struct {
	Limit     int           // requests per minute, 0: no limit
	Remaining int           // requests that would be allowed now
	Reset     time.Duration // until the full allowance is available
	Wait      time.Duration // until the next request is allowed; 0: now
}

// take counts one request at now (ns) against perMinute. Over the limit, ok is false and nothing is
// counted.
func (b *bucket) take(now int64, perMinute int) (q Quota, ok bool) {
	const window = int64(time.Minute)
	step := window / int64(perMinute)
	for {
		due := b.due.Load()
		next := max(due, now) + step
		if ahead := next - now; ahead > window {
			return Quota{Limit: perMinute, Reset: time.Duration(due - now), Wait: time.Duration(ahead - window)}, false
		}
		if b.due.CompareAndSwap(due, next) {
			left := next - now
			return Quota{Limit: perMinute, Remaining: int((window - left) / step), Reset: time.Duration(left)}, true
		}
	}
}

// Guesses limits the rate of refused keys per address; beyond the limit the address gets no verdict. The
// table is bounded: in a flood from very many addresses, those inactive longest are forgotten first.
type Guesses struct {
	perMinute int
	seed      maphash.Seed
	mu        sync.Mutex // taken for refused keys only, never for a valid key
	sets      [1024][4]guesser
}

type guesser struct {
	addr   netip.Addr
	bucket bucket
}

// NewGuesses returns a limiter; perMinute 0 turns it off.
func NewGuesses(perMinute int) *Guesses {
	return &Guesses{perMinute: perMinute, seed: maphash.MakeSeed()}
}

// Refused counts one refused key from an address at now (ns) and reports whether the
// address (transport.ClientAddr) is still within the limit.
func (g *Guesses) Refused(addr netip.Addr, now int64) (q Quota, ok bool) {
	if g.perMinute <= 0 || !addr.IsValid() { // an in-memory listener has no addresses
		return Quota{}, true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	set := &g.sets[maphash.Comparable(g.seed, addr)%uint64(len(g.sets))]
	found := &set[0]
	for i := range set {
		if set[i].addr == addr {
			found = &set[i]
			break
		}
		if set[i].bucket.due.Load() < found.bucket.due.Load() {
			found = &set[i]
		}
	}
	if found.addr != addr {
		found.addr = addr
		found.bucket.due.Store(0)
	}
	return found.bucket.take(now, g.perMinute)
}
