package hyperliquid

import (
	"cmp"
	"math"
	"slices"

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
	maxFundingRate = 1.0  // fraction an hour; the venue caps at 0.04
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

// parse parses the data of an l2Book message into m. It returns false for what is not a book:
// malformed JSON, a missing key, a value that is not a number.
func (m *bookMessage) parse(data []byte) bool {
	s := scanner{b: data}
	m.coin, m.timeMs, m.fast, m.aggregated = nil, 0, false, false
	sides := -1
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "coin":
			m.coin = s.text()
		case "time":
			m.timeMs = s.integer()
		case "levels":
			sides = 0
			for more := s.open('['); more; more = s.next(']') {
				if sides == 2 {
					s.fail()
					break
				}
				m.sides[sides].parse(&s)
				sides++
			}
		case "fast":
			m.fast = !s.null() && s.boolean()
		case "spread":
			m.aggregated = string(s.value()) != "null"
		default:
			s.skip()
		}
	}
	return s.end() && len(m.coin) > 0 && m.timeMs > 0 && sides == 2
}

func (b *bookSide) parse(s *scanner) {
	b.n = 0
	n := 0
	for more := s.open('['); more; more = s.next(']') {
		if n == maxWireLevels {
			s.fail()
			return
		}
		l, ok := s.levelAsPrinted()
		if !ok {
			l, ok = s.level()
		}
		if !ok {
			s.fail()
			return
		}
		if n < bookLevels {
			b.levels[n] = l
			b.n = n + 1
		} else if !sane(l) {
			s.fail()
			return
		}
		n++
	}
}

// level parses one price level.
func (s *scanner) level() (l marketcache.Level, ok bool) {
	have := 0
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "px":
			l.Price = s.decimal()
			have |= 1
		case "sz":
			l.Units = s.decimal()
			have |= 2
		default:
			s.skip()
		}
	}
	return l, have == 3 && !s.bad
}

// levelAsPrinted parses one price level in the venue's usual layout,
// {"px":"64641.0","sz":"4.71005","n":18}, in a third of level's time. For other layouts ok is false
// and nothing has been consumed.
func (s *scanner) levelAsPrinted() (l marketcache.Level, ok bool) {
	const px, sz, n = `{"px":"`, `","sz":"`, `","n":`
	if s.bad {
		return l, false
	}
	b := s.b[s.i:]
	if len(b) < len(px) || string(b[:len(px)]) != px {
		return l, false
	}
	i := len(px)
	price, used := leadingDecimal(b[i:])
	i += used
	if used == 0 || len(b) < i+len(sz) || string(b[i:i+len(sz)]) != sz {
		return l, false
	}
	i += len(sz)
	units, used := leadingDecimal(b[i:])
	i += used
	if used == 0 || len(b) < i+len(n) || string(b[i:i+len(n)]) != n {
		return l, false
	}
	i += len(n)
	orders := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == orders || (b[orders] == '0' && i > orders+1) || i == len(b) || b[i] != '}' {
		return l, false
	}
	s.i += i + 1
	return marketcache.Level{Price: price, Units: units}, true
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

// parseContext parses one asset context. ok is false for valid JSON that is unusable: a value of another
// type, no positive mark or oracle price, or a number out of bounds. Malformed JSON sets s.bad.
func parseContext(s *scanner, c *marketcache.Context) (ok bool) {
	*c = marketcache.Context{}
	start, oi := s.i, false
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
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
			c.DayVolumeUSD = s.decimalOrNull()
		case "prevDayPx":
			c.PrevDayPrice = s.decimalOrNull()
		default:
			s.skip()
		}
	}
	if s.bad { // an unreadable context fails alone, malformed JSON fails the list
		s.i, s.bad = start, false
		s.skip()
		return false
	}
	price := func(v float64) bool { return v > 0 && v <= maxPrice }
	optional := func(v float64) bool { return v >= 0 && v <= maxPrice }
	return oi && price(c.MarkPrice) && price(c.OraclePrice) &&
		optional(c.MidPrice) && optional(c.PrevDayPrice) &&
		c.OpenInterestUnits >= 0 && c.OpenInterestUnits*c.MarkPrice <= maxContextUSD &&
		c.DayVolumeUSD >= 0 && c.DayVolumeUSD <= maxContextUSD &&
		math.Abs(c.FundingRateHourly) <= maxFundingRate
}

// decimalOrNull parses a decimal, null as 0.
func (s *scanner) decimalOrNull() float64 {
	if s.null() {
		return 0
	}
	return s.decimal()
}

// frameAsPrinted returns the data of a message that begins in the venue's usual layout for a channel.
// The caller must check that data is one whole JSON value, and use parseFrame if it is not.
func frameAsPrinted(b []byte, channel string) (data []byte, ok bool) {
	const head, middle = `{"channel":"`, `","data":`
	n := len(head) + len(channel) + len(middle)
	if len(b) <= n || string(b[:len(head)]) != head || string(b[len(head):len(head)+len(channel)]) != channel ||
		string(b[n-len(middle):n]) != middle || b[len(b)-1] != '}' {
		return nil, false
	}
	return b[n : len(b)-1], true
}

// parseFrame splits {"channel":..., "data":...}. Both results point into b; data is nil when missing.
func parseFrame(b []byte) (channel, data []byte, ok bool) {
	s := scanner{b: b}
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "channel":
			channel = s.text()
		case "data":
			data = s.value()
		default:
			s.skip()
		}
	}
	return channel, data, s.end() && len(channel) > 0
}

// contextRow is one context of a list, usable or not.
type contextRow struct {
	ctx marketcache.Context
	ok  bool
}

// maxContexts is the maximum length of a list of contexts.
const maxContexts = 4096

// parseContexts appends the contexts of an array to dst, one row for each position.
func parseContexts(s *scanner, dst []contextRow) []contextRow {
	for more := s.open('['); more; more = s.next(']') {
		if len(dst) == maxContexts {
			s.fail()
			break
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
func parseAllDexs(data []byte, rows []contextRow, lists []dexRows, follows func(dex []byte) (string, bool)) ([]contextRow, []dexRows, bool) {
	s := scanner{b: data}
	rows, lists = rows[:0], lists[:0]
	for more := s.open('{'); more; more = s.next('}') {
		if string(s.key()) != "ctxs" {
			s.skip()
			continue
		}
		for more := s.open('['); more; more = s.next(']') {
			s.bad = !s.open('[') || s.bad
			dex, followed := follows(s.text())
			s.bad = !s.next(']') || s.bad
			if followed && !s.bad {
				from := len(rows)
				rows = parseContexts(&s, rows)
				lists = append(lists, dexRows{dex, from, len(rows)})
			} else {
				s.skip()
			}
			for s.next(']') { // tuples may get further elements
				s.skip()
			}
		}
	}
	return rows, lists, s.end()
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
