package candles

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ballast/compute/vol"
	"ballast/marketcache"
)

func TestParse(t *testing.T) {
	want := []marketcache.Bar{
		{OpenMs: 0, Open: 1, High: 3, Low: 0.5, Close: 2, Volume: 7},
		{OpenMs: 2 * hourMs, Open: 2, High: 2, Low: 2, Close: 2},
		{OpenMs: 5 * hourMs, Open: 2.5, High: 1e3, Low: 1e-3, Close: 4},
	}
	const head, flat, last = "ts,open,high,low,close,volume\n", "7200000,2,2,2,2,", "18000000,2.5,1e3,1e-3,4,"
	for name, text := range map[string]string{
		"plain": head + "0,1,3,0.5,2,7\n" + flat + "0\n" + last + "0\n",
		"any order of columns, more of them, spaces": "volume, close ,trades,low,high,open,ts\n" +
			"7,2,99,0.5,3,1,0\n0,2,,2,2,2, 7200000\n0,4,x,0.001,1000,2.5,18000000\n",
		"as a spreadsheet saves it": "\ufeff\"ts\",open,high,low,close,volume\r\n" +
			"0,1,3,0.5,2,7\r\n\"7200000\",2,2,2,2,0\r\n18000000,2.5,1e3,1e-3,4,0",
		"of rows with the same ts and prices the first stays": head + "0,1,3,0.5,2,7\n0,1,3,0.5,2,9\n" +
			flat + "0\n" + last + "0\n" + flat + "8\n" + last + "6\n",
	} {
		got, err := Parse(strings.NewReader(text))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const head = "ts,open,high,low,close,volume\n0,1,3,0.5,2,7\n"
	for text, want := range map[string]string{
		"":                                      "empty",
		"ts,open,high,low,close,volume\n":       "no candle",
		"time,open,high,low,close,volume\n":     `line 1: no column "ts"`,
		"0,1,3,0.5,2,7\n":                       `line 1: no column "ts"`,
		head + "3600000,1,1,1,1\n":              "line 3",
		head + "3600000,1,1,1,one,1\n":          `line 3: close "one"`,
		head + "3600000,1,1,1,NaN,1\n":          `line 3: close "NaN"`,
		head + "3600000,1,Inf,1,1,1\n":          "line 3: impossible bar",
		head + "3600000,1,1,1,0,1\n":            "line 3: impossible bar",
		head + "3600000,1,1,1,1,-1\n":           "line 3: impossible bar",
		head + "3600000,1,1,2,1,1\n":            "line 3: impossible bar",
		head + "3600001,1,1,1,1,1\n":            "line 3: impossible bar",
		head + "3.6e6,1,1,1,1,1\n":              `line 3: ts "3.6e6"`,
		head + "\n\n3600000,1,1,1,1,1\n,,,,,\n": `line 6: ts ""`,
		head + "0,1,3,0.5,2.5,7\n": "line 3: a second row for 1970-01-01 00:00 UTC with other " +
			"prices",
		head + "7200000,1,1,1,1,1\n3600000,1,1,1,1,1\n": "line 4: open time 3600000 comes after 7200000",
	} {
		if bars, err := Parse(strings.NewReader(text)); !says(err, want) {
			t.Errorf("%q: %v, %v, want %s", text, bars, err, want)
		}
	}
}

// A file of four-hour candles is rejected rather than read as hourly candles with gaps. Fewer than
// 24 rows are accepted.
func TestParseOtherLengths(t *testing.T) {
	file := func(n, hours int) string {
		text := "ts,open,high,low,close,volume\n"
		for i := range n {
			text += fmt.Sprintf("%d,1,1,1,1,1\n", i*hours*hourMs)
		}
		return text
	}
	if _, err := Parse(strings.NewReader(file(100, 4))); !says(err, "closer than 4 h") {
		t.Error(err)
	}
	oneHour := fmt.Sprintf("%d,1,1,1,1,1\n", (99*4+1)*hourMs)
	for _, text := range []string{file(23, 4), file(100, 1), file(100, 4) + oneHour} {
		if _, err := Parse(strings.NewReader(text)); err != nil {
			t.Error(err)
		}
	}
}

// A compressed file is recognised by its content, and errors name the file.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	const text = "ts,open,high,low,close,volume\n0,1,3,0.5,2,7\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(text))
	z.Close()
	gz := zipped.String()
	for name, content := range map[string]string{"a.csv": text, "b.csv.gz": gz, "zipped.csv": gz} {
		path := filepath.Join(dir, name)
		os.WriteFile(path, []byte(content), 0o600)
		if bars, err := Read(path); err != nil || len(bars) != 1 || bars[0].Close != 2 {
			t.Errorf("%s: %v, %v", name, bars, err)
		}
	}
	long := filepath.Join(dir, "long.csv.gz")
	if err := Write(long, hours(473_000, 3000)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(long)
	if err != nil {
		t.Fatal(err)
	}
	const cut = "the compressed file is cut short or damaged ("
	for name, c := range map[string]struct{ content, says string }{
		"cut1.csv": {string(whole[:5]), cut}, "cut2.csv": {string(whole[:len(whole)/2]), cut},
		"cut3.csv": {string(whole[:len(whole)-3]), cut}, "bad.csv": {text + "x,1,1,1,1,1\n", "line 3"},
		"missing.csv": {"", "no such file"},
	} {
		path := filepath.Join(dir, name)
		if c.content != "" {
			os.WriteFile(path, []byte(c.content), 0o600)
		}
		_, err := Read(path)
		if !says(err, name, c.says) || c.says == cut && !says(err, "copy it again") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// For every input, Parse returns an error or valid bars in order.
func FuzzParse(f *testing.F) {
	f.Add([]byte("ts,open,high,low,close,volume\n0,1,3,0.5,2,7\n7200000,2,2,2,2,0\n"))
	f.Add([]byte("ts,open,high,low,close,volume\n7200000,2,2,2,2,0\n0,1,3,0.5,2,7\n"))
	f.Add([]byte("volume,close,low,high,open,ts\n7,2,0.5,3,1,-3600000\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		bars, err := Parse(bytes.NewReader(text))
		if err != nil {
			return
		}
		for i, b := range bars {
			if err := vol.CheckBar(b); err != nil {
				t.Fatal(err)
			}
			if i > 0 && b.OpenMs <= bars[i-1].OpenMs {
				t.Fatal("bars out of order")
			}
		}
	})
}
