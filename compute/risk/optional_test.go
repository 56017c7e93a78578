package risk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ballast/compute/calib"
	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// The tests of this file recompute the optional blocks and the portfolio blocks from docs/model.md
// in the simplest way: loops, sorts and numerical derivatives over the snapshot. The
// computations call none of the code that they check.

// agree compares two computations of a figure.
func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	agreeTo(t, what, got, want, math.Abs(want))
}

// agreeTo compares two computations of a figure that is a small difference of numbers as large as
// scale.
func agreeTo(t *testing.T, what string, got, want, scale float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9*scale+1e-12) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// plainQuantile returns the type-7 quantile.
func plainQuantile(x []float64, p float64) float64 {
	y := slices.Sorted(slices.Values(x))
	h := p * float64(len(y)-1)
	lo := int(h)
	if lo+1 == len(y) {
		return y[lo]
	}
	return y[lo] + (h-float64(lo))*(y[lo+1]-y[lo])
}

// plainUpperMean returns the mean of the values that are at least q.
func plainUpperMean(x []float64, q float64) float64 {
	sum, n := 0.0, 0.0
	for _, v := range x {
		if v >= q {
			sum, n = sum+v, n+1
		}
	}
	return sum / n
}

func plainNormal(x float64) float64  { return math.Erfc(-x/math.Sqrt2) / 2 }
func plainDensity(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }

// derivative returns the five-point difference quotient.
func derivative(f func(float64) float64, x, h float64) float64 {
	return (8*(f(x+h)-f(x-h)) - (f(x+2*h) - f(x-2*h))) / (12 * h)
}

// plainT4 inverts the distribution function of Student's t with 4 degrees of freedom.
func plainT4(p float64) float64 {
	cdf := func(t float64) float64 {
		w := t / math.Sqrt(4+t*t)
		return 0.5 + 0.75*w - 0.25*w*w*w
	}
	lo, hi := -1e3, 1e3
	for range 200 {
		if mid := (lo + hi) / 2; cdf(mid) < p {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// plainBps returns the slippage in bps on one side of the test book: 20 levels of usd each (at
// mid), 1 bp apart, with the same density beyond. An order of x times the visible book walks 20*x
// levels.
func plainBps(usd, mid, units float64) float64 {
	left, offset := units, 0.0
	for i := 1; i <= 20 && left > 0; i++ {
		take := min(left, usd/mid)
		offset, left = offset+take*float64(i), left-take
	}
	if left > 0 {
		all := 20 * usd / mid
		end := units / all
		rising := min(end, 5000.0/20)
		offset += all * (20*(rising*rising-1)/2 + 5000*(end-rising))
	}
	if units <= 0 {
		return 0
	}
	return offset / units
}

// plainMaintenance returns the maintenance margin in USD of a test asset: 40x, and 20x from 150 M
// USD.
func plainMaintenance(notional float64) float64 {
	if notional < 150e6 {
		return notional / 80
	}
	return 150e6/80 + (notional-150e6)/40
}

// plainFunding returns the expected funding of 24 hours for the hourly rate f, which reverts to the
// mean.
func plainFunding(f, mean float64) float64 {
	sum, deviation := 0.0, f-mean
	for range 24 {
		deviation *= 0.95
		sum += mean + deviation
	}
	return sum
}

// plainLeg is one position after the trade.
type plainLeg struct {
	asset    string
	in       *AssetInput
	units    float64
	mark     float64
	leverage float64
	isolated bool
	equity   float64 // USD, of an isolated position
}

func (l *plainLeg) signed() float64 { return l.units * l.mark }

// plainWallet is the wallet after the trade.
type plainWallet struct {
	legs  []plainLeg
	pool  float64 // USD: equity of the cross positions
	gross float64
	// assumed: the account is empty, and its margin is assumed.
	assumed bool
}

// plainTrade fills a trade in the test market: marks equal mids, fees are 4.5 bps of the fill, 1 M
// USD per level.
func plainTrade(in *Input) plainWallet {
	const usd = 1e6
	var w plainWallet
	p, target := in.Target.Market.Context.MarkPrice, -1
	value, q0, isoBefore := 0.0, 0.0, 0.0
	w.pool = in.Account.CrossAccountValueUSD
	for i, pos := range in.Account.Positions {
		mark := in.Held[i].Market.Context.MarkPrice
		l := plainLeg{asset: pos.Name, in: &in.Held[i], units: pos.Units, mark: mark, leverage: pos.Leverage,
			isolated: pos.Isolated}
		if pos.Isolated {
			l.equity = pos.RawUSD + pos.Units*mark
			value += max(l.equity, 0)
		} else {
			w.pool += pos.Units * (mark - pos.ValueUSD/math.Abs(pos.Units))
		}
		if pos.Asset == in.Trade.Asset {
			target, q0 = i, pos.Units
			if pos.Isolated {
				isoBefore = l.equity
			}
		}
		w.legs = append(w.legs, l)
	}
	value += max(w.pool, 0)
	empty := len(w.legs) == 0 && w.pool > -0.01 && value < 1

	u := in.Trade.SizeUSD / p
	switch in.Trade.Action {
	case ActionShort:
		u = -u
	case ActionClose:
		u = -math.Copysign(min(u, math.Abs(q0)), q0)
		if q0 == 0 {
			u = 0 // the cost is computed, but nothing is filled
		}
	}
	q1 := q0 + u
	if math.Abs(q1)*p < 1e-6 {
		q1 = 0
	}
	flip := q0*q1 < 0
	reduce := q0 != 0 && !flip && math.Abs(q1) < math.Abs(q0)
	isolated := in.Trade.Mode == Isolated
	if target >= 0 {
		isolated = w.legs[target].isolated
	}
	n := math.Abs(q1) * p
	leverage := in.Trade.Leverage
	if n >= 150e6 {
		leverage = min(leverage, 20)
	}
	if d := in.Trade.Leverage; target >= 0 && isoBefore != 0 || target >= 0 && isolated {
		// The venue refuses less than the margin of the open isolated position carries.
		if floor := math.Abs(q0) * p / isoBefore; isoBefore <= 0 || d < floor*(1-1e-9) {
			if leverage = w.legs[target].leverage; n >= 150e6 {
				leverage = min(leverage, 20)
			}
		}
	}
	// price difference between fill and mark, positive for a buy
	worse := math.Copysign(plainBps(usd, p, math.Abs(u))*1e-4*p, u)
	fee := math.Abs(u) * (p + worse) * testTaker
	equity := 0.0
	switch {
	case u == 0:
	case isolated:
		opened, posted := u, 0.0
		switch {
		case reduce:
			equity = isoBefore * math.Abs(q1/q0)
			w.pool += -fee + isoBefore*math.Abs(u/q0) - u*worse
		case flip, q0 == 0:
			opened, posted = q1, n/leverage
			equity = posted - opened*worse
			w.pool += -fee - posted + isoBefore + q0*worse
		default:
			posted = math.Abs(u) * p / leverage
			equity = isoBefore + posted - u*worse
			w.pool += -fee - posted
		}
		if empty {
			equity, w.pool, w.assumed = n/leverage, 0, true
		}
	case empty:
		w.pool, w.assumed = n/leverage, true
	default:
		w.pool += -fee - u*worse
	}
	after := plainLeg{
		asset: in.Target.Market.Asset.Name, in: &in.Target, units: q1, mark: p, leverage: leverage, isolated: isolated,
		equity: equity,
	}
	switch {
	case target >= 0 && q1 == 0:
		w.legs = slices.Delete(w.legs, target, target+1)
	case target >= 0:
		w.legs[target] = after
	case q1 != 0:
		w.legs = append(w.legs, after)
	}
	for i := range w.legs {
		w.gross += math.Abs(w.legs[i].signed())
	}
	return w
}

// plainMoves returns the moves of a price in the hours of BTC's outcomes, the newest 8,761 at most.
func plainMoves(rows, own *mc.AssetModel) []float64 {
	base := rows.Z24.Values
	skip := max(0, len(base)-8761)
	x := make([]float64, len(base)-skip)
	for i := range x {
		hour := rows.Z24.FirstHour + int64(skip+i)
		n, at := int64(len(own.Z24.Values)), hour-own.Z24.FirstHour
		var z float64
		switch {
		case at >= 0 && at < n:
			z = own.Z24.Values[at]
		case n > 0:
			z = 0.6*base[skip+i] + 0.8*own.Z24.Values[hour*7919%n]
		default:
			z = 0.6*base[skip+i] + 0.8*plainT4((float64(hour*7919%1009)+0.5)/1009)/math.Sqrt2
		}
		x[i] = min(math.Exp(min(math.Sqrt(own.Variance[mc.H24])*z, 10))-1, 5)
	}
	return x
}

// plainScale returns the factor on the moves that gives a position alone its own VaR.
func plainScale(x []float64, own *mc.AssetModel, signed float64) float64 {
	side := mc.Long
	if signed < 0 {
		side = mc.Short
	}
	loss := make([]float64, len(x))
	for i := range x {
		loss[i] = -math.Copysign(x[i], signed*x[i])
	}
	q := plainQuantile(loss, 0.99)
	if q <= 0 {
		return 1
	}
	pct := max(own.Tail[mc.H24][side][mc.P99].PctVaR, own.Tail[mc.H4][side][mc.P99].PctVaR,
		own.Tail[mc.H24][side][mc.P95].PctVaR)
	return min(max(pct/100/q, 0.1), 10)
}

// plainLosses replays the hours of BTC's outcomes in prices. No asset has two legs.
func plainLosses(rows *mc.AssetModel, legs []plainLeg) []float64 {
	var losses []float64
	for j := range legs {
		x := plainMoves(rows, legs[j].in.Model)
		n := legs[j].signed() * plainScale(x, legs[j].in.Model, legs[j].signed())
		if losses == nil {
			losses = make([]float64, len(x))
		}
		for i := range x {
			losses[i] -= n * x[i]
		}
	}
	return losses
}

func plainVaR(rows *mc.AssetModel, legs []plainLeg) (v, es float64) {
	if len(legs) == 0 {
		return 0, 0
	}
	losses := plainLosses(rows, legs)
	q := plainQuantile(losses, 0.99)
	return max(0, q), max(0, plainUpperMean(losses, q))
}

// plainScenario is one stress scenario applied to all pools.
type plainScenario struct {
	raw, funding float64 // USD, before the loss is limited to the equity
	pnl          float64 // USD, after that limit
	canBeLost    float64 // USD: the most that can be lost
	dead         int     // pools
	fails        bool    // the account does not survive it
	liquidated   int     // positions
}

// within limits a shock to maxPct percent in either direction.
func (s Shock) within(maxPct float64) Shock {
	clip := func(x float64) float64 { return math.Copysign(min(math.Abs(x), maxPct), x) }
	return Shock{Extreme: clip(s.Extreme), Final: clip(s.Final)}
}

// plainShock returns the moves of a leg's price, percent.
func (l *plainLeg) plainShock(sc *Scenario) (extreme, mark float64) {
	a, m := l.in.Market.Asset, l.in.Model
	shock := sc.Shocks[3]
	switch {
	case a.Dex != "":
		shock = shock.within(100 * max(6*math.Sqrt(m.AverageVariance[mc.H24]), [...]float64{0, 0.2, 0.1, 0.2}[m.Class]))
	case a.Name == "BTC":
		shock = sc.Shocks[0]
	case a.Name == "ETH":
		shock = sc.Shocks[1]
	case m.VolumeUSD7d/7 >= 25e6 && m.Bars >= 4320:
		shock = sc.Shocks[2]
		fallthrough
	default:
		if own, ok := sc.Recorded[a.Name]; ok {
			shock = own
		} else if m.AverageVariance[mc.H24] > 24*0.05*0.05/8760 {
			shock = shock.within(100 * 20 * math.Sqrt(m.AverageVariance[mc.H24]))
		}
	}
	if sc.ID == "flash_recovery" {
		return shock.Extreme, shock.Final
	}
	return shock.Extreme, shock.Extreme
}

// plainPool applies a scenario to one pool. 60 % of a winning leg's gain counts. In the squeeze of a thin
// listing one asset moves: the one that costs the pool most.
func plainPool(sc *Scenario, legs []plainLeg, equity float64, out *plainScenario) (dies bool) {
	counts := func(gain float64) float64 {
		if gain > 0 {
			return 0.6 * gain
		}
		return gain
	}
	moves := -1
	if sc.ID == "jelly_squeeze" {
		most := 0.0
		for i := range legs {
			extreme, _ := legs[i].plainShock(sc)
			if cost := -counts(legs[i].signed() * extreme / 100); cost > most {
				most, moves = cost, i
			}
		}
	}
	move, gain, need, funding := 0.0, 0.0, 0.0, 0.0
	for i := range legs {
		extreme, mark := legs[i].plainShock(sc)
		if sc.ID == "jelly_squeeze" && i != moves {
			extreme, mark = 0, 0
		}
		n := legs[i].signed()
		move += counts(n * extreme / 100)
		gain += counts(n * mark / 100)
		need += plainMaintenance(math.Abs(n) * (1 + extreme/100))
		funding += n * sc.FundingPctHour * sc.Hours / 100
	}
	out.raw, out.funding, out.canBeLost = out.raw+gain, out.funding+funding, out.canBeLost+max(equity, 0)
	if dies = len(legs) > 0 && !(equity+move-max(0, funding) > need); dies {
		out.dead++
		out.liquidated += len(legs)
		out.pnl -= max(equity, 0)
	} else {
		out.pnl += max(gain, -max(equity, 0))
	}
	return dies
}

func (w *plainWallet) under(sc *Scenario) (out plainScenario) {
	var cross []plainLeg
	deadIsolated := 0.0
	for i, l := range w.legs {
		if !l.isolated {
			cross = append(cross, l)
		} else if plainPool(sc, w.legs[i:i+1], l.equity, &out) {
			deadIsolated += max(l.equity, 0)
		}
	}
	crossDies := plainPool(sc, cross, w.pool, &out)
	c := out.canBeLost
	out.fails = len(w.legs) > 0 && (crossDies || c+out.pnl < 1 || c > 0 && deadIsolated >= 0.9*c)
	return out
}

// checkBookStress compares the reported worst scenario with the plain computation of all scenarios.
func checkBookStress(t *testing.T, got PortfolioStress, w *plainWallet) {
	t.Helper()
	var all [ScenarioCount]plainScenario
	worst, failed := 0, uint32(0)
	for i := range Scenarios {
		all[i] = w.under(&Scenarios[i])
		x, y := &all[i], &all[worst]
		if x.pnl < y.pnl || x.pnl == y.pnl && (x.dead > y.dead || x.dead == y.dead && x.raw-x.funding < y.raw-y.funding) {
			worst = i
		}
		if x.fails {
			failed |= 1 << i
		}
	}
	want := all[worst]
	if got.Scenario != worst {
		mine := all[got.Scenario]
		if math.Abs(mine.pnl-want.pnl) > 1e-9*w.gross || mine.dead != want.dead ||
			math.Abs(mine.raw-mine.funding-want.raw+want.funding) > 1e-9*w.gross {
			t.Errorf("scenario %s is reported, the worst is %s", Scenarios[got.Scenario].ID, Scenarios[worst].ID)
		}
		want = mine
	}
	agreeTo(t, "P&L", got.TotalPnLUSD, want.pnl, w.gross)
	pct, funding := 0.0, 0.0
	switch {
	case want.canBeLost >= 0.01:
		pct = 100 * want.pnl / want.canBeLost
	case want.raw-want.funding < 0:
		pct = -100
	}
	if w.gross > 0 {
		funding = 100 * want.funding / w.gross
	}
	agreeTo(t, "P&L percent", got.TotalPnLPct, pct, math.Abs(pct)+100*w.gross/max(want.canBeLost, 0.01))
	agreeTo(t, "funding percent", got.FundingCostPct, funding, 1)
	if got.Failed != failed || got.AccountSurvives != (failed == 0) || got.PositionsLiquidated != want.liquidated {
		t.Errorf("fails in %b, survives %v, %d liquidated, want %b and %d", got.Failed, got.AccountSurvives,
			got.PositionsLiquidated, failed, want.liquidated)
	}
}

// checkAttribution compares the attribution of the joint loss with Euler's rule, computed directly.
func checkAttribution(t *testing.T, got *Attribution, rows *mc.AssetModel, w *plainWallet) {
	t.Helper()
	k := len(w.legs)
	if got.Known != (k > 0) || len(got.Positions) != k {
		t.Fatalf("known %v with %d positions, want %d", got.Known, len(got.Positions), k)
	}
	if k == 0 {
		return
	}
	total, _ := plainVaR(rows, w.legs)
	agreeTo(t, "total VaR", got.TotalVaR99, total, w.gross)
	corr := plainCorrelation(w.legs)
	cov := func(i, j int) float64 {
		x, y := w.legs[i].in.Model, w.legs[j].in.Model
		return math.Sqrt(x.Variance[mc.H24]*x.Kappa2[mc.H24]) * corr[i*k+j] * math.Sqrt(y.Variance[mc.H24]*y.Kappa2[mc.H24])
	}
	all, alone, sum := 0.0, 0.0, 0.0
	for i := range k {
		for j := range k {
			all += w.legs[i].signed() * cov(i, j) * w.legs[j].signed()
		}
	}
	for i, p := range got.Positions {
		if p.Asset != w.legs[i].asset {
			t.Errorf("position %d is %s, want %s", i, p.Asset, w.legs[i].asset)
		}
		mine := 0.0
		for j := range k {
			mine += w.legs[i].signed() * cov(i, j) * w.legs[j].signed()
		}
		component, pct := 0.0, 0.0
		if all > 0 && total > 0 {
			component, pct = total*mine/all, 100*mine/all
		}
		agreeTo(t, p.Asset+" component", p.ComponentVaR, component, total)
		agreeTo(t, p.Asset+" percent", p.ComponentPct, pct, 100)
		without, _ := plainVaR(rows, slices.Delete(slices.Clone(w.legs), i, i+1))
		agreeTo(t, p.Asset+" marginal", p.MarginalVaR, total-without, w.gross)
		own, _ := plainVaR(rows, w.legs[i:i+1])
		alone += own
		sum += p.ComponentVaR
	}
	agreeTo(t, "sum of components", sum, got.TotalVaR99, total)
	benefit := 0.0
	if alone > 0 {
		benefit = min(max(100*(1-total/alone), 0), 100)
	}
	agreeTo(t, "diversification", got.DiversificationPct, benefit, 100)
}

// plainCorrelation returns the shrunk correlation matrix of the legs whose history reaches the newest
// hour, over the hours that they have in common. Any other leg has correlation 0.6 with all.
func plainCorrelation(legs []plainLeg) []float64 {
	k := len(legs)
	r := make([]float64, k*k)
	first, end := int64(testHour-2160), int64(testHour)
	var members []int
	for i := range legs {
		u := legs[i].in.Model.U1
		if len(u.Values) < 240 || u.FirstHour+int64(len(u.Values)) != testHour {
			continue
		}
		members = append(members, i)
		first, end = max(first, u.FirstHour), min(end, u.FirstHour+int64(len(u.Values)))
	}
	for i := range r {
		r[i] = 0.6
	}
	if len(members) > 0 && end-first >= 240 {
		var series [][]float64
		for _, i := range members {
			u := legs[i].in.Model.U1
			series = append(series, u.Values[first-u.FirstHour:end-u.FirstHour])
		}
		own := naiveLedoitWolf(series)
		for i, a := range members {
			for j, b := range members {
				r[a*k+b] = own[i*len(members)+j]
			}
		}
	}
	for i := range k {
		r[i*k+i] = 1
	}
	var eig mat.EigenSym
	eig.Factorize(mat.NewSymDense(k, slices.Clone(r)), true)
	if eig.Values(nil)[0] >= 1e-8 {
		return r
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	repaired := func(i, j int) (sum float64) {
		for m, value := range eig.Values(nil) {
			sum += max(value, 1e-8) * v.At(i, m) * v.At(j, m)
		}
		return sum
	}
	for i := range k {
		for j := range k {
			r[i*k+j] = repaired(i, j) / math.Sqrt(repaired(i, i)*repaired(j, j))
		}
	}
	return r
}

// mixtureOf returns a mixture of two series: weight beta for the first, the rest for the second.
func mixtureOf(a, b []float64, beta float64) []float64 {
	z := make([]float64, len(b))
	for i := range z {
		z[i] = beta*a[i] + math.Sqrt(1-beta*beta)*b[i]
	}
	return z
}

// diverse gives the wallet positions of every kind: ETH moves with BTC and lacks the oldest hours,
// SOL has no outcomes, the history of XRP has ended, WIF has a complete history.
func diverse(s *situation, names ...string) *situation {
	btc := s.in.Target.Model
	for _, name := range names {
		switch name {
		case "BTC":
			s.holds(holding(0, "BTC", 0.5, testMark, 10))
		case "BTC short":
			s.holds(holding(0, "BTC", -0.5, testMark, 10))
		case "BTC isolated":
			s.holds(isolatedAt(holding(0, "BTC", 0.5, testMark, 10), 4_000))
		case "ETH":
			s.holds(holding(1, "ETH", 10, 3000, 10))
		case "ETH short":
			s.holds(holding(1, "ETH", -10, 3000, 10))
		case "SOL":
			s.holds(holding(2, "SOL", -200, 100, 5))
		case "XRP":
			s.holds(isolatedAt(holding(3, "XRP", 10_000, 2, 10), 2_500))
		case "WIF":
			s.holds(holding(4, "WIF", -20_000, 1, 3))
		}
	}
	for i := range s.in.Held {
		m := s.in.Held[i].Model
		switch m.Name {
		case "ETH":
			m.Variance[mc.H24], m.Kappa2[mc.H24] = 0.03*0.03, 1.1
			z := mixtureOf(btc.Z24.Values, m.Z24.Values, 0.8)
			m.Z24 = mc.HourlySeries{FirstHour: m.Z24.FirstHour + 3000, Values: z[3000:]}
			m.U1.Values = mixtureOf(btc.U1.Values, m.U1.Values, 0.8)
			m.Daily = &mc.HourlySeries{FirstHour: m.Daily.FirstHour, Values: m.U1.Values}
		case "SOL":
			m.Variance[mc.H24], m.Kappa2[mc.H24] = 0.05*0.05, 0.9
			m.Z24, m.Z24Sorted, m.U1, m.Daily = mc.HourlySeries{}, nil, mc.HourlySeries{}, nil
			m.Bars = 2000 // a young asset, which gets the strictest shocks
		case "XRP":
			m.Variance[mc.H24] = 0.04 * 0.04
			m.Z24.FirstHour -= 100
			m.U1.FirstHour -= 100
		case "WIF":
			m.Variance[mc.H24] = 0.08 * 0.08
			a := *s.in.Held[i].Market.Asset
			a.Dex = "wif"
			s.in.Held[i].Market.Asset = &a
		}
	}
	return s
}

// Tests every way in which a trade changes the positions: joint loss, its attribution, and stress.
func TestBookAfterEachTrade(t *testing.T) {
	sequential(t)
	rows := []struct {
		name   string
		holds  []string
		action Action
		size   float64
		mode   Mode
		assets []string // assets held after the trade
	}{
		{"nothing held, an asset opened", nil, ActionLong, 30_000, Cross, []string{"BTC"}},
		{"nothing held, a close", nil, ActionClose, 30_000, Cross, nil},
		{"one held, another opened", []string{"ETH"}, ActionLong, 30_000, Cross, []string{"ETH", "BTC"}},
		{"one held and increased", []string{"BTC"}, ActionLong, 30_000, Cross, []string{"BTC"}},
		{"one held and closed", []string{"BTC"}, ActionClose, 30_000, Cross, nil},
		{"one held and reduced to nothing", []string{"BTC"}, ActionShort, 30_000, Cross, nil},
		{"two held, a third opened", []string{"ETH", "SOL"}, ActionShort, 10_000, Cross, []string{"ETH", "SOL", "BTC"}},
		{"a third opened isolated", []string{"ETH", "SOL"}, ActionShort, 10_000, Isolated, []string{"ETH", "SOL", "BTC"}},
		{"increase in the middle", []string{"ETH", "BTC", "SOL"}, ActionLong, 10_000, Cross, []string{"ETH", "BTC", "SOL"}},
		{"reduce", []string{"ETH", "BTC"}, ActionShort, 10_000, Cross, []string{"ETH", "BTC"}},
		{"reduce isolated", []string{"ETH", "BTC isolated"}, ActionShort, 10_000, Cross, []string{"ETH", "BTC isolated"}},
		{"flip", []string{"BTC", "XRP"}, ActionShort, 50_000, Cross, []string{"BTC", "XRP"}},
		{"flip of an isolated one stays isolated", []string{"BTC isolated", "ETH"}, ActionShort, 50_000, Cross,
			[]string{"BTC", "ETH"}},
		{"flip of a cross one stays cross", []string{"BTC", "ETH"}, ActionShort, 50_000, Isolated, []string{"BTC", "ETH"}},
		{"close of an isolated one", []string{"ETH short", "BTC isolated"}, ActionClose, 1e8, Cross, []string{"ETH"}},
		{"close one of two", []string{"ETH", "BTC"}, ActionClose, 1e8, Cross, []string{"ETH"}},
		{"close a part", []string{"BTC", "SOL"}, ActionClose, 10_000, Cross, []string{"BTC", "SOL"}},
		{"close what is not held", []string{"ETH", "SOL"}, ActionClose, 10_000, Cross, []string{"ETH", "SOL"}},
		{"hedge", []string{"ETH short", "WIF"}, ActionLong, 25_000, Cross, []string{"ETH", "WIF", "BTC"}},
		{"all of them", []string{"ETH", "SOL", "BTC short", "XRP", "WIF"}, ActionLong, 12_000, Cross,
			[]string{"ETH", "SOL", "BTC", "XRP", "WIF"}},
	}
	e, scratch := NewEngine(DefaultAges()), NewScratch(1)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := diverse(newSituation(20_000, r.action, r.size), r.holds...)
			s.in.Trade.Mode, s.in.Trade.ModeGiven = r.mode, true
			s.in.Rows = s.in.Target.Model
			a := assessWith(t, e, scratch, &s.in)
			w := plainTrade(&s.in)
			if len(w.legs) != len(r.assets) {
				t.Fatalf("the test's own book has %d positions", len(w.legs))
			}

			p := &a.PortfolioRisk
			if p.Known != (len(r.holds) >= 2) {
				t.Fatalf("portfolio_risk present %v with %d positions", p.Known, len(r.holds))
			}
			if p.Known {
				v, es := plainVaR(s.in.Rows, w.legs)
				agreeTo(t, "VaR", p.VaR99, v, w.gross)
				agreeTo(t, "ES", p.ES99, es, w.gross)
				if p.PositionCount != len(r.holds) {
					t.Errorf("%d positions counted, %d are open", p.PositionCount, len(r.holds))
				}
			}
			checkAttribution(t, &a.Attribution, s.in.Rows, &w)

			if a.PortfolioStress.Known != (len(r.holds) > 0) {
				t.Fatalf("portfolio_stress present %v with %d positions", a.PortfolioStress.Known, len(r.holds))
			}
			if a.PortfolioStress.Known {
				checkBookStress(t, a.PortfolioStress, &w)
			}
			if p.Simulation.Known || a.MonteCarlo.Known {
				t.Error("a simulation without a request for it")
			}
		})
	}
}

// Without any hour to replay, the joint loss is the sum of the positions' own losses. Each own VaR and
// ES is first raised to at least the position's 4 h VaR.
func TestBookWithoutHours(t *testing.T) {
	s := diverse(newSituation(20_000, ActionLong, 30_000), "ETH", "SOL")
	s.in.Target.Model.Z24 = mc.HourlySeries{}
	s.in.Held[1].Model.Tail[mc.H4][mc.Short][mc.P99].PctVaR = 9 // above the 24-hour VaR of 6.2 and its ES of 8
	a := s.assess(t)
	agree(t, "VaR", a.PortfolioRisk.VaR99, 0.062*30_000+0.062*30_000+0.09*20_000)
	agree(t, "ES", a.PortfolioRisk.ES99, 0.08*30_000+0.08*30_000+0.09*20_000)
	agree(t, "of the target alone", a.VaR.Dollar99_24h, 0.062*30_000)
	x := &a.Attribution
	agree(t, "total", x.TotalVaR99, a.PortfolioRisk.VaR99)
	agreeTo(t, "diversification", x.DiversificationPct, 0, 1)
	for i, want := range []float64{0.062 * 30_000, 0.09 * 20_000, 0.062 * 30_000} {
		agree(t, "marginal", x.Positions[i].MarginalVaR, want)
	}
}

// A position that offsets another has a negative share of the risk; a single position has all of
// it.
func TestAttributionOfAHedge(t *testing.T) {
	a := diverse(newSituation(50_000, ActionLong, 60_000), "ETH short").assess(t)
	x := &a.Attribution
	hedge := x.Positions[0]
	if hedge.Asset != "ETH" || hedge.ComponentVaR >= 0 || hedge.ComponentPct >= 0 || hedge.MarginalVaR >= 0 {
		t.Errorf("the hedge is %+v", hedge)
	}
	if x.Positions[1].ComponentPct <= 100 || x.DiversificationPct <= 0 {
		t.Errorf("the other is %+v, diversification %v", x.Positions[1], x.DiversificationPct)
	}

	one := newSituation(50_000, ActionShort, 60_000).assess(t).Attribution
	if p := one.Positions[0]; len(one.Positions) != 1 || p.ComponentPct != 100 || p.ComponentVaR != one.TotalVaR99 ||
		p.MarginalVaR != one.TotalVaR99 || one.DiversificationPct != 0 {
		t.Errorf("a position alone: %+v", one)
	}

	// Cases in which figures would be negative if they were not limited to zero: positions that cannot
	// lose without the trade, and losses that never coincide.
	up := diverse(newSituation(50_000, ActionLong, 60_000), "ETH", "XRP")
	for i := range up.in.Held {
		z := &up.in.Held[i].Model.Z24
		z.Values = slices.Clone(z.Values)
		for k, v := range z.Values {
			z.Values[k] = 1 + math.Abs(v)
		}
		z.FirstHour = up.in.Target.Model.Z24.FirstHour // no hour is missing
		z.Values = slices.Concat(z.Values, z.Values)[:8761]
	}
	x = &up.assess(t).Attribution
	agree(t, "marginal of the only risk", x.Positions[2].MarginalVaR, x.TotalVaR99)
	turns := diverse(newSituation(50_000, ActionLong, 60_000), "ETH")
	for k, m := range []*mc.AssetModel{turns.in.Target.Model, turns.in.Held[0].Model} {
		m.Z24 = mc.HourlySeries{FirstHour: testHour - 150, Values: make([]float64, 150)}
		for i := range m.Z24.Values {
			m.Z24.Values[i] = 0.1 * float64(1-i%2*2)
		}
		m.Z24.Values[10+k] = -9 // one hour in 150 of each asset is beyond its 99 % VaR, and those hours never coincide
	}
	x = &turns.assess(t).Attribution
	if apart := x.TotalVaR99 - x.Positions[0].MarginalVaR; apart <= 0 || x.TotalVaR99 < 10*apart ||
		x.DiversificationPct != 0 {
		t.Errorf("losses that come one at a time: %+v", x)
	}

	// A short of what the account holds as collateral.
	even := newSituation(50_000, ActionShort, 60_000)
	even.in.Account.Collateral = []mc.Collateral{{Asset: 0, Name: "BTC", Units: 1, Mark: testMark}}
	even.in.Backing = []AssetInput{even.in.Target}
	x = &even.assess(t).Attribution
	if len(x.Positions) != 2 || !x.Positions[1].Collateral || x.TotalVaR99 != 0 {
		t.Fatalf("a perfect hedge: %+v", x)
	}
	for _, p := range x.Positions {
		if p.ComponentVaR != 0 || p.ComponentPct != 0 || p.MarginalVaR >= 0 {
			t.Errorf("a perfect hedge, and still %+v", p)
		}
	}
}

// Random wallets under stress: every margin mode, marks that differ from those of the account's
// answer, equities around zero, and sizes on both sides of the largest that survives.
func TestBookStressOfRandomWallets(t *testing.T) {
	sequential(t)
	r := rand.New(rand.NewPCG(11, 12))
	assets := []AssetInput{testInput(0, "BTC", testMark), testInput(1, "ETH", 3000), testInput(2, "SOL", 100),
		testInput(3, "XRP", 2), testInput(4, "WIF", 1)}
	for i := range assets {
		m := assets[i].Model
		m.Z24.FirstHour, m.Z24.Values, m.Daily = testHour-30, m.Z24.Values[:30], nil
		m.Variance[mc.H24] = math.Pow(0.02+0.02*float64(i), 2)
	}
	assets[2].Model.Bars = 4319
	assets[3].Model.Bars, assets[3].Model.VolumeUSD7d = 4320, 7*25e6
	dex := *assets[4].Market.Asset
	dex.Dex = "wif"
	assets[4].Market.Asset = &dex

	e, scratch := NewEngine(DefaultAges()), NewScratch(4)
	equities := []float64{-5_000, 0, 0.005, 500, 5_000, 30_000, 1e6}
	survived, liquidated := 0, 0
	for range 4000 {
		action := []Action{ActionLong, ActionShort, ActionClose}[r.IntN(3)]
		s := situation{Input{
			Trade: Trade{Action: action, SizeUSD: math.Exp(4 + 8*r.Float64()), Mode: Mode(r.IntN(2)), ModeGiven: true,
				Leverage: float64(1 + r.IntN(40))},
			Account: &mc.Account{Mode: mc.ModeDisabled, CrossAccountValueUSD: equities[r.IntN(len(equities))],
				TakerRate: testTaker},
			Target: assets[0],
		}}
		for id, a := range assets {
			if r.IntN(2) == 0 {
				continue
			}
			mark := a.Market.Context.MarkPrice
			value := math.Exp(6 + 5*r.Float64())
			read := mark
			if id > 0 {
				read *= 1 + 0.02*r.NormFloat64()
			}
			p := holding(mc.AssetID(id), a.Market.Asset.Name, value/mark, read, float64(1+r.IntN(40)))
			if r.IntN(2) == 0 {
				p.Units = -p.Units
			}
			if r.IntN(3) == 0 {
				p = isolatedAt(p, value*(r.Float64()-0.05))
			}
			s.in.Account.Positions = append(s.in.Account.Positions, p)
			s.in.Held = append(s.in.Held, a)
		}
		a := assessWith(t, e, scratch, &s.in)
		if a.PortfolioStress.Known != (len(s.in.Held) > 0) {
			t.Fatal("presence of portfolio_stress")
		}
		if !a.PortfolioStress.Known {
			continue
		}
		w := plainTrade(&s.in)
		checkBookStress(t, a.PortfolioStress, &w)
		if a.PortfolioStress.AccountSurvives {
			survived++
		}
		if a.PortfolioStress.PositionsLiquidated > 0 {
			liquidated++
		}
		if len(w.legs) == 1 && w.legs[0].asset == "BTC" && !w.legs[0].isolated {
			if got := a.Stress[a.PortfolioStress.Scenario].Survives; got != a.PortfolioStress.AccountSurvives {
				t.Errorf("position survives %v, but its account %v", got, a.PortfolioStress.AccountSurvives)
			}
		}
		if t.Failed() {
			t.Fatalf("%+v of %+v", s.in.Trade, s.in.Account)
		}
	}
	if survived < 500 || liquidated < 500 {
		t.Errorf("%d survive and %d lose a position: the wallets are too similar", survived, liquidated)
	}
}

// When no loss is limited, the wallet's loss is the sum of the positions' losses and of 60 % of their gains.
func TestBookStressAddsUp(t *testing.T) {
	s := diverse(newSituation(1e6, ActionLong, 30_000), "ETH", "SOL")
	book := s.assess(t)
	worst, sum, gains := book.PortfolioStress.Scenario, 0.0, 0
	counts := func(pnl float64) float64 {
		if pnl > 0 {
			gains++
			return 0.6 * pnl
		}
		return pnl
	}
	for i, p := range s.in.Account.Positions {
		alone := newSituation(1e6, ActionClose, 1)
		alone.in.Target, alone.in.Trade.Asset, alone.in.AsHeld = s.in.Held[i], p.Asset, true
		alone.in.Account.Positions, alone.in.Held = []mc.Position{p}, s.in.Held[i:i+1]
		sum += counts(alone.assess(t).Stress[worst].PnLUSD)
	}
	agree(t, "total", book.PortfolioStress.TotalPnLUSD, sum+counts(book.Stress[worst].PnLUSD))
	agree(t, "of all there is", book.PortfolioStress.TotalPnLPct,
		100*book.PortfolioStress.TotalPnLUSD/book.Margin.After.AccountValue)
	if gains == 0 {
		t.Error("no leg gains in the worst scenario")
	}

	empty := newSituation(20_000, ActionClose, 1e8).holds(holding(0, "BTC", -1, testMark, 10)).assess(t).PortfolioStress
	if want := (PortfolioStress{Known: true, AccountSurvives: true}); empty != want {
		t.Errorf("an empty book: %+v", empty)
	}
}

func TestTailDependenceOfEachPair(t *testing.T) {
	s := diverse(newSituation(20_000, ActionLong, 30_000), "ETH", "SOL", "BTC", "XRP")
	fitPairs(&s.in)
	a := s.assess(t)
	names := []string{}
	for _, d := range a.PortfolioRisk.TailDependence {
		names = append(names, d.A+"-"+d.B)
	}
	if want := []string{"ETH-BTC", "ETH-XRP", "BTC-XRP"}; !slices.Equal(names, want) { // SOL has no returns
		t.Fatalf("pairs %v, want %v", names, want)
	}
	d := a.PortfolioRisk.TailDependence[0]
	four := func(m *mc.AssetModel) (out []float64) { // 2,160 hours are whole groups of four
		for i := 0; i < len(m.Daily.Values); i += 4 {
			v := m.Daily.Values[i:]
			out = append(out, math.Round((((v[0]+v[1])+v[2])+v[3])*1e12)/1e12)
		}
		return out
	}
	x, y := four(s.in.Held[0].Model), four(s.in.Target.Model)
	agree(t, "pearson", d.Pearson, naiveCorrelation(x, y))
	concordant := 0
	for i := range x {
		for j := range i {
			if (x[i]-x[j])*(y[i]-y[j]) > 0 {
				concordant++
			} else {
				concordant--
			}
		}
	}
	n := float64(len(x))
	rho := math.Sin(math.Pi / 2 * float64(concordant) / (n * (n - 1) / 2))
	if d.Nu < 2.05 || d.Nu > 40 {
		t.Fatalf("nu %v", d.Nu)
	}
	// Simpson's rule over the density of Student's t below the limit, in 1/x for the far part.
	df, limit := d.Nu+1, math.Sqrt((d.Nu+1)*(1-rho)/(1+rho))
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	scale := math.Exp(lg((df+1)/2)-lg(df/2)) / math.Sqrt(df*math.Pi)
	density := func(w float64) float64 { // x = 1/w
		if w == 0 {
			return 0
		}
		return scale * math.Pow(1+1/(w*w*df), -(df+1)/2) / (w * w)
	}
	area, steps := 0.0, 20_000
	for i := range steps {
		h := 1 / limit / float64(steps)
		w := h * float64(i)
		area += h / 6 * (density(w) + 4*density(w+h/2) + density(w+h))
	}
	if math.Abs(d.Lambda-2*area) > 1e-8 {
		t.Errorf("lambda %v, want %v", d.Lambda, 2*area)
	}
	t.Run("few common returns", func(t *testing.T) {
		short := s.in.Held[0].Model.Daily
		for n, want := range map[int]bool{179: false, 180: true} {
			cut := mc.HourlySeries{FirstHour: short.FirstHour + 2160 - int64(4*n), Values: short.Values[2160-4*n:]}
			s.in.Held[0].Model.Daily = &cut
			fitPairs(&s.in)
			got := s.assess(t).PortfolioRisk.TailDependence
			if (len(got) == 3) != want {
				t.Errorf("%d returns: %d pairs", n, len(got))
			}
		}
	})
}

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
			OpenMs: (testHour - int64(n-i)) * 3_600_000, Open: open, High: max(open, price) * wick, Low: min(open, price) /
				wick,
			Close: price, Volume: 1e3,
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
			agree(t, "pooled tail", a.EVT.VaR999, max(100*(1-math.Exp(-zq*math.Sqrt(m.Variance[mc.H24]))), a.VaR.Pct99_24h))
		}
	}
}

func TestGreeksByHand(t *testing.T) {
	const rate, mean = 5e-5, 1.25e-5
	daily := 0.025 * math.Sqrt(1.2)
	rows := []struct {
		name     string
		position mc.Position // zero value: no position
		action   Action
		size     float64
		leverage float64
		mode     Mode
		equity   float64

		units, exit float64 // units after the trade; units that an exit would trade
		bent, past  bool    // whether liquidation is near enough to affect the Greeks; whether it is already past
		marginTier  float64
		unreachable bool
	}{
		{name: "open long", action: ActionLong, size: 60_000, leverage: 20, mode: Isolated, equity: 1e5, units: 1, exit: 1,
			bent: true},
		{name: "open short", action: ActionShort, size: 60_000, leverage: 20, mode: Isolated, equity: 1e5, units: -1,
			exit: 1, bent: true},
		{name: "open short at full leverage", action: ActionShort, size: 60_000, leverage: 40, mode: Isolated, equity: 1e5,
			units: -1, exit: 1, bent: true},
		{name: "increase", position: holding(0, "BTC", 50, testMark, 20), action: ActionLong, size: 600_000, leverage: 20,
			equity: 2e5, units: 60, exit: 10, bent: true},
		{name: "reduce", position: holding(0, "BTC", -60, testMark, 20), action: ActionLong, size: 600_000, leverage: 20,
			equity: 2e5, units: -50, bent: true},
		{name: "flip", position: holding(0, "BTC", 40, testMark, 20), action: ActionShort, size: 6_000_000, leverage: 20,
			equity: 2e5, units: -60, exit: 60, bent: true},
		{name: "close a part", position: holding(0, "BTC", 60, testMark, 20), action: ActionClose, size: 600_000,
			leverage: 20, equity: 2e5, units: 50, bent: true},
		{name: "the tier at the liquidation price is not the one at mark", position: holding(0, "BTC", 1500, testMark, 20),
			action: ActionLong, size: 65e6, leverage: 20, equity: 8e6, units: 1500 + 65e6/testMark, exit: 65e6 / testMark,
			bent: true, marginTier: 1.0 / 80},
		{name: "and the other way round", position: holding(0, "BTC", -1500, testMark, 20), action: ActionShort, size: 55e6,
			leverage: 20, equity: 8e6, units: -1500 - 55e6/testMark, exit: 55e6 / testMark, bent: true, marginTier: 1.0 / 40},
		{name: "past its liquidation", position: isolatedAt(holding(0, "BTC", 2, testMark, 20), 100), action: ActionShort,
			size: 60_000, leverage: 20, equity: 1e5, units: 1, past: true},
		{name: "a short past it at every price", position: isolatedAt(holding(0, "BTC", -2, testMark, 20), -2*testMark-1),
			action: ActionLong, size: 60_000, leverage: 20, equity: 1e5, units: -1, unreachable: true},
		{name: "a long that cannot be liquidated", action: ActionLong, size: 60_000, leverage: 20, equity: 1e5, units: 1,
			exit: 1, unreachable: true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(r.equity, r.action, r.size)
			s.in.Trade.Leverage, s.in.Trade.Mode, s.in.Trade.ModeGiven = r.leverage, r.mode, true
			s.in.Target.Model.Kappa2[mc.H24] = 1.2
			s.in.Target.Market.Context.FundingRateHourly = rate
			if r.position.Units != 0 {
				s.holds(r.position)
			}
			a := s.assess(t)
			q, u := r.units, math.Abs(r.units-r.position.Units)
			n, side := math.Abs(q), math.Copysign(1, q)
			B := a.Liquidation.Price
			if (B == 0) != r.unreachable {
				t.Fatalf("liquidation price %v", B)
			}

			impact := func(units float64) float64 { return 2.0 / 3 * daily * math.Sqrt(units*testMark/1e9) * 1e4 }
			usd := func(units float64) float64 {
				return units * testMark * (plainBps(1e6, testMark, units) + impact(units) + 4.5) / 1e4
			}
			agree(t, "theta", a.Greeks.Theta, -side*plainFunding(rate, mean)*n*testMark-(usd(u)+usd(r.exit))/7)

			// The position is worth q*S less the liquidation digital with strike K.
			tier := 1.0 / 80
			if n*B > 150e6 {
				tier = 1.0 / 40
			}
			if r.marginTier > 0 && tier != r.marginTier {
				t.Fatalf("the test case is wrong: tier %v at %v", tier, n*B)
			}
			K := n*B*tier + n*B*plainBps(1e6, testMark, n)/1e4
			touch := func(S, sigma float64) float64 {
				const T = 1.0 / 365
				sv, nu, away := sigma*math.Sqrt(T), sigma*sigma/2, math.Abs(math.Log(B/S))
				return plainNormal((-away+side*nu*T)/sv) + S/B*plainNormal((-away-side*nu*T)/sv)
			}
			// The derivative of touch with respect to S, computed without cancellation of terms.
			slope := func(S, sigma float64) float64 {
				const T = 1.0 / 365
				sv, nu, away := sigma*math.Sqrt(T), sigma*sigma/2, math.Abs(math.Log(B/S))
				x, y := (-away+side*nu*T)/sv, (-away-side*nu*T)/sv
				return -side/(S*sv)*plainDensity(x) + plainNormal(y)/B - S/B*side/(S*sv)*plainDensity(y)
			}
			sigma := daily * math.Sqrt(365)
			delta, gamma, vega, lg := q, 0.0, 0.0, 0.0
			if B > 0 {
				lg = side * B / testMark
			}
			if r.bent {
				numeric := derivative(func(S float64) float64 { return touch(S, sigma) }, testMark, 3)
				if d := slope(testMark, sigma); math.Abs(d/numeric-1) > 1e-6 || touch(testMark, sigma) < 1e-6 {
					t.Fatalf("the test's own derivative: %v, %v", d, numeric)
				}
				delta -= K * slope(testMark, sigma)
				gamma = -K * derivative(func(S float64) float64 { return slope(S, sigma) }, testMark, 3)
				vega = -K * derivative(func(v float64) float64 { return touch(testMark, v) }, sigma, sigma*1e-3) / 100
				agree(t, "loss at the touch", a.Greeks.LossAtTouchUSD, K)
				agree(t, "chance of it", a.Greeks.TouchProbability, touch(testMark, sigma))
			}
			agree(t, "delta", a.Greeks.Delta, delta)
			for _, c := range []struct {
				what      string
				got, want float64
			}{{"gamma", a.Greeks.Gamma, gamma}, {"vega", a.Greeks.Vega, vega}} { // numerical differences have 8 digits
				if math.Abs(c.got-c.want) > 1e-8*math.Abs(c.want) {
					t.Errorf("%s = %v, want %v", c.what, c.got, c.want)
				}
			}
			agree(t, "liquidation gamma", a.Greeks.LiquidationGamma, lg)
			if r.past && (a.Liquidation.DistancePct != 0 || a.Greeks.TouchProbability != 1) {
				t.Errorf("distance %v, chance of a touch %v", a.Liquidation.DistancePct, a.Greeks.TouchProbability)
			}
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
				s.in.Target.Market.Samples = &mc.SampleStats{N: 100, SpreadBpsMedian: 2, SpreadBps95: 3, SpreadBps99: 4,
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

// moving returns a fit whose simulated paths use every term of the recursion.
func moving(s *situation) *mc.AssetModel {
	m := s.in.Target.Model
	m.E = [4]float64{1e-4, 6e-5, 4e-5, 2e-5}
	m.K2Hourly, m.RangeToReturn, m.MomentMatch = 1.1, 1.3, 1.2
	m.Innovations = slices.Clone(m.Innovations)
	for i, u := range m.Innovations {
		m.Innovations[i] = u * (1 + u*u/20) // fatter tails
	}
	stats.Standardise(m.Innovations, m.Innovations)
	slices.Sort(m.Innovations)
	return m
}

// plainPaths simulates the recursion as it is defined, with its own random numbers.
func plainPaths(m *mc.AssetModel, paths int, side, mark, price, lossPct, fundingPct float64) (pnl []float64,
	liquidated float64) {
	r := rand.New(rand.NewPCG(3, 9))
	draw := func() float64 { return m.Innovations[r.IntN(len(m.Innovations))] }
	if len(m.Innovations) < 720 { // Student's t with 3.66 degrees of freedom, scaled to variance 1
		draw = func() float64 {
			x, d := r.NormFloat64(), 3.66/2-1.0/3 // Marsaglia and Tsang: a gamma variate of shape 3.66/2
			for {
				z := r.NormFloat64()
				v := math.Pow(1+z/math.Sqrt(9*d), 3)
				if v > 0 && math.Log(r.Float64()) < z*z/2+d-d*v+d*math.Log(v) {
					return x / math.Sqrt(2*d*v/3.66) * math.Sqrt(1.66/3.66)
				}
			}
		}
	}
	b, lam := [5]float64{0.65, 0, 0.06, 0.08, 0.06}, [4]float64{6.0 / 7, 24.0 / 25, 120.0 / 121, 600.0 / 601}
	barrier := math.Log(price / mark)
	for range paths {
		e, x, gone := m.E, 0.0, false
		for range 24 {
			s2 := b[4] * m.LongRunVariance
			for k := range e {
				s2 += b[k] * e[k]
			}
			s2 *= m.K2Hourly
			ret := math.Sqrt(s2) * draw()
			y := x + m.MomentMatch*ret
			if price > 0 {
				c2 := m.MomentMatch * m.MomentMatch * s2
				gone = gone || side*(y-barrier) <= 0 || r.Float64() < math.Exp(-2*(barrier-x)*(barrier-y)/c2)
			}
			x = y
			for k := range e {
				e[k] = lam[k]*e[k] + (1-lam[k])*m.RangeToReturn*ret*ret
			}
		}
		p := side * (math.Exp(x) - 1) * 100
		if gone {
			p = -lossPct
			liquidated++
		}
		pnl = append(pnl, p-fundingPct)
	}
	return pnl, liquidated / float64(paths)
}

// The engine's 10,000 paths against independent ones: each figure within four standard errors of
// the difference.
func TestSimulatedPathsAgainstPlain(t *testing.T) {
	sequential(t)
	rows := []struct {
		name     string
		action   Action
		mode     Mode
		leverage float64
		equity   float64
		young    bool
	}{
		{"long without a barrier", ActionLong, Cross, 10, 1e6, false},
		{"long near its barrier", ActionLong, Isolated, 16, 1e5, false},
		{"short near its barrier", ActionShort, Isolated, 14, 1e5, false},
		{"a young asset's long", ActionLong, Isolated, 14, 1e5, true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			const paths = 100_000
			s := newSituation(r.equity, r.action, 60_000)
			s.in.Trade.MonteCarlo, s.in.Trade.Mode, s.in.Trade.ModeGiven, s.in.Trade.Leverage = true, r.mode, true, r.leverage
			m := moving(s)
			if r.young {
				m.Innovations = nil
			}
			a := s.assess(t)
			side := 1.0
			if r.action == ActionShort {
				side = -1
			}
			funding := 100 * side * plainFunding(testFunding, testFunding)
			price := a.Liquidation.Price
			if (price == 0) != (r.mode == Cross) {
				t.Fatalf("liquidation price %v", price)
			}
			pnl, share := plainPaths(m, paths, side, testMark, price, a.Liquidation.DistancePct+100.0/80, funding)
			got := a.MonteCarlo
			slices.Sort(pnl)
			within4 := func(what string, got, want, sd float64) {
				t.Helper()
				if sd *= math.Sqrt(1.0/10_000 + 1.0/paths); math.Abs(got-want) > 4*sd+1e-9 {
					t.Errorf("%s = %v, want %v +- %v", what, got, want, sd)
				}
			}
			at := func(p float64) float64 { return plainQuantile(pnl, p) }
			quantile := func(what string, got, p float64) {
				t.Helper()
				h := min(p, 1-p) / 2
				within4(what, got, at(p), math.Sqrt(p*(1-p))*(at(p+h)-at(p-h))/(2*h))
			}
			shortfall := func(what string, got, p float64) {
				t.Helper()
				q, sum, squares, n := at(p), 0.0, 0.0, 0.0
				for _, x := range pnl {
					if x <= q {
						sum, squares, n = sum+x, squares+x*x, n+1
					}
				}
				mean := sum / n
				spread := squares/n - mean*mean + (1-p)*(mean-q)*(mean-q)
				within4(what, got, -mean, math.Sqrt(max(spread, 0)/p))
			}
			quantile("VaR 95", -got.VaR95, 0.05)
			quantile("VaR 99", -got.VaR99, 0.01)
			quantile("median", got.Median, 0.5)
			quantile("lower", got.Lower, 0.025)
			quantile("upper", got.Upper, 0.975)
			shortfall("ES 95", got.ES95, 0.05)
			shortfall("ES 99", got.ES99, 0.01)
			within4("liquidated", got.LiquidatedShare, share, math.Sqrt(share*(1-share)))
			if (share == 0) != (r.mode == Cross) || share > 0.3 {
				t.Errorf("%v of the paths are liquidated: too few or too many for this test", share)
			}
			if !(got.Worst <= -got.VaR99 && got.Worst <= got.Lower && got.Lower < got.Median && got.Median < got.Upper &&
				-got.VaR99 <= got.Lower) || got.Simulations != 10_000 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestSimulationOnRequest(t *testing.T) {
	ask := func(action Action, size float64, change ...func(s *situation)) MonteCarlo {
		s := newSituation(1e6, action, size)
		s.in.Trade.MonteCarlo = true
		moving(s)
		for _, c := range change {
			c(s)
		}
		return s.assess(t).MonteCarlo
	}
	with := func(p mc.Position) func(*situation) { return func(s *situation) { s.holds(p) } }

	first := ask(ActionLong, 60_000)
	if first != ask(ActionLong, 60_000) {
		t.Error("the same request gives another answer")
	}
	// Far from liquidation, percentages of notional are the same for every size, because the paths
	// are the same.
	if first != ask(ActionLong, 7_000) {
		t.Error("another size gets other paths")
	}
	for what, change := range map[string]func(s *situation){
		"a new bar":      func(s *situation) { s.in.Target.Model.LastHour++ },
		"a new fit":      func(s *situation) { s.in.Target.Model.Digest[0]++ },
		"another ticker": func(s *situation) { s.in.Target.Model.Name = "XBT"; s.in.Rows = s.in.Target.Model },
	} {
		if first == ask(ActionLong, 60_000, change) {
			t.Errorf("%s changed, and still the same paths", what)
		}
	}

	// The asset is part of the seed: trades of one wallet in two assets with equal models get
	// different paths.
	twins := func(target int) MonteCarlo {
		s := newSituation(1e6, ActionLong, 60_000).holds(holding(0, "BTC", 1, testMark, 10)).holds(holding(1, "ETH", 20,
			3000, 10))
		s.in.Held[1].Model.Innovations = s.in.Target.Model.Innovations
		s.in.Rows = s.in.Target.Model
		s.in.Trade.MonteCarlo, s.in.Trade.Asset, s.in.Target = true, mc.AssetID(target), s.in.Held[target]
		return s.assess(t).MonteCarlo
	}
	if a, b := twins(0), twins(1); a == b || math.Abs(a.VaR99/b.VaR99-1) > 0.1 {
		t.Errorf("VaR %v and %v of twins", a.VaR99, b.VaR99)
	}

	// A near liquidation price limits the loss. With a more distant liquidation price, at lower leverage,
	// the paths are the same and the loss is never smaller.
	isolated := func(leverage float64) func(*situation) {
		return func(s *situation) {
			s.in.Trade.Mode, s.in.Trade.ModeGiven, s.in.Trade.Leverage = Isolated, true, leverage
		}
	}
	near, further := ask(ActionLong, 60_000, isolated(40)), ask(ActionLong, 60_000, isolated(20))
	if near.LiquidatedShare <= further.LiquidatedShare || further.LiquidatedShare <= first.LiquidatedShare ||
		first.LiquidatedShare != 0 {
		t.Errorf("liquidated %v, %v, %v", near.LiquidatedShare, further.LiquidatedShare, first.LiquidatedShare)
	}
	if near.VaR99 >= first.VaR99 || near.VaR99 != near.VaR95 || near.Worst != -near.VaR99 || near.SE99 != 0 {
		t.Errorf("a capped loss: %+v", near)
	}

	flat := MonteCarlo{Known: true, Simulations: 10_000}
	for _, a := range []MonteCarlo{ask(ActionClose, 60_000),
		ask(ActionClose, 60_000, with(holding(0, "BTC", 1, testMark, 10)))} {
		if a != flat {
			t.Errorf("flat: %+v", a)
		}
	}

	// Already beyond liquidation: every path loses the remaining distance, the maintenance margin
	// and the funding.
	for what, p := range map[string]mc.Position{
		"long":                  isolatedAt(holding(0, "BTC", 2, testMark, 10), 10),
		"short":                 isolatedAt(holding(0, "BTC", -2, testMark, 10), 10),
		"short, at every price": isolatedAt(holding(0, "BTC", -2, testMark, 10), -3*testMark),
	} {
		action, side := ActionShort, 1.0
		if p.Units < 0 {
			action, side = ActionLong, -1.0
		}
		x := ask(action, 60_000, with(p))
		loss := 0 + 100.0/80 + 100*side*plainFunding(testFunding, testFunding)
		for name, got := range map[string]float64{
			"VaR 95": x.VaR95, "VaR 99": x.VaR99, "ES 95": x.ES95, "ES 99": x.ES99,
			"median": -x.Median, "worst": -x.Worst, "lower": -x.Lower, "upper": -x.Upper,
		} {
			agree(t, what+" "+name, got, loss)
		}
		if x.LiquidatedShare != 1 {
			t.Errorf("%s: %v liquidated", what, x.LiquidatedShare)
		}
	}
}

// The simulated figures of a portfolio are computed from its scenarios, and the scenarios follow
// the copula.
func TestSimulatedBook(t *testing.T) {
	s := diverse(newSituation(2_600, ActionClose, 10_000), "ETH", "SOL", "BTC", "XRP")
	s.in.Trade.MonteCarlo = true
	s.in.Rows = s.in.Target.Model
	e, scratch := NewEngine(DefaultAges()), NewScratch(4)
	sim := assessWith(t, e, scratch, &s.in).PortfolioRisk.Simulation
	w := plainTrade(&s.in)
	if !sim.Known || sim.Draws != 8192 || len(sim.Positions) != 4 {
		t.Fatalf("%+v", sim)
	}
	n := sim.Draws
	outcome := make([][]float64, len(w.legs))
	for i := range w.legs {
		outcome[i] = lastSimulation(e).book.Move(i)
	}
	scale := func(i int) float64 {
		if w.legs[i].signed() < 0 {
			return w.legs[i].in.Model.Joint.Scale[mc.Short]
		}
		return w.legs[i].in.Model.Joint.Scale[mc.Long]
	}
	losses := func(skip int) []float64 {
		x := make([]float64, n)
		for j := range x {
			for i := range w.legs {
				if i != skip {
					x[j] -= w.legs[i].signed() * scale(i) * outcome[i][j]
				}
			}
		}
		return x
	}
	all := losses(-1)
	q95, q99 := plainQuantile(all, 0.95), plainQuantile(all, 0.99)
	agree(t, "VaR 95", sim.VaR95, q95)
	agree(t, "VaR 99", sim.VaR99, q99)
	agree(t, "ES 95", sim.ES95, plainUpperMean(all, q95))
	agree(t, "ES 99", sim.ES99, plainUpperMean(all, q99))

	rank := make([]int, n) // ranks of the scenarios by increasing loss
	for i := range rank {
		rank[i] = i
	}
	slices.SortFunc(rank, func(a, b int) int { return int(math.Copysign(1, all[a]-all[b])) })
	centre, half := int(math.Round(0.99*float64(n-1))), n*5/1000
	near, sum, raw := rank[centre-half:centre+half+1], 0.0, make([]float64, len(w.legs))
	for i := range w.legs {
		for _, j := range near {
			raw[i] -= w.legs[i].signed() * scale(i) * outcome[i][j] / float64(len(near))
		}
		sum += raw[i]
	}
	total := 0.0
	for i, p := range sim.Positions {
		if p.Asset != w.legs[i].asset {
			t.Errorf("position %d is %s", i, p.Asset)
		}
		agreeTo(t, p.Asset+" component", p.ComponentVaR, raw[i]*q99/sum, q99)
		agreeTo(t, p.Asset+" marginal", p.MarginalVaR, q99-max(0, plainQuantile(losses(i), 0.99)), q99)
		total += p.ComponentVaR
	}
	agree(t, "sum of components", total, sim.VaR99)

	ruined := 0.0
	for j := range n {
		left := w.pool
		for i := range w.legs {
			l := &w.legs[i]
			if l.isolated {
				continue
			}
			mark := l.mark * (1 + outcome[i][j])
			left += l.units*(mark-l.mark) - plainMaintenance(math.Abs(l.units)*mark)
		}
		if left < 0 {
			ruined++
		}
	}
	agree(t, "liquidation probability", sim.LiquidationProbability, ruined/float64(n))
	if ruined == 0 || ruined == float64(n) {
		t.Errorf("%v of %d scenarios liquidate the pool: too few or too many for this test", ruined, n)
	}

	for what, c := range map[string]struct {
		change func(s *situation)
		want   float64
	}{
		"a rich wallet": {func(s *situation) { s.in.Account.CrossAccountValueUSD = 1e9 }, 0},
		"one under water": {func(s *situation) {
			s.in.Account.CrossAccountValueUSD = -1e9
			s.in.Trade.Action = ActionClose
		}, 1},
		"another pool under water": {func(s *situation) {
			s.in.Account.Pools = []mc.Pool{{EquityUSD: 1e9}, {Dex: "xyz", EquityUSD: -1e9}}
			s.in.Account.Positions[0].Pool = 1
		}, 0},
		"collateral": {func(s *situation) {
			s.in.Account.CrossAccountValueUSD = 1e9
			s.in.Account.Collateral = []mc.Collateral{{Asset: 0, Name: "BTC", Units: 1, Mark: testMark}}
			s.in.Backing = []AssetInput{s.in.Target}
		}, 0},
		"nothing cross at all": {func(s *situation) {
			s.in.Account.CrossAccountValueUSD, s.in.Trade.Mode = 1e5, Isolated
			for i, p := range s.in.Account.Positions {
				s.in.Account.Positions[i] = isolatedAt(p, 10)
			}
		}, 0},
	} {
		s := diverse(newSituation(4_000, ActionLong, 30_000), "ETH", "SOL", "XRP")
		s.in.Trade.MonteCarlo = true
		c.change(s)
		x := s.assess(t).PortfolioRisk.Simulation
		if !x.Known || x.LiquidationProbability != c.want {
			t.Errorf("%s: %v, want %v", what, x.LiquidationProbability, c.want)
		}
	}
	t.Run("not asked for", func(t *testing.T) {
		s.in.Trade.MonteCarlo = false
		if a := assessWith(t, e, scratch, &s.in); a.PortfolioRisk.Simulation.Known || a.MonteCarlo.Known {
			t.Error("a simulation without a request for it")
		}
	})
	t.Run("one position before the trade", func(t *testing.T) {
		one := diverse(newSituation(4_000, ActionLong, 30_000), "ETH")
		one.in.Trade.MonteCarlo = true
		if a := one.assess(t); a.PortfolioRisk.Known || a.PortfolioRisk.Simulation.Known || !a.MonteCarlo.Known {
			t.Error("presence")
		}
	})
}

// Simulations of two hundred positions in every kind of asset, and of degenerate wallets and
// markets.
func TestDegenerateBooks(t *testing.T) {
	sequential(t)
	s := newSituation(0, ActionLong, 50_000)
	s.in.Trade.MonteCarlo = true
	s.in.Rows = s.in.Target.Model
	unknown := unknownModel()
	for i := 1; i <= 200; i++ {
		name, units := fmt.Sprint("A", i), float64(10*(1-2*(i%2)))
		switch i % 3 {
		case 0:
			p := holding(mc.NoAsset, name, units, 100, 10)
			p.MaxLeverage = 0
			s.in.Account.Positions = append(s.in.Account.Positions, p)
			s.in.Held = append(s.in.Held, AssetInput{Model: unknown})
		case 1:
			s.holds(holding(mc.AssetID(i), name, units, 100, 10))
			if i > 30 { // a few pairs are fitted, the others are unknown
				s.in.Held[i-1].Model.Daily = nil
			}
		case 2:
			s.holds(isolatedAt(holding(mc.AssetID(i), name, units, 100, 10), 100))
			h := &s.in.Held[i-1]
			a := *h.Market.Asset
			a.Delisted = true
			*h = AssetInput{Model: unknown, Market: mc.Market{Asset: &a, BookAge: -1, ContextAge: -1}}
		}
	}
	for _, action := range []Action{ActionLong, ActionClose} {
		s.in.Trade.Action = action
		a := s.assess(t)
		if why := broken(a); why != "" {
			t.Fatalf("%s: %s", action, why)
		}
		p, legs := &a.PortfolioRisk, 200
		if action == ActionLong {
			legs = 201
		}
		if p.PositionCount != 200 || len(a.Attribution.Positions) != legs || len(p.Simulation.Positions) != legs ||
			p.VaR99 <= 0 || p.Simulation.VaR99 <= 0 {
			t.Errorf("%s: %d positions, VaR %v, simulated %v", action, p.PositionCount, p.VaR99, p.Simulation.VaR99)
		}
		if a.MonteCarlo.Known != true || (a.MonteCarlo.VaR99 == 0) != (action == ActionClose) {
			t.Errorf("%s: %+v", action, a.MonteCarlo)
		}
	}

	fitted := func(bars []mc.Bar) func(s *situation) {
		return func(s *situation) {
			m, err := calib.Fit(0, "BTC", bars)
			if err != nil {
				t.Fatal(err)
			}
			s.in.Target.Model, s.in.Rows = m, m
		}
	}
	markets := []struct {
		name   string
		change func(s *situation)
	}{
		{"no candle", fitted(nil)},
		{"one bar", fitted(wanderingBars(1, 0.01))},
		{"three bars", fitted(wanderingBars(3, 0.01))},
		{"three flat bars", fitted(wanderingBars(3, 0))},
		{"a price that never moves", fitted(wanderingBars(1500, 0))},
		{"one that moves by a tenth an hour", fitted(wanderingBars(1500, 0.1))},
		{"a book without asks", func(s *situation) {
			s.in.Target.Market.Book = mc.MergeBooks([][]mc.Level{{{Price: 59_990, Units: 10}}}, nil, 0)
		}},
		{"a book without bids", func(s *situation) {
			s.in.Target.Market.Book = mc.MergeBooks(nil, [][]mc.Level{{{Price: 60_010, Units: 10}}}, 0)
		}},
	}
	for _, market := range markets {
		for _, equity := range []float64{-1e5, 0, 1e3, 1e7} {
			for _, action := range []Action{ActionLong, ActionShort, ActionClose} {
				s := diverse(newSituation(equity, action, 45_000), "ETH", "BTC", "SOL", "XRP")
				s.in.Trade.MonteCarlo = true
				market.change(s)
				for i := range s.in.Held {
					if s.in.Account.Positions[i].Asset == 0 {
						s.in.Held[i] = s.in.Target
					}
					s.in.Held[i].Model.Daily = nil // pairs are tested elsewhere
				}
				a := s.assess(t)
				if why := broken(a); why != "" {
					t.Errorf("%s, %s with %v: %s", market.name, action, equity, why)
				}
				if market.name == "a price that never moves" && action != ActionClose {
					// Hours without a move say nothing: the prior of 200 % a year counts, and the pooled tail.
					sd := 2 / math.Sqrt(365)
					want := 100 * (1 - math.Exp(-sd*(1.614+0.688/0.136*(math.Pow(50, 0.136)-1))))
					if action == ActionShort {
						want = 100 * (math.Exp(sd*(1.666+0.640/0.182*(math.Pow(50, 0.182)-1))) - 1)
					}
					if v := a.EVT.VaR999; math.Abs(v/want-1) > 0.01 {
						t.Errorf("%s: extreme %v, want %v", market.name, v, want)
					}
				}
			}
		}
	}
}
