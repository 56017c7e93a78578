package server

import (
	"context"
	"strconv"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/journal"
	"ballast/server/receipt"
)

// startingPoll is the interval at which a request waits for an asset's history.
const startingPoll = 10 * time.Millisecond

// validate answers POST /v1/validate.
func (s *Server) validate(x *exchange) {
	if bad := x.scanner.Validation(x.ctx.PostBody(), &x.request); bad != nil {
		x.refuse(bad.Code, bad.Detail, api.MendTrade(bad, &x.request, s.cfg.Cache.Universe(), false))
		return
	}
	universe := s.cfg.Cache.Universe()
	if !x.listed(universe) {
		return
	}
	if bad := x.request.Check(universe, &x.trade); bad != nil {
		x.refuse(bad.Code, bad.Detail, api.MendTrade(bad, &x.request, universe, false))
		return
	}
	kind := admission.Plain
	switch {
	case x.trade.MonteCarlo:
		kind = admission.Simulation
	case x.searches():
		kind = admission.Size
	}
	if !x.admit(kind, 1) {
		return
	}
	account, now := s.account(x, &x.trade, s.cfg.Engine.Ages().WalletHard)
	if account == nil || !x.accountItself(account, x.request.Wallet.Value) || !s.snapshot(x, account, now, oneTrade) {
		return
	}
	if bad := x.memory.In.Trade.TooLarge(); bad != nil {
		x.refuse(bad.Code, bad.Detail, api.MendTrade(bad, &x.request, universe, false))
		return
	}
	x.memory.Explain = x.explain || x.compact
	x.limit(&x.trade.Wallet, 0)
	if x.searches() {
		x.leastDeposit()
	} else {
		s.cfg.Engine.Assess(x.memory)
	}
	if bad := x.memory.Refused; bad != nil {
		x.refuse(bad.Code, bad.Detail, api.MendTrade(bad, &x.request, universe, false))
		return
	}
	if x.memory.Late {
		x.failLate("the assessment")
		return
	}
	x.judge()
	s.answer(x)
}

// searches reports whether a deposit is searched.
func (x *exchange) searches() bool { return x.deposit && !x.compact && !x.trade.MonteCarlo }

// leastDeposit assesses the trade and searches its deposit.
func (x *exchange) leastDeposit() {
	x.memory.Pause = x.pause
	x.least = x.s.cfg.Engine.LeastDeposit(x.memory)
	x.memory.Pause = nil
}

// listed reports whether the venue's assets are known, and otherwise answers.
func (x *exchange) listed(universe *marketcache.Universe) bool {
	if len(universe.Assets) > 0 {
		return true
	}
	detail := "the venue's assets have not been read yet"
	if trouble := x.s.cfg.Cache.Venue.Trouble(marketcache.Now()); trouble != "" {
		detail += ": " + trouble
	}
	return x.fail(api.CodeStarting, detail)
}

// ourFault is the detail of an internal error for clients.
const ourFault = "an error of this service, logged under the request id"

// failLate answers when the deadline has passed before what was asked for is done.
func (x *exchange) failLate(what string) bool {
	x.ticket.Done() // it may have worked for long
	return x.fail(api.CodeDeadlineExceeded, what+" could not be computed within "+seconds(x.s.cfg.RequestTimeout)+
		": it has many positions or a simulation, or the service has too much to do")
}

// failNotFinite answers when an assessment has a NaN or an infinity.
func (x *exchange) failNotFinite() bool {
	x.s.metrics.notFinite.Add(1)
	return x.fail(api.CodeInternal, ourFault)
}

// answer encodes the assessment.
func (s *Server) answer(x *exchange) {
	envelope := x.envelope()
	if x.searches() {
		envelope.Deposit = &x.least
	}
	out := &x.memory.Out
	t := x.newBody(bodies)
	var err error
	if t.B, err = api.AppendAssessment(t.B, out, &envelope); err != nil {
		x.failNotFinite()
		return
	}
	x.record(journal.Validate, 0, x.ctx.PostBody(), t.Bytes())
	x.takeDigest()
	t.B = x.appendReceipt(t.B, receipt.Validate, 0)
	x.send(false, !x.trade.MonteCarlo) // compressing would multiply the cost, to save about 3.5 KB
	x.tally.verdicts[out.Recommendation].Add(1)
}

// subject says what a snapshot must contain.
type subject uint8

const (
	oneTrade    subject = iota // x.trade
	tradesInRow                // x.batch
	wholeWallet                // all open positions
)

// fill takes the snapshot as of now.
func (x *exchange) fill(what subject, account *marketcache.Account, now marketcache.Instant) risk.Unavailable {
	s, in := x.s, &x.memory.In
	cache, engine := s.cfg.Cache, s.cfg.Engine
	age, wallMs := max(0, now.Sub(account.Received)), cache.Venue.Clock.VenueMs(now)
	switch what {
	case tradesInRow:
		return x.batch.fill(engine.NewBatch(cache, account, age, now, wallMs), in)
	case wholeWallet:
		return engine.FillWallet(in, cache, account, age, now, wallMs)
	}
	return engine.Fill(in, cache, &x.trade, account, age, now, wallMs)
}

// snapshot waits for the request's turn and takes the snapshot for the assessment, all as of one Instant.
// It waits for data that may still arrive. It answers and returns false if something is missing.
func (s *Server) snapshot(x *exchange, account *marketcache.Account, now marketcache.Instant, what subject) bool {
	cache := s.cfg.Cache
	var deadline marketcache.Instant
	again := false // the wallet has been read again
	for {
		waited, refusal := x.ticket.Wait()
		switch {
		case refusal != admission.Admitted:
			return x.fail(api.CodeOverloaded, refusal.String())
		case waited:
			if now = marketcache.Now(); now > x.memory.Deadline {
				x.ticket.Cancel() // it has not worked
				return x.failLate("the assessment")
			}
		}
		missing := x.fill(what, account, now)
		switch missing.Reason {
		case risk.Complete:
			x.ticket.EndOutside()
			s.wallets.see(x.memory.In.WalletAge, now)
			return true
		case risk.StaleData:
			return x.failTooOld(s.what(&missing), missing.Age, missing.Limit)
		case risk.Unread:
			return x.fail(api.CodeVenueError,
				"the venue does not tell the wallet's state on the dex of "+cache.Universe().Asset(missing.Asset).Name)
		case risk.Inconsistent:
			if missing.What == "wallet" && !again {
				if reread := s.reread(x, account.Wallet); reread != nil {
					account, now, again = reread, marketcache.Now(), true
					continue
				}
			}
			return s.failInconsistent(x, &missing)
		}
		cache.Want(missing.Asset)
		if deadline == 0 {
			deadline = now.Add(s.cfg.StartingWait)
		}
		switch {
		case cache.Venue.BreakerOpen.Load() && !cache.Venue.Connected.Load():
			return x.fail(api.CodeVenueUnavailable, cache.Venue.Trouble(now)+"; not read yet: "+s.what(&missing))
		case now >= deadline:
			return x.fail(api.CodeStarting, "not read yet from the venue: "+s.what(&missing))
		case !x.ticket.BeginOutside():
			return x.fail(api.CodeOverloaded, tooManyWait)
		}
		time.Sleep(startingPoll)
		now = marketcache.Now()
	}
}

// what returns the name of a missing input.
func (s *Server) what(m *risk.Unavailable) string { return m.What + s.of(m.Asset) }

// of returns the name of an asset as the end of a phrase, "" for no asset.
func (s *Server) of(id marketcache.AssetID) string {
	if a := s.cfg.Cache.Universe().Asset(id); a != nil {
		return " of " + a.Name
	}
	return ""
}

// failTooOld refuses to answer from data beyond their limit.
func (x *exchange) failTooOld(what string, age, limit time.Duration) bool {
	return x.fail(api.CodeStaleMarketData, "the "+what+" is "+seconds(age)+" old, the limit is "+seconds(limit))
}

// seconds formats a duration as seconds with at most one decimal.
func seconds(d time.Duration) string {
	return strconv.FormatFloat(float64(d.Round(100*time.Millisecond))/float64(time.Second), 'f', -1, 64) + " s"
}

// reread reads a wallet again after its mark prices differed from the market's. It returns nil on failure.
func (s *Server) reread(x *exchange, w marketcache.Wallet) *marketcache.Account {
	if !x.ticket.BeginOutside() {
		return nil
	}
	defer x.ticket.EndOutside()
	ctx, cancel := context.WithTimeout(s.life, staleWait)
	defer cancel()
	account, err := s.load(ctx, w, marketcache.NoAsset, marketcache.Caller{ID: s.caller(x)})
	if err != nil {
		return nil
	}
	return account
}

// failInconsistent answers that prices of an asset contradict each other, so only what reduces a position is assessed.
func (s *Server) failInconsistent(x *exchange, m *risk.Unavailable) bool {
	d := &x.memory.In.Divergence
	mark, other := strconv.FormatFloat(d.Mark, 'g', -1, 64), strconv.FormatFloat(d.Other, 'g', -1, 64)
	return x.fail(api.CodeInconsistentData, "the mark price"+s.of(m.Asset)+" is "+mark+
		", by the "+m.What+" it is "+other+"; only what reduces a position is assessed")
}
