package auth

import (
	"hash/maphash"
	"net/netip"
	"sync"
)

// Guesses limits the rate of refused keys per address; beyond the limit the address gets no verdict. The
// table is bounded: in a flood from very many addresses, those inactive longest are forgotten first.
type Guesses struct {
	perMinute int
	seed      maphash.Seed
	mu        sync.Mutex // taken for refused keys only, never for a valid key
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
	// A client with one IPv6 address controls the whole /64.
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
