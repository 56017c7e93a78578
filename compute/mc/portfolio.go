package mc

import (
	"math"
	"sync/atomic"

	"ballast/compute/stats"
)

// Marginal is one position of a book.
type Marginal struct {
	// Z are the asset's own 24-hour outcomes in forecast standard deviations, ascending.
	// Without any, its outcomes are Student with 4 degrees of freedom, scaled to
	// variance 1.
	Z           []float64
	Scale       float64 // forecast standard deviation of the 24-hour return, a fraction
	NotionalUSD float64 // signed: long positive
}

// Portfolio is what the simulation of a book needs. It is only read.
type Portfolio struct {
	Nu          float64   // degrees of freedom of the copula; below 2 counts as 2
	Correlation []float64 // of the copula, [k*k] row-major, positive semidefinite
	Marginals   []Marginal
	Seed        [32]byte
}

// Risk describes the simulated losses of a book, USD.
type Risk struct {
	VaR95, VaR99 float64 // type-7 quantiles of the loss, at least 0
	ES95, ES99   float64 // mean loss at or beyond them; never below them
	// Component is what each position contributes to VaR99: its mean loss in the
	// scenarios around it, rescaled so that all add up to it. Negative: a hedge.
	Component []float64
	// Marginal is VaR99 less the VaR99 of the book without the position, in the same
	// scenarios.
	Marginal []float64
}

// blockPairs is how many pairs of draws a worker takes at a time. The normals of 200
// positions are then 100 KB: they stay in the second-level cache.
const blockPairs = 64

// Workspace simulates books. The zero value is ready; it grows to its largest use and
// is for one goroutine at a time. What it hands out is good until its next use.
type Workspace struct {
	k, draws int
	marginal []Marginal
	exposure []float64 // USD lost by a fall of one standard deviation, signed
	factor   []float64 // lower Cholesky factor, [k*k]
	random   generator
	mixer    mixer
	curve    tailCurve

	z      []float64 // outcome of position i in scenario s at i*draws+s
	loss   []float64 // of the book, by scenario, USD
	sorted []float64 // scratch
	around []int32   // the scenarios around the 99 % loss, in order
	crew   []apprentice
	next   atomic.Int64

	var99                 float64 // of the book, floored
	component, marginal99 []float64
}

// apprentice is the working memory of one worker.
type apprentice struct {
	normals []float64           // [k rounded up to 4][blockPairs]
	root    [blockPairs]float64 // mixing variable
	mixed   [blockPairs]float64 // one asset's outcomes before the marginal
	without []float64           // losses without a position
}

// Simulate draws scenarios of a book of k positions over the next 24 hours: draws of
// them, Draws in production, an even number. Scenarios 2j and 2j+1 are an antithetic
// pair: the same mixing variable, normals of opposite sign. workers goroutines, the
// caller's among them, share the work; the result does not depend on their number.
// With one worker and a warm workspace nothing is allocated. Time is linear in draws
// and, beyond some tens of positions, quadratic in k.
//
// Pair j, with g its standard normals (asset i: normal i mod 4 of block i/4, from
// words 0, 1 and 2, 3 by Box and Muller), L the Cholesky factor of Correlation and
// w = sqrt(Nu/chi2) its mixing variable:
//
//	y_i = L_i0*g_0 + L_i1*g_1 + ... + L_ii*g_i    in this order
//	z_i = quantile of asset i at T_Nu(y_i*w)      linear, position 1+(n-1)p
//	loss = -sum of NotionalUSD_i*Scale_i*z_i      in the order of the positions
//
// A kernel with pairs in its lanes may do everything but the mixing variable.
func (w *Workspace) Simulate(p *Portfolio, draws, workers int) Risk {
	k := len(p.Marginals)
	if draws&1 != 0 || len(p.Correlation) != k*k {
		panic("BUG: mc.Simulate of an odd number of draws or a matrix that does not fit")
	}
	w.prepare(p, draws, max(1, workers))
	if k == 0 || draws == 0 {
		clear(w.loss)
		clear(w.component)
		clear(w.marginal99)
		return Risk{Component: w.component, Marginal: w.marginal99}
	}
	blocks := (draws/2 + blockPairs - 1) / blockPairs
	share(w, (*Workspace).draw, blocks, workers, &w.next)
	share(w, (*Workspace).shape, k, workers, &w.next)
	share(w, (*Workspace).add, blocks, workers, &w.next)
	r := w.figures()
	share(w, (*Workspace).part, k, workers, &w.next)
	rescale(w.component, r.VaR99)
	w.marginal = nil
	return r
}

// Outcome returns position i's outcome in every scenario of the last Simulate, in
// forecast standard deviations: its return is Scale times that.
func (w *Workspace) Outcome(i int) []float64 { return w.z[i*w.draws : (i+1)*w.draws] }

// Losses returns the loss of the book in every scenario of the last Simulate, USD.
func (w *Workspace) Losses() []float64 { return w.loss }

func (w *Workspace) prepare(p *Portfolio, draws, workers int) {
	k := len(p.Marginals)
	w.k, w.draws, w.marginal = k, draws, p.Marginals
	w.exposure = grown(w.exposure, k)
	for i, m := range p.Marginals {
		w.exposure[i] = m.NotionalUSD * m.Scale
	}
	w.factor = grown(w.factor, k*k)
	cholesky(w.factor, p.Correlation, k)
	nu := max(leastMixingNu, p.Nu)
	w.curve.prepare(nu)
	w.mixer.prepare(nu, &p.Seed)
	w.random.seed(&p.Seed, streamNormals)

	w.z = grown(w.z, k*draws)
	w.loss = grown(w.loss, draws)
	w.sorted = grown(w.sorted, draws)
	w.component, w.marginal99 = grown(w.component, k), grown(w.marginal99, k)
	for len(w.crew) < workers {
		w.crew = append(w.crew, apprentice{})
	}
	for i := range w.crew[:workers] {
		a := &w.crew[i]
		a.normals = grown(a.normals, (k+3)/4*4*blockPairs)
		a.without = grown(a.without, draws)
	}
}

// grown returns a slice of n elements, x's memory if it suffices.
func grown(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// cholesky writes the lower factor of c into l, both [k*k] row-major. A pivot that
// vanishes, of an asset which the ones before determine, gives a column of zeros.
func cholesky(l, c []float64, k int) {
	clear(l)
	for i := range k {
		for j := range i + 1 {
			s := c[i*k+j]
			for m := range j {
				s -= float64(l[i*k+m] * l[j*k+m])
			}
			switch pivot := l[j*k+j]; {
			case i == j && s > leastPivot:
				l[i*k+i] = math.Sqrt(s)
			case i != j && pivot > 0:
				l[i*k+j] = s / pivot
			}
		}
	}
}

// draw mixes the normals of a block of pairs: y_i*w goes where the outcome of the
// first of the pair will stand.
func (w *Workspace) draw(worker, item int) {
	a := &w.crew[worker]
	first := item * blockPairs
	n := min(blockPairs, w.draws/2-first)
	for b := range n {
		a.root[b] = w.mixer.root(uint32(first + b))
	}
	w.normals(a.normals, uint32(first), n)
	for i := range w.k {
		combine(&a.mixed, a.normals, w.factor[i*w.k:i*w.k+i+1])
		z := w.Outcome(i)[2*first : 2*(first+n)]
		for b := range n {
			z[2*b] = a.mixed[b] * a.root[b]
		}
	}
}

// normals fills the rows of a block: g of asset i and pair first+b at
// i*blockPairs+b.
func (w *Workspace) normals(g []float64, first uint32, n int) {
	for block := range (w.k + 3) / 4 {
		rows := g[block*4*blockPairs:][: 4*blockPairs : 4*blockPairs]
		for b := range n {
			w0, w1, w2, w3 := w.random.block(uint32(block), first+uint32(b))
			rows[b], rows[blockPairs+b] = normals(w0, w1)
			rows[2*blockPairs+b], rows[3*blockPairs+b] = normals(w2, w3)
		}
	}
}

// combine sets y to the sum of the first rows of g by the weights l, each pair's sum
// in the order of the rows. Four rows at a time keep y in registers longer.
func combine(y *[blockPairs]float64, g, l []float64) {
	type row = *[blockPairs]float64
	*y = [blockPairs]float64{}
	m := 0
	for ; m+4 <= len(l); m += 4 {
		g0, g1 := row(g[m*blockPairs:]), row(g[(m+1)*blockPairs:])
		g2, g3 := row(g[(m+2)*blockPairs:]), row(g[(m+3)*blockPairs:])
		l0, l1, l2, l3 := l[m], l[m+1], l[m+2], l[m+3]
		for b := range y {
			y[b] = (((y[b] + float64(l0*g0[b])) + float64(l1*g1[b])) + float64(l2*g2[b])) + float64(l3*g3[b])
		}
	}
	for ; m < len(l); m++ {
		g0, l0 := row(g[m*blockPairs:]), l[m]
		for b := range y {
			y[b] += float64(l0 * g0[b])
		}
	}
}

// shape turns what was drawn for position i into outcomes, both of each pair. One
// position at a time, its table stays in the cache.
func (w *Workspace) shape(_, i int) {
	z, table := w.Outcome(i), w.marginal[i].Z
	last := float64(len(table) - 1)
	for s := 0; s+1 < len(z); s += 2 {
		t := z[s]
		p := w.curve.at(t) // of the lower of the two outcomes
		var low, high float64
		if len(table) == 0 {
			high = defaultOutcome(p)
			low = -high
		} else {
			at := float64(last * p)
			low, high = interpolate(table, at), interpolate(table, last-at)
		}
		if t > 0 {
			low, high = high, low
		}
		z[s], z[s+1] = low, high
	}
}

// add sums the losses of a block of pairs over the positions.
func (w *Workspace) add(_, item int) {
	first, end := 2*item*blockPairs, min(w.draws, 2*(item+1)*blockPairs)
	loss := w.loss[first:end]
	clear(loss)
	for i, exposure := range w.exposure {
		for s, z := range w.Outcome(i)[first:end] {
			loss[s] -= float64(exposure * z)
		}
	}
}

// interpolate returns the value of a table at a position from 0.
func interpolate(table []float64, at float64) float64 {
	lo := int(at)
	if lo >= len(table)-1 {
		return table[len(table)-1]
	}
	a := table[lo]
	return a + float64((at-float64(lo))*(table[lo+1]-a))
}

// defaultOutcome returns the outcome, not below 0, beyond which a share p in (0, 0.5]
// lies for an asset without a table: the quantile of Student's distribution with 4
// degrees of freedom, which has a closed form, over its standard deviation sqrt(2).
func defaultOutcome(p float64) float64 {
	root := math.Sqrt(min(1, 4*p*(1-p)))
	return math.Sqrt(2 * max(0, math.Cos(math.Acos(root)/3)/root-1))
}

// figures computes the loss of the whole book, and chooses the scenarios around its
// 99 % quantile.
func (w *Workspace) figures() Risk {
	copy(w.sorted, w.loss)
	q95 := stats.Quantile(w.sorted, 1-share95)
	q99 := stats.Quantile(w.sorted, 1-share99)
	r := Risk{
		VaR95: max(0, q95), VaR99: max(0, q99),
		Component: w.component, Marginal: w.marginal99,
	}
	r.ES95 = max(r.VaR95, stats.UpperTailMean(w.loss, q95))
	r.ES99 = max(r.VaR99, stats.UpperTailMean(w.loss, q99))
	w.var99 = r.VaR99

	n := w.draws
	centre, half := int(math.Round(tailRank*float64(n-1))), int(tailHalf*float64(n))
	w.choose(max(0, centre-half), min(n-1, centre+half))
	return r
}

// choose lists the scenarios whose loss has rank from..to, ascending from 0; equal
// losses rank by the number of the scenario.
func (w *Workspace) choose(from, to int) {
	low, high := stats.Select(w.sorted, from), stats.Select(w.sorted, to)
	below, beneath := 0, 0 // losses less than low, less than high
	for _, l := range w.loss {
		if l < low {
			below++
		}
		if l < high {
			beneath++
		}
	}
	w.around = w.around[:0]
	for s, l := range w.loss {
		in := l > low && l < high
		switch l {
		case low:
			in = below >= from && (low < high || below <= to)
			below++
		case high:
			in = beneath <= to
			beneath++
		}
		if in {
			w.around = append(w.around, int32(s))
		}
	}
}

// part finds what position i contributes to the 99 % loss, not yet rescaled, and what
// it adds to it.
func (w *Workspace) part(worker, i int) {
	z, exposure := w.Outcome(i), w.exposure[i]
	var s [4]float64
	for n, scenario := range w.around {
		s[n&3] -= float64(exposure * z[scenario])
	}
	w.component[i] = ((s[0] + s[1]) + (s[2] + s[3])) / float64(len(w.around))

	without := w.crew[worker].without
	for n, v := range z {
		without[n] = w.loss[n] + float64(exposure*v)
	}
	w.marginal99[i] = w.var99 - max(0, stats.Quantile(without, 1-share99))
}

// rescale makes the components add up to the VaR. Where what is left of large parts
// is small (a hedged book), a factor would blow them up, and the difference is spread
// evenly instead.
func rescale(component []float64, valueAtRisk float64) {
	if valueAtRisk == 0 {
		clear(component)
		return
	}
	sum := stats.Sum(component)
	if valueAtRisk <= mostFactor*sum {
		for i := range component {
			component[i] *= valueAtRisk / sum
		}
		return
	}
	for i := range component {
		component[i] += (valueAtRisk - sum) / float64(len(component))
	}
}
