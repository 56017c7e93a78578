package store

import (
	"slices"
	"testing"
)

func TestSentOrders(t *testing.T) {
	dir := t.TempDir()
	m, err := OpenMain(dir)
	if err != nil {
		t.Fatal(err)
	}
	one := SentOrder{Account: "0x01", AtMs: 1000, Same: -5, UntilMs: 61_000}
	long := SentOrder{Account: "0x01", AtMs: 1000, Same: 6, UntilMs: 900_000}
	check := func(what string, nowMs int64, want ...SentOrder) {
		t.Helper()
		if got, err := m.SentOrders(nowMs); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", what, got, err, want)
		}
	}
	put := func(keep, forget []SentOrder, nowMs int64) {
		t.Helper()
		if err := m.PutSentOrders(keep, forget, nowMs); err != nil {
			t.Fatal(err)
		}
	}
	put([]SentOrder{one, one, long}, nil, 2000)
	check("kept", 2000, one, one, long)
	put(nil, []SentOrder{one}, 3000)
	check("one of two forgotten", 3000, one, long)
	check("later", 70_000, long)
	put(nil, nil, 80_000) // removes what does not count any more
	check("swept", 3000, long)
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if m, err = OpenMain(dir); err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	check("opened again", 3000, long)
}
