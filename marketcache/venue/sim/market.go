package sim

import (
	"math"
	"slices"
	"sync"
)

// market is the state of the simulated market. One goroutine steps it; readers hold the read lock.
type market struct {
	mu        sync.RWMutex
	seed      uint64
	speed     float64
	startMs   int64
	startHour int64
	factor    *process
	assets    []*asset // by dex, in universe order
	dexes     []dex    // by dex index, the main one first
	byName    map[string]*asset
	accounts  map[string]*account
	traders   []*account          // the accounts that trade
	nonces    map[string][]uint64 // the highest of each signer, ascending
	lastID    int64
	// freeActions is the number of actions that an account may send without having traded; 0: no limit.
	freeActions int64

	nowMs int64 // wall-clock time of the state
	// clock returns the wall clock in ms, which the venue reports as its time. It goes on between steps.
	clock func() int64
}

// priceWarm is the minimum number of hours of the grid before the oldest candle: about 20 half-lives of
// volatility, so that no candle's volatility depends on where the grid starts.
const priceWarm = 1000

// newMarket returns the market of a seed at startMs.
func newMarket(assets, dexAssets int, seed uint64, speed float64, startMs int64) *market {
	m := &market{
		clock: func() int64 { return startMs },
		seed:  seed, speed: speed, startMs: startMs, startHour: floorDiv(startMs, hourMs),
		byName: map[string]*asset{}, accounts: map[string]*account{},
		nonces: map[string][]uint64{}, lastID: 10_000_000,
	}
	keep := m.startHour - listedBars
	origin := gridOrigin(m.startHour, listedBars+priceWarm)
	last := m.startHour + 1
	m.factor = newProcess(seed, 0, factorVol, origin, keep, last)
	m.dexes = []dex{{}}
	for _, d := range dexCatalog {
		m.dexes = append(m.dexes, dex{dexSpec: d})
	}
	// The assets' pasts are independent and are built concurrently.
	var wg sync.WaitGroup
	for d, rows := range append([][]spec{mainSpecs(assets, seed)}, dexSpecs(dexAssets, seed)...) {
		on := &m.dexes[d]
		for i, s := range rows {
			a := newAsset(s, on.name, d, i, seed, m.startHour)
			m.byName[a.name] = a
			m.assets, on.assets = append(m.assets, a), append(on.assets, a)
			common := a.beta * factorVol
			ownVol := math.Sqrt(max(a.vol*a.vol-common*common, 0))
			wg.Go(func() { a.own = newProcess(seed, a.id, ownVol, origin, keep, last) })
		}
	}
	wg.Wait()
	m.moveTo(startMs)
	for i := range Wallets {
		m.openAccount(&Wallets[i])
	}
	m.openTraders()
	return m
}

// dex is one dex with its assets in universe order; the main dex has no name.
type dex struct {
	dexSpec
	assets []*asset
}

// dex returns a dex by name, nil if there is none.
func (m *market) dex(name string) *dex {
	if i := slices.IndexFunc(m.dexes, func(d dex) bool { return d.name == name }); i >= 0 {
		return &m.dexes[i]
	}
	return nil
}

// pathTime converts wall-clock ms to an hour of the price grid and a fraction of it. Before the start both
// clocks agree; afterwards the path runs at the market's speed.
func (m *market) pathTime(ms int64) (hour int64, frac float64) {
	t := float64(ms-m.startMs) * m.speedAt(ms)
	whole := math.Floor(t)
	at := m.startMs + int64(whole)
	hour = floorDiv(at, hourMs)
	return hour, (float64(at-hour*hourMs) + t - whole) / hourMs
}

// speedAt returns the path's speed at a wall-clock time.
func (m *market) speedAt(ms int64) float64 {
	if ms < m.startMs {
		return 1
	}
	return m.speed
}

// logAt returns the log price at a wall-clock time not after nowMs.
func (m *market) logAt(a *asset, ms int64) float64 {
	h, frac := m.pathTime(ms)
	return a.base + a.beta*m.factor.at(h, frac) + a.own.at(h, frac)
}

// price returns the price in USD at a wall-clock time not after nowMs; for a delisted asset the last one.
func (m *market) price(a *asset, ms int64) float64 {
	switch a.life {
	case unopened:
		return a.price
	case delisted:
		ms = min(ms, a.until*hourMs)
	}
	return math.Exp(m.logAt(a, ms))
}

// step moves the market to a wall-clock time; an earlier time changes nothing.
func (m *market) step(nowMs int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if nowMs > m.nowMs {
		m.moveTo(nowMs)
		m.work()
	}
}

// moveTo sets the state for a wall-clock time: mid prices from the path, then books, oracle, mark, funding
// and open interest.
func (m *market) moveTo(ms int64) {
	m.nowMs = ms
	pathHour, _ := m.pathTime(m.nowMs)
	m.factor.extend(pathHour)
	seconds := float64(m.nowMs) / 1000
	for _, a := range m.assets {
		s := &a.state
		a.own.extend(pathHour)
		s.mid = m.price(a, ms)
		if a.life == delisted {
			s.mark = a.toUnits(s.mid)
			s.oracle = a.toUnits(s.mid * 0.998)
			continue
		}
		spread := math.Exp(0.2 * a.noise.smooth(seconds/60))
		depth := math.Exp(0.25 * key(a.noise+1).smooth(seconds/300))
		imbalance := min(max(0.25*key(a.noise+2).smooth(seconds/40), -0.8), 0.8)
		s.ladder = a.newLadder(s.mid, spread, depth, imbalance)

		premium, mean := a.premium(m.nowMs)
		s.funding = fundingRate(mean)
		oracle := s.mid / (1 + premium)
		s.oracle = a.toUnits(oracle)
		// The venue's mark is a median of three prices between oracle and mid.
		s.mark = a.toUnits(oracle + 0.85*(s.mid-oracle))
		s.openInterest = a.interestUnits(m.nowMs)
	}
}

// interestUnits returns the open interest in size units. It varies slowly around the catalog's value, and
// by a twentieth of that when the asset is at its open-interest cap.
func (a *asset) interestUnits(ms int64) int64 {
	hours := float64(ms) / hourMs
	wander := 0.2*key(a.noise+4).smooth(hours/72) + 0.05*key(a.noise+5).smooth(hours/2)
	if a.atCap {
		wander *= 0.05
	}
	return int64(a.openInterest * 1e6 / a.price * math.Exp(wander) * float64(pow10[a.szDecimals]))
}
