package receipt

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"time"

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

// Digest is the SHA-256 of a request in canonical form, in hexadecimal digits.
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
	canonicalizer Canonicalizer
	text          []byte
	digest        Digest
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
	var ok bool
	if m.text, ok = m.canonicalizer.Append(m.text[:0], body); !ok {
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
	m.text = s.appendSigned(m.text[:0], d, validMs)
	signature := ed25519.Sign(s.private, m.text)

	dst = append(dst, `{"version":"`+Version+`","key_id":"`...)
	dst = append(append(dst, s.keyID...), `","kind":"`...)
	dst = append(append(dst, d.Kind...), `","index":`...)
	dst = strconv.AppendInt(dst, int64(d.Index), 10)
	dst = append(append(dst, `,"request_digest":"`...), d.Digest[:]...)
	dst = d.appendAccount(append(dst, `","account":"`...))
	dst = append(append(dst, `","verdict":"`...), d.Verdict...)
	dst = append(dst, `","policy_revision":`...)
	dst = strconv.AppendUint(dst, d.Revision, 10)
	dst = append(append(dst, `,"engine_version":"`...), d.Engine...)
	dst = append(dst, `","request_id":`...)
	dst = append(api.AppendString(dst, d.RequestID), `,"as_of":"`...)
	dst = append(api.AppendTime(dst, d.AsOfMs), `","valid_until":"`...)
	dst = append(api.AppendTime(dst, validMs), `","signature":"`...)
	dst = base64.StdEncoding.AppendEncode(dst, signature)
	return append(dst, `"}`...)
}

// appendSigned appends what is signed.
func (s *Signer) appendSigned(dst []byte, d *Decision, validMs int64) []byte {
	dst = append(dst, Version+"\nkey_id="...)
	dst = append(append(dst, s.keyID...), "\nkind="...)
	dst = append(append(dst, d.Kind...), "\nindex="...)
	dst = strconv.AppendInt(dst, int64(d.Index), 10)
	dst = append(append(dst, "\nrequest_digest="...), d.Digest[:]...)
	dst = d.appendAccount(append(dst, "\naccount="...))
	dst = append(append(dst, "\nverdict="...), d.Verdict...)
	dst = append(dst, "\npolicy_revision="...)
	dst = strconv.AppendUint(dst, d.Revision, 10)
	dst = append(append(dst, "\nengine_version="...), d.Engine...)
	dst = append(append(dst, "\nrequest_id="...), d.RequestID...)
	dst = api.AppendTime(append(dst, "\nas_of="...), d.AsOfMs)
	dst = api.AppendTime(append(dst, "\nvalid_until="...), validMs)
	return append(dst, '\n')
}

func (d *Decision) appendAccount(dst []byte) []byte {
	if d.Account == (marketcache.Wallet{}) {
		return dst
	}
	return d.Account.Append(dst)
}
