package sim

import (
	"math"
	"strconv"

	"ballast/marketcache/venue/exchange"
)

// move is a transfer of an account's USDC.
type move struct {
	ms, id int64
	delta  object // as userNonFundingLedgerUpdates tells it
}

// withdrawFee is what a withdrawal to the bridge costs, USD.
const withdrawFee = 1

// transfer carries out an action that moves USDC of the main dex; it returns the venue's refusal.
func (m *market) transfer(acc *account, form exchange.Form) string {
	text, out := "", true
	switch f := form.(type) {
	case *exchange.USDClassTransfer:
		text, out = f.Amount, !f.ToPerp
	case *exchange.USDSend:
		text = f.Amount
	case *exchange.Withdraw:
		text = f.Amount
	}
	amount, err := strconv.ParseFloat(text, 64)
	if amount = roundUSD(amount); err != nil || !(amount > 0) || math.IsInf(amount, 0) {
		return "Invalid amount."
	}
	if out && amount > acc.withdrawable() {
		return "Insufficient balance for withdrawal."
	}
	switch f := form.(type) {
	case *exchange.USDClassTransfer:
		return m.moveClass(acc, amount, f.ToPerp)
	case *exchange.USDSend:
		to := m.accounts[f.Destination.String()]
		if to == nil || to.trading == nil {
			return "The simulated venue sends to its wallets that trade alone."
		}
		delta := object{"type": "internalTransfer", "usdc": usd(amount), "user": acc.Address, "destination": to.Address,
			"fee": "0.0"}
		acc.pools[""].cash, to.pools[""].cash = roundUSD(acc.pools[""].cash-amount), roundUSD(to.pools[""].cash+amount)
		m.noteMove(acc, delta)
		m.noteMove(to, delta)
	case *exchange.Withdraw:
		if amount <= withdrawFee {
			return "Invalid amount."
		}
		acc.pools[""].cash = roundUSD(acc.pools[""].cash - amount)
		m.noteMove(acc, object{"type": "withdraw", "usdc": usd(amount - withdrawFee), "nonce": f.Nonce,
			"fee": usd(withdrawFee)})
	}
	return ""
}

// moveClass moves USDC between the spot balance and the main dex.
func (m *market) moveClass(acc *account, amount float64, toPerp bool) string {
	switch {
	case acc.pooled:
		return "Action disabled when unified account is active"
	case toPerp && amount > acc.spotUSDC:
		return "Insufficient balance for spot transfer."
	}
	m.noteMove(acc, object{"type": "accountClassTransfer", "usdc": usd(amount), "toPerp": toPerp})
	if !toPerp {
		amount = -amount
	}
	acc.spotUSDC, acc.pools[""].cash = roundUSD(acc.spotUSDC-amount), roundUSD(acc.pools[""].cash+amount)
	return ""
}

// noteMove remembers a transfer.
func (m *market) noteMove(acc *account, delta object) {
	acc.moves.add(move{m.clock(), m.nextID(), delta})
	acc.changed = true
}

// withdrawable returns what the account may take out of the main dex: what is left of the collateral after the initial
// margin, at least a tenth of the notional, and after what resting orders hold.
func (acc *account) withdrawable() float64 {
	on, dex := acc.pools[""], ""
	if acc.pooled {
		dex = everyDex
	}
	return max(0, acc.collateral(on)-max(on.initial(everyDex), 0.1*on.sum(everyDex, (*position).value))-acc.held(dex))
}

// movesMax is the number of rows of a page of transfers.
const movesMax = 500

// moveRows answers userNonFundingLedgerUpdates, the oldest first.
func (acc *account) moveRows(startMs, endMs int64) []object {
	rows := []object{}
	for _, v := range acc.traded().moves.rows {
		if v.ms >= startMs && v.ms <= endMs && len(rows) < movesMax {
			rows = append(rows, object{"time": v.ms, "hash": hashOf(v.id), "delta": v.delta})
		}
	}
	return rows
}
