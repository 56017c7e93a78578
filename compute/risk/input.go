package risk

import (
	"time"

	"ballast/marketcache"
)

// AssetInput is the photograph of one asset: its market and its fit.
type AssetInput struct {
	Market marketcache.Market
	Model  *marketcache.AssetModel
	// TakenBids and TakenAsks are the units that earlier trades of a batch took out of the
	// book.
	TakenBids, TakenAsks float64
}

// Input is the photograph that an assessment is computed from. Everything in it is
// immutable or owned by the Scratch.
type Input struct {
	Trade Trade
	// AsHeld asks for the position as held: no trade.
	AsHeld  bool
	heldAt  int // with AsHeld: 1 + the index of the position; 0: that in Trade.Asset
	Account *marketcache.Account
	Target  AssetInput
	Held    []AssetInput // one for each position of Account, in its order
	// Rows is the fit whose hours are the rows of the joint simulation: that of BTC, which is
	// always listed and has the longest history. nil when there is none.
	Rows *marketcache.AssetModel
	// Pairs are the fitted pairs of assets, Correlations what correlations are made of.
	Pairs        *marketcache.PairTable
	Correlations *marketcache.Correlations

	ModelName string
	// Digests of the constants behind the fits, and of those of the assessment for which the
	// fits carry a hash of their own.
	ModelConstants, EngineConstants [32]byte

	MarketAge  time.Duration // the oldest price input: best levels and marks
	WalletAge  time.Duration
	CandleAge  time.Duration // since the end of the newest bar known, oldest asset used
	Stale      bool          // some input is past its soft limit
	AsOfUnixMs int64
	Divergence marketcache.Divergence // of the prices on the photograph
}

// Ages are the limits on the age of inputs. Past the soft limit an answer carries the
// flag stale_market_data; past the hard limit there is no answer.
type Ages struct {
	// A market input that is renewed at a cadence may be that much and CadenceSoft old;
	// MarketSoft is for those of which none is known.
	MarketSoft, CadenceSoft, MarketHard time.Duration
	WalletSoft, WalletHard              time.Duration
	// InterestSoft is for the list of caps, or its cadence if that is longer.
	InterestSoft           time.Duration
	CandleSoft, CandleHard time.Duration
	// CEXHard is the age at which the funding of centralised exchanges is left out.
	CEXHard time.Duration
}

// DefaultAges returns the limits in force unless configured otherwise.
func DefaultAges() Ages {
	return Ages{
		MarketSoft: 5 * time.Second, CadenceSoft: 950 * time.Millisecond, MarketHard: 30 * time.Second,
		WalletSoft: 2 * time.Second, WalletHard: 15 * time.Second,
		InterestSoft: 120 * time.Second,
		CandleSoft:   2 * time.Hour, CandleHard: 24 * time.Hour,
		CEXHard: 10 * time.Minute,
	}
}

// Reason says why a photograph could not be taken.
type Reason uint8

const (
	Complete     Reason = iota
	Starting            // an input has never been loaded; Asset is the one to ask for first
	StaleData           // an input is older than its hard limit
	Inconsistent        // prices contradict each other, and the trade may increase a position
)

// Unavailable is what kept Fill from taking the photograph. The zero value: nothing.
type Unavailable struct {
	Reason Reason
	Asset  marketcache.AssetID
	What   string        // book, context, candles, funding history or wallet; of Inconsistent, Divergence.With
	Age    time.Duration // negative: never seen
}

// Fill photographs everything that the assessment of t needs. now and wall are the same
// moment on the monotonic and the wall clock (ms since 1970, corrected for skew); age is
// that of the account. The account must not change afterwards.
func (e *Engine) Fill(in *Input, c *marketcache.Cache, t *Trade, account *marketcache.Account, age time.Duration, now marketcache.Instant, wallMs int64) Unavailable {
	f := photographer{ages: &e.ages, cache: c, model: c.Model(), now: now, wallMs: wallMs}
	return f.fill(in, t, account, age)
}

// fill photographs the trade's asset and all that the wallet holds.
func (f *photographer) fill(in *Input, t *Trade, account *marketcache.Account, age time.Duration) Unavailable {
	f.begin(in, account, age)
	in.Trade = *t
	if age > f.ages.WalletHard {
		return Unavailable{Reason: StaleData, Asset: t.Asset, What: "wallet", Age: age}
	}
	if missing := f.target(&in.Target, t.Asset); missing.Reason != Complete {
		return missing
	}
	for i := range account.Positions {
		in.Held = append(in.Held, AssetInput{})
		if id := account.Positions[i].Asset; id == t.Asset {
			in.Held[i] = in.Target // one photograph of one asset: its mark must not differ
		} else if missing := f.held(&in.Held[i], id); missing.Reason != Complete {
			f.wantRest(account.Positions[i:])
			return missing
		}
		in.Divergence.SeePosition(&account.Positions[i], &in.Held[i].Market)
	}
	f.finish()
	if d := &in.Divergence; d.Contradiction && t.mayIncrease(account, in.Target.Market.Context.MarkPrice, f.running != nil) {
		return Unavailable{Reason: Inconsistent, Asset: d.Asset, What: d.With}
	}
	return Unavailable{}
}

// begin makes in the photograph of an account of which nothing is on it yet.
func (f *photographer) begin(in *Input, account *marketcache.Account, age time.Duration) {
	held := in.Held[:0]
	*in = Input{}
	in.Account, in.Held, in.WalletAge, in.AsOfUnixMs = account, held, age, f.wallMs
	in.Rows, in.Pairs = f.model.Asset(f.cache.Universe().Bitcoin), f.cache.Pairs()
	in.Correlations = f.model.Correlations
	in.ModelName, in.ModelConstants, in.EngineConstants = f.model.Name, f.model.Constants, f.model.EngineConstants
	f.in = in
}

// finish judges the ages of the whole photograph.
func (f *photographer) finish() {
	in := f.in
	in.Stale = in.Stale || in.WalletAge > f.ages.WalletSoft || in.CandleAge > f.ages.CandleSoft
}

// photographer carries what the steps of Fill share.
type photographer struct {
	in     *Input
	ages   *Ages
	cache  *marketcache.Cache
	model  *marketcache.Model
	now    marketcache.Instant
	wallMs int64
	// running, of a batch, holds what has been photographed of an asset; nil: nothing is kept.
	running map[marketcache.AssetID]*runningAsset
}

// target photographs the asset of the trade, which needs a book.
func (f *photographer) target(a *AssetInput, id marketcache.AssetID) Unavailable {
	f.market(a, id)
	m := &a.Market
	if m.Book == nil {
		return f.unavailable(id, "book", m.BookAge)
	}
	f.in.MarketAge = max(f.in.MarketAge, m.BookAge)
	f.in.Stale = f.in.Stale || f.late(m.BookAge, m.Book.Cadence) || f.late(m.DepthAge, m.Book.DepthCadence) ||
		m.CapsAge < 0 || m.CapsAge > max(f.ages.InterestSoft, m.CapsCadence)
	return f.listed(a, id)
}

// late reports whether an input that is renewed at a cadence, 0 where none is known, is past
// its soft limit; a negative age: it has never come.
func (f *photographer) late(age, cadence time.Duration) bool {
	if cadence == 0 {
		return age > f.ages.MarketSoft
	}
	return age < 0 || age > cadence+f.ages.CadenceSoft
}

// held photographs the asset of another position. A delisted or unknown asset is taken
// as far as it is known: nothing about it will come any more. So is, for a close, an asset
// whose history is still on its way: exits are never blocked by the rest of the book, and
// the flag stale_market_data says that something was missing.
func (f *photographer) held(a *AssetInput, id marketcache.AssetID) Unavailable {
	f.market(a, id)
	if a.Market.Asset != nil && !a.Market.Asset.Delisted {
		missing := f.listed(a, id)
		if missing.Reason == Complete || f.in.Trade.Action != ActionClose {
			return missing
		}
		f.cache.Want(id)
		f.in.Stale = true
	}
	if a.Model == nil {
		a.Model = f.model.Unknown
	}
	return Unavailable{}
}

// wantRest asks for the histories of all assets that are still missing, so that a wallet of
// many is not served one asset at a time.
func (f *photographer) wantRest(positions []marketcache.Position) {
	universe := f.cache.Universe()
	for i := range positions {
		id := positions[i].Asset
		if a := universe.Asset(id); a != nil && !a.Delisted && f.model.Asset(id) == nil {
			f.cache.Want(id)
		}
	}
}

func (f *photographer) market(a *AssetInput, id marketcache.AssetID) {
	if f.running == nil {
		f.read(a, id)
		return
	}
	r := f.running[id]
	if r == nil {
		r = &runningAsset{}
		f.read(&r.AssetInput, id)
		f.running[id] = r
	}
	*a = r.AssetInput
}

func (f *photographer) read(a *AssetInput, id marketcache.AssetID) {
	limits := marketcache.AgeLimits{Market: f.ages.MarketHard, CEX: f.ages.CEXHard}
	if f.cache.Market(id, f.now, limits, &a.Market) {
		a.Model = f.model.Asset(id)
	}
}

// listed checks what every listed asset must have: a context, candles and funding
// history, and a fit of them.
func (f *photographer) listed(a *AssetInput, id marketcache.AssetID) Unavailable {
	m := &a.Market
	if m.Context == nil {
		return f.unavailable(id, "context", m.ContextAge)
	}
	if m.SlowAge > f.ages.MarketHard+2*m.SlowCadence {
		return f.unavailable(id, "context", m.SlowAge)
	}
	f.in.MarketAge = max(f.in.MarketAge, m.ContextAge)
	f.in.Stale = f.in.Stale || f.late(m.ContextAge, m.MarkCadence) || f.late(m.SlowAge, m.SlowCadence)
	f.in.Divergence.SeeMarket(m)
	if a.Model == nil {
		return f.unavailable(id, "candles", -1)
	}
	if m.Funding == nil {
		return f.unavailable(id, "funding history", -1)
	}
	_, through := f.cache.Bars(id)
	if through == 0 {
		return f.unavailable(id, "candles", -1)
	}
	age := time.Duration(f.wallMs-through) * time.Millisecond
	if a.Model.Bars > 0 { // a fit that fails stays behind its bars
		closed := (a.Model.LastHour + 1) * hourMs
		age = max(age, time.Duration(f.wallMs-closed)*time.Millisecond)
	}
	f.in.Stale = f.in.Stale || a.Model.FitError != ""
	if age > f.ages.CandleHard {
		return f.unavailable(id, "candles", age)
	}
	f.in.CandleAge = max(f.in.CandleAge, age)
	return Unavailable{}
}

func (f *photographer) unavailable(id marketcache.AssetID, what string, age time.Duration) Unavailable {
	if age < 0 {
		return Unavailable{Reason: Starting, Asset: id, What: what, Age: age}
	}
	return Unavailable{Reason: StaleData, Asset: id, What: what, Age: age}
}
