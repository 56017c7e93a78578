package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ballast/internal/filelock"
	"ballast/server/auth"
)

// AuditFile is the name of the audit file in a data directory.
const AuditFile = "keys.audit"

// audit is an append-only file with a JSON line for each key issued and each key revoked. A line is on
// disk before the change takes effect. The file is not the store but its backup: keys that the bucket
// has lost are restored from the file.
//
// Several processes may write to one file; each line is written once, by whichever process is first. A
// damaged line is skipped and counted. A last line that is incomplete has never taken effect; the next write
// removes it. The zero audit keeps nothing.
type audit struct {
	path string

	mu       sync.Mutex
	file     *os.File
	read     int64                  // bytes of the file included in known
	open     bool                   // the last line of known has no line end
	readOnly error                  // why the file cannot be written; nil: it can
	known    map[string]auth.Record // keys in the file, by id
	bad      uint64                 // lines skipped
}

// auditLine is one line of the file.
type auditLine struct {
	Event   string      `json:"event"` // issued or revoked
	Time    time.Time   `json:"time"`  // when this replica learned of it
	ID      string      `json:"id"`
	Email   string      `json:"email"`
	SHA256  auth.Digest `json:"sha256"`
	Created time.Time   `json:"created"`
	Sum     string      `json:"sum"` // CRC-32 of the fields above, 8 hexadecimal digits
}

const (
	eventIssued  = "issued"
	eventRevoked = "revoked"
	// maxAuditLine is the maximum length of a line, bytes.
	maxAuditLine = 4 << 10
	// lockWait is the maximum wait for the file's lock, which a frozen process may hold.
	lockWait = 5 * time.Second
)

func newAuditLine(event string, at time.Time, r auth.Record) auditLine {
	l := auditLine{Event: event, Time: at, ID: r.ID, Email: r.Email, SHA256: r.SHA256, Created: r.Created}
	l.Sum = l.sum()
	return l
}

func (l auditLine) sum() string {
	text := fmt.Sprint(l.Event, "\n", l.Time.Format(time.RFC3339Nano), "\n", l.ID, "\n", l.Email, "\n",
		[32]byte(l.SHA256), "\n", l.Created.Format(time.RFC3339Nano))
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
}

// record returns the key as of this line; ok is false for a line that is invalid or damaged.
func (l auditLine) record() (r auth.Record, ok bool) {
	r = auth.Record{ID: l.ID, Email: l.Email, SHA256: l.SHA256, Created: l.Created, Revoked: l.Event == eventRevoked}
	return r, (r.Revoked || l.Event == eventIssued) && l.Sum == l.sum() && r.Check() == nil
}

// openAudit opens the file of a data directory, creating both if needed. The audit can be used even
// after an error: the keys in a read-only file are read.
func openAudit(dataDir string) (*audit, error) {
	a := &audit{path: filepath.Join(dataDir, AuditFile)}
	return a, a.note()
}

// reopen opens the file by its name, which may now belong to another file.
func (a *audit) reopen() error {
	dir := filepath.Dir(a.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(a.path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if a.readOnly = err; err != nil {
		if f, _ = os.Open(a.path); f == nil {
			return err
		}
	}
	a.file.Close() // may be nil
	a.file, a.read, a.open, a.known = f, 0, false, map[string]auth.Record{}
	if a.readOnly != nil {
		return nil
	}
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	return syncDir(dir) // so that the name survives a power failure
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// replaced reports whether the file was removed, replaced or truncated.
func (a *audit) replaced() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.path != "" && !a.current()
}

func (a *audit) current() bool {
	named, missing := os.Stat(a.path)
	held, closed := a.file.Stat() // may be nil
	return missing == nil && closed == nil && os.SameFile(named, held) && held.Size() >= a.read
}

// catchUp reads what was added to the file since the last read.
func (a *audit) catchUp() error {
	r := bufio.NewReader(io.NewSectionReader(a.file, a.read, 1<<62))
	for {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		ended := err == nil
		if len(line) > 0 && (a.parseLine(bytes.TrimSpace(line)) || ended) {
			a.read += int64(len(line))
			a.open = !ended
		}
		if !ended {
			return nil
		}
	}
}

// parseLine adds the key in one line to known, and reports whether the line is valid or empty.
func (a *audit) parseLine(line []byte) bool {
	if len(line) == 0 {
		return true
	}
	var l auditLine
	if len(line) <= maxAuditLine && json.Unmarshal(line, &l) == nil {
		if r, ok := l.record(); ok {
			r.Revoked = r.Revoked || a.known[r.ID].Revoked // a revocation is permanent
			a.known[r.ID] = r
			return true
		}
	}
	a.bad++
	return false
}

// note reads what was added to the file that now has the name a.path, adds the records that it lacks, and
// returns when they are on disk.
func (a *audit) note(records ...auth.Record) (err error) {
	if a.path == "" {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.readOnly != nil || !a.current() {
		err = a.reopen()
	}
	if err == nil {
		err = filelock.Take(a.file, lockWait)
	}
	if err == nil {
		defer filelock.Release(a.file)
		err = a.update(records)
	}
	if err != nil {
		return fmt.Errorf("key audit %s: %w", a.path, err)
	}
	return nil
}

// update is note for an open file whose lock is held.
func (a *audit) update(records []auth.Record) error {
	if err := a.catchUp(); err != nil {
		return err
	}
	text, added, err := a.missing(records)
	if err == nil && len(added) > 0 {
		err = a.append(text)
	}
	if err == nil {
		maps.Copy(a.known, added)
	}
	return err
}

// missing returns the lines that the file lacks for records, and the keys as of these lines, by id.
func (a *audit) missing(records []auth.Record) (text []byte, added map[string]auth.Record, err error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	now := time.Now().UTC()
	added = map[string]auth.Record{}
	for _, r := range records {
		held, ok := added[r.ID]
		if !ok {
			held, ok = a.known[r.ID]
		}
		if ok && (held.Revoked || !r.Revoked || held.SHA256 != r.SHA256) {
			continue // already in the file, or the id of another key, which the caller has logged
		}
		if !ok {
			err = errors.Join(err, encoder.Encode(newAuditLine(eventIssued, now, r)))
		}
		if r.Revoked {
			err = errors.Join(err, encoder.Encode(newAuditLine(eventRevoked, now, r)))
		}
		added[r.ID] = r
	}
	return lines.Bytes(), added, err
}

// append writes text and waits for the disk. Of a write that fails nothing is left.
func (a *audit) append(text []byte) error {
	if a.open {
		text = append([]byte{'\n'}, text...)
	}
	if a.readOnly != nil {
		return a.readOnly
	}
	err := a.file.Truncate(a.read) // an incomplete line of a process that has died
	if err == nil {
		_, err = a.file.Write(text)
	}
	if err != nil {
		return errors.Join(err, a.file.Truncate(a.read))
	}
	a.read += int64(len(text))
	a.open = false
	return a.file.Sync()
}

// records returns the records in the file, by id.
func (a *audit) records() map[string]auth.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.known)
}

// record returns the record of an id.
func (a *audit) record(id string) (auth.Record, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.known[id]
	return r, ok
}

// close closes the file.
func (a *audit) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.file.Close() // may be nil
	a.file = nil
}
