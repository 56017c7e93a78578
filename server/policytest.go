package server

import (
	"time"

	"github.com/valyala/fasthttp"

	"ballast/policy"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/journal"
	"ballast/server/limits"
)

// testPolicy answers POST /v1/policy/{wallet}/test. Without to it is the time until now, without from the day before
// to.
func (s *Server) testPolicy(x *exchange) {
	name, ok := x.policyName()
	if !ok {
		return
	}
	var p api.PolicyTest
	if bad := x.scanner.PolicyTest(x.ctx.PostBody(), &p); bad != nil {
		x.refuse(bad.Code, bad.Detail, api.MendPolicyTest(bad))
		return
	}
	rules, ok := x.readRules(p.Rules)
	if !ok {
		return
	}
	if p.To.IsZero() {
		p.To = time.UnixMilli(s.cfg.Cache.Venue.Clock.VenueMs(x.at)).UTC()
	}
	if p.From.IsZero() {
		p.From = p.To.AddDate(0, 0, -1)
	}
	if !p.From.Before(p.To) {
		x.refuse(api.CodeValidation, "field from must be before to", api.Mending{Field: "from"})
		return
	}
	if s.cfg.Journal.Mode() == journal.Off {
		x.fail(api.CodeNotFound, "no decisions are recorded: the service was started with --journal off")
		return
	}
	table, err := s.cfg.Policies.State().Tried(map[string]policy.Rules{name: rules}, false)
	if err != nil {
		panic("BUG: a policy in force cannot be read: " + err.Error())
	}
	if !x.admit(admission.Batch, 1) {
		return
	}
	var wallets []string
	if name != limits.All {
		wallets = []string{name}
	}
	n, deadline := 0, x.started.Add(s.cfg.RequestTimeout)
	trial, ended, err := s.cfg.Journal.Try(p.From, p.To, table, wallets, func() bool {
		if n++; n%64 == 0 {
			x.ticket.Yield()
		}
		return time.Now().Before(deadline)
	})
	switch {
	case err != nil:
		s.warn("decisions cannot be read", "error", err.Error())
		x.fail(api.CodeInternal, ourFault)
	case !ended:
		x.fail(api.CodeDeadlineExceeded, "so many decisions could not be judged within "+seconds(s.cfg.RequestTimeout)+
			": ask about a shorter time, or run `ballast policy test`")
	default:
		x.reply(fasthttp.StatusOK, typeJSON, trial.AppendJSON(nil, name))
	}
}
