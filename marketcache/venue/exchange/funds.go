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
	v.str("amount", (*plainText)(&a.Amount), must)
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
	v.str("destination", &a.Destination, must)
	v.str("amount", (*amount)(&a.Amount), must)
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
	v.str("destination", &a.Destination, must)
	v.str("amount", (*amount)(&a.Amount), must)
	v.uint64("time", &a.Nonce, must)
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
	v.str("vaultAddress", &a.Vault, must)
	v.bool("isDeposit", &a.Deposit)
	v.uint64("usd", &a.USD, must)
}
