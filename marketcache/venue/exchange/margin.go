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
	v.str("user", (*rawAddress)(&a.User), must)
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
