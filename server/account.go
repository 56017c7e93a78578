package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/marketcache"
	"ballast/server/api"
)

const (
	// settingMaxAge is how long a wallet's leverage setting counts as current.
	settingMaxAge = 10 * time.Minute
	// staleWait is how long a request waits for the venue when the cache has a copy within the hard
	// limit: several times the venue's usual answer time.
	staleWait = 500 * time.Millisecond
)

// account returns the wallet's state and the Instant at which to judge its age; nil, and answers, if the
// wallet cannot be read.
//
// Up to the soft limit the cached copy is used; in the second half of that time it is also read
// again in the background. The venue is asked now if the copy is older or missing, or if the request
// gives no leverage and the wallet's setting is unknown. If that fails or takes longer than staleWait,
// a copy within the limit is used and the engine flags its age. While the venue is that slow, further
// requests use the copy at once and the venue is asked in the background only.
func (s *Server) account(x *exchange, t *risk.Trade, limit time.Duration) (*marketcache.Account, marketcache.Instant) {
	cache, now, soft := s.cfg.Cache, x.at, s.cfg.Engine.Ages().WalletSoft
	copied, age, have := cache.Account(&t.Wallet, now, marketcache.Forever)
	needs := marketcache.NoAsset
	if t.Leverage == 0 && s.settingState(copied, t, now) != settingKnown {
		needs = t.Asset
	}
	if have && needs == marketcache.NoAsset && age <= soft {
		if age > soft/2 {
			s.refresher.request(x, t.Wallet, now)
		}
		return copied, now
	}
	asked := now
	wait := s.cfg.RequestTimeout
	usable := have && s.wouldDo(copied, t, now, limit)
	if usable {
		if s.refresher.takesLong(t.Wallet, now) {
			return copied, now
		}
		wait = min(wait, staleWait)
	}
	if !x.ticket.BeginOutside() {
		if usable {
			return copied, now
		}
		x.fail(api.CodeOverloaded, tooManyWait)
		return nil, now
	}
	defer x.ticket.EndOutside()
	ctx, cancel := context.WithDeadline(s.life, x.started.Add(wait))
	defer cancel()
	reread, err := s.load(ctx, t.Wallet, needs, marketcache.Caller{ID: s.caller(x), Closes: t.Action == risk.ActionClose})
	now = marketcache.Now()
	if err == nil {
		if needs != marketcache.NoAsset && s.settingState(reread, t, now) == settingUnknown {
			s.unset.note(unsetKey{t.Wallet, t.Asset}, now)
		}
		return reread, now
	}
	// Another request may have read the wallet meanwhile.
	if copied, _, have = cache.Account(&t.Wallet, now, limit); have && s.wouldDo(copied, t, now, limit) {
		if errors.Is(err, context.DeadlineExceeded) {
			s.refresher.request(x, t.Wallet, asked)
		}
		return copied, now
	}
	s.failLoad(x, err, now.Sub(asked))
	return nil, now
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
	return account.Role == api.RoleAgent && account.Owner != marketcache.Wallet{}
}

const tooManyWait = "too many requests wait for the venue"

// load reads a wallet from the venue on behalf of a caller.
func (s *Server) load(ctx context.Context, w marketcache.Wallet, needs marketcache.AssetID, caller marketcache.Caller) (*marketcache.Account, error) {
	a, err := s.cfg.LoadAccount(marketcache.WithCaller(ctx, caller), w, needs)
	if err != nil && s.life.Err() == nil {
		s.metrics.loadFailed(err)
	}
	return a, err
}

// caller returns the id of the request's key. The id is looked up on demand: most requests do not need it.
func (s *Server) caller(x *exchange) string {
	caller, _ := s.lookup(x)
	return caller.ID
}

// wouldDo reports whether a copy can be used if the venue does not answer.
func (s *Server) wouldDo(a *marketcache.Account, t *risk.Trade, now marketcache.Instant, limit time.Duration) bool {
	return now.Sub(a.Received) <= limit &&
		(t.Leverage > 0 || s.settingState(a, t, now) != settingUnknown)
}

// failLoad answers when a wallet could not be read. The answer names the time spent, because LoadAccount
// may give up before the request's deadline.
func (s *Server) failLoad(x *exchange, err error, spent time.Duration) bool {
	refused, ok := errors.AsType[*marketcache.VenueError](err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return x.fail(api.CodeDeadlineExceeded, "the wallet could not be read within "+seconds(max(spent, 100*time.Millisecond)))
	case errors.Is(err, context.Canceled):
		return x.fail(api.CodeOverloaded, "the service is shutting down")
	case ok && refused.Kind == marketcache.ErrShare:
		return x.failUntil(api.CodeRateLimited, refused.Detail, refused.Wait)
	}
	code, after := s.cfg.Classify(err)
	s.warn("wallet not read", "error", err.Error())
	detail := "the wallet could not be read from the venue"
	if errors.Is(err, marketcache.ErrBudget) {
		detail += ": the request weight that this service may spend there in a minute is spent"
	}
	return x.failUntil(code, detail, after)
}

// settingAge says whether the wallet's leverage setting is known, for a request without leverage.
type settingAge uint8

const (
	settingKnown   settingAge = iota // from an open position, or read recently
	settingOld                       // read, but longer than settingMaxAge ago
	settingUnknown                   // never read
)

func (s *Server) settingState(a *marketcache.Account, t *risk.Trade, now marketcache.Instant) settingAge {
	if a == nil {
		return settingUnknown
	}
	if a.PositionIn(t.Asset) >= 0 {
		return settingKnown
	}
	setting, ok := a.Setting(t.Asset)
	switch {
	case !ok && s.unset.holds(unsetKey{t.Wallet, t.Asset}, now):
		return settingKnown
	case !ok:
		return settingUnknown
	case now.Sub(setting.Read) > settingMaxAge:
		return settingOld
	}
	return settingKnown
}

// unsetKey is a wallet and an asset in which it has no leverage setting.
type unsetKey struct {
	wallet marketcache.Wallet
	asset  marketcache.AssetID
}

// maxUnset is the maximum size of unsetSettings. A full table is cleared, and the venue is asked again.
const maxUnset = 8192

// unsetSettings remembers that the venue has no setting for a wallet and an asset, so that not every
// request asks again.
type unsetSettings struct {
	mu   sync.Mutex
	read map[unsetKey]marketcache.Instant
}

func (u *unsetSettings) note(k unsetKey, now marketcache.Instant) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.read == nil || len(u.read) >= maxUnset {
		u.read = make(map[unsetKey]marketcache.Instant)
	}
	u.read[k] = now
}

func (u *unsetSettings) holds(k unsetKey, now marketcache.Instant) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	at, ok := u.read[k]
	return ok && now.Sub(at) <= settingMaxAge
}
