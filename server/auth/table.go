package auth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"sync/atomic"
	"time"
)

// state is what changes about a key while it is used. It outlives the tables.
type state struct {
	lastUsed atomic.Int64 // minutes since 1970 UTC, 0 when never
	bucket   bucket
}

// entry is one key of a table.
type entry struct {
	digest  [32]byte
	id      string
	revoked bool
	state   *state
}

// table holds all keys. Immutable; replaced whole.
type table struct {
	byHead map[uint64][]entry // by the first eight bytes of the digest
	states map[string]*state  // by id
	keys   int
}

// newTable builds the table of a file. States of keys that an older table holds go on.
func newTable(f keyFile, old *table) *table {
	t := &table{
		byHead: make(map[uint64][]entry, len(f.Keys)),
		states: make(map[string]*state, len(f.Keys)),
		keys:   len(f.Keys),
	}
	for i := range f.Keys {
		k := &f.Keys[i]
		d, err := k.digest()
		if err != nil {
			panic("BUG: key file was not checked: " + err.Error())
		}
		s := old.state(k.ID)
		if s == nil {
			s = &state{}
			if k.LastUsed != nil {
				s.lastUsed.Store(k.LastUsed.Unix() / 60)
			}
		}
		t.states[k.ID] = s
		head := binary.LittleEndian.Uint64(d[:])
		t.byHead[head] = append(t.byHead[head], entry{digest: d, id: k.ID, revoked: k.Revoked, state: s})
	}
	return t
}

func (t *table) state(id string) *state {
	if t == nil {
		return nil
	}
	return t.states[id]
}

// nobody stands in for the entry of an unknown key, so that it is compared like others.
var nobody = entry{revoked: true}

// find returns the entry of a key, or nil. The comparison takes the same time wherever
// the digests differ; which digests exist cannot be learnt by choosing keys, because that
// would take inverting SHA-256.
func (t *table) find(token []byte) *entry {
	digest := sha256.Sum256(token)
	candidates := t.byHead[binary.LittleEndian.Uint64(digest[:])]
	e := &nobody
	if len(candidates) > 0 {
		e = &candidates[0]
	}
	for i := range candidates { // more than one only by a collision of 64 bits
		if subtle.ConstantTimeCompare(candidates[i].digest[:], digest[:]) == 1 {
			e = &candidates[i]
		}
	}
	same := subtle.ConstantTimeCompare(e.digest[:], digest[:]) == 1
	if !same || e.revoked {
		return nil
	}
	return e
}

// used notes that a key was used. It writes at most once a minute.
func (s *state) used(now time.Time) {
	minute := now.Unix() / 60
	if s.lastUsed.Load() != minute {
		s.lastUsed.Store(minute)
	}
}
