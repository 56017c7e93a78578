package hyperliquid

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"time"

	"github.com/klauspost/compress/flate"

	"ballast/marketcache"
)

// marks keeps the mark and mid of every asset as the stream of changes tells them: the first
// message is whole, later ones say what has changed. What a message does not name is as it was.
// Guarded by Feed.contexts.
type marks struct {
	of []markAndMid // by AssetID
	at marketcache.Instant
}

type markAndMid struct {
	mark, mid float64 // USD; mid 0: the venue gives none
	told      bool
}

// takeMarks takes in a message of the stream, unpacked, that speaks of an instant. It is false,
// and changes nothing, for text that is not an object of objects.
func (f *Feed) takeMarks(text []byte, whole bool, at marketcache.Instant) bool {
	if !wellFormed(text) || text[0] != '{' {
		return false
	}
	f.contexts.Lock()
	defer f.contexts.Unlock()
	u, m := f.cache.Universe(), &f.marks
	if whole {
		clear(m.of)
	}
	for len(m.of) < len(u.Assets) {
		m.of = append(m.of, markAndMid{})
	}
	m.at = at
	s := scanner{b: text}
	for more := s.open('{'); more; more = s.next('}') {
		id := u.Lookup(s.key())
		s.peek()
		from := s.i
		s.skip()
		if id == marketcache.NoAsset || u.Assets[id].Delisted {
			continue
		}
		if !parseMark(s.b[from:s.i], &m.of[id]) {
			m.of[id] = markAndMid{} // nobody knows what it would have been: the asset ages
			f.stats.rejectedContexts.Add(1)
		}
	}
	for id := range m.of {
		if m.of[id].told && f.believes(marketcache.AssetID(id), m.of[id].mark, fromStream) {
			f.publishMark(marketcache.AssetID(id), &m.of[id], at)
		}
	}
	return true
}

// parseMark reads what has changed of one asset into m.
func parseMark(b []byte, m *markAndMid) bool {
	s := scanner{b: b}
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "markPx":
			m.mark = s.decimal()
			m.told = true
		case "midPx":
			m.mid = s.decimalOrNull()
		default:
			s.skip()
		}
	}
	return s.end() && m.told && m.mark > 0 && m.mark <= maxPrice && m.mid >= 0 && m.mid <= maxPrice
}

// publishMark publishes a mark and mid with the rest of the context as it is held, or confirms
// it. Without one, the asset's first context takes them in. The caller holds f.contexts.
func (f *Feed) publishMark(id marketcache.AssetID, m *markAndMid, at marketcache.Instant) {
	ring := f.cache.Contexts(id)
	held, _, ok := ring.Latest(at, marketcache.Forever)
	switch {
	case !ok:
	case held.MarkPrice == m.mark && held.MidPrice == m.mid:
		ring.Confirm(at)
	default:
		next := *held
		next.MarkPrice, next.MidPrice = m.mark, m.mid
		ring.Publish(next, at)
	}
}

// told returns the mark and mid of an asset as the stream last told them, and when; ok is
// false when it does not, or not lately.
func (m *marks) told(id marketcache.AssetID, now marketcache.Instant, lately time.Duration) (told markAndMid, at marketcache.Instant, ok bool) {
	if int(id) >= len(m.of) || !m.of[id].told || now.Sub(m.at) > lately {
		return told, 0, false
	}
	return m.of[id], m.at, true
}

// inflater unpacks messages that come as base64 of raw DEFLATE. It is used by one goroutine.
type inflater struct {
	packed []byte
	source bytes.Reader // of packed
	plain  bytes.Buffer
	reader io.ReadCloser
	bound  io.LimitedReader // of reader
}

// maxMarks bounds an unpacked message: 1,600 names take 60 KB.
const maxMarks = 1 << 20

var errNotPacked = errors.New("not a packed message")

// text returns what the JSON string data holds, valid until the next call.
func (p *inflater) text(data []byte) ([]byte, error) {
	s := scanner{b: data}
	encoded := s.text()
	if !s.end() {
		return nil, errNotPacked
	}
	var err error
	if p.packed, err = base64.StdEncoding.AppendDecode(p.packed[:0], encoded); err != nil {
		return nil, err
	}
	p.source.Reset(p.packed)
	if p.reader == nil {
		p.reader = flate.NewReader(&p.source)
	} else if err := p.reader.(flate.Resetter).Reset(&p.source, nil); err != nil {
		return nil, err
	}
	p.plain.Reset()
	p.bound = io.LimitedReader{R: p.reader, N: maxMarks + 1}
	n, err := p.plain.ReadFrom(&p.bound)
	if err != nil {
		return nil, err
	}
	if n > maxMarks {
		return nil, errNotPacked
	}
	return p.plain.Bytes(), nil
}
