package jsonscan

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
)

func FuzzParseNumber(f *testing.F) {
	for _, s := range []string{"0", "-0", "1", "64641.0", "0.0000125", "1161681.8999999999", "12377419030.3486595154",
		"9007199254740993", "1e400", "1E-400", "5e-324", "NaN", "Infinity",
		"0x10", "+1", "1e", "1e+", "1e+5", ".5", "5.", "01", "-", "1_0", "-0.0", "00.5",
		"123456789012345678", "1234567890123456789", "0.000000000000000001", "1.7976931348623157e308"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, n, problem := ParseNumber([]byte(s))
		ok := problem == "" && n == len(s)
		// The reference: the grammar of JSON, then strconv.
		valid := len(s) > 0 && json.Valid([]byte(s)) &&
			(s[0] == '-' || '0' <= s[0] && s[0] <= '9') && !strings.ContainsAny(s, " \t\r\n")
		want, err := strconv.ParseFloat(s, 64)
		if wantOK := valid && err == nil; ok != wantOK {
			t.Fatalf("%q: ok %v, want %v", s, ok, wantOK)
		}
		if ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: %v, strconv %v", s, got, want)
		}
	})
}
