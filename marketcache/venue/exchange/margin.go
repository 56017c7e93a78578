package exchange

// UpdateLeverage sets leverage and margin mode of a market.
type UpdateLeverage struct {
	Asset    uint32
	Cross    bool
	Leverage uint64
}

func (a *UpdateLeverage) Type() string { return "updateLeverage" }
func (a *UpdateLeverage) Class() Class { return Margin }

func (a *UpdateLeverage) fields(v visitor) {
	v.uint32("asset", &a.Asset)
	v.bool("isCross", &a.Cross)
	v.uint64("leverage", &a.Leverage, must)
}

// UpdateIsolatedMargin moves margin to or from an isolated position.
type UpdateIsolatedMargin struct {
	Asset uint32
	Buy   bool
	USD   int64 // 1e-6 USD; negative takes out
}

func (a *UpdateIsolatedMargin) Type() string { return "updateIsolatedMargin" }

// Class is NeverEnlarges if margin is added.
func (a *UpdateIsolatedMargin) Class() Class {
	if a.USD > 0 {
		return NeverEnlarges
	}
	return Margin
}

func (a *UpdateIsolatedMargin) fields(v visitor) {
	v.uint32("asset", &a.Asset)
	v.bool("isBuy", &a.Buy)
	v.int64("ntli", &a.USD)
}

// TopUpIsolatedOnlyMargin adds margin to a position until it has that leverage.
type TopUpIsolatedOnlyMargin struct {
	Asset    uint32
	Leverage Decimal
}

func (a *TopUpIsolatedOnlyMargin) Type() string { return "topUpIsolatedOnlyMargin" }
func (a *TopUpIsolatedOnlyMargin) Class() Class { return NeverEnlarges }

func (a *TopUpIsolatedOnlyMargin) fields(v visitor) {
	v.uint32("asset", &a.Asset)
	v.decimal("leverage", &a.Leverage, must)
}

// BorrowLend lends or borrows a token.
type BorrowLend struct {
	Operation Lending
	Token     uint64
	HasAmount bool // otherwise everything
	Amount    string
}

// Lending is what a BorrowLend does.
type Lending uint8

const (
	Supply Lending = iota
	WithdrawSupply
	Repay
	Borrow
)

var lendingNames = []string{"supply", "withdraw", "repay", "borrow"}

func (a *BorrowLend) Type() string { return "borrowLend" }
func (a *BorrowLend) Class() Class { return Margin }

func (a *BorrowLend) fields(v visitor) {
	v.word("operation", (*uint8)(&a.Operation), lendingNames)
	v.uint64("token", &a.Token, must)
	v.amount("amount", &a.Amount, orNull(&a.HasAmount))
}

// Abstraction is how the collateral of an account is pooled.
type Abstraction uint8

const (
	Disabled Abstraction = iota
	UnifiedAccount
	PortfolioMargin
)

var (
	abstractionLetters = []string{"i", "u", "p"}
	abstractionNames   = []string{"disabled", "unifiedAccount", "portfolioMargin"}
	abstractionWords   = append(append([]string(nil), abstractionNames...), abstractionLetters...)
)

// AgentSetAbstraction sets how collateral is pooled, signed by an agent.
type AgentSetAbstraction struct{ Abstraction Abstraction }

func (a *AgentSetAbstraction) Type() string { return "agentSetAbstraction" }
func (a *AgentSetAbstraction) Class() Class { return AbstractionClass }

func (a *AgentSetAbstraction) fields(v visitor) {
	v.word("abstraction", (*uint8)(&a.Abstraction), abstractionLetters)
}

// UserSetAbstraction sets how collateral is pooled, signed by the owner.
type UserSetAbstraction struct {
	Signing
	User        Address
	Abstraction Abstraction
	Letter      bool // written as one letter, as in a multi-sig action; the signers sign the whole word
}

func (a *UserSetAbstraction) Type() string    { return "userSetAbstraction" }
func (a *UserSetAbstraction) Class() Class    { return AbstractionClass }
func (a *UserSetAbstraction) primary() string { return "UserSetAbstraction" }

func (a *UserSetAbstraction) fields(v visitor) {
	a.domainFields(v)
	v.rawAddress("user", &a.User, must)
	names := len(abstractionNames)
	word := uint8(a.Abstraction)
	if _, hashing := v.(*typedData); hashing {
		v.word("abstraction", &word, abstractionNames)
	} else {
		if a.Letter {
			word += uint8(names)
		}
		v.word("abstraction", &word, abstractionWords)
		a.Letter, a.Abstraction = int(word) >= names, Abstraction(int(word)%names)
	}
	v.uint64("nonce", &a.Nonce, must)
}

// UserPortfolioMargin switches portfolio margin.
type UserPortfolioMargin struct {
	Signing
	User    Address
	Enabled bool
}

func (a *UserPortfolioMargin) Type() string    { return "userPortfolioMargin" }
func (a *UserPortfolioMargin) Class() Class    { return AbstractionClass }
func (a *UserPortfolioMargin) primary() string { return "UserPortfolioMargin" }

func (a *UserPortfolioMargin) fields(v visitor) {
	a.domainFields(v)
	v.rawAddress("user", &a.User, must)
	v.bool("enabled", &a.Enabled)
	v.uint64("nonce", &a.Nonce, must)
}

// UserDexAbstraction switches the pooling of the dexes' collateral.
type UserDexAbstraction struct {
	Signing
	User    Address
	Enabled bool
}

func (a *UserDexAbstraction) Type() string    { return "userDexAbstraction" }
func (a *UserDexAbstraction) Class() Class    { return AbstractionClass }
func (a *UserDexAbstraction) primary() string { return "UserDexAbstraction" }

func (a *UserDexAbstraction) fields(v visitor) {
	a.domainFields(v)
	v.rawAddress("user", &a.User, must)
	v.bool("enabled", &a.Enabled)
	v.uint64("nonce", &a.Nonce, must)
}
