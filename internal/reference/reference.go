// Package reference reads what tests compare with and the project does not contain: values
// of other implementations, recordings of the venue, histories of prices. They stand in a
// folder beside the project; a test that asks for one that is absent is skipped.
package reference

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	folder     = "shared"
	recordings = "venue/recordings"
)

// path returns where a file of the folder should be. The test runs somewhere below the
// project's root.
func path(t testing.TB, name string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		if root == filepath.Dir(root) {
			t.Fatal("no go.mod above the test")
		}
		root = filepath.Dir(root)
	}
	return filepath.Join(filepath.Dir(root), folder, strings.TrimPrefix(name, folder+"/"))
}

// File returns the content of a file, named below the folder or from it on.
func File(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(path(t, name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not beside the project", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Golden reads the reference values of that name.
func Golden(t testing.TB, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(File(t, "models/golden/"+name+".json"), into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// Recording returns a payload of the venue.
func Recording(t testing.TB, name string) []byte {
	t.Helper()
	return File(t, recordings+"/"+name)
}

// Recordings returns the folder of them.
func Recordings(t testing.TB) string {
	t.Helper()
	dir := path(t, recordings)
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no recordings beside the project")
	}
	return dir
}

// Candle is a row of a price history. It converts to the bars of the project.
type Candle struct {
	OpenMs                         int64 // ms since 1970 UTC
	Open, High, Low, Close, Volume float64
}

// histories are those that have been read: several tests want the same.
var histories sync.Map // name to []Candle

// Candles returns the rows of a history, gaps left as gaps, from the first one whose
// opening begin accepts; nil accepts any. They are read only.
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
	z, err := gzip.NewReader(bytes.NewReader(File(t, name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, fields := range text[1:] { // the first names the columns
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
