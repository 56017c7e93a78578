package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ballast/compute/candles"
)

// Public candle archives of one asset are merged into one file that the other commands accept.
func TestE2ECandlesImport(t *testing.T) {
	bars := madeUp(9, 24*30)
	in, dir := t.TempDir(), t.TempDir()
	write := func(name string, from, to int) string {
		var text strings.Builder
		for _, b := range bars[from:to] {
			fmt.Fprintf(&text, "%d,%v,%v,%v,%v,%v,0,0,0,0,0,0\n", b.OpenMs*1000, b.Open, b.High, b.Low, b.Close,
				b.Volume)
		}
		return writeFile(t, filepath.Join(in, name), text.String())
	}
	late, early := write("1000PEPEUSDT-1h-2022-02.csv", 300, len(bars)), write("1000PEPEUSDT-1h-2022-01.csv", 0, 310)
	out, errs, status := command(t, nil, "candles", "import", "--out", dir, late, early)
	path := filepath.Join(dir, "kPEPE-1h.csv.gz")
	got, err := candles.Read(path)
	if status != 0 || errs != "" || err != nil || len(got) != len(bars) || got[0] != bars[0] ||
		got[len(got)-1] != bars[len(bars)-1] {
		t.Errorf("status %d, %d bars of %d, %v\n%s%s", status, len(got), len(bars), err, out, errs)
	}
	want := fmt.Sprintf("%s  %d hourly bars, %d of them new, 2022-01-01 05:00 to ", path, len(bars), len(bars))
	if !strings.HasPrefix(out, want) ||
		!strings.Contains(out, fmt.Sprintf(", %d hours without a bar", candles.Missing(bars))) {
		t.Errorf("%s\nwant %s", out, want)
	}
	if out, errs, status = command(t, nil, "calibrate", "--candles", path); status != 0 ||
		!strings.Contains(out, "kPEPE-1h.csv.gz") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	odd := write("mine.csv", 0, 50)
	refused(t, []badCall{{1, "or give --asset", []string{odd}}, {1, "--asset", []string{"--asset", "a/b", odd}}},
		"candles", "import", "--out", dir)
	if out, errs, status = command(t, nil, "candles", "import", "--out", dir, "--asset", "X", odd); status != 0 ||
		!strings.Contains(out, "X-1h.csv.gz  50 hourly bars") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 8809: "8,809", 258040: "258,040",
		1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
