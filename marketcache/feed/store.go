package feed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"ballast/internal/supervise"
	"ballast/marketcache"
)

// Store keeps on disk the data that a restart could not request again, or only at a high price:
// bars, paid funding, daily maxima of open interest, and tables of the venue as received. It keeps
// no book and no context, because they could be mistaken for fresh data.
//
//	<dir>/<table>            newest answer, checksum first
//	      assets/<NAME>.log  one file of records per asset, see assetLog
//
// A log ends at its first damaged record; the rest is cut off and reported. Records are appended after
// the last good one, so that a crash costs at most the record being written. A log is written only after
// it has been read: a log that the disk cannot read stays as it is. A log with many outdated records is
// rewritten to a new file, which replaces the old one. Safe for concurrent use.
type Store struct {
	dir        string
	limits     marketcache.Limits
	supervisor *supervise.Supervisor
	read       func(path string) ([]byte, error) // os.ReadFile
	errors     atomic.Int64

	mu   sync.Mutex
	logs map[string]*logFile // logs that have been read
}

// logFile is the state of one asset's file.
type logFile struct {
	size int64 // of the good records
	dead int   // outdated records, which a rewrite drops
}

const rewriteWhenDead = 1024 // outdated records in a log that trigger a rewrite while running

// OpenStore opens the store in dir, creating it if needed. limits bound how much of a log is read.
func OpenStore(dir string, limits marketcache.Limits, s *supervise.Supervisor) (*Store, error) {
	err := os.MkdirAll(filepath.Join(dir, "assets"), 0o700)
	return &Store{dir: dir, limits: limits, supervisor: s, read: os.ReadFile, logs: map[string]*logFile{}}, err
}

// Errors returns the number of disk errors, 0 for a nil Store.
func (s *Store) Errors() int64 {
	if s == nil {
		return 0
	}
	return s.errors.Load()
}

func (s *Store) complain(text, name string, err error) {
	s.errors.Add(1)
	s.supervisor.Warn(text, "name", name, "error", err)
}

// EscapeName turns the name of a venue or asset into a file name. Capitals and digits stay;
// any other byte becomes = and two hexadecimal digits, so that names differing only in case
// differ on every file system, and no name can leave the directory.
func EscapeName(name string) string {
	var b []byte
	for i := range len(name) {
		switch c := name[i]; {
		case 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
			b = append(b, c)
		default:
			b = fmt.Appendf(b, "=%02x", c)
		}
	}
	if len(b) > 200 {
		b = fmt.Appendf(b[:180], "=%08x", crc32.Checksum([]byte(name), castagnoli))
	}
	return string(b)
}

func (s *Store) path(name string) string {
	return filepath.Join(s.dir, "assets", EscapeName(name)+".log")
}

// load reads an asset's log without records later than nowMs. A missing log is empty; a log that
// cannot be read is an error.
func (s *Store) load(name string, nowMs int64) (*assetLog, error) {
	data, err := s.read(s.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.complain("history not read", name, err)
		return nil, err
	}
	l, good := decode(data, nowMs)
	if tail := len(data) - good*recordSize; tail > 0 {
		s.supervisor.Log.Warn("history cut at damage", "asset", name, "good_records", good, "lost_bytes", tail)
		if err := os.Truncate(s.path(name), int64(good*recordSize)); err != nil {
			s.complain("history not cut", name, err)
		}
	}
	l.trim(s.limits, nowMs)
	live := len(l.bars) + len(l.funding) + len(l.days) + 3
	s.mu.Lock()
	s.logs[name] = &logFile{size: int64(good * recordSize), dead: max(0, good-live)}
	s.mu.Unlock()
	if good > 2*live+100 && l.future == 0 { // a rewrite would drop skipped records, which are right if our own clock is behind
		s.write(name, nil, true, func() *assetLog { return l })
	}
	return l, nil
}

// write appends records to an asset's log. With anew, or when many records are outdated, it
// replaces the log by the result of whole. It does nothing before the log has been read.
func (s *Store) write(name string, records []record, anew bool, whole func() *assetLog) {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.logs[name]
	if log == nil {
		return
	}
	if !anew && len(records) > 0 {
		b := encode(records)
		file, err := os.OpenFile(s.path(name), os.O_WRONLY|os.O_CREATE, 0o600)
		if err == nil {
			_, err = file.WriteAt(b, log.size)
			err = errors.Join(err, file.Close())
		}
		if err != nil { // log.size has not changed: the next write overwrites the torn record
			s.complain("history not written", name, err)
			return
		}
		log.size += int64(len(b))
		for _, r := range records {
			if r.kind != barRecord && r.kind != fundingRecord {
				log.dead++ // the previous record is outdated
			}
		}
	}
	if anew || log.dead > rewriteWhenDead {
		b := encode(whole().records())
		if err := replaceFile(s.path(name), b); err != nil {
			s.complain("history not rewritten", name, err)
			return
		}
		*log = logFile{size: int64(len(b))}
	}
}

// replaceFile replaces a file by way of a temporary file.
func replaceFile(path string, b []byte) error {
	tmp := path + ".tmp"
	file, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(b)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(tmp, path)
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}

// SaveTable saves the newest answer for a table.
func (s *Store) SaveTable(name string, body []byte) {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, len(body)+4), crc32.Checksum(body, castagnoli))
	if err := replaceFile(filepath.Join(s.dir, name), append(b, body...)); err != nil {
		s.complain("table not written", name, err)
	}
}

// LoadTable returns the saved answer for a table, nil when it is missing or damaged.
func (s *Store) LoadTable(name string) []byte {
	b, err := s.read(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(b) < 4 || crc32.Checksum(b[4:], castagnoli) != binary.LittleEndian.Uint32(b) {
		s.supervisor.Log.Warn("table on disk is damaged and not used", "name", name, "error", err)
		return nil
	}
	return b[4:]
}

// Tables returns the names of saved tables that match a pattern of path.Match.
func (s *Store) Tables(pattern string) (names []string) {
	paths, _ := filepath.Glob(filepath.Join(s.dir, pattern))
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

// SaveCache saves a cache that another process's feed fills. No other Store may use the directory.
func (s *Store) SaveCache(c *marketcache.Cache) error {
	nowMs := c.Venue.Clock.VenueMs(marketcache.Now())
	eachListed(c, s.supervisor, func(a *marketcache.Asset) {
		l, err := s.load(a.Name, nowMs)
		if err != nil || !l.join(c, a.ID) {
			return
		}
		if held := c.InterestStats(a.ID); held != nil {
			l.days = mergeMaxima(l.days, held.Maxima)
			if held.AtCapMs > l.capMs {
				l.capMs, l.capUSD = held.AtCapMs, held.AtCapUSD30d
			}
		}
		s.write(a.Name, nil, true, func() *assetLog { return l })
	})
	if n := s.Errors(); n > 0 {
		return fmt.Errorf("%d histories not saved", n)
	}
	return nil
}

// eachListed calls fn for every listed asset, up to eight at a time.
func eachListed(c *marketcache.Cache, s *supervise.Supervisor, fn func(*marketcache.Asset)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, min(runtime.GOMAXPROCS(0), 8))
	for _, a := range c.Universe().Assets {
		if a.Delisted {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			s.Guard("histories", func() error { fn(a); return nil })
		})
	}
	wg.Wait()
}
