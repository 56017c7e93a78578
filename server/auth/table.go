package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"hash"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// state is the mutable state of a key. It is kept when the table is replaced.
type state struct {
	// lastUsed is when this process last saw the key, noted is the last use recorded in the durable store;
	// minutes since 1970 UTC, 0 for never.
	lastUsed, noted atomic.Int64
	bucket          bucket
}

// entry is one key of a table. Immutable, except for what state points to.
type entry struct {
	record Record
	state  *state
}

// table holds all keys. Immutable; replaced as a whole.
type table struct {
	version uint64              // incremented with each table
	byHead  map[uint64][]*entry // by the first eight bytes of the digest
	byID    map[string]*entry
}

// with returns a copy of the table with entries, by id, added or replaced.
func (t *table) with(entries map[string]*entry) *table {
	next := &table{version: t.version + 1, byHead: maps.Clone(t.byHead), byID: maps.Clone(t.byID)}
	for id, e := range entries {
		head := digestPrefix(e.record.SHA256)
		others := slices.DeleteFunc(slices.Clone(next.byHead[head]), func(o *entry) bool { return o.record.ID == id })
		next.byHead[head] = append(others, e)
		next.byID[id] = e
	}
	return next
}

func digestPrefix(d Digest) uint64 { return binary.LittleEndian.Uint64(d[:]) }

// nobody is compared when no entry is found, so that the lookup of an unknown key takes the same time.
var nobody = &entry{record: Record{Revoked: true}}

// find returns the entry of a key, or nil. The time of the comparison does not depend on where digests
// differ. Trying keys does not tell which digests exist: one would have to invert SHA-256.
func (t *table) find(token []byte) *entry {
	h := hashers.Get().(*hasher)
	defer hashers.Put(h)
	digest := h.sum(token)
	candidates := t.byHead[digestPrefix(*digest)]
	e := nobody
	if len(candidates) > 0 {
		e = candidates[0]
	}
	for _, c := range candidates { // more than one only if 64-bit prefixes collide
		if subtle.ConstantTimeCompare(c.record.SHA256[:], digest[:]) == 1 {
			e = c
		}
	}
	same := subtle.ConstantTimeCompare(e.record.SHA256[:], digest[:]) == 1
	if !same || e.record.Revoked {
		return nil
	}
	return e
}

// used records a use of the key. It does not write at each request.
func (s *state) used(now time.Time) {
	if minute := now.Unix() / 60; s.lastUsed.Load() != minute {
		s.lastUsed.Store(minute)
	}
}

// hasher is a reusable SHA-256. sha256.Sum256 may allocate one, depending on profile-guided inlining.
type hasher struct {
	hash.Hash
	digest [sha256.Size]byte
}

var hashers = sync.Pool{New: func() any { return &hasher{Hash: sha256.New()} }}

// sum returns the digest of a token, valid until the next call.
func (h *hasher) sum(token []byte) *[sha256.Size]byte {
	h.Reset()
	h.Write(token)
	h.Sum(h.digest[:0])
	return &h.digest
}

// key returns the entry as shown in lists.
func (e *entry) key() Key {
	k := e.record.Key()
	if minute := max(e.state.lastUsed.Load(), e.state.noted.Load()); minute > 0 {
		at := time.Unix(minute*60, 0).UTC()
		k.LastUsed = &at
	}
	return k
}
