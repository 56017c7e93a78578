package risk

import (
	"math"
	"math/rand/v2"
	"testing"

	"ballast/compute/calib"
	mc "ballast/marketcache"
)

func TestExtremeByHand(t *testing.T) {
	long := mc.ExtremeTail{U: 1.6, Beta: 0.7, Xi: 0.15}
	short := mc.ExtremeTail{U: 1.9, Beta: 0.5, Xi: 0.40}
	loss := func(tail mc.ExtremeTail, sd float64, short bool) (v, es float64) {
		zq := tail.U + tail.Beta/tail.Xi*(math.Pow(0.001/0.05, -tail.Xi)-1)
		zes := (zq + tail.Beta - tail.Xi*tail.U) / (1 - tail.Xi)
		if short {
			return min(100*(math.Exp(zq*sd)-1), 500), min(100*(math.Exp(zes*sd)-1), 500)
		}
		return 100 * (1 - math.Exp(-zq*sd)), 100 * (1 - math.Exp(-zes*sd))
	}
	rows := []struct {
		name     string
		position float64 // units of BTC held before the trade
		action   Action
		size     float64
		sd       float64
		side     int // +1 long, -1 short, 0 no position
	}{
		{"open long", 0, ActionLong, 30_000, 0.025, 1},
		{"open short", 0, ActionShort, 30_000, 0.025, -1},
		{"reduce", 1, ActionShort, 30_000, 0.04, 1},
		{"flip", 1, ActionShort, 90_000, 0.04, -1},
		{"close a part", -1, ActionClose, 30_000, 0.04, -1},
		{"close all", 1, ActionClose, 60_000, 0.04, 0},
		{"a close without a position", 0, ActionClose, 60_000, 0.04, 0},
		{"not below the ordinary VaR", 0, ActionLong, 30_000, 1e-5, 1},
		{"nor the other way", 0, ActionShort, 30_000, 1e-5, -1},
		{"a long loses all it has", 0, ActionLong, 30_000, 9, 1},
		{"a short five times", 0, ActionShort, 30_000, 9, -1},
		{"VaR below the cap, ES at it", 0, ActionShort, 30_000, 0.3, -1},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(1e6, r.action, r.size)
			if r.position != 0 {
				s.holds(holding(0, "BTC", r.position, testMark, 10))
			}
			m := s.in.Target.Model
			m.Extreme = [2]mc.ExtremeTail{mc.Long: long, mc.Short: short}
			m.Variance[mc.H24] = r.sd * r.sd
			a := s.assess(t)
			var v, es float64
			switch r.side {
			case 1:
				v, es = loss(long, r.sd, false)
			case -1:
				v, es = loss(short, r.sd, true)
			}
			v = max(v, a.VaR.Pct99_24h)
			es = max(es, v, a.VaR.ES99_24h)
			if !a.EVT.Known {
				t.Fatal("no block")
			}
			agree(t, "VaR", a.EVT.VaR999, v)
			agree(t, "ES", a.EVT.ES999, es)
		})
	}
}

// wanderingBars returns hourly bars of a random walk, or of a constant price.
func wanderingBars(n int, sigma float64) []mc.Bar {
	r := rand.New(rand.NewPCG(uint64(n), 5))
	bars, price := make([]mc.Bar, n), testMark
	for i := range bars {
		open := price
		price *= math.Exp(sigma * r.NormFloat64())
		wick := math.Exp(sigma * math.Abs(r.NormFloat64()))
		bars[i] = mc.Bar{
			OpenMs: (testHour - int64(n-i)) * 3_600_000, Open: open, High: max(open, price) * wick,
			Low: min(open, price) / wick, Close: price, Volume: 1e3,
		}
	}
	return bars
}

// Tests which blocks are known for a short history.
func TestBlocksOfAShortHistory(t *testing.T) {
	for _, r := range []struct {
		bars                  int
		evt, drawdown, regime bool
	}{{0, false, false, false}, {1, false, false, true}, {23, false, false, true}, {24, true, false, true},
		{29, true, false, true}, {30, true, true, true}} {
		s := newSituation(20_000, ActionLong, 30_000)
		m, err := calib.Fit(0, "BTC", wanderingBars(r.bars, 0.01))
		if err != nil {
			t.Fatal(err)
		}
		s.in.Target.Model = m
		a := s.assess(t)
		if a.EVT.Known != r.evt || a.Drawdown.Known != r.drawdown || a.Regime.Known != r.regime ||
			a.VaR.HasForecast != r.regime {
			t.Errorf("%d bars: evt %v, drawdown %v, regime %v", r.bars, a.EVT.Known, a.Drawdown.Known, a.Regime.Known)
		}
		if r.regime && a.Regime.Confidence != 0.5 {
			t.Errorf("%d bars: confidence %v", r.bars, a.Regime.Confidence)
		}
		if r.evt { // the pooled tail
			zq := 1.614 + 0.688/0.136*(math.Pow(50, 0.136)-1)
			agree(t, "pooled tail", a.EVT.VaR999, max(100*(1-math.Exp(-zq*math.Sqrt(m.Variance[mc.H24]))),
				a.VaR.Pct99_24h))
		}
	}
}

// greeksCases are trades by what an exit would trade and where liquidation is.
var greeksCases = []struct {
	name     string
	position mc.Position // zero value: no position
	action   Action
	size     float64
	leverage float64
	mode     Mode
	equity   float64

	units, exit float64 // units after the trade; units that an exit would trade
	marginTier  float64 // at the liquidation price; 0: of 40x
	near        string  // "": the price is near; "past" or "unreachable"
}{
	{name: "open long", action: ActionLong, size: 60_000, leverage: 20, mode: Isolated, equity: 1e5, units: 1, exit: 1},
	{name: "open short", action: ActionShort, size: 60_000, leverage: 20, mode: Isolated, equity: 1e5, units: -1,
		exit: 1},
	{name: "increase", position: holding(0, "BTC", 50, testMark, 20), action: ActionLong, size: 600_000, leverage: 20,
		equity: 2e5, units: 60, exit: 10},
	{name: "reduce", position: holding(0, "BTC", -60, testMark, 20), action: ActionLong, size: 600_000, leverage: 20,
		equity: 2e5, units: -50},
	{name: "flip", position: holding(0, "BTC", 40, testMark, 20), action: ActionShort, size: 6_000_000, leverage: 20,
		equity: 2e5, units: -60, exit: 60},
	{name: "close a part", position: holding(0, "BTC", 60, testMark, 20), action: ActionClose, size: 600_000,
		leverage: 20, equity: 2e5, units: 50},
	{name: "the tier at the liquidation price is not the one at mark", position: holding(0, "BTC", 1500, testMark, 20),
		action: ActionLong, size: 65e6, leverage: 20, equity: 8e6, units: 1500 + 65e6/testMark, exit: 65e6 / testMark},
	{name: "and the other way round", position: holding(0, "BTC", -1500, testMark, 20), action: ActionShort, size: 55e6,
		leverage: 20, equity: 8e6, units: -1500 - 55e6/testMark, exit: 55e6 / testMark, marginTier: 1.0 / 40},
	{name: "past its liquidation", position: isolatedAt(holding(0, "BTC", 2, testMark, 20), 100), action: ActionShort,
		size: 60_000, leverage: 20, equity: 1e5, units: 1, near: "past"},
	{name: "a short past it at every price", position: isolatedAt(holding(0, "BTC", -2, testMark, 20), -2*testMark-1),
		action: ActionLong, size: 60_000, leverage: 20, equity: 1e5, units: -1, near: "unreachable"},
	{name: "a long that cannot be liquidated", action: ActionLong, size: 60_000, leverage: 20, equity: 1e5, units: 1,
		exit: 1, near: "unreachable"},
}

// The position is worth its units times the price less the digital option of liquidation, which TestGoldenGreeks
// checks: here, the loss at its strike, and theta.
func TestGreeksByHand(t *testing.T) {
	const rate, mean = 5e-5, 1.25e-5
	daily := 0.025 * math.Sqrt(1.2)
	usd := func(units float64) float64 { // cost of a trade: slippage, impact and fee
		impact := 2.0 / 3 * daily * math.Sqrt(units*testMark/1e9) * 1e4
		return units * testMark * (plainBps(1e6, testMark, units) + impact + 4.5) / 1e4
	}
	for _, r := range greeksCases {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(r.equity, r.action, r.size)
			s.in.Trade.Leverage, s.in.Trade.Mode, s.in.Trade.ModeGiven = r.leverage, r.mode, true
			s.in.Target.Model.Kappa2[mc.H24] = 1.2
			s.in.Target.Market.Context.FundingRateHourly = rate
			if r.position.Units != 0 {
				s.holds(r.position)
			}
			a := s.assess(t)
			n, side, price := math.Abs(r.units), math.Copysign(1, r.units), a.Liquidation.Price
			want := Greeks{Delta: r.units}
			traded := usd(math.Abs(r.units-r.position.Units)) + usd(r.exit)
			want.Theta = -side*plainFunding(rate, mean)*n*testMark - traded/7
			tier := max(r.marginTier, 1.0/80)
			switch loss := n * price * (tier + plainBps(1e6, testMark, n)/1e4); r.near {
			case "":
				want.stopAt(price, testMark, side, daily, loss)
				agree(t, "loss at the touch", a.Greeks.LossAtTouchUSD, loss)
			case "past":
				want.LiquidationGamma, want.TouchProbability = side*price/testMark, 1
			case "unreachable":
				want.TouchProbability = a.Greeks.TouchProbability
				if price != 0 {
					t.Errorf("liquidation price %v", price)
				}
			}
			agree(t, "theta", a.Greeks.Theta, want.Theta)
			agree(t, "chance of a touch", a.Greeks.TouchProbability, want.TouchProbability)
			agree(t, "delta", a.Greeks.Delta, want.Delta)
			agree(t, "gamma", a.Greeks.Gamma, want.Gamma)
			agree(t, "vega", a.Greeks.Vega, want.Vega)
			agree(t, "liquidation gamma", a.Greeks.LiquidationGamma, want.LiquidationGamma)
		})
	}
	for _, s := range []*situation{
		newSituation(1e5, ActionClose, 60_000),
		newSituation(1e5, ActionClose, 60_000).holds(holding(0, "BTC", 1, testMark, 10)),
		newSituation(1e5, ActionShort, 60_000).holds(holding(0, "BTC", 1, testMark, 10)),
	} {
		if g := s.assess(t).Greeks; g != (Greeks{}) {
			t.Errorf("no way left to liquidation, and still %+v", g)
		}
	}
}

func TestDrawdownByHand(t *testing.T) {
	type row struct {
		name       string
		action     Action
		size       float64
		equity     float64
		atr        float64
		halfSpread float64 // bps; 0: the standard test book
		position   float64
		trailing   float64 // trailing distance before it is kept away from liquidation
		stop       func(a *Assessment) float64
		daily      float64 // volatility per day; 0: 2.5 %
	}
	sigmas := func(*Assessment) float64 { return 200 * 0.025 * math.Sqrt(1.2) }
	wild := func(*Assessment) float64 { return 200 * 0.4 * math.Sqrt(1.2) }
	rows := []row{
		{"two daily sigmas", ActionLong, 30_000, 1e6, 1200, 0, 0, 6, sigmas, 0},
		{"a short looks the same", ActionShort, 30_000, 1e6, 1200, 0, 0, 6, sigmas, 0},
		{"the trailing stop has a minimum", ActionLong, 30_000, 1e6, 1, 0, 0, 0.1, sigmas, 0},
		{"and a maximum", ActionLong, 30_000, 1e6, 1e6, 0, 0, 50, sigmas, 0},
		{"not past the way to liquidation", ActionLong, 300_000, 30_000, 1200, 0, 0, 6, func(a *Assessment) float64 {
			return 0.6 * a.Liquidation.DistancePct
		}, 0},
		{"not tighter than the way out", ActionLong, 30_000, 1e6, 1200, 200, 0, 6, func(a *Assessment) float64 {
			return 3 * (400 + a.Slippage.Bps) / 100
		}, 0},
		{"flat: no liquidation to keep clear of", ActionClose, 60_000, 100, 1200, 0, 1, 6, sigmas, 0},
		{"past its liquidation", ActionShort, 30_000, 100, 1200, 0, 1, 6, func(*Assessment) float64 { return 0 }, 0},
		{"flat and wild", ActionClose, 60_000, 100, 1200, 0, 1, 6, wild, 0.4},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(r.equity, r.action, r.size)
			if r.position != 0 {
				s.holds(holding(0, "BTC", r.position, testMark, 10))
			}
			m := s.in.Target.Model
			m.LastClose, m.Kappa2[mc.H24], m.Drawdown.ATR = 50_000, 1.2, r.atr // the last close differs from the mark
			if r.halfSpread > 0 {
				s.in.Target.Market.Book = oneLevel(testMark, r.halfSpread, 1e6)
			}
			if r.daily > 0 {
				m.Variance[mc.H24] = r.daily * r.daily
			}
			a := s.assess(t)
			d := a.Drawdown
			agree(t, "peak", d.PeakEquityUSD, r.size*1.5*testMark/50_000)
			agree(t, "trough", d.TroughEquityUSD, r.size*1.05*testMark/50_000)
			trailing := r.trailing
			if a.Liquidation.Price > 0 || a.Liquidation.DistancePct == 0 {
				trailing = min(trailing, 0.6*a.Liquidation.DistancePct)
			}
			agree(t, "trailing stop", d.TrailingStopPct, trailing)
			agree(t, "stop", d.StopLossPct, r.stop(a))
			if !d.Known || d.MaxPct != 30 || d.CurrentPct != 10 || d.DurationHours != 100 || d.Calmar != 1 {
				t.Errorf("%+v", d)
			}
		})
	}
	// although a close is limited to the position
	t.Run("the equity figures have the requested size", func(t *testing.T) {
		s := newSituation(1e6, ActionClose, 90_000).holds(holding(0, "BTC", 1, testMark, 10))
		agree(t, "peak", s.assess(t).Drawdown.PeakEquityUSD, 90_000*1.5)
	})
}

// A regime raised by the live market reduces the suggested size, while the score uses the filter's
// probabilities.
func TestRaisedRegime(t *testing.T) {
	share := [3]float64{0.80, 0.60, 0.40}
	for state := range mc.LiquidityRegime(3) {
		for _, thin := range []bool{false, true} {
			s := newSituation(20_000, ActionLong, 30_000)
			m := s.in.Target.Model
			m.RegimeState, m.RegimeProb, m.RegimeConfidence = state, [3]float64{0.2, 0.3, 0.5}, 0.55
			if thin {
				s.in.Target.Market.Samples = &mc.SampleStats{N: 100, SpreadBpsMedian: 2, SpreadBps95: 3,
					SpreadBps99:         4,
					Depth50BpsUSDMedian: 4*4e7 + 1e3}
			}
			a := s.assess(t)
			want, confidence := state, 0.55
			if thin && state < 2 {
				want, confidence = state+1, 0.60
			}
			if a.Regime != (Regime{true, want, confidence}) {
				t.Errorf("%s, thin %v: %+v", state, thin, a.Regime)
			}
			agree(t, "points", a.Explanation.Regime, 3*(0.3+0.5)+5*0.5)
			x := a.Sizing.MaxSafeUSD * share[want]
			unit := math.Pow(10, math.Floor(math.Log10(x))-2)
			agree(t, "suggested", a.Sizing.SuggestedUSD, math.Floor(x/unit*(1+1e-9))*unit)
		}
	}
}

// The joint loss adds the portfolio term to the score, and simulations change no other figure.
func TestScoreOfABook(t *testing.T) {
	s := diverse(newSituation(3_000, ActionLong, 30_000), "ETH", "SOL")
	a := *s.assess(t)
	pct := 100 * a.PortfolioRisk.VaR99 / 3_000
	points := 0.0
	for i, k := range [][4]float64{{10, 0, 25, 3}, {25, 3, 50, 8}, {50, 8, 100, 15}, {100, 15, 200, 25}} {
		if pct >= k[0] && (pct < k[2] || i == 3) {
			points = min(k[1]+(k[3]-k[1])*(pct-k[0])/(k[2]-k[0]), 25)
		}
	}
	agree(t, "points", a.Explanation.Portfolio, points)
	if points == 0 {
		t.Error("the test case has no book effect")
	}
	x := &a.Explanation
	agree(t, "raw score", x.RawScore, min(100, max(x.Base+x.Interaction+points+x.Regime, x.Floor)))

	s.in.Trade.MonteCarlo = true
	b := *s.assess(t)
	if !b.MonteCarlo.Known || !b.PortfolioRisk.Simulation.Known {
		t.Fatal("no simulation")
	}
	b.MonteCarlo, b.PortfolioRisk.Simulation = MonteCarlo{}, PortfolioSimulation{}
	if !sameAnswer(&a, &b) {
		t.Error("a simulation changes the rest of the answer")
	}
}
