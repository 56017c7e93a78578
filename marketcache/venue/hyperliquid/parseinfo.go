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
	readable      bool   // false: only the name is used, to keep the positions of the contexts right
	name          string // "" if it is unreadable too
	sizeDigits    int
	maxLeverage   float64
	marginTableID int64 // 0: none
	onlyIsolated  bool
	delisted      bool
	feeScale      float64 // set by the deployer, 0 to 10
	growth        bool    // growth mode: nine tenths of the fee are waived
}

// feeMultiplier returns the factor on the venue's base fee.
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
	dex       string    // "" is the main dex; not in the answer itself
	assets    []listing // in the venue's order, which is also the order of the contexts
	tables    map[int64][]marketcache.Tier
	badTables int // unreadable margin tables
	// collateralToken is the index of the token of the dex's amounts; 0 is USDC. On the main dex it
	// is 0 whatever the answer says.
	collateralToken int
}

const (
	maxListings    = 4096
	maxNameBytes   = 32
	maxSizeDigits  = 12
	maxMaxLeverage = 1000
	maxFeeScale    = 10
	growthShare    = 0.1 // share of the fee that is charged in growth mode
	maxTiers       = 16
	maxDexs        = 256
	// tableIDFloor is the first id of a listed margin table. A lower id means a single tier with the
	// id as maximum leverage (docs/venue.md).
	tableIDFloor = 50
)

// parseMetaAndContexts parses [meta, contexts]; rows receives the contexts. Contexts carry no names,
// so it fails unless both lists have the same length.
func parseMetaAndContexts(b []byte, rows []contextRow) (m metaTable, _ []contextRow, ok bool) {
	parts, ok := split(b)
	if !ok || len(parts) < 2 {
		return m, rows, false
	}
	m, ok = parseMeta(parts[0])
	s := scan(parts[1])
	rows = parseContexts(&s, rows[:0])
	return m, rows, ok && s.end() && len(rows) == len(m.assets)
}

// parseMeta parses a meta object. An impossible listing (repeated or unprintable name, leverage below
// 1) or margin table (tiers out of order) is set aside. It fails when none of its listings is left, when there
// are more than maxListings, or when the list of margin tables is unreadable, or missing but needed.
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
			if _, twice := m.tables[id]; twice || !t.ok { // a repeated id is ambiguous
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
	ok = v.Universe != nil && len(v.Universe) == 0 // a builder-deployed dex without a market yet
	m.assets = make([]listing, len(v.Universe))
	for i := range m.assets {
		a := v.Universe[i].value
		if times[a.name] > 1 { // a repeated name is ambiguous
			continue
		}
		m.assets[i] = a
		ok = ok || a.readable
		needTables = needTables || a.readable && a.marginTableID >= tableIDFloor
	}
	return m, ok && (v.MarginTables != nil || !needTables)
}

// UnmarshalJSON decodes a listing, or at least its name.
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
	if !decodeValue(b, &v) || l.name == "" || v.SizeDigits == nil || *v.SizeDigits < 0 ||
		*v.SizeDigits > maxSizeDigits || v.MaxLeverage < 1 || v.MaxLeverage > maxMaxLeverage {
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
	unprintable := func(r rune) bool { return r <= 0x20 || r > 0x7e }
	return len(name) > 0 && len(name) <= maxNameBytes && !strings.ContainsFunc(name, unprintable)
}

// marginTable is a margin table on the wire.
type marginTable struct {
	Tiers elements[struct {
		LowerBound  decimal `json:"lowerBound"` // USD
		MaxLeverage decimal `json:"maxLeverage"`
	}] `json:"marginTiers"`
}

// tiers returns the tiers of a table, nil if they are impossible.
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

// tiers returns an asset's margin tiers, nil if the answer lacks the table it refers to.
func (m *metaTable) tiers(l *listing) []marketcache.Tier {
	leverage := l.maxLeverage
	if id := l.marginTableID; id >= tableIDFloor {
		return m.tables[id]
	} else if id >= 1 {
		leverage = float64(id)
	}
	return marketcache.NewTiers([]float64{0}, []float64{leverage})
}

// parseDexs parses perpDexs: the names of the builder-deployed dexes ("" for an unreadable one) and
// their published open-interest caps, USD by asset.
func parseDexs(b []byte) (names []string, caps map[string]float64, ok bool) {
	var dexs elements[struct {
		Name name                  `json:"name"`
		Caps []pair[name, decimal] `json:"assetToStreamingOiCap"`
	}]
	if dexs.UnmarshalJSON(b) != nil || len(dexs) == 0 || len(dexs) > maxDexs+1 {
		return nil, nil, false
	}
	caps = map[string]float64{}
	for _, d := range dexs[1:] { // the first is null and stands for the main dex
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

// parseTokens parses allPerpMetas: the collateral token of each dex, in the order of perpDexs.
func parseTokens(b []byte, names []string) map[string]int {
	var metas elements[struct {
		Token *int `json:"collateralToken"`
	}]
	if metas.UnmarshalJSON(b) != nil || len(metas) != len(names)+1 { // the first is the main dex's
		return nil
	}
	tokens := map[string]int{}
	for i, m := range metas[1:] {
		if m.ok && m.value.Token != nil {
			tokens[names[i]] = *m.value.Token
		}
	}
	return tokens
}

const hourMs = 3600 * 1000

// candle is one bar on the wire.
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

// parseCandles parses a candleSnapshot of hourly bars that was requested at nowMs, from fromMs on; AskedMs is left to
// the caller. Impossible bars (unreadable, another coin, not one hour on the hour, prices out of order, in the future,
// two different ones of an hour) are dropped and counted, which leaves a gap. It fails if all rows are dropped. Earlier
// hours without a row had no trade.
func parseCandles(b []byte, coin string, fromMs, nowMs int64) (got feed.BarsAnswer, dropped int, ok bool) {
	var rows elements[candle]
	if rows.UnmarshalJSON(b) != nil {
		return got, 0, false
	}
	odd := func(openMs int64) {
		if dropped++; openMs <= 0 || openMs > nowMs {
			openMs = nowMs
		}
		got.OddMs = max(got.OddMs, openMs-openMs%hourMs)
	}
	for i := range rows {
		c := &rows[i].value
		bar := marketcache.Bar{
			OpenMs: c.OpenMs, Open: float64(c.Open), High: float64(c.High), Low: float64(c.Low),
			Close: float64(c.Close), Volume: float64(c.Volume),
		}
		if !rows[i].ok || c.Coin != coin || c.Interval != "1h" || c.CloseMs != c.OpenMs+hourMs-1 ||
			!feed.PlausibleBar(bar) {
			odd(c.OpenMs)
			continue
		}
		if c.OpenMs > nowMs+hourMs {
			dropped++
			continue
		}
		if bar.OpenMs <= nowMs && bar.OpenMs > got.NewestMs {
			got.NewestMs, got.NewestClose = bar.OpenMs, bar.Close
		}
		if c.CloseMs < nowMs && bar.OpenMs >= fromMs { // closed, and in the requested range
			got.Bars = append(got.Bars, bar)
		}
	}
	ok = len(rows) == 0 || dropped < len(rows)
	slices.SortStableFunc(got.Bars, func(a, b marketcache.Bar) int { return cmp.Compare(a.OpenMs, b.OpenMs) })
	got.Bars = slices.Compact(got.Bars)
	for i := 1; i < len(got.Bars); i++ {
		if at := got.Bars[i].OpenMs; at == got.Bars[i-1].OpenMs { // which is right is not known
			got.Bars = slices.DeleteFunc(got.Bars, func(b marketcache.Bar) bool { return b.OpenMs == at })
			odd(at)
			i--
		}
	}
	return got, dropped, ok
}

// parseFunding parses a fundingHistory answer. It returns, oldest first, the rows after afterMs and
// not after nowMs. Impossible rows are dropped and counted; it fails if all rows are. count is the
// number of rows in the answer: fundingPage means that more may follow.
func parseFunding(
	b []byte, coin string, afterMs, nowMs int64,
) (rows []marketcache.FundingRow, count, dropped int, ok bool) {
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
		case !p.ok || p.value.Coin != coin || p.value.Rate == nil || r.VenueMs <= 0 || r.VenueMs > nowMs,
			math.Abs(r.RateHourly) > maxFundingRate:
			dropped++
		case r.VenueMs > afterMs:
			rows = append(rows, r)
		}
	}
	ok = len(printed) == 0 || dropped < len(printed)
	slices.SortStableFunc(rows, func(a, b marketcache.FundingRow) int { return cmp.Compare(a.VenueMs, b.VenueMs) })
	once := slices.CompactFunc(rows, func(a, b marketcache.FundingRow) bool { return a.VenueMs == b.VenueMs })
	return once, len(printed), dropped + len(rows) - len(once), ok
}

// predictedRate is another exchange's next funding: a rate per interval. null, or an impossible
// interval, means unknown; the interval is never guessed.
type predictedRate struct {
	Rate  *decimal `json:"fundingRate"`
	Hours *decimal `json:"fundingIntervalHours"`
}

// parsePredicted parses predictedFundings and calls each() once per coin, with the mean of rate/interval
// over Binance and Bybit; f.Venues is 0 when neither lists the coin. own is the venue's own rate, fraction an hour,
// NaN if there is none. For an unreadable row, coin is nil. If the answer is not a list, it returns false and calls
// nothing.
func parsePredicted(b []byte, each func(coin []byte, f marketcache.CEXFunding, own float64)) bool {
	var rows elements[pair[name, []pair[string, *predictedRate]]]
	if rows.UnmarshalJSON(b) != nil {
		return false
	}
	for _, row := range rows {
		if !row.ok {
			each(nil, marketcache.CEXFunding{}, math.NaN())
			continue
		}
		var f marketcache.CEXFunding
		own := math.NaN()
		for _, v := range row.value.b {
			p := v.b
			if p == nil || p.Rate == nil {
				continue
			}
			rate, hours := float64(*p.Rate), p.Hours.orZero()
			if hours < 1 || hours > 24 || math.Abs(rate) > maxFundingRate*hours {
				continue
			}
			switch v.a {
			case "HlPerp":
				own = rate / hours
			case "BinPerp", "BybitPerp":
				f.RateHourly += rate / hours
				f.Venues++
			}
		}
		if f.Venues > 0 {
			f.RateHourly /= float64(f.Venues)
		}
		each([]byte(row.value.a), f, own)
	}
	return true
}

// parseNames parses an array of coin names, "" for an element that is not a string.
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

// parseStatus parses exchangeStatus: the venue's time and its notice, "null" for none.
func parseStatus(b []byte) (timeMs int64, notice string, ok bool) {
	var v struct {
		Time    int64          `json:"time"`
		Notices jsontext.Value `json:"specialStatuses"`
	}
	ok = decode(b, &v) && v.Time > 0
	return v.Time, printable(v.Notices), ok
}
