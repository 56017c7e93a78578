package store

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func openHistory(t *testing.T, dir, venue string, damaged bool) *History {
	t.Helper()
	h, aside, err := OpenHistory(dir, venue)
	if err != nil || (aside != "") != damaged {
		t.Fatalf("set aside %q, want damage %t: %v", aside, damaged, err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func holds(t *testing.T, h *History, name string, want map[string][]byte) {
	t.Helper()
	if got, err := h.Load(name); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s %s: %v %v, want %v", h.venue, name, got, err, want)
	}
}

func save(t *testing.T, h *History, name string, parts map[string][]byte) {
	t.Helper()
	if err := h.Save(name, parts); err != nil {
		t.Fatal(err)
	}
}

func TestHistoryKeepsVenuesApart(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := "relative?a=b#c%20"
	a, b := openHistory(t, dir, "mainnet", false), openHistory(t, dir, "testnet", false)
	save(t, a, "asset BTC", map[string][]byte{"bars 2026-10": {1}, "bars 2026-11": {2}})
	save(t, b, "asset BTC", map[string][]byte{"bars 2026-11": {3}})
	save(t, a, "asset BTC", map[string][]byte{"bars 2026-10": nil, "bars 2026-11": {4}, "missing": nil})
	a.Close()
	a = openHistory(t, dir, "mainnet", false)
	holds(t, a, "asset BTC", map[string][]byte{"bars 2026-11": {4}})
	holds(t, b, "asset BTC", map[string][]byte{"bars 2026-11": {3}})
	holds(t, b, "asset", map[string][]byte{})
}

func TestDamagedHistoryIsSetAside(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, HistoryFile)
	for _, text := range []string{"this is no database", "nor is this one"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		h := openHistory(t, dir, "a", true)
		holds(t, h, "x", map[string][]byte{})
		save(t, h, "x", map[string][]byte{"y": {1}})
		h.Close()
		if b, err := os.ReadFile(path + ".damaged"); string(b) != text {
			t.Errorf("set aside is %q, %v", b, err)
		}
	}
	holds(t, openHistory(t, dir, "a", false), "x", map[string][]byte{"y": {1}})
}

// TestHistoryWithoutWrites: a file that cannot be opened for writing, here because its log cannot be made, is read
// all the same.
func TestHistoryWithoutWrites(t *testing.T) {
	dir := t.TempDir()
	h := openHistory(t, dir, "a", false)
	save(t, h, "x", map[string][]byte{"y": {1}})
	h.Close()
	if err := os.Mkdir(filepath.Join(dir, HistoryFile+"-wal"), 0o700); err != nil {
		t.Fatal(err)
	}
	h = openHistory(t, dir, "a", false)
	holds(t, h, "x", map[string][]byte{"y": {1}})
	if err := h.Save("x", map[string][]byte{"y": {2}}); err == nil {
		t.Error("written to a disk that takes no writes")
	}
	if _, _, err := OpenHistory("/dev/null/x", "a"); err == nil {
		t.Error("opened in a directory that cannot be")
	}
}
