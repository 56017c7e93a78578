package auth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"ballast/internal/store"
)

const (
	// AuditFile is the file in a data directory in which releases before ballast.db noted every key issued and
	// revoked, beside the directory OldStore.
	AuditFile = "keys.audit"
	OldStore  = "nats"
	// imported is appended to the name of an audit file that has been taken over.
	imported = ".imported"
	maxAudit = 64 << 20 // bytes: some 200,000 keys
)

// auditLine is one line of the audit file.
type auditLine struct {
	Event   string    `json:"event"` // issued or revoked
	Time    time.Time `json:"time"`
	ID      string    `json:"id"`
	Email   string    `json:"email"`
	SHA256  Digest    `json:"sha256"`
	Created time.Time `json:"created"`
	Sum     string    `json:"sum"` // CRC-32 of the fields above, 8 hexadecimal digits
}

func (l auditLine) sum() string {
	text := fmt.Sprint(l.Event, "\n", l.Time.Format(time.RFC3339Nano), "\n", l.ID, "\n", l.Email, "\n",
		[32]byte(l.SHA256), "\n", l.Created.Format(time.RFC3339Nano))
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text)))
}

// Import takes over, once, the keys of a data directory of a release before ballast.db: it reads its audit file
// into db, which is that directory's, if db has no keys, and renames the file. With a damaged line it does
// nothing and returns an error: a revocation may be lost.
func Import(dataDir string, db *store.Main, log *slog.Logger) error {
	path := filepath.Join(dataDir, AuditFile)
	if _, newest, err := db.Keys(0); err != nil || newest > 0 {
		return err
	}
	text, err := readAll(path)
	if errors.Is(err, fs.ErrNotExist) {
		_, old := os.Stat(filepath.Join(dataDir, OldStore))
		if _, done := os.Stat(path + imported); old == nil && done != nil {
			return fmt.Errorf(
				"%s has keys of an earlier release in %s, but not its file %s, which this release reads: "+
					"start the earlier release once, which writes it anew, or remove %s to begin without keys",
				dataDir, OldStore, AuditFile, OldStore)
		}
		return nil
	}
	if err != nil {
		return err
	}
	changes, err := readAudit(text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := db.Apply(changes...); err != nil {
		return err
	}
	log.Info("the keys of the last release were taken over",
		"lines", len(changes), "from", path, "renamed_to", path+imported)
	return os.Rename(path, path+imported)
}

// readAll reads an audit file.
func readAll(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxAudit+1))
	if len(text) > maxAudit {
		return nil, fmt.Errorf("%s is larger than %d MiB: that is no audit file", path, maxAudit>>20)
	}
	return text, err
}

// readAudit returns the changes in an audit file. A last line that is incomplete never took effect.
func readAudit(text []byte) (changes []store.Change, err error) {
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		if len(line) == 0 {
			continue
		}
		var l auditLine
		err := json.Unmarshal(line, &l)
		r := Record{ID: l.ID, Email: l.Email, SHA256: l.SHA256, Created: l.Created, Revoked: l.Event == "revoked"}
		sound := err == nil && (r.Revoked || l.Event == "issued") && l.Sum == l.sum() && r.Check() == nil
		switch {
		case sound:
			changes = append(changes, store.Change{At: l.Time, Who: AuditFile, Key: store.Key{
				ID: r.ID, Email: r.Email, SHA256: r.SHA256, Created: r.Created, Revoked: r.Revoked,
			}})
		case i == len(lines)-1:
		default:
			return nil, fmt.Errorf("line %d is damaged: it may revoke a key; remove the line, and see with "+
				"`ballast keys list` what is left", i+1)
		}
	}
	return changes, nil
}
