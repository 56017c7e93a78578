package server

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/api"
)

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
		s.cfg.Degraded != nil && s.cfg.Degraded(), s.cfg.Policies.Trouble() != "":
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
	writeFailure(&w, venue.LastError.Load())
	w.Integer(`,"reconnects":`, int(venue.Reconnects.Load()))
	writeStreams(&w, venue.WalletStreams.Load())
	w.Integer(`},"assets":{"listed":`, r.Listed)
	w.Integer(`,"fresh":`, r.Fresh)
	w.Integer(`,"calibrated":`, r.Calibrated)
	w.Integer(`,"with_history":`, r.WithHistory)
	w.Raw(`}`)
	s.writeFeed(&w)
	s.writeLimits(&w)
	s.writeJournal(&w)
	s.writeAges(&w, r.oldest, marketcache.Now())
	s.writeAnswers(&w)
	w.Exact(`,"warmup":{"open_interest_share":`, r.OpenInterest)
	w.Exact(`,"share_with_history":`, r.History)
	w.IntegerOrNull(`,"ready_in_s":`, wholeSeconds(r.ReadyIn), r.ReadyIn >= 0)
	w.IntegerOrNull(`,"complete_in_s":`, wholeSeconds(r.CompleteIn), r.CompleteIn >= 0)
	w.Integer(`},"alerts":{"connections":`, connections)
	w.Integer(`,"subscriptions":`, subscriptions)
	w.Raw(`}`)
	s.writeWatches(&w)
	s.writeAccuracy(&w)
	writeDemoWallets(&w, s.cfg.DemoWallets)
	w.Raw(`}`)
	status := fasthttp.StatusOK
	if !r.Ready {
		status = fasthttp.StatusServiceUnavailable
	}
	x.ctx.Response.Header.Set("Cache-Control", "no-store")
	x.reply(status, typeJSON, w.Bytes())
}

// writeAnswers writes what was asked since the start, and what could not be answered.
func (s *Server) writeAnswers(w *api.Writer) {
	m, assessed := s.metrics, uint64(0)
	for r := range risk.Recommendation(3) {
		assessed += m.sum(func(t *tally) *atomic.Uint64 { return &t.verdicts[r] })
	}
	w.Integer(`,"answers":{"assessed":`, int(assessed))
	w.Integer(`,"overloaded":`, int(m.errors[api.CodeOverloaded].Load()))
	w.Integer(`,"stale":`, int(m.errors[api.CodeStaleMarketData].Load()))
	minute := s.minute.see(m.counted(routeValidate), marketcache.Now())
	p99, n := minute.quantile(0.99)
	w.Integer(`,"last_minute":{"validations":`, int(n))
	w.IntegerOrNull(`,"p99_us":`, int(math.Round(p99*1e6)), n > 0)
	w.Raw(`}}`)
}

// writeFailure writes the venue's newest failure, null if there was none.
func writeFailure(w *api.Writer, last *marketcache.VenueFailure) {
	if last == nil {
		w.Raw(`,"last_error":null`)
		return
	}
	w.Text(`,"last_error":{"text":`, last.Text)
	at := time.Now().Add(last.At.Sub(marketcache.Now()))
	w.Text(`,"at":`, string(api.AppendTime(nil, at.UnixMilli())))
	w.Raw(`}`)
}

// FeedStatus says which process talks to the venue and the weight of its requests.
type FeedStatus struct {
	Leader string                   // replica that does; "": none is heard, or replicas share no feed
	Here   bool                     // this process does
	Weight *marketcache.VenueWeight // nil: not known
}

// writeFeed writes the status of the feed.
func (s *Server) writeFeed(w *api.Writer) {
	var f FeedStatus
	if s.cfg.Feed != nil {
		f = s.cfg.Feed()
	}
	w.TextOrNull(`,"feed":{"leader":`, f.Leader)
	w.Boolean(`,"here":`, f.Here)
	if f.Weight == nil {
		w.Raw(`,"weight_per_minute":null}`)
		return
	}
	w.Integer(`,"weight_per_minute":{"wallets":`, f.Weight.Wallets)
	w.Integer(`,"live":`, f.Weight.Live)
	w.Integer(`,"tables":`, f.Weight.Tables)
	w.Integer(`,"histories":`, f.Weight.Histories)
	w.Integer(`,"clients":`, f.Weight.Clients)
	w.IntegerOrNull(`,"limit":`, f.Weight.Limit, f.Weight.Limit > 0)
	w.Raw(`}}`)
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
	for i := range w.Each(`,"demo_wallets":`, len(wallets)) {
		w.Text(`{"wallet":`, wallets[i].Address)
		w.Text(`,"name":`, wallets[i].Name)
		w.Text(`,"about":`, wallets[i].About)
		w.Raw(`}`)
	}
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
		if r.Trouble != "" {
			status += ", " + r.Trouble
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
