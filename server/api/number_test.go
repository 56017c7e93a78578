package api

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// withinPrecision is the promise of appendFixed.
func withinPrecision(x, printed float64) bool {
	return math.Abs(printed-x) <= max(5e-10, 1e-12*math.Abs(x))
}

func checkFixed(t interface{ Errorf(string, ...any) }, x float64) {
	s := string(appendFixed(nil, x))
	got, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || !json.Valid([]byte(s)):
		t.Errorf("%g prints as %q", x, s)
	case strings.ContainsAny(s, "eE") || s == "-0":
		t.Errorf("%g prints as %q", x, s)
	case strings.Contains(s, ".") && strings.HasSuffix(s, "0"):
		t.Errorf("%g prints as %q: trailing zero", x, s)
	case !withinPrecision(x, got):
		t.Errorf("%g prints as %q: off by %g", x, s, got-x)
	}
}

func TestFixedPrecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300_000 {
		x := math.Pow(10, -12+30*rng.Float64())
		checkFixed(t, x)
		checkFixed(t, -x)
		checkFixed(t, math.Round(x*100)/100)
	}
	// Around every change of scale.
	for e := -12; e <= 22; e++ {
		x := math.Pow(10, float64(e))
		lo, hi := x, x
		for range 50 {
			checkFixed(t, lo)
			checkFixed(t, hi)
			lo, hi = math.Nextafter(lo, 0), math.Nextafter(hi, math.Inf(1))
		}
	}
	for _, x := range []float64{1e18, 1e19, 1.2345e25, math.MaxFloat64, 1 << 60, 1<<63 - 1024, 1 << 63, 1 << 64} {
		if s := string(appendFixed(nil, x)); s != strconv.FormatFloat(x, 'f', -1, 64) {
			t.Errorf("%g prints as %s: not exact", x, s)
		}
	}
}

func TestFixedPrecisionAnyFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkFixed(t, rapid.Float64().Draw(t, "x")) })
}

func TestFixedExamples(t *testing.T) {
	for _, row := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-1, "-1"}, {0.1, "0.1"}, {100, "100"}, {1e-11, "0"}, {-1e-11, "0"}, {-4.9e-11, "0"},
		{5e-10, "0.0000000005"}, {-1e-10, "-0.0000000001"}, {0.25, "0.25"}, {12.5, "12.5"}, {50000, "50000"}, {1e8, "100000000"},
		{65000.5, "65000.5"}, {1234567.875, "1234567.875"}, {999.99999999999, "1000"}, {0.05, "0.05"}, {1.01, "1.01"}, {1e12, "1000000000000"},
		{math.SmallestNonzeroFloat64, "0"},
	} {
		if got := string(appendFixed(nil, row.x)); got != row.want {
			t.Errorf("%g prints as %s, want %s", row.x, got, row.want)
		}
	}
}

func checkShortest(t interface{ Errorf(string, ...any) }, x float64) {
	got, want := string(appendShortest(nil, x)), strconv.FormatFloat(x, 'f', -1, 64)
	if x == 0 {
		want = "0"
	}
	if got != want {
		t.Errorf("%g prints as %s, want %s", x, got, want)
	}
}

func TestShortestIsShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300_000 {
		x := math.Pow(10, -14+30*rng.Float64())
		digits := math.Pow(10, float64(rng.IntN(13)))
		checkShortest(t, x)
		checkShortest(t, -x)
		checkShortest(t, math.Round(x*digits)/digits)
	}
	rapid.Check(t, func(t *rapid.T) { checkShortest(t, rapid.Float64().Draw(t, "x")) })
	for _, x := range []float64{0, 1e-12, 1.25e-5, 0.0000125, 67123.5, 1e9, 999999999.999999, 1e15, 1e-300, math.MaxFloat64, 0.1 + 0.2} {
		checkShortest(t, x)
	}
}

func TestAppendString(t *testing.T) {
	for _, s := range []string{"", "BTC", "a\"b\\c", "\x00\x1f\n\r\t\x7f", "é €\U0001F600", "\u2028\u2029", "<script>&"} {
		quoted := AppendString(nil, s)
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil || back != s {
			t.Errorf("%q as %s: %q %v", s, quoted, back, err)
		}
		if other := AppendString([]byte("x"), []byte(s)); string(other) != "x"+string(quoted) {
			t.Errorf("%q: %s from bytes", s, other)
		}
	}
	if got := string(AppendString(nil, "a\xffb")); got != "\"a\ufffdb\"" {
		t.Errorf("invalid UTF-8 as %s", got)
	}
}

func BenchmarkFixed(b *testing.B) {
	values := []float64{0.123456789, 12.5, 51234.56, 3.2e6, -1.75, 0, 98765432.1, 1.0 / 3}
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		buf = appendFixed(buf[:0], values[i%len(values)])
	}
}

func BenchmarkShortestPrice(b *testing.B) {
	buf := make([]byte, 0, 64)
	for b.Loop() {
		buf = appendShortest(buf[:0], 67123.5)
	}
}

func TestEightDigits(t *testing.T) {
	check := func(n uint64) {
		d := eightDigits(n)
		for i := 7; i >= 0; i-- {
			if byte(d>>(8*i)) != byte(n%10) {
				t.Fatalf("%d: digit %d of %x", n, i, d)
			}
			n /= 10
		}
	}
	for n := range uint64(10000) { // every value of either half
		check(n)
		check(n*10000 + 9999 - n)
	}
}
