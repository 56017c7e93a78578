package asm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ulps returns the distance in units of the last place of want.
func ulps(got, want float64) float64 {
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

func TestElementaryAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	worst := map[string]float64{}
	see := func(name string, got, want float64) { worst[name] = max(worst[name], ulps(got, want)) }
	for range n {
		x := (r.Float64() - 0.5) * 2 * MostLogMove
		see("exp", Exp(x), math.Exp(x))
		see("exp near 0", Exp(x/1000), math.Exp(x/1000))
		u := (float64(r.Uint32()) + 0.5) / (1 << 32)
		see("log", Log(u), math.Log(u))
		see("log above 1", Log(1+100*u), math.Log(1+100*u))
		w := r.Uint32()
		s, c := Sincos(w)
		// The double nearest to a turn's fraction is off by up to 1e-16 of a turn, which
		// matters where the result vanishes: absolute there.
		ws, wc := math.Sincos((float64(w) + 0.5) / (1 << 32) * 2 * math.Pi)
		worst["sin"] = max(worst["sin"], math.Abs(s-ws)/1.1e-16)
		worst["cos"] = max(worst["cos"], math.Abs(c-wc)/1.1e-16)
	}
	for name, limit := range map[string]float64{"exp": 2, "exp near 0": 2, "log": 2, "log above 1": 2, "sin": 10, "cos": 10} {
		if worst[name] > limit || worst[name] == 0 {
			t.Errorf("%s: off by %.2f units", name, worst[name])
		}
	}
}

func TestElementaryExactPoints(t *testing.T) {
	if Exp(0) != 1 || Log(1) != 0 {
		t.Errorf("Exp(0) = %v, Log(1) = %v", Exp(0), Log(1))
	}
	// What makes far steps of a bridge skippable.
	if 1-Exp(-BridgeReach) != 1 || 1-Exp(-36) == 1 {
		t.Errorf("1-Exp(-t) at the reach of a bridge: %v; before it %v", 1-Exp(-BridgeReach), 1-Exp(-36))
	}
	if e := Exp(-1e-300); e != 1 {
		t.Errorf("Exp(-1e-300) = %v", e)
	}
	for quarter, want := range [][2]float64{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
		s, c := Sincos(uint32(quarter) << 30)
		if math.Abs(s-want[0]) > 1e-9 || math.Abs(c-want[1]) > 1e-9 {
			t.Errorf("quarter %d: %v, %v", quarter, s, c)
		}
	}
	// The whole range of the radius.
	for _, w := range []uint32{0, 1, 1 << 31, math.MaxUint32} {
		a, b := Normals(w, 7)
		want := math.Sqrt(-2 * math.Log((float64(w)+0.5)/(1<<32)))
		if got := math.Hypot(a, b); math.Abs(got-want) > 1e-14*want {
			t.Errorf("radius of %d: %v, want %v", w, got, want)
		}
	}
}

// Moments, bins, correlation between the two outputs and with the next block, and the
// tails to five deviations.
func TestNormals(t *testing.T) {
	pairs := uint32(1 << 21)
	if testing.Short() {
		pairs = 1 << 15
	}
	g := Philox{C2: 2}
	g.Schedule(11, 0)
	const bins = 200
	var edge [bins]float64
	for i := range edge {
		edge[i] = math.Sqrt2 * math.Erfinv(2*float64(i+1)/bins-1)
	}
	var cells [bins]int
	var moment [5]float64
	var cross [4]float64 // within a block, and with the block before
	var beyond [6][2]int // by whole deviations, lower and upper
	var last float64
	n := 0
	for pair := range pairs {
		w0, w1, w2, w3 := g.Block(0, pair)
		a, b := Normals(w0, w1)
		c, d := Normals(w2, w3)
		cross[0] += a * b
		cross[1] += b * c
		cross[2] += (a*a - 1) * (d*d - 1) / 2
		cross[3] += last * a
		last = d
		for _, z := range [4]float64{a, b, c, d} {
			p := z
			for m := 1; m <= 4; m++ {
				moment[m] += p
				p *= z
			}
			low, high := 0, bins-1
			for low < high {
				if mid := (low + high) / 2; z < edge[mid] {
					high = mid
				} else {
					low = mid + 1
				}
			}
			cells[low]++
			for k := 1; k <= 5; k++ {
				if z < -float64(k) {
					beyond[k][0]++
				} else if z > float64(k) {
					beyond[k][1]++
				}
			}
			n++
		}
	}
	N := float64(n)
	for m, want := range []float64{0, 0, 1, 0, 3} {
		variance := []float64{1, 1, 2, 15, 96}[m]
		if m > 0 && math.Abs(moment[m]/N-want) > 5*math.Sqrt(variance/N) {
			t.Errorf("moment %d: %v", m, moment[m]/N)
		}
	}
	for i, s := range cross {
		if r := s / math.Sqrt(float64(pairs)); math.Abs(r) > 5 {
			t.Errorf("correlation %d: %.1f standard errors", i, r)
		}
	}
	if s := chiSquare(cells[:]); math.Abs(s) > 5 {
		t.Errorf("bins: chi-square %.1f standard deviations from its mean", s)
	}
	for k := 1; k <= 5; k++ {
		want := N * math.Erfc(float64(k)/math.Sqrt2) / 2
		for side, got := range beyond[k] {
			if math.Abs(float64(got)-want) > 5*math.Sqrt(want)+1 {
				t.Errorf("beyond %d deviations, side %d: %d, want %.1f", k, side, got, want)
			}
		}
	}
}
