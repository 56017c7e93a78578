package load

import (
	"cmp"
	"maps"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Range and precision of latencies: from 0.1 us to ten minutes, with three significant digits.
const (
	lowestNs  = 100
	highestNs = 600e9
	digits    = 3
)

func newHistogram() *hdrhistogram.Histogram { return hdrhistogram.New(lowestNs, highestNs, digits) }

// record adds a latency to the histogram; a value outside the range counts as the nearest limit.
func record(h *hdrhistogram.Histogram, ns int64) {
	h.RecordValue(min(max(ns, 0), int64(highestNs))) // cannot fail within the range
}

// Reasons for an arrival without an answer.
const (
	lostConnect   = "connect"     // an attempt to connect failed; no arrival is lost by this alone
	lostReset     = "reset"       // the connection was reset
	lostClosed    = "closed"      // the connection ended before the answer did
	lostTimeout   = "timeout"     // no answer in time
	lostMalformed = "malformed"   // the received bytes are no valid answer
	lostUnsent    = "not_started" // no connection was free until the end of the run
	lostOther     = "other"       // any other error of a socket
)

// tally counts the results of the measured arrivals. Guarded by loop.mu.
type tally struct {
	// of 2xx answers; requests that timed out or were never sent count with their waiting time
	latency  [kindCount]*hdrhistogram.Histogram
	refused  map[int]*hdrhistogram.Histogram // latency of other answers, by status
	service  *hdrhistogram.Histogram         // latency of 2xx answers, counted from the sending of the request
	delay    *hdrhistogram.Histogram         // time from when a request was due until it was sent
	statuses [600]int64
	answered [kindCount]int64 // answered with 2xx
	failed   [kindCount]int64 // answered with another status, or not answered
	lost     map[string]int64 // arrivals without an answer, by reason

	bytesIn, bytesOut int64
	backlog           int64 // largest number of arrivals that waited for a connection at the same time
	reconnects        int64

	last int64 // ns: time of the last measured answer

	// inWindow counts answers of any status received while the server's CPU time is measured,
	// including answers to arrivals that were due earlier.
	inWindow int64
}

func newTally() *tally {
	t := &tally{refused: map[int]*hdrhistogram.Histogram{}, lost: map[string]int64{}, delay: newHistogram(),
		service: newHistogram()}
	for k := range t.latency {
		t.latency[k] = newHistogram()
	}
	return t
}

// answer counts an answer received ns after the arrival was due.
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

// lose counts an arrival without an answer after ns. A request that timed out or was never sent is
// added to the distribution: its latency would have been even longer, and leaving it out would
// lower the percentiles.
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
