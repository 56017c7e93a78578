package printable

import "testing"

func FuzzText(f *testing.F) {
	f.Add([]byte("BTC"))
	f.Add([]byte("\xf0\x9f\x98"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := Text(b)
		if n := len([]rune(s)); n > maxLength {
			t.Fatalf("%d characters", n)
		}
		for _, r := range s {
			if r < ' ' || r == 0x7f {
				t.Fatalf("%q does not print", r)
			}
		}
	})
}
