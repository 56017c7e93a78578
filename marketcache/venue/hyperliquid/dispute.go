package hyperliquid

import (
	"time"

	"ballast/marketcache"
)

// The stream of marks sends changes only: after a lost message a mark is wrong until it changes again. Whole
// contexts have every mark too. When two of them in a row, at least marksLately apart, contradict the streamed
// mark of an asset, the mark is in dispute. The stream is then subscribed again. Until the two agree, the mark of
// the whole contexts is used, and its age is that of a silent stream.

// streamed is what is compared with the whole contexts' mark of an asset. Guarded by Feed.contexts.
type streamed struct {
	said      float64 // mark of the newest whole context; 0: none
	at        marketcache.Instant
	unjudged  bool                // the next message of the stream decides: then there are streamed marks around said
	low, high [2]float64          // of the streamed marks in the present window and the one before
	since     marketcache.Instant // of the first contradiction in a row; 0: none
	disputed  bool
}

// marksWindow is how far apart two values of a like age may have been sent: a mark is contradicted only if it is away
// from all that the stream said for this long.
const marksWindow = 10 * time.Second

// say records the marks of whole contexts, which are in the order of the universe or named.
func (m *marks) say(rows []contextRow, order []marketcache.AssetID, at marketcache.Instant) {
	for i := range min(len(rows), len(order)) {
		if id := order[i]; rows[i].ctx.MarkPrice > 0 && id != marketcache.NoAsset && int(id) < len(m.streamed) {
			s := &m.streamed[id]
			if at > s.at {
				s.said, s.at, s.unjudged = rows[i].ctx.MarkPrice, at, true
			}
		}
	}
}

// judge compares the streamed marks, of a message at an Instant, with those of whole contexts. again reports
// whether the stream must be subscribed again.
func (m *marks) judge(at marketcache.Instant) (again bool) {
	turn := at.Sub(m.turned) >= marksWindow
	if turn {
		m.turned = at
	}
	for id := range m.of {
		mark, s := m.of[id].mark, &m.streamed[id]
		if !m.of[id].told {
			continue
		}
		if s.disputed {
			s.disputed = !sameMarks(mark, mark, s.said)
		} else if s.unjudged && at >= s.at {
			again = s.judge(mark, at) || again
		}
		if turn || s.low[0] == 0 {
			s.low[1], s.high[1] = s.low[0], s.high[0]
			s.low[0], s.high[0] = mark, mark
		}
		s.low[0], s.high[0] = min(s.low[0], mark), max(s.high[0], mark)
	}
	return again
}

// judge compares the newest whole context with the marks around it and reports whether a dispute begins.
func (s *streamed) judge(mark float64, at marketcache.Instant) bool {
	s.unjudged = false
	low, high := mark, mark
	for i := range s.low {
		if s.low[i] > 0 {
			low, high = min(low, s.low[i]), max(high, s.high[i])
		}
	}
	switch {
	case sameMarks(low, high, s.said):
		s.since = 0
	case s.since == 0:
		s.since = at
	case at.Sub(s.since) >= marksLately:
		s.disputed, s.since, s.low, s.high = true, 0, [2]float64{}, [2]float64{}
	}
	return s.disputed
}

// sameMarks reports whether a mark is within sameMark of a range.
func sameMarks(low, high, mark float64) bool {
	return mark >= low*(1-sameMark) && mark <= high*(1+sameMark)
}

// disputed reports whether the streamed mark of an asset is in dispute.
func (m *marks) disputed(id marketcache.AssetID) bool {
	return int(id) < len(m.streamed) && m.streamed[id].disputed
}

// inDoubt reports whether the streamed mark of an asset is in dispute, or contradicted for marksLately, or it or the
// newest context is unconfirmed.
func (f *Feed) inDoubt(id marketcache.AssetID, now marketcache.Instant) bool {
	f.contexts.Lock()
	defer f.contexts.Unlock()
	told, _, ok := f.marks.told(id, now, marksLately)
	if ok && !f.believes(id, told.mark, now) || f.unconfirmed(id, now) {
		return true
	}
	if int(id) >= len(f.marks.streamed) {
		return false
	}
	s := &f.marks.streamed[id]
	return s.disputed || s.since != 0 && now.Sub(s.since) >= marksLately
}
