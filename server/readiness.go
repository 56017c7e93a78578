package server

import (
	"time"

	"ballast/marketcache"
)

const (
	// readyFresh is the share of the main dex's listed assets that need a live context (prices, funding)
	// and book for readiness: a builder-deployed dex that stops must not stop the service. readyCalibrated
	// is the share of the venue's open interest that must be in fitted assets.
	readyFresh      = 0.9
	readyCalibrated = 0.8
	// maxSkew is the clock skew against the venue from which the service reports degraded.
	maxSkew = 2 * time.Second
)

// Readiness is the progress of the warm-up.
type Readiness struct {
	Ready                     bool // requests are answered: GET /readyz
	Listed, Fresh, Calibrated int  // numbers of assets
	// OpenInterest is the share of the venue's open interest in calibrated assets, 0 to 1; History that in assets
	// whose whole history was read, of which there are WithHistory.
	OpenInterest, History float64
	WithHistory           int
	// Trouble says why there is no data of the venue, "" when there is.
	Trouble string
	// Unreadable are the assets whose candles the venue has failed to answer for minutes. They do not count for
	// readiness.
	Unreadable []string
	// ReadyIn and CompleteIn estimate the time until the service is ready and until every listed asset
	// is calibrated with its whole history and the table of pairs is complete; 0: now, negative: unknown.
	ReadyIn, CompleteIn time.Duration

	oldest priceAge // of the listed assets' best prices
}

// readinessCount counts what readiness depends on.
type readinessCount struct {
	*Readiness
	interest, fitted, whole float64 // USD of open interest: all, of fitted assets, of those with their whole history

	main, live float64   // assets of the main dex, and those of them with live prices
	unfitted   []float64 // open interest of each asset without a fit
	capsRead   bool
}

// Readiness counts the assets that can be assessed now and estimates when the rest can.
func (s *Server) Readiness() (r Readiness) {
	cache, now := s.cfg.Cache, marketcache.Now()
	hard := s.cfg.Engine.Ages().MarketHard
	limits := marketcache.AgeLimits{Market: hard, CEX: hard}
	model := cache.Model()
	var m marketcache.Market
	n := readinessCount{Readiness: &r}
	r.CompleteIn, r.Trouble, r.oldest = max(-1, cache.PairsReadyIn()), cache.Venue.Trouble(now), priceAge{-1, -1}
	for _, a := range cache.Universe().Assets {
		if a.Delisted || !cache.Market(a.ID, now, limits, &m) {
			continue
		}
		if p := s.priceAge(a.ID, now); p.age > r.oldest.age {
			r.oldest = p
		}
		n.add(&m, model.Asset(a.ID) != nil)
	}
	if n.interest > 0 {
		r.OpenInterest, r.History = n.fitted/n.interest, n.whole/n.interest
	}
	if r.oldest.age >= 0 {
		s.ages.see(r.oldest.age, now)
	}
	s.minute.see(s.metrics.counted(routeValidate), now)
	r.Ready = r.Listed > 0 && n.capsRead && !s.draining.Load() && n.live >= readyFresh*n.main && n.live > 0 &&
		r.Calibrated > 0 && n.fitted >= readyCalibrated*n.interest &&
		s.cfg.Keys.Trusted(time.Now()) && (s.cfg.Ready == nil || s.cfg.Ready())
	if r.Ready {
		s.wasReady.Store(true)
	}
	s.pace.estimate(&r, lacking(n.unfitted, readyCalibrated*n.interest-n.fitted), time.Now())
	return r
}

// add counts a listed asset; usable: it has a fit.
func (n *readinessCount) add(m *marketcache.Market, usable bool) {
	n.Listed++
	onMain := m.Asset.Dex == ""
	if onMain {
		n.main++
	}
	n.capsRead = n.capsRead || m.CapsAge >= 0
	if usable {
		n.Calibrated++
	}
	if l := m.Loading; l != nil && l.Candles {
		n.CompleteIn = latest(n.CompleteIn, l.CandlesReadyIn)
	}
	if l := m.Loading; l != nil && l.Funding {
		n.CompleteIn = latest(n.CompleteIn, l.FundingReadyIn)
	}
	unreadable := !usable && m.Loading != nil && m.Loading.Unreadable
	if unreadable {
		n.Unreadable = append(n.Unreadable, m.Asset.Name)
	}
	whole := usable && m.Loading == nil
	if whole {
		n.WithHistory++
	}
	if m.Context == nil {
		return
	}
	if m.Book != nil {
		n.Fresh++
		if onMain {
			n.live++
		}
	}
	if unreadable {
		return
	}
	usd := m.Context.OpenInterestUnits * m.Context.MarkPrice
	n.interest += usd
	if usable {
		n.fitted += usd
	} else {
		n.unfitted = append(n.unfitted, usd)
	}
	if whole {
		n.whole += usd
	}
}
