package exchange

// ApproveAgent lets an agent sign for the account.
type ApproveAgent struct {
	Signing
	Agent   Address
	HasName bool
	Name    string // "" for the unnamed agent, which is also signed if the member is absent or null
}

func (a *ApproveAgent) Type() string    { return "approveAgent" }
func (a *ApproveAgent) Class() Class    { return Signers }
func (a *ApproveAgent) primary() string { return "ApproveAgent" }

func (a *ApproveAgent) fields(v visitor) {
	a.domainFields(v)
	v.str("agentAddress", (*rawAddress)(&a.Agent), must)
	v.str("agentName", (*plainText)(&a.Name), either(&a.HasName))
	v.uint64("nonce", &a.Nonce, must)
}

// CreateSubAccount makes a sub-account.
type CreateSubAccount struct{ Name string }

func (a *CreateSubAccount) Type() string     { return "createSubAccount" }
func (a *CreateSubAccount) Class() Class     { return Signers }
func (a *CreateSubAccount) fields(v visitor) { v.str("name", (*plainText)(&a.Name), must) }

// Noop does nothing but use up its nonce.
type Noop struct{}

func (a *Noop) Type() string   { return "noop" }
func (a *Noop) Class() Class   { return NeverEnlarges }
func (a *Noop) fields(visitor) {}
