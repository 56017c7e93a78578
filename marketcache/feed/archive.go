package feed

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"ballast/internal/supervise"
	"ballast/marketcache"
)

// Archive keeps values across restarts, by name and part of the name. Safe for concurrent use.
type Archive interface {
	// Load returns the parts of a name; none if there are none.
	Load(name string) (parts map[string][]byte, err error)
	// Save sets parts of a name, and removes those whose value is nil: all of them, or none if it fails.
	Save(name string, parts map[string][]byte) error
}

// Store keeps in an Archive the data that a restart could not request again, or only at a high price: bars, paid
// funding, daily maxima of open interest, and tables of the venue as received. It keeps no book and no context,
// because they could be mistaken for fresh data.
//
// An asset is saved only after it has been read: what the disk cannot read stays as it is. Only the parts that have
// changed are written. Safe for concurrent use.
type Store struct {
	archive    Archive
	limits     marketcache.Limits
	supervisor *supervise.Supervisor
	errors     atomic.Int64

	mu    sync.Mutex
	saved map[string]map[string]uint32 // checksums of the parts in the archive, of assets that have been read
}

// NewStore returns a store in an archive. limits bound how much of a history is used.
func NewStore(a Archive, limits marketcache.Limits, s *supervise.Supervisor) *Store {
	return &Store{archive: a, limits: limits, supervisor: s, saved: map[string]map[string]uint32{}}
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

// The names in an Archive; that of an asset follows assetPrefix.
const (
	assetPrefix = "asset "
	tablesName  = "tables"
	spentName   = "spent"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// load reads an asset's history without rows later than nowMs. A history that was never saved is empty; one that
// cannot be read is an error. Of a damaged one the sound series are used.
func (s *Store) load(name string, nowMs int64) (*savedHistory, error) {
	parts, err := s.archive.Load(assetPrefix + name)
	if err != nil {
		s.complain("history not read", name, err)
		return nil, err
	}
	damage := verify(parts)
	l, err := decodeHistory(parts, damage, nowMs)
	if err != nil {
		s.supervisor.Log.Warn("history on disk is damaged and not used", "asset", name, "error", err)
	}
	l.trim(s.limits, nowMs)
	sums := make(map[string]uint32, len(parts))
	for part, value := range parts {
		if sums[part] = crc32.Checksum(value, castagnoli); len(damage) > 0 {
			sums[part] = ^sums[part] // so that the next save writes them all
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved[name] = sums
	return l, nil
}

// sumsPart has the checksums of the other parts of a history, by part: the disk, or a program that reads an archive,
// may change a value without breaking the archive.
const sumsPart = "sums"

// verify takes the checksums from the parts of a history, and returns the series that lack a part or have another
// than was saved. Damage to the state, or to the checksums, is damage to all.
func verify(parts map[string][]byte) (damaged map[string]bool) {
	if len(parts) == 0 {
		return nil
	}
	var sums map[string]uint32
	err := json.Unmarshal(parts[sumsPart], &sums)
	delete(parts, sumsPart)
	damaged = map[string]bool{}
	blame := func(part string) {
		series, _, _ := strings.Cut(part, " ")
		damaged[series] = true
	}
	for part := range sums {
		if _, is := parts[part]; !is {
			blame(part)
		}
	}
	for part, value := range parts {
		if sum, is := sums[part]; !is || sum != crc32.Checksum(value, castagnoli) {
			blame(part)
		}
	}
	if err != nil || damaged[statePart] {
		damaged = map[string]bool{statePart: true, savedBars.name: true, savedFunding.name: true, savedDays.name: true}
	}
	return damaged
}

// seal returns a value with its checksum, and unseal the value of such, nil if that is damaged.
func seal(value []byte) []byte {
	return binary.LittleEndian.AppendUint32(bytes.Clone(value), crc32.Checksum(value, castagnoli))
}

func unseal(sealed []byte) []byte {
	n := len(sealed) - 4
	if n < 0 || crc32.Checksum(sealed[:n], castagnoli) != binary.LittleEndian.Uint32(sealed[n:]) {
		return nil
	}
	return sealed[:n]
}

// save writes what has changed of an asset's history, which current returns. It does nothing before the asset has
// been read.
func (s *Store) save(name string, current func() *savedHistory) {
	s.mu.Lock()
	defer s.mu.Unlock()
	saved := s.saved[name]
	if saved == nil {
		return
	}
	changed, sums := map[string][]byte{}, make(map[string]uint32, len(saved)+1)
	current().encode(func(part string, value []byte) {
		sums[part] = crc32.Checksum(value, castagnoli)
		if sum, is := saved[part]; !is || sum != sums[part] {
			changed[part] = bytes.Clone(value)
		}
	})
	for part := range saved {
		if _, is := sums[part]; !is {
			changed[part] = nil
		}
	}
	if len(changed) == 0 {
		return
	}
	changed[sumsPart], _ = json.Marshal(sums)
	if err := s.archive.Save(assetPrefix+name, changed); err != nil {
		s.complain("history not written", name, err)
		return
	}
	s.saved[name] = sums
}

// SaveTable saves the newest answer for a table.
func (s *Store) SaveTable(name string, body []byte) {
	if err := s.archive.Save(tablesName, map[string][]byte{name: seal(body)}); err != nil {
		s.complain("table not written", name, err)
	}
}

// Tables returns the saved answers by table.
func (s *Store) Tables() map[string][]byte {
	tables, err := s.archive.Load(tablesName)
	if err != nil {
		s.complain("tables not read", tablesName, err)
	}
	for name, sealed := range tables {
		if tables[name] = unseal(sealed); tables[name] == nil {
			delete(tables, name)
			s.supervisor.Log.Warn("table on disk is damaged and not used", "name", name)
		}
	}
	return tables
}

// SaveCache saves a cache that another process's feed fills.
func (s *Store) SaveCache(c *marketcache.Cache) error {
	nowMs := c.Venue.Clock.VenueMs(marketcache.Now())
	eachListed(c, s.supervisor, func(a *marketcache.Asset) {
		l, err := s.load(a.Name, nowMs)
		if err != nil {
			return
		}
		l.join(c, a.ID)
		if held := c.InterestStats(a.ID); held != nil {
			l.days = mergeMaxima(l.days, held.Maxima)
			if held.AtCapMs > l.CapMs {
				l.CapMs, l.CapUSD = held.AtCapMs, held.AtCapUSD30d
			}
		}
		s.save(a.Name, func() *savedHistory { return l })
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
