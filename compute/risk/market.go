package risk

import mc "ballast/marketcache"

// marketView is the target's snapshot with derived values that several blocks use.
type marketView struct {
	asset *mc.Asset
	in    *AssetInput
	book  *mc.Book
	model *mc.AssetModel
	rule  stressRule

	mark      float64 // p
	mid       float64 // m: the book's mid, or the mark if the book has no mid
	spreadBps float64 // S_now: 0 if the book has no mid
	asks      bookSide
	bids      bookSide

	exit struct{ side, units, bps float64 } // caches the last result of exitBps; side 0: none
}

// read fills mk from a snapshot.
func (mk *marketView) read(in *AssetInput) {
	mk.asset, mk.in, mk.book, mk.model = in.Market.Asset, in, in.Market.Book, in.Model
	mk.rule = stressRuleOf(in)
	mk.mark = in.Market.Context.MarkPrice
	mk.mid, mk.spreadBps = mk.book.MidPrice, mk.book.SpreadBps
	if !mk.book.TwoSided() {
		mk.mid, mk.spreadBps = mk.mark, 0
	}
	mk.asks.read(&mk.book.Asks, +1, mk.mid, in.TakenAsks)
	mk.bids.read(&mk.book.Bids, -1, mk.mid, in.TakenBids)
	mk.exit.side = 0
}

// side returns the side of the book from which an order of direction d fills.
func (mk *marketView) side(d float64) *bookSide {
	if d > 0 {
		return &mk.asks
	}
	return &mk.bids
}

// Regime is the asset's liquidity regime at the time of the request.
type Regime struct {
	Known      bool // false without a candle
	State      mc.LiquidityRegime
	Confidence float64 // 0 to 1
}

// regimeView is the liquidity regime at the time of the request: the filter's state, raised
// when the live book is bad. Sizing uses state, the score uses prob.
type regimeView struct {
	state      mc.LiquidityRegime
	confidence float64
	prob       [3]float64 // of each state, from the filter alone
}

const (
	// Candles lag, so the state is raised by one step when the live spread is above, or the depth
	// within 50 bps below, this multiple of its median. The confidence is then at least overlayConfidence.
	overlaySpreadTimes = 5
	overlayDepthTimes  = 0.25
	overlayConfidence  = 0.60
)

// regime determines the asset's current state.
func (mk *marketView) regime(r *regimeView) {
	m := mk.model
	r.state, r.confidence, r.prob = m.RegimeState, m.RegimeConfidence, m.RegimeProb
	st := mk.in.Market.Samples
	if st == nil || st.N < minSpreadSamples || r.state == mc.RegimeCrisis {
		return
	}
	bids, asks := mk.depth(50)
	if mk.spreadBps > overlaySpreadTimes*st.SpreadBpsMedian || bids+asks < overlayDepthTimes*st.Depth50BpsUSDMedian {
		r.state++
		r.confidence = max(r.prob[r.state], overlayConfidence)
	}
}
