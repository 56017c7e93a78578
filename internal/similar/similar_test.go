package similar

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	listed := []string{"BTC", "ETH", "BTT", "SOL", "kBONK"}
	for _, row := range []struct {
		word string
		n    int
		want string
	}{
		{"btc", 1, "BTC"},
		{"BTCUSD", 2, ""}, // half of it differs
		{"S", 2, ""},
		{"BTX", 2, "BTC BTT"}, // equally near: in their order
		{"BCT", 1, "BTC"},     // two letters swapped
		{"KBONKS", 1, "kBONK"},
		{"", 1, ""},
		{"nothing like it", 5, ""},
		{strings.Repeat("x", 1000), 5, ""},
	} {
		if got := strings.Join(Names(row.word, listed, row.n), " "); got != row.want {
			t.Errorf("%q: %q, want %q", row.word, got, row.want)
		}
	}
	if Name("eth", listed) != "ETH" || Name("x", nil) != "" {
		t.Error("not the first of Names")
	}
}

func TestDistance(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"BTC", "btc", 3}, {"flaw", "lawn", 2}, {"BCT", "BTC", 1},
		{"APP_quite", "APP_quiet", 1}} {
		if got := Distance(row.a, row.b); got != row.want || Distance(row.b, row.a) != got {
			t.Errorf("%q to %q: %d, want %d", row.a, row.b, got, row.want)
		}
	}
	if slices.Contains(Names("a", []string{"bcd"}, 1), "bcd") {
		t.Error("three letters of three differ")
	}
}
