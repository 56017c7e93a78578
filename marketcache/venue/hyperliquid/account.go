package hyperliquid

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// accountLoader reads wallets from the venue. A wallet has at most one read under way; callers
// that ask for it meanwhile share that read. The read continues when the caller that started it
// gives up, because others may wait for it.
type accountLoader struct {
	f      *Feed
	shares *feed.Shares
	slots  chan struct{} // one token for each read under way
	wg     sync.WaitGroup
	// discoveries limits, per minute, the reads of dexes on which a wallet had no position.
	discoveries *feed.SlidingLimit

	mu      sync.Mutex
	flights map[marketcache.Wallet]*flight
	// unset is when the venue last said that a wallet has no leverage setting in an asset. The
	// venue is not asked again for every trade.
	unset map[settingKey]marketcache.Instant
}

type settingKey struct {
	wallet marketcache.Wallet
	asset  marketcache.AssetID
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
	flightLimit = 8 * time.Second
	walletWait  = time.Second // maximum wait for request weight

	// A position on a dex that the wallet did not use before cannot always be inferred. All dexes are
	// therefore read every discoverEvery, with at most discoverShare of the request weight.
	discoverEvery = time.Minute
	discoverShare = 0.1

	settingMaxAge = 10 * time.Minute
	maxSettings   = 64
	maxUnset      = 4096
	// stateFresh: when only a leverage setting is missing, a state younger than this is not read again.
	stateFresh = time.Second
	// modeMaxAge is how long the last known account mode is used when the mode cannot be read.
	modeMaxAge = time.Hour

	// baseTakerRate is the venue's taker fee without discounts (docs/venue.md).
	baseTakerRate = 0.00045
)

// Request weights of the parts of an account.
const (
	stateWeight, spotWeight, modeWeight, feesWeight, settingWeight = 2, 2, 20, 20, 20
)

func newAccountLoader(f *Feed) *accountLoader {
	first := func() int {
		return parts{state: true, mode: true, fees: true, setting: true}.weight(1 + len(f.dexes.mayHold()))
	}
	return &accountLoader{
		f: f, shares: feed.NewShares(f.budget, first), slots: make(chan struct{}, flightSlots),
		discoveries: feed.NewSlidingLimit(readsOf(f.cfg.Budget, discoverShare)),
		flights:     map[marketcache.Wallet]*flight{}, unset: map[settingKey]marketcache.Instant{},
	}
}

// LoadAccount reads a wallet from the venue now, stores it in the cache and returns it.
// needSetting is an asset whose leverage setting the caller needs, or NoAsset. The setting is
// read if the wallet has no position in the asset and no setting younger than ten minutes is
// known. If the venue has no setting for the asset, the returned account has none either.
//
// Errors: marketcache.ErrShare, ErrBudget, ErrVenue, ErrUnavailable, or the context's error.
// Concurrent calls for one wallet share one read, which is charged to the first caller.
func (f *Feed) LoadAccount(ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID) (*marketcache.Account, error) {
	caller := marketcache.CallerOf(ctx)
	for {
		fl, mine, err := f.accounts.join(w, needSetting, caller)
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
func (l *accountLoader) join(w marketcache.Wallet, setting marketcache.AssetID, caller marketcache.Caller) (fl *flight, mine bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if fl := l.flights[w]; fl != nil {
		return fl, false, nil
	}
	if len(l.flights) >= maxFlights {
		return nil, false, &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: time.Second, Detail: "too many wallets at once"}
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
			fl.account, err = l.load(ctx, w, setting, caller)
			return err
		})
	})
	return fl, true, nil
}

// lacks reports whether the venue should be asked for the wallet's leverage in an asset: the account
// does not contain it, and the venue has not said within settingMaxAge that it is unset.
func (l *accountLoader) lacks(a *marketcache.Account, id marketcache.AssetID) bool {
	if id == marketcache.NoAsset || a == nil || a.PositionIn(id) >= 0 || l.f.cache.Universe().Asset(id) == nil {
		return false
	}
	now := marketcache.Now()
	if s, ok := a.Setting(id); ok && now.Sub(s.Read) <= settingMaxAge {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at, ok := l.unset[settingKey{a.Wallet, id}]
	return !ok || now.Sub(at) > settingMaxAge
}

// load reads a wallet: concurrently the parts that are due (state, mode, fees, spot balances), then the
// leverage setting if needed. Their request weight is acquired at once, so that no read stops half-way
// for lack of weight. Only a repeated read of the state acquires its own weight.
func (l *accountLoader) load(ctx context.Context, w marketcache.Wallet, setting marketcache.AssetID, caller marketcache.Caller) (*marketcache.Account, error) {
	f := l.f
	now := marketcache.Now()
	old, age, held := f.cache.Account(&w, now, marketcache.Forever)
	if !held {
		old = nil
	}
	due := parts{
		state:   old == nil || age > stateFresh || !l.lacks(old, setting),
		mode:    old == nil || old.ModeRead == 0 || now.Sub(old.ModeRead) > f.cfg.ModeEvery,
		fees:    old == nil || old.FeesRead == 0 || now.Sub(old.FeesRead) > f.cfg.FeesEvery,
		setting: setting != marketcache.NoAsset && (old == nil || l.lacks(old, setting)),
	}
	dexes, discover := l.dexesOf(old, setting)
	if err := f.client.ready(feed.ForWallet); err != nil {
		return nil, err
	}
	// One read of a known wallet renews its mode or its fees, not both, and neither while weight is
	// short: positions matter more.
	known := old != nil && old.ModeRead != 0 && old.FeesRead != 0 && now.Sub(min(old.ModeRead, old.FeesRead)) <= modeMaxAge
	due.fees = due.fees && !(known && due.mode)
	patience := walletWait
	if known && due.renewal() > 0 {
		patience = 0
	}
	g, charged, p, err := l.acquire(ctx, due.weight(len(dexes)), patience, caller, old)
	if err != nil && known && due.renewal() > 0 {
		due.mode, due.fees = false, false
		g, charged, p, err = l.acquire(ctx, due.weight(len(dexes)), walletWait, caller, old)
	}
	if err != nil {
		return nil, err
	}
	defer l.release(charged, g)
	select {
	case l.slots <- struct{}{}:
		defer func() { <-l.slots }()
	case <-ctx.Done():
		return nil, &marketcache.VenueError{Kind: marketcache.ErrUnavailable, Wait: time.Second, Detail: "no slot for another wallet"}
	}

	next := old
	if due.state {
		var mixed bool
		if next, mixed, err = l.fetchState(ctx, g, w, old, dexes, discover, due.mode, due.fees); err != nil {
			return nil, err
		}
		all := append([]string{""}, f.dexes.mayHold()...)
		moved := len(dexes) < len(all) && moneyMoved(old, next)
		if mixed || moved || f.older(next, old) { // read again: some of the venue's machines lag behind
			if mixed || moved { // the wallet may now use another dex: read all
				dexes, discover = all, true
			}
			weight := parts{state: true}.weight(len(dexes))
			again, err := f.budget.Acquire(ctx, p, weight, walletWait)
			if err != nil {
				return nil, err
			}
			l.shares.Extend(charged, weight)
			defer l.release(charged, again)
			if next, mixed, err = l.fetchState(ctx, again, w, next, dexes, discover, false, false); err != nil {
				return nil, err
			}
			if mixed { // the collateral is uncertain: treat it as in an account with one pool
				next.Pools, next.ModeUncertain = nil, true
				for i := range next.Positions {
					p := &next.Positions[i]
					if p.Pool = 0; !p.Isolated {
						p.RawUSD = 0
					}
				}
			}
			if f.older(next, old) {
				f.setAside(asideOlder, w.String())
				return nil, &marketcache.VenueError{Kind: marketcache.ErrVenue, Wait: time.Second, Detail: "clearinghouseState: older than one read before"}
			}
		}
	}
	if due.setting && l.lacks(next, setting) {
		if next, err = l.fetchSetting(ctx, g, next, setting); err != nil {
			return nil, err
		}
	}
	f.cache.StoreAccount(next)
	return next, nil
}

// parts are the parts of a wallet that a read brings.
type parts struct{ state, mode, fees, setting bool }

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
	if p.setting {
		weight += settingWeight
	}
	return weight
}

// acquire charges the caller for a read of a wallet (old: its last known state, nil if unknown) and
// waits for the request weight.
func (l *accountLoader) acquire(ctx context.Context, weight int, patience time.Duration, caller marketcache.Caller, old *marketcache.Account) (*feed.Grant, *feed.Charge, feed.Priority, error) {
	charged, p, err := l.shares.Admit(caller, weight, old != nil && len(old.Positions) > 0)
	if err != nil {
		return nil, nil, p, err
	}
	g, err := l.f.budget.Acquire(ctx, p, weight, patience)
	if err != nil {
		l.shares.Extend(charged, -weight)
		return nil, nil, p, l.shares.Lacking(charged, err)
	}
	return g, charged, p, nil
}

// release gives the weight that a read has not spent back to the budget and to the caller's share.
func (l *accountLoader) release(c *feed.Charge, g *feed.Grant) {
	l.shares.Extend(c, -g.Unsettled())
	g.Release()
}

// aheadOfClock is how far a wallet's venue time may lie ahead of our estimate of the venue's clock.
const aheadOfClock = feed.DateTolerance

// older reports whether account a is older than held. It is false if held's venue time is still in the
// future, by more than aheadOfClock: such a time is wrong.
func (f *Feed) older(a, held *marketcache.Account) bool {
	return held != nil && a.VenueMs < held.VenueMs &&
		held.VenueMs <= f.clock.VenueMs(marketcache.Now().Add(aheadOfClock))
}

// dexesOf returns the dexes whose state of a wallet to read, the main dex first. These are the
// dexes that the wallet uses and the dex of the setting's asset, or, with discover, all dexes on
// which the wallet may have positions.
func (l *accountLoader) dexesOf(old *marketcache.Account, setting marketcache.AssetID) (dexes []string, discover bool) {
	dexes = []string{""}
	others, now := l.f.dexes.mayHold(), marketcache.Now()
	if old == nil || old.DexesRead == 0 || now.Sub(old.DexesRead) > l.f.cfg.ModeEvery || now.Sub(old.DexesRead) >= discoverEvery &&
		(old.Mode != marketcache.ModeUnified || len(old.Unread) > 0) && l.mayDiscover(len(others), now) { // pools finds positions of a unified account on other dexes
		return append(dexes, others...), true
	}
	dexes = append(dexes, old.Dexes...)
	if a := l.f.cache.Universe().Asset(setting); a != nil && !slices.Contains(dexes, a.Dex) {
		dexes = append(dexes, a.Dex)
	}
	return dexes, false
}

// mayDiscover reports whether the given number of reads of other dexes is allowed now.
func (l *accountLoader) mayDiscover(questions int, now marketcache.Instant) bool {
	for left := range questions {
		if _, ok := l.discoveries.Acquire(now, questions-1-left); !ok {
			return false
		}
	}
	return true
}

// moneyMoved ignores differences up to movedShare of the equity, plus tradedShare of the volume
// traded, plus a dollar.
const movedShare, tradedShare = 0.001, 0.01

// moneyMoved reports whether a wallet's equity changed between two reads by more than the gains of
// its positions explain: money went to, or came from, a dex that was not read. A position that was
// closed counts at its last mark. It is false for pooled accounts, whose equity covers all dexes.
func moneyMoved(old, next *marketcache.Account) bool {
	if old == nil || len(old.Pools) == 0 || len(next.Pools) == 0 || old.Pools[0].Dex != "" || next.Pools[0].Dex != "" {
		return false
	}
	equity := func(a *marketcache.Account) (usd float64) {
		for _, p := range a.Pools {
			usd += p.EquityUSD
		}
		for _, p := range a.Positions {
			if p.Isolated {
				usd += p.RawUSD + math.Copysign(p.ValueUSD, p.Units)
			}
		}
		return usd
	}
	was := equity(old)
	moved, traded := equity(next)-was, 0.0
	held := map[string]marketcache.Position{}
	for _, p := range old.Positions {
		held[p.Name] = p
	}
	for _, p := range next.Positions {
		mark, was := p.ValueUSD/math.Abs(p.Units), held[p.Name]
		moved -= was.Units*mark - math.Copysign(was.ValueUSD, was.Units)
		traded += math.Abs(p.Units-was.Units) * mark
		delete(held, p.Name)
	}
	for _, p := range held {
		traded += p.ValueUSD
	}
	return math.Abs(moved) > movedShare*math.Abs(was)+tradedShare*traded+1
}

// dexState is a wallet's account on one dex.
type dexState struct {
	marketcache.Account
	dex         string
	maintenance float64 // maintenance margin of cross positions, USD
	unanswered  bool    // the venue answered with an error
}

// fetchDexState reads a wallet's account on one dex.
func (l *accountLoader) fetchDexState(ctx context.Context, g *feed.Grant, w marketcache.Wallet, d *dexState) error {
	f := l.f
	q := accountRequest("clearinghouseState", w, stateWeight)
	if d.dex != "" {
		q.body = strings.TrimSuffix(q.body, "}") + `,"dex":` + strconv.Quote(d.dex) + `}`
	}
	r, err := f.client.askGranted(ctx, g, q)
	if err != nil {
		d.unanswered = errors.Is(err, marketcache.ErrVenue)
		return err
	}
	var what string
	if d.maintenance, what = parseAccount(r.body, f.cache.Universe(), &d.Account); what != "" {
		f.setAside(asideWallet, w.String()+" "+what)
		return venueError("clearinghouseState: %s: %q", what, printable(r.body))
	}
	if d.VenueMs <= 0 || d.VenueMs > f.clock.VenueMs(r.received.Add(aheadOfClock)) {
		f.setAside(asideWallet, w.String()+" time")
		return venueError("clearinghouseState: time %d ms is none, or of the future", d.VenueMs)
	}
	d.Received = r.received.Add(-f.clock.Lateness(d.VenueMs, r.received))
	return nil
}

// mixedShare is the tolerated difference, as a share of the collateral, between the balance after
// maintenance margin that the venue reports and the same balance computed from its other answers.
const mixedShare = 0.001

// pools combines the accounts on all dexes: positions, and the collateral pools behind them. The oldest
// answer sets the age. mixed is true when the answers are not of the same moment as the spot balances.
func (l *accountLoader) pools(a *marketcache.Account, states []dexState, spot *spotState) (mixed bool) {
	f := l.f
	pooled := a.Mode == marketcache.ModeUnified || a.Mode == marketcache.ModePortfolioMargin
	var maintenance []float64 // USD, by pool
	for i := range states {
		d := &states[i]
		if i == 0 {
			a.VenueMs, a.Received, a.CrossAccountValueUSD = d.VenueMs, d.Received, d.CrossAccountValueUSD
		}
		a.VenueMs, a.Received = min(a.VenueMs, d.VenueMs), min(a.Received, d.Received)
		pool := marketcache.Pool{Dex: d.dex, Token: f.universe.token(d.dex), EquityUSD: d.CrossAccountValueUSD}
		if pooled {
			pool.Dex, pool.EquityUSD = marketcache.Everywhere, spot.total[int64(pool.Token)]
		}
		k := slices.IndexFunc(a.Pools, func(p marketcache.Pool) bool { return p.Dex == pool.Dex && p.Token == pool.Token })
		if k < 0 {
			k, a.Pools, maintenance = len(a.Pools), append(a.Pools, pool), append(maintenance, 0)
		}
		maintenance[k] += d.maintenance
		for _, p := range d.Positions {
			if p.Pool = k; pooled && p.Isolated {
				a.Pools[k].EquityUSD -= p.MarginUsedUSD
			}
			a.Positions = append(a.Positions, p)
		}
		if !f.dexes.follows(d.dex) {
			a.NotFollowed += len(d.Positions)
		}
		if used := len(d.Positions) > 0 || d.CrossAccountValueUSD != 0; used && d.dex != "" && !slices.Contains(a.Dexes, d.dex) {
			a.Dexes = append(a.Dexes, d.dex)
		}
	}
	a.Share()
	if !pooled || a.Mode == marketcache.ModePortfolioMargin { // portfolio margin also counts other tokens
		return false
	}
	for k, p := range a.Pools {
		if left, told := spot.available[int64(p.Token)]; told && math.Abs(p.EquityUSD-maintenance[k]-left) > mixedShare*math.Abs(p.EquityUSD)+0.01 {
			return true
		}
	}
	return false
}

// accountRequest returns the request for one part of an account.
func accountRequest(kind string, w marketcache.Wallet, weight int) request {
	return request{what: kind, body: `{"type":"` + kind + `","user":"` + w.String() + `"}`, priority: feed.ForWallet, weight: weight}
}

// fetchState reads everything but leverage settings. The state and the needed spot balances must be
// read; a mode or fee that cannot be read keeps its last value or gets its default.
func (l *accountLoader) fetchState(ctx context.Context, g *feed.Grant, w marketcache.Wallet, old *marketcache.Account, dexes []string, discover, modeDue, feesDue bool) (_ *marketcache.Account, mixed bool, _ error) {
	f := l.f
	a := &marketcache.Account{Wallet: w}
	states, stateErrs := make([]dexState, len(dexes)), make([]error, len(dexes))
	var spotErr, modeErr, feesErr error
	var spot spotState
	var spotRead bool
	var wg sync.WaitGroup
	spawn := func(err *error, fn func() error) {
		wg.Go(func() { *err = f.supervisor.Guard("account", fn) })
	}
	askSpot := func() error {
		r, err := f.client.askGranted(ctx, g, accountRequest("spotClearinghouseState", w, spotWeight))
		if err != nil {
			return err
		}
		var ok bool
		if spot, ok = parseSpot(r.body); !ok {
			return venueError("spotClearinghouseState: %q", printable(r.body))
		}
		spotRead = true
		return nil
	}
	for i, dex := range dexes {
		states[i].dex = dex
		spawn(&stateErrs[i], func() error { return l.fetchDexState(ctx, g, w, &states[i]) })
	}
	if modeDue {
		spawn(&modeErr, func() error {
			q := accountRequest("userAbstraction", w, modeWeight)
			q.nullable = true
			r, err := f.client.askGranted(ctx, g, q)
			if err != nil {
				return err
			}
			mode, known := parseMode(r.body)
			a.Mode, a.ModeUncertain, a.ModeRead = mode, !known, r.received
			return nil
		})
	}
	if modeDue || needsSpot(old.Mode) {
		spawn(&spotErr, askSpot)
	}
	if feesDue {
		spawn(&feesErr, func() error {
			r, err := f.client.askGranted(ctx, g, accountRequest("userFees", w, feesWeight))
			if err != nil {
				return err
			}
			rate, ok := parseTakerRate(r.body)
			if !ok {
				return venueError("userFees: %q", printable(r.body))
			}
			a.TakerRate, a.FeesRead = rate, r.received
			return nil
		})
	}
	wg.Wait()
	read := states[:0]
	for i := range states {
		switch d, err := &states[i], stateErrs[i]; {
		case err == nil:
			read = append(read, *d)
		case d.dex == "" || !d.unanswered || old != nil && slices.Contains(old.Dexes, d.dex):
			return nil, false, err
		default: // a dex that fails must not stop wallets that, as far as known, do not use it
			f.supervisor.Warn("wallet not read on a dex", "dex", d.dex, "error", err)
			a.Unread = append(a.Unread, d.dex)
		}
	}
	for _, err := range []error{modeErr, feesErr} {
		if err != nil {
			if errors.Is(err, marketcache.ErrBudget) && old == nil {
				return nil, false, err // refused for lack of request weight: nothing is known about these parts, and the caller may try again
			}
			f.supervisor.Warn("part of an account not read", "error", err)
		}
	}
	if a.ModeRead == 0 { // not due, or could not be read
		a.Mode, a.ModeUncertain = marketcache.ModeDefault, true
		if old != nil && old.ModeRead != 0 && (!modeDue || marketcache.Now().Sub(old.ModeRead) <= modeMaxAge) {
			a.Mode, a.ModeUncertain, a.ModeRead = old.Mode, old.ModeUncertain, old.ModeRead
		}
	}
	if a.FeesRead == 0 {
		a.TakerRate = baseTakerRate
		if old != nil && old.FeesRead != 0 {
			a.TakerRate, a.FeesRead = old.TakerRate, old.FeesRead
		}
	}
	if needsSpot(a.Mode) && !spotRead {
		if spotErr == nil {
			spotErr = askSpot()
		}
		if spotErr != nil {
			return nil, false, spotErr // the collateral is unknown without spot balances
		}
	}
	if spot.available != nil { // pooled, whatever the name of the mode
		if a.ModeUncertain = false; spot.portfolio {
			a.Mode = marketcache.ModePortfolioMargin
		} else if a.Mode != marketcache.ModePortfolioMargin {
			a.Mode = marketcache.ModeUnified
		}
	}
	if a.Mode == marketcache.ModeUnified || a.Mode == marketcache.ModePortfolioMargin {
		a.SpotUSDC = spot.total[0]
	}
	if a.Mode == marketcache.ModePortfolioMargin {
		a.PortfolioMarginRatio = spot.ratio
	}
	if a.DexesRead = marketcache.Now(); !discover && old != nil {
		a.Dexes, a.DexesRead = slices.Clone(old.Dexes), old.DexesRead
		for _, dex := range old.Unread {
			if !slices.Contains(dexes, dex) {
				a.Unread = append(a.Unread, dex)
			}
		}
	}
	if old != nil {
		a.Settings = freshSettings(old.Settings, marketcache.NoAsset)
	}
	return a, l.pools(a, read, &spot), nil
}

// needsSpot reports whether a mode's collateral includes spot balances: in every mode but the
// standard one.
func needsSpot(m marketcache.AccountMode) bool { return m != marketcache.ModeDisabled }

// freshSettings returns the newest settings that have not expired, without the setting of the asset
// but. It returns at most maxSettings-1, so that one can be added.
func freshSettings(old []marketcache.LeverageSetting, but marketcache.AssetID) []marketcache.LeverageSetting {
	now := marketcache.Now()
	var kept []marketcache.LeverageSetting
	for _, s := range old {
		if s.Asset != but && now.Sub(s.Read) <= settingMaxAge {
			kept = append(kept, s)
		}
	}
	return kept[max(0, len(kept)-maxSettings+1):]
}

// fetchSetting returns the account with the wallet's leverage setting in an asset added.
func (l *accountLoader) fetchSetting(ctx context.Context, g *feed.Grant, a *marketcache.Account, id marketcache.AssetID) (*marketcache.Account, error) {
	f := l.f
	coin := f.cache.Universe().Assets[id].Name
	r, err := f.client.askGranted(ctx, g, request{
		what:     "activeAssetData",
		body:     `{"type":"activeAssetData","user":"` + a.Wallet.String() + `","coin":` + strconv.Quote(coin) + `}`,
		priority: feed.ForWallet, weight: settingWeight, nullable: true,
	})
	if err != nil {
		return nil, err
	}
	if string(r.body) == "null" {
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.unset) >= maxUnset {
			clear(l.unset)
		}
		l.unset[settingKey{a.Wallet, id}] = r.received
		return a, nil
	}
	leverage, ok := parseSetting(r.body, coin)
	if !ok {
		return nil, venueError("activeAssetData: %q", printable(r.body))
	}
	next := *a
	next.Settings = append(freshSettings(a.Settings, id), marketcache.LeverageSetting{Asset: id, Leverage: leverage, Read: r.received})
	return &next, nil
}
