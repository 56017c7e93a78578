package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ballast/compute/backtest"
)

// madeUpPools are histories for pools, and the names of their files.
func madeUpPools() (files []backtest.PoolFile) {
	for i := range uint64(4) {
		files = append(files, backtest.PoolFile{Name: fmt.Sprintf("%c-1h.csv", 'A'+rune(i)),
			Bars: madeUp(20+i, 24*420)})
	}
	return files
}

// The report of pools fits into 80 columns, and has every table.
func TestReportPools(t *testing.T) {
	r, err := backtest.RunPool(madeUpPools(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	reportPools(&b, r)
	text := b.String()
	fits(t, text)
	for _, want := range []string{
		"A-1h.csv\nB-1h.csv\n", grouped(r.Cases) + " cases", "120 h apart", "path-replay", "\nWithin 24 hours\n",
		"\nWithin 168 hours\n",
		"spread ", "neutral ", "long ", "short ", "predicted %", "at closes", "at worst", "log loss", "0.1-0.5 % ",
		"40-100 % ",
		fmt.Sprintf("\n%s of %s hours were missing", grouped(r.Filled), grouped(r.Hours)),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestE2EBacktestPool(t *testing.T) {
	files := madeUpPools()
	args := []string{"backtest", "--pool", "--candles"}
	for _, f := range files {
		args = append(args, writeCandles(t, f.Name, f.Bars))
	}
	picture := filepath.Join(t.TempDir(), "pool.svg")
	out, errs, status := command(t, nil, append(args, "--json", "--plot", picture)...)
	var got backtest.PoolResult
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 || errs != "" {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, errs)
	}
	want, err := backtest.RunPool(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	want.Forecasts, want.Hours, want.Filled = 0, 0, 0 // not in the JSON
	if !reflect.DeepEqual(&got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if text, err := os.ReadFile(picture); err != nil || !strings.Contains(string(text), "</svg>") {
		t.Error("no picture:", err)
	}
	with := func(more ...string) []string { return slices.Concat(args, more) }
	refused(t, []badCall{
		{1, "no forecast in common", with("--to", "2022-12-01")},
		{2, "give one of them", with("--score")},
		{2, "leave out --model", with("--model", "hs")},
		{2, "3 candle files or more", args[:5]},
		{2, "must end in .png or .svg", with("--plot", "a.pdf")},
	})
}
