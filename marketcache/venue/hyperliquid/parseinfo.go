package hyperliquid

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-json/jsontext"

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
}

const (
	maxListings    = 4096
	maxNameBytes   = 32
	maxSizeDigits  = 12
	maxMaxLeverage = 1000
	maxFeeScale    = 10
	growthShare    = 0.1 // of the fee, in growth mode
	maxTiers       = 16
	maxDexs        = 256
	// tableIDFloor is the first id of a listed margin table; a lower id is the maximum
	// leverage of the only tier (docs/venue.md).
	tableIDFloor = 50
)

// parseMetaAndContexts parses [meta, contexts] and refuses the pair unless both have
// the same length, because contexts carry no name. The contexts are put into rows.
func parseMetaAndContexts(b []byte, rows []contextRow) (m metaTable, _ []contextRow, ok bool) {
	parts, ok := split(b)
	if !ok || len(parts) < 2 {
		return m, rows, false
	}
	m, ok = parseMeta(parts[0])
	s := scanner{b: parts[1]}
	rows = parseContexts(&s, rows[:0])
	return m, rows, ok && s.end() && len(rows) == len(m.assets)
}

// parseMeta parses a meta object. A listing that no venue has (a name twice or not printable, a
// leverage below 1) is set aside, and so is a margin table (tiers out of order). It fails
// when no listing is left, absurdly many are there, or the tables are not.
func parseMeta(b []byte) (m metaTable, ok bool) {
	var v struct {
		Universe        elements[listing]                   `json:"universe"`
		MarginTables    *elements[pair[int64, marginTable]] `json:"marginTables"`
		CollateralToken element[int]                        `json:"collateralToken"`
	}
	if !decodeLists(b, &v) || len(v.Universe) > maxListings {
		return m, false
	}
	m.collateralToken = v.CollateralToken.value
	m.tables = map[int64][]marketcache.Tier{}
	if v.MarginTables != nil {
		for _, t := range *v.MarginTables {
			id, tiers := t.value.a, t.value.b.tiers()
			if _, twice := m.tables[id]; twice || !t.ok { // which of two is the table, nobody can tell
				tiers = nil
			}
			if m.tables[id] = tiers; tiers == nil {
				m.badTables++
			}
		}
	}
	times := make(map[string]int, len(v.Universe))
	for i := range v.Universe {
		times[v.Universe[i].value.name]++
	}
	needTables := false
	m.assets = make([]listing, len(v.Universe))
	for i := range m.assets {
		a := v.Universe[i].value
		if times[a.name] > 1 { // which of them is the asset, nobody can tell
			continue
		}
		m.assets[i] = a
		ok = ok || a.readable
		needTables = needTables || a.readable && a.marginTableID >= tableIDFloor
	}
	return m, ok && (v.MarginTables != nil || !needTables)
}

// UnmarshalJSON reads a listing, or at least its name.
func (l *listing) UnmarshalJSON(b []byte) error {
	var v struct {
		SizeDigits    *int     `json:"szDecimals"`
		MaxLeverage   int      `json:"maxLeverage"`
		MarginTableID int64    `json:"marginTableId"`
		OnlyIsolated  bool     `json:"onlyIsolated"`
		MarginMode    string   `json:"marginMode"`
		Delisted      bool     `json:"isDelisted"`
		GrowthMode    string   `json:"growthMode"`
		FeeScale      *decimal `json:"deployerFeeScale"`
	}
	var named struct {
		Name name `json:"name"`
	}
	if decodeValue(b, &named) && printableName(string(named.Name)) {
		l.name = string(named.Name)
	}
	if !decodeValue(b, &v) || l.name == "" || v.SizeDigits == nil || *v.SizeDigits < 0 || *v.SizeDigits > maxSizeDigits ||
		v.MaxLeverage < 1 || v.MaxLeverage > maxMaxLeverage {
		return nil
	}
	l.sizeDigits, l.maxLeverage, l.marginTableID = *v.SizeDigits, float64(v.MaxLeverage), v.MarginTableID
	l.onlyIsolated = v.OnlyIsolated || v.MarginMode == "strictIsolated" || v.MarginMode == "noCross"
	l.delisted, l.growth = v.Delisted, v.GrowthMode == "enabled"
	if l.feeScale = 1; v.FeeScale != nil {
		l.feeScale = float64(*v.FeeScale)
	}
	l.readable = l.feeScale >= 0 && l.feeScale <= maxFeeScale
	return nil
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

// marginTable is a margin table as printed.
type marginTable struct {
	Tiers elements[struct {
		LowerBound  decimal `json:"lowerBound"` // USD
		MaxLeverage decimal `json:"maxLeverage"`
	}] `json:"marginTiers"`
}

// tiers returns the brackets of a table, nil when they cannot be.
func (t *marginTable) tiers() []marketcache.Tier {
	var bounds, leverages []float64
	for n, tier := range t.Tiers {
		bound, leverage := float64(tier.value.LowerBound), float64(tier.value.MaxLeverage)
		if !tier.ok || n == maxTiers || leverage < 1 || leverage > maxMaxLeverage ||
			(n == 0 && bound != 0) || (n > 0 && bound <= bounds[n-1]) {
			return nil
		}
		bounds, leverages = append(bounds, bound), append(leverages, leverage)
	}
	if len(bounds) == 0 {
		return nil
	}
	return marketcache.NewTiers(bounds, leverages)
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

// parseDexs parses perpDexs: the names of the builder-deployed dexes, "" for one that cannot be
// read, and the open-interest caps that they publish, USD by asset.
func parseDexs(b []byte) (names []string, caps map[string]float64, ok bool) {
	var dexs elements[struct {
		Name name                  `json:"name"`
		Caps []pair[name, decimal] `json:"assetToStreamingOiCap"`
	}]
	if dexs.UnmarshalJSON(b) != nil || len(dexs) == 0 || len(dexs) > maxDexs+1 {
		return nil, nil, false
	}
	caps = map[string]float64{}
	for _, d := range dexs[1:] { // the first one is null and stands for the main dex
		name := string(d.value.Name)
		if !d.ok || !printableName(name) || strings.Contains(name, ":") {
			names = append(names, "")
			continue
		}
		names = append(names, name)
		for _, c := range d.value.Caps {
			if c.b > 0 && c.b <= maxContextUSD {
				caps[string(c.a)] = float64(c.b)
			}
		}
	}
	return names, caps, true
}

const hourMs = 3600 * 1000

// candle is one bar as printed.
type candle struct {
	OpenMs   int64   `json:"t"`
	CloseMs  int64   `json:"T"`
	Coin     string  `json:"s"`
	Interval string  `json:"i"`
	Open     decimal `json:"o"`
	High     decimal `json:"h"`
	Low      decimal `json:"l"`
	Close    decimal `json:"c"`
	Volume   decimal `json:"v"`
}

// parseCandles parses a candleSnapshot of hourly bars and returns those that had closed
// at nowMs and opened at or after fromMs, oldest first. Bars that cannot be (not readable,
// another coin, not one hour on the hour, prices out of order, of the future) are dropped
// and counted: their hour is then a gap. An answer of nothing else is refused. newestMs is the
// open time of the newest row of the coin, the forming bar included: hours before it that have
// no row had no trade.
func parseCandles(b []byte, coin string, fromMs, nowMs int64) (bars []marketcache.Bar, dropped int, newestMs int64, ok bool) {
	var rows elements[candle]
	if rows.UnmarshalJSON(b) != nil {
		return nil, 0, 0, false
	}
	for i := range rows {
		c := &rows[i].value
		bar := marketcache.Bar{OpenMs: c.OpenMs, Open: float64(c.Open), High: float64(c.High), Low: float64(c.Low), Close: float64(c.Close), Volume: float64(c.Volume)}
		if !rows[i].ok || c.Coin != coin || c.Interval != "1h" || c.CloseMs != c.OpenMs+hourMs-1 || c.OpenMs > nowMs+hourMs || !feed.PlausibleBar(bar) {
			dropped++
			continue
		}
		if bar.OpenMs <= nowMs {
			newestMs = max(newestMs, bar.OpenMs)
		}
		if c.CloseMs < nowMs && bar.OpenMs >= fromMs { // neither forming nor older than asked for
			bars = append(bars, bar)
		}
	}
	ok = len(rows) == 0 || dropped < len(rows)
	bars, twice := inOrder(bars, func(b marketcache.Bar) int64 { return b.OpenMs })
	return bars, dropped + twice, newestMs, ok
}

// inOrder sorts rows by time and drops those whose time is taken.
func inOrder[T any](rows []T, at func(T) int64) (sorted []T, dropped int) {
	slices.SortStableFunc(rows, func(a, b T) int { return cmp.Compare(at(a), at(b)) })
	sorted = slices.CompactFunc(rows, func(a, b T) bool { return at(a) == at(b) })
	return sorted, len(rows) - len(sorted)
}

// countRows returns the number of elements of a JSON array, for its weight.
func countRows(b []byte) int {
	rows, _ := split(b)
	return len(rows)
}

// parseFunding parses a fundingHistory answer: rows newer than afterMs and not later than nowMs,
// oldest first. Rows that cannot be are dropped and counted; an answer of nothing else is
// refused. count is the number of rows of the answer, which tells a full page.
func parseFunding(b []byte, coin string, afterMs, nowMs int64) (rows []marketcache.FundingRow, count, dropped int, ok bool) {
	var printed elements[struct {
		Coin   string   `json:"coin"`
		Rate   *decimal `json:"fundingRate"` // fraction per hour
		TimeMs int64    `json:"time"`
	}]
	if printed.UnmarshalJSON(b) != nil {
		return nil, 0, 0, false
	}
	for _, p := range printed {
		r := marketcache.FundingRow{VenueMs: p.value.TimeMs, RateHourly: p.value.Rate.orZero()}
		switch {
		case !p.ok || p.value.Coin != coin || p.value.Rate == nil || r.VenueMs <= 0 || r.VenueMs > nowMs || math.Abs(r.RateHourly) > maxFundingRate:
			dropped++
		case r.VenueMs > afterMs:
			rows = append(rows, r)
		}
	}
	ok = len(printed) == 0 || dropped < len(printed)
	rows, twice := inOrder(rows, func(r marketcache.FundingRow) int64 { return r.VenueMs })
	return rows, len(printed), dropped + twice, ok
}

// predictedRate is a venue's next funding: a rate for an interval. A null, or one without a
// sensible interval, is not known: an interval is never guessed.
type predictedRate struct {
	Rate  *decimal `json:"fundingRate"`
	Hours *decimal `json:"fundingIntervalHours"`
}

// parsePredicted parses predictedFundings and calls each with every coin's mean over
// Binance and Bybit of rate/interval; venues is 0 when neither lists it. A row that cannot be
// read has no coin. When the answer is no list it is false, and nothing has been called.
func parsePredicted(b []byte, each func(coin []byte, f marketcache.CEXFunding)) bool {
	var rows elements[pair[name, []pair[string, *predictedRate]]]
	if rows.UnmarshalJSON(b) != nil {
		return false
	}
	for _, row := range rows {
		if !row.ok {
			each(nil, marketcache.CEXFunding{})
			continue
		}
		var f marketcache.CEXFunding
		for _, v := range row.value.b {
			if p := v.b; p == nil || p.Rate == nil || v.a != "BinPerp" && v.a != "BybitPerp" {
				continue
			} else if rate, hours := float64(*p.Rate), p.Hours.orZero(); hours >= 1 && hours <= 24 && math.Abs(rate) <= maxFundingRate {
				f.RateHourly += rate / hours
				f.Venues++
			}
		}
		if f.Venues > 0 {
			f.RateHourly /= float64(f.Venues)
		}
		each([]byte(row.value.a), f)
	}
	return true
}

// parseNames parses an array of coin names, "" for one that is none.
func parseNames(b []byte) (names []string, ok bool) {
	var list elements[name]
	if list.UnmarshalJSON(b) != nil || len(list) > maxListings {
		return nil, false
	}
	for _, n := range list {
		names = append(names, string(n.value))
	}
	return names, true
}

// parseStatus parses exchangeStatus: the venue's time and its notices, "null" for none.
func parseStatus(b []byte) (timeMs int64, notice string, ok bool) {
	var v struct {
		Time    int64          `json:"time"`
		Notices jsontext.Value `json:"specialStatuses"`
	}
	ok = decode(b, &v) && v.Time > 0
	return v.Time, printable(v.Notices), ok
}
