package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/api"
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
	// OpenInterest is the share of the venue's open interest in calibrated assets, 0 to 1.
	OpenInterest float64
	// Unreadable are the assets whose candles the venue has failed to answer for minutes. They do not count for
	// readiness.
	Unreadable []string
	// ReadyIn and CompleteIn estimate the time until the service is ready and until every listed asset
	// is calibrated with its whole history and the table of pairs is complete; 0: now, negative: unknown.
	ReadyIn, CompleteIn time.Duration
}

// Readiness counts the assets that can be assessed now and estimates when the rest can.
func (s *Server) Readiness() (r Readiness) {
	cache, now := s.cfg.Cache, marketcache.Now()
	hard := s.cfg.Engine.Ages().MarketHard
	limits := marketcache.AgeLimits{Market: hard, CEX: hard}
	model := cache.Model()
	var m marketcache.Market
	capsRead := false
	interest, fitted := 0.0, 0.0 // USD
	var main, live float64       // assets of the main dex, and those of them with live prices
	var unfitted []float64       // open interest of each asset without a fit
	r.CompleteIn = max(-1, cache.PairsReadyIn())
	for _, a := range cache.Universe().Assets {
		if a.Delisted || !cache.Market(a.ID, now, limits, &m) {
			continue
		}
		r.Listed++
		onMain := a.Dex == ""
		if onMain {
			main++
		}
		capsRead = capsRead || m.CapsAge >= 0
		usable := model.Asset(a.ID) != nil
		if usable {
			r.Calibrated++
		}
		if l := m.Loading; l != nil && l.Candles {
			r.CompleteIn = latest(r.CompleteIn, l.CandlesReadyIn)
		}
		if l := m.Loading; l != nil && l.Funding {
			r.CompleteIn = latest(r.CompleteIn, l.FundingReadyIn)
		}
		unreadable := !usable && m.Loading != nil && m.Loading.Unreadable
		if unreadable {
			r.Unreadable = append(r.Unreadable, a.Name)
		}
		if m.Context == nil {
			continue
		}
		if m.Book != nil {
			r.Fresh++
			if onMain {
				live++
			}
		}
		if unreadable {
			continue
		}
		usd := m.Context.OpenInterestUnits * m.Context.MarkPrice
		interest += usd
		if usable {
			fitted += usd
		} else {
			unfitted = append(unfitted, usd)
		}
	}
	if interest > 0 {
		r.OpenInterest = fitted / interest
	}
	r.Ready = r.Listed > 0 && capsRead && !s.draining.Load() &&
		live >= readyFresh*main && live > 0 && r.Calibrated > 0 && fitted >= readyCalibrated*interest &&
		s.cfg.Keys.Trusted(time.Now()) && (s.cfg.Ready == nil || s.cfg.Ready())
	if r.Ready {
		s.wasReady.Store(true)
	}
	s.pace.estimate(&r, lacking(unfitted, readyCalibrated*interest-fitted), time.Now())
	return r
}

// status returns the service's status as one word.
func (s *Server) status(r *Readiness) string {
	venue := &s.cfg.Cache.Venue
	skew := time.Duration(venue.Clock.SkewMs()) * time.Millisecond
	switch {
	case s.draining.Load():
		return "draining"
	case !r.Ready && !s.wasReady.Load():
		return "starting"
	case !r.Ready || len(r.Unreadable) > 0 || float64(r.Fresh) < readyFresh*float64(r.Listed) ||
		venue.BreakerOpen.Load() || !venue.Connected.Load() || skew.Abs() > maxSkew,
		s.cfg.Degraded != nil && s.cfg.Degraded():
		return "degraded"
	}
	return "ok"
}

// health answers GET /health.
func (s *Server) health(x *exchange) {
	r := s.Readiness()
	venue := &s.cfg.Cache.Venue
	connections, subscriptions := s.hub.Counts()
	w := api.NewWriter(nil)
	w.Text(`{"status":`, s.status(&r))
	w.Boolean(`,"ready":`, r.Ready)
	w.Text(`,"version":`, s.cfg.Version)
	w.Text(`,"engine_version":`, risk.EngineVersion)
	w.Integer(`,"uptime_s":`, int(time.Since(s.started)/time.Second))
	w.Text(`,"venue":{"name":`, s.cfg.Venue)
	w.Text(`,"kind":`, s.cfg.VenueKind)
	w.Boolean(`,"connected":`, venue.Connected.Load())
	age := s.cfg.Cache.LastMessageAge(marketcache.Now())
	w.IntegerOrNull(`,"last_message_age_ms":`, int(age.Milliseconds()), age >= 0)
	w.Integer(`,"clock_skew_ms":`, int(venue.Clock.SkewMs()))
	w.TextOrNull(`,"notice":`, s.cfg.Cache.Rules().CurrentNotice(marketcache.Now()))
	writeStreams(&w, venue.WalletStreams.Load())
	w.Integer(`},"assets":{"listed":`, r.Listed)
	w.Integer(`,"fresh":`, r.Fresh)
	w.Integer(`,"calibrated":`, r.Calibrated)
	w.Exact(`},"warmup":{"open_interest_share":`, r.OpenInterest)
	w.IntegerOrNull(`,"ready_in_s":`, wholeSeconds(r.ReadyIn), r.ReadyIn >= 0)
	w.IntegerOrNull(`,"complete_in_s":`, wholeSeconds(r.CompleteIn), r.CompleteIn >= 0)
	w.Integer(`},"alerts":{"connections":`, connections)
	w.Integer(`,"subscriptions":`, subscriptions)
	w.Raw(`}`)
	writeDemoWallets(&w, s.cfg.DemoWallets)
	w.Raw(`}`)
	status := fasthttp.StatusOK
	if !r.Ready {
		status = fasthttp.StatusServiceUnavailable
	}
	x.ctx.Response.Header.Set("Cache-Control", "no-store")
	x.reply(status, typeJSON, w.Bytes())
}

// writeStreams writes the figures of the wallets that are followed by streams, null if none are.
func writeStreams(w *api.Writer, x *marketcache.WalletStreams) {
	if x == nil {
		w.Raw(`,"wallet_streams":null`)
		return
	}
	w.Integer(`,"wallet_streams":{"followed":`, x.Followed)
	w.Integer(`,"limit":`, x.Limit)
	w.Integer(`,"refused":`, x.Refused)
	w.IntegerOrNull(`,"gap_ms":{"p50":`, int(x.GapP50.Milliseconds()), x.GapP50 >= 0)
	w.IntegerOrNull(`,"p90":`, int(x.GapP90.Milliseconds()), x.GapP90 >= 0)
	w.Integer(`},"confirmed":`, x.Confirmed)
	w.Integer(`,"differed":`, x.Differed)
	w.Raw(`}`)
}

// DemoWallet is an account of a simulated venue.
type DemoWallet struct{ Address, Name, About string }

// writeDemoWallets writes the accounts of a simulated venue; nothing if there are none.
func writeDemoWallets(w *api.Writer, wallets []DemoWallet) {
	if len(wallets) == 0 {
		return
	}
	prefix := `,"demo_wallets":[{"wallet":`
	for _, d := range wallets {
		w.Text(prefix, d.Address)
		w.Text(`,"name":`, d.Name)
		w.Text(`,"about":`, d.About)
		prefix = `},{"wallet":`
	}
	w.Raw(`}]`)
}

// live answers GET /livez: the process is running.
func (s *Server) live(x *exchange) {
	x.ctx.Response.Header.Set("Cache-Control", "no-store")
	x.reply(fasthttp.StatusOK, typeText, []byte("ok"))
}

// ready answers GET /readyz: whether the service answers requests.
func (s *Server) ready(x *exchange) {
	x.ctx.Response.Header.Set("Cache-Control", "no-store")
	r := s.Readiness()
	if !r.Ready {
		code, status := api.CodeNotReady, s.status(&r)
		if status == "starting" {
			code = api.CodeStarting
		}
		if !s.cfg.Keys.Trusted(time.Now()) {
			status += ", keys cannot be checked"
		}
		x.fail(code, fmt.Sprintf("not ready: %s; live prices of %d and fits of %d of %d listed assets; "+
			"GET /health says more", status, r.Fresh, r.Calibrated, r.Listed))
		return
	}
	text := "ok"
	if len(r.Unreadable) > 0 {
		text = "degraded: the venue does not answer with candles of " + strings.Join(r.Unreadable, ", ")
	}
	x.reply(fasthttp.StatusOK, typeText, []byte(text))
}
