//go:build evidence

package reference

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Variable is the environment variable that names the evidence directory. The directory has the
// candle files in data/candles and the recordings of the venue in venue/recordings.
const Variable = "BALLAST_EVIDENCE"

// within returns a path inside the directory of the evidence. The test fails when there
// is nothing at that path.
func within(t testing.TB, name ...string) string {
	t.Helper()
	dir := os.Getenv(Variable)
	if dir == "" {
		t.Fatalf("%s names no directory: run make evidence EVIDENCE=dir", Variable)
	}
	p := filepath.Join(append([]string{dir}, name...)...)
	if _, err := os.Stat(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Recordings returns the directory of the recorded payloads of the venue.
func Recordings(t testing.TB) string {
	t.Helper()
	return within(t, "venue", "recordings")
}

// Recording returns a recorded payload of the venue.
func Recording(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(within(t, "venue", "recordings", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// CandleFile returns the path of a candle file. Only the base name of name is used, because the
// reference values contain paths of other machines.
func CandleFile(t testing.TB, name string) string {
	t.Helper()
	return within(t, "data", "candles", path.Base(name))
}

// histories caches the histories read so far, which several tests use.
var histories sync.Map // name to []Candle

// Candles returns the rows of a history, with gaps, from the first row whose open time begin
// accepts; nil accepts any. Callers must not modify the rows.
func Candles(t testing.TB, name string, begin func(open time.Time) bool) []Candle {
	t.Helper()
	read, ok := histories.Load(name)
	if !ok {
		read, _ = histories.LoadOrStore(name, readCandles(t, name))
	}
	rows := read.([]Candle)
	for i := range rows {
		if begin == nil || begin(time.UnixMilli(rows[i].OpenMs).UTC()) {
			return rows[i:]
		}
	}
	return nil
}

func readCandles(t testing.TB, name string) (rows []Candle) {
	t.Helper()
	f, err := os.Open(CandleFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, fields := range text[1:] { // the first row names the columns
		ms, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var v [5]float64
		for i, field := range fields[1:6] {
			if v[i], err = strconv.ParseFloat(field, 64); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		rows = append(rows, Candle{OpenMs: ms, Open: v[0], High: v[1], Low: v[2], Close: v[3], Volume: v[4]})
	}
	return rows
}
