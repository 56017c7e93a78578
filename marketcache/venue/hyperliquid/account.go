package hyperliquid

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"ballast/marketcache"
)

// accountLoader reads wallets, one read of a wallet at a time: callers that ask while
// one is under way share it. A read lives on when the caller that began it gives up,
// because others may wait for it.
type accountLoader struct {
	f     *Feed
	slots chan struct{} // reads under way
	wg    sync.WaitGroup

	mu      sync.Mutex
	flights map[marketcache.Wallet]*flight
	// unset remembers when the venue had no setting of a wallet in an asset, so that
	// it is not asked for each trade.
	unset map[settingKey]marketcache.Instant
}

type settingKey struct {
	wallet marketcache.Wallet
	asset  marketcache.AssetID
}

// flight is one read of one wallet.
type flight struct {
	setting marketcache.AssetID // whose setting it will bring, NoAsset: none
	done    chan struct{}
	account *marketcache.Account
	err     error
}

const (
	maxFlights  = 1024 // reads under way or waiting for a slot
	flightSlots = 32   // reads under way
	flightLimit = 8 * time.Second
	walletWait  = time.Second // how long the budget may hold a wallet read up

	settingMaxAge = 10 * time.Minute
	maxSettings   = 64
	maxUnset      = 4096
	// stateFresh is how young a state may be to be kept when only a setting is missing.
	stateFresh = time.Second
	// modeMaxAge is how long the last known mode stands in for one that cannot be read.
	modeMaxAge = time.Hour

	// baseTakerRate is the venue's base fee (docs/venue.md).
	baseTakerRate = 0.00045
)

// Request weights of the pieces of an account.
const (
	stateWeight, spotWeight, modeWeight, feesWeight, settingWeight = 2, 2, 20, 20, 20
)

func newAccountLoader(f *Feed) *accountLoader {
	return &accountLoader{
		f: f, slots: make(chan struct{}, flightSlots),
		flights: map[marketcache.Wallet]*flight{}, unset: map[settingKey]marketcache.Instant{},
	}
}

func (l *accountLoader) wait() { l.wg.Wait() }

// LoadAccount reads a wallet from the venue now, stores it in the cache and returns it.
// needSetting is an asset whose leverage setting the caller needs, or NoAsset: it is
// read when the wallet has no position in it and no setting younger than ten minutes
// is held; a wallet without a setting there has none in the answer either.
//
// It fails with ErrBudget, ErrVenue or ErrUnavailable, or with the context's error.
// Concurrent calls for a wallet share one read.
func (f *Feed) LoadAccount(ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID) (*marketcache.Account, error) {
	for {
		fl, mine, err := f.accounts.join(w, needSetting)
		if err != nil {
			return nil, err
		}
		select {
		case <-fl.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if fl.err != nil {
			return nil, fl.err
		}
		if mine || fl.setting == needSetting || !f.accounts.lacks(fl.account, needSetting) {
			return fl.account, nil
		}
		// The read that was under way did not bring this setting.
	}
}

// join returns the read of a wallet that is under way, or begins one.
func (l *accountLoader) join(w marketcache.Wallet, setting marketcache.AssetID) (fl *flight, mine bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if fl := l.flights[w]; fl != nil {
		return fl, false, nil
	}
	if len(l.flights) >= maxFlights {
		return nil, false, &Error{Kind: ErrBudget, Wait: time.Second, Detail: "too many wallets at once"}
	}
	if l.f.life.Err() != nil {
		return nil, false, &Error{Kind: ErrUnavailable, Detail: "shutting down"}
	}
	fl = &flight{setting: setting, done: make(chan struct{})}
	l.flights[w] = fl
	l.wg.Go(func() {
		defer func() {
			l.mu.Lock()
			delete(l.flights, w)
			l.mu.Unlock()
			close(fl.done)
		}()
		fl.err = l.f.guard("account", func() error {
			ctx, cancel := context.WithTimeout(l.f.life, flightLimit)
			defer cancel()
			select {
			case l.slots <- struct{}{}:
				defer func() { <-l.slots }()
			case <-ctx.Done():
				return &Error{Kind: ErrUnavailable, Wait: time.Second, Detail: "no slot for another wallet"}
			}
			var err error
			fl.account, err = l.load(ctx, w, setting)
			return err
		})
	})
	return fl, true, nil
}

// lacks reports whether an account does not tell the leverage in an asset and the
// venue should be asked.
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

// load reads a wallet: what is due of state, mode, fees and spot at the same time,
// then the setting if it turns out to be needed. The weight of all of it is granted at
// once, so that a read is never given up half-way for want of it.
func (l *accountLoader) load(ctx context.Context, w marketcache.Wallet, setting marketcache.AssetID) (*marketcache.Account, error) {
	f := l.f
	now := marketcache.Now()
	old, age, held := f.cache.Account(&w, now, marketcache.Forever)
	if !held {
		old = nil
	}
	stateDue := old == nil || age > stateFresh || !l.lacks(old, setting)
	modeDue := old == nil || old.ModeRead == 0 || now.Sub(old.ModeRead) > f.cfg.ModeEvery
	feesDue := old == nil || old.FeesRead == 0 || now.Sub(old.FeesRead) > f.cfg.FeesEvery
	settingMayBeDue := setting != marketcache.NoAsset && (old == nil || l.lacks(old, setting))

	weight := 0
	add := func(due bool, w int) {
		if due {
			weight += w
		}
	}
	add(stateDue, stateWeight+spotWeight)
	add(stateDue && modeDue, modeWeight)
	add(stateDue && feesDue, feesWeight)
	add(settingMayBeDue, settingWeight)
	if err := f.client.ready(); err != nil {
		return nil, err
	}
	g, err := f.budget.take(ctx, forWallet, weight, walletWait)
	if err != nil {
		return nil, err
	}
	defer g.release()

	next := old
	if stateDue {
		if next, err = l.readState(ctx, g, w, old, modeDue, feesDue); err != nil {
			return nil, err
		}
		if f.older(next, old) { // the venue answers from several machines
			again, err := f.budget.take(ctx, forWallet, stateWeight+spotWeight, walletWait)
			if err != nil {
				return nil, err
			}
			defer again.release()
			if next, err = l.readState(ctx, again, w, next, false, false); err != nil {
				return nil, err
			}
			if f.older(next, old) {
				f.setAside(asideOlder, w.String())
				return nil, &Error{Kind: ErrVenue, Wait: time.Second, Detail: "clearinghouseState: older than one read before"}
			}
		}
	}
	if settingMayBeDue && l.lacks(next, setting) {
		if next, err = l.readSetting(ctx, g, next, setting); err != nil {
			return nil, err
		}
	}
	f.cache.StoreAccount(next)
	return next, nil
}

// aheadOfClock is how far a wallet's time may lie ahead of the venue's clock as we know it.
const aheadOfClock = trustDate

// older reports whether a wallet's state is older than the one held. One held with a time that
// the clock has turned out not to have reached does not count.
func (f *Feed) older(a, held *marketcache.Account) bool {
	return held != nil && a.VenueMs < held.VenueMs &&
		held.VenueMs <= f.clock.at(marketcache.Now().Add(aheadOfClock))
}

// question makes the request for one piece of an account.
func question(kind string, w marketcache.Wallet, weight int) request {
	return request{what: kind, body: `{"type":"` + kind + `","user":"` + w.String() + `"}`, priority: forWallet, weight: weight}
}

// readState reads everything but settings. Only the state itself must succeed; a mode
// or fee that cannot be read falls back as Account documents.
func (l *accountLoader) readState(ctx context.Context, g *grant, w marketcache.Wallet, old *marketcache.Account, modeDue, feesDue bool) (*marketcache.Account, error) {
	f := l.f
	a := &marketcache.Account{Wallet: w}
	var stateErr, spotErr, modeErr, feesErr error
	var mode marketcache.AccountMode
	var spotUSDC float64
	var modeKnown, spotRead bool
	var takerRate float64
	var wg sync.WaitGroup
	spawn := func(err *error, fn func() error) {
		wg.Go(func() { *err = f.guard("account", fn) })
	}
	readSpot := func() error {
		r, err := f.client.askGranted(ctx, g, question("spotClearinghouseState", w, spotWeight))
		if err != nil {
			return err
		}
		var ok bool
		if spotUSDC, ok = readSpotUSDC(r.body); !ok {
			return venueError("spotClearinghouseState: %q", printable(r.body))
		}
		spotRead = true
		return nil
	}
	spawn(&stateErr, func() error {
		r, err := f.client.askGranted(ctx, g, question("clearinghouseState", w, stateWeight))
		if err != nil {
			return err
		}
		if what := readAccount(r.body, f.cache.Universe(), a); what != "" {
			f.setAside(asideWallet, w.String()+" "+what)
			return venueError("clearinghouseState: %s: %q", what, printable(r.body))
		}
		if a.VenueMs <= 0 || a.VenueMs > f.clock.at(r.received.Add(aheadOfClock)) {
			f.setAside(asideWallet, w.String()+" time")
			return venueError("clearinghouseState: time %d ms is none, or of the future", a.VenueMs)
		}
		a.Received = r.received.Add(-f.clock.lateness(a.VenueMs, r.received))
		return nil
	})
	if modeDue {
		spawn(&modeErr, func() error {
			r, err := f.client.askGranted(ctx, g, question("userAbstraction", w, modeWeight))
			if err != nil {
				return err
			}
			mode, modeKnown = readMode(r.body)
			a.ModeRead = r.received
			return nil
		})
	} else if needsSpot(old.Mode) {
		spawn(&spotErr, readSpot)
	}
	if feesDue {
		spawn(&feesErr, func() error {
			r, err := f.client.askGranted(ctx, g, question("userFees", w, feesWeight))
			if err != nil {
				return err
			}
			rate, ok := readTakerRate(r.body)
			if !ok {
				return venueError("userFees: %q", printable(r.body))
			}
			takerRate, a.FeesRead = rate, r.received
			return nil
		})
	}
	wg.Wait()
	if stateErr != nil {
		return nil, stateErr
	}
	for _, err := range []error{modeErr, feesErr} {
		if err != nil {
			if errors.Is(err, ErrBudget) && old == nil {
				return nil, err // refused with 429: what is missing was not for the venue to say
			}
			f.complain.warn(f.log, "part of an account not read", "error", err)
		}
	}
	a.Mode, a.ModeUncertain = mode, !modeKnown
	if a.ModeRead == 0 { // not due, or not readable
		a.Mode, a.ModeUncertain = marketcache.ModeDefault, true
		if old != nil && old.ModeRead != 0 && (!modeDue || marketcache.Now().Sub(old.ModeRead) <= modeMaxAge) {
			a.Mode, a.ModeUncertain, a.ModeRead = old.Mode, old.ModeUncertain, old.ModeRead
		}
	}
	a.TakerRate = takerRate
	if a.FeesRead == 0 {
		a.TakerRate = baseTakerRate
		if old != nil && old.FeesRead != 0 {
			a.TakerRate, a.FeesRead = old.TakerRate, old.FeesRead
		}
	}
	if needsSpot(a.Mode) && !spotRead {
		if spotErr == nil {
			spotErr = readSpot()
		}
		if spotErr != nil {
			return nil, spotErr // without it the collateral is not known
		}
	}
	if needsSpot(a.Mode) {
		a.SpotUSDC = spotUSDC
	}
	if old != nil {
		a.Settings = freshSettings(old.Settings, marketcache.NoAsset)
	}
	return a, nil
}

// needsSpot reports whether a mode's collateral includes spot USDC (docs/model.md).
func needsSpot(m marketcache.AccountMode) bool {
	return m == marketcache.ModeUnified || m == marketcache.ModePortfolioMargin
}

// freshSettings returns the settings that still hold, less that of one asset, with
// room for another.
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

// readSetting returns the account with the wallet's leverage in an asset added.
func (l *accountLoader) readSetting(ctx context.Context, g *grant, a *marketcache.Account, id marketcache.AssetID) (*marketcache.Account, error) {
	f := l.f
	coin := f.cache.Universe().Assets[id].Name
	r, err := f.client.askGranted(ctx, g, request{
		what:     "activeAssetData",
		body:     `{"type":"activeAssetData","user":"` + a.Wallet.String() + `","coin":` + strconv.Quote(coin) + `}`,
		priority: forWallet, weight: settingWeight, nullable: true,
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
	leverage, ok := readSetting(r.body, coin)
	if !ok {
		return nil, venueError("activeAssetData: %q", printable(r.body))
	}
	next := *a
	next.Settings = append(freshSettings(a.Settings, id), marketcache.LeverageSetting{Asset: id, Leverage: leverage, Read: r.received})
	return &next, nil
}
