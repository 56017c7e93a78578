package server

import (
	"context"
	"errors"
	"time"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/marketcache"
	"ballast/server/api"
)

const (
	// staleWait is how long a request waits for the venue when the cache has a copy within the hard
	// limit: several times the venue's usual answer time.
	staleWait = 500 * time.Millisecond
	// moreWait is how much longer it waits for what an assessment can do without.
	moreWait = time.Second
)

// account returns the wallet's state and the Instant at which to judge its age; nil, and answers, if the
// wallet cannot be read.
//
// Up to the soft limit the cached copy is used; in the second half of that time it is also read
// again in the background. The venue is asked now if the copy is older or missing, or lacks what the trade
// needs or could use: the leverage setting, the role of an empty wallet, resting orders. If that fails or
// takes longer than staleWait and moreWait, a copy within the limit is used and the engine flags what it
// lacks. While the venue is that slow, further requests use the copy at once and the venue is asked in the
// background only.
func (s *Server) account(x *exchange, t *risk.Trade, limit time.Duration) (*marketcache.Account, marketcache.Instant) {
	cache, now, soft := s.cfg.Cache, x.at, s.cfg.Engine.Ages().WalletSoft
	if s.cfg.Asked != nil {
		s.cfg.Asked(t.Wallet, t.Asset, now)
	}
	copied, age, have := cache.Account(&t.Wallet, now, marketcache.Forever)
	needs := marketcache.NoAsset
	if usesSetting(t) && (!have || lacksSetting(copied, t.Asset, now)) {
		needs = t.Asset
	}
	lacks := have && (needs != marketcache.NoAsset || lacksMore(copied, now))
	if have && !lacks && age <= soft {
		if age > soft/2 {
			s.refresher.request(x, t.Wallet, now)
		}
		return copied, now
	}
	asked := now
	deadline := x.started.Add(s.cfg.RequestTimeout)
	usable := have && age <= limit
	if usable {
		if s.refresher.takesLong(t.Wallet, now) {
			return copied, now
		}
		deadline = x.patience(lacks)
	}
	if !x.ticket.BeginOutside() {
		if usable {
			return copied, now
		}
		x.fail(api.CodeOverloaded, tooManyWait)
		return nil, now
	}
	defer x.ticket.EndOutside()
	ctx, cancel := context.WithDeadline(s.life, deadline)
	defer cancel()
	reread, err := s.load(ctx, t.Wallet, needs, marketcache.Caller{ID: s.caller(x), Ahead: x.watch.spare})
	now = marketcache.Now()
	if err == nil {
		return reread, now
	}
	// Another request may have read the wallet meanwhile.
	if copied, _, have = cache.Account(&t.Wallet, now, limit); have {
		if errors.Is(err, context.DeadlineExceeded) {
			s.refresher.request(x, t.Wallet, asked)
		}
		return copied, now
	}
	s.failLoad(x, err, now.Sub(asked))
	return nil, now
}

// patience returns until when the request waits for a wallet of which there is a usable copy. A batch asks for
// many settings, one after another; they may take half of its time.
func (x *exchange) patience(lacks bool) time.Time {
	wait := staleWait
	if lacks {
		wait += moreWait
	}
	until, half := time.Now().Add(wait), x.started.Add(x.s.cfg.RequestTimeout/2)
	if half.Before(until) {
		return half
	}
	return until
}

// usesSetting reports whether a trade leaves leverage or mode to the wallet's setting.
func usesSetting(t *risk.Trade) bool {
	return t.Asset != marketcache.NoAsset && (t.Leverage == 0 || !t.ModeGiven)
}

// lacksSetting reports whether the wallet's leverage setting in an asset is to be read: the wallet has no
// position in it, whose leverage and mode count, and the setting was not read recently.
func lacksSetting(a *marketcache.Account, id marketcache.AssetID, now marketcache.Instant) bool {
	if a.PositionIn(id) >= 0 {
		return false
	}
	setting, ok := a.Setting(id)
	return !ok || now.Sub(setting.Read) > marketcache.SettingMaxAge
}

// lacksMore reports whether the role of an empty wallet or its resting orders are to be read.
func lacksMore(a *marketcache.Account, now marketcache.Instant) bool {
	return a.Role == marketcache.RoleUnknown || a.Orders != nil && now.Sub(a.Orders.Asked) > marketcache.OrdersEvery
}

// accountItself reports whether a wallet is an account. Otherwise it is the address of a key, which holds
// nothing by design, and the answer names the account.
func (x *exchange) accountItself(account *marketcache.Account, got []byte) bool {
	if !isAPIWallet(account) {
		return true
	}
	detail, how := api.APIWallet(printable.Text(got), account.Owner)
	return x.refuse(api.CodeAPIWallet, detail, how)
}

// ownerOf returns the account of an API wallet, if the wallet is known as one.
func (s *Server) ownerOf(w marketcache.Wallet) (account marketcache.Wallet, is bool) {
	if a, _, have := s.cfg.Cache.Account(&w, marketcache.Now(), marketcache.Forever); have && isAPIWallet(a) {
		return a.Owner, true
	}
	return marketcache.Wallet{}, false
}

func isAPIWallet(account *marketcache.Account) bool {
	return account.Role == marketcache.RoleAgent && account.Owner != marketcache.Wallet{}
}

const tooManyWait = "too many requests wait for the venue"

// load reads a wallet from the venue on behalf of a caller.
func (s *Server) load(ctx context.Context, w marketcache.Wallet, needs marketcache.AssetID,
	caller marketcache.Caller) (*marketcache.Account, error) {
	a, err := s.cfg.LoadAccount(marketcache.WithCaller(ctx, caller), w, needs)
	if err != nil && s.life.Err() == nil {
		s.metrics.loadFailed(err)
	}
	return a, err
}

// caller returns the id of the request's key. The id is looked up on demand: most requests do not need it.
func (s *Server) caller(x *exchange) string {
	if x.watch.key != "" {
		return x.watch.key
	}
	caller, _ := s.lookup(x)
	return caller.ID
}

// failLoad answers when a wallet could not be read. The answer names the time spent, because LoadAccount
// may give up before the request's deadline.
func (s *Server) failLoad(x *exchange, err error, spent time.Duration) bool {
	refused, ok := errors.AsType[*marketcache.VenueError](err)
	switch {
	case ok && refused.Kind == marketcache.ErrShare: // at once, or after it waited for weight
		return x.failUntil(api.CodeRateLimited, refused.Detail, refused.Wait)
	case errors.Is(err, context.DeadlineExceeded):
		return x.fail(api.CodeDeadlineExceeded,
			"the wallet could not be read within "+seconds(max(spent, 100*time.Millisecond)))
	case errors.Is(err, context.Canceled):
		return x.fail(api.CodeOverloaded, "the service is shutting down")
	}
	code, after := s.cfg.Classify(err)
	s.warn("wallet not read", "error", err.Error())
	detail := "the wallet could not be read from the venue"
	if errors.Is(err, marketcache.ErrBudget) {
		detail += ": the request weight that this service may spend there in a minute is spent"
	} else if errors.Is(err, marketcache.ErrContradiction) {
		detail = "the wallet's figures contradict each other, read twice: " + refused.Detail
	}
	return x.failUntil(code, detail, after)
}
