package hyperliquid

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goccy/go-json/jsontext"

	"ballast/marketcache"
)

// walletStreams follows the wallets that were asked about most recently by the venue's user streams, which
// cost no request weight. A streamed state with the positions and money of the known one is stored like one that was
// read, as old as its own time. While it is young it serves alone, and REST confirms it now and then. One with other
// positions or money is not used before REST says the same. Otherwise the wallet is read as any other.
type walletStreams struct {
	f     *Feed
	limit int // number of wallets, as configured

	set atomic.Pointer[map[marketcache.Wallet]*followedWallet] // the followed wallets, replaced as a whole
	// reserved is the number of subscriptions that the market data leave to the wallets.
	reserved atomic.Int64

	// guards everything below, and the fields of followedWallet
	mu sync.Mutex
	// wallets that were asked for and are not followed
	waiting map[marketcache.Wallet]*followedWallet
	changed marketcache.Instant // when a wallet was last exchanged
	// number of wallets that the venue allows, until
	accepted                              int
	until                                 marketcache.Instant
	gaps                                  [256]time.Duration // between two states of a wallet, the newest, a ring
	gapCount                              int
	refused, confirmed, differed, dropped int

	walletSocket
}

// followedWallet is a wallet that is followed, or may be next.
type followedWallet struct {
	wallet   marketcache.Wallet
	asked    atomic.Int64 // Instant of the last request
	latest   atomic.Int32 // asset that was last noted in assets
	latestAt atomic.Int64 // Instant of that

	assets   map[marketcache.AssetID]marketcache.Instant // assets asked for, and when
	settings map[marketcache.AssetID]marketcache.LeverageSetting
	states   []dexState
	spot     spotState
	spotAt   marketcache.Instant
	framed   marketcache.Instant  // when the last state came on this connection; 0: none yet
	account  *marketcache.Account // made of the newest frames, nil before
	news     bool                 // account says something else than the known state, and is not in the cache
	denied   bool                 // account and what was read contradict each other
	bad      int                  // unusable frames in a row
	byREST   marketcache.Instant  // until then the streams are not used
	read     marketcache.Instant  // when REST was last asked for a confirmation; 0: it is due
}

const (
	maxWaiting  = 8
	unaskedFor  = 30 * time.Second // a wallet that was not asked for in this time leaves for another
	changeEvery = 2 * time.Second
	// up to this age a streamed state serves alone: below the 2 s of monitor calls
	streamFresh  = 1500 * time.Millisecond
	confirmEvery = 30 * time.Second // a streamed state that serves is confirmed by REST
	distrustFor  = 10 * time.Minute // how long a wallet goes by REST after its streams were wrong
	sameState    = time.Second      // between the states and the spot balances of a pooled account
	badInARow    = 3
	boundFor     = time.Hour // how long the venue's limit on users holds
	askedLately  = 10 * time.Minute
	settingsOne  = 60  // leverage settings followed of one wallet
	settingsAll  = 400 // and of all
)

func newWalletStreams(f *Feed, limit int) *walletStreams {
	s := &walletStreams{f: f, limit: limit, waiting: map[marketcache.Wallet]*followedWallet{}}
	s.set.Store(&map[marketcache.Wallet]*followedWallet{})
	return s
}

// of returns a followed wallet, nil for any other.
func (s *walletStreams) of(w marketcache.Wallet) *followedWallet { return (*s.set.Load())[w] }

// Asked tells that a request was about a wallet, and an asset or NoAsset.
func (f *Feed) Asked(w marketcache.Wallet, asset marketcache.AssetID, now marketcache.Instant) {
	s := f.streams
	if s.limit == 0 {
		return
	}
	fw := s.of(w)
	if fw != nil && fw.ask(asset, now) || !s.mu.TryLock() { // the next request tells it
		return
	}
	defer s.mu.Unlock()
	if fw == nil {
		if fw = s.waiting[w]; fw == nil {
			if len(s.waiting) == maxWaiting {
				delete(s.waiting, s.firstWaiting(func(a, b int64) bool { return a < b }).wallet)
			}
			fw = &followedWallet{
				wallet: w, assets: map[marketcache.AssetID]marketcache.Instant{},
				settings: map[marketcache.AssetID]marketcache.LeverageSetting{},
			}
			s.waiting[w] = fw
		}
		fw.asked.Store(int64(now))
	}
	if asset != marketcache.NoAsset {
		fw.assets[asset] = now
		fw.latest.Store(int32(asset))
		fw.latestAt.Store(int64(now))
	}
}

// noteEvery is how often a request for the same asset is noted.
const noteEvery = time.Minute

// ask takes the time of a request, and reports whether its asset is noted already.
func (fw *followedWallet) ask(asset marketcache.AssetID, now marketcache.Instant) (noted bool) {
	fw.asked.Store(int64(now))
	return asset == marketcache.NoAsset || fw.latest.Load() == int32(asset) && fw.latestAt.Load() != 0 &&
		now.Sub(marketcache.Instant(fw.latestAt.Load())) < noteEvery
}

// firstWaiting returns the waiting wallet that was asked for before all others in an order; nil for none.
func (s *walletStreams) firstWaiting(before func(a, b int64) bool) (best *followedWallet) {
	for _, fw := range s.waiting {
		if best == nil || before(fw.asked.Load(), best.asked.Load()) {
			best = fw
		}
	}
	return best
}

// LoadAccount returns a wallet's state, which it also stores in the cache: from the streams if they have just
// brought it, otherwise read from the venue now (readAccount). When there is no weight for that, a streamed
// state goes out with its age.
func (f *Feed) LoadAccount(ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID) (
	*marketcache.Account, error) {
	f.Asked(w, needSetting, marketcache.Now())
	if a := f.streams.current(w, needSetting); a != nil {
		return a, nil
	}
	a, err := f.readAccount(ctx, w, needSetting)
	if errors.Is(err, marketcache.ErrBudget) || errors.Is(err, marketcache.ErrShare) {
		if held := f.streams.held(w); held != nil {
			return held, nil
		}
	}
	return a, err
}

// held returns the known state of a wallet if its streams are in use, whatever its age.
func (s *walletStreams) held(w marketcache.Wallet) *marketcache.Account {
	fw := s.of(w)
	if fw == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fw.account == nil || marketcache.Now() < fw.byREST {
		return nil
	}
	a, _, _ := s.f.cache.Account(&w, marketcache.Now(), marketcache.Forever)
	return a
}

// dexes returns the dexes other than the main one that a wallet uses as far as its streams say.
func (s *walletStreams) dexes(w marketcache.Wallet) []string {
	fw := s.of(w)
	if fw == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fw.account == nil {
		return nil
	}
	return slices.Clone(fw.account.Dexes)
}

// current returns a wallet's state if it serves without REST.
func (s *walletStreams) current(w marketcache.Wallet, setting marketcache.AssetID) *marketcache.Account {
	a, now := s.held(w), marketcache.Now()
	if a == nil || now.Sub(a.Received) > streamFresh || a.Role == marketcache.RoleUnknown ||
		s.f.accounts.lacks(a, setting) ||
		s.f.cfg.OpenOrders == OrdersFull && (a.Orders == nil || now.Sub(a.Orders.Asked) > marketcache.OrdersEvery) {
		return nil
	}
	fw := s.of(w)
	s.mu.Lock()
	defer s.mu.Unlock()
	if fw == nil || fw.news || fw.read == 0 || now.Sub(fw.read) >= confirmEvery {
		return nil
	}
	return a
}

// compare flags a state that was read, before it is stored, if the streams contradict it. They do when two reads in a
// row agree and a frame newer than the first says something else, and from then on until read and frame agree.
func (s *walletStreams) compare(read, before *marketcache.Account) {
	fw := s.of(read.Wallet)
	if fw == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if fw.account == nil || marketcache.Now() < fw.byREST {
		return
	}
	fw.read = marketcache.Now()
	switch {
	case sameWallet(fw.account, read):
		s.confirmed++
		fw.denied = false
	case fw.denied || before != nil && fw.account.VenueMs > before.VenueMs && sameWallet(before, read):
		s.differed++
		fw.denied, read.Misquoted = true, true
	case before == nil || !sameWallet(before, read):
		fw.read = 0 // the wallet has changed, or REST is wrong: it is asked once more
	}
}

// distrust has a wallet read by REST for a while.
func (s *walletStreams) distrust(fw *followedWallet, now marketcache.Instant, why string) {
	fw.byREST, fw.bad, fw.read = now.Add(distrustFor), 0, 0
	s.f.log.Warn("the streams of a wallet are not used for a while", "wallet", fw.wallet.String(), "why", why)
}

// sameWallet reports whether two states of a wallet have the same positions, isolated margins and balances,
// but for gains of the time between them. A pool that one of them lacks counts as empty.
func sameWallet(a, b *marketcache.Account) bool {
	const share, dollar = 0.001, 1.0
	if len(a.Positions) != len(b.Positions) {
		return false
	}
	tolerance := dollar
	for i := range a.Positions {
		p := &a.Positions[i]
		k := slices.IndexFunc(b.Positions, func(q marketcache.Position) bool { return q.Name == p.Name })
		if k < 0 || b.Positions[k].Units != p.Units || b.Positions[k].Isolated != p.Isolated ||
			p.Isolated && !near(p.RawUSD, b.Positions[k].RawUSD, dollar+share*p.ValueUSD) {
			return false
		}
		tolerance += share * p.ValueUSD
	}
	cashA, cashB := cash(a), cash(b)
	for pool := range cashB {
		cashA[pool] += 0
	}
	for pool := range cashA {
		if !near(cashA[pool], cashB[pool], tolerance+share*max(cashA[pool], -cashA[pool])) {
			return false
		}
	}
	return true
}

func near(x, y, tolerance float64) bool { return max(x-y, y-x) <= tolerance }

type poolKey struct {
	dex   string
	token int
}

// cash returns the equity of each pool less the value of its positions, which prices do not move.
func cash(a *marketcache.Account) map[poolKey]float64 {
	usd := map[poolKey]float64{}
	for _, p := range a.Pools {
		usd[poolKey{p.Dex, p.Token}] = p.EquityUSD
	}
	for i := range a.Positions {
		if p := &a.Positions[i]; !p.Isolated && p.Pool < len(a.Pools) {
			pool := &a.Pools[p.Pool]
			usd[poolKey{pool.Dex, pool.Token}] -= signed(p)
		}
	}
	return usd
}

// signed returns the value of a position, negative for a short.
func signed(p *marketcache.Position) float64 {
	if p.Units < 0 {
		return -p.ValueUSD
	}
	return p.ValueUSD
}

// drop counts an unusable frame of a wallet.
func (s *walletStreams) drop(fw *followedWallet, now marketcache.Instant, why string) {
	s.dropped++
	if fw.bad++; fw.bad >= badInARow {
		s.distrust(fw, now, why)
	}
}

// takeStates takes the states of a wallet on all dexes.
func (s *walletStreams) takeStates(fw *followedWallet, lists []pair[string, jsontext.Value],
	arrival marketcache.Instant) {
	var states []dexState
	for _, dex := range append([]string{""}, s.f.dexes.mayHold()...) {
		i := slices.IndexFunc(lists, func(p pair[string, jsontext.Value]) bool { return p.a == dex })
		if i < 0 {
			if dex == "" || fw.account != nil && slices.Contains(fw.account.Dexes, dex) {
				s.drop(fw, arrival, "a dex is missing")
				return
			}
			continue
		}
		d := dexState{dex: dex}
		if err := s.f.takeDexState(&d, lists[i].b, arrival); err != nil {
			s.drop(fw, arrival, err.Error())
			return
		}
		states = append(states, d)
	}
	if tooMany(states) {
		s.drop(fw, arrival, "too many positions")
		return
	}
	if len(fw.states) > 0 && states[0].VenueMs < fw.states[0].VenueMs {
		s.drop(fw, arrival, "a state is older than the one before")
		return
	}
	if fw.framed != 0 {
		s.gaps[s.gapCount%len(s.gaps)] = arrival.Sub(fw.framed)
		s.gapCount++
	}
	fw.states, fw.framed, fw.bad = states, arrival, 0
	s.publish(fw, arrival)
}

// publish stores the state that the newest frames make, unless REST has the say.
func (s *walletStreams) publish(fw *followedWallet, now marketcache.Instant) {
	old, _, known := s.f.cache.Account(&fw.wallet, now, marketcache.Forever)
	if !known || len(fw.states) == 0 || needsSpot(old.Mode) && fw.spotAt == 0 || now < fw.byREST {
		return // fees and mode come from REST, which is asked first
	}
	a, mixed := s.compose(fw, old)
	if mixed || a.Mode.Pooled() && a.Received.Sub(fw.spotAt).Abs() > sameState {
		return
	}
	fw.account, fw.news = a, !sameWallet(old, a)
	if fw.news {
		return
	}
	fw.denied = false
	l := s.f.accounts
	l.mu.Lock()
	defer l.mu.Unlock()
	switch latest, _, _ := s.f.cache.Account(&fw.wallet, now, marketcache.Forever); {
	case l.flights[fw.wallet] != nil: // it stores what it reads
	case s.f.older(a, latest):
		if fw.framed == now { // not the balances
			s.drop(fw, now, "a state is older than what was read")
		}
	default:
		s.f.cache.StoreAccount(a)
	}
}

// compose makes an account of a wallet's newest frames, and of the last known one what they lack.
func (s *walletStreams) compose(fw *followedWallet, old *marketcache.Account) (a *marketcache.Account, mixed bool) {
	r := &walletRead{accountLoader: s.f.accounts, wallet: fw.wallet, old: old, discover: true}
	a = &marketcache.Account{Wallet: fw.wallet, Orders: old.Orders}
	r.keepKnown(a)
	takeSpot(a, &fw.spot)
	mixed = overdrawn(a, fw.states) || r.pools(a, fw.states, &fw.spot) || a.Misquoted
	if fw.spot.empty && len(a.Positions)+len(a.Dexes) == 0 && a.CrossAccountValueUSD == 0 {
		a.Role, a.RoleRead, a.Owner = old.Role, old.RoleRead, old.Owner
		if a.Role == "" {
			a.Role = marketcache.RoleUnknown
		}
	}
	for id, setting := range fw.settings {
		if setting.Read < a.Received { // as long as its stream lives it stands; what is available does not
			setting.HasAvailable = setting.HasAvailable && a.Received.Sub(setting.Read) <= streamFresh
			setting.Read = a.Received
		}
		a.Settings = append(freshSettings(a.Settings, id), setting)
	}
	return a, mixed
}

// stats publishes the figures of the streams.
func (s *walletStreams) stats() {
	s.mu.Lock()
	defer s.mu.Unlock()
	gaps := slices.Sorted(slices.Values(s.gaps[:min(s.gapCount, len(s.gaps))]))
	w := &marketcache.WalletStreams{
		Followed: len(*s.set.Load()), Limit: s.bound(marketcache.Now()), Refused: s.refused, Confirmed: s.confirmed,
		Differed: s.differed, Dropped: s.dropped,
		GapP50: -1, GapP90: -1,
	}
	if n := len(gaps); n > 0 {
		w.GapP50, w.GapP90 = gaps[n/2], gaps[n*9/10]
	}
	s.f.cache.Venue.WalletStreams.Store(w)
}

// bound returns the number of wallets that may be followed.
func (s *walletStreams) bound(now marketcache.Instant) int {
	if now < s.until {
		return min(s.limit, s.accepted)
	}
	return s.limit
}
