package exchange

// MultiSig is an action of an account that several sign for. Whoever of them sends it signs the whole.
type MultiSig struct {
	ChainID    uint64 // of the domain, as in Signing
	Signatures []InnerSignature
	Payload    Payload
}

// Payload is what the signers of a MultiSig sign.
type Payload struct {
	User        Address // the account acted on
	OuterSigner Address // who signs the whole
	Action      Action
}

// InnerSignature is the signature of one signer of a MultiSig. It is hashed as text, so it has one form only.
type InnerSignature Signature

func (a *MultiSig) Type() string { return "multiSig" }

// Class is that of the action inside.
func (a *MultiSig) Class() Class { return a.Payload.Action.Class() }

func (a *MultiSig) fields(v visitor) {
	v.str("signatureChainId", (*chainID)(&a.ChainID), must)
	v.list("signatures", (*items[InnerSignature, *InnerSignature])(&a.Signatures))
	v.object("payload", &a.Payload, must)
}

func (p *Payload) fields(v visitor) {
	v.str("multiSigUser", &p.User, must)
	v.str("outerSigner", &p.OuterSigner, must)
	v.action("action", &p.Action)
}

func (s *InnerSignature) fields(v visitor) {
	v.str("r", (*scalar)(&s.R), must)
	v.str("s", (*scalar)(&s.S), must)
	v.uint32("v", &s.V)
}
