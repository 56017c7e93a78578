package calib

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// shared holds the reference values; it stands beside the project and may be
// absent, and then only the tests that read it are skipped.
const shared = "../../../shared"

func golden(t testing.TB, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(shared, "models/golden", name+".json"))
	if os.IsNotExist(err) {
		t.Skip("no reference values beside the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// candles returns the rows of a candle file as the venue would give them, gaps left
// as gaps, from the first row that keep accepts.
func candles(t testing.TB, file string, keep func(time.Time) bool) []marketcache.Bar {
	t.Helper()
	f, err := os.Open(filepath.Join(shared, strings.TrimPrefix(file, "shared/")))
	if err != nil {
		t.Skip("no candles beside the project")
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var bars []marketcache.Bar
	lines := bufio.NewScanner(z)
	lines.Scan() // header
	for lines.Scan() {
		var v [6]float64
		for i, field := range strings.Split(lines.Text(), ",") {
			if v[i], err = strconv.ParseFloat(field, 64); err != nil {
				t.Fatal(err)
			}
		}
		if len(bars) > 0 || keep(time.UnixMilli(int64(v[0])).UTC()) {
			bars = append(bars, marketcache.Bar{OpenMs: int64(v[0]), Open: v[1], High: v[2], Low: v[3], Close: v[4], Volume: v[5]})
		}
	}
	return bars
}
