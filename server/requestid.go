package server

import (
	"crypto/rand"
	"encoding/binary"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// maxRequestID is the maximum length of a client's request id.
const maxRequestID = 64

// requestIDs generates ids: "req_" and 26 characters of Crockford's base 32 that sort by time. Of the 128
// bits, 48 are milliseconds, 32 a counter, and 48 random per process, so that replicas do not collide.
type requestIDs struct {
	start   marketcache.Instant // later times count from this
	startMs uint64
	process uint64 // 48 bits
	counter atomic.Uint32
}

func newRequestIDs(start time.Time) *requestIDs {
	var b [8]byte
	rand.Read(b[2:])
	return &requestIDs{start: marketcache.InstantOf(start), startMs: uint64(start.UnixMilli()), process: binary.BigEndian.Uint64(b[:])}
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// append appends a new id.
func (r *requestIDs) append(dst []byte, now marketcache.Instant) []byte {
	ms := r.startMs + uint64(now.Sub(r.start).Milliseconds())
	count := uint64(r.counter.Add(1))
	hi := ms<<16 | count>>16
	lo := count<<48 | r.process
	const layout = "req_" + "                          "
	dst = append(dst, layout...)
	text := dst[len(dst)-len(layout):]
	putBase32(text[18:], lo)
	putBase32(text[6:], hi<<4|lo>>60)
	text[5], text[4] = crockford[hi>>56&31], crockford[hi>>61]
	return dst
}

// putBase32 writes the lowest 60 bits of v.
func putBase32(dst []byte, v uint64) {
	for i, d := 11, dst[:12]; i >= 0; i-- {
		d[i] = crockford[v&31]
		v >>= 5
	}
}

// usableID reports whether a client's id may be echoed.
func usableID(id []byte) bool {
	if len(id) == 0 || len(id) > maxRequestID {
		return false
	}
	for _, c := range id {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return true
}
