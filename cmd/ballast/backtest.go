package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ballast/compute/backtest"
)

// Validate refuses flags that do not go together.
func (c *backtestCmd) Validate() error {
	c.Candles, c.More = append(c.Candles, c.More...), nil
	if c.Plot != "" && len(c.Candles) > 1 {
		return errors.New("--plot draws one file: give one --candles")
	}
	return nil
}

// Run judges a model on each file and prints the verdicts.
func (c *backtestCmd) Run() error {
	var results []*backtest.Result
	for _, path := range c.Candles {
		bars, err := readCandles(path)
		if err != nil {
			return err
		}
		r, err := backtest.Run(between(bars, c.From, c.To), backtest.Options{
			File: filepath.Base(path), Model: backtest.Model(c.Model),
		})
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		results = append(results, r)
	}
	if c.Plot != "" {
		if err := plotBacktest(results[0], c.Plot); err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
	}
	switch {
	case c.JSON && len(results) == 1:
		return printJSON(os.Stdout, results[0])
	case c.JSON:
		return printJSON(os.Stdout, results)
	}
	for i, r := range results {
		if i > 0 {
			fmt.Println()
		}
		reportBacktest(os.Stdout, r)
	}
	if len(results) > 1 {
		fmt.Println()
		reportPooled(os.Stdout, results)
	}
	return nil
}

// backtestTests are the tests of a row, by the name that a reader knows them under.
var backtestTests = []struct {
	name string
	p    func(*backtest.Row) float64
}{
	{"breach rate", func(r *backtest.Row) float64 { return r.KupiecP }},
	{"independence", func(r *backtest.Row) float64 { return r.ChristoffersenP }},
	{"shortfall", func(r *backtest.Row) float64 { return r.McNeilFreyP }},
}

// reportBacktest writes one backtest for a person: the verdict, then the numbers.
func reportBacktest(w io.Writer, r *backtest.Result) {
	passed, all := 0, 0
	var failed []string
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, test := range backtestTests {
			all++
			if test.p(row) > backtest.PassLevel {
				passed++
			} else {
				failed = append(failed, fmt.Sprintf("%s %s %.0f %%", test.name, row.Side, 100*row.Level))
			}
		}
	}
	verdict := fmt.Sprintf("%d of %d tests passed", passed, all)
	if len(failed) > 0 {
		verdict += ", failed: " + strings.Join(failed, "; ")
	}
	fmt.Fprintf(w, "%s  %s\n%s\n", r.File, r.Model, verdict)
	fmt.Fprintf(w, "%d forecasts of %d h, one a day, %s to %s; a test passes at p > %g\n\n",
		r.Rows[0].N, r.HorizonHours, day(r.FromMs), day(r.ToMs), backtest.PassLevel)

	fmt.Fprintln(w, "              breaches                 Kupiec   Christoffersen  beyond VaR, against ES   tick loss  joint loss")
	fmt.Fprintln(w, "  side   VaR  seen  expected   rate    p        p               mean sd   p              vs HS      FZ0")
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(w, "  %-5s %2.0f %%  %4d  %8.1f  %5.2f %%  %s  %s         %+7.3f   %s        %9.3f  %10.3f\n",
			row.Side, 100*row.Level, row.Hits, (1-row.Level)*float64(row.N), 100*row.Rate,
			pValue(row.KupiecP), pValue(row.ChristoffersenP), row.ESResidual, pValue(row.McNeilFreyP), row.PinballRatio, row.FZ0)
	}
}

// reportPooled writes one line a level over all files.
func reportPooled(w io.Writer, results []*backtest.Result) {
	fmt.Fprintf(w, "All %d files, %s: sides that pass at p > %g, mean losses\n", len(results), results[0].Model, backtest.PassLevel)
	fmt.Fprintln(w, "  VaR   forecasts  breaches  rate   Kupiec  Christoffersen  shortfall  tick vs HS  FZ0")
	for _, s := range backtest.Summarise(results) {
		of := func(n int) string { return fmt.Sprintf("%d/%d", n, s.Sides) }
		fmt.Fprintf(w, "  %2.0f %%  %9d  %8d  %.2f%%  %-6s  %-14s  %-9s  %10.3f  %.3f\n", 100*s.Level, s.N, s.Hits, 100*s.Rate,
			of(s.KupiecPasses), of(s.ChristoffersenPasses), of(s.ESPasses), s.PinballRatio, s.FZ0)
	}
}

// pValue prints a p-value with a mark when the test has failed.
func pValue(p float64) string {
	mark := " "
	if p <= backtest.PassLevel {
		mark = "!"
	}
	return fmt.Sprintf("%.4f%s", p, mark)
}

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }
