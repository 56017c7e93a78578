package auth

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Key is one issued key as the store knows it: never the key itself.
type Key struct {
	ID       string     `json:"id"`
	Email    string     `json:"email"`
	Created  time.Time  `json:"created"`
	LastUsed *time.Time `json:"last_used"` // to the minute, nil when never
	Revoked  bool       `json:"revoked"`
}

// fileKey is a Key with the hash of its secret.
type fileKey struct {
	Key
	SHA256 string `json:"sha256"` // 64 hexadecimal digits
}

// keyFile is the file as a whole.
type keyFile struct {
	Version int       `json:"version"`
	Keys    []fileKey `json:"keys"`
}

const (
	fileVersion  = 1
	maxFileBytes = 64 << 20
	maxKeys      = 100_000
)

// readFile reads and checks the whole file. A file that does not exist is an empty store,
// with found false.
func readFile(path string) (f keyFile, found bool, err error) {
	f.Version = fileVersion
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, false, nil
	}
	if err == nil && info.Size() > maxFileBytes {
		err = fmt.Errorf("%d bytes, more than a key file can have", info.Size())
	}
	if err != nil {
		return f, true, fmt.Errorf("key file %s: %w", path, err)
	}
	b, err := os.ReadFile(path)
	if err == nil {
		f, err = parseFile(b)
	}
	if err != nil {
		return f, true, fmt.Errorf("key file %s: %w", path, err)
	}
	return f, true, nil
}

func parseFile(b []byte) (keyFile, error) {
	var f keyFile
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, err
	}
	if _, err := d.Token(); err != io.EOF {
		return f, errors.New("text behind the JSON object")
	}
	if f.Version != fileVersion {
		return f, fmt.Errorf("version %d, want %d", f.Version, fileVersion)
	}
	if len(f.Keys) > maxKeys {
		return f, fmt.Errorf("%d keys, at most %d", len(f.Keys), maxKeys)
	}
	ids := make(map[string]bool, len(f.Keys))
	for i := range f.Keys {
		k := &f.Keys[i]
		if _, err := k.digest(); err != nil || k.ID == "" || ids[k.ID] {
			return f, fmt.Errorf("key number %d: no id, an id used twice, or no SHA-256", i)
		}
		ids[k.ID] = true
	}
	return f, nil
}

func (k *fileKey) digest() (d [32]byte, err error) {
	if len(k.SHA256) != hex.EncodedLen(len(d)) {
		return d, errors.New("not a SHA-256")
	}
	_, err = hex.Decode(d[:], []byte(k.SHA256))
	return d, err
}

// writeFile replaces the file: the new content is on disk before it gets the name, and
// the name is on disk before this returns.
func writeFile(path string, f keyFile) error {
	b, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // fails after the rename, as it should
	_, err = tmp.Write(append(b, '\n'))
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return err
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
