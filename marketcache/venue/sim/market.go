package sim

import (
	"math"
	"runtime"
	"sync"
)

// market is the simulated venue's state. One goroutine steps it; readers hold the
// read lock.
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

	nowMs int64 // the wall-clock time of the state
	// clock is the wall clock in ms: what the venue says of its own time, which runs on
	// between two steps.
	clock func() int64
	steps uint64
}

// priceWarm is the hours of the grid before the oldest candle: ten half-lives of
// volatility, so that no candle remembers where the grid began.
const priceWarm = 1000

// newMarket builds the market of a seed as it stands at startMs.
func newMarket(assets, dexAssets int, seed uint64, speed float64, startMs int64) *market {
	m := &market{
		clock: func() int64 { return startMs },
		seed:  seed, speed: speed, startMs: startMs, startHour: floorDiv(startMs, hourMs),
		byName: map[string]*asset{}, accounts: map[string]*account{},
	}
	keep := m.startHour - listedBars
	origin := gridOrigin(m.startHour, listedBars+priceWarm)
	last := m.startHour + 1
	m.factor = newProcess(seed, 0, factorVol, origin, keep, last)
	type place struct {
		spec
		dex        string
		dexN, rowN int
	}
	var places []place
	m.dexes = []dex{{}}
	for _, d := range dexCatalog {
		m.dexes = append(m.dexes, dex{dexSpec: d})
	}
	for d, rows := range append([][]spec{mainSpecs(assets, seed)}, dexSpecs(dexAssets, seed)...) {
		for i, s := range rows {
			places = append(places, place{s, m.dexes[d].name, d, i})
		}
	}
	m.assets = make([]*asset, len(places))

	// Each asset is independent of the others: build them on all processors.
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := w; i < len(m.assets); i += workers {
				p := places[i]
				m.assets[i] = newAsset(p.spec, p.dex, p.dexN, p.rowN, seed, origin, keep, last)
				m.prepare(m.assets[i])
			}
		}()
	}
	wg.Wait()
	for i, a := range m.assets {
		m.byName[a.name] = a
		d := &m.dexes[places[i].dexN]
		d.assets = append(d.assets, a)
	}
	m.moveTo(startMs)
	m.settle()
	m.openAccounts()
	return m
}

// dex is one dex with its assets in universe order; the main one has no name.
type dex struct {
	dexSpec
	assets []*asset
}

// dex returns a dex by name, nil when there is none.
func (m *market) dex(name string) *dex {
	for i := range m.dexes {
		if m.dexes[i].name == name {
			return &m.dexes[i]
		}
	}
	return nil
}

// dexAssets returns the assets of a dex in universe order.
func (m *market) dexAssets(name string) []*asset {
	if d := m.dex(name); d != nil {
		return d.assets
	}
	return nil
}

// pathTime converts wall-clock ms to an hour of the price grid and a fraction of it.
// Before the start the two clocks agree; after it the path runs at the market's speed.
func (m *market) pathTime(ms int64) (hour int64, frac float64) {
	t := float64(ms - m.startMs)
	if t > 0 {
		t *= m.speed
	}
	whole := math.Floor(t)
	at := m.startMs + int64(whole)
	hour = floorDiv(at, hourMs)
	return hour, (float64(at-hour*hourMs) + t - whole) / hourMs
}

// prepare fills the rolling day and the forming bar of an asset at the start.
func (m *market) prepare(a *asset) {
	if a.life == delisted {
		node := a.until - m.factor.first
		a.state.mid = math.Exp(a.logPrice(m.factor.x[node], a.own.x[node]))
		return
	}
	if a.until <= m.startHour { // never opened
		a.state.mid = a.price
		return
	}
	for h := m.startHour - 24; h < m.startHour; h++ {
		i, j := h-m.factor.first, h-a.own.first
		x0 := a.logPrice(m.factor.x[i], a.own.x[j])
		x1 := a.logPrice(m.factor.x[i+1], a.own.x[j+1])
		usd := m.hourUSD(a, h, x1-x0)
		if h < a.from {
			usd = 0
		}
		a.state.day.set(h, usd, usd/math.Exp(x1), math.Exp(x0))
	}
	m.openBar(a, m.startHour, math.Exp(a.logPrice(m.factor.at(m.startHour, 0), a.own.at(m.startHour, 0))))
	// The hour so far, minute by minute.
	_, frac := m.pathTime(m.startMs)
	b := &a.state.bars[0]
	const minute = 1.0 / 60
	for f := minute; f < frac; f += minute {
		b.see(a.toUnits(math.Exp(a.logPrice(m.factor.at(m.startHour, f), a.own.at(m.startHour, f)))))
	}
	if a.trades() {
		b.trade(a, a.hourRate(m.startHour)*frac)
	}
}

// openBar starts the candle of an hour at a price.
func (m *market) openBar(a *asset, hour int64, price float64) {
	u := int32(a.toUnits(price))
	a.state.bars = append(a.state.bars, bar{hour: hour, open: u, high: u, low: u, close: u})
}

// stepMax bounds the wall-clock distance of two looks at the path, so that a candle
// sees its extremes even when the clock jumps; jumpMax bounds their number in a jump.
const (
	stepMax = 60_000 // ms
	jumpMax = 3000
)

// step moves the market to a wall-clock time. Going back in time changes nothing.
func (m *market) step(nowMs int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if nowMs <= m.nowMs {
		return
	}
	gap := nowMs - m.nowMs
	n := min((gap+stepMax-1)/stepMax, jumpMax)
	from := m.nowMs
	for i := int64(1); i <= n; i++ {
		to := from + gap*i/n
		// Whole hours are always stepped on, so that candles close at the hour's price.
		for edge := (floorDiv(m.nowMs, hourMs) + 1) * hourMs; edge <= to; edge += hourMs {
			m.moveTo(edge)
		}
		if to > m.nowMs {
			m.moveTo(to)
		}
	}
	m.settle()
	m.steps++
}

// moveTo moves prices and candles to a wall-clock time.
func (m *market) moveTo(ms int64) {
	pathHour, pathFrac := m.pathTime(ms)
	m.factor.extend(pathHour)
	common := m.factor.at(pathHour, pathFrac)
	hour := floorDiv(ms, hourMs)
	elapsed := float64(ms-m.nowMs) / hourMs // wall-clock hours
	if m.nowMs == 0 {
		elapsed = 0
	}
	m.nowMs = ms
	for _, a := range m.assets {
		if a.life == delisted {
			continue
		}
		a.own.extend(pathHour)
		before := a.state.mid
		if a.life != unopened || before == 0 {
			a.state.mid = math.Exp(a.logPrice(common, a.own.at(pathHour, pathFrac)))
		}
		if len(a.state.bars) == 0 { // unopened
			continue
		}
		m.record(a, hour, before, elapsed)
	}
}

// record brings the forming candle to the asset's current price. At a whole hour the
// price closes one candle and opens the next.
func (m *market) record(a *asset, hour int64, before, elapsed float64) {
	b := &a.state.bars[len(a.state.bars)-1]
	for b.hour < hour {
		b.see(a.toUnits(a.state.mid))
		a.state.day.set(b.hour, b.usd, a.baseUnits(b.size), a.usdOf(int64(b.open)))
		m.openBar(a, b.hour+1, a.usdOf(int64(b.close)))
		b = &a.state.bars[len(a.state.bars)-1]
	}
	b.see(a.toUnits(a.state.mid))
	if a.trades() && elapsed > 0 && before > 0 {
		move := math.Log(a.state.mid / before)
		sd := a.vol / math.Sqrt(hoursPerYear) * math.Sqrt(elapsed*m.speed)
		b.trade(a, a.hourRate(hour)*elapsed*pace(move, sd))
	}
	a.state.day.set(b.hour, b.usd, a.baseUnits(b.size), a.usdOf(int64(b.open)))
}

// oracleMs is how often oracle and mark move, together.
const oracleMs = 3000

// settle derives books, oracle, mark, funding and open interest from the mid prices.
func (m *market) settle() {
	hour := floorDiv(m.nowMs, hourMs)
	frac := float64(m.nowMs-hour*hourMs) / hourMs
	pathHour, _ := m.pathTime(m.nowMs)
	seconds := float64(m.nowMs) / 1000
	every := max(int64(oracleMs/max(m.speed, 1)), 1)
	slot := m.nowMs / every
	for _, a := range m.assets {
		s := &a.state
		if a.life == delisted {
			s.mark = a.toUnits(s.mid)
			s.oracle = a.toUnits(s.mid * 0.998)
			continue
		}
		stress := math.Sqrt(m.hourVariance(a, pathHour)) * math.Sqrt(hoursPerYear) / max(a.vol, 0.05)
		spread := math.Exp(0.2*a.noise.smooth(seconds/60)) * (0.6 + 0.4*stress)
		depth := math.Exp(0.25*key(a.noise+1).smooth(seconds/300)) / (0.5 + 0.5*stress)
		imbalance := min(max(0.25*key(a.noise+2).smooth(seconds/40), -0.8), 0.8)
		s.ladder = a.newLadder(s.mid, m.nowMs, spread, depth, imbalance)

		_, mean := a.fundP.during(hour, frac)
		if a.life == frozen || a.life == unopened {
			mean = 0
		}
		s.funding = a.rule.rate(mean)
		if s.slot != slot {
			s.slot = slot
			m.fix(a, slot*every)
		}
		s.interest = a.interestUnits(m.nowMs)
	}
}

// fix sets oracle and mark to what the path says of a wall-clock time.
func (m *market) fix(a *asset, ms int64) {
	s := &a.state
	mid, premium := s.mid, 0.0
	if a.life != unopened {
		mid = math.Exp(m.logAt(a, ms))
	}
	if a.life != frozen && a.life != unopened {
		hour := floorDiv(ms, hourMs)
		premium, _ = a.fundP.during(hour, float64(ms-hour*hourMs)/hourMs)
	}
	premium += 0.1 * a.fundP.sd * key(a.noise+3).normal(ms/oracleMs)
	oracle := mid / (1 + premium)
	s.oracle = a.toUnits(oracle)
	// The venue's mark is a median of three prices between oracle and mid.
	s.mark = a.toUnits(oracle + 0.85*(mid-oracle))
}

// interestUnits is the open interest in size units: a slow wander around the
// catalog's, still where the venue's cap holds it.
func (a *asset) interestUnits(ms int64) int64 {
	hours := float64(ms) / hourMs
	wander := 0.2*key(a.noise+4).smooth(hours/72) + 0.05*key(a.noise+5).smooth(hours/2)
	if a.atCap {
		wander *= 0.05
	}
	return int64(a.interest * 1e6 / a.price * math.Exp(wander) * float64(pow10[a.szDecimals]))
}

// bars returns the hourly candles of an asset that overlap [startMs, endMs], oldest
// first, the forming one last. The caller holds the read lock.
func (m *market) hourly(a *asset, startMs, endMs int64) []bar {
	past := m.past(a)
	all := make([]bar, 0, len(past)+len(a.state.bars))
	for _, b := range past {
		if (b.hour+1)*hourMs > startMs && b.hour*hourMs <= endMs {
			all = append(all, b)
		}
	}
	for _, b := range a.state.bars {
		if (b.hour+1)*hourMs > startMs && b.hour*hourMs <= endMs {
			all = append(all, b)
		}
	}
	return all
}
