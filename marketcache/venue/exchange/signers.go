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
	v.rawAddress("agentAddress", &a.Agent, must)
	v.text("agentName", &a.Name, either(&a.HasName))
	v.uint64("nonce", &a.Nonce, must)
}

// ApproveBuilderFee lets a program take fees of the orders that come through it.
type ApproveBuilderFee struct {
	Signing
	MaxFeeRate string // such as 0.01%
	Builder    Address
}

func (a *ApproveBuilderFee) Type() string    { return "approveBuilderFee" }
func (a *ApproveBuilderFee) Class() Class    { return Signers }
func (a *ApproveBuilderFee) primary() string { return "ApproveBuilderFee" }

func (a *ApproveBuilderFee) fields(v visitor) {
	a.domainFields(v)
	v.text("maxFeeRate", &a.MaxFeeRate, must)
	v.rawAddress("builder", &a.Builder, must)
	v.uint64("nonce", &a.Nonce, must)
}

// CreateSubAccount makes a sub-account.
type CreateSubAccount struct{ Name string }

func (a *CreateSubAccount) Type() string     { return "createSubAccount" }
func (a *CreateSubAccount) Class() Class     { return Signers }
func (a *CreateSubAccount) fields(v visitor) { v.text("name", &a.Name, must) }

// ClaimRewards collects rewards of referrals.
type ClaimRewards struct{}

func (a *ClaimRewards) Type() string   { return "claimRewards" }
func (a *ClaimRewards) Class() Class   { return NeverEnlarges }
func (a *ClaimRewards) fields(visitor) {}

// Noop does nothing but use up its nonce.
type Noop struct{}

func (a *Noop) Type() string   { return "noop" }
func (a *Noop) Class() Class   { return NeverEnlarges }
func (a *Noop) fields(visitor) {}
