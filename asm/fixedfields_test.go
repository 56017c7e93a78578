package asm

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// decimalNumbers returns n random numbers: of every magnitude, short decimals, ties of the last
// printed decimal, numbers close to ties, and the limits between scales.
func decimalNumbers(r *rand.Rand, n int) []float64 {
	x := make([]float64, n+1)[r.IntN(2):][:n:n]
	for i := range x {
		v := math.Pow(10, -11+26*r.Float64())
		switch r.IntN(10) {
		case 0:
			v = math.Round(v*100) / 100
		case 1:
			v = math.Floor(v*1e9)/1e9 + 5e-10 + float64(r.IntN(9)-4)*5e-13
		case 2:
			v = []float64{0, 1, 0.1, 10, 999_999, 999_999e3, 999_999e6, 1e6, 1e9, 1e12, 999_999.5, 1e15, math.Inf(1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64}[r.IntN(16)]
		case 3:
			v = math.Nextafter(math.Pow(10, float64(r.IntN(25)-11)), 1e300*float64(r.IntN(2)))
		case 4:
			v = math.Float64frombits(r.Uint64N(1 << 63))
		default:
			v = math.Mod(v, 1e6)
		}
		if r.IntN(2) == 0 {
			v = -v
		}
		x[i] = v
	}
	return x
}

// decimalsOf returns how many decimals AppendFixedFields prints for v; ok is false for a number
// that it leaves to the caller.
func decimalsOf(v float64) (decimals int, ok bool) {
	switch v = math.Abs(v); {
	case v < 999_999:
		return 9, true
	case v < 999_999e3:
		return 6, true
	case v < 999_999e6:
		return 3, true
	}
	return 0, false
}

// decimalText returns v as formatted by strconv, which rounds the exact decimal value, or "" for a
// number that AppendFixedFields leaves to the caller.
func decimalText(v float64) string {
	decimals, ok := decimalsOf(v)
	if !ok || nearTie(v, decimals) {
		return ""
	}
	text := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', decimals, 64), "0"), ".")
	if text == "-0" {
		text = "0"
	}
	return text
}

// Every number is printed as strconv prints it, or left to the caller if decimalText says so. No
// byte outside dst is written, and assembly and Go agree.
func TestAppendFixedFields(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const long = `,"abcdefghijklmnopqrstuvwxyz":   `
	left := 0
	for range 20_000 {
		n := r.IntN(14)
		x := decimalNumbers(r, n)
		keys := make([]FieldName, n)
		want, wantDone := "", 0
		for i := range keys {
			keys[i] = NewFieldName(long[:r.IntN(32)])
		}
		for i, v := range x {
			text := decimalText(v)
			if text == "" {
				left++
				break
			}
			want += string(keys[i][:keys[i].Len()]) + text
			wantDone++
		}
		bothWays(func(name string) {
			const guards = 40
			room := bytes.Repeat([]byte{'#'}, guards+FixedFieldsRoom(n)+guards)
			dst := room[guards : guards+FixedFieldsRoom(n) : guards+FixedFieldsRoom(n)]
			written, done := AppendFixedFields(dst, keys, x)
			if done != wantDone || string(dst[:written]) != want {
				t.Fatalf("%s: %v as %d %q, want %d %q", name, x, done, dst[:written], wantDone, want)
			}
			if bytes.Count(room[:guards], []byte{'#'}) != guards || bytes.Count(room[len(room)-guards:], []byte{'#'}) != guards {
				t.Fatalf("%s: %d fields: wrote outside of dst", name, n)
			}
		})
	}
	if left < 1000 {
		t.Errorf("only %d numbers were left to the caller: the test is too weak", left)
	}
}

// nearTie reports whether v lies about half way between two neighbouring decimals: whether its
// distance to the nearest decimal, computed exactly and rounded once, exceeds nearHalf of a step.
func nearTie(v float64, decimals int) bool {
	v = math.Abs(v)
	scale := math.Pow10(decimals)
	return math.Abs(math.FMA(v, scale, -math.RoundToEven(v*scale))) > nearHalf
}

// Tests every digit in every place, with zeros before and after it, alone and together with other
// digits.
func TestAppendFixedFieldsDigits(t *testing.T) {
	keys := make([]FieldName, 4)
	check := func(v float64) {
		bothWays(func(name string) {
			for n := 1; n <= len(keys); n++ {
				dst, x := make([]byte, FixedFieldsRoom(n)), []float64{v, v, v, v}[:n]
				written, done := AppendFixedFields(dst, keys[:n], x)
				if want := strings.Repeat(decimalText(v), n); done != n || string(dst[:written]) != want {
					t.Fatalf("%s: %g, %d times, prints as %q, want %q", name, v, n, dst[:written], want)
				}
			}
		})
	}
	for place := -9; place < 12; place++ {
		for digit := 1.0; digit < 10; digit++ {
			v := digit * math.Pow10(place)
			check(v)
			check(-v)
			check(v + 0.25)
			check(v + 1000)
		}
	}
}

func TestAppendFixedFieldsNeedsRoom(t *testing.T) {
	for _, f := range []func(){
		func() {
			AppendFixedFields(make([]byte, FixedFieldsRoom(2)-1), make([]FieldName, 2), make([]float64, 2))
		},
		func() { AppendFixedFields(make([]byte, FixedFieldsRoom(2)), make([]FieldName, 1), make([]float64, 2)) },
		func() { NewFieldName("0123456789012345678901234567890 ") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}

func TestEightDigits(t *testing.T) {
	check := func(n uint64) {
		d := EightDigits(n)
		for i := 7; i >= 0; i-- {
			if byte(d>>(8*i)) != byte(n%10) {
				t.Fatalf("%d: digit %d of %x", n, i, d)
			}
			n /= 10
		}
	}
	for n := range uint64(10000) { // every value of the upper and of the lower four digits
		check(n)
		check(n*10000 + 9999 - n)
	}
}

func FuzzAppendFixedFields(f *testing.F) {
	for _, v := range []float64{0, -0.5, 1e6, 999_999, 12.345678901, 1e-9} {
		f.Add(v, 1.0)
	}
	keys := []FieldName{NewFieldName(`"a":`), NewFieldName(`,"b":`), NewFieldName(""), NewFieldName(`,"d":`), NewFieldName(`,"e":`)}
	f.Fuzz(func(t *testing.T, a, b float64) {
		x := []float64{a, b, a, a, b}
		want, wantDone := "", 0
		for i, v := range x {
			text := decimalText(v)
			if text == "" {
				break
			}
			want += string(keys[i][:keys[i].Len()]) + text
			wantDone++
		}
		bothWays(func(name string) {
			dst := make([]byte, FixedFieldsRoom(len(x)))
			if written, done := AppendFixedFields(dst, keys, x); done != wantDone || string(dst[:written]) != want {
				t.Fatalf("%s: %g and %g: %d %q, want %d %q", name, a, b, done, dst[:written], wantDone, want)
			}
		})
	})
}

// BenchmarkAppendFixedFields prints five numbers at a time, as many as a stress scenario has.
func BenchmarkAppendFixedFields(b *testing.B) {
	rows := [][]float64{{0.123456789, 12.5, 51234.56, 100, -1.75}, {-10, -5000, 0.4, 0.022271219, 8.860759494}, {1.0 / 3, 0, 98.7654321, 7, -0.5}}
	keys := make([]FieldName, len(rows[0]))
	for i := range keys {
		keys[i] = NewFieldName(`,"liquidity_cost_pct":`)
	}
	dst := make([]byte, FixedFieldsRoom(len(keys)))
	bothWays(func(name string) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				for _, x := range rows {
					AppendFixedFields(dst, keys, x)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(rows)*len(keys)), "ns/number")
		})
	})
}
