package hyperliquid

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// accountLoader reads wallets from the venue. A wallet has at most one read under way; callers
// that ask for it meanwhile share that read. The read continues when the caller that started it
// gives up, because others may wait for it.
type accountLoader struct {
	f     *Feed
	slots chan struct{} // one token for each read under way
	wg    sync.WaitGroup
	// discoveries limits, per minute, the reads of dexes on which a wallet had no position.
	discoveries *feed.SlidingLimit

	settings laterSettings

	mu      sync.Mutex
	flights map[marketcache.Wallet]*flight
}

// flight is one read of one wallet.
type flight struct {
	caller  marketcache.Caller
	setting marketcache.AssetID // the asset whose leverage setting this read brings; NoAsset: none
	done    chan struct{}
	account *marketcache.Account
	err     error
}

const (
	maxFlights  = 1024 // reads under way or waiting for a slot
	flightSlots = 32   // maximum number of reads under way
	flightLimit = 10 * time.Second
	walletWait  = time.Second // maximum wait for request weight of a key that is not alone

	// A position on a dex that the wallet did not use before cannot always be inferred. All dexes are
	// therefore read every discoverEvery, with at most discoverShare of the request weight, and those of an account
	// under portfolio margin each time.
	discoverEvery = time.Minute
	discoverShare = 0.1

	// stateFresh: when only a leverage setting, a role or orders are missing, a state younger than this is
	// not read again.
	stateFresh = time.Second
	// renewEvery is the time after which mode and fees are read again.
	renewEvery = 10 * time.Minute
	// modeMaxAge is how long the last known account mode is used when the mode cannot be read.
	modeMaxAge = time.Hour

	// The venue's fees without discounts (docs/venue.md).
	baseTakerRate = 0.00045
	baseMakerRate = 0.00015
)

// Request weights of the parts of an account.
const (
	stateWeight, spotWeight, modeWeight, feesWeight, settingWeight, roleWeight, ordersWeight = 2, 2, 20, 20, 20, 60, 20
)

func newAccountLoader(f *Feed) *accountLoader {
	return &accountLoader{
		f: f, slots: make(chan struct{}, flightSlots),
		discoveries: feed.NewSlidingLimit(max(1,
			int(discoverShare*float64(cmp.Or(f.cfg.Budget, venueWeight)))/stateWeight)),
		flights: map[marketcache.Wallet]*flight{},
	}
}

// firstWeight returns the weight of the first read of a wallet, without what it can do without.
func (f *Feed) firstWeight() int {
	return parts{state: true, mode: true, fees: true}.weight(1 + len(f.dexes.mayHold()))
}

// readAccount reads a wallet from the venue now, stores it in the cache and returns it.
// needSetting is an asset whose leverage setting the caller needs, or NoAsset. The setting is
// read if the wallet has no position in the asset and no setting younger than
// marketcache.SettingMaxAge is known. A setting, a role or resting orders that cannot be read within
// moreWait are no error: the returned account lacks them.
//
// Errors: marketcache.ErrShare, ErrBudget, ErrVenue, ErrUnavailable, or the context's error.
// Concurrent calls for one wallet share one read, which is charged to the first caller.
func (f *Feed) readAccount(
	ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID) (*marketcache.Account, error,
) {
	caller := marketcache.CallerOf(ctx)
	for {
		load := func(ctx context.Context) (*marketcache.Account, error) {
			return f.accounts.load(ctx, w, needSetting, caller)
		}
		fl, mine, err := f.accounts.join(w, needSetting, caller, load)
		if err != nil {
			return nil, err
		}
		select {
		case <-fl.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if !mine && fl.caller != caller && errors.Is(fl.err, marketcache.ErrShare) {
			continue // the shared read was refused on behalf of another caller
		}
		if fl.err != nil {
			return nil, fl.err
		}
		if mine || fl.setting == needSetting || !f.accounts.lacks(fl.account, needSetting) {
			return fl.account, nil
		}
		// The shared read did not bring this setting.
	}
}

// join returns the read of a wallet that is under way, or starts one.
func (l *accountLoader) join(
	w marketcache.Wallet, setting marketcache.AssetID, caller marketcache.Caller,
	read func(context.Context) (*marketcache.Account, error),
) (fl *flight, mine bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if fl := l.flights[w]; fl != nil {
		return fl, false, nil
	}
	if len(l.flights) >= maxFlights {
		return nil, false, &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: time.Second,
			Detail: "too many wallets at once"}
	}
	if l.f.life.Err() != nil {
		return nil, false, &marketcache.VenueError{Kind: marketcache.ErrUnavailable, Detail: "shutting down"}
	}
	fl = &flight{caller: caller, setting: setting, done: make(chan struct{})}
	l.flights[w] = fl
	l.wg.Go(func() {
		defer func() {
			l.mu.Lock()
			delete(l.flights, w)
			l.mu.Unlock()
			close(fl.done)
		}()
		fl.err = l.f.supervisor.Guard("account", func() error {
			ctx, cancel := context.WithTimeout(l.f.life, flightLimit)
			defer cancel()
			var err error
			fl.account, err = read(ctx)
			return err
		})
	})
	return fl, true, nil
}

// lacks reports whether the venue should be asked for the wallet's leverage in an asset.
func (l *accountLoader) lacks(a *marketcache.Account, id marketcache.AssetID) bool {
	if id == marketcache.NoAsset || a == nil || a.PositionIn(id) >= 0 || l.f.cache.Universe().Asset(id) == nil {
		return false
	}
	s, ok := a.Setting(id)
	return !ok || marketcache.Now().Sub(s.Read) > marketcache.SettingMaxAge
}

// walletRead is one read of a wallet.
type walletRead struct {
	*accountLoader
	wallet   marketcache.Wallet
	caller   marketcache.Caller
	setting  marketcache.AssetID  // whose leverage setting to bring; NoAsset: none
	old      *marketcache.Account // the last known state, nil if unknown
	due      parts
	dexes    []string // whose state to read, the main dex first
	discover bool     // these are all on which the wallet may have positions
}

// plan decides what a read of a wallet brings.
func (l *accountLoader) plan(
	w marketcache.Wallet, setting marketcache.AssetID, caller marketcache.Caller,
) *walletRead {
	f, now := l.f, marketcache.Now()
	r := &walletRead{accountLoader: l, wallet: w, caller: caller, setting: setting}
	old, age, held := f.cache.Account(&w, now, marketcache.Forever)
	if !held {
		r.due = parts{state: true, mode: true, fees: true}
	} else {
		r.old = old
		onlyMore := age <= stateFresh && (l.lacks(old, setting) || old.Role == marketcache.RoleUnknown ||
			r.ordersDue(old))
		r.due = parts{
			state: !onlyMore,
			mode:  old.ModeRead == 0 || now.Sub(old.ModeRead) > renewEvery,
			fees:  old.FeesRead == 0 || now.Sub(old.FeesRead) > renewEvery,
		}
	}
	r.dexes, r.discover = l.dexesOf(r.old, setting)
	return r
}

// load reads a wallet: concurrently the parts that are due (state, mode, fees, spot balances), then, if
// needed, its role, the leverage setting and resting orders. The weight of the first is acquired at once, so
// that no read stops half-way for lack of weight; what follows acquires its own.
func (l *accountLoader) load(
	ctx context.Context, w marketcache.Wallet, setting marketcache.AssetID, caller marketcache.Caller,
) (*marketcache.Account, error) {
	r := l.plan(w, setting, caller)
	var g *feed.Grant
	if r.due.state {
		var err error
		if g, err = r.admit(ctx); err != nil {
			return nil, err
		}
		defer g.Release()
	}
	return r.read(ctx, g)
}

// later reads a wallet with weight that came after its caller was refused, unless it was read meanwhile.
func (r *walletRead) later(g *feed.Grant) {
	defer g.Release()
	if a, _, held := r.f.cache.Account(&r.wallet, marketcache.Now(), marketcache.Forever); held && a != r.old {
		return
	}
	fl, mine, err := r.join(r.wallet, r.setting, r.caller, func(ctx context.Context) (*marketcache.Account, error) {
		return r.read(ctx, g)
	})
	if mine && err == nil {
		<-fl.done
	}
}

// read reads what was planned, with the weight of g.
func (r *walletRead) read(ctx context.Context, g *feed.Grant) (*marketcache.Account, error) {
	f := r.f
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		const detail = "no slot for another wallet"
		return nil, &marketcache.VenueError{Kind: marketcache.ErrUnavailable, Wait: time.Second, Detail: detail}
	}
	next, empty := &marketcache.Account{}, false
	if r.due.state {
		s, err := r.readState(ctx, g)
		if err != nil {
			return nil, err
		}
		next, empty = s.account, s.empty
	} else {
		*next, empty = *r.old, r.old.Role != ""
	}
	r.readMore(ctx, next, empty)
	if r.due.state {
		f.streams.compare(next, r.old)
	}
	f.cache.StoreAccount(next)
	return next, nil
}

// readState reads the state, and again if some of the venue's machines lag behind.
func (r *walletRead) readState(ctx context.Context, g *feed.Grant) (*walletState, error) {
	f, old := r.f, r.old
	s, err := r.fetchState(ctx, g)
	if errors.Is(err, marketcache.ErrContradiction) {
		again, busy := r.acquire(ctx, feed.Read{Weight: r.due.weight(len(r.dexes)), Patience: walletWait})
		if busy != nil {
			return nil, err
		}
		defer again.Release()
		s, err = r.fetchState(ctx, again)
	}
	if err != nil {
		return nil, err
	}
	all := append([]string{""}, f.dexes.mayHold()...)
	moved := len(r.dexes) < len(all) && (moneyMoved(old, s.account) || marginMoved(old, s.account))
	if !s.mixed && !moved && !f.older(s.account, old) && !s.account.Misquoted {
		return s, nil
	}
	if s.mixed || moved { // the wallet may now use another dex: read all
		r.dexes, r.discover = all, true
	}
	again, err := r.acquire(ctx, feed.Read{Weight: parts{state: true}.weight(len(r.dexes)), Patience: walletWait})
	if err != nil {
		return nil, err
	}
	defer again.Release()
	if s.empty {
		s.account.Role = marketcache.RoleUnknown // whether it still is needs the spot balances
	}
	r.old, r.due.mode, r.due.fees = s.account, false, false
	if s, err = r.fetchState(ctx, again); err != nil {
		return nil, err
	}
	r.old = old
	if s.mixed { // the collateral is uncertain: treat it as in an account with one pool
		s.account.Pools, s.account.ModeUncertain = nil, true
		for i := range s.account.Positions {
			p := &s.account.Positions[i]
			if p.Pool = 0; !p.Isolated {
				p.RawUSD = 0
			}
		}
	}
	if f.older(s.account, old) {
		f.setAside(asideOlder, r.wallet.String())
		const detail = "clearinghouseState: older than one read before"
		return nil, &marketcache.VenueError{Kind: marketcache.ErrVenue, Wait: time.Second, Detail: detail}
	}
	return s, nil
}

// parts are the parts of a wallet that a read brings together.
type parts struct{ state, mode, fees bool }

// renewal is the request weight of mode and fees, which are read only together with the state.
func (p parts) renewal() (weight int) {
	if p.state && p.mode {
		weight += modeWeight
	}
	if p.state && p.fees {
		weight += feesWeight
	}
	return weight
}

// weight is the request weight of all parts; the state is read on the given number of dexes.
func (p parts) weight(dexes int) int {
	weight := p.renewal()
	if p.state {
		weight += stateWeight*dexes + spotWeight
	}
	return weight
}

// admit waits for the request weight of the parts that are due. One read of a known wallet renews its mode or its
// fees, not both, and neither while weight is short: positions matter more.
func (r *walletRead) admit(ctx context.Context) (*feed.Grant, error) {
	old := r.old
	known := old != nil && old.ModeRead != 0 && old.FeesRead != 0 &&
		marketcache.Now().Sub(min(old.ModeRead, old.FeesRead)) <= modeMaxAge
	r.due.fees = r.due.fees && !(known && r.due.mode)
	if known && r.due.renewal() > 0 {
		if g, err := r.acquire(ctx, feed.Read{Weight: r.due.weight(len(r.dexes)), Spare: true}); err == nil {
			return g, nil
		}
		r.due.mode, r.due.fees = false, false
	}
	return r.acquire(ctx, feed.Read{Weight: r.due.weight(len(r.dexes)), Patience: walletWait, Later: r.later})
}

// acquire waits for request weight, which counts for the caller.
func (r *walletRead) acquire(ctx context.Context, read feed.Read) (*feed.Grant, error) {
	read.Class, read.Key, read.Spare = feed.ForWallet, r.caller.ID, read.Spare || r.caller.Ahead
	if r.old != nil && read.Weight < roleWeight {
		read.Class, read.Last = feed.ForKnown, r.old.Received
	}
	return r.f.queue.Acquire(ctx, read)
}

// dexesOf returns the dexes whose state of a wallet to read, the main dex first. These are the
// dexes that the wallet uses and the dex of the setting's asset, or, with discover, all dexes on
// which the wallet may have positions.
func (l *accountLoader) dexesOf(old *marketcache.Account, setting marketcache.AssetID) (dexes []string, discover bool) {
	dexes = []string{""}
	others, now := l.f.dexes.mayHold(), marketcache.Now()
	age := time.Duration(0)
	if old != nil {
		age = now.Sub(old.DexesRead)
	}
	// nothing tells of positions elsewhere under portfolio margin
	if old == nil || old.DexesRead == 0 || age > renewEvery || old.Mode == marketcache.ModePortfolioMargin ||
		age >= discoverEvery && l.discoveries.Acquire(now, len(others), 0) {
		return append(dexes, others...), true
	}
	uses := append(l.f.streams.dexes(old.Wallet), old.Dexes...)
	if a := l.f.cache.Universe().Asset(setting); a != nil {
		uses = append(uses, a.Dex)
	}
	for _, dex := range uses {
		if !slices.Contains(dexes, dex) {
			dexes = append(dexes, dex)
		}
	}
	return dexes, false
}
