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

// marks holds the mark and mid of every asset from the stream of changes. The stream's first
// message is complete; later ones hold changes only. Guarded by Feed.contexts.
type marks struct {
	of       []markAndMid // by AssetID
	at       marketcache.Instant
	streamed []streamed          // by AssetID
	turned   marketcache.Instant // when the present windows of streamed began
}

type markAndMid struct {
	mark, mid float64 // USD; mid 0: none
	told      bool
}

// applyMarks applies an unpacked message of the stream, valid at an Instant. It returns false and
// changes nothing for text that is not an object of objects. again reports whether the stream must be subscribed
// again because whole contexts contradict it.
func (f *Feed) applyMarks(text []byte, whole bool, at marketcache.Instant) (ok, again bool) {
	if !wellFormed(text) || text[0] != '{' {
		return false, false
	}
	f.contexts.Lock()
	defer f.contexts.Unlock()
	u, m := f.cache.Universe(), &f.marks
	if whole {
		clear(m.of)
	}
	for len(m.of) < len(u.Assets) {
		m.of, m.streamed = append(m.of, markAndMid{}), append(m.streamed, streamed{})
	}
	m.at = at
	s := scan(text)
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		id, change := u.Lookup(name), s.raw()
		if id == marketcache.NoAsset || u.Assets[id].Delisted {
			continue
		}
		if !parseMark(change, &m.of[id]) {
			m.of[id] = markAndMid{} // the change is unreadable and the value unknown: let the asset age
			f.stats.rejectedContexts.Add(1)
		}
	}
	again = m.judge(at)
	for i := range m.of {
		switch id := marketcache.AssetID(i); {
		case !m.of[i].told || m.streamed[i].disputed:
		case f.believes(id, m.of[i].mark, at):
			f.publishMark(id, &m.of[i], at)
		default:
			f.contradicted(id, "markPx")
		}
	}
	return true, again
}

// parseMark applies the changes of one asset to m.
func parseMark(b []byte, m *markAndMid) bool {
	s := scan(b)
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		switch string(name) {
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

// publishMark publishes a mark and mid with the rest of the held context, or confirms them. Without
// a context nothing is published; the asset's first context will include them. The caller holds
// f.contexts.
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

// told returns the newest mark and mid of an asset and their time; ok is false when the stream has
// not sent them within lately.
func (m *marks) told(
	id marketcache.AssetID, now marketcache.Instant, lately time.Duration,
) (told markAndMid, at marketcache.Instant, ok bool) {
	if int(id) >= len(m.of) || !m.of[id].told || now.Sub(m.at) > lately {
		return told, 0, false
	}
	return m.of[id], m.at, true
}

// inflater unpacks messages in base64 of raw DEFLATE. Not safe for concurrent use.
type inflater struct {
	packed []byte
	source bytes.Reader // reads packed
	plain  bytes.Buffer
	reader io.ReadCloser
	bound  io.LimitedReader // bounds reader
}

// maxMarks is the maximum size of an unpacked message, bytes: 1,600 names take 60 KB.
const maxMarks = 1 << 20

var errNotPacked = errors.New("not a packed message")

// text returns the unpacked content of the JSON string data, valid until the next call.
func (p *inflater) text(data []byte) ([]byte, error) {
	s := scan(data)
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
