package feed

import (
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"ballast/marketcache"
)

const (
	hourMs = 3600 * 1000
	dayMs  = 24 * hourMs
)

// assetLog is one asset's history on disk: a file of records of equal size, each with its own checksum:
//
//	 0      1      4        8          16                                56
//	┌──────┬──────┬────────┬──────────┬──────────────────────────────────┐
//	│ kind │ zero │ crc32c │ time, ms │ five float64                     │
//	└──────┴──────┴────────┴──────────┴──────────────────────────────────┘
type assetLog struct {
	bars             []marketcache.Bar
	barsThroughMs    int64 // the bars are complete up to this time; 0: never loaded
	short            bool  // the venue may have older bars
	funding          []marketcache.FundingRow
	fundingThroughMs int64                    // the funding is complete up to this time; 0: never loaded
	days             []marketcache.DayMaximum // daily maxima of open interest, oldest first
	capMs            int64                    // when the asset was last at its open-interest cap; 0: never
	capUSD           float64
	future           int // records skipped because they lie in the future of the venue's clock
}

// record is one record of an assetLog's file.
type record struct {
	kind   recordKind
	timeMs int64
	v      [5]float64
}

type recordKind byte

const (
	barRecord      recordKind = 1 // time: open; open, high, low, close, volume
	barsThrough    recordKind = 2 // time: bars complete up to then; first value 1 while the venue may have older bars
	fundingRecord  recordKind = 3 // time; hourly rate
	fundingThrough recordKind = 4 // time: funding complete up to then
	interestRecord recordKind = 5 // time: start of the UTC day; highest open interest so far, USD
	capRecord      recordKind = 6 // time; open interest at the cap, USD

	recordSize    = 56
	maxLogRecords = 200_000
)

func barOf(b marketcache.Bar) record {
	return record{barRecord, b.OpenMs, [5]float64{b.Open, b.High, b.Low, b.Close, b.Volume}}
}

func barsThroughOf(ms int64, short bool) record {
	r := record{kind: barsThrough, timeMs: ms}
	if short {
		r.v[0] = 1
	}
	return r
}

func fundingOf(f marketcache.FundingRow) record {
	return record{fundingRecord, f.VenueMs, [5]float64{f.RateHourly}}
}

func interestOf(d marketcache.DayMaximum) record {
	return record{interestRecord, d.DayMs, [5]float64{d.USD}}
}

// recordsOf converts each value to a record.
func recordsOf[T any](values []T, of func(T) record) []record {
	records := make([]record, 0, len(values)+1)
	for _, v := range values {
		records = append(records, of(v))
	}
	return records
}

// records returns the records of a complete file.
func (l *assetLog) records() []record {
	all := append(recordsOf(l.bars, barOf), barsThroughOf(l.barsThroughMs, l.short))
	all = append(all, recordsOf(l.funding, fundingOf)...)
	all = append(all, record{kind: fundingThrough, timeMs: l.fundingThroughMs})
	all = append(all, recordsOf(l.days, interestOf)...)
	if l.capMs != 0 {
		all = append(all, record{capRecord, l.capMs, [5]float64{l.capUSD}})
	}
	return all
}

// encode returns the bytes of records.
func encode(records []record) []byte {
	b := make([]byte, 0, recordSize*len(records))
	for _, r := range records {
		at := len(b)
		b = append(b, byte(r.kind), 0, 0, 0, 0, 0, 0, 0)
		b = binary.LittleEndian.AppendUint64(b, uint64(r.timeMs))
		for _, v := range r.v {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		binary.LittleEndian.PutUint32(b[at+4:], recordSum(b[at:]))
	}
	return b
}

// recordSum returns the checksum over a record without its checksum field.
func recordSum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:4], castagnoli), castagnoli, b[8:recordSize])
}

// decode reads a file up to the first damaged or impossible record; good is the number of records before
// that. It skips records later than nowMs: their data is requested again when their time comes.
func decode(data []byte, nowMs int64) (l *assetLog, good int) {
	n := min(len(data)/recordSize, maxLogRecords)
	l = &assetLog{bars: make([]marketcache.Bar, 0, n)}
	for ; good < n; good++ {
		b := data[good*recordSize:]
		if recordSum(b) != binary.LittleEndian.Uint32(b[4:]) {
			break
		}
		r := record{kind: recordKind(b[0]), timeMs: int64(binary.LittleEndian.Uint64(b[8:]))}
		for i := range r.v {
			r.v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[16+8*i:]))
		}
		if !l.add(r, nowMs) {
			break
		}
	}
	if l.future > 0 {
		if n := len(l.bars); n > 0 {
			l.barsThroughMs = l.bars[n-1].OpenMs + hourMs
		}
		if n := len(l.funding); n > 0 {
			l.fundingThroughMs = l.funding[n-1].VenueMs
		}
	}
	return l, good
}

// Bounds on plausible values, far outside any real market.
const (
	maxPrice       = 1e9  // USD
	maxVolume      = 1e13 // base units an hour
	maxFundingRate = 1.0  // fraction an hour
	maxInterestUSD = 1e15
)

// PlausibleBar reports whether b could be an hourly bar: a whole hour, positive prices within
// the range of low to high, a finite volume.
func PlausibleBar(b marketcache.Bar) bool {
	return b.OpenMs > 0 && b.OpenMs%hourMs == 0 && b.Low > 0 && b.High <= maxPrice &&
		b.Low <= min(b.Open, b.Close) && b.High >= max(b.Open, b.Close) &&
		b.Volume >= 0 && b.Volume <= maxVolume
}

// add adds a record and reports false for an impossible record.
func (l *assetLog) add(r record, nowMs int64) bool {
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
		l.future++
		return r.kind >= barRecord && r.kind <= capRecord
	}
	switch r.kind {
	case barRecord:
		b := marketcache.Bar{OpenMs: r.timeMs, Open: r.v[0], High: r.v[1], Low: r.v[2], Close: r.v[3], Volume: r.v[4]}
		if !PlausibleBar(b) {
			return false
		}
		if n := len(l.bars); n == 0 || l.bars[n-1].OpenMs < b.OpenMs {
			l.bars = append(l.bars, b)
			l.barsThroughMs = max(l.barsThroughMs, b.OpenMs+hourMs)
		}
	case barsThrough:
		l.barsThroughMs, l.short = max(l.barsThroughMs, r.timeMs), r.v[0] != 0
	case fundingRecord:
		if math.Abs(r.v[0]) > maxFundingRate {
			return false
		}
		if n := len(l.funding); n == 0 || l.funding[n-1].VenueMs < r.timeMs {
			l.funding = append(l.funding, marketcache.FundingRow{VenueMs: r.timeMs, RateHourly: r.v[0]})
		}
	case fundingThrough:
		l.fundingThroughMs = max(l.fundingThroughMs, r.timeMs)
	case interestRecord:
		if r.timeMs%dayMs != 0 || r.v[0] < 0 || r.v[0] > maxInterestUSD {
			return false
		}
		if n := len(l.days); n > 0 && l.days[n-1].DayMs == r.timeMs {
			l.days[n-1].USD = max(l.days[n-1].USD, r.v[0])
		} else if n == 0 || l.days[n-1].DayMs < r.timeMs {
			l.days = append(l.days, marketcache.DayMaximum{DayMs: r.timeMs, USD: r.v[0]})
		}
	case capRecord:
		l.capMs, l.capUSD = r.timeMs, r.v[0]
	default:
		return false
	}
	return true
}

// trim drops rows beyond the limits of the cache and days beyond the statistics' windows.
func (l *assetLog) trim(limits marketcache.Limits, nowMs int64) {
	l.bars = l.bars[max(0, len(l.bars)-limits.Bars):]
	l.funding = l.funding[max(0, len(l.funding)-limits.Rows):]
	l.days = slices.DeleteFunc(l.days, func(d marketcache.DayMaximum) bool { return d.DayMs < nowMs-interestDays*dayMs })
	if l.capMs < nowMs-capDays*dayMs {
		l.capMs, l.capUSD = 0, 0
	}
}

// join adds bars and funding that another feed has put into the cache, and reports whether the
// log lacked any of them. Where both have an hour, the history that is complete up to a later time wins.
func (l *assetLog) join(c *marketcache.Cache, id marketcache.AssetID) (lacked bool) {
	if held, through := c.Bars(id); len(held) > 0 && through >= l.barsThroughMs {
		first := held[0].OpenMs
		lacked = through > l.barsThroughMs
		if len(l.bars) == 0 || first < l.bars[0].OpenMs || l.barsThroughMs < first {
			// The cache does not record whether the venue has older bars. A first pass, even with part
			// of a second pass, leaves fewer than 2*warmRows.
			lacked, l.short = true, len(held) < 2*warmRows
		}
		if l.barsThroughMs >= first {
			held = slices.Concat(l.bars[:search(l.bars, first)], held)
		}
		l.bars, l.barsThroughMs = held, through
	}
	if held := c.FundingStats(id); held != nil && held.ThroughVenueMs > l.fundingThroughMs {
		lacked = true
		l.funding, l.fundingThroughMs = c.FundingRows(id).View(), held.ThroughVenueMs
	}
	return lacked
}

// search returns the index of the first bar that opened at or after ms.
func search(bars []marketcache.Bar, ms int64) int {
	n, _ := slices.BinarySearchFunc(bars, ms, func(b marketcache.Bar, ms int64) int { return cmp.Compare(b.OpenMs, ms) })
	return n
}
