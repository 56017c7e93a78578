package store

import (
	"cmp"
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

const historySchema = `CREATE TABLE IF NOT EXISTS history (
	venue TEXT NOT NULL, name TEXT NOT NULL, part TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (venue, name, part)
) STRICT`

// History is one venue's rows of history.db: values by name and part of the name. A row that was written just before
// the machine lost its power may be missing; the file is sound all the same. Safe for concurrent use.
type History struct {
	db    *sql.DB
	venue string
}

// OpenHistory opens history.db in dir for a venue. A damaged file is set aside: it is renamed to the returned name,
// which is empty otherwise, and replaces one that was set aside before. A file on a disk that takes no writes can
// be read.
func OpenHistory(dir, venue string) (h *History, aside string, err error) {
	path := filepath.Join(dir, HistoryFile)
	db, err := open(path, "NORMAL", historySchema)
	var damage *DamagedError
	if errors.As(err, &damage) {
		aside = path + ".damaged"
		if err = setAside(path, aside); err == nil {
			db, err = open(path, "NORMAL", historySchema)
		}
	} else if err != nil { // the disk takes no writes
		if readable, e := openWith(path, "", url.Values{"mode": {"ro"}, "immutable": {"1"}}); e == nil {
			db, err = readable, nil
		}
	}
	if err != nil {
		return nil, "", err
	}
	return &History{db, venue}, aside, nil
}

// setAside renames a database with its log and the log's index.
func setAside(path, aside string) (err error) {
	for _, file := range []string{"", "-wal", "-shm"} {
		if e := os.Rename(path+file, aside+file); !errors.Is(e, fs.ErrNotExist) {
			err = cmp.Or(err, e)
		}
	}
	return err
}

// Load returns the parts of a name; none if there are none.
func (h *History) Load(name string) (map[string][]byte, error) {
	return pairs[string, []byte](h.db, "SELECT part, value FROM history WHERE venue = ? AND name = ?", h.venue, name)
}

// Save sets parts of a name, and removes those whose value is nil: all of them, or none if it fails.
func (h *History) Save(name string, parts map[string][]byte) error {
	tx, err := h.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for part, value := range parts {
		if value == nil {
			_, err = tx.Exec("DELETE FROM history WHERE venue = ? AND name = ? AND part = ?", h.venue, name, part)
		} else {
			_, err = tx.Exec(`INSERT INTO history VALUES (?, ?, ?, ?)
				ON CONFLICT DO UPDATE SET value = excluded.value`, h.venue, name, part, value)
		}
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Close closes the file.
func (h *History) Close() error { return h.db.Close() }
