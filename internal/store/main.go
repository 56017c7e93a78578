package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// mainSchema is the schema of ballast.db. Times are RFC 3339 in UTC, so that their order is that of the text.
const mainSchema = `
CREATE TABLE IF NOT EXISTS keys (
	id TEXT PRIMARY KEY, email TEXT NOT NULL, sha256 TEXT NOT NULL, created TEXT NOT NULL,
	last_used TEXT, revoked INTEGER NOT NULL DEFAULT 0, digest TEXT NOT NULL, operator INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS audit (
	seq INTEGER PRIMARY KEY, time TEXT NOT NULL, who TEXT NOT NULL, event TEXT NOT NULL,
	subject TEXT NOT NULL, detail TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS regimes (wallet TEXT PRIMARY KEY, states TEXT NOT NULL, changed TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS policies (
	wallet TEXT PRIMARY KEY, revision INTEGER NOT NULL, rules TEXT NOT NULL, at TEXT NOT NULL, who TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS kill_switch (
	row INTEGER PRIMARY KEY CHECK (row = 1), is_on INTEGER NOT NULL, reason TEXT NOT NULL, at TEXT NOT NULL,
	who TEXT NOT NULL, revision INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS wallet_days (wallet TEXT PRIMARY KEY, record TEXT NOT NULL, lifts INTEGER NOT NULL) STRICT;
` + decisionTables + watchTables + sentOrderTables + outcomeSchema

// SQLite finds damage to its pages, not to what is in them: digest is that of a key's row without last_used, and the
// events of the audit tell how many keys there are and how many are revoked. The table meta has a digest of all
// policies and the kill switch.

// mainVersion is the version of mainSchema, kept as the file's user_version. Version 1 had no roles, policies and
// kill switch, version 2 no wallet_days, version 3 no decisions and watches. A program that knows an earlier version
// alone refuses the file: it would judge without the policies, or without the losses, or read a gigabyte of decisions
// at each start.
const mainVersion = 4

// upgrades are the statements that take a file of version i to version i+1. A new file has version 0 and the tables
// of mainVersion.
var upgrades = [mainVersion]string{
	1: "ALTER TABLE keys ADD COLUMN operator INTEGER NOT NULL DEFAULT 0",
	2: "", // tables of their own, which mainSchema makes
	3: "",
}

// mainConns is how many connections to the file this process has at most: one watches for changes, one writes without
// waiting for the disk, one makes all other writes, and the rest read.
const mainConns = 6

// ErrNewer: the file was written by a later version of this program.
var ErrNewer = errors.New("written by a later version of ballast: use that one, or restore a backup of this version")

// errOlder: the file was written by an earlier version of this program, and cannot be upgraded now.
var errOlder = errors.New("written by an earlier version of ballast, and its disk takes no writes: make room on the " +
	"disk, or let it be written, and start again")

// ReadOnlyError says that the file cannot be written.
type ReadOnlyError struct {
	Path  string
	Cause error
}

func (e *ReadOnlyError) Error() string {
	if errors.Is(e.Cause, errGone) {
		return e.Path + " " + e.Cause.Error()
	}
	return fmt.Sprintf("%s cannot be written (%v): make room on its disk, or let it be written", e.Path, e.Cause)
}

func (e *ReadOnlyError) Unwrap() error { return e.Cause }

// errGone: what is written is lost with the process.
var errGone = errors.New("was removed, moved, replaced or cut short while it was in use, so nothing can be kept: put " +
	"it back, or restore a backup, and start the service again")

// Main is ballast.db. It is safe for concurrent use.
type Main struct {
	path    string
	opened  atomic.Pointer[mainFile]
	trouble atomic.Pointer[error] // of the last write, nil: none
	turn    chan struct{}         // has room for the one that writes: who waits for a lock keeps no reader waiting
	mu      sync.Mutex            // held by Reopen and Changed
	sending sync.Mutex            // held by PutSentOrders
}

// mainFile is one opening of the file.
type mainFile struct {
	db       *sql.DB
	readOnly error // why the file is open for reading only; nil: for writing too
	// files are the file and its log of commits, as they were when it was opened for writing.
	files [len(mainFiles)]os.FileInfo
	sizes [len(mainFiles)]atomic.Int64 // the largest seen: these files never shrink while one is open

	// Guarded by Main.mu.
	watch    *sql.Conn // whose data_version tells of changes
	version  int64
	unsynced *sql.Conn // whose commits do not wait for the disk
}

// mainFiles are the endings of the names of the files that have what was committed.
var mainFiles = [...]string{"", "-wal"}

// gone returns an error if one of the open files is no longer the one at its path, or is shorter than it was.
func (f *mainFile) gone(path string) error {
	for i, was := range f.files {
		if was == nil {
			continue
		}
		size := f.sizes[i].Load() // before the look at the file, which may grow meanwhile
		now, err := os.Stat(path + mainFiles[i])
		if err != nil || !os.SameFile(was, now) || now.Size() < size {
			return &ReadOnlyError{path, errGone}
		}
		f.sizes[i].CompareAndSwap(size, max(size, now.Size()))
	}
	return nil
}

// OpenMain opens ballast.db in a data directory, and makes it if it is missing. On a full or read-only disk it
// opens it for reading: then Trouble says why, all writes fail, and Reopen tries again. A file that is damaged
// is a *DamagedError.
func OpenMain(dataDir string) (*Main, error) {
	m := &Main{path: filepath.Join(dataDir, MainFile), turn: make(chan struct{}, 1)}
	f, err := openMain(m.path)
	if err != nil && diskRefuses(err) {
		f, err = readMain(m.path, err)
	}
	if err != nil {
		return nil, err
	}
	m.opened.Store(f)
	m.wrote(f.readOnly)
	return m, nil
}

// openMain opens the file for writing.
func openMain(path string) (*mainFile, error) {
	end := time.Now().Add(busyTimeout)
	db, err := open(path, "FULL", mainSchema)
	for code(err) == sqlite3.SQLITE_BUSY && time.Now().Before(end) { // another process is making the file
		time.Sleep(10 * time.Millisecond)
		db, err = open(path, "FULL", mainSchema)
	}
	if code(err) == sqlite3.SQLITE_BUSY {
		return nil, busy(path, err)
	}
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w: it must belong to the user of the service", err)
		}
		return nil, err
	}
	if err := checkMain(db, path, true); err != nil {
		db.Close()
		return nil, err
	}
	db.SetMaxOpenConns(mainConns)
	f := &mainFile{db: db}
	for i, ending := range mainFiles {
		if f.files[i], err = os.Stat(path + ending); err != nil {
			db.Close()
			return nil, err
		}
	}
	return f, nil
}

// readMain opens the file for reading, because of a disk that takes no writes. If there is no log of commits
// beside the file, SQLite must not look for one: it would have to make files.
func readMain(path string, because error) (*mainFile, error) {
	info, err := os.Stat(path + "-wal")
	parameters := url.Values{"mode": {"ro"}}
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		parameters.Set("immutable", "1")
	}
	db, err := openWith(path, "", parameters)
	if err != nil {
		if errors.As(err, new(*DamagedError)) {
			return nil, err
		}
		return nil, fmt.Errorf("%s can be neither written (%v) nor read: %w", path, because, err)
	}
	if err := checkMain(db, path, false); err != nil {
		db.Close()
		return nil, err
	}
	return &mainFile{db: db, readOnly: &ReadOnlyError{path, because}}, nil
}

// upgrade takes the file of an earlier version to this one.
func upgrade(db *sql.DB) error {
	if version, err := versionOf(db); err != nil || version >= mainVersion {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	version, err := versionOf(tx)
	if err != nil || version >= mainVersion { // another process was first
		return err
	}
	statements := ""
	if version > 0 {
		statements = strings.Join(upgrades[version:], ";\n") + ";\n"
	}
	if _, err := tx.Exec(fmt.Sprintf("%sPRAGMA user_version = %d", statements, mainVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

// versionOf returns the version of a file.
func versionOf(db interface{ QueryRow(string, ...any) *sql.Row }) (version int, err error) {
	err = db.QueryRow("PRAGMA user_version").Scan(&version)
	return version, err
}

// checkMain upgrades the file of an earlier version if that may be written. It refuses the file of another version,
// and one whose indexes lack rows.
func checkMain(db *sql.DB, path string, mayWrite bool) (err error) {
	if mayWrite {
		err = upgrade(db)
	}
	if err == nil {
		var version int
		version, err = versionOf(db)
		switch {
		case err == nil && version > mainVersion:
			err = ErrNewer
		case err == nil && version < mainVersion:
			err = errOlder
		}
	}
	if err == nil {
		err = ask(db, "integrity_check")
	}
	switch {
	case err != nil && damaged(err):
		return &DamagedError{path, err}
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// diskRefuses reports whether err may be that of a disk that is full, read-only or failing.
func diskRefuses(err error) bool {
	for _, number := range []syscall.Errno{syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.EIO} {
		if errors.Is(err, number) {
			return true
		}
	}
	switch code(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return false
}

// code returns the primary result code of SQLite, 0 for another error.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// Reopen opens a file that is open for reading only again, for writing if that is possible now.
func (m *Main) Reopen() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.opened.Load()
	if old.readOnly == nil {
		return nil
	}
	f, err := openMain(m.path)
	if err != nil {
		return err
	}
	m.opened.Store(f)
	m.wrote(nil)
	return old.close()
}

// Close closes the file.
func (m *Main) Close() error { return m.opened.Load().close() }

func (f *mainFile) close() error {
	for _, conn := range []*sql.Conn{f.watch, f.unsynced} {
		if conn != nil {
			conn.Close()
		}
	}
	return f.db.Close()
}

// Path returns the path of the file.
func (m *Main) Path() string { return m.path }

// Trouble returns why the last write failed, nil if it did not.
func (m *Main) Trouble() error {
	if err := m.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// wrote notes the result of a write.
func (m *Main) wrote(err error) {
	if err == nil {
		m.trouble.Store(nil)
	} else {
		m.trouble.Store(&err)
	}
}

// write runs f in a transaction, which is on disk when write returns nil.
func (m *Main) write(f func(*sql.Tx) error) error {
	select {
	case m.turn <- struct{}{}:
		defer func() { <-m.turn }()
	case <-time.After(busyTimeout):
		return busy(m.path, errors.New("other changes wait for it too"))
	}
	return m.writeOn(f, func(file *mainFile) (*sql.Tx, error) { return file.db.Begin() })
}

// writeOn is write in a transaction that begin begins.
func (m *Main) writeOn(f func(*sql.Tx) error, begin func(*mainFile) (*sql.Tx, error)) (err error) {
	file := m.opened.Load()
	if err := file.readOnly; err != nil {
		return err
	}
	defer func() { m.wrote(err) }()
	if err := file.gone(m.path); err != nil {
		return err
	}
	tx, err := begin(file)
	if err == nil {
		defer tx.Rollback()
		if err = f(tx); err == nil {
			err = tx.Commit()
		}
	}
	switch {
	case err != nil && diskRefuses(err):
		return &ReadOnlyError{m.path, err}
	case code(err) == sqlite3.SQLITE_BUSY:
		return busy(m.path, err)
	case err != nil:
		return fmt.Errorf("%s: %w", m.path, err)
	}
	return nil
}

// Changed reports whether the file may have changed since the last call.
func (m *Main) Changed(ctx context.Context) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.opened.Load()
	if err := f.gone(m.path); err != nil {
		m.wrote(err)
		return false, err
	}
	if errors.Is(m.Trouble(), errGone) { // it was put back
		m.wrote(nil)
	}
	watch, err := f.watching(ctx)
	if err != nil {
		return false, err
	}
	var v int64 // changes whenever another connection has changed the file
	if err := watch.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v); err != nil {
		return false, err
	}
	changed := v != f.version // SQLite counts from 1, so the first call is a change
	f.version = v
	return changed, nil
}

// watching returns the connection that watches for changes.
func (f *mainFile) watching(ctx context.Context) (_ *sql.Conn, err error) {
	if f.watch == nil {
		f.watch, err = f.db.Conn(ctx)
	}
	return f.watch, err
}

// Backup writes a sound copy of the database to path, which must not exist: all of it, or nothing. Others may use the
// database meanwhile.
func (m *Main) Backup(path string) error {
	err := whole(path, func(made string) error {
		_, err := m.opened.Load().db.Exec("VACUUM INTO ?", made)
		return m.unsound(err)
	})
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s exists already; name a file that does not", path)
	case err != nil && diskRefuses(err):
		return fmt.Errorf("%s cannot be written (%w): make room on its disk, or name a file on another", path, err)
	}
	return err
}

// Regimes returns the states of a wallet, "" if there are none.
func (m *Main) Regimes(wallet string) (states string, err error) {
	_, err = found(m.opened.Load().db.QueryRow("SELECT states FROM regimes WHERE wallet = ?", wallet).Scan(&states))
	return states, err
}

// PutRegimes records the states of wallets at a time.
func (m *Main) PutRegimes(states map[string]string, at time.Time) error {
	return m.write(func(tx *sql.Tx) error {
		for wallet, s := range states {
			if _, err := tx.Exec("INSERT OR REPLACE INTO regimes VALUES (?, ?, ?)", wallet, s, textOf(at)); err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetRegimes forgets the wallets whose states have not changed since a time.
func (m *Main) ForgetRegimes(before time.Time) error {
	return m.write(func(tx *sql.Tx) error {
		_, err := tx.Exec("DELETE FROM regimes WHERE changed < ?", textOf(before))
		return err
	})
}

// copyOfBus is the name in the table meta that says that the keys are a copy of those that replicas share.
const copyOfBus = "keys_are_a_copy"

// SetCopy records whether the keys are a copy of those that replicas share.
func (m *Main) SetCopy(is bool) error {
	if held, err := m.IsCopy(); err == nil && held == is {
		return nil
	}
	return m.write(func(tx *sql.Tx) (err error) {
		if is {
			_, err = tx.Exec("INSERT OR REPLACE INTO meta VALUES (?, '')", copyOfBus)
		} else {
			_, err = tx.Exec("DELETE FROM meta WHERE name = ?", copyOfBus)
		}
		return err
	})
}

// IsCopy reports whether the keys are a copy of those that replicas share.
func (m *Main) IsCopy() (is bool, err error) {
	err = m.opened.Load().db.QueryRow("SELECT count(*) FROM meta WHERE name = ?", copyOfBus).Scan(&is)
	return is, err
}
