package exchange

import (
	"encoding/hex"
	"strconv"
	"strings"
	"testing"
)

// TestMsgpack compares with msgpack 1.0.3 for Python at the borders of all forms.
func TestMsgpack(t *testing.T) {
	for text, want := range map[string]string{
		"0": "00", "127": "7f", "128": "cc80", "255": "ccff", "256": "cd0100", "65535": "cdffff", "65536": "ce00010000",
		"4294967295": "ceffffffff", "4294967296": "cf0000000100000000", "9223372036854775808": "cf8000000000000000",
		"18446744073709551615": "cfffffffffffffffff", "-1": "ff", "-32": "e0", "-33": "d0df", "-128": "d080",
		"-129": "d1ff7f", "-32768": "d18000", "-32769": "d2ffff7fff", "-2147483648": "d280000000",
		"-2147483649": "d3ffffffff7fffffff", "-9223372036854775808": "d38000000000000000",
		"0.5": "cb3fe0000000000000", "-1.25e10": "cbc2074876e8000000", "true": "c3", "false": "c2", "null": "c0",
		`{"a":[1,{}]}`: "81a161920180", `"\u00e4"`: "a2c3a4",
	} {
		var tp tape
		if err := tp.parse([]byte(text)); err != nil {
			t.Fatal(err)
		}
		w := writer{packed: true}
		if w.value(&tp, 0); hex.EncodeToString(w.b) != want {
			t.Errorf("%s: %x, want %s", text, w.b, want)
		}
		x, err := strconv.ParseInt(text, 10, 64)
		if got := packInt(nil, x); err == nil && hex.EncodeToString(got) != want {
			t.Errorf("%s as an integer with sign: %x, want %s", text, got, want)
		}
	}
	for n, want := range map[int]string{0: "a0", 31: "bf", 32: "d920", 255: "d9ff", 256: "da0100", 65535: "daffff",
		65536: "db00010000"} {
		if got := packString(nil, strings.Repeat("a", n)); hex.EncodeToString(got[:len(got)-n]) != want {
			t.Errorf("string of %d: %x", n, got[:len(got)-n])
		}
	}
	for n, want := range map[int][2]string{0: {"90", "80"}, 15: {"9f", "8f"}, 16: {"dc0010", "de0010"},
		65535: {"dcffff", "deffff"}, 65536: {"dd00010000", "df00010000"}} {
		array, object := packHead(nil, n, packedArray), packHead(nil, n, packedMap)
		if hex.EncodeToString(array) != want[0] || hex.EncodeToString(object) != want[1] {
			t.Errorf("%d members: %x, %x", n, array, object)
		}
	}
}
