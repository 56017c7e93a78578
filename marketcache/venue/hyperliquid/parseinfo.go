package hyperliquid

import (
	"ballast/marketcache"
)

// listing is one asset of a meta answer.
type listing struct {
	name          string
	sizeDigits    int
	maxLeverage   float64
	marginTableID int64 // 0: none given
	onlyIsolated  bool
	delisted      bool
}

// metaTable is a meta answer.
type metaTable struct {
	assets []listing // in the venue's order, which contexts follow
	tables map[int64][]marketcache.Tier
}

const (
	maxListings    = 4096
	maxNameBytes   = 32
	maxSizeDigits  = 12
	maxMaxLeverage = 1000
	maxTiers       = 16
	maxTables      = 1024
	// tableIDFloor is the first id of a listed margin table; a lower id is the maximum
	// leverage of the only tier (docs/venue.md).
	tableIDFloor = 50
)

// readMeta reads a meta object. It fails on what no venue lists: no asset, absurdly
// many, a name twice or not printable, a leverage below 1, tiers out of order.
func readMeta(s *scanner) (m metaTable, ok bool) {
	m.tables = map[int64][]marketcache.Tier{}
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
			for more := s.open('['); more; more = s.next(']') {
				readTable(s, m.tables)
			}
		default:
			s.skip()
		}
	}
	names := make(map[string]bool, len(m.assets))
	for _, a := range m.assets {
		if names[a.name] {
			return m, false
		}
		names[a.name] = true
	}
	return m, !s.bad && len(m.assets) > 0
}

func readListing(s *scanner) (l listing) {
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
	if !printableName(l.name) || l.sizeDigits < 0 || l.sizeDigits > maxSizeDigits ||
		l.maxLeverage < 1 || l.maxLeverage > maxMaxLeverage {
		s.fail()
	}
	return l
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

// readTable reads [id, {"description", "marginTiers": [...]}].
func readTable(s *scanner, tables map[int64][]marketcache.Tier) {
	if !s.open('[') {
		s.fail()
		return
	}
	id := s.integer()
	if !s.next(']') || len(tables) == maxTables {
		s.fail()
		return
	}
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
			if n == maxTiers || leverage < 1 || leverage > maxMaxLeverage ||
				(n == 0 && bound != 0) || (n > 0 && bound <= bounds[n-1]) {
				s.fail()
				return
			}
			bounds, leverages = append(bounds, bound), append(leverages, leverage)
		}
	}
	for s.next(']') {
		s.skip()
	}
	if len(bounds) == 0 {
		s.fail()
		return
	}
	tables[id] = marketcache.NewTiers(bounds, leverages)
}

// tiers returns an asset's margin table; ok is false when it names one that the answer
// does not hold, and the asset then has the one tier of its maximum leverage.
func (m *metaTable) tiers(l *listing) (tiers []marketcache.Tier, ok bool) {
	leverage := l.maxLeverage
	if id := l.marginTableID; id >= tableIDFloor {
		if t := m.tables[id]; t != nil {
			return t, true
		}
		return marketcache.NewTiers([]float64{0}, []float64{leverage}), len(m.tables) == 0
	} else if id >= 1 {
		leverage = float64(id)
	}
	return marketcache.NewTiers([]float64{0}, []float64{leverage}), true
}

// readMetaAndContexts reads [meta, contexts] and refuses the pair unless both have
// the same length, because contexts carry no name.
func readMetaAndContexts(b []byte, rows []contextRow) (m metaTable, _ []contextRow, ok bool) {
	s := scanner{b: b}
	if !s.open('[') {
		return m, nil, false
	}
	m, ok = readMeta(&s)
	if !ok || !s.next(']') {
		return m, nil, false
	}
	rows = readContexts(&s, rows[:0])
	for s.next(']') {
		s.skip()
	}
	return m, rows, s.end() && len(rows) == len(m.assets)
}

const hourMs = 3600 * 1000

// readCandles reads a candleSnapshot of hourly bars and returns those that had closed
// at nowMs and opened at or after fromMs, oldest first. Bars that cannot be (another
// coin, not on the hour, prices out of order) are dropped and counted: their hour is
// then a gap. newestMs is the open time of the newest row of the coin, the forming bar
// included: hours before it that have no row had no trade.
func readCandles(b []byte, coin string, fromMs, nowMs int64) (bars []marketcache.Bar, dropped int, newestMs int64, ok bool) {
	s := scanner{b: b}
	rows := 0
	for more := s.open('['); more; more = s.next(']') {
		if rows++; rows > maxCandles {
			return nil, 0, 0, false
		}
		var bar marketcache.Bar
		var closeMs int64
		fit, have := true, 0
		for more := s.open('{'); more; more = s.next('}') {
			switch string(s.key()) {
			case "t":
				bar.OpenMs = s.integer()
				have |= 1
			case "T":
				closeMs = s.integer()
				have |= 2
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
		if s.bad || have != 3 {
			return nil, 0, 0, false
		}
		if fit && bar.OpenMs <= nowMs {
			newestMs = max(newestMs, bar.OpenMs)
		}
		last := int64(-1)
		if len(bars) > 0 {
			last = bars[len(bars)-1].OpenMs
		}
		switch {
		case closeMs >= nowMs, bar.OpenMs < fromMs: // forming, or not asked for
		case !fit || bar.OpenMs <= last || !possible(bar):
			dropped++
		default:
			bars = append(bars, bar)
		}
	}
	return bars, dropped, newestMs, s.end()
}

// maxCandles bounds a candle answer; the venue keeps 5,000 bars.
const maxCandles = 20000

// possible reports whether a bar could be an hourly candle.
func possible(b marketcache.Bar) bool {
	return b.OpenMs > 0 && b.OpenMs%hourMs == 0 && b.Low > 0 && b.High <= maxPrice &&
		b.Low <= min(b.Open, b.Close) && b.High >= max(b.Open, b.Close) &&
		b.Volume >= 0 && b.Volume <= maxUnits
}

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

// readFunding reads a fundingHistory answer: rows newer than afterMs, oldest first.
// count is the number of rows of the answer, which tells a full page, and lastMs the
// time of the last one.
func readFunding(b []byte, coin string, afterMs int64) (rows []marketcache.FundingRow, count int, lastMs int64, ok bool) {
	s := scanner{b: b}
	lastMs = afterMs
	for more := s.open('['); more; more = s.next(']') {
		var r marketcache.FundingRow
		fit, have := true, 0
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
		if count++; s.bad || have != 3 || !fit || count > maxCandles ||
			r.RateHourly > maxFundingRate || r.RateHourly < -maxFundingRate {
			return nil, 0, 0, false
		}
		if r.VenueMs > lastMs {
			rows, lastMs = append(rows, r), r.VenueMs
		}
	}
	return rows, count, lastMs, s.end()
}

// readPredicted reads predictedFundings and calls each with every coin's mean over
// Binance and Bybit of rate/interval; venues is 0 when neither lists it.
func readPredicted(b []byte, each func(coin []byte, f marketcache.CEXFunding)) bool {
	s := scanner{b: b}
	for more := s.open('['); more; more = s.next(']') {
		if !s.open('[') {
			s.fail()
			break
		}
		coin := s.text()
		if !s.next(']') {
			s.fail()
			break
		}
		var f marketcache.CEXFunding
		for more := s.open('['); more; more = s.next(']') {
			if !s.open('[') {
				s.fail()
				break
			}
			venue := string(s.text())
			if !s.next(']') {
				s.fail()
				break
			}
			rate, known := readPredictedRate(&s)
			if known && (venue == "BinPerp" || venue == "BybitPerp") {
				f.RateHourly += rate
				f.Venues++
			}
			for s.next(']') {
				s.skip()
			}
		}
		for s.next(']') {
			s.skip()
		}
		if s.bad {
			break
		}
		if f.Venues > 0 {
			f.RateHourly /= float64(f.Venues)
		}
		each(coin, f)
	}
	return s.end()
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

// readNames reads an array of coin names.
func readNames(b []byte) (names []string, ok bool) {
	s := scanner{b: b}
	for more := s.open('['); more; more = s.next(']') {
		if len(names) == maxListings {
			s.fail()
			break
		}
		names = append(names, string(s.text()))
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
