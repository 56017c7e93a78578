package exchange

import (
	"strconv"

	"ballast/internal/jsonscan"
)

// MaxBody is the longest body that Decode reads, bytes.
const MaxBody = 256 << 10

// Envelope is a signed action, the body of POST /exchange. The zero value is ready for Decode.
type Envelope struct {
	Action     Action
	Nonce      uint64 // milliseconds
	Signature  Signature
	HasVault   bool
	Vault      Address // the vault or sub-account acted on
	HasExpires bool
	Expires    uint64 // milliseconds

	// The visitors, which keep their memory.
	reader         reader
	writer, packer writer
}

// Signature is a signature with which the signer can be recovered.
type Signature struct {
	R, S [32]byte
	V    uint32 // 27 or 28
}

func (s *Signature) fields(v visitor) {
	v.str("r", (*paddedScalar)(&s.R), must)
	v.str("s", (*paddedScalar)(&s.S), must)
	v.uint32("v", &s.V)
}

func (s *Signature) check() (name, problem, mend string) {
	if s.V != 27 && s.V != 28 {
		return "v", "is " + strconv.FormatUint(uint64(s.V), 10), "write 27 or 28"
	}
	return "", "", ""
}

func (s *InnerSignature) check() (name, problem, mend string) { return (*Signature)(s).check() }

func (e *Envelope) fields(v visitor) {
	v.action("action", &e.Action)
	v.uint64("nonce", &e.Nonce, must)
	v.object("signature", &e.Signature, must)
	v.str("vaultAddress", (*rawAddress)(&e.Vault), either(&e.HasVault))
	v.uint64("expiresAfter", &e.Expires, either(&e.HasExpires))
}

// check compares the members that must agree.
func (e *Envelope) check() (name, problem, mend string) {
	inner := e.Action.Inner()
	if f, ok := inner.Form.(interface{ ownNonce() (uint64, bool) }); ok {
		if nonce, has := f.ownNonce(); has && nonce != e.Nonce {
			return "nonce", "differs from the one in the action", "write the same number in both"
		}
	}
	if _, signed := inner.Form.(userSigned); signed {
		const mend = "leave it out; this action is signed without it"
		if e.HasVault {
			return "vaultAddress", "is not part of this action", mend
		}
		if e.HasExpires {
			return "expiresAfter", "is not part of this action", mend
		}
	}
	return "", "", ""
}

// Decode reads a body strictly. What it stores in e is valid until the next Decode into e and does not refer to body.
// After an error, which is always a *DecodeError, e has no meaning.
func Decode(body []byte, e *Envelope) error {
	if err := e.decode(body); err != nil {
		return err
	}
	return nil
}

func (e *Envelope) decode(body []byte) *DecodeError {
	r := &e.reader
	if len(body) > MaxBody {
		return &DecodeError{Problem: "is longer than " + strconv.Itoa(MaxBody) + " bytes", Mend: "send several actions"}
	}
	if err := r.parse(body); err != nil {
		return err
	}
	if len(r.nodes) == 0 || r.nodes[0].kind != jsonscan.Object {
		return &DecodeError{Problem: "is not an object", Mend: "send action, nonce and signature in one JSON object"}
	}
	r.err, r.path = nil, r.path[:0]
	r.members("", 0, e)
	return r.err
}

// AppendJSON appends the action and everything around it as one JSON object: all that Decode read, in the venue's
// order, and nothing else.
func (e *Envelope) AppendJSON(b []byte) []byte {
	w := &e.writer
	w.b, w.n = b, 0
	w.members("", e)
	b, w.b = w.b, nil
	return b
}
