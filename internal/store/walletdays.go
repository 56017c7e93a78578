package store

import (
	"database/sql"
	"time"
)

// WalletDay is what is kept of a wallet's account value.
type WalletDay struct {
	Record string // JSON
	// Lifts counts how often an operator has lifted its halts.
	Lifts int64
}

// HaltLifted is the event of a halt that an operator has lifted; HaltSet that of one that a loss has set. Their
// subject is the wallet.
const (
	HaltSet    = "halt_set"
	HaltLifted = "halt_lifted"
)

// WalletDays returns the records of all wallets.
func (m *Main) WalletDays() (map[string]WalletDay, error) {
	days := map[string]WalletDay{}
	err := m.eachRow("SELECT wallet, record, lifts FROM wallet_days", nil, func(scan scanner) error {
		var wallet string
		var d WalletDay
		err := scan(&wallet, &d.Record, &d.Lifts)
		days[wallet] = d
		return err
	})
	return days, err
}

// PutWalletDays keeps records, and adds events to the audit. A record of fewer lifts than the one that is kept is left
// out: it has halts that an operator has lifted meanwhile.
func (m *Main) PutWalletDays(days map[string]WalletDay, events []Event) error {
	return m.write(func(tx *sql.Tx) error {
		for wallet, d := range days {
			_, err := tx.Exec(`INSERT INTO wallet_days (wallet, record, lifts) VALUES (?, ?, ?)
				ON CONFLICT (wallet) DO UPDATE SET record = excluded.record, lifts = excluded.lifts
				WHERE lifts <= excluded.lifts`, wallet, d.Record, d.Lifts)
			if err != nil {
				return err
			}
		}
		return addEvents(tx, events...)
	})
}

// LiftHalts replaces the record of a wallet by what lift makes of it, and notes in the audit who has lifted its halts.
// It reports whether there is a record.
func (m *Main) LiftHalts(wallet, who string, at time.Time, lift func(record string) (string, error)) (is bool,
	err error) {
	err = m.write(func(tx *sql.Tx) (err error) {
		var record string
		is, err = found(tx.QueryRow("SELECT record FROM wallet_days WHERE wallet = ?", wallet).Scan(&record))
		if !is {
			return err
		}
		if record, err = lift(record); err == nil {
			_, err = tx.Exec("UPDATE wallet_days SET record = ?, lifts = lifts + 1 WHERE wallet = ?", record, wallet)
		}
		if err != nil {
			return err
		}
		return addEvents(tx, Event{at, who, HaltLifted, wallet, ""})
	})
	return is, err
}
