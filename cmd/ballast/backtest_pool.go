package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"ballast/compute/backtest"
	"ballast/internal/plot"
	"ballast/marketcache"
)

// runPool backtests the chance that a cross pool is liquidated, on pools made of all files.
func (c *backtestCmd) runPool() error {
	var files []backtest.PoolFile
	err := c.each(func(name string, bars []marketcache.Bar, _ func(done, all int)) error {
		files = append(files, backtest.PoolFile{Name: name, Bars: bars})
		return nil
	})
	if err != nil {
		return err
	}
	line := newProgress(os.Stderr)
	r, err := backtest.RunPool(files, func(done, all int) { line.sayOften("%d %%", 100*done/all) })
	line.clear()
	if err != nil {
		return err
	}
	return c.tell(r, plot.Pool(r), func(w io.Writer) { reportPools(w, r) })
}

// reportPools writes the backtest of pools as text in 80 columns.
func reportPools(w io.Writer, r *backtest.PoolResult) {
	for file := range strings.SplitSeq(r.File, ",") {
		fmt.Fprintln(w, file)
	}
	fmt.Fprintf(w, "%s cases, %s forecasts %d h apart, %s to %s,\n", grouped(r.Cases), grouped(r.Forecasts),
		r.EveryHours, day(r.FromMs), day(r.ToMs))
	fmt.Fprintf(w, "model %s: cross pools of equal legs made of the files.\n", r.Model)
	wrapped(w, "", "Liquidated: with what the model adds between hourly closes. At closes is a lower bound; at worst, "+
		"every leg at its worst of each hour, an upper bound.")
	reportFilled(w, r.Filled, r.Hours)
	const line = "  %-12s %8s %11s %12s %10s %9s"
	row := func(name string, o backtest.PoolOutcomes, more string) {
		text := fmt.Sprintf(line, name, grouped(o.N), mean(o.MeanProbability, o.N), share(o.Liquidated, o.N),
			share(o.Closes, o.N), share(o.Worst, o.N))
		fmt.Fprintln(w, strings.TrimRight(text+more, " "))
	}
	for _, h := range r.Horizons {
		fmt.Fprintf(w, "\nWithin %d hours\n", h.Hours)
		fmt.Fprintf(w, line+" %8s\n", "pool", "cases", "predicted %", "liquidated %", "at closes", "at worst",
			"log loss")
		for _, k := range h.Kinds {
			row(k.Kind, k.PoolOutcomes, fmt.Sprintf(" %8.4f", k.LogLoss))
		}
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("\n"+line, "forecast", "cases", "predicted %", "liquidated %",
			"at closes", "at worst"), " "))
		for _, b := range h.Reliability {
			row(fmt.Sprintf("%g-%g %%", 100*b.From, 100*b.To), b.PoolOutcomes, "")
		}
	}
}
