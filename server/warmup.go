package server

import (
	"slices"
	"sync"
	"time"
)

// Progress is how far the warm-up has come.
type Progress struct {
	Ready              bool
	Listed, Calibrated int // assets
	// OpenInterest is the share of the venue's open interest whose assets are calibrated, 0 to 1.
	OpenInterest float64
	// ReadyIn and CompleteIn estimate when the service is ready and when every listed asset is
	// calibrated; 0: now, negative: not known.
	ReadyIn, CompleteIn time.Duration
}

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

// Progress tells how far the warm-up has come. Assets are taken up by open interest, so those
// that ready still lacks are the largest of the ones without a fit.
func (s *Server) Progress() Progress { return s.progress(s.readiness(), time.Now()) }

func (s *Server) progress(r readiness, now time.Time) Progress {
	p := Progress{Ready: r.ready, Listed: r.listed, Calibrated: r.calibrated, OpenInterest: r.share, ReadyIn: -1, CompleteIn: -1}
	if r.listed == 0 {
		return p
	}
	p.CompleteIn = s.pace.until(r.listed-r.calibrated, r.calibrated, now)
	switch lacks := r.lacks(); {
	case r.ready:
		p.ReadyIn = 0
	case lacks > 0: // otherwise something else is waited for
		p.ReadyIn = s.pace.until(lacks, r.calibrated, now)
	}
	return p
}

// lacks is how many more assets, largest first, must be fitted for readyCalibrated.
func (r *readiness) lacks() (n int) {
	slices.Sort(r.unfitted)
	for share := r.share; share < readyCalibrated && n < len(r.unfitted); n++ {
		share += r.unfitted[len(r.unfitted)-1-n] / r.interest
	}
	return n
}
