package risk

import "ballast/marketcache"

// Regime is the liquidity regime of the asset as of the request.
type Regime struct {
	Known      bool // false without a candle
	State      marketcache.LiquidityRegime
	Confidence float64 // 0 to 1
}

// regimeView is the liquidity regime as of the request: the filter's state, raised by
// what the live book shows. It feeds the score and the sizing.
type regimeView struct {
	state      marketcache.LiquidityRegime
	confidence float64
	prob       [3]float64 // filtered; the overlay never changes them
}

const (
	// Candles lag; a book this much wider or thinner than its own median raises the
	// state by one step.
	overlaySpreadTimes = 5
	overlayDepthTimes  = 0.25
	overlayConfidence  = 0.60
)

// regime finds the asset's state of today.
func (mk *marketView) regime(r *regimeView) {
	m := mk.model
	r.state, r.confidence, r.prob = m.RegimeState, m.RegimeConfidence, m.RegimeProb
	st := mk.in.Market.Samples
	if st == nil || st.N < minSpreadSamples || r.state == marketcache.RegimeCrisis {
		return
	}
	bids, asks := mk.depth(50)
	if mk.spreadBps > overlaySpreadTimes*st.SpreadBpsMedian || bids+asks < overlayDepthTimes*st.Depth50BpsUSDMedian {
		r.state++
		r.confidence = max(r.prob[r.state], overlayConfidence)
	}
}
