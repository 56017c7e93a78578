package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minio/highwayhash"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrDamaged says that the embedded server's files are not what it wrote. The server
// itself would start all the same: it passes over a stream whose description is damaged,
// and cuts a block of messages off at the first bad one, as if nothing had been behind.
var ErrDamaged = errors.New("store is damaged")

const remedy = "move this directory away and start again: API keys come back from their audit file"

// manifestFile, inside the directory, lists the blocks of messages and their sizes after a
// proper end. It is gone while the server runs, and after a crash.
const manifestFile = "manifest"

// checkStore reads all streams under dir, the server's directory, before the server does.
// After a crash it accepts a last message that is not there whole: it was never
// acknowledged, because the server syncs first.
func checkStore(dir string) error {
	sizes := map[string]int64{}
	data, err := os.ReadFile(filepath.Join(dir, manifestFile))
	crashed := errors.Is(err, fs.ErrNotExist)
	switch {
	case crashed:
	case err != nil:
		return err
	default:
		if err := json.Unmarshal(data, &sizes); err != nil {
			return fmt.Errorf("%w: %s: %w; %s", ErrDamaged, manifestFile, err, remedy)
		}
	}
	for name, size := range sizes {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("%w: %w; %s", ErrDamaged, err, remedy)
		}
		if info.Size() != size {
			return fmt.Errorf("%w: %s has %d bytes of %d; %s", ErrDamaged, name, info.Size(), size, remedy)
		}
	}
	streams, err := streamDirs(dir)
	if err != nil {
		return err
	}
	for _, s := range streams {
		if err := checkStream(s, crashed); err != nil {
			return err
		}
	}
	if crashed {
		return nil
	}
	return os.Remove(filepath.Join(dir, manifestFile))
}

// writeManifest notes what the server, which has ended, left under dir.
func writeManifest(dir string) error {
	sizes := map[string]int64{}
	streams, err := streamDirs(dir)
	if err != nil {
		return err
	}
	for _, s := range streams {
		blocks, err := filepath.Glob(filepath.Join(s, "msgs", "*.blk"))
		if err != nil {
			return err
		}
		for _, b := range blocks {
			info, err := os.Stat(b)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(dir, b)
			if err != nil {
				return err
			}
			sizes[name] = info.Size()
		}
	}
	data, err := json.Marshal(sizes)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, manifestFile)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// streamDirs returns the directories of all streams that are not being deleted.
func streamDirs(dir string) ([]string, error) {
	list, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", "*"))
	return slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(filepath.Base(s), ".") }), err
}

// checkStream reads the stream in dir.
func checkStream(dir string, crashed bool) error {
	name := filepath.Base(dir)
	blocks, err := filepath.Glob(filepath.Join(dir, "msgs", "*.blk"))
	if err != nil {
		return err
	}
	last, size := uint32(0), int64(0)
	index := func(path string) (n uint32) {
		fmt.Sscanf(filepath.Base(path), "%d.blk", &n)
		return n
	}
	for _, b := range blocks {
		info, err := os.Stat(b)
		if err != nil {
			return err
		}
		last, size = max(last, index(b)), size+info.Size()
	}
	if size == 0 {
		return nil // nothing to lose; a stream that was being made has no description yet
	}
	meta, err := os.ReadFile(filepath.Join(dir, "meta.inf"))
	sum, err2 := os.ReadFile(filepath.Join(dir, "meta.sum"))
	if err := errors.Join(err, err2); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: stream %s has messages and no description: %w; %s", ErrDamaged, name, err, remedy)
		}
		return err
	}
	if want := hex.EncodeToString(digest([]byte(name), meta)); want != string(sum) {
		return fmt.Errorf("%w: %s does not match its checksum; %s", ErrDamaged, filepath.Join(dir, "meta.inf"), remedy)
	}
	for _, b := range blocks {
		data, err := os.ReadFile(b)
		if err != nil {
			return err
		}
		i := index(b)
		if at, ok := checkBlock(fmt.Appendf(nil, "%s-%d", name, i), data, crashed && i == last); !ok {
			return fmt.Errorf("%w: %s at byte %d; %s", ErrDamaged, b, at, remedy)
		}
	}
	return nil
}

// checkBlock walks the records of a block of messages and returns where the first bad one
// begins:
//
//	 0  uint32  length of the record; top bit: has headers
//	 4  uint64  sequence, with marks
//	12  int64   time
//	20  uint16  length of the subject
//	22  subject, [uint32 length of headers, headers,] data, 8 bytes of checksum
//
// The checksum covers the sequence and the time, the subject, headers and data. Where a
// write may have been torn, a last record that ends beyond the file is no fault, nor are
// zeros up to its end.
func checkBlock(key, data []byte, mayTear bool) (at int, ok bool) {
	for at < len(data) {
		length, beyond, good := checkRecord(key, data[at:])
		if !good {
			rest := data[at:]
			zeros := len(bytes.Trim(rest, "\x00")) == 0
			return at, mayTear && (zeros || beyond && !holdsRecord(key, rest[1:]))
		}
		at += length
	}
	return at, true
}

const (
	recordHeader = 22
	recordHash   = 8
	// maxTorn is more than one write of the server: 1 MiB of message and what belongs to it.
	maxTorn = 2 << 20
)

// checkRecord reads the record at the beginning of data. beyond says that it would end
// beyond them.
func checkRecord(key, data []byte) (length int, beyond, ok bool) {
	if len(data) < recordHeader {
		return 0, true, false
	}
	word := binary.LittleEndian.Uint32(data)
	head := recordHeader + int(binary.LittleEndian.Uint16(data[20:]))
	body := head
	if word&(1<<31) != 0 {
		body += 4
	}
	length = int(word &^ (1 << 31))
	if length < body+recordHash || length > 32<<20 {
		return length, false, false
	}
	if length > len(data) {
		return length, true, false
	}
	end := length - recordHash
	sum := digest(key, data[4:20], data[recordHeader:head], data[body:end])
	return length, false, bytes.Equal(sum, data[end:length])
}

// holdsRecord reports whether a good record begins anywhere in data, or they are too many
// to have been one write: then what precedes is no torn write, but damage.
func holdsRecord(key, data []byte) bool {
	if len(data) > maxTorn {
		return true
	}
	for at := range data {
		if _, _, ok := checkRecord(key, data[at:]); ok {
			return true
		}
	}
	return false
}

// digest is the checksum of parts under a key.
func digest(key []byte, parts ...[]byte) []byte {
	k := sha256.Sum256(key)
	h, err := highwayhash.New64(k[:])
	if err != nil {
		panic("BUG: " + err.Error())
	}
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// checkRecovered returns an error when the server serves fewer streams than lie under dir:
// it passes over those that it does not understand, as after a return to an older version.
func checkRecovered(ctx context.Context, js jetstream.JetStream, dir string) error {
	streams, err := streamDirs(dir)
	if err != nil {
		return err
	}
	for _, s := range streams {
		if _, err := os.Stat(filepath.Join(s, "meta.inf")); err != nil {
			continue // its making was interrupted
		}
		_, err := js.Stream(ctx, filepath.Base(s))
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			err = fmt.Errorf("%w: stream %s did not come back; %s", ErrDamaged, filepath.Base(s), remedy)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
