package exchange

import "strings"

// USDClassTransfer moves USDC between the spot and the perpetual account.
type USDClassTransfer struct {
	Signing
	Amount string // USD; with " subaccount:0x..." behind it that of a sub-account
	ToPerp bool
}

func (a *USDClassTransfer) Type() string    { return "usdClassTransfer" }
func (a *USDClassTransfer) Class() Class    { return Funds }
func (a *USDClassTransfer) primary() string { return "UsdClassTransfer" }

func (a *USDClassTransfer) fields(v visitor) {
	a.domainFields(v)
	v.text("amount", &a.Amount, must)
	v.bool("toPerp", &a.ToPerp)
	v.uint64("nonce", &a.Nonce, must)
}

func (a *USDClassTransfer) check() (name, problem, mend string) {
	amount, account, sub := strings.Cut(a.Amount, " subaccount:")
	_, err := ParseAddress(account)
	if !plainDecimal(amount) || sub && err != nil {
		return "amount", "is " + quote([]byte(a.Amount)),
			`write an amount in digits, and " subaccount:0x..." behind it for a sub-account`
	}
	return "", "", ""
}

// VaultTransfer moves USDC to or from a vault.
type VaultTransfer struct {
	Vault   Address
	Deposit bool
	USD     uint64 // 1e-6 USD
}

func (a *VaultTransfer) Type() string { return "vaultTransfer" }
func (a *VaultTransfer) Class() Class { return Funds }

func (a *VaultTransfer) fields(v visitor) {
	v.address("vaultAddress", &a.Vault, must)
	v.bool("isDeposit", &a.Deposit)
	v.uint64("usd", &a.USD, must)
}

// SubAccountTransfer moves USDC to or from a sub-account.
type SubAccountTransfer struct {
	SubAccount Address
	Deposit    bool
	USD        uint64 // 1e-6 USD
}

func (a *SubAccountTransfer) Type() string { return "subAccountTransfer" }
func (a *SubAccountTransfer) Class() Class { return Funds }

func (a *SubAccountTransfer) fields(v visitor) {
	v.address("subAccountUser", &a.SubAccount, must)
	v.bool("isDeposit", &a.Deposit)
	v.uint64("usd", &a.USD, must)
}

// SubAccountSpotTransfer moves a token to or from a sub-account.
type SubAccountSpotTransfer struct {
	SubAccount Address
	Deposit    bool
	Token      string
	Amount     string
}

func (a *SubAccountSpotTransfer) Type() string { return "subAccountSpotTransfer" }
func (a *SubAccountSpotTransfer) Class() Class { return Funds }

func (a *SubAccountSpotTransfer) fields(v visitor) {
	v.address("subAccountUser", &a.SubAccount, must)
	v.bool("isDeposit", &a.Deposit)
	v.text("token", &a.Token, must)
	v.amount("amount", &a.Amount, must)
}

// Sending is where SendAsset and AgentSendAsset move a token.
type Sending struct {
	Destination    Address
	SourceDex      string // "" the first dex, "spot" the spot account
	DestinationDex string
	Token          string
	Amount         string
	FromSubAccount string // an address, or "" for the account itself
}

func (s *Sending) visit(v visitor) {
	v.address("destination", &s.Destination, must)
	v.text("sourceDex", &s.SourceDex, must)
	v.text("destinationDex", &s.DestinationDex, must)
	v.text("token", &s.Token, must)
	v.amount("amount", &s.Amount, must)
	v.text("fromSubAccount", &s.FromSubAccount, must)
}

func (s *Sending) check() (name, problem, mend string) {
	_, err := ParseAddress(s.FromSubAccount)
	if s.FromSubAccount != "" && (err != nil || !isLower([]byte(s.FromSubAccount))) {
		return "fromSubAccount", "is " + quote([]byte(s.FromSubAccount)), `write an address in lower case, or ""`
	}
	return "", "", ""
}

// SendAsset moves a token, signed by the owner.
type SendAsset struct {
	Signing
	Sending
}

func (a *SendAsset) Type() string    { return "sendAsset" }
func (a *SendAsset) Class() Class    { return Funds }
func (a *SendAsset) primary() string { return "SendAsset" }

func (a *SendAsset) fields(v visitor) {
	a.domainFields(v)
	a.visit(v)
	v.uint64("nonce", &a.Nonce, must)
}

// AgentSendAsset moves a token among the places of the agent's owner.
type AgentSendAsset struct {
	Sending
	Nonce uint64
}

func (a *AgentSendAsset) Type() string     { return "agentSendAsset" }
func (a *AgentSendAsset) Class() Class     { return Funds }
func (a *AgentSendAsset) ownNonce() uint64 { return a.Nonce }

func (a *AgentSendAsset) fields(v visitor) {
	a.visit(v)
	v.uint64("nonce", &a.Nonce, must)
}

// SpotSend sends a token to another account.
type SpotSend struct {
	Signing
	Destination Address
	Token       string
	Amount      string
}

func (a *SpotSend) Type() string    { return "spotSend" }
func (a *SpotSend) Class() Class    { return Funds }
func (a *SpotSend) primary() string { return "SpotSend" }

func (a *SpotSend) fields(v visitor) {
	a.domainFields(v)
	v.address("destination", &a.Destination, must)
	v.text("token", &a.Token, must)
	v.amount("amount", &a.Amount, must)
	v.uint64("time", &a.Nonce, must)
}

// USDSend sends USDC to another account.
type USDSend struct {
	Signing
	Destination Address
	Amount      string // USD
}

func (a *USDSend) Type() string    { return "usdSend" }
func (a *USDSend) Class() Class    { return Funds }
func (a *USDSend) primary() string { return "UsdSend" }

func (a *USDSend) fields(v visitor) {
	a.domainFields(v)
	v.address("destination", &a.Destination, must)
	v.amount("amount", &a.Amount, must)
	v.uint64("time", &a.Nonce, must)
}

// Withdraw takes USDC out of the venue.
type Withdraw struct {
	Signing
	Destination Address
	Amount      string // USD
}

func (a *Withdraw) Type() string    { return "withdraw3" }
func (a *Withdraw) Class() Class    { return Funds }
func (a *Withdraw) primary() string { return "Withdraw" }

func (a *Withdraw) fields(v visitor) {
	a.domainFields(v)
	v.address("destination", &a.Destination, must)
	v.amount("amount", &a.Amount, must)
	v.uint64("time", &a.Nonce, must)
}

// CDeposit moves the venue's token to staking.
type CDeposit struct {
	Signing
	Wei uint64 // 1e-8 of the token
}

func (a *CDeposit) Type() string    { return "cDeposit" }
func (a *CDeposit) Class() Class    { return Funds }
func (a *CDeposit) primary() string { return "CDeposit" }

func (a *CDeposit) fields(v visitor) {
	a.domainFields(v)
	v.uint64("wei", &a.Wei, must)
	v.uint64("nonce", &a.Nonce, must)
}

// CWithdraw moves the venue's token from staking.
type CWithdraw struct {
	Signing
	Wei uint64 // 1e-8 of the token
}

func (a *CWithdraw) Type() string    { return "cWithdraw" }
func (a *CWithdraw) Class() Class    { return Funds }
func (a *CWithdraw) primary() string { return "CWithdraw" }

func (a *CWithdraw) fields(v visitor) {
	a.domainFields(v)
	v.uint64("wei", &a.Wei, must)
	v.uint64("nonce", &a.Nonce, must)
}

// TokenDelegate stakes with a validator.
type TokenDelegate struct {
	Signing
	Validator  Address
	Wei        uint64 // 1e-8 of the token
	Undelegate bool
}

func (a *TokenDelegate) Type() string    { return "tokenDelegate" }
func (a *TokenDelegate) Class() Class    { return Funds }
func (a *TokenDelegate) primary() string { return "TokenDelegate" }

func (a *TokenDelegate) fields(v visitor) {
	a.domainFields(v)
	v.rawAddress("validator", &a.Validator, must)
	v.uint64("wei", &a.Wei, must)
	v.bool("isUndelegate", &a.Undelegate)
	v.uint64("nonce", &a.Nonce, must)
}

// SendToEVMWithData sends a token to a contract.
type SendToEVMWithData struct {
	Signing
	Token         string
	Amount        string
	SourceDex     string
	Recipient     string
	Encoding      uint8 // of the recipient: 0 hex, 1 base58
	DestinationID uint32
	GasLimit      uint64
	Data          []byte
}

var encodingNames = []string{"hex", "base58"}

func (a *SendToEVMWithData) Type() string    { return "sendToEvmWithData" }
func (a *SendToEVMWithData) Class() Class    { return Funds }
func (a *SendToEVMWithData) primary() string { return "SendToEvmWithData" }

func (a *SendToEVMWithData) fields(v visitor) {
	a.domainFields(v)
	v.text("token", &a.Token, must)
	v.amount("amount", &a.Amount, must)
	v.text("sourceDex", &a.SourceDex, must)
	v.text("destinationRecipient", &a.Recipient, must)
	v.word("addressEncoding", &a.Encoding, encodingNames)
	v.uint32("destinationChainId", &a.DestinationID)
	v.uint64("gasLimit", &a.GasLimit, must)
	v.bytes("data", &a.Data)
	v.uint64("nonce", &a.Nonce, must)
}

// HIP3LiquidatorTransfer moves USDC to or from the liquidator of a dex.
type HIP3LiquidatorTransfer struct {
	Dex     string
	USD     uint64 // 1e-6 USD
	Deposit bool
}

func (a *HIP3LiquidatorTransfer) Type() string { return "hip3LiquidatorTransfer" }
func (a *HIP3LiquidatorTransfer) Class() Class { return Funds }

func (a *HIP3LiquidatorTransfer) fields(v visitor) {
	v.text("dex", &a.Dex, must)
	v.uint64("ntl", &a.USD, must)
	v.bool("isDeposit", &a.Deposit)
}
