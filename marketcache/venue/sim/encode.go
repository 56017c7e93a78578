package sim

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"slices"
	"strconv"
)

// The hot shapes are written by hand into byte slices: a load test has a thousand
// books a second. The rest goes through the wire structs.

// bookView is one printed book before encoding.
type bookView struct {
	sides [2][]level
	// badPx and badSz replace the first level's numbers (fault injection).
	badPx, badSz string
	spread       int64 // true spread, units; 0: not printed
	fast         bool
}

// view cuts an asset's book at a precision, bent by the active faults.
func (a *asset) view(p precision, n int, f *faults) bookView {
	var v bookView
	if a.state.halted || f.on("delist", a.name) || f.on("empty-book", a.name) {
		return v
	}
	for side := range v.sides {
		v.sides[side] = a.state.ladder.view(make([]level, 0, n), side, p, n)
	}
	if p.figures > 0 {
		bid, ask := a.best()
		v.spread = ask - bid
	}
	if f.text != "" {
		v.bend(a.name, f)
	}
	return v
}

// bend applies the book faults.
func (v *bookView) bend(coin string, f *faults) {
	bids, asks := v.sides[bidSide], v.sides[askSide]
	if f.on("one-sided", coin) {
		v.sides[askSide], v.spread = nil, 0
		return
	}
	if len(bids) == 0 || len(asks) == 0 {
		return
	}
	shift := int64(0)
	if f.on("crossed", coin) {
		shift = 2 * (asks[0].price - bids[0].price)
	}
	if f.on("locked", coin) {
		shift = asks[0].price - bids[0].price
	}
	for i := range asks {
		asks[i].price -= shift
	}
	for side, levels := range v.sides {
		if f.on("unsorted", coin) {
			slices.Reverse(levels)
		}
		if f.on("duplicate", coin) {
			twice := make([]level, 0, 2*len(levels))
			for _, l := range levels {
				twice = append(twice, l, l)
			}
			v.sides[side] = twice
		}
	}
	switch {
	case f.on("nan", coin):
		v.badPx, v.badSz = "NaN", "Infinity"
	case f.on("huge", coin):
		v.badPx, v.badSz = "1e308", "1e308"
	case f.on("negative", coin):
		v.badPx, v.badSz = "-1.0", "0.0"
	}
}

// appendBook appends a book object with the given time.
func (a *asset) appendBook(dst []byte, v *bookView, ms int64) []byte {
	dst = append(dst, `{"coin":"`...)
	dst = append(dst, a.name...)
	dst = append(dst, `","time":`...)
	dst = strconv.AppendInt(dst, ms, 10)
	dst = append(dst, `,"levels":[`...)
	for side, levels := range v.sides {
		if side > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '[')
		for i := range levels {
			if i > 0 {
				dst = append(dst, ',')
			}
			if i == 0 && v.badPx != "" {
				dst = append(dst, `{"px":"`+v.badPx+`","sz":"`+v.badSz+`","n":1}`...)
				continue
			}
			dst = a.appendLevel(dst, &levels[i])
		}
		dst = append(dst, ']')
	}
	dst = append(dst, ']')
	if v.spread > 0 {
		dst = append(dst, `,"spread":"`...)
		dst = appendUnits(dst, v.spread, a.digits)
		dst = append(dst, '"')
	}
	if v.fast {
		dst = append(dst, `,"fast":true`...)
	}
	return append(dst, '}')
}

func (a *asset) appendLevel(dst []byte, l *level) []byte {
	dst = append(dst, `{"px":"`...)
	dst = appendUnits(dst, l.price, a.digits)
	dst = append(dst, `","sz":"`...)
	dst = appendUnits(dst, l.size, a.szDecimals)
	dst = append(dst, `","n":`...)
	dst = strconv.AppendInt(dst, int64(l.orders), 10)
	return append(dst, '}')
}

// best returns the best bid and ask of the full-precision book, units.
func (a *asset) best() (bid, ask int64) {
	var one [1]level
	if v := a.state.ladder.view(one[:0], bidSide, precision{}, 1); len(v) > 0 {
		bid = v[0].price
	}
	if v := a.state.ladder.view(one[:0], askSide, precision{}, 1); len(v) > 0 {
		ask = v[0].price
	}
	return bid, ask
}

// appendMid appends the mid of best bid and ask in quotes, which may lie half a unit off
// the grid of prices, or null without a side.
func (a *asset) appendMid(dst []byte, f *faults) []byte {
	bid, ask := a.best()
	if a.bookless(f) || bid == 0 || ask == 0 {
		return append(dst, "null"...)
	}
	return append(appendUnits(append(dst, '"'), (bid+ask)*5, a.digits+1), '"')
}

// bookless reports whether a side of the book is missing.
func (a *asset) bookless(f *faults) bool {
	return a.state.halted || f.on("delist", a.name) || f.on("one-sided", a.name) || f.on("empty-book", a.name)
}

// appendMark appends the mark price in quotes.
func (a *asset) appendMark(dst []byte, f *faults) []byte {
	dst = append(dst, '"')
	switch scale, has := f.scale(a.name); {
	case f.on("nan", a.name) || f.on("bad-context", a.name):
		dst = append(dst, "NaN"...)
	case has:
		dst = append(dst, decimal(a.markUSD()*scale, a.digits)...)
	default:
		dst = appendUnits(dst, a.state.mark, a.digits)
	}
	return append(dst, '"')
}

// impactUSD is the notional that impact prices are averaged over.
func (a *asset) impactUSD() float64 {
	if a.name == "BTC" || a.name == "ETH" {
		return 20_000
	}
	return 6_000
}

// appendContext appends an asset's context.
func (m *market) appendContext(dst []byte, a *asset, f *faults) []byte {
	s := &a.state
	hour := floorDiv(m.nowMs, hourMs)
	usdVolume, size, open := s.day.total(hour, float64(m.nowMs-hour*hourMs)/hourMs)
	none := a.bookless(f)
	if open == 0 {
		open = s.mid
	}
	dst = append(dst, `{"funding":"`...)
	dst = append(dst, decimal(s.funding, 10)...)
	dst = append(dst, `","openInterest":"`...)
	dst = appendUnits(dst, s.interest, a.szDecimals)
	dst = append(dst, `","prevDayPx":"`...)
	dst = appendUnits(dst, a.toUnits(open), a.digits)
	dst = append(dst, `","dayNtlVlm":"`...)
	dst = append(dst, decimal(usdVolume, 10)...)
	dst = append(dst, `","premium":`...)

	bid, ask := a.averages(none)
	if none {
		dst = append(dst, "null"...)
	} else {
		oracle := a.usdOf(s.oracle)
		premium := (max(bid-oracle, 0) - max(oracle-ask, 0)) / oracle
		if a.dex != "" {
			premium = (bid+ask)/2/oracle - 1
		}
		dst = append(dst, '"')
		dst = append(dst, decimal(premium, 10)...)
		dst = append(dst, '"')
	}
	dst = append(dst, `,"oraclePx":"`...)
	dst = appendUnits(dst, s.oracle, a.digits)
	dst = a.appendMark(append(dst, `","markPx":`...), f)
	dst = a.appendMid(append(dst, `,"midPx":`...), f)
	if none {
		dst = append(dst, `,"impactPxs":null`...)
	} else {
		dst = append(dst, `,"impactPxs":["`...)
		dst = append(dst, decimal(bid, a.digits)...)
		dst = append(dst, `","`...)
		dst = append(dst, decimal(ask, a.digits)...)
		dst = append(dst, `"]`...)
	}
	dst = append(dst, `,"dayBaseVlm":"`...)
	dst = append(dst, decimal(size, a.szDecimals+1)...)
	return append(dst, `"}`...)
}

// averages returns the impact bid and ask rounded as printed, zeros without a book.
func (a *asset) averages(none bool) (bid, ask float64) {
	if none {
		return 0, 0
	}
	usd := a.impactUSD()
	return parse(decimal(a.average(bidSide, usd), a.digits)), parse(decimal(a.average(askSide, usd), a.digits))
}

// appendContexts appends the array of a dex's contexts; pushed says on a socket.
func (m *market) appendContexts(dst []byte, dex string, f *faults, pushed bool) []byte {
	assets := m.contextAssets(dex, f, pushed)
	times := 1
	if f.on("big-meta", "") {
		times = bigMeta
	}
	if f.on("bad-listing", "") && dex == "" && len(assets) > 0 {
		for range badListings {
			assets = append(assets, assets[0])
		}
	}
	dst = append(dst, '[')
	for i := range times * len(assets) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = m.appendContext(dst, assets[i%len(assets)], f)
	}
	return append(dst, ']')
}

// bigMeta is how many times over the fault big-meta prints the universe.
const bigMeta = 100

// otherMids are keys of allMids that are not perpetuals: spot pairs and outcomes.
var otherMids = [][2]string{{"PURR/USDC", "0.14988"}, {"@107", "34.102"}, {"@142", "66012.5"}, {"#14880", "0.111485"}}

// appendMids appends the map of a dex's mids.
func (m *market) appendMids(dst []byte, dex string, f *faults) []byte {
	assets := m.dexAssets(dex)
	dst = append(dst, '{')
	for i, a := range assets {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), a.name...), `":`...)
		n := len(dst)
		if dst = a.appendMid(dst, f); dst[n] == 'n' {
			dst = append(appendUnits(append(dst[:n], '"'), a.state.mark, a.digits), '"')
		}
	}
	if dex == "" {
		for _, kv := range otherMids {
			dst = append(dst, `,"`+kv[0]+`":"`+kv[1]+`"`...)
		}
	}
	return append(dst, '}')
}

// quotes are the mark and mid of a coin as a fast context prints them.
type quotes struct{ mark, mid string }

// fastContexts are the quotes of every coin of every dex and of what is no perpetual.
func (m *market) fastContexts(f *faults) map[string]quotes {
	all := make(map[string]quotes, len(m.assets)+len(otherMids))
	var b []byte
	for _, a := range m.assets {
		b = a.appendMark(b[:0], f)
		n := len(b)
		b = a.appendMid(b, f)
		all[a.name] = quotes{string(b[:n]), string(b[n:])}
	}
	for _, kv := range otherMids {
		all[kv[0]] = quotes{`"` + kv[1] + `"`, `"` + kv[1] + `"`}
	}
	return all
}

// appendFast appends what has changed from before to now in the wire's packing, nil when
// nothing has. Everything has changed from nil.
func appendFast(dst []byte, before, now map[string]quotes) []byte {
	text := []byte{'{'}
	for coin, q := range now {
		old, had := before[coin]
		if had && old == q {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(text, `"`+coin+`":{`...)
		if q.mark != old.mark {
			text = append(text, `"markPx":`+q.mark...)
		}
		if q.mid != old.mid {
			if q.mark != old.mark {
				text = append(text, ',')
			}
			text = append(text, `"midPx":`+q.mid...)
		}
		text = append(text, '}')
	}
	if len(text) == 1 {
		return nil
	}
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestSpeed) // the level is a valid one
	_, _ = w.Write(append(text, '}'))                 // a buffer takes everything
	_ = w.Close()
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), packed.Bytes()), '"')
}
