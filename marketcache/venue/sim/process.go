package sim

import "math"

// process is a hidden log price: nodes on the hourly grid
//
//	x[h+1] = x[h]*(1-reversion) + sd*v[h]*e[h]      e: Student-t, variance 1
//	v[h+1]^2 = (1-a-b) + a*v[h]^2*e[h]^2 + b*v[h]^2
//
// and between them a line around which it wanders with the hour's variance.
type process struct {
	nodes, inside key // random draws of the grid and of the wandering
	sd            float64
	first         int64     // hour of x[0]
	x             []float64 // log deviation at the start of hour first+i
	v             []float64 // volatility multiplier of hour first+i
}

const (
	// garchAlpha and garchBeta: hourly persistence 0.985, a half-life of two days.
	garchAlpha, garchBeta = 0.055, 0.93
	// volatilityMax limits v^2, to ten times the ordinary hourly volatility.
	volatilityMax = 100
	// reversion is ln 2 over 60 days: prices stay near their base.
	reversion = math.Ln2 / (60 * 24)

	hoursPerYear = 8760
	hourMs       = 3600_000
)

// gridOrigin returns the hour at which the grid starts, at least warm hours before lastHour. Origins are
// two years apart, so that exchanges started at different times mostly have the same origin and prices.
func gridOrigin(lastHour, warm int64) int64 {
	const step = 2 * hoursPerYear
	return floorDiv(lastHour-warm, step) * step
}

// newProcess computes the nodes from origin to last and keeps those from keep on.
func newProcess(seed uint64, id uint64, annualVol float64, origin, keep, last int64) *process {
	p := &process{
		nodes:  newKey(seed, 1, id),
		inside: newKey(seed, 2, id),
		sd:     annualVol / math.Sqrt(hoursPerYear),
		first:  origin,
		x:      make([]float64, 1, last-keep+128),
		v:      make([]float64, 1, last-keep+128),
	}
	p.v[0] = 1
	for p.first < keep { // earlier nodes are not stored
		p.x[0], p.v[0] = p.next(p.first, p.x[0], p.v[0])
		p.first++
	}
	p.extend(last)
	return p
}

// next returns the node after hour h.
func (p *process) next(h int64, x, v float64) (float64, float64) {
	e := p.nodes.student(h)
	v2 := v * v
	nx := x*(1-reversion) + p.sd*v*e
	nv2 := (1 - garchAlpha - garchBeta) + v2*(garchAlpha*e*e+garchBeta)
	return nx, math.Sqrt(min(nv2, volatilityMax))
}

// extend computes nodes up to the end of hour h.
func (p *process) extend(h int64) {
	for n := int64(len(p.x)); p.first+n <= h+1; n++ {
		x, v := p.next(p.first+n-1, p.x[n-1], p.v[n-1])
		p.x, p.v = append(p.x, x), append(p.v, v)
	}
}

// at returns the log deviation at a fraction of an hour, 0 <= frac < 1; extend(h) must have been called. The
// random draws depend on the time only, so any point can be computed at any time with the same result.
func (p *process) at(h int64, frac float64) float64 {
	const drawsAnHour = 6
	i := h - p.first
	line := p.x[i] + (p.x[i+1]-p.x[i])*frac
	return line + p.sd*p.v[i]*math.Sqrt(frac*(1-frac))*p.inside.smooth((float64(h)+frac)*drawsAnHour)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
