package risk

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	mc "ballast/marketcache"
)

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
		shock = shock.within(100 * max(6*math.Sqrt(m.AverageVariance[mc.H24]),
			[...]float64{0, 0.2, 0.1, 0.2}[m.Class]))
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
		if x.pnl < y.pnl || x.pnl == y.pnl && (x.dead > y.dead || x.dead == y.dead &&
			x.raw-x.funding < y.raw-y.funding) {
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
		return math.Sqrt(x.Variance[mc.H24]*x.Kappa2[mc.H24]) * corr[i*k+j] *
			math.Sqrt(y.Variance[mc.H24]*y.Kappa2[mc.H24])
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
