package store

import (
	"context"
	"database/sql"
	"errors"
)

const sentOrderTables = `
CREATE TABLE IF NOT EXISTS sent_orders (
	account TEXT NOT NULL, at_ms INTEGER NOT NULL, same INTEGER NOT NULL, until_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS sent_orders_until ON sent_orders (until_ms);
CREATE INDEX IF NOT EXISTS sent_orders_of ON sent_orders (account, at_ms);
`

// SentOrder is an order that counts for the limits of an account: how many were sent, and whether the same one was.
type SentOrder struct {
	Account string
	AtMs    int64 // ms since 1970
	Same    int64 // digest of what makes orders the same
	UntilMs int64 // later it does not count
}

// SentOrders returns the orders that count at a time.
func (m *Main) SentOrders(nowMs int64) (orders []SentOrder, err error) {
	err = m.eachRow("SELECT account, at_ms, same, until_ms FROM sent_orders WHERE until_ms >= ?", []any{nowMs},
		func(scan scanner) error {
			var o SentOrder
			err := scan(&o.Account, &o.AtMs, &o.Same, &o.UntilMs)
			orders = append(orders, o)
			return err
		})
	return orders, err
}

// PutSentOrders keeps orders, and forgets others and those that do not count any more. What is kept outlives the
// process at once, and a loss of power after the next commit of something else.
func (m *Main) PutSentOrders(keep, forget []SentOrder, nowMs int64) error {
	m.sending.Lock()
	defer m.sending.Unlock()
	return m.writeOn(func(tx *sql.Tx) error {
		for _, o := range keep {
			_, err := tx.Exec("INSERT INTO sent_orders (account, at_ms, same, until_ms) VALUES (?, ?, ?, ?)", o.Account,
				o.AtMs, o.Same, o.UntilMs)
			if err != nil {
				return err
			}
		}
		for _, o := range forget {
			_, err := tx.Exec(`DELETE FROM sent_orders WHERE rowid = (SELECT rowid FROM sent_orders
				WHERE account = ? AND at_ms = ? AND same = ? LIMIT 1)`, o.Account, o.AtMs, o.Same)
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec("DELETE FROM sent_orders WHERE until_ms < ?", nowMs)
		return err
	}, func(f *mainFile) (*sql.Tx, error) {
		conn, err := m.unsynced(f)
		if err != nil {
			return nil, err
		}
		return conn.BeginTx(context.Background(), nil)
	})
}

// unsynced returns the connection whose commits are written but not synced to the disk.
func (m *Main) unsynced(file *mainFile) (*sql.Conn, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if file.unsynced != nil {
		return file.unsynced, nil
	}
	conn, err := file.db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	if _, err := conn.ExecContext(context.Background(), "PRAGMA synchronous = NORMAL"); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	file.unsynced = conn
	return conn, nil
}
