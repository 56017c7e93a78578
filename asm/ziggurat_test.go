package asm

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// ziggurat draws standard normals one after the other. It is the usual fast scalar method, without
// vector units or random access by index. The benchmarks compare the Go loop with it. Marsaglia
// and Tsang 2000, with 256 layers; generator xoshiro256+ of Blackman and Vigna.
type ziggurat struct {
	state [4]uint64
	x     [layers + 1]float64 // right ends of the layers, from the tail inwards
	y     [layers + 1]float64
	k     [layers]uint64 // a 52-bit number below k[i] is certainly inside layer i
}

const (
	layers   = 256
	tailFrom = 3.6541528853610088
	area     = 0.00492867323399 // area of each layer
)

func newZiggurat(seed uint64) *ziggurat {
	z := &ziggurat{state: [4]uint64{seed, 2, 3, 4}}
	density := func(x float64) float64 { return math.Exp(-x * x / 2) }
	z.x[0], z.x[1] = area/density(tailFrom), tailFrom
	for i := 2; i < layers; i++ {
		z.x[i] = math.Sqrt(-2 * math.Log(area/z.x[i-1]+density(z.x[i-1])))
	}
	for i := range layers {
		z.k[i] = uint64(z.x[i+1] / z.x[i] * (1 << 52))
	}
	for i := range z.y {
		z.y[i] = density(z.x[i])
	}
	return z
}

func (z *ziggurat) next() uint64 {
	s := &z.state
	sum, t := s[0]+s[3], s[1]<<17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return sum
}

func (z *ziggurat) uniform() float64 { return (float64(z.next()>>11) + 0.5) * 0x1p-53 }

func (z *ziggurat) normal() float64 {
	for {
		w := z.next()
		i, v := w&(layers-1), w>>12
		x := float64(int64(v)) * z.x[i] * 0x1p-52
		sign := w << 55 &^ (1<<63 - 1)
		switch {
		case v < z.k[i]:
		case i == 0:
			for {
				a := -math.Log(z.uniform()) / tailFrom
				if b := -math.Log(z.uniform()); b+b > a*a {
					x = tailFrom + a
					break
				}
			}
		case z.y[i]+z.uniform()*(z.y[i+1]-z.y[i]) >= math.Exp(-x*x/2):
			continue
		}
		return math.Float64frombits(math.Float64bits(x) | sign)
	}
}

// The benchmark's yardstick must draw correct normals, otherwise its time means nothing.
func TestZiggurat(t *testing.T) {
	z := newZiggurat(1)
	const n = 1 << 20
	var moments [4]float64
	beyond := 0
	for range n {
		x := z.normal()
		for k, power := 0, x; k < len(moments); k, power = k+1, power*x {
			moments[k] += power / n
		}
		if math.Abs(x) > 3 {
			beyond++
		}
	}
	for k, want := range []float64{0, 1, 0, 3} {
		if math.Abs(moments[k]-want) > 0.03 {
			t.Errorf("moment %d: %v", k+1, moments[k])
		}
	}
	if want := 0.0026998 * n; math.Abs(float64(beyond)-want) > 5*math.Sqrt(want) {
		t.Errorf("%d of %d beyond 3, want %.0f", beyond, n, want)
	}
}

// BenchmarkSequentialNormals measures normals drawn in sequence, by ziggurat and by math/rand, for
// comparison with the counter-based generator.
func BenchmarkSequentialNormals(b *testing.B) {
	out := make([]float64, 4096)
	z, r := newZiggurat(1), rand.New(rand.NewPCG(1, 2))
	for _, way := range []struct {
		name   string
		normal func() float64
	}{{"ziggurat", nil}, {"rand", r.NormFloat64}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				if way.normal == nil {
					for i := range out {
						out[i] = z.normal()
					}
					continue
				}
				for i := range out {
					out[i] = way.normal()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(out)), "ns/normal")
		})
	}
}
