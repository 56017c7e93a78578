package candles

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ballast/marketcache"
)

// hours returns n hourly bars from hour first on, with numbers of many digits.
func hours(first int64, n int) []marketcache.Bar {
	var bars []marketcache.Bar
	for i := range int64(n) {
		rng := rand.New(rand.NewPCG(uint64(first+i), 3)) // the same hour gives the same bar in every call
		p := 100 * math.Exp(0.1*rng.NormFloat64())
		bars = append(bars, marketcache.Bar{
			OpenMs: (first + i) * hourMs, Open: p, High: p * 1.1, Low: p / 1.1,
			Close: p * (0.95 + 0.1*rng.Float64()), Volume: rng.ExpFloat64() * 1e-3,
		})
	}
	return bars
}

// says reports whether there is an error with all the texts.
func says(err error, texts ...string) bool {
	return err != nil && !slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(err.Error(), s) })
}

// Bars read back equal the bars written, and a file is always replaced as a whole.
func TestWriteRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName("xyz:TSLA"))
	if filepath.Base(path) != "xyz_TSLA-1h.csv.gz" {
		t.Error(path)
	}
	for _, bars := range [][]marketcache.Bar{hours(7, 300), hours(9, 40)} {
		if err := Write(path, bars); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(path); err != nil || !slices.Equal(got, bars) {
			t.Errorf("%d bars of %d, %v", len(got), len(bars), err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if err := Write(filepath.Join(dir, "no", "x.csv.gz"), nil); err == nil {
		t.Error("no error for a missing directory")
	}
	for name, good := range map[string]bool{
		"BTC": true, "xyz:TSLA": true, "kPEPE": true, "": false, "../x": false, "a/b": false, `a\b`: false,
		".x": false,
	} {
		if err := CheckName(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestJoin(t *testing.T) {
	held, more := hours(10, 5), hours(8, 4)
	more[3].Close = 77 // hour 11, which held contains already
	all, added := Join(held, more)
	want := append(hours(8, 2), held...)
	if added != 2 || !slices.Equal(all, want) {
		t.Errorf("%d added: %v", added, all)
	}
	gap := slices.Delete(hours(0, 10), 3, 6)
	if Missing(gap) != 3 || Missing(held) != 0 || Missing(nil) != 0 {
		t.Error(Missing(gap), Missing(held))
	}
	if all, added = Join(gap, hours(4, 1)); added != 1 || Missing(all) != 2 {
		t.Error(added, all)
	}
}

// Extend adds bars before and after those of the file, and never removes or changes one. Bars of
// another market are rejected.
func TestExtend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "A-1h.csv.gz")
	if all, added, err := Extend(path, hours(100, 50)); err != nil || added != 50 || len(all) != 50 {
		t.Fatal(added, err)
	}
	before, _ := os.Stat(path)
	if _, added, err := Extend(path, hours(120, 10)); err != nil || added != 0 {
		t.Error(added, err)
	}
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("a file without new bars was written again")
	}
	if all, added, err := Extend(path, hours(90, 100)); err != nil || added != 50 ||
		!slices.Equal(all, hours(90, 100)) {
		t.Error(added, err)
	}
	other := hours(180, 30)
	for i := range other {
		b := &other[i]
		b.Open, b.High, b.Low, b.Close = 1.2*b.Open, 1.2*b.High, 1.2*b.Low, 1.2*b.Close
	}
	if _, _, err := Extend(path, other); !says(err, "another market", "--out") {
		t.Error(err)
	}
	if got, err := Read(path); err != nil || !slices.Equal(got, hours(90, 100)) {
		t.Error("the file has changed:", err)
	}
	os.WriteFile(path, []byte("no candles"), 0o600)
	if _, _, err := Extend(path, hours(0, 3)); !says(err, "move the file away") {
		t.Error(err)
	}
}
