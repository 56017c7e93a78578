package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ballast/compute/backtest"
)

func judged(t *testing.T, seed uint64, hours int) *backtest.Result {
	t.Helper()
	r, err := backtest.Run(madeUp(seed, hours), backtest.Options{File: "MADE-UP-1h.csv.gz"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The report begins with the verdict, which names the tests that failed.
func TestReportBacktest(t *testing.T) {
	r := judged(t, 1, 24*500)
	for i := range r.Rows {
		r.Rows[i].KupiecP, r.Rows[i].ChristoffersenP, r.Rows[i].McNeilFreyP = 0.5, 0.5, 0.5
	}
	text := func() []string {
		var b bytes.Buffer
		reportBacktest(&b, r)
		fits(t, b.String())
		return strings.Split(b.String(), "\n")
	}
	filled := fmt.Sprintf("%d of 11,981 hours were missing and are filled with flat bars", r.Filled)
	if lines := text(); lines[0] != "MADE-UP-1h.csv.gz  fhs-px" || lines[1] != "12 of 12 tests passed" ||
		r.Filled == 0 ||
		lines[4] != filled || strings.Contains(strings.Join(lines, ""), "!") {
		t.Errorf("%q", lines)
	}
	r.Rows[1].KupiecP, r.Rows[2].McNeilFreyP = 0.04, 0.05
	lines := text()
	if want := "10 of 12 tests passed, failed: breach rate long 99 %; shortfall short 95 %"; lines[1] != want {
		t.Errorf("%q, want %q", lines[1], want)
	}
	if strings.Count(strings.Join(lines, ""), "0.0400!") != 1 || strings.Count(strings.Join(lines, ""),
		"0.0500!") != 1 {
		t.Errorf("%q", lines)
	}
	var b bytes.Buffer
	reportPooled(&b, []*backtest.Result{r, r})
	fits(t, b.String())
	if s := b.String(); !strings.Contains(s, "All 2 files") || !strings.Contains(s, "2/4") {
		t.Error(s)
	}
	// A file with fewer than 100 forecasts gets no verdict and is left out of the sums.
	thin := judged(t, 1, 24*420)
	b.Reset()
	reportBacktest(&b, thin)
	fits(t, b.String())
	if s := b.String(); strings.Contains(s, "passed\n") ||
		!strings.Contains(s, "\nno verdict: the data do not suffice, 53 of the 100 daily forecasts that it takes\n") {
		t.Error(s)
	}
	b.Reset()
	reportPooled(&b, []*backtest.Result{r, thin})
	if s := b.String(); !strings.Contains(s,
		"1 of 2 files have fewer than 100 forecasts and are left out of the sums\n") || !strings.Contains(s, "1/2") ||
		strings.Contains(s, "/4") {
		t.Error(s)
	}
	b.Reset()
	reportPooled(&b, []*backtest.Result{thin, thin})
	if s := b.String(); s != "2 of 2 files have fewer than 100 forecasts and are left out of the sums\n" {
		t.Error(s)
	}
}

func TestE2EBacktest(t *testing.T) {
	bars := madeUp(4, 24*600)
	path := writeCandles(t, "A-1h.csv", bars)
	other := writeCandles(t, "B-1h.csv", madeUp(5, 24*500))
	out, errs, status := command(t, nil, "backtest", "--candles", path)
	if status != 0 || errs != "" || !strings.HasPrefix(out, "A-1h.csv  fhs-px\n") ||
		!strings.Contains(out, "of 12 tests passed") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	picture := filepath.Join(t.TempDir(), "a.png")
	out, _, status = command(t, nil, "backtest", "--candles", path, "--json", "--plot", picture, "--model", "hs",
		"--from", "2022-02-01", "--to", "2023-06-01T12:00:00Z")
	var got backtest.Result
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 {
		t.Fatalf("status %d, %v\n%s", status, err, out)
	}
	var from, to moment
	from.UnmarshalText([]byte("2022-02-01"))
	to.UnmarshalText([]byte("2023-06-01T12:00:00Z"))
	want, err := backtest.Run(between(bars, from, to), backtest.Options{File: "A-1h.csv", Model: backtest.HS})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Rows, want.Rows) || got.FromMs != want.FromMs || got.ToMs != want.ToMs ||
		got.File != "A-1h.csv" || got.Model != "hs" {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if info, err := os.Stat(picture); err != nil || info.Size() < 10_000 {
		t.Error("no picture:", err)
	}
	// as a shell expands *.csv
	for _, args := range [][]string{{"--candles", path, "--candles", other}, {"--candles", path, other}} {
		out, _, status = command(t, nil, append([]string{"backtest", "--json"}, args...)...)
		var several []backtest.Result
		if err := json.Unmarshal([]byte(out), &several); err != nil || status != 0 || len(several) != 2 ||
			several[1].File != "B-1h.csv" {
			t.Errorf("%q: status %d, %v\n%s", args, status, err, out)
		}
	}
	if out, _, status = command(t, nil, "backtest", "--candles", path, "--candles", other); status != 0 ||
		!strings.Contains(out, "All 2 files") {
		t.Errorf("status %d\n%s", status, out)
	}

	refused(t, []badCall{
		{1, "the backtest needs 8,809", []string{"--candles", path, "--to", "2022-12-01"}},
		{2, "must end in .png", []string{"--candles", path, "--plot", "a.jpeg"}},
		{1, "no/such/file", []string{"--candles", "no/such/file"}},
		{2, "--plot", []string{"--candles", path, "--candles", other, "--plot", picture}},
		{2, "--model", []string{"--candles", path, "--model", "oracle"}},
		{2, "--from", []string{"--candles", path, "--from", "soon"}},
		{2, "bogus", []string{"--candles", path, "--bogus"}},
		{2, "--candles", nil},
	}, "backtest")
}

// The report of the score fits into 80 columns, and its figures are consistent.
func TestReportScore(t *testing.T) {
	run, err := backtest.RunScore(madeUp(6, 24*500), "A-1h.csv", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := backtest.PoolScores(run, run)
	var b bytes.Buffer
	reportScore(&b, r)
	text := b.String()
	for i, line := range strings.Split(text, "\n") {
		if len(line) > 80 || line != strings.TrimRight(line, " ") {
			t.Errorf("line %d has %d columns: %q", i+1, len(line), line)
		}
	}
	for _, want := range []string{
		"A-1h.csv\nA-1h.csv\n", grouped(r.Cases) + " positions", "at 1, 2, 3, 5, 8, 10, 15, 20, 30 and 40x", "0-10 ",
		"90-100 ", "proceed_with_caution ", "abort ",
		fmt.Sprintf("\n%s of %s hours were missing", grouped(r.Filled), grouped(r.Hours)), "0.1-0.5 % ", "40-100 % ",
		"lost half %", "within 7 days ", "probability_7d ", "Brier 0.", "AUC of the score 0.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "no verdict") {
		t.Error(text)
	}
	r.Days, r.Status = 99, backtest.StatusInsufficient
	b.Reset()
	reportScore(&b, r)
	if !strings.Contains(b.String(), "no verdict: the data do not suffice, 99 of the 100 daily forecasts") {
		t.Error(b.String())
	}
	if share(0, 0) != "-" || share(1, 3) != "33.3" || share(3, 25_858) != "0.0116" || mean(0.05, 1) != "5" ||
		mean(0, 4) != "0" {
		t.Error(share(0, 0), share(1, 3), share(3, 25_858), mean(0.05, 1), mean(0, 4))
	}
}

// TestE2EBacktestTogether: the backtests that take all files together read them as the others do.
func TestE2EBacktestTogether(t *testing.T) {
	var files []string
	for _, f := range madeUpPools() {
		files = append(files, writeCandles(t, f.Name, f.Bars))
	}
	for kind, short := range map[string]string{"--score": "the backtest needs 8,809 (367 days",
		"--pool": "no forecast in common"} {
		args := append([]string{"backtest", kind, "--candles"}, files...)
		picture := filepath.Join(t.TempDir(), "a.png")
		out, errs, status := command(t, nil, append(args, "--json", "--plot", picture, "--from", "2022-01-02")...)
		var got struct {
			Files string `json:"file"`
			Cases int
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 || errs != "" || got.Cases == 0 ||
			got.Files != "A-1h.csv,B-1h.csv,C-1h.csv,D-1h.csv" {
			t.Errorf("%s: status %d, %v\n%s%s", kind, status, err, out, errs)
		}
		if !strings.Contains(contents(t, picture), "IEND") {
			t.Error("no picture")
		}
		if out, errs, status = command(t, nil, args...); status != 0 || errs != "" ||
			!strings.HasPrefix(out, "A-1h.csv\nB-1h.csv\n") {
			t.Errorf("%s: status %d\n%s%s", kind, status, out, errs)
		}
		refused(t, []badCall{
			{2, "must end in .png", []string{"--plot", "a.pdf"}},
			{2, "leave out --model", []string{"--model", "hs"}},
			{1, short, []string{"--to", "2022-12-01"}},
		}, args...)
	}
	refused(t, []badCall{
		{1, "has 4,253 hourly bars between --from and --to", []string{"--score", "--candles", files[0], "--from",
			"2022-09-01", "--to", "2023-03-18T09:00"}},
		{2, "3 candle files or more", []string{"--pool", "--candles", files[0]}},
		{2, "give one of them", append([]string{"--score", "--pool", "--candles"}, files...)},
	}, "backtest")
}
