package hyperliquid

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
)

// store keeps on disk what a restart cannot ask for again cheaply, or at all: bars,
// paid funding, daily maxima of open interest, and the newest universe. It keeps no
// book and no context: nothing that could be taken for fresh.
//
//	<DataDir>/venue-<name>/universe             newest universe answer, checksum first
//	                       budget               see budgetlog.go
//	                       assets/<NAME>.log    one append-only file an asset
//
// A log is a row of records of the same size, each with its own checksum:
//
//	 0      1      4        8          16                                56
//	┌──────┬──────┬────────┬──────────┬──────────────────────────────────┐
//	│ kind │ zero │ crc32c │ time, ms │ five float64                     │
//	└──────┴──────┴────────┴──────────┴──────────────────────────────────┘
//
// The first record that does not check ends the log: what follows is cut off and
// reported. A log that the disk would not give is left as it is: nothing is written to it before
// it has been read whole. Records of a time that the venue's clock has not reached are passed
// over. Records go behind the last good one (never behind a torn one), so a crash
// costs at most the record being written. When repeats and expired records outweigh
// the rest, the log is written anew beside itself and renamed.
type store struct {
	dir  string
	f    *Feed
	read func(path string) ([]byte, error) // os.ReadFile

	mu    sync.Mutex
	sizes map[string]int64 // good length of each log that has been read; no other is written
	dead  map[string]int64 // records in it that a rewrite would drop

	metaMu    sync.Mutex
	metaSaved map[string]marketcache.Instant // by dex
}

func newStore(f *Feed, dir string) *store {
	return &store{dir: dir, f: f, read: os.ReadFile, sizes: map[string]int64{}, dead: map[string]int64{}, metaSaved: map[string]marketcache.Instant{}}
}

// recordKind says what a record holds.
type recordKind byte

const (
	barRecord       recordKind = 1 // time: open; open, high, low, close, volume
	barsThrough     recordKind = 2 // time: history complete up to here; 1 while the venue may have older bars
	fundingRecord   recordKind = 3 // time; rate an hour
	fundingThrough  recordKind = 4
	interestRecord  recordKind = 5 // time: start of the UTC day; maximum USD so far
	capRecord       recordKind = 6 // time; USD while at the cap
	recordSize                 = 56
	maxLogRecords              = 200_000
	rewriteWhenDead            = 1024 // dead records in a log before it is rewritten while running
)

type record struct {
	kind   recordKind
	timeMs int64
	v      [5]float64
}

func (r record) append(b []byte) []byte {
	at := len(b)
	b = append(b, byte(r.kind), 0, 0, 0, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.timeMs))
	for _, v := range r.v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	binary.LittleEndian.PutUint32(b[at+4:], recordSum(b[at:]))
	return b
}

// recordSum is the checksum over all of a record but itself.
func recordSum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:4], castagnoli), castagnoli, b[8:recordSize])
}

func readRecord(b []byte) (r record, ok bool) {
	if len(b) < recordSize || recordSum(b) != binary.LittleEndian.Uint32(b[4:]) {
		return r, false
	}
	r.kind = recordKind(b[0])
	r.timeMs = int64(binary.LittleEndian.Uint64(b[8:]))
	for i := range r.v {
		r.v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[16+8*i:]))
	}
	return r, true
}

// kept is what a log holds of an asset.
type kept struct {
	bars           []marketcache.Bar
	barsThroughMs  int64 // 0: never loaded
	short          bool  // older bars have not been asked for
	rows           []marketcache.FundingRow
	fundingThrough int64
	days           []marketcache.DayMaximum // rising
	capMs          int64                    // when it was last seen at its cap; 0: never
	capUSD         float64
	future         int // records passed over because their time has not come
}

// take adds a record that has checked and is not later than nowMs. It reports false for one
// that cannot be, which ends the log like a bad checksum.
func (k *kept) take(r record, nowMs int64) bool {
	for _, v := range r.v {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	end := r.timeMs
	if r.kind == barRecord {
		end += hourMs
	}
	switch {
	case end <= nowMs:
	case r.kind == barsThrough || r.kind == fundingThrough:
		r.timeMs = nowMs
	default:
		k.future++
		return r.kind >= barRecord && r.kind <= capRecord
	}
	switch r.kind {
	case barRecord:
		b := marketcache.Bar{OpenMs: r.timeMs, Open: r.v[0], High: r.v[1], Low: r.v[2], Close: r.v[3], Volume: r.v[4]}
		if !possible(b) {
			return false
		}
		if n := len(k.bars); n == 0 || k.bars[n-1].OpenMs < b.OpenMs {
			k.bars = append(k.bars, b)
			k.barsThroughMs = max(k.barsThroughMs, b.OpenMs+hourMs)
		}
	case barsThrough:
		k.barsThroughMs, k.short = max(k.barsThroughMs, r.timeMs), r.v[0] != 0
	case fundingRecord:
		if math.Abs(r.v[0]) > maxFundingRate {
			return false
		}
		if n := len(k.rows); n == 0 || k.rows[n-1].VenueMs < r.timeMs {
			k.rows = append(k.rows, marketcache.FundingRow{VenueMs: r.timeMs, RateHourly: r.v[0]})
		}
	case fundingThrough:
		k.fundingThrough = max(k.fundingThrough, r.timeMs)
	case interestRecord:
		if r.timeMs%dayMs != 0 || r.v[0] < 0 || r.v[0] > maxContextUSD {
			return false
		}
		if n := len(k.days); n > 0 && k.days[n-1].DayMs == r.timeMs {
			k.days[n-1].USD = max(k.days[n-1].USD, r.v[0])
		} else if n == 0 || k.days[n-1].DayMs < r.timeMs {
			k.days = append(k.days, marketcache.DayMaximum{DayMs: r.timeMs, USD: r.v[0]})
		}
	case capRecord:
		k.capMs, k.capUSD = r.timeMs, r.v[0]
	default:
		return false
	}
	return true
}

// join takes in what a cache holds of an asset from another feed, and reports whether the
// log lacks some of it. Where both know an hour, the later to be complete counts.
func (k *kept) join(c *marketcache.Cache, id marketcache.AssetID) (ahead bool) {
	if held, through := c.Bars(id); len(held) > 0 && through >= k.barsThroughMs {
		ahead = through > k.barsThroughMs
		if len(k.bars) == 0 || held[0].OpenMs < k.bars[0].OpenMs || k.barsThroughMs < held[0].OpenMs {
			// Nobody says whether that is all: twice those of the first pass are more than it and a
			// second one under way leave.
			ahead, k.short = true, len(held) < 2*warmRows
		}
		if k.barsThroughMs >= held[0].OpenMs {
			older, _ := slices.BinarySearchFunc(k.bars, held[0].OpenMs, func(b marketcache.Bar, ms int64) int { return cmp.Compare(b.OpenMs, ms) })
			held = slices.Concat(k.bars[:older], held)
		}
		k.bars, k.barsThroughMs = held, through
	}
	if held := c.FundingStats(id); held != nil && held.ThroughVenueMs > k.fundingThrough {
		ahead = true
		k.rows, k.fundingThrough = c.FundingRows(id).View(), held.ThroughVenueMs
	}
	return ahead
}

// Save brings the histories on disk of the venue that cfg names up to what a cache holds,
// which another process's feed fills. No feed of cfg may be in use.
func Save(cache *marketcache.Cache, cfg Config) error {
	if cfg.DataDir == "" {
		return nil
	}
	f := &Feed{cfg: cfg.withDefaults(), cache: cache, log: cmp.Or(cfg.Logger, slog.Default())}
	f.clock.start()
	dir := venueDir(f.cfg)
	if err := os.MkdirAll(filepath.Join(dir, "assets"), 0o700); err != nil {
		return err
	}
	s := newStore(f, dir)
	nowMs := f.clock.at(marketcache.Now())
	f.each(func(a *marketcache.Asset) {
		k, err := s.load(a.Name, nowMs)
		if err != nil {
			return // counted; the log stays as it is
		}
		if ahead := k.join(cache, a.ID); !ahead {
			return
		}
		if held := cache.InterestStats(a.ID); held != nil {
			k.days = mergeMaxima(k.days, held.Maxima)
			if held.AtCapMs > k.capMs {
				k.capMs, k.capUSD = held.AtCapMs, held.AtCapUSD30d
			}
		}
		s.rewrite(a.Name, func() *kept { return k })
	})
	if n := f.stats.diskErrors.Load(); n > 0 {
		return fmt.Errorf("%d histories not saved", n)
	}
	return nil
}

// venueDir is where a venue's files are.
func venueDir(cfg Config) string { return filepath.Join(cfg.DataDir, "venue-"+escapeName(cfg.Name)) }

// trim drops what is beyond the limits of the cache and the windows of the models.
func (k *kept) trim(l marketcache.Limits, nowMs int64) {
	k.bars = k.bars[max(0, len(k.bars)-l.Bars):]
	k.rows = k.rows[max(0, len(k.rows)-l.Rows):]
	k.days = slices.DeleteFunc(k.days, func(d marketcache.DayMaximum) bool { return d.DayMs < nowMs-interestDays*dayMs })
	if k.capMs < nowMs-capDays*dayMs {
		k.capMs, k.capUSD = 0, 0
	}
}

// encode writes the log anew.
func (k *kept) encode() []byte {
	b := make([]byte, 0, recordSize*(len(k.bars)+len(k.rows)+len(k.days)+4))
	for _, x := range k.bars {
		b = barOf(x).append(b)
	}
	b = throughOf(k.barsThroughMs, k.short).append(b)
	for _, x := range k.rows {
		b = record{kind: fundingRecord, timeMs: x.VenueMs, v: [5]float64{x.RateHourly}}.append(b)
	}
	b = record{kind: fundingThrough, timeMs: k.fundingThrough}.append(b)
	for _, d := range k.days {
		b = record{kind: interestRecord, timeMs: d.DayMs, v: [5]float64{d.USD}}.append(b)
	}
	if k.capMs != 0 {
		b = record{kind: capRecord, timeMs: k.capMs, v: [5]float64{k.capUSD}}.append(b)
	}
	return b
}

func throughOf(ms int64, short bool) record {
	r := record{kind: barsThrough, timeMs: ms}
	if short {
		r.v[0] = 1
	}
	return r
}

func barOf(x marketcache.Bar) record {
	return record{kind: barRecord, timeMs: x.OpenMs, v: [5]float64{x.Open, x.High, x.Low, x.Close, x.Volume}}
}

// escapeName makes a file name of a venue's or an asset's name: capitals and digits
// stay, any other byte becomes = and two hexadecimal digits, so that names that differ
// only in case differ on every file system and none can leave the directory.
func escapeName(name string) string {
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

func (s *store) path(name string) string {
	return filepath.Join(s.dir, "assets", escapeName(name)+".log")
}

// load reads an asset's log and cuts off what does not check. What it could not read may be
// there all the same.
func (s *store) load(name string, nowMs int64) (*kept, error) {
	k := &kept{}
	data, err := s.read(s.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		s.opened(name, 0, 0)
		return k, nil
	}
	if err != nil {
		s.complain("history not read", name, err)
		return nil, err
	}
	n := min(len(data)/recordSize, maxLogRecords)
	k.bars = make([]marketcache.Bar, 0, n)
	good := 0
	for ; good < n; good++ {
		r, ok := readRecord(data[good*recordSize:])
		if !ok || !k.take(r, nowMs) {
			break
		}
	}
	if k.future > 0 { // what was passed over is to be asked for when its time has come
		s.f.setAside(asideFuture, name)
		if n := len(k.bars); n > 0 {
			k.barsThroughMs = k.bars[n-1].OpenMs + hourMs
		}
		if n := len(k.rows); n > 0 {
			k.fundingThrough = k.rows[n-1].VenueMs
		}
	}
	if tail := len(data) - good*recordSize; tail > 0 {
		s.f.log.Warn("history cut at damage", "asset", name, "good_records", good, "lost_bytes", tail)
		if err := os.Truncate(s.path(name), int64(good*recordSize)); err != nil {
			s.complain("history not cut", name, err)
		}
	}
	k.trim(s.f.cache.Limits(), nowMs)
	live := len(k.bars) + len(k.rows) + len(k.days) + 3
	s.opened(name, int64(good*recordSize), int64(good-live))
	if good > 2*live+100 && k.future == 0 { // a clock of ours that is behind must lose nothing
		s.rewrite(name, func() *kept { return k })
	}
	return k, nil
}

func (s *store) opened(name string, size, dead int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sizes[name], s.dead[name] = size, dead
}

// append puts records behind the last good one. It reports whether the log has
// gathered so much dead weight that it should be rewritten.
func (s *store) append(name string, records ...record) (rewrite bool) {
	if len(records) == 0 {
		return false
	}
	b := make([]byte, 0, recordSize*len(records))
	dead := int64(0)
	for _, r := range records {
		b = r.append(b)
		if r.kind != barRecord && r.kind != fundingRecord {
			dead++ // the one before it is no longer needed
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.sizes[name]; !known {
		return false
	}
	file, err := os.OpenFile(s.path(name), os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		_, err = file.WriteAt(b, s.sizes[name])
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		// The length that counts has not moved: the next write goes over what was torn.
		s.complain("history not written", name, err)
		return false
	}
	s.sizes[name] += int64(len(b))
	s.dead[name] += dead
	return s.dead[name] > rewriteWhenDead
}

// rewrite replaces the log by what it should hold, gathered while nobody appends.
func (s *store) rewrite(name string, gather func() *kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.sizes[name]; !known {
		return
	}
	b := gather().encode()
	if err := writeFile(s.path(name), b); err != nil {
		s.complain("history not rewritten", name, err)
		return
	}
	s.sizes[name], s.dead[name] = int64(len(b)), 0
}

// writeFile replaces a file by way of a temporary one.
func writeFile(path string, b []byte) error {
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

func (s *store) complain(text, name string, err error) {
	s.f.stats.diskErrors.Add(1)
	s.f.complain.warn(s.f.log, text, "asset", name, "error", err)
}

// metaEvery is how often the newest universe is written down when nobody was listed or
// delisted.
const metaEvery = time.Hour

// saveMeta keeps a universe answer that was accepted.
func (s *store) saveMeta(dex string, body []byte, changed bool) {
	s.metaMu.Lock()
	defer s.metaMu.Unlock()
	now := marketcache.Now()
	if saved, is := s.metaSaved[dex]; !changed && is && now.Sub(saved) < metaEvery {
		return
	}
	s.metaSaved[dex] = now
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, len(body)+4), crc32.Checksum(body, castagnoli))
	if err := writeFile(filepath.Join(s.dir, metaFile(dex)), append(b, body...)); err != nil {
		s.complain("universe not written", dex, err)
	}
}

// metaFile is the name of the file with a dex's universe.
func metaFile(dex string) string {
	if dex == "" {
		return "universe"
	}
	return "universe-" + escapeName(dex)
}

// restore reads the universe and every listed asset's history into the cache.
func (s *store) restore() {
	main := s.restoreMeta(metaFile(""))
	if main {
		others, _ := filepath.Glob(filepath.Join(s.dir, "universe-*"))
		for _, path := range others {
			s.restoreMeta(filepath.Base(path))
		}
		began := time.Now()
		s.f.restoreHistories()
		s.f.log.Info("histories read from disk", "assets", len(s.f.cache.Universe().Assets), "took", time.Since(began).Round(time.Millisecond))
	}
}

// restoreMeta reads one dex's universe, if that is followed.
func (s *store) restoreMeta(file string) (taken bool) {
	b, err := os.ReadFile(filepath.Join(s.dir, file))
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil || len(b) < 4 || crc32.Checksum(b[4:], castagnoli) != binary.LittleEndian.Uint32(b) {
		s.f.log.Warn("universe on disk is damaged and not used", "file", file, "error", err)
		return false
	}
	m, _, ok := parseMetaAndContexts(b[4:], nil)
	if !ok {
		s.f.log.Warn("universe on disk is not one and not used", "file", file)
		return false
	}
	for i := range m.assets {
		if m.assets[i].readable { // all of one dex
			m.dex = dexOf(m.assets[i].name)
			break
		}
	}
	if metaFile(m.dex) != file || !s.f.dexes.follows(m.dex) {
		return false
	}
	if _, _, err := s.f.universe.take(m); err != nil {
		s.f.log.Warn("universe on disk is not used", "file", file, "error", err)
		return false
	}
	return true
}
