package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/api"
)

const (
	// settingMaxAge is how long a wallet's own leverage setting is taken as read.
	settingMaxAge = 10 * time.Minute
	// staleWait is how long a request waits for the venue while a copy within the hard limit
	// is at hand: some times what the venue takes when it is well.
	staleWait = 500 * time.Millisecond
)

// account finds the wallet's state and the instant to judge its age at.
//
// Up to the soft limit the cache's copy will do; in the second half of that time it is
// also read anew in the background. Beyond, or without a copy, or when the request leaves
// out its leverage and the wallet's own setting is not known, the venue is asked now; if
// that fails or takes longer than staleWait, a copy within the limit is used and the
// engine flags its age. While the venue is that slow, it is asked in the background only: no
// request waits for what another has waited for in vain.
func (s *Server) account(x *exchange, t *risk.Trade, limit time.Duration) (*marketcache.Account, marketcache.Instant, failure) {
	cache, now, soft := s.cfg.Cache, x.at, s.cfg.Engine.Ages().WalletSoft
	held, age, have := cache.Account(&t.Wallet, now, marketcache.Forever)
	needs := marketcache.NoAsset
	if t.Leverage == 0 && s.settingState(held, t, now) != settingKnown {
		needs = t.Asset
	}
	if have && needs == marketcache.NoAsset && age <= soft {
		if age > soft/2 {
			s.refresher.ask(x, t.Wallet, now)
		}
		return held, now, failure{}
	}
	asked := now
	wait := s.cfg.RequestTimeout
	does := have && s.wouldDo(held, t, now, limit)
	if does {
		if s.refresher.takesLong(t.Wallet, now) {
			return held, now, failure{}
		}
		wait = min(wait, staleWait)
	}
	if !x.beginWait() {
		if does {
			return held, now, failure{}
		}
		return nil, now, failure{code: api.CodeOverloaded, detail: "too many requests wait for the venue"}
	}
	defer x.endWait()
	ctx, cancel := context.WithDeadline(s.life, x.started.Add(wait))
	defer cancel()
	fresh, err := s.load(ctx, t.Wallet, needs, marketcache.Caller{ID: s.caller(x), Closes: t.Action == risk.ActionClose})
	now = marketcache.Now()
	if err == nil {
		if needs != marketcache.NoAsset && s.settingState(fresh, t, now) == settingUnknown {
			s.unset.note(unsetKey{t.Wallet, t.Asset}, now)
		}
		return fresh, now, failure{}
	}
	// Somebody else may have read it meanwhile.
	if held, _, have = cache.Account(&t.Wallet, now, limit); have && s.wouldDo(held, t, now, limit) {
		if errors.Is(err, context.DeadlineExceeded) {
			s.refresher.ask(x, t.Wallet, asked)
		}
		return held, now, failure{}
	}
	return nil, now, s.loadFailure(err)
}

// load reads a wallet from the venue, on behalf of a key.
func (s *Server) load(ctx context.Context, w marketcache.Wallet, needs marketcache.AssetID, caller marketcache.Caller) (*marketcache.Account, error) {
	a, err := s.cfg.LoadAccount(marketcache.WithCaller(ctx, caller), w, needs)
	if err != nil && s.life.Err() == nil {
		s.metrics.loadFailed(err)
	}
	return a, err
}

// caller is the id of the key of a request. A request that needs nothing from the venue needs no
// id, so it is looked up again.
func (s *Server) caller(x *exchange) string {
	caller, _ := s.lookup(x)
	return caller.ID
}

// wouldDo reports whether a copy would do, if the venue cannot be asked.
func (s *Server) wouldDo(a *marketcache.Account, t *risk.Trade, now marketcache.Instant, limit time.Duration) bool {
	return now.Sub(a.Received) <= limit &&
		(t.Leverage > 0 || s.settingState(a, t, now) != settingUnknown)
}

// loadFailure is the answer to a wallet that could not be read.
func (s *Server) loadFailure(err error) failure {
	if errors.Is(err, context.DeadlineExceeded) {
		return failure{code: api.CodeDeadlineExceeded, detail: "the wallet could not be read within " + seconds(s.cfg.RequestTimeout)}
	}
	if errors.Is(err, context.Canceled) {
		return failure{code: api.CodeOverloaded, detail: "the service is shutting down"}
	}
	if refused := (*marketcache.VenueError)(nil); errors.As(err, &refused) && refused.Kind == marketcache.ErrShare {
		return failure{code: api.CodeRateLimited, detail: refused.Detail, after: refused.Wait}
	}
	code, after := s.cfg.Classify(err)
	s.warn("wallet not read", "error", err.Error())
	return failure{code: code, detail: "the wallet could not be read from the venue", after: after}
}

// settingAge says whether the leverage to assume without one in the request is known.
type settingAge uint8

const (
	settingKnown   settingAge = iota // by an open position, or asked for lately
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

// unsetKey is an asset in which a wallet has no setting of its own.
type unsetKey struct {
	wallet marketcache.Wallet
	asset  marketcache.AssetID
}

// maxUnset bounds the table; when it is full it begins anew, at the cost of asking again.
const maxUnset = 8192

// unsetSettings remembers that the venue was asked for a setting and has none, or each
// request would ask again.
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
