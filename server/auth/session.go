package auth

import (
	"crypto/subtle"
	"time"
)

// Session remembers the last accepted key of a connection. The same key need not be hashed again
// until any key is issued or revoked. The zero Session remembers no key. A Session is not safe
// for concurrent use. A validation takes 51,900 instructions, 55,290 if every key is looked up in the store
// (measured at 68d7a0c; method 1 of PERF.md).
type Session struct {
	// Shown is called with the id of an accepted key that the session does not remember, and with "" when a header
	// is refused; may be nil.
	Shown func(keyID string)

	caller  Caller // zero: no key is remembered
	version uint64 // of the table that had the key
	length  int
	header  [maxRemembered]byte
}

// maxRemembered is the maximum length in bytes of a remembered header; a header with a valid key
// is shorter.
const maxRemembered = 64

// Lookup looks up the value of an Authorization header like s.Lookup. s must be the same store each time.
func (m *Session) Lookup(s *Store, header []byte, now time.Time) (Caller, Verdict) {
	// Read first: if the table changes during the lookup, the key is not remembered.
	version := s.table.Load().version
	if m.caller.state != nil && m.version == version && s.Trusted(now) &&
		subtle.ConstantTimeCompare(m.header[:m.length], header) == 1 {
		m.caller.state.used(now)
		return m.caller, Accepted
	}
	caller, verdict := s.Lookup(header, now)
	m.caller = Caller{}
	if m.Shown != nil && verdict != Unavailable {
		m.Shown(caller.ID)
	}
	if verdict != Accepted {
		return caller, verdict
	}
	if len(header) <= maxRemembered {
		m.caller, m.version, m.length = caller, version, copy(m.header[:], header)
	}
	return caller, Accepted
}
