package joint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ballast/compute/stats"
	"ballast/compute/vol"
	mc "ballast/marketcache"
)

// lossesOfPaths returns the highest loss and the last loss of each row: o is how far leg top dominates.
func lossesOfPaths(legs []PathLeg, rows, h, top int, o float64) (loss, last []float64) {
	side := mc.Long
	if legs[top].Short {
		side = mc.Short
	}
	for row := range rows {
		before, highest, squares := 0.0, 0.0, 0.0
		for mark := range 6 {
			l := 0.0
			for _, leg := range legs {
				l += float64(leg.Weight * float64(leg.Model.Joint.Paths[h].Marks[markIndex(row, mark)]))
			}
			highest, squares, before = max(highest, l), squares+float64((l-before)*(l-before)), l
		}
		beyond := float64(legs[top].Model.Joint.Paths[h].Beyond[side][row])
		loss = append(loss, highest+(1-o)*0.58*math.Sqrt(squares/6)+o*math.Abs(legs[top].Weight)*beyond)
		last = append(last, before)
	}
	return loss, last
}

// deviations returns the standard deviation of the pool's loss as a share of gross: that of the last losses, or
// of legs with correlation 0.6 where there are few rows.
func deviations(legs []PathLeg, rows, h int, gross float64, last []float64) float64 {
	all, ends, squared, signed := 0.0, 0.0, 0.0, 0.0
	for _, l := range legs {
		sd := l.Model.Joint.Paths[h].SD
		all, squared, signed = all+math.Abs(l.Weight)*sd, squared+l.Weight*l.Weight*sd*sd, signed+l.Weight*sd
		var x []float64
		for row := range rows {
			x = append(x, float64(l.Model.Joint.Paths[h].Marks[markIndex(row, 5)]))
		}
		if rows > 0 {
			ends += math.Abs(l.Weight) * math.Sqrt(stats.MeanSquare(x))
		}
	}
	sig := math.Sqrt(0.4*squared+0.6*signed*signed) / gross
	if 4*rows >= 100 && ends > 0 {
		sig = math.Sqrt(stats.MeanSquare(last)) * all / (gross * ends)
	}
	return max(sig, 1e-9)
}

// poolByHand is the probability of a pool as docs/model.md describes it.
func poolByHand(legs []PathLeg, rows, h int, room float64) float64 {
	if room <= 0 {
		return 1
	}
	size := func(i int) float64 { return math.Abs(legs[i].Weight) * legs[i].Model.Joint.Paths[h].SD }
	top, all, gross, net := 0, 0.0, 0.0, 0.0
	for i, l := range legs {
		if size(i) > size(top) {
			top = i
		}
		all, gross, net = all+size(i), gross+math.Abs(l.Weight), net-l.Weight
	}
	o := max(0, 1-(all-size(top))/size(top))
	loss, last := lossesOfPaths(legs, rows, h, top, o*o)
	n, over, own := 4*rows, 0, 0.0
	for _, g := range loss {
		if g > room {
			over++
		}
	}
	if n >= 100 {
		own = min(1, float64(n)/1440)
	}
	weight := func(j int) float64 { return own * min(1, float64(n)*vol.ExcursionShares[j]/72) }
	for j := len(vol.ExcursionShares) - 1; j >= 0; j-- {
		if weight(j) == 1 {
			if p := float64(over) / float64(rows); p >= vol.ExcursionShares[j] {
				return p
			}
			break
		}
	}
	nu := net / gross
	if nu*room/gross >= 1-1e-9 {
		return 0
	}
	phi := func(g float64) float64 {
		if math.Abs(nu) < 1e-9 {
			return g
		}
		return -math.Log(1-min(nu*g, 1-1e-9)) / nu
	}
	sig := deviations(legs, rows, h, gross, last)
	var deep []float64
	for _, g := range loss {
		deep = append(deep, phi(g/gross)/sig)
	}
	slices.Sort(deep)
	var knots mc.Excursions
	highest, f := 0.0, []float64{1, 0.95}[h]
	for j, s := range vol.ExcursionShares {
		d := ((1+nu)/2*vol.PooledExcursions[h][0][j] + (1-nu)/2*vol.PooledExcursions[h][1][j]) / f
		if w := weight(j); w > 0 {
			d = w*stats.QuantileSorted(deep, 1-s) + (1-w)*d
		}
		highest = max(highest, d)
		knots[j] = highest
	}
	return vol.TouchProbability(&knots, phi(room/gross)/sig)
}

// poolCase is a pool with one more leg or none, over a horizon. lower counts the probabilities below what is
// enough, and sure those that a bound proves so.
type poolCase struct {
	pool        *Paths
	legs        []PathLeg // with own
	own         *PathLeg
	h, rows     int
	lower, sure *int
}

// check compares the probability of the pool at rooms of every size with that computed by hand.
func (c *poolCase) check(t *testing.T) {
	t.Helper()
	gross := 0.0
	for _, l := range c.legs {
		gross += math.Abs(l.Weight)
	}
	rooms := []float64{-1, 0}
	for _, share := range []float64{0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.9, 2} {
		rooms = append(rooms, share*gross)
	}
	shares := len(rooms)
	if c.pool.Probability(c.h, c.own, gross, 0); c.rows > 0 { // rooms at a row's loss
		rooms = append(rooms, c.pool.loss[c.rows/2], c.pool.loss[0])
	}
	before := 1.0
	for i, room := range rooms {
		got, want := c.pool.Probability(c.h, c.own, room, 0), poolByHand(c.legs, c.rows, c.h, room)
		slack := 1e-9 * want
		if i >= shares { // by rounding it may be on either side of the row's loss
			slack = 1.01 / float64(c.rows)
		} else if got > before+1e-12 {
			t.Fatalf("the probability rises with the room: %v after %v", got, before)
		} else {
			before = got
		}
		if !(math.Abs(got-want) <= slack) {
			t.Fatalf("%d rows, %d legs, horizon %d, room %v of %v: %v, want %v", c.rows, len(c.legs), c.h, room, gross,
				got, want)
		}
		for _, enough := range []float64{0.02, 0.15} {
			bound := c.pool.Probability(c.h, c.own, room, enough)
			if bound < got-1e-15 || got > enough && bound != got {
				t.Fatalf("bound %v of %v", bound, got)
			}
			if room > 0 && got > 0 && got <= enough {
				*c.lower++
				if c.pool.isBelow(c.h, c.own, room, enough) {
					*c.sure++
				}
			}
		}
	}
}

// The probability of a pool equals that computed by hand: with few and many legs, with and without one
// more leg, with long and short histories, and with a leg that dominates.
func TestPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 31))
	const last = 480_000
	lower, sure := 0, 0
	draw := func(m *mc.AssetModel, usd float64) PathLeg {
		return PathLeg{m, 0.02*math.Abs(usd) - usd, usd < 0}
	}
	for _, hours := range []int{500, 744 + 60, 744 + 400, 3000, 9600} {
		market := normals(r, max(hours, correlationRows))
		var fits []*mc.AssetModel
		for i := range 41 {
			fits = append(fits, model(r, mc.AssetID(i), hours-i%3, last, market))
		}
		for i := range fits {
			fits[i].Joint = Align(fits[0], fits[i])
		}
		rows := fits[0].Joint.PathRows
		if want := (min(max(0, hours-744), Rows) + 3) / 4; rows != want {
			t.Fatalf("%d hours: %d rows, want %d", hours, rows, want)
		}
		var pool Paths
		for round := range 12 {
			k := []int{1, 2, 4, 5, 6, 40}[round%6]
			pool.Reset()
			var legs []PathLeg
			for i := range k {
				n := 1000 * (0.2 + r.Float64())
				if r.Float64() < 0.4 {
					n *= -1
				}
				if i == 1 && round >= 6 {
					n *= 100
				}
				legs = append(legs, draw(fits[i], n))
				pool.Add(legs[i])
			}
			pool.Sum(fits[0])
			if pool.Len() != k {
				t.Fatal(pool.Len())
			}
			for try := range 3 {
				c := poolCase{pool: &pool, legs: legs, rows: rows, lower: &lower, sure: &sure}
				if try > 0 {
					own := draw(fits[40], 3000*r.NormFloat64())
					c.own, c.legs = &own, append(slices.Clone(legs), own)
				}
				for c.h = range 2 {
					c.check(t)
				}
			}
		}
	}
	if sure < lower/10 || sure == lower {
		t.Errorf("%d of %d low probabilities follow from a bound", sure, lower)
	}
}

func TestPathsAllocateNothing(t *testing.T) {
	fits := benchFits(9)
	var pool Paths
	own := PathLeg{fits[8], -2000, false}
	run := func() {
		for _, k := range []int{1, 8} {
			pool.Reset()
			for i := range k {
				pool.Add(PathLeg{fits[i], -1000, false})
			}
			pool.Sum(fits[0])
			for h := range 2 {
				for _, room := range []float64{100, 500, 5000} {
					pool.Probability(h, &own, room, 0)
					pool.Probability(h, nil, room, 0)
				}
			}
		}
	}
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
