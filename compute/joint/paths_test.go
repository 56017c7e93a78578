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

// poolByHand is the probability of a pool as docs/model.md describes it.
func poolByHand(legs []PathLeg, rows, h int, room float64) float64 {
	if room <= 0 {
		return 1
	}
	size := func(i int) float64 { return math.Abs(legs[i].Weight) * legs[i].Model.Joint.Paths[h].SD }
	top, all, gross, net, ends, squared, signed := 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	for i, l := range legs {
		if size(i) > size(top) {
			top = i
		}
		all, gross, net = all+size(i), gross+math.Abs(l.Weight), net-l.Weight
		squared, signed = squared+size(i)*size(i), signed+l.Weight*l.Model.Joint.Paths[h].SD
		if rows > 0 {
			var x []float64
			for row := range rows {
				x = append(x, float64(l.Model.Joint.Paths[h].Marks[markIndex(row, 5)]))
			}
			ends += math.Abs(l.Weight) * math.Sqrt(stats.MeanSquare(x))
		}
	}
	o := max(0, 1-(all-size(top))/size(top))
	o *= o
	var loss, last []float64
	for row := range rows {
		before, highest, squares := 0.0, 0.0, 0.0
		for mark := range 6 {
			l := 0.0
			for _, leg := range legs {
				l += float64(leg.Weight * float64(leg.Model.Joint.Paths[h].Marks[markIndex(row, mark)]))
			}
			highest, squares, before = max(highest, l), squares+float64((l-before)*(l-before)), l
		}
		side := mc.Long
		if legs[top].Short {
			side = mc.Short
		}
		beyond := float64(legs[top].Model.Joint.Paths[h].Beyond[side][row])
		loss = append(loss, highest+(1-o)*0.58*math.Sqrt(squares/6)+o*math.Abs(legs[top].Weight)*beyond)
		last = append(last, before)
	}
	n, over := 4*rows, 0
	for _, g := range loss {
		if g > room {
			over++
		}
	}
	own := 0.0
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
	sig := math.Sqrt(0.4*squared+0.6*signed*signed) / gross
	if n >= 100 && ends > 0 {
		sig = math.Sqrt(stats.MeanSquare(last)) * all / (gross * ends)
	}
	sig = max(sig, 1e-9)
	var deep []float64
	for _, g := range loss {
		deep = append(deep, phi(g/gross)/sig)
	}
	slices.Sort(deep)
	var knots [mc.ExcursionKnots]float64
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

// The probability of a pool equals that computed by hand: with few and many legs, with and without one
// more leg, with long and short histories, and with a leg that dominates.
func TestPaths(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 31))
	const last = 480_000
	lower, sure := 0, 0 // probabilities below what is enough, and those that a bound proves so
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
				leg := PathLeg{fits[i], 0.02*math.Abs(n) - n, n < 0}
				pool.Add(leg)
				legs = append(legs, leg)
			}
			pool.Sum(fits[0])
			if pool.Len() != k {
				t.Fatal(pool.Len())
			}
			for try := range 3 {
				whole := legs
				var own *PathLeg
				if try > 0 {
					n := 3000 * r.NormFloat64()
					own = &PathLeg{fits[40], 0.02*math.Abs(n) - n, n < 0}
					whole = append(slices.Clone(legs), *own)
				}
				gross := 0.0
				for _, l := range whole {
					gross += math.Abs(l.Weight)
				}
				for h := range 2 {
					rooms := []float64{-1, 0}
					for _, share := range []float64{0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.9, 2} {
						rooms = append(rooms, share*gross)
					}
					if pool.Probability(h, own, gross, 0); rows > 0 { // rooms at a row's loss
						rooms = append(rooms, pool.loss[rows/2], pool.loss[0])
					}
					before := 1.0
					for i, room := range rooms {
						got, want := pool.Probability(h, own, room, 0), poolByHand(whole, rows, h, room)
						// A room at a row's loss may be on either side of it by rounding.
						slack := 1e-9 * want
						if i >= 10 {
							slack = 1.01 / float64(rows)
						}
						if !(math.Abs(got-want) <= slack) {
							t.Fatalf("%d hours, %d legs, try %d, horizon %d, room %v of %v: %v, want %v",
								hours, k, try, h, room, gross, got, want)
						}
						if i < 10 {
							if got > before+1e-12 {
								t.Fatalf("the probability rises with the room: %v after %v", got, before)
							}
							before = got
						}
						for _, enough := range []float64{0.02, 0.15} {
							if bound := pool.Probability(h, own, room, enough); bound < got-1e-15 || got > enough &&
								bound != got {
								t.Fatalf("bound %v of %v", bound, got)
							}
							if room > 0 && got > 0 && got <= enough {
								lower++
								if pool.isBelow(h, own, room, enough) {
									sure++
								}
							}
						}
					}
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
