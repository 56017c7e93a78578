package mc

import (
	"math"
	"slices"

	"ballast/asm"
	"ballast/compute/stats"
)

// Marginal is one position of a portfolio.
type Marginal struct {
	// Z are the asset's own 24-hour outcomes in forecast standard deviations, ascending.
	// Without any, its outcomes are Student with 4 degrees of freedom, scaled to variance 1.
	Z           []float64
	Scale       float64 // forecast standard deviation of the 24-hour log return
	NotionalUSD float64 // signed: long positive; the loss is minus this times the move
}

// Portfolio is the input of a portfolio's simulation. It is only read.
type Portfolio struct {
	Nu          float64   // degrees of freedom of the copula; below 2 counts as 2
	Correlation []float64 // of the copula, [k*k] row-major, positive semidefinite
	Marginals   []Marginal
	Seed        [32]byte
	// Late tells when to give up: the Risk then means nothing. May be nil.
	Late func() bool
}

func (p *Portfolio) late() bool { return p.Late != nil && p.Late() }

// Risk describes the simulated losses of a portfolio, USD.
type Risk struct {
	VaR95, VaR99 float64 // type-7 quantiles of the loss, at least 0
	ES95, ES99   float64 // mean loss at or beyond them; never below them
	// Component is each position's contribution to VaR99: its mean loss in the scenarios
	// around VaR99, rescaled so that all contributions sum to VaR99. Negative: a hedge.
	Component []float64
	// Marginal is VaR99 minus the VaR99 without the position, in the same scenarios.
	Marginal []float64
}

// blockPairs is the number of pairs that are drawn at a time. The normals of 200
// positions then take 100 KB and stay in the second-level cache.
const blockPairs = asm.MixPairs

// Workspace simulates portfolios. The zero value is ready to use; not safe for concurrent use.
// Returned slices are valid until the next simulation.
type Workspace struct {
	k, draws int
	marginal []Marginal
	exposure []float64 // loss in USD for a fall of the whole price, signed
	factor   []float64 // lower Cholesky factor, [k*k]
	random   generator
	mixer    mixer
	curve    tailCurve

	z       []float64   // move of position i in scenario s at i*draws+s
	outcome [][]float64 // [k] the rows of z
	minus   []float64   // [k] the exposures with opposite sign
	loss    []float64   // of all positions, by scenario, USD
	scratch []float64   // [draws]
	around  []int32     // scenarios around the 99 % loss, in order

	normals []float64           // [k rounded up to 4][blockPairs]
	root    [blockPairs]float64 // mixing variable
	x, u    [blockPairs]float64 // inputs of the mixing variable
	without stats.LeaveOneOut   // computes the 99 % loss without a position

	var99                 float64 // of all positions, at least 0
	component, marginal99 []float64
}

// Simulate draws scenarios of k positions over the next 24 hours; draws is an even number,
// Draws in production. Scenarios 2j and 2j+1 are an antithetic pair: the same mixing variable,
// normals of opposite sign. With a used workspace nothing is allocated. Time is linear in draws and, beyond
// some tens of positions, quadratic in k.
//
// Pair j, with g its standard normals (asset i: normal i mod 4 of block i/4, from words 0, 1 and 2, 3 by
// Box and Muller), L the Cholesky factor of Correlation and w = sqrt(Nu/chi2) its mixing variable:
//
//	y_i = L_i0*g_0 + L_i1*g_1 + ... + L_ii*g_i    in this order
//	z_i = quantile of asset i at p = T_Nu(y_i*w)  linear between its n outcomes, at position 1+(n-1)p
//	x_i = min(exp(Scale_i*z_i) - 1, 5)            move of the price, a fraction
//	loss = -sum of NotionalUSD_i*x_i              in the order of the positions
//
// Package asm has kernels for everything but repeated attempts at a mixing variable; their lanes
// are pairs or scenarios.
func (w *Workspace) Simulate(p *Portfolio, draws int) Risk {
	k := len(p.Marginals)
	if draws&1 != 0 || len(p.Correlation) != k*k {
		panic("BUG: mc.Simulate of an odd number of draws or a matrix that does not fit")
	}
	w.prepare(p, draws)
	if k == 0 || draws == 0 || p.late() {
		clear(w.loss)
		clear(w.component)
		clear(w.marginal99)
		return Risk{Component: w.component, Marginal: w.marginal99}
	}
	for first := 0; first < draws/2; first += blockPairs {
		if w.draw(first); p.late() {
			return Risk{Component: w.component, Marginal: w.marginal99}
		}
	}
	for i := range k {
		w.applyMarginals(i)
	}
	for first := 0; first < draws; first += 2 * blockPairs {
		asm.WeightedSum(w.loss[first:min(draws, first+2*blockPairs)], w.minus, w.outcome, first)
	}
	r := w.figures()
	for i := range k {
		w.componentVaR(i)
	}
	rescale(w.component, r.VaR99)
	w.marginal = nil
	return r
}

// Move returns the move of position i's price in every scenario of the last Simulate, a fraction of it.
func (w *Workspace) Move(i int) []float64 { return w.outcome[i] }

// Losses returns the joint loss in every scenario of the last Simulate, USD.
func (w *Workspace) Losses() []float64 { return w.loss }

func (w *Workspace) prepare(p *Portfolio, draws int) {
	k := len(p.Marginals)
	w.k, w.draws, w.marginal = k, draws, p.Marginals
	w.exposure, w.minus = stats.AtLeast(w.exposure, k), stats.AtLeast(w.minus, k)
	for i, m := range p.Marginals {
		w.exposure[i] = m.NotionalUSD
		w.minus[i] = -w.exposure[i]
	}
	w.factor = stats.AtLeast(w.factor, k*k)
	cholesky(w.factor, p.Correlation, k)
	nu := max(minMixingNu, p.Nu)
	w.curve.prepare(nu)
	w.mixer.prepare(nu, &p.Seed)
	w.random.seed(&p.Seed, streamNormals)

	w.z = stats.AtLeast(w.z, k*draws)
	w.outcome = w.outcome[:0]
	for i := range k {
		w.outcome = append(w.outcome, w.z[i*draws:(i+1)*draws])
	}
	w.loss, w.scratch = stats.AtLeast(w.loss, draws), stats.AtLeast(w.scratch, draws)
	w.around = slices.Grow(w.around[:0], draws)
	w.component, w.marginal99 = stats.AtLeast(w.component, k), stats.AtLeast(w.marginal99, k)
	w.normals = stats.AtLeast(w.normals, (k+3)/4*4*blockPairs)
}

// cholesky writes the lower factor of c into l, both [k*k] row-major. A zero pivot, of an asset
// fully determined by those before it, gives a column of zeros.
func cholesky(l, c []float64, k int) {
	clear(l)
	for i := range k {
		for j := range i + 1 {
			s := c[i*k+j]
			for m := range j {
				s -= float64(l[i*k+m] * l[j*k+m])
			}
			switch pivot := l[j*k+j]; {
			case i == j && s > minPivot:
				l[i*k+i] = math.Sqrt(s)
			case i != j && pivot > 0:
				l[i*k+j] = s / pivot
			}
		}
	}
}

// draw correlates the normals of a block of pairs from number first on: it writes y_i*w, one number per
// pair, to the first half of each position's row of outcomes.
func (w *Workspace) draw(first int) {
	n := min(blockPairs, w.draws/2-first)
	w.mixer.roots(w.root[:n], w.x[:n], w.u[:n], uint32(first))
	for block := range (w.k + 3) / 4 {
		w.random.NormalRows(w.normals[4*block*blockPairs:], blockPairs, uint32(block), uint32(first), n)
	}
	asm.Mix(w.z[first:], w.draws, w.factor, w.k, w.normals, w.root[:n])
}

// applyMarginals turns the draws of position i into moves, two per pair. It handles one position at a
// time, so that its table stays in the processor's cache.
func (w *Workspace) applyMarginals(i int) {
	z, table := w.outcome[i], w.marginal[i].Z
	if len(table) > 0 {
		w.curve.Shape(z, table)
	} else {
		w.defaultOutcomes(z)
	}
	asm.Moves(z, w.marginal[i].Scale, maxMove)
}

// defaultOutcomes turns the draws of a position without a table into outcomes, two per pair.
func (w *Workspace) defaultOutcomes(z []float64) {
	for j := len(z)/2 - 1; j >= 0; j-- { // from the end, so that outcomes never overwrite an unread draw
		high := math.Copysign(defaultOutcome(w.curve.At(z[j])), z[j])
		z[2*j], z[2*j+1] = high, -high
	}
}

// defaultOutcome returns the outcome, at least 0, exceeded with probability p in (0, 0.5] by an
// asset without a table: the quantile of Student's distribution with 4 degrees of freedom, which
// has a closed form, divided by its standard deviation sqrt(2).
func defaultOutcome(p float64) float64 {
	root := math.Sqrt(min(1, 4*p*(1-p)))
	return math.Sqrt(2 * max(0, math.Cos(math.Acos(root)/3)/root-1))
}

// figures computes the joint losses and selects the scenarios around their 99 % quantile.
func (w *Workspace) figures() Risk {
	q95, mean95 := stats.UpperTail(w.loss, 1-share95, w.scratch)
	q99, mean99 := w.without.Prepare(w.loss, 1-share99)
	r := Risk{
		VaR95: max(0, q95), VaR99: max(0, q99),
		Component: w.component, Marginal: w.marginal99,
	}
	r.ES95, r.ES99 = max(r.VaR95, mean95), max(r.VaR99, mean99)
	w.var99 = r.VaR99

	n := w.draws
	centre, half := int(math.Round(tailRank*float64(n-1))), int(tailHalf*float64(n))
	w.tailScenarios(max(0, centre-half), min(n-1, centre+half))
	return r
}

// tailScenarios lists the scenarios whose loss has rank from..to, ascending from 0; equal losses
// rank by scenario number.
func (w *Workspace) tailScenarios(from, to int) {
	n := w.draws
	low := stats.UpperRank(w.loss, n-from, w.scratch)
	high := stats.UpperRank(w.loss, n-to, w.scratch)
	scenario := w.around[:n]
	count := asm.AboveRows(w.scratch, scenario, w.loss, low)
	belowLow, belowHigh := n-count, n-asm.CountAbove(w.loss, high) // losses less than low, less than high
	w.around = w.around[:0]
	for j, l := range w.scratch[:count] {
		in := l > low && l < high
		switch l {
		case low:
			in = belowLow >= from && (low < high || belowLow <= to)
			belowLow++
		case high:
			in = belowHigh <= to
			belowHigh++
		}
		if in {
			w.around = append(w.around, scenario[j]) // the write index never passes j
		}
	}
}

// componentVaR computes position i's contribution to the 99 % loss, before rescaling, and its
// marginal VaR.
func (w *Workspace) componentVaR(i int) {
	z, exposure := w.outcome[i], w.exposure[i]
	var s [4]float64
	for n, scenario := range w.around {
		s[n&3] -= float64(exposure * z[scenario])
	}
	w.component[i] = ((s[0] + s[1]) + (s[2] + s[3])) / float64(len(w.around))
	w.marginal99[i] = w.var99 - max(0, w.without.Quantile(exposure, z, nil))
}

// rescale makes the components sum to the VaR. When large components nearly cancel (a hedged
// portfolio), a factor would inflate them, so the difference is spread evenly instead.
func rescale(component []float64, valueAtRisk float64) {
	if valueAtRisk == 0 {
		clear(component)
		return
	}
	sum := stats.Sum(component)
	if valueAtRisk <= maxFactor*sum {
		for i := range component {
			component[i] *= valueAtRisk / sum
		}
		return
	}
	for i := range component {
		component[i] += (valueAtRisk - sum) / float64(len(component))
	}
}
