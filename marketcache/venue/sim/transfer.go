package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Transfer deposits USDC into an account from outside the venue, or, with a negative amount, withdraws it.
func (e *Exchange) Transfer(address string, amount float64) error {
	m := e.market
	m.mu.Lock()
	defer m.mu.Unlock()
	acc := m.accounts[strings.ToLower(address)]
	if acc == nil {
		return fmt.Errorf("no account %.64q", address)
	}
	acc.mu.Lock()
	main := acc.pool("", 0)
	main.cash, main.start = roundUSD(main.cash+amount), roundUSD(main.start+amount)
	acc.mu.Unlock()
	delta := object{"type": "deposit", "usdc": usd(amount)}
	if amount < 0 {
		delta = object{"type": "withdraw", "usdc": usd(-amount), "nonce": e.nowMs(), "fee": "0.0"}
	}
	acc.noteTransfer(e.nowMs(), delta)
	return nil
}

// noteTransfer adds an entry to the ledger.
func (acc *account) noteTransfer(ms int64, delta object) {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	acc.transfers = append(acc.transfers, object{"time": ms, "hash": zeroHash, "delta": delta})
}

const zeroHash = "0x0000000000000000000000000000000000000000000000000000000000000000"

// ledgerPage is the largest number of entries in an answer.
const ledgerPage = 500

// transferRows answers userNonFundingLedgerUpdates: the entries of a time, the oldest first.
func (acc *account) transferRows(fromMs, toMs int64) []object {
	acc.mu.Lock()
	defer acc.mu.Unlock()
	rows := []object{}
	for _, t := range acc.transfers {
		if ms := t["time"].(int64); ms >= fromMs && ms <= toMs {
			rows = append(rows, t)
		}
	}
	return slices.Clip(rows[:min(len(rows), ledgerPage)])
}

// infoTransfers answers userNonFundingLedgerUpdates.
func infoTransfers(q query) any {
	if q.StartTime == nil {
		return refused
	}
	return q.acc.transferRows(*q.StartTime, or(q.EndTime, math.MaxInt64))
}
