package auth

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/mail"
	"strings"
	"time"
	"unicode"
)

// Key is one issued key as shown in lists, without the key itself or its hash.
type Key struct {
	ID       string     `json:"id"`
	Email    string     `json:"email"`
	Role     Role       `json:"role"`
	Created  time.Time  `json:"created"`
	LastUsed *time.Time `json:"last_used"` // to the minute; nil: never
	Revoked  bool       `json:"revoked"`
}

// Digest is the SHA-256 of a key. As text it is 64 lower-case hexadecimal digits.
type Digest [sha256.Size]byte

// DigestOf returns the digest of a key.
func DigestOf(key string) Digest { return sha256.Sum256([]byte(key)) }

// MarshalText writes the hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) {
	return hex.AppendEncode(nil, d[:]), nil
}

// UnmarshalText reads exactly what MarshalText writes.
func (d *Digest) UnmarshalText(b []byte) error {
	if len(b) != hex.EncodedLen(len(d)) || bytes.ContainsAny(b, "ABCDEF") {
		return errNoDigest
	}
	if _, err := hex.Decode(d[:], b); err != nil {
		return errNoDigest // hex's own error would quote the input
	}
	return nil
}

var errNoDigest = errors.New("not a SHA-256")

// Record is one issued key in the durable store.
type Record struct {
	ID      string    `json:"id"`
	Email   string    `json:"email"`
	Role    Role      `json:"role,omitzero"` // left out: Agent, as in the records of releases without roles
	SHA256  Digest    `json:"sha256"`
	Created time.Time `json:"created"`
	Revoked bool      `json:"revoked"`
}

// String returns the id only, so that the hash does not get into errors or logs.
func (r Record) String() string { return r.ID }

// LogValue returns the id only, for slog.
func (r Record) LogValue() slog.Value { return slog.StringValue(r.ID) }

// Key returns the record as shown in lists.
func (r Record) Key() Key {
	return Key{ID: r.ID, Email: r.Email, Role: r.Role, Created: r.Created, Revoked: r.Revoked}
}

// Errors about keys.
var (
	ErrNoSuchKey = errors.New("no such key")
	ErrBadEmail  = errors.New("not an e-mail address of at most 254 bytes")
)

// New returns a new key for an e-mail address and the record to store. The key itself is nowhere else.
func New(email string, role Role) (key string, r Record, err error) {
	// A hidden character could reverse the direction of the text in a list of keys.
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if !validEmail(email) || strings.ContainsFunc(email, hidden) {
		return "", Record{}, fmt.Errorf("%w: %q", ErrBadEmail, email[:min(len(email), 64)])
	}
	key = newKey()
	return key, Record{
		ID:     idPrefix + string(appendRandom62(nil, idRandom)),
		Email:  email,
		Role:   role,
		SHA256: DigestOf(key),
		// In milliseconds, so that lists keep the order of issue.
		Created: time.Now().UTC().Truncate(time.Millisecond),
	}, nil
}

const (
	idPrefix = "key_"
	idRandom = 12
	maxEmail = 254
	// MaxRecord is the maximum size of a record's JSON, bytes.
	MaxRecord = 1 << 10
)

// ValidID reports whether s has the form of a key's id.
func ValidID(s string) bool {
	body, ok := strings.CutPrefix(s, idPrefix)
	return ok && len(body) == idRandom && strings.Trim(body, base62) == ""
}

func validEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= maxEmail
}

// ParseRecord decodes a record's JSON strictly. It refuses unknown fields, because an unknown field could
// restrict the key.
func ParseRecord(b []byte) (Record, error) {
	var r Record
	if len(b) > MaxRecord {
		return Record{}, fmt.Errorf("%d bytes, at most %d", len(b), MaxRecord)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return Record{}, errors.New("not the JSON of a key") // the decoder's error could quote a hash
	}
	if _, err := d.Token(); err != io.EOF {
		return Record{}, errors.New("text behind the JSON object")
	}
	return r, r.Check()
}

// Check returns an error for an invalid record from outside.
func (r Record) Check() error {
	switch {
	case !ValidID(r.ID):
		return errors.New("no id")
	case r.SHA256 == Digest{}:
		return errNoDigest
	case !validEmail(r.Email):
		return ErrBadEmail
	case r.Created.IsZero():
		return errors.New("no time of issue")
	}
	return nil
}
