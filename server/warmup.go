package server

import (
	"slices"
	"sync"
	"time"
)

const (
	// paceSpan is the time over which the speed of the warm-up is measured: between one and two spans.
	paceSpan = time.Minute
	// minPaceSpan is the shortest measurement used for an estimate.
	minPaceSpan = 5 * time.Second
)

// pace measures how many assets are calibrated per second. The zero value is ready for use.
type pace struct {
	mu          sync.Mutex
	older, last paceMark
}

type paceMark struct {
	at         time.Time
	calibrated int
}

// until estimates the time for n more assets at the recent speed, negative if unknown.
func (p *pace) until(n, calibrated int, now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last.at.IsZero() {
		p.last = paceMark{now, calibrated}
		p.older = p.last
	} else if now.Sub(p.last.at) >= paceSpan {
		p.older, p.last = p.last, paceMark{now, calibrated}
	}
	elapsed, gained := now.Sub(p.older.at), calibrated-p.older.calibrated
	switch {
	case n == 0:
		return 0
	case elapsed < minPaceSpan || gained <= 0:
		return -1
	}
	return elapsed * time.Duration(n) / time.Duration(gained)
}

// latest returns the later of two estimates, -1 if one is unknown.
func latest(a, b time.Duration) time.Duration {
	if a < 0 || b < 0 {
		return -1
	}
	return max(a, b)
}

// estimate sets the estimates of r, which needs the given number of further assets to be ready. CompleteIn is
// set for the histories and pairs; the fits of the assets are added.
func (p *pace) estimate(r *Readiness, lacks int, now time.Time) {
	r.ReadyIn = -1
	fits := p.until(r.Listed-r.Calibrated, r.Calibrated, now)
	if r.CompleteIn = latest(r.CompleteIn, fits); r.Listed == 0 {
		r.CompleteIn = -1
	}
	switch {
	case r.Ready:
		r.ReadyIn = 0
	case lacks > 0: // otherwise readiness waits for something else
		r.ReadyIn = p.until(lacks, r.Calibrated, now)
	}
}

// lacking returns how many more assets must be fitted to reach usd. interests are the open interests of
// the unfitted assets; the largest are fitted first.
func lacking(interests []float64, usd float64) (n int) {
	slices.Sort(interests)
	for ; usd > 0 && n < len(interests); n++ {
		usd -= interests[len(interests)-1-n]
	}
	return n
}
