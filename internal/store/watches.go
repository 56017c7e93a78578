package store

import "database/sql"

const watchTables = `
CREATE TABLE IF NOT EXISTS watches (
	key TEXT NOT NULL, wallet TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (key, wallet)
) STRICT;
`

// Watches returns the records of all watches.
func (m *Main) Watches() (records []string, err error) {
	err = m.eachRow("SELECT record FROM watches", nil, func(scan scanner) error {
		var text string
		err := scan(&text)
		records = append(records, text)
		return err
	})
	return records, err
}

// EditWatch replaces the record of a key's watch of a wallet by what edit makes of it, in a transaction. No record is
// "", in both directions. When EditWatch returns without an error, the record is on disk.
func (m *Main) EditWatch(key, wallet string, edit func(record string) (string, error)) error {
	var refused error
	err := m.write(func(tx *sql.Tx) error {
		var old string
		row := tx.QueryRow("SELECT record FROM watches WHERE key = ? AND wallet = ?", key, wallet)
		if _, err := found(row.Scan(&old)); err != nil {
			return err
		}
		var next string
		var err error
		if next, refused = edit(old); refused != nil || next == old {
			return nil
		}
		if next == "" {
			_, err = tx.Exec("DELETE FROM watches WHERE key = ? AND wallet = ?", key, wallet)
		} else {
			_, err = tx.Exec("INSERT OR REPLACE INTO watches (key, wallet, record) VALUES (?, ?, ?)", key, wallet, next)
		}
		return err
	})
	if refused != nil {
		return refused
	}
	return m.unsound(err)
}
