package receipt

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/goccy/go-json/jsontext"

	"ballast/marketcache"
	"ballast/server/api"
)

// Version is the first line of what is signed.
const Version = "ballast-receipt-v1"

// Kinds of decisions.
const (
	Validate = "validate"
	Batch    = "batch"
	Gate     = "gate"
)

// Decision is what a receipt says.
type Decision struct {
	Kind   string
	Index  int // of a batch's trade, from 0
	Digest *Digest
	// Account is the zero wallet where it is not known.
	Account   marketcache.Wallet
	Verdict   string
	Revision  uint64 // of the operator's policy, 0 without one
	Engine    string
	RequestID []byte // visible ASCII
	AsOfMs    int64  // ms since 1970
	// Stale: the decision rests on data beyond their soft limit, so it holds no longer than the moment it was made.
	Stale bool
}

// Digest is the SHA-256 of a request in the canonical form of RFC 8785, in hexadecimal digits.
type Digest [2 * sha256.Size]byte

// Signer signs decisions with one key. It may be used concurrently.
type Signer struct {
	private ed25519.PrivateKey
	keyID   string
	info    []byte // the answer that tells the public key
	holds   time.Duration
}

// Scratch is the memory of one request.
type Scratch struct {
	text   []byte
	digest Digest
}

// NewSigner returns a signer whose receipts hold for a time.
func NewSigner(private ed25519.PrivateKey, holds time.Duration) *Signer {
	public := private.Public().(ed25519.PublicKey)
	s := &Signer{private: private, keyID: keyID(public), holds: holds}
	w := api.NewWriter(nil)
	w.Text(`{"key_id":`, s.keyID)
	w.Text(`,"algorithm":`, "Ed25519")
	w.Text(`,"pem":`, string(publicPEM(public)))
	w.Text(`,"raw":`, base64.StdEncoding.EncodeToString(public))
	w.Text(`,"version":`, Version)
	w.Integer(`,"valid_ms":`, int(holds.Milliseconds()))
	w.Raw(`}`)
	s.info = w.Bytes()
	return s
}

// keyID names a public key: the first 16 hexadecimal digits of its SHA-256.
func keyID(public ed25519.PublicKey) string {
	sum := sha256.Sum256(public)
	return hex.EncodeToString(sum[:8])
}

// Info is a JSON object that tells the public key.
func (s *Signer) Info() []byte { return s.info }

// Digest returns the digest of a request's body, nil if the body is no strict JSON. It is valid until the next call.
func (m *Scratch) Digest(body []byte) *Digest {
	m.text = append(m.text[:0], body...)
	if (*jsontext.Value)(&m.text).Canonicalize() != nil {
		return nil
	}
	sum := sha256.Sum256(m.text)
	hex.Encode(m.digest[:], sum[:])
	return &m.digest
}

// Append appends the receipt of a decision as a JSON object in one line of ASCII.
func (s *Signer) Append(dst []byte, d *Decision, m *Scratch) []byte {
	validMs := d.AsOfMs
	if !d.Stale {
		validMs += s.holds.Milliseconds()
	}
	var account, number, asOf, valid [48]byte
	w := lines{signed: append(m.text[:0], Version...), json: append(dst, `{"version":"`+Version+`"`...)}
	add(&w, "key_id", s.keyID, true)
	add(&w, "kind", d.Kind, true)
	add(&w, "index", strconv.AppendInt(number[:0], int64(d.Index), 10), false)
	add(&w, "request_digest", d.Digest[:], true)
	of := account[:0]
	if d.Account != (marketcache.Wallet{}) {
		of = d.Account.Append(of)
	}
	add(&w, "account", of, true)
	add(&w, "verdict", d.Verdict, true)
	add(&w, "policy_revision", strconv.AppendUint(number[:0], d.Revision, 10), false)
	add(&w, "engine_version", d.Engine, true)
	add(&w, "request_id", d.RequestID, true)
	add(&w, "as_of", api.AppendTime(asOf[:0], d.AsOfMs), true)
	add(&w, "valid_until", api.AppendTime(valid[:0], validMs), true)
	m.text = append(w.signed, '\n')
	dst = append(w.json, `,"signature":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, ed25519.Sign(s.private, m.text))
	return append(dst, `"}`...)
}

// lines are what is signed, a line for each name, and the same as members of a JSON object.
type lines struct{ signed, json []byte }

func add[T string | []byte](w *lines, name string, value T, quoted bool) {
	w.signed = append(append(append(append(w.signed, '\n'), name...), '='), value...)
	w.json = append(append(append(w.json, `,"`...), name...), `":`...)
	if quoted {
		w.json = api.AppendString(w.json, value)
	} else {
		w.json = append(w.json, value...)
	}
}
