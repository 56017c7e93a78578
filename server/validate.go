package server

import (
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/api"
)

// startingPoll is how often a request that waits for an asset's history looks again.
const startingPoll = 10 * time.Millisecond

// failure is an error answer in the making; the zero value is none.
type failure struct {
	code, detail string
	after        time.Duration // when to try again, 0: as the table says
}

// validate answers POST /v1/validate.
func (s *Server) validate(x *exchange) {
	if bad := x.decoder.Validation(x.ctx.PostBody(), &x.request); bad != nil {
		x.fail(bad.Code, bad.Detail)
		return
	}
	universe := s.cfg.Cache.Universe()
	if len(universe.Assets) == 0 {
		x.fail(api.CodeStarting, "the venue's assets have not been read yet")
		return
	}
	var trade risk.Trade
	if bad := x.request.Check(universe, &trade); bad != nil {
		x.fail(bad.Code, bad.Detail)
		return
	}
	if x.slot = s.slots.take(); x.slot == nil {
		x.fail(api.CodeOverloaded, "too many requests in flight")
		return
	}
	if f := s.photograph(x, &trade); f.code != "" {
		x.failAfter(f.code, f.detail, f.after)
		return
	}
	s.cfg.Engine.Assess(x.slot.scratch)
	s.answer(x)
}

// answer encodes the assessment of the slot.
func (s *Server) answer(x *exchange) {
	envelope := api.Envelope{RequestID: x.id, Started: x.started, Explain: x.queryIs("explain=true")}
	out := &x.slot.scratch.Out
	body, err := api.AppendAssessment(x.slot.body[:0], out, &envelope)
	x.slot.body = body
	if err != nil {
		s.metrics.notFinite.Inc()
		x.fail(api.CodeInternal, "an error of this service, logged under the request id")
		return
	}
	if s.cfg.GzipValidate {
		x.reply(fasthttp.StatusOK, typeJSON, body)
	} else {
		x.heads(fasthttp.StatusOK, typeJSON)
		x.slot.body = x.swap(body)
	}
	x.tally.assessed(time.Since(x.started), out.Recommendation)
}

// photograph fills the slot's input: the account, then everything else as of one moment.
// It waits where waiting can help.
func (s *Server) photograph(x *exchange, t *risk.Trade) failure {
	account, now, f := s.account(x, t)
	if f.code != "" {
		return f
	}
	cache, engine := s.cfg.Cache, s.cfg.Engine
	var deadline marketcache.Instant
	for {
		wallMs := s.wallMs(now)
		age := max(0, now.Sub(account.Received))
		missing := engine.Fill(&x.slot.scratch.In, cache, *t, account, age, now, wallMs)
		switch missing.Lack {
		case risk.Complete:
			x.endWait()
			return failure{}
		case risk.StaleData:
			return s.stale(&missing)
		}
		cache.Want(missing.Asset)
		if deadline == 0 {
			deadline = now.Add(s.cfg.StartingWait)
		}
		switch {
		case cache.Venue.BreakerOpen.Load() && !cache.Venue.Connected.Load():
			return failure{code: api.CodeVenueUnavailable, detail: "the venue does not answer and there is no " + s.what(&missing) + " yet"}
		case now >= deadline:
			return failure{code: api.CodeStarting, detail: "there is no " + s.what(&missing) + " yet"}
		case !x.beginWait():
			return failure{code: api.CodeOverloaded, detail: "too many requests wait for the venue"}
		}
		time.Sleep(startingPoll)
		now = marketcache.Now()
	}
}

// wallMs is the venue's clock at an instant, ms since 1970.
func (s *Server) wallMs(now marketcache.Instant) int64 {
	wall := time.Now()
	behind := marketcache.InstantOf(wall).Sub(now)
	return wall.Add(-behind).UnixMilli() + s.cfg.Cache.Venue.ClockSkewMs.Load()
}

// what names a missing input.
func (s *Server) what(m *risk.Missing) string {
	if a := s.cfg.Cache.Universe().Asset(m.Asset); a != nil {
		return m.What + " of " + a.Name
	}
	return m.What
}

// stale is the refusal to answer from data past its hard limit.
func (s *Server) stale(m *risk.Missing) failure {
	ages := s.cfg.Engine.Ages()
	limit := ages.MarketHard
	switch m.What {
	case "candles":
		limit = ages.CandleHard
	case "wallet":
		limit = ages.WalletHard
	}
	return failure{code: api.CodeStaleMarketData, detail: "the " + s.what(m) + " is " + seconds(m.Age) + " old, the limit is " + seconds(limit)}
}

// seconds prints a span as seconds with one decimal at most.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Round(100*time.Millisecond))/float64(time.Second), 'f', -1, 64) + " s"
}
