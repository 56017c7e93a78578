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

// withinPrecision reports whether printed has the accuracy that appendFixed guarantees.
func withinPrecision(x, printed float64) bool {
	return math.Abs(printed-x) <= max(5e-10, 1e-12*math.Abs(x))
}

// numberText returns x as printed in answers.
func numberText(x float64) string {
	var w Writer
	w.fixed("", x)
	return string(w.Bytes())
}

// checkNumber checks both ways in which a number is printed in fixed point.
func checkNumber(t interface{ Errorf(string, ...any) }, x float64) {
	for _, s := range []string{numberText(x), string(appendFixed(nil, x))} {
		got, err := strconv.ParseFloat(s, 64)
		switch {
		case err != nil || !json.Valid([]byte(s)) || strings.ContainsAny(s, "eE") || s == "-0":
			t.Errorf("%g prints as %q", x, s)
		case strings.Contains(s, ".") && strings.HasSuffix(s, "0"):
			t.Errorf("%g prints as %q: trailing zero", x, s)
		case !withinPrecision(x, got):
			t.Errorf("%g prints as %q: off by %g", x, s, got-x)
		}
	}
}

// Random numbers of every size, short decimals, numbers around ties of the last decimal and around the limits
// between scales, and every digit in every place.
func TestFixedPrecision(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 300_000
	if testing.Short() {
		rounds = 30_000
	}
	for range rounds {
		x := math.Pow(10, -12+30*rng.Float64())
		half := math.Floor(x*1e9)/1e9 + 5e-10 + float64(rng.IntN(9)-4)*5e-13
		for _, x := range []float64{x, -x, math.Round(x*100) / 100, half, math.Nextafter(half, 0),
			math.Nextafter(half, 1e9)} {
			checkNumber(t, x)
		}
	}
	for e := -12; e <= 22; e++ {
		for _, x := range []float64{math.Pow(10, float64(e)), math.Pow(10, float64(e)) - math.Pow(10, float64(e-6))} {
			lo, hi := x, x
			for range 50 {
				checkNumber(t, lo)
				checkNumber(t, hi)
				lo, hi = math.Nextafter(lo, 0), math.Nextafter(hi, math.Inf(1))
			}
		}
	}
	for place := -9; place < 12; place++ {
		for digit := 1.0; digit < 10; digit++ {
			v := digit * math.Pow10(place)
			for _, x := range []float64{v, -v, v + 0.25, v + 1000} {
				checkNumber(t, x)
			}
		}
	}
	for _, x := range []float64{1e18, 1e19, 1.2345e25, math.MaxFloat64, 1 << 60, 1<<63 - 1024, 1 << 63, 1 << 64} {
		if s := numberText(x); s != strconv.FormatFloat(x, 'f', -1, 64) {
			t.Errorf("%g prints as %s: not exact", x, s)
		}
	}
	rapid.Check(t, func(t *rapid.T) { checkNumber(t, rapid.Float64().Draw(t, "x")) })
}

func FuzzNumbers(f *testing.F) {
	for _, x := range []float64{0, -0.5, 1e6, 999_999, 12.345678901, 1e-9} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if x-x == 0 {
			checkNumber(t, x)
		}
	})
}

func TestFixedExamples(t *testing.T) {
	for _, row := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-1, "-1"}, {0.1, "0.1"}, {100, "100"},
		{1e-11, "0"}, {-1e-11, "0"}, {-4.9e-11, "0"}, {5e-10, "0.0000000005"}, {-2e-9, "-0.000000002"}, {0.25, "0.25"},
		{12.5, "12.5"}, {50000, "50000"}, {1e8, "100000000"}, {65000.5, "65000.5"}, {1234567.875, "1234567.875"},
		{999.99999999999, "1000"}, {0.05, "0.05"}, {1.01, "1.01"}, {1e12, "1000000000000"},
		{math.SmallestNonzeroFloat64, "0"}, {1000, "1000"}, {-1000.5, "-1000.5"}, {99999.9999999999, "100000"},
		{999999.9999999999, "1000000"}, {100000.000001, "100000.000001"}, {123456.001, "123456.001"}, {1e6, "1000000"},
		{-0.001, "-0.001"}, {0.000001, "0.000001"}, {7.000000001, "7.000000001"}, {1002003.5, "1002003.5"},
	} {
		if got := string(appendFixed(nil, row.x)); got != row.want {
			t.Errorf("%g prints as %s, want %s", row.x, got, row.want)
		}
		if got := numberText(row.x); got != row.want {
			t.Errorf("%g prints as %s in an answer, want %s", row.x, got, row.want)
		}
	}
	// Ten decimals are printed where nine are not enough.
	for x, want := range map[float64]string{
		0.1234567895: "0.1234567895", 0.12345678949: "0.123456789", -0.3333333333333: "-0.333333333", -1e-10: "0",
	} {
		if got := numberText(x); got != want {
			t.Errorf("%g prints as %s, want %s", x, got, want)
		}
	}
}

// A number that is not finite spoils the answer, wherever it stands.
func TestNumbersThatAreNotFinite(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i, write := range []func(w *Writer){
			func(w *Writer) { w.fixed("", x) },
			func(w *Writer) { w.finer("", x) },
			func(w *Writer) { w.Exact("", x) },
		} {
			var w Writer
			write(&w)
			if _, err := w.finished(); err != ErrNotFinite {
				t.Errorf("%g in way %d: %v", x, i, err)
			}
		}
	}
}

func checkExact(t interface{ Errorf(string, ...any) }, x float64) {
	want := strconv.FormatFloat(x, 'f', -1, 64)
	if x == 0 {
		want = "0"
	}
	var w Writer
	w.Exact("", x)
	if got := string(w.Bytes()); got != want {
		t.Errorf("%g prints as %s, want %s", x, got, want)
	}
}

func TestExactIsShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300_000 {
		x := math.Pow(10, -14+30*rng.Float64())
		digits := math.Pow(10, float64(rng.IntN(13)))
		checkExact(t, x)
		checkExact(t, -x)
		checkExact(t, math.Round(x*digits)/digits)
	}
	rapid.Check(t, func(t *rapid.T) { checkExact(t, rapid.Float64().Draw(t, "x")) })
	for _, x := range []float64{
		0, 1e-12, 1.25e-5, 0.0000125, 67123.5, 1e9, 999999999.999999, 1e15, 1e-300, math.MaxFloat64, 0.1 + 0.2,
	} {
		checkExact(t, x)
	}
}

func TestAppendString(t *testing.T) {
	for _, s := range []string{"", "BTC", "a\"b\\c", "\x00\x1f\n\r\t\x7f", "é €\U0001F600", "\u2028\u2029",
		"<script>&"} {
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

// The text written does not depend on the capacity of the buffer.
func TestWriterGrows(t *testing.T) {
	write := func(w *Writer) string {
		w.Raw("head")
		w.fixed(`"a":`, 1.5)
		w.fixed(`,"b":`, -2.25)
		w.fixed(`,"c":`, 1e300)
		w.fixed(`,"d":`, 4.000000001)
		w.Exact(`,"exact":`, 1.0/3)
		w.Exact(`,"price":`, -98765.25)
		w.word(`,"word":"`, "text")
		w.Integer(`,"integer":`, -12345)
		w.Append([]byte("0123456789abcdef"))
		w.Boolean(`,"b":`, true)
		w.Text(`,"text":`, "a\nb")
		return string(w.Bytes())
	}
	large := NewWriter(append(make([]byte, 0, 2000), "kept"...))
	want := write(&large)
	if !strings.HasPrefix(want, `kepthead"a":1.5,"b":-2.25,"c":1000`) ||
		!strings.HasSuffix(want, `,"exact":0.3333333333333333,"price":-98765.25,"word":"text",`+
			`"integer":-123450123456789abcdef,"b":true,"text":"a\u000ab"`) {
		t.Fatalf("%s", want)
	}
	for room := range 1000 {
		small := NewWriter(append(make([]byte, 0, 4+room), "kept"...))
		if got := write(&small); got != want {
			t.Fatalf("with room for %d: %s, want %s", room, got, want)
		}
	}
}
