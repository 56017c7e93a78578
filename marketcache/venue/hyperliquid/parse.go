package hyperliquid

import (
	"cmp"
	"math"
	"slices"

	"ballast/internal/jsonscan"
	"ballast/marketcache"
)

// Bounds for books and contexts. They are far outside real markets and keep garbage out of all sums.
const (
	bookLevels     = 20   // levels kept per side; the venue sends no more
	maxWireLevels  = 100  // levels parsed per side
	maxPrice       = 1e9  // USD
	maxUnits       = 1e13 // base units resting at one level
	maxLevelUSD    = 1e13 // USD resting at one level
	maxContextUSD  = 1e15 // USD of open interest or daily volume
	maxFundingRate = 0.04 // fraction an hour, the venue's own bound
)

// bookMessage is the scratch for parsing an l2Book message. coin points into the message and is
// valid as long as the message is.
type bookMessage struct {
	coin       []byte
	timeMs     int64
	sides      [2]bookSide // bids, asks
	fast       bool        // the best levels only
	aggregated bool        // prices are rounded; the message does not say to how many figures
}

// bookSide is one side of a book at one precision, best first.
type bookSide struct {
	n      int
	levels [bookLevels]marketcache.Level
}

func (b *bookSide) equal(o *bookSide) bool { return slices.Equal(b.levels[:b.n], o.levels[:o.n]) }

// parse parses the data of an l2Book message into m. It returns false for what is not a book: malformed JSON, a
// missing key, a value that is not a number.
func (m *bookMessage) parse(data []byte) bool {
	s := scan(data)
	return m.read(&s) && s.end()
}

// read is parse for a part of a longer text.
func (m *bookMessage) read(s *scanner) bool {
	m.coin, m.timeMs, m.fast, m.aggregated = nil, 0, false, false
	sides := -1
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		switch string(name) {
		case "coin":
			m.coin = s.text()
		case "time":
			m.timeMs = s.integer()
		case "levels":
			sides = 0
			s.BeginArray()
			for ; s.Element(); sides++ {
				m.sides[min(sides, len(m.sides)-1)].read(s)
			}
		case "fast":
			m.fast = !s.null() && s.next(jsonscan.Bool) && s.value.Bool
		case "spread":
			s.skip()
			m.aggregated = s.value.Kind != jsonscan.Null
		default:
			s.skip()
		}
	}
	return s.OK() && !s.wrong && len(m.coin) > 0 && m.timeMs > 0 && sides == len(m.sides)
}

func (b *bookSide) read(s *scanner) {
	b.n = 0
	s.BeginArray()
	for n := 0; s.Element(); n++ {
		l := s.level()
		if n < bookLevels {
			b.levels[n] = l
			b.n = n + 1
		} else if n == maxWireLevels || !sane(l) {
			s.wrong = true
		}
	}
}

// level reads one price level.
func (s *scanner) level() (l marketcache.Level) {
	price, size := false, false
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		switch string(name) {
		case "px":
			l.Price, price = s.decimal(), true
		case "sz":
			l.Units, size = s.decimal(), true
		default:
			s.skip()
		}
	}
	s.wrong = s.wrong || !price || !size
	return l
}

// sane reports whether a level is within bounds.
func sane(l marketcache.Level) bool {
	return l.Price > 0 && l.Units > 0 && l.Price <= maxPrice && l.Units <= maxUnits && l.Price*l.Units <= maxLevelUSD
}

// plausible reports whether the book is possible: every level sane, each side strictly ordered, the
// best bid not above the best ask. Locked books (bid equals ask) and empty sides are accepted.
func (m *bookMessage) plausible() bool {
	for side := range m.sides {
		b := &m.sides[side]
		for i := range b.n {
			if !sane(b.levels[i]) {
				return false
			}
			if i > 0 && cmp.Compare(b.levels[i].Price, b.levels[i-1].Price) != 2*side-1 { // bids fall, asks rise
				return false
			}
		}
	}
	bids, asks := &m.sides[0], &m.sides[1]
	return bids.n == 0 || asks.n == 0 || bids.levels[0].Price <= asks.levels[0].Price
}

// parseContext parses one asset context. ok is false for one that is unusable: a value of another type, no
// positive mark or oracle price, no funding rate, open interest or volume, a number out of bounds, or
// figures that contradict each other.
func parseContext(s *scanner, c *marketcache.Context) (ok bool) {
	*c = marketcache.Context{}
	all := figures{premium: math.NaN()}
	if s.NextKind() != jsonscan.Object {
		s.skip()
		return false
	}
	oi, volume, before := false, false, s.wrong
	s.wrong = false
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		switch string(name) {
		case "markPx":
			c.MarkPrice = s.decimalOrNull()
		case "oraclePx":
			c.OraclePrice = s.decimalOrNull()
		case "midPx":
			c.MidPrice = s.decimalOrNull()
		case "funding":
			if c.HasFunding = !s.null(); c.HasFunding {
				c.FundingRateHourly = s.decimal()
			}
		case "openInterest":
			if oi = !s.null(); oi {
				c.OpenInterestUnits = s.decimal()
			}
		case "dayNtlVlm":
			if volume = !s.null(); volume {
				c.DayVolumeUSD = s.decimal()
			}
		case "dayBaseVlm":
			all.dayVolumeUnits = s.decimalOrNull()
		case "prevDayPx":
			c.PrevDayPrice = s.decimalOrNull()
		case "premium":
			if !s.null() {
				all.premium = s.decimal()
			}
		case "impactPxs":
			s.impact(&all)
		default:
			s.skip()
		}
	}
	usable := c.HasFunding && oi && volume && !s.wrong
	all.Context = *c
	s.wrong = before // an unusable context fails alone
	price := func(v float64) bool { return v > 0 && v <= maxPrice }
	optional := func(v float64) bool { return v >= 0 && v <= maxPrice }
	return usable && price(c.MarkPrice) && price(c.OraclePrice) && optional(c.MidPrice) && optional(c.PrevDayPrice) &&
		c.OpenInterestUnits >= 0 && c.OpenInterestUnits*c.MarkPrice <= maxContextUSD &&
		c.DayVolumeUSD >= 0 && c.DayVolumeUSD <= maxContextUSD && math.Abs(c.FundingRateHourly) <= maxFundingRate &&
		!all.differs()
}

// impact reads the impact prices, a pair or null.
func (s *scanner) impact(c *figures) {
	if s.null() {
		return
	}
	n := 0
	s.BeginArray()
	for ; s.Element(); n++ {
		c.impact[min(n, 1)] = s.decimal()
	}
	s.wrong = s.wrong || n != 2
}

// parseFrame splits {"channel":..., "data":...}. Both results point into b; data is nil when missing. The data of a
// book is parsed at once, into book if that is not nil; it fails if it is none.
func parseFrame(b []byte, book *bookMessage) (channel, data []byte, ok bool) {
	s, isBook := scan(b), false
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		switch {
		case string(name) == "channel":
			channel = s.text()
		case string(name) != "data":
			s.skip()
		case book != nil && string(channel) == "l2Book":
			isBook = book.read(&s)
		default:
			data = s.raw()
		}
	}
	ok = s.end() && len(channel) > 0
	if ok && book != nil && string(channel) == "l2Book" && !isBook { // missing, or before the channel
		ok = book.parse(data)
	}
	return channel, data, ok
}

// contextRow is one context of a list, usable or not.
type contextRow struct {
	ctx marketcache.Context
	ok  bool
}

// maxContexts is the maximum length of a list of contexts.
const maxContexts = 4096

// parseContexts appends the contexts of an array to dst, one row for each position; it takes no more than
// maxContexts.
func parseContexts(s *scanner, dst []contextRow) []contextRow {
	s.BeginArray()
	for s.Element() {
		if len(dst) == maxContexts {
			s.wrong = true
			s.skip()
			continue
		}
		var r contextRow
		r.ok = parseContext(s, &r.ctx)
		dst = append(dst, r)
	}
	return dst
}

// dexRows are the rows [from, to) of one dex in a list of the contexts of all dexes.
type dexRows struct {
	dex      string
	from, to int
}

// parseAllDexs parses the data of an allDexsAssetCtxs message. It returns the contexts of the dexes for
// which follows() is true, and the range of rows of each. It reuses the memory of rows and lists.
func parseAllDexs(
	data []byte, rows []contextRow, lists []dexRows, follows func(dex []byte) (string, bool),
) ([]contextRow, []dexRows, bool) {
	s := scan(data)
	rows, lists = rows[:0], lists[:0]
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		if string(name) != "ctxs" {
			s.skip()
			continue
		}
		s.BeginArray()
		for s.Element() {
			rows, lists = s.dexContexts(rows, lists, follows)
		}
	}
	return rows, lists, s.end()
}

// dexContexts reads the name of a dex and its contexts; such tuples may get further elements.
func (s *scanner) dexContexts(
	rows []contextRow, lists []dexRows, follows func(dex []byte) (string, bool),
) ([]contextRow, []dexRows) {
	dex, followed, n := "", false, 0
	s.BeginArray()
	for ; s.Element(); n++ {
		switch {
		case n == 0:
			dex, followed = follows(s.text())
		case n == 1 && followed:
			from := len(rows)
			rows = parseContexts(s, rows)
			lists = append(lists, dexRows{dex, from, len(rows)})
		default:
			s.skip()
		}
	}
	s.wrong = s.wrong || n < 2
	return rows, lists
}

// parseAcknowledgement parses the data of a subscriptionResponse: the subscription's type and, for a
// book, its coin and precision in m.
func parseAcknowledgement(data []byte) (kind string, m bookMessage, ok bool) {
	var v struct {
		Method       string `json:"method"`
		Subscription struct {
			Type    string `json:"type"`
			Coin    string `json:"coin"`
			Figures *int   `json:"nSigFigs"`
			Fast    bool   `json:"fast"`
		} `json:"subscription"`
	}
	ok = decode(data, &v) && v.Method == "subscribe"
	sub := &v.Subscription
	return sub.Type, bookMessage{coin: []byte(sub.Coin), fast: sub.Fast, aggregated: sub.Figures != nil}, ok
}
