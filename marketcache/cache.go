package marketcache

import (
	"cmp"
	"sync/atomic"
	"time"
)

// Limits are the sizes of the cache, fixed at start. A zero field means its default.
type Limits struct {
	Assets   int // assets the universe may hold (1024)
	Contexts int // context snapshots kept per asset (64)
	Bars     int // hourly bars kept per asset (26,304: three years)
	Rows     int // funding rows kept per asset (2,208: 92 days)
	Samples  int // minute samples kept per asset (1,440)
	Wallets  int // accounts held (8,192)
}

// cell holds everything about one asset.
type cell struct {
	book         Snapshots[*Book]
	context      Snapshots[Context]
	cex          Snapshots[CEXFunding]
	cap          Snapshots[Cap]
	funding      atomic.Pointer[FundingStats]
	openInterest atomic.Pointer[OpenInterestStats]
	stats        atomic.Pointer[SampleStats]
	loading      atomic.Pointer[Loading]

	bars    *Series[Bar]
	rows    *Series[FundingRow]
	samples *Series[MinuteSample]

	// barsThrough is the venue time (ms) up to which bars are complete; 0: the history was never loaded.
	barsThrough atomic.Int64
	wanted      atomic.Bool
	lastHeld    atomic.Int64 // Instant at which a wallet was last seen with a position in the asset
}

// Cache holds the venue's live state. Create it with New.
type Cache struct {
	limits   Limits
	universe atomic.Pointer[Universe]
	cells    []cell // by AssetID
	model    atomic.Pointer[Model]
	pairs    atomic.Pointer[PairTable]
	rules    atomic.Pointer[VenueRules]
	// pairsReadyIn is the expected time until the next complete table of pairs, in ns; negative: unknown.
	pairsReadyIn atomic.Int64
	accounts     *accounts

	barsChanged chan struct{} // one token: a history changed
	wantedAny   chan struct{} // one token: an asset was wanted
	heldAny     chan struct{} // one token: an asset is newly held

	// Venue is the state of the connection, written by the feed.
	Venue VenueStatus
}

// New returns an empty cache. Tables are allocated now; histories grow up to their limit.
func New(l Limits) *Cache {
	l = Limits{
		Assets: cmp.Or(l.Assets, 1024), Contexts: cmp.Or(l.Contexts, 64),
		Bars: cmp.Or(l.Bars, 26304),
		Rows: cmp.Or(l.Rows, 2208), Samples: cmp.Or(l.Samples, 1440), Wallets: cmp.Or(l.Wallets, 8192),
	}
	c := &Cache{
		limits:      l,
		cells:       make([]cell, l.Assets),
		accounts:    newAccounts(l.Wallets),
		barsChanged: make(chan struct{}, 1),
		wantedAny:   make(chan struct{}, 1),
		heldAny:     make(chan struct{}, 1),
	}
	for i := range c.cells {
		c.cells[i].book = newSnapshots[*Book](1)
		c.cells[i].context = newSnapshots[Context](l.Contexts)
		c.cells[i].cex = newSnapshots[CEXFunding](1)
		c.cells[i].cap = newSnapshots[Cap](1)
		c.cells[i].bars = newSeries[Bar](l.Bars)
		c.cells[i].rows = newSeries[FundingRow](l.Rows)
		c.cells[i].samples = newSeries[MinuteSample](l.Samples)
	}
	c.universe.Store(NewUniverse(nil))
	c.model.Store(&Model{Name: "none"})
	c.rules.Store(&VenueRules{})
	c.pairsReadyIn.Store(-1)
	c.Venue.since = Now()
	return c
}

// Limits returns the cache's sizes, Universe the table of assets.
func (c *Cache) Limits() Limits      { return c.limits }
func (c *Cache) Universe() *Universe { return c.universe.Load() }

// SetUniverse replaces the table of assets. Existing ids must keep their meaning. It returns false
// and changes nothing when the table is larger than the cache.
func (c *Cache) SetUniverse(u *Universe) bool {
	if len(u.Assets) > c.limits.Assets {
		return false
	}
	c.universe.Store(u)
	return true
}

// Market sets m to pointers to an asset's newest values within the limits, and their ages. It returns
// false when the asset is not in the universe.
func (c *Cache) Market(id AssetID, now Instant, limits AgeLimits, m *Market) bool {
	asset := c.Universe().Asset(id)
	if asset == nil {
		return false
	}
	cell := &c.cells[id]
	*m = Market{Asset: asset}
	var book **Book
	if book, m.BookAge, _ = cell.book.Latest(now, limits.Market); book != nil {
		m.Book = *book
		m.DepthAge = partAge(m.BookAge, m.Book.DepthProof, m.Book.DepthCadence > 0, now)
	}
	m.Context, m.ContextAge, _ = cell.context.Latest(now, limits.Market)
	if m.Context != nil {
		m.MarkCadence, m.SlowCadence = time.Duration(c.Venue.MarkCadence.Load()),
			time.Duration(c.Venue.SlowCadence.Load())
		m.SlowAge = partAge(m.ContextAge, m.Context.SlowProof, m.Context.SlowProof != 0, now)
	}
	m.CEX, m.CEXAge, _ = cell.cex.Latest(now, limits.CEX)
	m.Funding = cell.funding.Load()
	m.Interest = cell.openInterest.Load()
	m.Samples = cell.stats.Load()
	m.Loading = cell.loading.Load()
	var atCap *Cap
	if atCap, m.CapsAge, _ = cell.cap.Latest(now, Forever); atCap != nil {
		m.AtCap, m.CapsCadence = atCap.Reached, atCap.Cadence
	}
	return true
}

// partAge returns the age of a part of a value. With own, the part is confirmed separately: its age
// counts from proof and is negative when proof is 0 (never). Otherwise it is the age of the whole.
func partAge(whole time.Duration, proof Instant, own bool, now Instant) time.Duration {
	switch {
	case !own:
		return whole
	case proof == 0:
		return -1
	}
	return max(0, now.Sub(proof))
}

// Books, Contexts, CEX and Caps return an asset's snapshots, for the feed that writes them and for readers that
// need more than Market. The id must be in the universe.
func (c *Cache) Books(id AssetID) *Snapshots[*Book]      { return &c.cells[id].book }
func (c *Cache) Contexts(id AssetID) *Snapshots[Context] { return &c.cells[id].context }
func (c *Cache) CEX(id AssetID) *Snapshots[CEXFunding]   { return &c.cells[id].cex }
func (c *Cache) Caps(id AssetID) *Snapshots[Cap]         { return &c.cells[id].cap }

// SetFunding, SetInterest and SetSampleStats publish derived statistics of an asset.
func (c *Cache) SetFunding(id AssetID, f *FundingStats)         { c.cells[id].funding.Store(f) }
func (c *Cache) SetInterest(id AssetID, s *OpenInterestStats)   { c.cells[id].openInterest.Store(s) }
func (c *Cache) SetSampleStats(id AssetID, s *SampleStats)      { c.cells[id].stats.Store(s) }
func (c *Cache) FundingStats(id AssetID) *FundingStats          { return c.cells[id].funding.Load() }
func (c *Cache) SampleStats(id AssetID) *SampleStats            { return c.cells[id].stats.Load() }
func (c *Cache) InterestStats(id AssetID) *OpenInterestStats    { return c.cells[id].openInterest.Load() }
func (c *Cache) FundingRows(id AssetID) *Series[FundingRow]     { return c.cells[id].rows }
func (c *Cache) MinuteSamples(id AssetID) *Series[MinuteSample] { return c.cells[id].samples }

// Bars returns the closed hourly bars held, oldest first, and the venue time (ms) up to which they
// are complete. 0 means that the history was never loaded, which differs from an asset without bars.
func (c *Cache) Bars(id AssetID) (bars []Bar, throughMs int64) {
	// Loaded first, throughMs may be too old for the bars but never too new.
	throughMs = c.cells[id].barsThrough.Load()
	return c.cells[id].bars.View(), throughMs
}

// AppendBars adds closed bars, oldest first and newer than those held, and sets the venue time (ms)
// up to which the history is complete. Without bars it only sets that time. One goroutine at a time.
func (c *Cache) AppendBars(id AssetID, bars []Bar, throughMs int64) {
	c.cells[id].bars.Append(bars...)
	c.through(id, throughMs)
}

// ReplaceBars replaces the whole history of the asset.
func (c *Cache) ReplaceBars(id AssetID, bars []Bar, throughMs int64) {
	c.cells[id].bars.Replace(bars)
	c.through(id, throughMs)
}

func (c *Cache) through(id AssetID, throughMs int64) {
	c.cells[id].barsThrough.Store(throughMs)
	Signal(c.barsChanged)
}

// BarsChanged receives a token after histories have changed; the calibrator waits for it. One token
// may stand for many changes.
func (c *Cache) BarsChanged() <-chan struct{} { return c.barsChanged }

// Want requests that the asset's history be loaded and fitted before others. Wanted reports whether Want
// was called for the asset. The feed waits for WantedAny, which receives a token on the first Want of each.
func (c *Cache) Want(id AssetID) {
	if !c.cells[id].wanted.Swap(true) {
		Signal(c.wantedAny)
	}
}
func (c *Cache) Wanted(id AssetID) bool     { return c.cells[id].wanted.Load() }
func (c *Cache) WantedAny() <-chan struct{} { return c.wantedAny }

// HeldFor is how long an asset counts as held after a wallet was last seen with a position in it.
const HeldFor = 30 * 24 * time.Hour

// markHeld marks the listed assets of a's positions and collateral as held at a.Received (see HeldFor).
func (c *Cache) markHeld(a *Account) {
	for i := range a.Positions {
		c.markAssetHeld(a.Positions[i].Asset, a.Received)
	}
	for i := range a.Collateral {
		c.markAssetHeld(a.Collateral[i].Asset, a.Received)
	}
}

func (c *Cache) markAssetHeld(id AssetID, at Instant) {
	asset := c.Universe().Asset(id)
	if asset == nil || asset.Delisted {
		return
	}
	if before := raise(&c.cells[id].lastHeld, at, true); before == 0 || at.Sub(before) > HeldFor {
		Signal(c.heldAny)
	}
}

// HeldWithin reports whether a wallet that was read within d before now held the asset.
func (c *Cache) HeldWithin(id AssetID, now Instant, d time.Duration) bool {
	at := Instant(c.cells[id].lastHeld.Load())
	return at != 0 && now.Sub(at) <= d
}

// HeldAny receives a token when a wallet holds an asset that no wallet held in the last HeldFor; the
// calibrator waits for it.
func (c *Cache) HeldAny() <-chan struct{} { return c.heldAny }

// Signal puts a token into a channel with room for one, unless it holds one.
func Signal(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Model returns the newest calibration, never nil; Pairs returns the newest complete table of fitted
// pairs, nil before the first.
func (c *Cache) Model() *Model         { return c.model.Load() }
func (c *Cache) Pairs() *PairTable     { return c.pairs.Load() }
func (c *Cache) SetModel(m *Model)     { c.model.Store(m) }
func (c *Cache) SetPairs(t *PairTable) { c.pairs.Store(t) }

// Rules returns what the venue says about all orders, never nil; SetRules replaces it.
func (c *Cache) Rules() *VenueRules     { return c.rules.Load() }
func (c *Cache) SetRules(r *VenueRules) { c.rules.Store(r) }

// Loading returns what of an asset's history is still to be read; nil: nothing. SetLoading replaces it; the end of
// the candles counts as a change of histories (BarsChanged), because pairs wait for it.
func (c *Cache) Loading(id AssetID) *Loading { return c.cells[id].loading.Load() }
func (c *Cache) SetLoading(id AssetID, l *Loading) {
	was := c.cells[id].loading.Swap(l)
	if was != nil && was.Candles && (l == nil || !l.Candles) {
		Signal(c.barsChanged)
	}
}

// PairsReadyIn returns the expected time until the next complete table of pairs; negative: unknown.
func (c *Cache) PairsReadyIn() time.Duration     { return time.Duration(c.pairsReadyIn.Load()) }
func (c *Cache) SetPairsReadyIn(d time.Duration) { c.pairsReadyIn.Store(int64(d)) }
