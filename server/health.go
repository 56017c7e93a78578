package server

import (
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/api"
)

const (
	// readyFresh is the share of listed assets whose context and book must be live, and
	// readyCalibrated the share of the venue's open interest whose assets must be fitted.
	readyFresh      = 0.9
	readyCalibrated = 0.8
	// maxSkew is the clock skew against the venue from which the service calls itself
	// degraded.
	maxSkew = 2 * time.Second
)

// readiness is what the cache holds, counted.
type readiness struct {
	listed, fresh, calibrated int
	interest                  float64   // of the listed assets, USD
	unfitted                  []float64 // interest of those without a fit
	share                     float64   // of interest, of the assets with one
	ready                     bool
}

// readiness counts the assets that can be assessed now.
func (s *Server) readiness() (r readiness) {
	cache, now := s.cfg.Cache, marketcache.Now()
	hard := s.cfg.Engine.Ages().MarketHard
	limits := marketcache.AgeLimits{Market: hard, CEX: hard}
	model := cache.Model()
	var m marketcache.Market
	capsRead := false
	fitted := 0.0 // USD
	for _, a := range cache.Universe().Assets {
		if a.Delisted || !cache.Market(a.ID, now, limits, &m) {
			continue
		}
		r.listed++
		capsRead = capsRead || m.CapsAge >= 0
		usable := model.Asset(a.ID) != nil && m.Funding != nil
		if usable {
			r.calibrated++
		}
		if m.Context == nil {
			continue
		}
		if m.Book != nil {
			r.fresh++
		}
		usd := m.Context.OpenInterestUnits * m.Context.MarkPrice
		r.interest += usd
		if usable {
			fitted += usd
		} else {
			r.unfitted = append(r.unfitted, usd)
		}
	}
	if r.interest > 0 {
		r.share = fitted / r.interest
	}
	r.ready = r.listed > 0 && capsRead && !s.draining.Load() &&
		float64(r.fresh) >= readyFresh*float64(r.listed) && r.calibrated > 0 && fitted >= readyCalibrated*r.interest &&
		(s.cfg.Ready == nil || s.cfg.Ready())
	if r.ready {
		s.wasReady.Store(true)
	}
	return r
}

// status says in one word how the service is.
func (s *Server) status(r *readiness) string {
	venue := &s.cfg.Cache.Venue
	skew := time.Duration(venue.ClockSkewMs.Load()) * time.Millisecond
	switch {
	case s.draining.Load():
		return "draining"
	case !r.ready && !s.wasReady.Load():
		return "starting"
	case !r.ready || venue.BreakerOpen.Load() || !venue.Connected.Load() || skew.Abs() > maxSkew || !s.cfg.Keys.Trusted(time.Now()),
		s.cfg.Degraded != nil && s.cfg.Degraded():
		return "degraded"
	}
	return "ok"
}

// health answers GET /health.
func (s *Server) health(x *exchange) {
	r := s.readiness()
	venue := &s.cfg.Cache.Venue
	connections, subscriptions := s.hub.Counts()
	w := api.NewWriter(nil)
	w.Text(`{"status":`, s.status(&r))
	w.Boolean(`,"ready":`, r.ready)
	w.Text(`,"version":`, s.cfg.Version)
	w.Text(`,"engine_version":`, risk.EngineVersion)
	w.Integer(`,"uptime_s":`, int(time.Since(s.started)/time.Second))
	w.Text(`,"venue":{"name":`, s.cfg.Venue)
	w.Boolean(`,"connected":`, venue.Connected.Load())
	if age := s.cfg.Cache.LastMessageAge(marketcache.Now()); age >= 0 {
		w.Integer(`,"last_message_age_ms":`, int(age.Milliseconds()))
	} else {
		w.Raw(`,"last_message_age_ms":null`)
	}
	w.Integer(`,"clock_skew_ms":`, int(venue.ClockSkewMs.Load()))
	w.Integer(`},"assets":{"listed":`, r.listed)
	w.Integer(`,"fresh":`, r.fresh)
	w.Integer(`,"calibrated":`, r.calibrated)
	p := s.progress(r, time.Now())
	w.Exact(`},"warmup":{"open_interest_share":`, p.OpenInterest)
	w.Raw(`,"ready_in_s":`)
	writeEstimate(&w, p.ReadyIn)
	w.Raw(`,"complete_in_s":`)
	writeEstimate(&w, p.CompleteIn)
	w.Integer(`},"alerts":{"connections":`, connections)
	w.Integer(`,"subscriptions":`, subscriptions)
	w.Raw(`}}`)
	status := fasthttp.StatusOK
	if !r.ready {
		status = fasthttp.StatusServiceUnavailable
	}
	x.ctx.Response.Header.SetCanonical(headerCache, noStore)
	x.reply(status, typeJSON, w.Bytes())
}

// writeEstimate writes whole seconds, rounded up; null for what is not known.
func writeEstimate(w *api.Writer, d time.Duration) {
	if d < 0 {
		w.Raw("null")
		return
	}
	w.Integer("", int((d+time.Second-1)/time.Second))
}

// live answers GET /livez: the process serves.
func (s *Server) live(x *exchange) {
	x.ctx.Response.Header.SetCanonical(headerCache, noStore)
	x.reply(fasthttp.StatusOK, typeText, []byte("ok"))
}

// ready answers GET /readyz: requests will be answered.
func (s *Server) ready(x *exchange) {
	x.ctx.Response.Header.SetCanonical(headerCache, noStore)
	if r := s.readiness(); !r.ready {
		x.fail(api.CodeStarting, "not ready: "+s.status(&r))
		return
	}
	x.reply(fasthttp.StatusOK, typeText, []byte("ok"))
}
