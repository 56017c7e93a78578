package hyperliquid

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// listing is one asset of a meta answer.
type listing struct {
	readable      bool   // false: set aside; the name alone counts, to tell whose context follows
	name          string // "" where that cannot be read either
	sizeDigits    int
	maxLeverage   float64
	marginTableID int64 // 0: none given
	onlyIsolated  bool
	delisted      bool
	feeScale      float64 // of the deployer, 0 to 10
	growth        bool    // nine tenths of the fee are waived
}

// feeMultiplier is what the listing makes of the venue's base fee.
func (l *listing) feeMultiplier(dex string) float64 {
	if dex == "" {
		return 1
	}
	scale := 2 * l.feeScale
	if l.feeScale < 1 {
		scale = 1 + l.feeScale
	}
	if l.growth {
		scale *= growthShare
	}
	return scale
}

// metaTable is a meta answer.
type metaTable struct {
	dex       string    // "" is the main dex; the answer does not say
	assets    []listing // in the venue's order, which contexts follow
	tables    map[int64][]marketcache.Tier
	badTables int // margin tables that could not be read
	// collateralToken is the index of the token that the dex's amounts are in; 0 is USDC, as
	// on the main dex whatever the answer says.
	collateralToken int
	asked           marketcache.Instant
}

const (
	maxListings    = 4096
	maxNameBytes   = 32
	maxSizeDigits  = 12
	maxMaxLeverage = 1000
	maxFeeScale    = 10
	growthShare    = 0.1 // of the fee, in growth mode
	maxTiers       = 16
	maxTables      = 1024
	// tableIDFloor is the first id of a listed margin table; a lower id is the maximum
	// leverage of the only tier (docs/venue.md).
	tableIDFloor = 50
)

// readMeta reads a meta object. A listing that no venue has (a name twice or not printable, a
// leverage below 1) is set aside, and so is a margin table (tiers out of order). It fails
// when no listing is left, absurdly many are there, or the tables are not.
func readMeta(s *scanner) (m metaTable, ok bool) {
	m.tables = map[int64][]marketcache.Tier{}
	haveTables, needTables := false, false
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "universe":
			m.assets = m.assets[:0]
			for more := s.open('['); more; more = s.next(']') {
				if len(m.assets) == maxListings {
					s.fail()
					break
				}
				m.assets = append(m.assets, readListing(s))
			}
		case "marginTables":
			haveTables = true
			for more := s.open('['); more; more = s.next(']') {
				start := s.i
				if !readTable(s, m.tables) {
					s.setAside(start)
					m.badTables++
				}
			}
		case "collateralToken":
			start := s.i
			if m.collateralToken = int(s.integer()); s.bad {
				s.setAside(start)
				m.collateralToken = 0
			}
		default:
			s.skip()
		}
	}
	times := make(map[string]int, len(m.assets))
	for i := range m.assets {
		times[m.assets[i].name]++
	}
	for i := range m.assets {
		a := &m.assets[i]
		if times[a.name] > 1 { // which of them is the asset, nobody can tell
			*a = listing{}
		}
		ok = ok || a.readable
		needTables = needTables || a.readable && a.marginTableID >= tableIDFloor
	}
	return m, ok && !s.bad && (haveTables || !needTables)
}

func readListing(s *scanner) (l listing) {
	start := s.i
	l.feeScale = 1 // where the listing says nothing
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "name":
			l.name = string(s.text())
		case "szDecimals":
			l.sizeDigits = int(s.integer())
		case "maxLeverage":
			l.maxLeverage = float64(s.integer())
		case "marginTableId":
			if !s.null() {
				l.marginTableID = s.integer()
			}
		case "onlyIsolated":
			l.onlyIsolated = (!s.null() && s.boolean()) || l.onlyIsolated
		case "isDelisted":
			l.delisted = !s.null() && s.boolean()
		case "growthMode":
			l.growth = !s.null() && string(s.text()) == "enabled"
		case "deployerFeeScale":
			if !s.null() {
				l.feeScale = s.decimal()
			}
		case "marginMode":
			if s.null() {
				continue
			}
			mode := string(s.text())
			l.onlyIsolated = l.onlyIsolated || mode == "strictIsolated" || mode == "noCross"
		default:
			s.skip()
		}
	}
	l.readable = !s.bad && printableName(l.name) && l.sizeDigits >= 0 && l.sizeDigits <= maxSizeDigits &&
		l.maxLeverage >= 1 && l.maxLeverage <= maxMaxLeverage && l.feeScale >= 0 && l.feeScale <= maxFeeScale
	if !l.readable {
		s.setAside(start)
		return listing{name: readName(s.b[start:s.i])}
	}
	return l
}

// readName reads the name of a listing of which nothing else needs to be readable.
func readName(b []byte) (name string) {
	s := scanner{b: b}
	for more := s.open('{'); more; more = s.next('}') {
		if string(s.key()) == "name" {
			name = string(s.text())
		} else {
			s.skip()
		}
	}
	if s.bad || !printableName(name) {
		return ""
	}
	return name
}

func printableName(name string) bool {
	if len(name) == 0 || len(name) > maxNameBytes {
		return false
	}
	for i := range len(name) {
		if name[i] <= 0x20 || name[i] > 0x7e {
			return false
		}
	}
	return true
}

// readTable reads [id, {"description", "marginTiers": [...]}] into tables.
func readTable(s *scanner, tables map[int64][]marketcache.Tier) (ok bool) {
	s.tuple()
	id := s.integer()
	s.then()
	var bounds, leverages []float64
	for more := s.open('{'); more; more = s.next('}') {
		if string(s.key()) != "marginTiers" {
			s.skip()
			continue
		}
		for more := s.open('['); more; more = s.next(']') {
			var bound, leverage float64
			for more := s.open('{'); more; more = s.next('}') {
				switch string(s.key()) {
				case "lowerBound":
					bound = s.decimal()
				case "maxLeverage":
					leverage = s.decimal()
				default:
					s.skip()
				}
			}
			n := len(bounds)
			if s.bad || n == maxTiers || leverage < 1 || leverage > maxMaxLeverage ||
				(n == 0 && bound != 0) || (n > 0 && bound <= bounds[n-1]) {
				return false
			}
			bounds, leverages = append(bounds, bound), append(leverages, leverage)
		}
	}
	s.rest()
	if s.bad || len(bounds) == 0 || len(tables) == maxTables {
		return false
	}
	if _, twice := tables[id]; twice { // which of them is the table, nobody can tell
		tables[id] = nil
		return false
	}
	tables[id] = marketcache.NewTiers(bounds, leverages)
	return true
}

// tiers returns an asset's margin table, nil when it names one that the answer does not hold.
func (m *metaTable) tiers(l *listing) []marketcache.Tier {
	leverage := l.maxLeverage
	if id := l.marginTableID; id >= tableIDFloor {
		return m.tables[id]
	} else if id >= 1 {
		leverage = float64(id)
	}
	return marketcache.NewTiers([]float64{0}, []float64{leverage})
}

// readMetaAndContexts reads [meta, contexts] and refuses the pair unless both have
// the same length, because contexts carry no name.
func readMetaAndContexts(b []byte, rows []contextRow) (m metaTable, _ []contextRow, ok bool) {
	s := scanner{b: b}
	s.tuple()
	m, ok = readMeta(&s)
	s.then()
	rows = readContexts(&s, rows[:0])
	s.rest()
	return m, rows, ok && s.end() && len(rows) == len(m.assets)
}

// readDexs reads perpDexs: the names of the builder-deployed dexes, "" for one that cannot be
// read, and the open-interest caps that they publish, USD by asset.
func readDexs(b []byte) (names []string, caps map[string]float64, ok bool) {
	s := scanner{b: b}
	caps = map[string]float64{}
	main := true // the first element, which is null
	for more := s.open('['); more; more = s.next(']') {
		if main {
			main = false
			s.skip()
			continue
		}
		if len(names) == maxDexs {
			s.fail()
			break
		}
		start, name := s.i, ""
		for more := s.open('{'); more; more = s.next('}') {
			switch string(s.key()) {
			case "name":
				name = string(s.text())
			case "assetToStreamingOiCap":
				if s.null() {
					continue
				}
				for more := s.open('['); more; more = s.next(']') {
					s.tuple()
					coin := string(s.text())
					s.then()
					if usd := s.decimal(); usd > 0 && usd <= maxContextUSD {
						caps[coin] = usd
					}
					s.rest()
				}
			default:
				s.skip()
			}
		}
		if s.bad || !printableName(name) || strings.Contains(name, ":") {
			s.setAside(start)
			name = ""
		}
		names = append(names, name)
	}
	return names, caps, s.end() && !main
}

// maxDexs bounds the dexes of an answer.
const maxDexs = 256

const hourMs = 3600 * 1000

// readCandles reads a candleSnapshot of hourly bars and returns those that had closed
// at nowMs and opened at or after fromMs, oldest first. Bars that cannot be (not readable,
// another coin, not one hour on the hour, prices out of order, of the future) are dropped
// and counted: their hour is then a gap. An answer of nothing else is refused. newestMs is the
// open time of the newest row of the coin, the forming bar included: hours before it that have
// no row had no trade.
func readCandles(b []byte, coin string, fromMs, nowMs int64) (bars []marketcache.Bar, dropped int, newestMs int64, ok bool) {
	s := scanner{b: b}
	rows := 0
	for more := s.open('['); more; more = s.next(']') {
		if rows++; rows > maxCandles {
			return nil, 0, 0, false
		}
		var bar marketcache.Bar
		var closeMs int64
		start, fit := s.i, true
		for more := s.open('{'); more; more = s.next('}') {
			switch string(s.key()) {
			case "t":
				bar.OpenMs = s.integer()
			case "T":
				closeMs = s.integer()
			case "o":
				bar.Open = s.decimal()
			case "h":
				bar.High = s.decimal()
			case "l":
				bar.Low = s.decimal()
			case "c":
				bar.Close = s.decimal()
			case "v":
				bar.Volume = s.decimal()
			case "s":
				fit = fit && string(s.text()) == coin
			case "i":
				fit = fit && string(s.text()) == "1h"
			default:
				s.skip()
			}
		}
		if s.bad {
			s.setAside(start)
			fit = false
		}
		if !fit || closeMs != bar.OpenMs+hourMs-1 || bar.OpenMs > nowMs+hourMs || !feed.PlausibleBar(bar) {
			dropped++
			continue
		}
		if bar.OpenMs <= nowMs {
			newestMs = max(newestMs, bar.OpenMs)
		}
		if closeMs < nowMs && bar.OpenMs >= fromMs { // neither forming nor older than asked for
			bars = append(bars, bar)
		}
	}
	bars, twice := inOrder(bars, func(b marketcache.Bar) int64 { return b.OpenMs })
	return bars, dropped + twice, newestMs, s.end() && (rows == 0 || dropped < rows)
}

// inOrder sorts rows by time and drops those whose time is taken.
func inOrder[T any](rows []T, at func(T) int64) (sorted []T, dropped int) {
	slices.SortStableFunc(rows, func(a, b T) int { return cmp.Compare(at(a), at(b)) })
	sorted = slices.CompactFunc(rows, func(a, b T) bool { return at(a) == at(b) })
	return sorted, len(rows) - len(sorted)
}

// maxCandles bounds a candle answer; the venue keeps 5,000 bars.
const maxCandles = 20000

// countRows returns the number of elements of a JSON array, for its weight.
func countRows(b []byte) int {
	s := scanner{b: b}
	n := 0
	for more := s.open('['); more; more = s.next(']') {
		s.skip()
		n++
	}
	return n
}

// readFunding reads a fundingHistory answer: rows newer than afterMs and not later than nowMs,
// oldest first. Rows that cannot be are dropped and counted; an answer of nothing else is
// refused. count is the number of rows of the answer, which tells a full page.
func readFunding(b []byte, coin string, afterMs, nowMs int64) (rows []marketcache.FundingRow, count, dropped int, ok bool) {
	s := scanner{b: b}
	for more := s.open('['); more; more = s.next(']') {
		if count++; count > maxCandles {
			return nil, 0, 0, false
		}
		var r marketcache.FundingRow
		start, fit, have := s.i, true, 0
		for more := s.open('{'); more; more = s.next('}') {
			switch string(s.key()) {
			case "coin":
				fit = string(s.text()) == coin
			case "fundingRate":
				r.RateHourly = s.decimal()
				have |= 1
			case "time":
				r.VenueMs = s.integer()
				have |= 2
			default:
				s.skip()
			}
		}
		if s.bad {
			s.setAside(start)
			fit = false
		}
		switch {
		case !fit || have != 3 || r.VenueMs <= 0 || r.VenueMs > nowMs || math.Abs(r.RateHourly) > maxFundingRate:
			dropped++
		case r.VenueMs > afterMs:
			rows = append(rows, r)
		}
	}
	ok = s.end() && (count == 0 || dropped < count)
	rows, twice := inOrder(rows, func(r marketcache.FundingRow) int64 { return r.VenueMs })
	return rows, count, dropped + twice, ok
}

// readPredicted reads predictedFundings and calls each with every coin's mean over
// Binance and Bybit of rate/interval; venues is 0 when neither lists it. A row that cannot be
// read has no coin.
func readPredicted(b []byte, each func(coin []byte, f marketcache.CEXFunding)) bool {
	s := scanner{b: b}
	for more := s.open('['); more; more = s.next(']') {
		start := s.i
		coin, f := readPredictedRow(&s)
		if s.bad {
			s.setAside(start)
			coin = nil
		}
		each(coin, f)
	}
	return s.end()
}

// readPredictedRow reads [coin, [[venue, {...}], ...]].
func readPredictedRow(s *scanner) (coin []byte, f marketcache.CEXFunding) {
	s.tuple()
	coin = s.text()
	s.then()
	for more := s.open('['); more; more = s.next(']') {
		s.tuple()
		venue := string(s.text())
		s.then()
		rate, known := readPredictedRate(s)
		if known && (venue == "BinPerp" || venue == "BybitPerp") {
			f.RateHourly += rate
			f.Venues++
		}
		s.rest()
	}
	s.rest()
	if f.Venues > 0 {
		f.RateHourly /= float64(f.Venues)
	}
	return coin, f
}

// readPredictedRate reads one venue's rate as a fraction per hour. A null, or an
// object without a sensible interval, is not known: an interval is never guessed.
func readPredictedRate(s *scanner) (hourly float64, known bool) {
	if s.null() {
		return 0, false
	}
	var rate, hours float64
	have := false
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "fundingRate":
			if have = !s.null(); have {
				rate = s.decimal()
			}
		case "fundingIntervalHours":
			hours = s.decimalOrNull()
		default:
			s.skip()
		}
	}
	if s.bad || !have || hours < 1 || hours > 24 || rate > maxFundingRate || rate < -maxFundingRate {
		return 0, false
	}
	return rate / hours, true
}

// readNames reads an array of coin names, "" for one that is none.
func readNames(b []byte) (names []string, ok bool) {
	s := scanner{b: b}
	for more := s.open('['); more; more = s.next(']') {
		if len(names) == maxListings {
			s.fail()
			break
		}
		start := s.i
		name := s.text()
		if s.bad {
			s.setAside(start)
			name = nil
		}
		names = append(names, string(name))
	}
	return names, s.end()
}

// readStatus reads exchangeStatus.
func readStatus(b []byte) (timeMs int64, notice string, ok bool) {
	s := scanner{b: b}
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "time":
			timeMs = s.integer()
		case "specialStatuses":
			s.peek()
			start := s.i
			s.skip()
			if !s.bad {
				notice = printable(s.b[start:s.i])
			}
		default:
			s.skip()
		}
	}
	return timeMs, notice, s.end() && timeMs > 0
}
