package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/marketcache"
	wire "ballast/marketcache/venue/exchange"
	"ballast/policy"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/gate"
)

// action is the scratch of an action through the gate.
type action struct {
	wire.Envelope
	orders  []wire.Order
	resting []gate.Pending // what counts as filled before the action's orders
	places  []gate.Pending // the action's own orders
	judged  []int          // those of a side, in the order of the batch
	counted []gate.Sent    // those of them that can enlarge a position
	text    []byte         // the action as handed on
	turned  *policy.Switch // as it was before the action was judged
}

// refusals begin with the name of who refuses, so that nobody takes them for the venue's.
const refusals = "Ballast: "

// exchangeAction answers POST /exchange as the venue does: what was signed passes to the venue or is refused. What can
// only reduce passes at once, and waits for nothing of this service.
func (s *Server) exchangeAction(x *exchange) {
	a := &x.action
	if err := wire.Decode(x.ctx.PostBody(), &a.Envelope); err != nil {
		status := fasthttp.StatusUnprocessableEntity
		if bad, is := errors.AsType[*wire.DecodeError](err); is && bad.Syntax {
			status = fasthttp.StatusBadRequest
		}
		x.startAnswer(status, typeText)
		const venues = "Failed to deserialize the JSON body into the target type. "
		x.ctx.Response.SetBodyString(venues + refusals + err.Error())
		return
	}
	a.text = a.AppendJSON(a.text[:0])
	x.beginEntry()
	defer x.signAction()
	switch way, why := s.cfg.Gate.WayOf(&a.Action); way {
	case gate.Pass:
		s.pass(x)
	case gate.Refused:
		s.refuseAction(x, why)
	default:
		s.judgeAction(x)
	}
}

// venueInfo answers POST /info with the venue's answer.
func (s *Server) venueInfo(x *exchange) {
	x.startAnswer(fasthttp.StatusOK, typeJSON)
	if err := s.cfg.Gate.Info(&x.ctx.Response, x.ctx.PostBody()); err != nil {
		x.fail(api.CodeVenueUnavailable, gate.ErrNoAnswer.Error())
	}
}

// venueSocket answers GET /ws: a socket to the venue, whose actions are judged as those of POST /exchange.
func (s *Server) venueSocket(x *exchange) {
	header := http.Header{"Authorization": {string(x.headers.authorization)}}
	err := s.cfg.Gate.Socket(x.ctx, func(body []byte) (int, []byte) {
		id := s.ids.append(nil, marketcache.Now())
		own := header.Clone()
		own.Set("X-Request-Id", string(id))
		answer, _ := s.askRoute(s.life, own, routeTable[routeExchange].path, body)
		return answer.Status, append([]byte(nil), answer.Body...)
	})
	switch {
	case errors.Is(err, gate.ErrSockets):
		x.startAnswer(fasthttp.StatusTooManyRequests, typeText)
		gate.TooMany(&x.ctx.Response, time.Minute)
	case err != nil:
		x.fail(api.CodeVenueUnavailable, "no socket to the venue")
	}
}

// answerRefusal answers with a refusal in the venue's form.
func (x *exchange) answerRefusal(why string) {
	x.startAnswer(fasthttp.StatusOK, typeJSON)
	x.scratch = x.action.Action.AppendRefusal(x.scratch[:0], refusals+why)
	x.ctx.Response.SetBody(x.scratch)
}

// handOn sends the action to the venue and answers with the venue's answer. held is the reservation of its orders, nil
// for none. It returns the status of the venue's answer, 0 if there is none.
func (s *Server) handOn(x *exchange, held *gate.Reservation) (status int) {
	a, g := &x.action, s.cfg.Gate
	x.startAnswer(fasthttp.StatusOK, typeJSON)
	sent, err := g.Act(&x.ctx.Response, a.text, len(a.orders))
	if err != nil {
		s.warn("action not answered by the venue", "type", a.Action.Type(), "sent", sent, "error", err.Error())
		if held != nil && !sent {
			held.Withdraw()
		}
		x.fail(api.CodeVenueUnavailable, gate.ErrNoAnswer.Error()+"; look at the account before sending it again")
		return 0
	}
	status = x.ctx.Response.StatusCode()
	var account marketcache.Wallet
	if held != nil {
		account = held.Account()
		x.settle(held, status)
	}
	s.aftermath.note(x, account)
	return status
}

// settle notes what the venue has answered to orders that were reserved.
func (x *exchange) settle(held *gate.Reservation, status int) {
	var answer wire.Answer
	switch {
	case status >= 400 && status < 500: // the venue has not read it
		held.Withdraw()
	case wire.ParseAnswer(x.ctx.Response.Body(), &answer) == nil:
		held.Answered(&answer, marketcache.Now())
	}
}

// judgeAction hands on an action that may increase risk if the account can bear it, and otherwise refuses it.
func (s *Server) judgeAction(x *exchange) {
	x.action.turned = s.cfg.Policies.InForce().Switch()
	why, about, held := s.lets(x)
	if why == "" && held != nil {
		why = s.keepSent(held)
	}
	if why != "" {
		s.refuseAction(x, why)
		return
	}
	x.release() // the venue may take long
	s.allow(x, about, held)
}

// keepSent has what counts of the orders kept before they are handed on, so that it outlives the process. It returns
// why they are refused, or "".
func (s *Server) keepSent(held *gate.Reservation) (why string) {
	ctx, cancel := context.WithTimeout(s.life, s.cfg.RequestTimeout)
	defer cancel()
	if err := held.Kept(ctx); err != nil {
		held.Withdraw()
		s.warn("orders that count not kept", "error", err.Error())
		return "the policy counts orders, and this one could not be counted for good: " + err.Error()
	}
	return ""
}

// lets judges an action. It returns why it is refused, "" if it may pass, with the reservation of its orders; about
// says what of one that passes could not be judged.
func (s *Server) lets(x *exchange) (why, about string, held *gate.Reservation) {
	why, held = s.judges(x)
	if why != unjudged {
		return why, "", held
	}
	if why = x.errorText(); s.cfg.Gate.Open && !s.cfg.Policies.InForce().Switch().IsOn() {
		return "", "not judged: " + why, held
	}
	return why, "", held
}

// judges is lets that returns unjudged where an error stands in the answer.
func (s *Server) judges(x *exchange) (why string, held *gate.Reservation) {
	if s.cfg.Policies.State() == nil {
		return "the operator's limits have not been read yet: send it again in some seconds", nil
	}
	if !x.listed(s.cfg.Cache.Universe()) || !x.admit(admission.Action, 1) {
		return unjudged, nil
	}
	if _, refusal := x.ticket.Wait(); refusal != admission.Admitted { // who has signed takes as long as an assessment
		x.fail(api.CodeOverloaded, refusal.String())
		return unjudged, nil
	}
	ctx, cancel := context.WithDeadline(s.life, x.started.Add(s.cfg.RequestTimeout))
	defer cancel()
	account, why := s.accountOfAction(ctx, x)
	x.ticket.Rest() // an order that has the ledger may wait for a turn
	if why != "" {
		return why, nil
	}
	x.entry.Wallet = account
	ledger := s.cfg.Gate.Lock(ctx, account)
	if ledger == nil {
		return "earlier orders of this account are still being judged: send it again", nil
	}
	defer ledger.Unlock()
	switch form := x.action.Action.Inner().Form.(type) {
	case *wire.UpdateLeverage:
		return s.leverageChange(x, account, form), nil
	case *wire.UpdateIsolatedMargin:
		return s.marginOut(x, ledger, account, form), nil
	}
	if !s.knowsTWAPs(x, ledger) {
		return unjudged, nil
	}
	if why := s.bears(x, account, ledger); why != "" {
		return why, nil
	}
	a := &x.action
	p, _ := s.inForce(&account)
	a.counts(p, s.cfg.Cache.Venue.Clock.VenueMs(marketcache.Now()))
	return "", ledger.Reserve(a.places, a.counted, &a.Envelope)
}

// knowsTWAPs reports whether the TWAPs of an account are known, after it has asked for them if they are not.
func (s *Server) knowsTWAPs(x *exchange, ledger *gate.Ledger) bool {
	if ledger.KnowsTWAPs() {
		return true
	}
	if !x.ticket.BeginOutside() {
		return x.fail(api.CodeOverloaded, tooManyWait)
	}
	defer x.ticket.EndOutside()
	nowMs := s.cfg.Cache.Venue.Clock.VenueMs(marketcache.Now())
	if err := s.cfg.Gate.LearnTWAPs(ledger, s.cfg.Cache.Universe().LookupString, nowMs); err != nil {
		s.warn("TWAPs of an account not known", "error", err.Error())
		return x.fail(api.CodeVenueUnavailable, "which TWAPs of the account run is not known: "+err.Error())
	}
	return true
}

// counts enters the orders that can enlarge a position as sent now, and until when the rules of a policy count them.
func (a *action) counts(p *policy.Policy, nowMs int64) {
	until := int64(0)
	if p != nil {
		until = p.Rules.CountsUntil(nowMs)
	}
	a.counted = a.counted[:0]
	for i, place := range a.places {
		if place.Asset != marketcache.NoAsset {
			a.counted = append(a.counted, gate.Sent{AtMs: nowMs, Same: gate.SameOrder(&a.orders[i]), UntilMs: until})
		}
	}
}

// unjudged stands for the error that the exchange would answer.
const unjudged = "unjudged"

// errorText returns the error that the exchange would answer, as a sentence.
func (x *exchange) errorText() string {
	var e struct{ Error, Code, Detail string }
	if json.Unmarshal(x.ctx.Response.Body(), &e) != nil {
		return ourFault
	}
	return e.Detail + " (" + e.Error + e.Code + "); what only reduces passes"
}

// accountOfAction returns the account that an action acts on, or why it is not known. The venue has said that those who
// have signed may act for it.
func (s *Server) accountOfAction(ctx context.Context, x *exchange) (account marketcache.Wallet, why string) {
	a, g := &x.action, s.cfg.Gate
	var hint *gate.Hint
	if x.conn == nil {
		hint = new(gate.Hint)
	} else if hint, _ = x.conn.Signer.(*gate.Hint); hint == nil {
		hint = new(gate.Hint)
		x.conn.Signer = hint
	}
	signer, network, err := g.Signer(&a.Envelope, hint)
	if err != nil {
		return account, err.Error()
	}
	x.entry.Gate.Signer = signer.String()
	multi, isMulti := a.Action.Form.(*wire.MultiSig)
	if _, known := g.KnownOwner(signer); isMulti || a.HasVault || !known {
		if !x.ticket.BeginOutside() {
			x.fail(api.CodeOverloaded, tooManyWait)
			return account, unjudged
		}
		defer x.ticket.EndOutside()
	}
	if isMulti {
		return s.accountOfSeveral(ctx, x, multi)
	}
	owner, err := g.Owner(ctx, signer)
	if err == nil && owner == (marketcache.Wallet{}) {
		network = gate.Other(network)
		if other, bad := a.Signer(network); bad == nil {
			owner, err = g.Owner(ctx, other)
			signer = other
		}
	}
	switch {
	case err != nil:
		return account, x.signerUnknown(err)
	case owner == (marketcache.Wallet{}):
		first, _ := a.Signer(g.Network)
		return account, "signer " + first.String() + " has no account at the venue: was exactly this action signed, " +
			"for this network?"
	case network != g.Network && !g.AnyNetwork:
		return account, "the action is signed for " + network.String() + ", by " + signer.String() + ": sign it for " +
			g.Network.String()
	}
	x.entry.Gate.Signer = signer.String()
	return s.actedOn(ctx, x, owner)
}

// actedOn returns the account on which an action of a signer's owner acts: owner, or the vault or sub-account that the
// action names. why says why it is not known, "" if it is.
func (s *Server) actedOn(ctx context.Context, x *exchange, owner marketcache.Wallet) (account marketcache.Wallet,
	why string) {
	a := &x.action
	if !a.HasVault || owner == marketcache.Wallet(a.Vault) {
		return owner, ""
	}
	account = marketcache.Wallet(a.Vault)
	switch may, err := s.cfg.Gate.MayAct(ctx, []marketcache.Wallet{owner}, account, false); {
	case err != nil:
		return account, x.signerUnknown(err)
	case !may:
		return account, "vaultAddress " + account.String() + " is neither a sub-account nor a vault of " +
			owner.String() + ", for whom signer " + x.entry.Gate.Signer + " acts"
	}
	return account, ""
}

// accountOfSeveral is accountOfAction for an action that several sign for.
func (s *Server) accountOfSeveral(ctx context.Context, x *exchange, multi *wire.MultiSig) (account marketcache.Wallet,
	why string) {
	signers, err := x.action.InnerSigners(nil, s.cfg.Gate.Network)
	if err != nil {
		return account, err.Error()
	}
	who := make([]marketcache.Wallet, len(signers))
	for i, a := range signers {
		who[i] = marketcache.Wallet(a)
	}
	account = marketcache.Wallet(multi.Payload.User)
	switch may, err := s.cfg.Gate.MayAct(ctx, who, account, true); {
	case err != nil:
		return account, x.signerUnknown(err)
	case !may:
		return account, "not enough of those who may sign for " + account.String() + " together have signed"
	}
	return s.actedOn(ctx, x, account)
}

// signerUnknown answers that the venue has not said for whom a signer acts.
func (x *exchange) signerUnknown(err error) string {
	x.s.warn("signer of an action not known", "error", err.Error())
	x.fail(api.CodeVenueUnavailable, "for whom the signer acts is not known: "+err.Error())
	return unjudged
}

// bears judges the orders of an action on an account, and returns why they are refused, or "". Orders to buy and
// orders to sell of the same asset are judged apart: one may fill without the other.
func (s *Server) bears(x *exchange, account marketcache.Wallet, ledger *gate.Ledger) (why string) {
	a := &x.action
	a.orders = a.Action.Inner().AppendOrders(a.orders[:0])
	a.places = a.places[:0]
	universe := s.cfg.Cache.Universe()
	first := -1
	for i := range a.orders {
		o := &a.orders[i]
		id := universe.ByNumber(int64(o.Asset))
		switch {
		case !o.Enlarges():
			a.places = append(a.places, gate.Pending{Asset: marketcache.NoAsset})
			continue
		case !wire.IsPerp(o.Asset):
			return "orders of spot pairs and outcomes move collateral, which no limit could follow: send them to the " +
				"venue itself"
		case id == marketcache.NoAsset:
			return unknownAsset(o.Asset)
		}
		if first < 0 {
			first = i
		}
		a.places = append(a.places, gate.Pending{Asset: id, Units: signedUnits(o), Lasts: a.lasts()})
	}
	if first < 0 {
		return "nobody can say what this action does to the account"
	}
	x.trade = a.trade(account, first)
	state, now := s.account(x, &x.trade, s.cfg.Engine.Ages().WalletSoft) // an older copy is no basis for an order
	if state == nil {
		return unjudged
	}
	if state.Orders == nil || state.Orders.Reason != "" || state.Orders.Read == 0 ||
		now.Sub(state.Orders.Read) > marketcache.OrdersMaxAge {
		return "the account's resting orders could not be read: send it again in some seconds"
	}
	now = marketcache.Now()
	a.resting = ledger.Pending(a.resting[:0], state, now, s.cfg.Cache.Venue.Clock.VenueMs(now))
	if slices.ContainsFunc(a.resting, func(p gate.Pending) bool { return p.Asset == marketcache.NoAsset }) {
		return "a resting order or TWAP of the account is in an asset that is not known to this service, so nobody " +
			"can count it: cancel it, or follow its dex (--dexes)"
	}
	return s.bearsWays(x, ledger, state, now)
}

// bearsWays judges the orders of an action in each way in which they may fill.
func (s *Server) bearsWays(x *exchange, ledger *gate.Ledger, state *marketcache.Account,
	now marketcache.Instant) (why string) {
	a := &x.action
	for _, buys := range [2]bool{true, false} {
		for i := range a.places {
			if !a.onSide(i, buys) || !a.opens(state, i) {
				continue
			}
			if why = s.bearsSide(x, ledger, state, now, buys, true); why != "" && why != unjudged {
				return why + "; that is if the position that it goes against were closed first: reduce-only it passes"
			} else if why != "" {
				return why
			}
			break
		}
		if why = s.bearsSide(x, ledger, state, now, buys, false); why != "" || !a.both() {
			return why
		}
	}
	return ""
}

func unknownAsset(number uint32) string {
	return "asset " + strconv.Itoa(int(number)) + " is not known to this service: its dex may not be followed (--dexes)"
}
