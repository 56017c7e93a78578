package main

import (
	"bytes"
	"fmt"
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
