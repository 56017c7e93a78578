package server

import (
	"slices"
	"sync"
	"time"
)

const (
	// paceSpan is how far back the pace of the warm-up is measured: one to two of it.
	paceSpan = time.Minute
	// minPaceSpan is the shortest measurement that an estimate is made of.
	minPaceSpan = 5 * time.Second
)

// pace measures how many assets are calibrated a second. The zero value is ready.
type pace struct {
	mu          sync.Mutex
	older, last paceMark
}

type paceMark struct {
	at         time.Time
	calibrated int
}

// until returns how long n more assets take at the pace of late, negative when there is none.
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

// estimate fills in the estimates of r, which lacks so many assets to be ready.
func (p *pace) estimate(r *Readiness, lacks int, now time.Time) {
	r.ReadyIn, r.CompleteIn = -1, -1
	if r.Listed > 0 {
		r.CompleteIn = p.until(r.Listed-r.Calibrated, r.Calibrated, now)
	}
	switch {
	case r.Ready:
		r.ReadyIn = 0
	case lacks > 0: // otherwise something else is waited for
		r.ReadyIn = p.until(lacks, r.Calibrated, now)
	}
}

// lacking is how many assets of these open interests make up for usd. The largest are fitted
// first.
func lacking(interests []float64, usd float64) (n int) {
	slices.Sort(interests)
	for ; usd > 0 && n < len(interests); n++ {
		usd -= interests[len(interests)-1-n]
	}
	return n
}
