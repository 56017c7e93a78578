package load

import (
	"cmp"
	"maps"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Range and precision of latencies: 0.1 % from a tenth of a microsecond to ten minutes.
const (
	lowestNs  = 100
	highestNs = 600e9
	digits    = 3
)

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(lowestNs, highestNs, digits) }

// record adds a time; what lies outside the range counts as its end.
func record(h *hdrhistogram.Histogram, ns int64) {
	h.RecordValue(min(max(ns, 0), int64(highestNs))) // cannot fail within the range
}

// Why an arrival got no answer.
const (
	lostConnect   = "connect"     // a connection could not be made; no arrival was lost by it
	lostReset     = "reset"       // the connection was reset
	lostClosed    = "closed"      // the connection ended before the answer did
	lostTimeout   = "timeout"     // no answer in time
	lostMalformed = "malformed"   // what came is no answer
	lostUnsent    = "not_started" // no connection was free until the end of the run
	lostOther     = "other"       // any other error of a socket
)

// tally counts what happened to the arrivals that are measured. It belongs to the loop.
type tally struct {
	latency  [kindCount]*hdrhistogram.Histogram // of 2xx answers, and what was lost to time at what it had waited
	refused  map[int]*hdrhistogram.Histogram    // of other answers, by status
	service  *hdrhistogram.Histogram            // of 2xx answers, from when the request was sent
	delay    *hdrhistogram.Histogram            // from when a request was due to when it was sent
	statuses [600]int64
	answered [kindCount]int64 // with 2xx
	failed   [kindCount]int64 // with anything else, or not at all
	lost     map[string]int64 // by reason

	bytesIn, bytesOut int64
	backlog           int64 // most arrivals that waited for a connection at once
	reconnects        int64

	last int64 // ns: when the last answer that is measured came

	// inWindow counts answers of any status that came while the server's CPU time was
	// measured, whenever they were due.
	inWindow int64
}

func newTally() *tally {
	t := &tally{refused: map[int]*hdrhistogram.Histogram{}, lost: map[string]int64{}, delay: newHistogram(), service: newHistogram()}
	for k := range t.latency {
		t.latency[k] = newHistogram()
	}
	return t
}

// answer counts an answer that came ns after it was due.
func (t *tally) answer(k Kind, status int, ns int64) {
	t.statuses[status]++
	if status/100 == 2 {
		t.answered[k]++
		record(t.latency[k], ns)
		return
	}
	t.failed[k]++
	h := t.refused[status]
	if h == nil {
		h = newHistogram()
		t.refused[status] = h
	}
	record(h, ns)
}

// lose counts an arrival that got no answer within ns. What was lost to time would have
// taken longer still: leaving it out would flatter the percentiles.
func (t *tally) lose(k Kind, why string, ns int64) {
	t.lost[why]++
	t.failed[k]++
	if why == lostTimeout || why == lostUnsent {
		record(t.latency[k], ns)
	}
}

func (t *tally) all() *hdrhistogram.Histogram {
	h := newHistogram()
	for _, k := range t.latency {
		h.Merge(k)
	}
	return h
}

func (t *tally) sums() (answered, failed int64) {
	for k := range t.answered {
		answered += t.answered[k]
		failed += t.failed[k]
	}
	return answered, failed
}

// sorted returns the keys of a map in order.
func sorted[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
