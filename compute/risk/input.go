package risk

import (
	"slices"
	"time"

	mc "ballast/marketcache"
)

// AssetInput is the snapshot of one asset: its market and its fit.
type AssetInput struct {
	Market  mc.Market
	Model   *mc.AssetModel
	StoodIn bool // the asset is delisted or unknown: the account's data stand in for missing data
	// TakenBids and TakenAsks are the units that earlier trades of a batch took from the book.
	TakenBids, TakenAsks float64
}

// Input is the snapshot from which an assessment is computed. Its contents are immutable or
// owned by the Scratch.
type Input struct {
	Trade Trade
	// AsHeld assesses a position as held, without a trade.
	AsHeld  bool
	heldAt  int // with AsHeld: 1 + index of the position; 0: the position in Trade.Asset
	Account *mc.Account
	Target  AssetInput
	Held    []AssetInput // one per position of Account, in the same order
	Backing []AssetInput // one per collateral of Account, in the same order
	Ordered []AssetInput // the other assets in which the account has resting orders
	// Rows is the fit whose hours are the rows of the joint replay: BTC's, because BTC is always
	// listed and has the longest history. nil until BTC has been fitted.
	Rows *mc.AssetModel
	// Pairs are the fitted pairs of assets. Correlations has the sums for correlation matrices.
	Pairs        *mc.PairTable
	Correlations *mc.Correlations

	ModelName      string
	ModelConstants [32]byte // digest of the constants of the fits

	MarketAge time.Duration // age of the oldest price input: best levels and marks
	WalletAge time.Duration
	CandleAge time.Duration // time since the newest bar closed, maximum over the assets
	Stale     bool          // some input is older than its soft limit
	Lateness  Lateness      // of the input that is furthest past its soft limit
	Rules     *mc.VenueRules
	Notice    string // of the venue, "" if there is none, or it is not known
	// PairsReadyIn is when the next complete table of pairs is expected; negative: not known.
	PairsReadyIn time.Duration
	AsOfUnixMs   int64
	Divergence   mc.Divergence // of the prices in the snapshot
}

// Ages are the limits on the age of inputs. Past a soft limit the answer has the flag
// stale_market_data; past a hard limit there is no answer.
type Ages struct {
	// A market input that is renewed at a known cadence may be as old as the cadence plus
	// CadenceSoft; without a known cadence, MarketSoft applies.
	MarketSoft, CadenceSoft, MarketHard time.Duration
	WalletSoft, WalletHard              time.Duration
	// InterestSoft applies to the list of open-interest caps, or the list's cadence if longer.
	InterestSoft           time.Duration
	CandleSoft, CandleHard time.Duration
	// CEXHard is the age above which the funding of centralised exchanges is left out.
	CEXHard time.Duration
}

// DefaultAges returns the default limits.
func DefaultAges() Ages {
	return Ages{
		MarketSoft: 5 * time.Second, CadenceSoft: 950 * time.Millisecond, MarketHard: 30 * time.Second,
		WalletSoft: 2 * time.Second, WalletHard: 15 * time.Second,
		InterestSoft: 120 * time.Second,
		CandleSoft:   2 * time.Hour, CandleHard: 24 * time.Hour,
		CEXHard: 10 * time.Minute,
	}
}

// Reason tells why no snapshot could be taken.
type Reason uint8

const (
	Complete     Reason = iota
	Starting            // an input of Asset has never been loaded; ask for it with Cache.Want
	StaleData           // an input is older than its hard limit
	Inconsistent        // prices contradict each other, and the trade may increase a position
	Unread              // the venue did not tell the wallet's state on the dex of Asset
)

// Unavailable describes why Fill could not take the snapshot. Its zero value means success.
type Unavailable struct {
	Reason Reason
	Asset  mc.AssetID
	What   string        // book, context, candles, funding history or wallet; for Inconsistent, Divergence.With
	Age    time.Duration // negative: never loaded
	Limit  time.Duration // the hard limit on Age, for StaleData
}

// Fill takes the snapshot for the assessment of t. now and wallMs are the same moment on the
// monotonic and the venue's clock (ms since 1970); age is the age of account.
// The account must not change afterwards.
func (e *Engine) Fill(
	in *Input, c *mc.Cache, t *Trade, account *mc.Account, age time.Duration, now mc.Instant, wallMs int64,
) Unavailable {
	f := snapshotter{ages: &e.ages, cache: c, model: c.Model(), now: now, wallMs: wallMs}
	return f.fill(in, t, account, age)
}

// fill takes the snapshot of the trade's asset and all assets with a position.
func (f *snapshotter) fill(in *Input, t *Trade, account *mc.Account, age time.Duration) Unavailable {
	f.begin(in, account, age)
	in.Trade = *t
	if age > f.ages.WalletHard {
		return Unavailable{Reason: StaleData, Asset: t.Asset, What: "wallet", Age: age, Limit: f.ages.WalletHard}
	}
	if missing := f.target(&in.Target, t.Asset); missing.Reason != Complete {
		return missing
	}
	mark := in.Target.Market.Context.MarkPrice
	if t.SizeCoin > 0 {
		in.Trade.SizeUSD = t.SizeCoin * mark
	}
	if len(account.Unread) > 0 && slices.Contains(account.Unread, in.Target.Market.Asset.Dex) {
		return Unavailable{Reason: Unread, Asset: t.Asset}
	}
	for i := range account.Positions {
		in.Held = append(in.Held, AssetInput{})
		if id := account.Positions[i].Asset; id == t.Asset {
			in.Held[i] = in.Target // same data, so that both have the same mark
		} else if missing := f.held(&in.Held[i], id); missing.Reason != Complete {
			f.wantRest(account.Positions[i:])
			return missing
		}
		in.Divergence.SeePosition(&account.Positions[i], &in.Held[i].Market)
	}
	for i := range f.asRead {
		p := &f.asRead[i]
		in.Divergence.SeePosition(p, &f.running[p.Asset].Market)
	}
	f.finish()
	if d := &in.Divergence; d.Contradiction &&
		in.Trade.mayIncrease(account, mark, lotOf(in.Target.Market.Asset.SizeDigits)) {
		return Unavailable{Reason: Inconsistent, Asset: d.Asset, What: d.With}
	}
	return Unavailable{}
}

// begin starts the snapshot of an account.
func (f *snapshotter) begin(in *Input, account *mc.Account, age time.Duration) {
	held, backing, ordered := in.Held[:0], in.Backing[:0], in.Ordered[:0]
	*in = Input{}
	in.Account, in.Held, in.Backing, in.Ordered = account, held, backing, ordered
	in.WalletAge, in.AsOfUnixMs = age, f.wallMs
	in.Rules, in.PairsReadyIn = f.cache.Rules(), f.cache.PairsReadyIn()
	in.Notice = in.Rules.CurrentNotice(f.now)
	in.Rows, in.Pairs = f.model.Asset(f.cache.Universe().Bitcoin), f.cache.Pairs()
	in.Correlations = f.model.Correlations
	in.ModelName, in.ModelConstants = f.model.Name, f.model.Constants
	f.in = in
}

// finish takes the assets of the collateral, and marks the snapshot stale if the wallet or the candles
// exceed their soft limits.
func (f *snapshotter) finish() {
	in := f.in
	for i := range in.Account.Collateral {
		in.Backing = append(in.Backing, AssetInput{})
		f.backing(&in.Backing[i], in.Account.Collateral[i].Asset)
	}
	if in.Account.Orders != nil {
		f.ordered(in.Account.Orders.Orders)
	}
	in.Stale = in.Stale || len(in.Account.Unread) > 0
	f.lateness("wallet", in.WalletAge, f.ages.WalletSoft)
	f.lateness("candles", in.CandleAge, f.ages.CandleSoft)
}

// backing takes the snapshot of the asset of a collateral: its market, if there is a perpetual of that
// name, and its fit, else that of an asset without data.
func (f *snapshotter) backing(a *AssetInput, id mc.AssetID) {
	if id != mc.NoAsset {
		f.market(a, id)
		if asset := a.Market.Asset; asset != nil && !asset.Delisted && (a.Model == nil || a.Market.Context == nil) {
			f.cache.Want(id)
			f.in.Stale = true
		}
	}
	if a.Model == nil {
		a.Model = f.model.Unknown
	}
}

// ordered takes the assets of resting orders in which the wallet has no position. One without a mark is
// left out: its orders count at their own prices.
func (f *snapshotter) ordered(orders []mc.OpenOrder) {
	in := f.in
	for i := range orders {
		id := orders[i].Asset
		known := id == mc.NoAsset || in.Account.PositionIn(id) >= 0 ||
			slices.ContainsFunc(in.Ordered, func(a AssetInput) bool { return a.Market.Asset.ID == id })
		if known {
			continue
		}
		var a AssetInput
		if f.market(&a, id); a.Market.Asset != nil && a.Market.Context != nil {
			in.Ordered = append(in.Ordered, a)
		}
	}
}

// Lateness is an input that is past its soft limit. The zero value is none.
type Lateness struct {
	What       string
	Age, Limit time.Duration
}

// lateness marks the snapshot stale when an input is older than its soft limit, and keeps the input that
// is furthest past it.
func (f *snapshotter) lateness(what string, age, limit time.Duration) {
	if age >= 0 && age <= limit {
		return
	}
	f.in.Stale = true
	if worst := &f.in.Lateness; worst.What == "" || age-limit > worst.Age-worst.Limit {
		*worst = Lateness{what, age, limit}
	}
}

// snapshotter is the state that the steps of Fill share.
type snapshotter struct {
	in     *Input
	ages   *Ages
	cache  *mc.Cache
	model  *mc.Model
	now    mc.Instant
	wallMs int64
	// running holds the assets that a batch has read so far; nil: not in a batch.
	running map[mc.AssetID]*AssetInput
	// asRead are the wallet's positions before the batch, with the venue's own marks.
	asRead []mc.Position
}

// target takes the snapshot of the trade's asset, which needs a book.
func (f *snapshotter) target(a *AssetInput, id mc.AssetID) Unavailable {
	f.market(a, id)
	m := &a.Market
	if m.Book == nil {
		return f.unavailable(id, "book", m.BookAge, f.ages.MarketHard)
	}
	f.in.MarketAge = max(f.in.MarketAge, m.BookAge)
	f.lateness("book", m.BookAge, f.soft(m.Book.Cadence))
	f.lateness("depth of the book", m.DepthAge, f.soft(m.Book.DepthCadence))
	f.lateness("list of assets at their cap", m.CapsAge, max(f.ages.InterestSoft, m.CapsCadence))
	return f.listed(a, id)
}

// soft is the soft limit of an input with the given cadence (0: unknown).
func (f *snapshotter) soft(cadence time.Duration) time.Duration {
	if cadence == 0 {
		return f.ages.MarketSoft
	}
	return cadence + f.ages.CadenceSoft
}

// held takes the snapshot of another position's asset. A delisted or unknown asset may lack data,
// because no more will come. If the trade is an exit, every asset may lack data, so that other
// positions never block an exit; a listed asset that lacks data raises the flag stale_market_data.
func (f *snapshotter) held(a *AssetInput, id mc.AssetID) Unavailable {
	f.market(a, id)
	if a.Market.Asset != nil && !a.Market.Asset.Delisted {
		missing := f.listed(a, id)
		if missing.Reason == Complete || !f.in.Trade.Exits() {
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

// wantRest requests the histories of all assets that are still missing, so that a wallet with
// many positions does not wait for one asset after another.
func (f *snapshotter) wantRest(positions []mc.Position) {
	universe := f.cache.Universe()
	for i := range positions {
		id := positions[i].Asset
		if a := universe.Asset(id); a != nil && !a.Delisted && f.model.Asset(id) == nil {
			f.cache.Want(id)
		}
	}
}

func (f *snapshotter) market(a *AssetInput, id mc.AssetID) {
	if f.running == nil {
		f.read(a, id)
		return
	}
	r := f.running[id]
	if r == nil {
		r = &AssetInput{}
		f.read(r, id)
		f.running[id] = r
	}
	*a = *r
}

func (f *snapshotter) read(a *AssetInput, id mc.AssetID) {
	limits := mc.AgeLimits{Market: f.ages.MarketHard, CEX: f.ages.CEXHard}
	if f.cache.Market(id, f.now, limits, &a.Market) {
		a.Model = f.model.Asset(id)
	}
}

// listed checks the data that every listed asset must have: context, candles and a fit. Old oracle price,
// funding and open interest make an exit stale instead of unavailable, because it needs only mark and book.
func (f *snapshotter) listed(a *AssetInput, id mc.AssetID) Unavailable {
	m := &a.Market
	if m.Context == nil {
		return f.unavailable(id, "context", m.ContextAge, f.ages.MarketHard)
	}
	if limit := f.ages.MarketHard + 2*m.SlowCadence; m.SlowAge > limit && !f.in.Trade.Exits() {
		return f.unavailable(id, "context", m.SlowAge, limit)
	}
	f.in.MarketAge = max(f.in.MarketAge, m.ContextAge)
	f.lateness("mark", m.ContextAge, f.soft(m.MarkCadence))
	f.lateness("oracle, funding and open interest", m.SlowAge, f.soft(m.SlowCadence))
	f.in.Divergence.SeeMarket(m)
	_, through := f.cache.Bars(id)
	if a.Model == nil && m.Loading != nil && m.Loading.Unreadable { // as an asset without data, and flagged
		f.cache.Want(id)
		a.Model, f.in.Stale = f.model.Unknown, true
		return Unavailable{}
	}
	if a.Model == nil || through == 0 {
		return f.unavailable(id, "candles", -1, 0)
	}
	age := time.Duration(f.wallMs-through) * time.Millisecond
	if a.Model.Bars > 0 { // after a failed fit the model is older than the bars
		closed := (a.Model.LastHour + 1) * hourMs
		age = max(age, time.Duration(f.wallMs-closed)*time.Millisecond)
	}
	f.in.Stale = f.in.Stale || a.Model.FitError != ""
	if age > f.ages.CandleHard {
		return f.unavailable(id, "candles", age, f.ages.CandleHard)
	}
	f.in.CandleAge = max(f.in.CandleAge, age)
	return Unavailable{}
}

func (f *snapshotter) unavailable(id mc.AssetID, what string, age, limit time.Duration) Unavailable {
	if age < 0 {
		return Unavailable{Reason: Starting, Asset: id, What: what, Age: age}
	}
	return Unavailable{Reason: StaleData, Asset: id, What: what, Age: age, Limit: limit}
}
