package sim

import "math"

// key identifies a stream of pseudo-random numbers that can be read in any order: number i is a hash of
// (key, i). Nothing is stored.
type key uint64

// newKey returns the stream for a seed and further parts.
func newKey(seed uint64, parts ...uint64) key {
	h := mix(seed ^ 0x62616c6c617374)
	for _, p := range parts {
		h = mix(h ^ mix(p+0x9e3779b97f4a7c15))
	}
	return key(h)
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection of 64-bit words whose outputs
// on a counter pass BigCrush.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Number i of a stream: 64 bits, uniform in the open interval (0, 1), uniform in (-1, 1), standard normal.
func (k key) bits(i int64) uint64       { return mix(uint64(k) + uint64(i)*0x9e3779b97f4a7c15) }
func (k key) uniform(i int64) float64   { return (float64(k.bits(i)>>11) + 0.5) / (1 << 53) }
func (k key) symmetric(i int64) float64 { return 2*k.uniform(i) - 1 }
func (k key) normal(i int64) float64    { return math.Sqrt2 * math.Erfinv(k.symmetric(i)) }

// studentMax limits an innovation, in standard deviations, to what real markets have shown in an hour.
const studentMax = 9

// student returns a Student-t number with 4 degrees of freedom, scaled to variance 1. For 4 degrees the
// quantile function has a closed form (Shaw 2006).
func (k key) student(i int64) float64 {
	p := k.uniform(i)
	root := math.Sqrt(4 * p * (1 - p))
	q := math.Cos(math.Acos(root)/3) / root
	t := math.Sqrt2 * math.Sqrt(max(0, q-1)) // 2*sqrt(q-1), over sqrt(2) for unit variance
	t = min(t, studentMax)
	if p < 0.5 {
		return -t
	}
	return t
}

// smooth returns a slowly varying number: normal at integer t, linear between.
func (k key) smooth(t float64) float64 {
	i := math.Floor(t)
	a, b := k.normal(int64(i)), k.normal(int64(i)+1)
	return a + (b-a)*(t-i)
}
