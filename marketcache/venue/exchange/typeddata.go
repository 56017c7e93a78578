package exchange

import (
	"encoding/binary"

	"golang.org/x/crypto/sha3"
)

// Network is one of the venue's two networks. A signature is good for one of them.
type Network uint8

const (
	Mainnet Network = iota
	Testnet
)

var networkNames = []string{"Mainnet", "Testnet"}

func (n Network) String() string { return networkNames[n] }

// Signing is the part of an action that its owner signs as typed data (EIP-712), member by member.
type Signing struct {
	ChainID uint64 // of the domain; any chain
	Network Network
	Nonce   uint64 // milliseconds; equal to the envelope's
}

func (s *Signing) signing() *Signing        { return s }
func (s *Signing) ownNonce() (uint64, bool) { return s.Nonce, true }

func (s *Signing) domainFields(v visitor) {
	v.str("signatureChainId", (*chainID)(&s.ChainID), must)
	v.word("hyperliquidChain", (*uint8)(&s.Network), networkNames)
}

// userSigned is an action that is signed as typed data. All others are L1 actions, signed as a hash of msgpack.
type userSigned interface {
	Form
	signing() *Signing
	primary() string // the name of its type
}

type word [32]byte

// keccak returns the Keccak-256 hash of parts one after the other.
func keccak(parts ...[]byte) (h word) {
	k := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		k.Write(part)
	}
	k.Sum(h[:0])
	return h
}

func textWord(text string) word { return keccak([]byte(text)) }

func numberWord(x uint64) (w word) {
	binary.BigEndian.PutUint64(w[24:], x)
	return w
}

func addressWord(a Address) (w word) {
	copy(w[12:], a[:])
	return w
}

const domainType = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"

func domainHash(name string, chainID uint64) word {
	return hashWords(textWord(domainType), textWord(name), textWord("1"), numberWord(chainID), word{})
}

func hashWords(words ...word) word {
	var b []byte
	for i := range words {
		b = append(b, words[i][:]...)
	}
	return keccak(b)
}

var (
	agentDomain = domainHash("Exchange", 1337)
	agentType   = textWord("Agent(string source,bytes32 connectionId)")
	sourceWords = [2]word{textWord("a"), textWord("b")}
)

// digest is what is signed: a struct within a domain.
func digest(domain, hash word) word { return keccak([]byte{0x19, 0x01}, domain[:], hash[:]) }

// agentDigest is what is signed of an L1 action with that hash.
func agentDigest(hash word, n Network) word {
	return digest(agentDomain, hashWords(agentType, sourceWords[n], hash))
}

// userDigest is what is signed of a user-signed action, in a multi-sig one by each of its signers.
func userDigest(f userSigned, multi *Payload) word {
	t := typedData{multi: multi}
	t.types = append(append(t.types, typePrefix...), f.primary()...)
	f.fields(&t)
	t.types = append(t.types, ')')
	typ := keccak(t.types)
	return digest(domainHash(userDomain, f.signing().ChainID), keccak(typ[:], t.words))
}

const (
	userDomain = "HyperliquidSignTransaction"
	typePrefix = "HyperliquidTransaction:"
)

var multiSigType = textWord(typePrefix +
	"SendMultiSig(string hyperliquidChain,bytes32 multiSigActionHash,uint64 nonce)")

// multiSigDigest is what the sender of a multi-sig action signs.
func multiSigDigest(chainID uint64, n Network, hash word, nonce uint64) word {
	return digest(domainHash(userDomain, chainID),
		hashWords(multiSigType, textWord(n.String()), hash, numberWord(nonce)))
}

// typedData is the visitor that builds the type of an action and the words that are hashed behind it.
type typedData struct {
	visitor // nil: no user-signed action has members of other kinds than those below
	types   []byte
	words   []byte
	multi   *Payload // nil if the action is not in a multi-sig one
}

func (t *typedData) add(typ, name string, w word) {
	separator := byte(',')
	if len(t.words) == 0 {
		separator = '('
	}
	t.types = append(append(append(append(t.types, separator), typ...), ' '), name...)
	t.words = append(t.words, w[:]...)
}

func (t *typedData) uint32(name string, x *uint32) { t.add("uint32", name, numberWord(uint64(*x))) }

func (t *typedData) uint64(name string, x *uint64, _ presence) { t.add("uint64", name, numberWord(*x)) }

func (t *typedData) bool(name string, x *bool) {
	var w word
	if *x {
		w[31] = 1
	}
	t.add("bool", name, w)
}

func (t *typedData) word(name string, x *uint8, words []string) {
	t.add("string", name, textWord(words[*x]))
	if name == "hyperliquidChain" && t.multi != nil {
		t.add("address", "payloadMultiSigUser", addressWord(t.multi.User))
		t.add("address", "outerSigner", addressWord(t.multi.OuterSigner))
	}
}

// str of an absent member is signed as if it were empty. The chain is part of the domain.
func (t *typedData) str(name string, x text, _ presence) {
	switch x := x.(type) {
	case *chainID:
	case *rawAddress:
		t.add("address", name, addressWord(Address(*x)))
	case *hexBytes:
		t.add("bytes", name, keccak(*x))
	default:
		t.add("string", name, keccak(x.AppendText(nil)))
	}
}
