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

// ConvertToMultiSigUser makes the account one that several sign for, or takes that back.
type ConvertToMultiSigUser struct {
	Signing
	Authorized string // a JSON text, signed as it is
}

func (a *ConvertToMultiSigUser) Type() string    { return "convertToMultiSigUser" }
func (a *ConvertToMultiSigUser) Class() Class    { return Signers }
func (a *ConvertToMultiSigUser) primary() string { return "ConvertToMultiSigUser" }

func (a *ConvertToMultiSigUser) fields(v visitor) {
	a.domainFields(v)
	v.text("signers", &a.Authorized, must)
	v.uint64("nonce", &a.Nonce, must)
}

// LinkStakingUser links the account with another for fees.
type LinkStakingUser struct {
	Signing
	User     Address
	Finalize bool
}

func (a *LinkStakingUser) Type() string    { return "linkStakingUser" }
func (a *LinkStakingUser) Class() Class    { return Signers }
func (a *LinkStakingUser) primary() string { return "LinkStakingUser" }

func (a *LinkStakingUser) fields(v visitor) {
	a.domainFields(v)
	v.rawAddress("user", &a.User, must)
	v.bool("isFinalize", &a.Finalize)
	v.uint64("nonce", &a.Nonce, must)
}

// CreateSubAccount makes a sub-account.
type CreateSubAccount struct{ Name string }

func (a *CreateSubAccount) Type() string     { return "createSubAccount" }
func (a *CreateSubAccount) Class() Class     { return Signers }
func (a *CreateSubAccount) fields(v visitor) { v.text("name", &a.Name, must) }

// SubAccountModify renames a sub-account.
type SubAccountModify struct {
	SubAccount Address
	Name       string
}

func (a *SubAccountModify) Type() string { return "subAccountModify" }
func (a *SubAccountModify) Class() Class { return Signers }

func (a *SubAccountModify) fields(v visitor) {
	v.address("subAccountUser", &a.SubAccount, must)
	v.text("name", &a.Name, must)
}

// ReserveRequestWeight buys requests.
type ReserveRequestWeight struct {
	Weight         uint64
	HasDestination bool
	Destination    Address
}

func (a *ReserveRequestWeight) Type() string { return "reserveRequestWeight" }
func (a *ReserveRequestWeight) Class() Class { return Cost }

func (a *ReserveRequestWeight) fields(v visitor) {
	v.uint64("weight", &a.Weight, must)
	v.address("destination", &a.Destination, maybe(&a.HasDestination))
}

// GossipPriorityBid bids for an earlier place in the venue's network.
type GossipPriorityBid struct {
	Slot   uint64
	IP     string
	MaxGas uint64
}

func (a *GossipPriorityBid) Type() string { return "gossipPriorityBid" }
func (a *GossipPriorityBid) Class() Class { return Cost }

func (a *GossipPriorityBid) fields(v visitor) {
	v.uint64("slotId", &a.Slot, must)
	v.text("ip", &a.IP, must)
	v.uint64("maxGas", &a.MaxGas, must)
}

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
