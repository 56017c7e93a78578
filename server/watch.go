package server

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/internal/printable"
	"ballast/internal/promtext"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/alerts"
	"ballast/server/api"
	"ballast/server/watches"
)

// watchRole is how long PUT waits to find out whether the wallet is an API wallet.
const watchRole = 3 * time.Second

// watchCall is the part of an exchange that only the monitor call of a watch has.
type watchCall struct {
	key    string // on whose behalf the wallet is read; "": it is no such call
	spare  bool   // with request weight that nobody else needs
	result *alerts.Result
}

// watchWallet makes the monitor call for a wallet that is watched: watches.Check.
func (s *Server) watchWallet(wallet, key string, spare bool) (result *alerts.Result, err error) {
	if s.draining.Load() {
		return nil, watches.ErrEnding
	}
	var request fasthttp.Request
	request.SetRequestURI("/v1/monitor/" + wallet)
	var ctx fasthttp.RequestCtx
	ctx.Init(&request, nil, nil)
	err = errors.New(ourFault) // unless the call returns
	x := s.begin(&ctx, time.Now())
	defer s.end(x)
	x.watch.key, x.watch.spare = key, spare
	x.route = findRoute(x.path)
	s.monitor(x)
	if x.watch.result != nil {
		return x.watch.result, nil
	}
	if s.life.Err() != nil {
		return nil, watches.ErrEnding
	}
	var refusal struct{ Error, Detail string }
	if json.Unmarshal(ctx.Response.Body(), &refusal) != nil || refusal.Error == "" {
		return nil, err
	}
	return nil, errors.New(refusal.Error + ": " + refusal.Detail)
}

// watchID returns the watch that the path names, of the request's key, and answers when it names no wallet.
func (x *exchange) watchID() (id watches.ID, wallet marketcache.Wallet, ok bool) {
	name := x.tail()
	if wallet, ok = marketcache.ParseWallet(name); !ok {
		x.refuse(api.CodeValidation, "invalid wallet address: "+printable.Text(name), api.MendWallet(name))
		return watches.ID{}, wallet, false
	}
	return watches.ID{Key: x.keyID, Wallet: wallet.String()}, wallet, true
}

// getWatch answers GET /v1/watch/{wallet}.
func (s *Server) getWatch(x *exchange) {
	if id, _, ok := x.watchID(); ok {
		x.replyWatch(id, "")
	}
}

// putWatch answers PUT /v1/watch/{wallet}. Each key has watches of its own.
func (s *Server) putWatch(x *exchange) {
	id, wallet, ok := x.watchID()
	if !ok {
		return
	}
	config, code, detail, how := alerts.DecodeWatch(x.ctx.PostBody())
	if code != "" {
		x.refuse(code, detail, how)
		return
	}
	if !x.mayBeAccount(wallet) {
		return
	}
	x.release() // what follows waits for a name server and a disk
	ctx, cancel := context.WithTimeout(s.life, s.cfg.RequestTimeout)
	defer cancel()
	_, made, err := s.cfg.Watches.Put(ctx, id, &config)
	if refusal := new(watches.Refusal); errors.As(err, &refusal) {
		x.refuse(api.CodeValidation, refusal.Detail, api.Mending{Field: refusal.Field})
		return
	}
	if err != nil {
		x.failWatch(err)
		return
	}
	x.replyWatch(id, made)
}

// deleteWatch answers DELETE /v1/watch/{wallet}.
func (s *Server) deleteWatch(x *exchange) {
	id, _, ok := x.watchID()
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(s.life, s.cfg.RequestTimeout)
	defer cancel()
	switch found, err := s.cfg.Watches.Remove(ctx, id); {
	case err != nil:
		x.failWatch(err)
	case !found:
		x.failNoWatch(id)
	default:
		w := api.NewWriter(nil)
		w.Text(`{"wallet":`, id.Wallet)
		w.Raw(`,"removed":true}`)
		x.replyOwn(w.Bytes())
	}
}

// listWatches answers GET /v1/watch: the watches of the request's key, to an operator those of all keys.
func (s *Server) listWatches(x *exchange) {
	w := api.NewWriter(nil)
	w.Boolean(`{"here":`, s.cfg.Watches.Here())
	states := s.cfg.Watches.Of(x.ownKey())
	for i := range w.Each(`,"watches":`, len(states)) {
		writeWatch(&w, &states[i], "")
	}
	w.Raw(`}`)
	x.replyOwn(w.Bytes())
}

// mayBeAccount reports whether a wallet is an account, as far as can be found out now, and answers when it is an API
// wallet. Where it cannot be found out, the calls of the watch will tell.
func (x *exchange) mayBeAccount(wallet marketcache.Wallet) bool {
	s := x.s
	if !x.admit(admission.Monitor, 1) {
		return false
	}
	x.trade.Wallet, x.trade.Asset = wallet, marketcache.NoAsset
	account, _, have := s.cfg.Cache.Account(&wallet, x.at, s.cfg.Engine.Ages().WalletHard)
	if (!have || account.Role == marketcache.RoleUnknown) && x.ticket.BeginOutside() {
		ctx, cancel := context.WithTimeout(s.life, min(watchRole, s.cfg.RequestTimeout))
		read, err := s.load(ctx, wallet, marketcache.NoAsset, marketcache.Caller{ID: x.keyID})
		cancel()
		x.ticket.EndOutside()
		if err == nil {
			account, have = read, true
		}
	}
	return !have || x.accountItself(account, x.tail())
}

// failWatch answers when a change could not be kept.
func (x *exchange) failWatch(err error) {
	x.fail(api.CodeNotSaved, "nothing has changed: "+printable.Start([]byte(err.Error()), 400))
}

func (x *exchange) failNoWatch(id watches.ID) {
	x.refuse(api.CodeNotFound, "this key does not watch "+id.Wallet, api.Mending{Field: "wallet",
		Suggestion: "GET /v1/watch lists what it watches"})
}

// replyOwn answers with what is for the request's key alone: no cache may keep it.
func (x *exchange) replyOwn(body []byte) {
	x.ctx.Response.Header.Set("Cache-Control", "no-store")
	x.reply(fasthttp.StatusOK, typeJSON, body)
}

// replyWatch answers with a watch, and the secret if it was made just now.
func (x *exchange) replyWatch(id watches.ID, secret string) {
	state, ok := x.s.cfg.Watches.Get(id)
	if !ok {
		x.failNoWatch(id)
		return
	}
	w := api.NewWriter(nil)
	writeWatch(&w, &state, secret)
	x.replyOwn(w.Bytes())
}

// writeWatch writes a watch. Its secret is not shown, but for the one that was made just now.
func writeWatch(w *api.Writer, state *watches.State, secret string) {
	th := &state.Thresholds
	w.Text(`{"wallet":`, state.Wallet)
	w.Text(`,"key":`, state.Key)
	w.Text(`,"set_at":`, timeText(state.Since))
	w.Integer(`,"every_s":`, state.EveryS)
	w.Integer(`,"thresholds":{"max_risk_score":`, int(th.MaxRiskScore))
	w.Exact(`,"min_liquidation_distance_pct":`, th.MinLiquidationDistancePct)
	w.Exact(`,"max_portfolio_var_pct":`, th.MaxPortfolioVaRPct)
	w.Exact(`,"max_funding_drag_daily_pct":`, th.MaxFundingDragDailyPct)
	w.Raw(`}`)
	if to := state.Webhook; to == nil {
		w.Raw(`,"webhook":null`)
	} else {
		w.Text(`,"webhook":{"url":`, to.URL)
		w.Boolean(`,"secret_set":`, to.Secret != "")
		if secret != "" {
			w.Text(`,"secret":`, secret)
		}
		w.Raw(`}`)
	}
	w.TextOrNull(`,"calls":{"last_at":`, timeText(state.Calls.At))
	w.TextOrNull(`,"succeeded_at":`, timeText(state.Calls.GoodAt))
	w.Integer(`,"failures":`, state.Calls.Failures)
	w.TextOrNull(`,"error":`, state.Calls.Error)
	for i := range w.Each(`},"standing":`, len(state.Standing)) {
		c := &state.Standing[i]
		w.Text(`{"alert_type":`, c.Kind.String())
		w.TextOrNull(`,"asset":`, c.Asset)
		w.Text(`,"severity":`, watches.Severity(c.Critical))
		w.Text(`,"since":`, timeText(time.UnixMilli(c.SinceMs)))
		w.Raw(`}`)
	}
	writeDeliveries(w, state.Record)
	w.Raw(`}`)
}

// writeDeliveries writes how the posts of a watch go.
func writeDeliveries(w *api.Writer, r *watches.Record) {
	w.Integer(`,"deliveries":{"posted":`, int(r.Posted))
	w.Integer(`,"waiting":`, len(r.Waiting))
	var oldest time.Time
	if len(r.Waiting) > 0 {
		oldest = r.Waiting[0].QueuedAt
	}
	w.TextOrNull(`,"waiting_since":`, timeText(oldest))
	w.Integer(`,"failures":`, r.Misses)
	w.TextOrNull(`,"error":`, r.Error)
	w.TextOrNull(`,"retry_at":`, timeText(r.RetryAt))
	w.Integer(`,"dead_total":`, int(r.DeadTotal))
	for i := range w.Each(`,"dead":`, len(r.Dead)) {
		e := &r.Dead[i]
		w.Text(`{"id":`, e.ID)
		w.Text(`,"status":`, "dead")
		w.Text(`,"type":`, e.Type)
		w.Text(`,"alert_type":`, e.Kind.String())
		w.TextOrNull(`,"asset":`, e.Asset)
		w.Text(`,"queued_at":`, timeText(e.QueuedAt))
		w.Text(`,"gave_up_at":`, timeText(e.GaveUpAt))
		w.Integer(`,"attempts":`, e.Attempts)
		w.Text(`,"error":`, e.Error)
		w.Raw(`}`)
	}
	w.Raw(`}`)
}

// writeWatches writes the state of all watches. Anybody may read it: it has no wallets and no keys.
func (s *Server) writeWatches(w *api.Writer) {
	h := s.cfg.Watches.Health()
	w.Integer(`,"watches":{"count":`, h.Count)
	w.Boolean(`,"here":`, s.cfg.Watches.Here())
	w.Integer(`,"failing":`, h.Failing)
	w.Integer(`,"waiting":`, h.Waiting)
	w.Integer(`,"dead":`, h.Dead)
	w.Boolean(`,"trouble":`, h.Trouble != "")
	w.Raw(`}`)
}

// writeWatchMetrics writes the metrics of all watches.
func (s *Server) writeWatchMetrics(p *promtext.Page) {
	h, stats := s.cfg.Watches.Health(), &s.cfg.Watches.Stats
	p.Gauge("ballast_watches", "Wallets that the service watches by itself, counted once for each key.",
		float64(h.Count))
	p.Gauge("ballast_watches_failing", "Of these, those whose last monitor call failed.", float64(h.Failing))
	p.Switch("ballast_watches_here", "1 while this replica makes the calls and the posts.", s.cfg.Watches.Here())
	p.Switch("ballast_watches_trouble", "1 while what watches find cannot be kept, and so is not posted.",
		h.Trouble != "")
	p.Gauge("ballast_webhooks_waiting", "Events that wait to be posted.", float64(h.Waiting))
	for _, c := range []struct {
		name, help string
		value      uint64
	}{
		{"watch_calls", "Monitor calls that the service made by itself.", stats.Calls.Load()},
		{"watch_calls_failed", "Of these, those that failed.", stats.CallsFailed.Load()},
		{"webhook_posts", "Posts to webhooks.", stats.Posts.Load()},
		{"webhook_posts_failed", "Of these, those that the receiver did not take.", stats.PostsFailed.Load()},
		{"webhooks_dead", "Events that were given up: no receiver took them for 24 hours.", stats.Dead.Load()},
	} {
		p.Counter("ballast_"+c.name+"_total", c.help, float64(c.value))
	}
}
