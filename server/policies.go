package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/internal/printable"
	"ballast/internal/promtext"
	"ballast/marketcache"
	"ballast/policy"
	"ballast/server/api"
	"ballast/server/limits"
)

// getPolicy answers GET /v1/policy/{wallet}.
func (s *Server) getPolicy(x *exchange) {
	if name, ok := x.policyName(); ok {
		x.replyPolicy(s.cfg.Policies.State(), name)
	}
}

// putPolicy answers PUT /v1/policy/{wallet}.
func (s *Server) putPolicy(x *exchange) {
	name, ok := x.policyName()
	if !ok {
		return
	}
	match, ok := x.ifMatch()
	if !ok {
		return
	}
	rules, ok := x.readRules(x.ctx.PostBody())
	if !ok {
		return
	}
	if state := x.change(limits.Put(name, &rules, match)); state != nil {
		x.replyPolicy(state, name)
	}
}

// readRules reads the rules of a policy. It answers and returns false for what is no policy.
func (x *exchange) readRules(text []byte) (rules policy.Rules, ok bool) {
	rules, bad := policy.DecodeJSON(text)
	if bad == nil && (len(rules.Allowed) > 0 || len(rules.Denied) > 0) {
		universe := x.s.cfg.Cache.Universe()
		if !x.listed(universe) {
			return rules, false
		}
		bad = rules.CheckAssets(universe)
	}
	if bad == nil {
		return rules, true
	}
	code := api.CodeValidation
	if bad.Field == "" {
		code = api.CodeInvalidJSON
	}
	return rules, x.refuse(code, bad.Detail, api.Mending{Field: bad.Field, Suggestion: api.Suggestion(bad.Suggestion)})
}

// deletePolicy answers DELETE /v1/policy/{wallet}.
func (s *Server) deletePolicy(x *exchange) {
	name, ok := x.policyName()
	if !ok {
		return
	}
	if match, ok := x.ifMatch(); ok {
		if state := x.change(limits.Remove(name, match)); state != nil {
			x.replyPolicy(state, name)
		}
	}
}

// putKillSwitch answers PUT /v1/kill-switch. A switch that is to be on is on here before it is kept, and also if it
// cannot be kept: whoever stops trading must not wait for a disk.
func (s *Server) putKillSwitch(x *exchange) {
	on, reason, bad, how := x.scanner.KillSwitch(x.ctx.PostBody())
	if bad != nil {
		x.refuse(bad.Code, bad.Detail, how)
		return
	}
	match, ok := x.ifMatch()
	if !ok {
		return
	}
	turn, before := limits.Turn(on, reason, match), s.cfg.Policies.State()
	early := on && !before.Switch.On && before.Try(turn) == nil
	if early {
		s.cfg.Policies.Hold(x.who(), reason)
	}
	_, err := x.tryChange(turn)
	if err == nil {
		s.cfg.Policies.Release() // what is kept holds
		x.replySwitch(s.cfg.Policies.State())
		return
	}
	x.failChange(err, on)
	switch {
	case on && x.ctx.Response.StatusCode() == fasthttp.StatusServiceUnavailable:
		s.cfg.Policies.Hold(x.who(), reason)
	case early:
		s.cfg.Policies.Release()
	}
}

// policyName returns the policy that the path names, and answers when it names none.
func (x *exchange) policyName() (name string, ok bool) {
	tail := x.tail()
	if bytes.EqualFold(tail, []byte("%2a")) { // as some clients write *
		tail = []byte(limits.All)
	}
	if name, ok = limits.Name(tail); !ok {
		how := api.MendWallet(tail)
		how.Allowed.Pattern = "^(0x[0-9a-fA-F]{40}|\\*)$"
		x.refuse(api.CodeValidation, "invalid wallet address: "+printable.Text(tail)+" (want 0x and 40 hexadecimal "+
			"digits, or * for all wallets)", how)
	}
	return name, ok
}

// ifMatch returns the revision in the header If-Match, nil if there is none, and answers when it is no revision.
func (x *exchange) ifMatch() (match *uint64, ok bool) {
	all := x.ctx.Request.Header.PeekAll("If-Match")
	if len(all) == 0 {
		return nil, true
	}
	text := trimBlanks(all[0])
	if len(text) > 2 && text[0] == '"' && text[len(text)-1] == '"' {
		text = text[1 : len(text)-1]
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil || len(all) > 1 || strconv.FormatUint(n, 10) != string(text) {
		got := printable.Text(all[0])
		return nil, x.refuse(api.CodeValidation, "If-Match must be one revision, as in the ETag of GET, got "+got,
			api.Mending{Field: "If-Match", Got: got, Suggestion: `the ETag of GET, such as "7"`})
	}
	return &n, true
}

// who names the request's key in the audit.
func (x *exchange) who() string {
	r, _ := x.s.cfg.Keys.Record(x.keyID)
	return r.Email + ", " + x.keyID
}

// tryChange makes an edit.
func (x *exchange) tryChange(edit limits.Edit) (*limits.State, error) {
	ctx, cancel := context.WithTimeout(context.Background(), x.s.cfg.RequestTimeout)
	defer cancel()
	return x.s.cfg.Policies.Change(ctx, x.who(), edit)
}

// change makes an edit, and answers and returns nil when it cannot be made.
func (x *exchange) change(edit limits.Edit) *limits.State {
	state, err := x.tryChange(edit)
	if err != nil {
		x.failChange(err, false)
		return nil
	}
	return state
}

// failChange answers an error of Change. held says that the kill switch will be on here nevertheless.
func (x *exchange) failChange(err error, held bool) {
	var r *limits.Refusal
	if !errors.As(err, &r) {
		text := "nothing has changed: "
		if held {
			text = "the kill switch is on in this process, until it ends; it is not kept, and no other replica has it: "
		}
		x.fail(api.CodeNotSaved, text+printable.Start([]byte(err.Error()), 400))
		return
	}
	how := api.Mending{Field: r.Field}
	code := api.CodeValidation
	switch r.Reason {
	case limits.Missing:
		code = api.CodeNotFound
	case limits.Mismatch:
		code = api.CodePreconditionFailed
	case limits.Required:
		code = api.CodePreconditionRequired
	}
	if r.Reason == limits.Mismatch || r.Reason == limits.Required {
		how.Field, how.Revision = "If-Match", &r.Revision
	}
	x.refuse(code, r.Detail, how)
}

// replyPolicy answers with a policy, whether there is one or not.
func (x *exchange) replyPolicy(state *limits.State, name string) {
	held, exists := state.Policies[name]
	w := api.NewWriter(nil)
	w.Text(`{"wallet":`, name)
	w.Integer(`,"revision":`, int(held.Revision))
	w.TextOrNull(`,"since":`, timeText(held.At))
	w.TextOrNull(`,"who":`, held.Who)
	w.Raw(`,"rules":`)
	if exists {
		w.Append(held.Rules)
	} else {
		w.Raw("null")
	}
	w.Raw(`,"effective":`)
	effective := state.Table.Everyones()
	if wallet, ok := marketcache.ParseWallet([]byte(name)); ok {
		effective = state.Table.Of(&wallet)
	}
	if effective != nil {
		w.Append(effective.Rules.AppendJSON(nil))
	} else {
		w.Raw("null")
	}
	w.Boolean(`,"may_change":`, x.mayChange())
	w.Raw("}")
	x.replyRevision(held.Revision, w.Bytes())
}

// replySwitch answers with the kill switch.
func (x *exchange) replySwitch(state *limits.State) {
	s := &state.Switch
	w := api.NewWriter(nil)
	w.Boolean(`{"on":`, s.On)
	w.TextOrNull(`,"reason":`, s.Reason)
	w.TextOrNull(`,"since":`, timeText(s.At))
	w.TextOrNull(`,"who":`, s.Who)
	w.Integer(`,"revision":`, int(s.Revision))
	w.Boolean(`,"may_change":`, x.mayChange())
	w.Raw("}")
	x.replyRevision(s.Revision, w.Bytes())
}

// replyRevision answers with what has a revision, 0: it was never set.
func (x *exchange) replyRevision(revision uint64, body []byte) {
	h := &x.ctx.Response.Header
	h.Set("Cache-Control", "no-store")
	if revision > 0 {
		h.Set("Etag", fmt.Sprintf("%q", strconv.FormatUint(revision, 10)))
	}
	x.reply(fasthttp.StatusOK, typeJSON, body)
}

// timeText returns a time as in all answers, "" for the zero time.
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return string(api.AppendTime(nil, t.UnixMilli()))
}

// writeLimits writes the state of the policies and the kill switch. Anybody may read it: it has no reason and no
// names.
func (s *Server) writeLimits(w *api.Writer) {
	state := s.cfg.Policies.State()
	if state == nil {
		w.Raw(`,"kill_switch":null,"policies":null`)
		return
	}
	w.Boolean(`,"kill_switch":{"on":`, state.Switch.On)
	w.TextOrNull(`,"since":`, timeText(state.Switch.At))
	w.Integer(`},"policies":{"count":`, len(state.Policies))
	w.Integer(`,"revision":`, int(state.Revision))
	w.TextOrNull(`,"trouble":`, s.cfg.Policies.Trouble())
	w.Raw(`}`)
}

// writeLimitsMetrics writes the metrics of the policies and the kill switch.
func (s *Server) writeLimitsMetrics(p *promtext.Page) {
	state := s.cfg.Policies.State()
	if state == nil {
		return
	}
	p.Switch("ballast_kill_switch", "1 while the kill switch is on: every increase is answered with abort.",
		state.Switch.On)
	p.Gauge("ballast_policies", "Policies of wallets, that of all wallets included.", float64(len(state.Policies)))
	p.Gauge("ballast_policies_revision", "Revision of the newest change of a policy or the kill switch.",
		float64(state.Revision))
	p.Switch("ballast_policies_trouble", "1 while changes of policies and kill switch may not be known here.",
		s.cfg.Policies.Trouble() != "")
}
