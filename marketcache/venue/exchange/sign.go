package exchange

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

// Signer returns who signed the action for that network. A signature for another network, or over other bytes, yields
// the address of a stranger. An action that names its network itself is refused with ErrNetwork on another one.
func (e *Envelope) Signer(n Network) (Address, error) {
	d, err := e.digest(n)
	if err != nil {
		return Address{}, err
	}
	return recover1(d, &e.Signature)
}

// InnerSigners appends who signed the action inside a multi-sig action, one address for each signature, repetitions
// included. It appends nothing for another action.
func (e *Envelope) InnerSigners(signers []Address, n Network) ([]Address, error) {
	m, ok := e.Action.Form.(*MultiSig)
	if !ok {
		return signers, nil
	}
	d, err := e.innerDigest(m, n)
	if err != nil {
		return signers, err
	}
	for i := range m.Signatures {
		signer, err := recover1(d, (*Signature)(&m.Signatures[i]))
		if err != nil {
			return signers, fmt.Errorf("signature %d: %w", i, err)
		}
		signers = append(signers, signer)
	}
	return signers, nil
}

// ErrNetwork is the error for an action that names the other network.
var ErrNetwork = errors.New("the action is signed for the venue's other network")

// Hash returns the hash of an L1 action, which its signature is over: the venue's connectionId.
func (e *Envelope) Hash() [32]byte {
	w := e.pack()
	w.whole(&e.Action)
	return e.hash()
}

// pack returns the packer, empty.
func (e *Envelope) pack() *writer {
	e.packer.b, e.packer.packed, e.packer.n = e.packer.b[:0], true, 0
	return &e.packer
}

// hash returns the hash of what is packed with what belongs to every L1 action behind it.
func (e *Envelope) hash() word {
	b := binary.BigEndian.AppendUint64(e.packer.b, e.Nonce)
	if e.HasVault {
		b = append(append(b, 1), e.Vault[:]...)
	} else {
		b = append(b, 0)
	}
	if e.HasExpires {
		b = binary.BigEndian.AppendUint64(append(b, 0), e.Expires)
	}
	e.packer.b = b
	return keccak(b)
}

// digest is what the signature of the envelope is over.
func (e *Envelope) digest(n Network) (word, error) {
	switch f := e.Action.Form.(type) {
	case *MultiSig:
		if u, ok := f.Payload.Action.Form.(userSigned); ok && u.signing().Network != n {
			return word{}, ErrNetwork
		}
		e.pack().members("", f)
		return multiSigDigest(f.ChainID, n, e.hash(), e.Nonce), nil
	case userSigned:
		if f.signing().Network != n {
			return word{}, ErrNetwork
		}
		return userDigest(f, nil), nil
	}
	return agentDigest(e.Hash(), n), nil
}

// innerDigest is what the signatures in a multi-sig action are over.
func (e *Envelope) innerDigest(m *MultiSig, n Network) (word, error) {
	p := &m.Payload
	if f, ok := p.Action.Form.(userSigned); ok {
		if f.signing().Network != n {
			return word{}, ErrNetwork
		}
		return userDigest(f, p), nil
	}
	w := e.pack()
	w.b = packHead(w.b, 3, packedArray)
	put(w, p.User.String())
	put(w, p.OuterSigner.String())
	w.whole(&p.Action)
	return agentDigest(e.hash(), n), nil
}

// recover1 returns the address whose key signed d.
func recover1(d word, s *Signature) (Address, error) {
	key, err := recoverKey(d, s)
	if err != nil {
		return Address{}, err
	}
	return addressOf(key), nil
}

func recoverKey(d word, s *Signature) (*secp256k1.PublicKey, error) {
	var compact [65]byte
	compact[0] = byte(s.V)
	copy(compact[1:33], s.R[:])
	copy(compact[33:], s.S[:])
	key, _, err := ecdsa.RecoverCompact(compact[:], d[:])
	if err != nil {
		return nil, fmt.Errorf("the signature is none: %w", err)
	}
	return key, nil
}

func addressOf(key *secp256k1.PublicKey) (a Address) {
	h := keccak(key.SerializeUncompressed()[1:])
	copy(a[:], h[12:])
	return a
}

// Key is a private key.
type Key struct{ key *secp256k1.PrivateKey }

// ParseKey reads 0x and 64 hexadecimal digits.
func ParseKey(text string) (Key, error) {
	var b [32]byte
	if _, ok := parseHex(b[:], []byte(text)); !ok {
		return Key{}, errors.New("a private key is 0x and 64 hexadecimal digits")
	}
	var scalar secp256k1.ModNScalar
	if scalar.SetBytes(&b) != 0 || scalar.IsZero() {
		return Key{}, errors.New("the private key is out of range")
	}
	return Key{secp256k1.NewPrivateKey(&scalar)}, nil
}

// NewKey returns a random key.
func NewKey() (Key, error) {
	key, err := secp256k1.GeneratePrivateKeyFromRand(rand.Reader)
	if err != nil {
		return Key{}, fmt.Errorf("make a key: %w", err)
	}
	return Key{key}, nil
}

// Address returns the address of the key.
func (k Key) Address() Address { return addressOf(k.key.PubKey()) }

func (k Key) sign(d word) (s Signature) {
	compact := ecdsa.SignCompact(k.key, d[:], false)
	s.V = uint32(compact[0])
	copy(s.R[:], compact[1:33])
	copy(s.S[:], compact[33:])
	return s
}

// Sign signs the action for that network. An action that names its network must name this one.
func (e *Envelope) Sign(k Key, n Network) error {
	d, err := e.digest(n)
	if err == nil {
		e.Signature = k.sign(d)
	}
	return err
}

// SignInner adds a signature to a multi-sig action, whose payload must be complete. Sign comes after all of them.
func (e *Envelope) SignInner(k Key, n Network) error {
	m, ok := e.Action.Form.(*MultiSig)
	if !ok {
		return errors.New("only a multi-sig action has signatures inside")
	}
	d, err := e.innerDigest(m, n)
	if err == nil {
		m.Signatures = append(m.Signatures, InnerSignature(k.sign(d)))
	}
	return err
}
