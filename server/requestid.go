package server

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
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
	return &requestIDs{start: marketcache.InstantOf(start), startMs: uint64(start.UnixMilli()),
		process: binary.BigEndian.Uint64(b[:])}
}

// crockford is Crockford's alphabet: its characters are in order, so that ids sort as their bytes do.
var crockford = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)

// append appends a new id.
func (r *requestIDs) append(dst []byte, now marketcache.Instant) []byte {
	ms := r.startMs + uint64(now.Sub(r.start).Milliseconds())
	count := uint64(r.counter.Add(1))
	var id [16]byte
	binary.BigEndian.PutUint64(id[:8], ms<<16|count>>16)
	binary.BigEndian.PutUint64(id[8:], count<<48|r.process)
	return crockford.AppendEncode(append(dst, "req_"...), id[:])
}

// usableID reports whether a client's id may be echoed.
func usableID(id []byte) bool {
	invisible := func(c rune) bool { return c <= ' ' || c >= 0x7f }
	return 0 < len(id) && len(id) <= maxRequestID && !bytes.ContainsFunc(id, invisible)
}
