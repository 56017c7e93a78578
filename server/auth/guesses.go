package auth

import (
	"hash/maphash"
	"net/netip"
	"sync"
)

// Guesses limits how many refused keys one address may send before it gets no verdict
// any more. The table is bounded: under a flood from very many addresses those that were
// quiet longest are forgotten first.
type Guesses struct {
	perMinute int
	seed      maphash.Seed
	mu        sync.Mutex // refused keys only: never on the path of a good one
	sets      [1024][4]guesser
}

type guesser struct {
	addr   netip.Prefix
	bucket bucket
}

// NewGuesses returns a limiter; perMinute 0 turns it off.
func NewGuesses(perMinute int) *Guesses {
	return &Guesses{perMinute: perMinute, seed: maphash.MakeSeed()}
}

// Refused counts one refused key from an address at now (ns) and reports whether the
// address is still within the limit.
func (g *Guesses) Refused(addr netip.Addr, now int64) (q Quota, ok bool) {
	if g.perMinute <= 0 {
		return Quota{}, true
	}
	// Who has an IPv6 address has its /64.
	addr = addr.Unmap()
	prefix, err := addr.Prefix(min(64, addr.BitLen()))
	if err != nil {
		return Quota{}, true // no address: an in-memory listener
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	set := &g.sets[maphash.Comparable(g.seed, prefix)%uint64(len(g.sets))]
	found := &set[0]
	for i := range set {
		if set[i].addr == prefix {
			found = &set[i]
			break
		}
		if set[i].bucket.due.Load() < found.bucket.due.Load() {
			found = &set[i]
		}
	}
	if found.addr != prefix {
		found.addr = prefix
		found.bucket.due.Store(0)
	}
	return found.bucket.take(now, g.perMinute)
}
