package exchange

import "slices"

// plain is an action whose members are only read, signed and written: it is told from others by type and class alone.
type plain struct {
	*plainRow
	group
	sign Signing // if it is user-signed; of another its nonce, if it has one
}

// userPlain is a plain action that its owner signs.
type userPlain struct{ plain }

// plainRow describes a plain action.
type plainRow struct {
	typ     string
	class   Class
	primary string // the name of its type in typed data; "": not user-signed
	members []member
	nonce   string // name of the member with the nonce, the last; "": none
	// check is the rule of checker, given the values of the members; nil: none.
	check func(values []value) (name, problem, mend string)
}

// sending is where two actions move a token. A dex is "" for the first one and spot for the spot account.
var sending = []member{{"destination", anAddress}, {"sourceDex", aText}, {"destinationDex", aText}, {"token", aText},
	{"amount", anAmount}, {"fromSubAccount", aText}}

// plainRows are the plain actions. Amounts called usd and ntl are in 1e-6 USD, wei in 1e-8 of the token.
var plainRows = []plainRow{
	{"subAccountTransfer", Funds, "",
		[]member{{"subAccountUser", anAddress}, {"isDeposit", aBool}, {"usd", aNumber}}, "", nil},
	{"subAccountSpotTransfer", Funds, "",
		[]member{{"subAccountUser", anAddress}, {"isDeposit", aBool}, {"token", aText}, {"amount", anAmount}}, "", nil},
	{"sendAsset", Funds, "SendAsset", sending, "nonce", checkSending},
	{"agentSendAsset", Funds, "", sending, "nonce", checkSending},
	{"spotSend", Funds, "SpotSend",
		[]member{{"destination", anAddress}, {"token", aText}, {"amount", anAmount}}, "time", nil},
	{"cDeposit", Funds, "CDeposit", []member{{"wei", aNumber}}, "nonce", nil},
	{"cWithdraw", Funds, "CWithdraw", []member{{"wei", aNumber}}, "nonce", nil},
	{"tokenDelegate", Funds, "TokenDelegate",
		[]member{{"validator", aRawAddress}, {"wei", aNumber}, {"isUndelegate", aBool}}, "nonce", nil},
	{"sendToEvmWithData", Funds, "SendToEvmWithData", []member{{"token", aText}, {"amount", anAmount},
		{"sourceDex", aText}, {"destinationRecipient", aText}, {"addressEncoding", aWord("hex", "base58")},
		{"destinationChainId", aNumber32}, {"gasLimit", aNumber}, {"data", someBytes}}, "nonce", nil},
	{"hip3LiquidatorTransfer", Funds, "", []member{{"dex", aText}, {"ntl", aNumber}, {"isDeposit", aBool}}, "", nil},
	{"userOutcome", Funds, "", []member{
		{"splitOutcome", aPart(member{"outcome", aNumber}, member{"amount", anAmount})},
		{"mergeOutcome", aPart(member{"outcome", aNumber}, member{"amount", amountOrAll})},
		{"mergeQuestion", aPart(member{"question", aNumber}, member{"amount", amountOrAll})},
		{"negateOutcome", aPart(member{"question", aNumber}, member{"outcome", aNumber}, member{"amount", anAmount})},
	}, "", checkOutcome},
	{"borrowLend", Margin, "", []member{{"operation", aWord("supply", "withdraw", "repay", "borrow")},
		{"token", aNumber}, {"amount", amountOrAll}}, "", nil},
	{"userSetAbstraction", AbstractionClass, "UserSetAbstraction",
		[]member{{"user", aRawAddress}, {"abstraction", anAbstraction}}, "nonce", nil},
	{"agentSetAbstraction", AbstractionClass, "", []member{{"abstraction", aWord(abstractionLetters...)}}, "", nil},
	{"userPortfolioMargin", AbstractionClass, "UserPortfolioMargin",
		[]member{{"user", aRawAddress}, {"enabled", aBool}}, "nonce", nil},
	{"userDexAbstraction", AbstractionClass, "UserDexAbstraction",
		[]member{{"user", aRawAddress}, {"enabled", aBool}}, "nonce", nil},
	{"approveBuilderFee", Signers, "ApproveBuilderFee",
		[]member{{"maxFeeRate", aText}, {"builder", aRawAddress}}, "nonce", nil},
	{"convertToMultiSigUser", Signers, "ConvertToMultiSigUser", []member{{"signers", aText}}, "nonce", nil},
	{"linkStakingUser", Signers, "LinkStakingUser",
		[]member{{"user", aRawAddress}, {"isFinalize", aBool}}, "nonce", nil},
	{"subAccountModify", Signers, "", []member{{"subAccountUser", anAddress}, {"name", aText}}, "", nil},
	{"topUpIsolatedOnlyMargin", NeverEnlarges, "", []member{{"asset", aNumber32}, {"leverage", aDecimal}}, "", nil},
	{"claimRewards", NeverEnlarges, "", nil, "", nil},
	{"reserveRequestWeight", Cost, "", []member{{"weight", aNumber}, {"destination", maybeAddress}}, "", nil},
	{"gossipPriorityBid", Cost, "", []member{{"slotId", aNumber}, {"ip", aText}, {"maxGas", aNumber}}, "", nil},
}

// form makes an empty form.
func (r *plainRow) form() Form {
	p := plain{plainRow: r, group: group{r.members, make([]value, len(r.members))}}
	if r.primary != "" {
		return &userPlain{p}
	}
	return &p
}

// Type and Class are those of the row.
func (p *plain) Type() string { return p.typ }
func (p *plain) Class() Class { return p.class }

func (p *plain) fields(v visitor) {
	if p.plainRow.primary != "" {
		p.sign.domainFields(v)
	}
	p.group.fields(v)
	if p.nonce != "" {
		v.uint64(p.nonce, &p.sign.Nonce, must)
	}
}

func (p *plain) ownNonce() (uint64, bool) { return p.sign.Nonce, p.nonce != "" }

func (p *plain) check() (name, problem, mend string) {
	if p.plainRow.check == nil {
		return "", "", ""
	}
	return p.plainRow.check(p.values)
}

func (p *userPlain) signing() *Signing { return &p.sign }
func (p *userPlain) primary() string   { return p.plainRow.primary }

func checkSending(values []value) (name, problem, mend string) {
	from := values[len(values)-1].text
	if _, err := ParseAddress(from); from != "" && (err != nil || !isLower([]byte(from))) {
		return "fromSubAccount", "is " + quote([]byte(from)), `write an address in lower case, or ""`
	}
	return "", "", ""
}

func checkOutcome(values []value) (name, problem, mend string) {
	n := 0
	for i := range values {
		if values[i].has {
			n++
		}
	}
	if n != 1 {
		return "splitOutcome", "does not stand alone",
			"write one of splitOutcome, mergeOutcome, mergeQuestion, negateOutcome"
	}
	return "", "", ""
}

// member is a member by its name and what visits its value.
type member struct {
	name  string
	visit func(v visitor, name string, x *value)
}

// value is the value of a member: the field of its kind.
type value struct {
	has, truth bool
	word       uint8
	number32   uint32
	number     uint64
	decimal    Decimal
	text       string
	address    Address
	bytes      []byte
	parts      []value // of an object
}

// group is an object of members.
type group struct {
	members []member
	values  []value
}

func (g *group) fields(v visitor) {
	for i := range g.members {
		g.members[i].visit(v, g.members[i].name, &g.values[i])
	}
}

func aText(v visitor, name string, x *value)        { v.str(name, (*plainText)(&x.text), must) }
func anAmount(v visitor, name string, x *value)     { v.str(name, (*amount)(&x.text), must) }
func amountOrAll(v visitor, name string, x *value)  { v.str(name, (*amount)(&x.text), orNull(&x.has)) }
func anAddress(v visitor, name string, x *value)    { v.str(name, &x.address, must) }
func maybeAddress(v visitor, name string, x *value) { v.str(name, &x.address, maybe(&x.has)) }
func aRawAddress(v visitor, name string, x *value)  { v.str(name, (*rawAddress)(&x.address), must) }
func aBool(v visitor, name string, x *value)        { v.bool(name, &x.truth) }
func aNumber(v visitor, name string, x *value)      { v.uint64(name, &x.number, must) }
func aNumber32(v visitor, name string, x *value)    { v.uint32(name, &x.number32) }
func aDecimal(v visitor, name string, x *value)     { v.str(name, &x.decimal, must) }
func someBytes(v visitor, name string, x *value)    { v.str(name, (*hexBytes)(&x.bytes), must) }

// anAbstraction is how collateral is pooled. Its letters stand in multi-sig actions; the signers sign the word.
func anAbstraction(v visitor, name string, x *value) {
	if _, hashing := v.(*typedData); hashing {
		word := x.word % uint8(len(abstractionNames))
		v.word(name, &word, abstractionNames)
		return
	}
	v.word(name, &x.word, abstractionWords)
}

var (
	abstractionNames   = []string{"disabled", "unifiedAccount", "portfolioMargin"}
	abstractionLetters = []string{"i", "u", "p"}
	abstractionWords   = slices.Concat(abstractionNames, abstractionLetters)
)

func aWord(words ...string) func(visitor, string, *value) {
	return func(v visitor, name string, x *value) { v.word(name, &x.word, words) }
}

// aPart is an object that may be absent.
func aPart(members ...member) func(visitor, string, *value) {
	return func(v visitor, name string, x *value) {
		if x.parts == nil {
			x.parts = make([]value, len(members))
		}
		v.object(name, &group{members, x.parts}, maybe(&x.has))
	}
}
