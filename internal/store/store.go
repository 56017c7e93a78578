// Package store keeps what must outlive the process, in two SQLite files of the data directory.
//
//	ballast.db   what nobody could give back: keys, their audit, regimes of wallets. Every commit is on disk
//	             before it is acknowledged. A damaged file is refused.
//	history.db   what can be fetched again: histories and tables of the venue, spent request weight. A damaged
//	             file is set aside, and a new one begun.
//
// Several processes may have a file open at once: a command can change keys while the service runs. Both
// files can be read with the sqlite3 program.
package store

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // registers the driver
	sqlite3 "modernc.org/sqlite/lib"

	"ballast/internal/printable"
)

// The names of the files in the data directory.
const (
	MainFile    = "ballast.db"
	HistoryFile = "history.db"
)

// busy explains that another process holds a file for writing.
func busy(path string, err error) error {
	return fmt.Errorf("%s: another process has been writing to it for over %v, perhaps a database shell that was left "+
		"open: end that, then try again (%w)", path, busyTimeout, err)
}

// busyTimeout is how long a statement waits for another process's or goroutine's write to end.
const busyTimeout = 5 * time.Second

// DamagedError says that a file is not a sound database.
type DamagedError struct {
	Path  string
	Cause error
}

func (e *DamagedError) Error() string {
	cause := printable.Start([]byte(e.Cause.Error()), 200) // it may quote what is in the file
	return fmt.Sprintf("%s is damaged (%s); restore it: stop the service, move the file and its -wal and -shm away, "+
		"and copy a file that `ballast backup` wrote to its place", e.Path, cause)
}

func (e *DamagedError) Unwrap() error { return e.Cause }

// open opens the database at path, creates it with schema if it is missing, and reads it whole to check it.
// synchronous is SQLite's pragma of that name. A file that is no sound database is a *DamagedError.
func open(path, synchronous, schema string) (*sql.DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		if err := create(path, synchronous, schema); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case info.Size() < smallest: // SQLite would take it for a new database
		return nil, &DamagedError{path, fmt.Errorf("it has %d bytes", info.Size())}
	}
	if f, err := os.OpenFile(path, os.O_RDWR, 0); err != nil { // with an error that says more than SQLite's
		return nil, err
	} else if err := f.Close(); err != nil {
		return nil, err
	}
	return openToWrite(path, synchronous, schema)
}

// smallest is the size of the smallest page, and so of the smallest database.
const smallest = 512

// create makes a new database. If another process does the same at the same moment, the one made first stays.
func create(path, synchronous, schema string) error {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return &DamagedError{path, errors.New("it is missing, and its -wal is there")}
	}
	err := whole(path, func(made string) error {
		db, err := openToWrite(made, synchronous, schema)
		if err != nil {
			return err
		}
		return db.Close()
	})
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// whole makes a file that only its owner can read. write makes it under another name, and it is renamed when complete,
// so a crash leaves nothing incomplete at path. If there is a file at path already, the error is fs.ErrExist.
func whole(path string, write func(made string) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	made := f.Name()
	defer os.Remove(made)
	defer os.Remove(made + "-journal") // SQLite leaves it on a full disk
	// The first error alone: commands print the parts of joined ones, without what is said about them.
	if err := cmp.Or(f.Close(), write(made), toDisk(made)); err != nil {
		return err
	}
	if err = os.Link(made, path); err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
		err = os.Rename(made, path)
	}
	if err != nil {
		return err
	}
	return toDisk(filepath.Dir(path))
}

// toDisk syncs a file or a directory to the disk.
func toDisk(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return cmp.Or(f.Sync(), f.Close())
}

func openToWrite(path, synchronous, schema string) (*sql.DB, error) {
	return openWith(path, schema, url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "journal_mode(WAL)",
		"synchronous(" + synchronous + ")",
	}})
}

// openWith is open with the parameters of SQLite's URI, for a file that exists. A file opened to be read gets
// no schema: "".
func openWith(path, schema string, parameters url.Values) (*sql.DB, error) {
	path, err := filepath.Abs(path) // a relative path would be taken for a host
	if err != nil {
		return nil, err
	}
	parameters.Add("_pragma", "temp_store(MEMORY)") // sorting needs no directory that takes files
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: parameters.Encode()}).String())
	if err != nil {
		return nil, err
	}
	if err := check(db, schema); err != nil {
		db.Close()
		if damaged(err) {
			return nil, &DamagedError{path, err}
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return db, nil
}

// errUnsound: the file can be read, and what it says cannot be right.
var errUnsound = errors.New("its contents do not fit together")

// check makes the tables of schema that are missing, and checks the pages and indexes of the file.
func check(db *sql.DB, schema string) error {
	if err := ask(db, "quick_check"); err != nil {
		return err
	}
	if schema == "" {
		return nil
	}
	_, err := db.Exec(schema)
	return err
}

// found reports whether the one row of a query was there, by the error of reading it.
func found(err error) (bool, error) {
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// scanner reads the columns of a row.
type scanner func(into ...any) error

// querier is a database or a transaction.
type querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
}

// pairs returns the rows of a query for two columns: the second by the first.
func pairs[K comparable, V any](db querier, query string, args ...any) (map[K]V, error) {
	all := map[K]V{}
	return all, eachRow(db, query, args, func(scan scanner) error {
		var k K
		var v V
		err := scan(&k, &v)
		all[k] = v
		return err
	})
}

// eachRow calls each for every row of a query, until an error.
func eachRow(db querier, query string, args []any, each func(scan scanner) error) error {
	rows, err := db.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := each(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ask asks a pragma that answers ok for a sound table, for every table whose damage is no damage of the whole file.
func ask(db *sql.DB, pragma string) error {
	return eachRow(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ("+unchecked+
		") UNION SELECT 'sqlite_schema'", nil, func(scan scanner) error {
		var table, answer string
		err := scan(&table)
		if err == nil {
			err = db.QueryRow("PRAGMA " + pragma + "('" + table + "')").Scan(&answer)
		}
		if err == nil && answer != "ok" {
			err = fmt.Errorf("%w: %s", errUnsound, answer)
		}
		return err
	})
}

// damaged reports whether err means that the file's contents are wrong, as opposed to a disk that does not
// answer or has no room.
func damaged(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR: // the last: a table or a column lacks
		return true
	}
	return errors.Is(err, errUnsound)
}
