package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ballast/compute/backtest"
	"ballast/compute/candles"
	"ballast/internal/plot"
	"ballast/marketcache"
)

// Validate refuses flags that exclude each other.
func (c *backtestCmd) Validate() error {
	c.Candles, c.More = append(c.Candles, c.More...), nil
	if c.Score && backtest.Model(c.Model) != backtest.FHSPX {
		return errors.New("--score judges the service's own model: leave out --model")
	}
	if c.Pool {
		switch {
		case c.Score:
			return errors.New("--pool and --score are two backtests: give one of them")
		case backtest.Model(c.Model) != backtest.FHSPX:
			return errors.New("--pool judges the service's own model: leave out --model")
		case len(c.Candles) < backtest.MinPoolFiles:
			return fmt.Errorf("--pool makes pools of several assets: give %d candle files or more",
				backtest.MinPoolFiles)
		}
	}
	if c.Plot == "" {
		return nil
	}
	if !c.Score && !c.Pool && len(c.Candles) > 1 {
		return errors.New("--plot draws one file unless --score or --pool takes all: give one --candles")
	}
	if !strings.EqualFold(filepath.Ext(c.Plot), ".png") {
		return fmt.Errorf("--plot %q: the name must end in .png", c.Plot)
	}
	return nil
}

// Run backtests a model, or the score, on each file and prints the verdicts.
func (c *backtestCmd) Run() error {
	if c.Score {
		return c.runScore()
	}
	if c.Pool {
		return c.runPool()
	}
	var results []*backtest.Result
	err := c.each(func(name string, bars []marketcache.Bar, progress func(done, all int)) error {
		r, err := backtest.Run(bars, backtest.Options{File: name, Model: backtest.Model(c.Model), Progress: progress})
		results = append(results, r)
		return err
	})
	if err != nil {
		return err
	}
	shown := any(results)
	if len(results) == 1 {
		shown = results[0]
	}
	return c.tell(shown, plot.VaR(results[0]), func(w io.Writer) {
		for i, r := range results {
			if i > 0 {
				fmt.Fprintln(w)
			}
			reportBacktest(w, r)
		}
		if len(results) > 1 {
			fmt.Fprintln(w)
			reportPooled(w, results)
		}
	})
}

// tell draws the picture that the flags ask for, and prints a result as JSON or as text.
func (c *backtestCmd) tell(result any, picture plot.Picture, report func(io.Writer)) error {
	if c.Plot != "" {
		if err := picture.Save(c.Plot); err != nil {
			return fmt.Errorf("--plot: %w", err)
		}
	}
	if c.JSON {
		return printJSON(os.Stdout, result)
	}
	report(os.Stdout)
	return nil
}

// runScore backtests the score and the chance of liquidation on all files together.
func (c *backtestCmd) runScore() error {
	var runs []*backtest.ScoreRun
	err := c.each(func(name string, bars []marketcache.Bar, progress func(done, all int)) error {
		r, err := backtest.RunScore(bars, name, progress)
		runs = append(runs, r)
		return err
	})
	if err != nil {
		return err
	}
	r := backtest.PoolScores(runs...)
	return c.tell(r, plot.Score(r), func(w io.Writer) { reportScore(w, r) })
}

// each reads the files one after another. It calls judge with a file's bars and a function that
// shows the progress.
func (c *backtestCmd) each(judge func(name string, bars []marketcache.Bar, progress func(done, all int)) error) error {
	line := newProgress(os.Stderr)
	defer line.clear()
	for i, path := range c.Candles {
		name := filepath.Base(path)
		line.say("file %d of %d: %s", i+1, len(c.Candles), name)
		bars, err := candles.Read(path)
		if err != nil {
			return err
		}
		err = judge(name, between(bars, c.From, c.To), func(done, all int) {
			line.sayOften("file %d of %d, %d %%: %s", i+1, len(c.Candles), 100*done/all, name)
		})
		var short *backtest.TooShortError
		if errors.As(err, &short) {
			return c.tooShort(path, short)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// tooShort explains how much history a file lacks and where to get more.
func (c *backtestCmd) tooShort(path string, short *backtest.TooShortError) error {
	within := ""
	if c.From.given || c.To.given {
		within = " between --from and --to"
	}
	return fmt.Errorf("%s has %s hourly bars%s, counted from its first 00:00 UTC; the backtest needs %s (%d days: a "+
		"year behind the first forecast). Get more with: ballast candles import FILE..., from public archives", path,
		grouped(short.Bars), within, grouped(backtest.MinBars), backtest.MinBars/hoursPerDay)
}

const hoursPerDay = 24

// backtestTests are the tests of a row: those of Kupiec, Christoffersen, and McNeil and Frey, in this order.
var backtestTests = []struct {
	name string
	p    func(*backtest.Row) float64
}{
	{"breach rate", func(r *backtest.Row) float64 { return r.KupiecP }},
	{"independence", func(r *backtest.Row) float64 { return r.ChristoffersenP }},
	{"shortfall", func(r *backtest.Row) float64 { return r.McNeilFreyP }},
}

// reportBacktest writes one backtest as text: the verdict, then the numbers.
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
	if r.Status == backtest.StatusInsufficient {
		verdict = tooFew(r.Rows[0].N)
	}
	fmt.Fprintf(w, "%s  %s\n", r.File, r.Model)
	wrapped(w, "", verdict)
	wrapped(w, "", fmt.Sprintf("%d forecasts of %d h, one a day, %s to %s; a test passes at p > %g",
		r.Rows[0].N, r.HorizonHours, day(r.FromMs), day(r.ToMs), backtest.PassLevel))
	reportFilled(w, r.Filled, r.Hours)

	fmt.Fprintln(w)
	const head = "  %-5s %4s %4s %6s %7s %7s %7s %7s %7s %6s %7s\n"
	fmt.Fprintf(w, head, "", "", "", "", "", "Kupiec ", "Christ.", "beyond", "VaR    ", "tick", "joint")
	fmt.Fprintf(w, head, "side", "VaR", "seen", "expect", "rate", "p   ", "p   ", "mean sd", "p   ", "vs HS", "FZ0")
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(w, "  %-5s %2.0f %% %4d %6.1f %5.2f %% %s %s %+7.3f %s %6.3f %7.3f\n", row.Side, 100*row.Level,
			row.Hits, (1-row.Level)*float64(row.N), 100*row.Rate, pValue(row.KupiecP), pValue(row.ChristoffersenP),
			row.ESResidual, pValue(row.McNeilFreyP), row.PinballRatio, row.FZ0)
	}
}

// tooFew returns the verdict text for fewer than backtest.MinForecasts forecasts.
func tooFew(forecasts int) string {
	return fmt.Sprintf("no verdict: the data do not suffice, %d of the %d daily forecasts that it takes", forecasts,
		backtest.MinForecasts)
}

// reportFilled says how many hours were missing in a history, if any were.
func reportFilled(w io.Writer, filled, hours int) {
	if filled > 0 {
		wrapped(w, "", fmt.Sprintf("%s of %s hours were missing and are filled with flat bars", grouped(filled),
			grouped(hours)))
	}
}

// reportPooled writes one line per VaR level, pooled over all files with enough forecasts for a verdict.
func reportPooled(w io.Writer, all []*backtest.Result) {
	which := "All"
	results := slices.DeleteFunc(slices.Clone(all), func(r *backtest.Result) bool {
		return r.Status == backtest.StatusInsufficient
	})
	if n := len(all) - len(results); n > 0 {
		wrapped(w, "", fmt.Sprintf("%d of %d files have fewer than %d forecasts and are left out of the sums", n,
			len(all), backtest.MinForecasts))
		which = "The other"
	}
	if len(results) == 0 {
		return
	}
	fmt.Fprintf(w, "%s %d files, %s: sides that pass at p > %g, mean losses\n", which, len(results), results[0].Model,
		backtest.PassLevel)
	fmt.Fprintln(w, "  VaR  forecasts  breaches   rate  Kupiec  Christ.  shortfall  tick vs HS    FZ0")
	for _, s := range backtest.Summarise(results) {
		of := func(n int) string { return fmt.Sprintf("%d/%d", n, s.Sides) }
		fmt.Fprintf(w, "  %2.0f %% %9d  %8d  %.2f%%  %-6s  %-7s  %-9s  %10.3f %6.3f\n", 100*s.Level, s.N, s.Hits,
			100*s.Rate, of(s.KupiecPasses), of(s.ChristoffersenPasses), of(s.ESPasses), s.PinballRatio, s.FZ0)
	}
}

// pValue formats a p-value, with a "!" when the test rejects the model.
func pValue(p float64) string {
	mark := " "
	if p <= backtest.PassLevel {
		mark = "!"
	}
	return fmt.Sprintf("%.4f%s", p, mark)
}

func day(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.DateOnly) }

// reportScore writes the score's backtest as text in 80 columns.
func reportScore(w io.Writer, r *backtest.ScoreResult) {
	for file := range strings.SplitSeq(r.File, ",") {
		fmt.Fprintln(w, file)
	}
	fmt.Fprintf(w, "%s positions of 24 h, %s to %s, model %s:\n", grouped(r.Cases), day(r.FromMs), day(r.ToMs), r.Model)
	fmt.Fprintf(w, "isolated, opened once a day, long and short,\nat %s of at most %dx.\n", leverages(r.Leverages),
		r.MaxLeverage)
	fmt.Fprintf(w, "%s were liquidated, %s lost half of their margin or more.\n", grouped(r.Liquidated),
		grouped(r.LostHalf))

	reportFilled(w, r.Filled, r.Hours)
	if r.Status == backtest.StatusInsufficient {
		wrapped(w, "", tooFew(r.Days))
	}

	const line = "  %-20s %9s %14s %12s %12s\n"
	outcomes := func(name string, o backtest.Outcomes) {
		fmt.Fprintf(w, line, name, grouped(o.N), share(o.Liquidated, o.N), mean(o.MeanProbability, o.N),
			share(o.LostHalf, o.N))
	}
	fmt.Fprintf(w, "\n"+line, "risk_score", "positions", "liquidated %", "predicted %", "lost half %")
	for _, d := range r.Deciles {
		outcomes(fmt.Sprintf("%d-%d", d.From, d.To), d.Outcomes)
	}
	fmt.Fprintf(w, "\n"+line, "recommendation", "positions", "liquidated %", "predicted %", "lost half %")
	for _, b := range r.Bands {
		outcomes(b.Recommendation, b.Outcomes)
	}
	reportBins(w, "probability_24h", r.Reliability)
	reportWeek(w, r)
	reportCrises(w, r.Crises)
	fmt.Fprintf(w, "\nBrier %.4f (base rate %.4f), AUC %.4f, AUC of the score %.4f\n", r.Brier, r.BrierBase, r.AUC,
		r.AUCScore)
}

// binLine is a row of a table of scoreColumns without outcomes of half a margin.
const binLine = "  %-20s %9s %14s %12s\n"

// reportBins writes the liquidated share by forecast probability.
func reportBins(w io.Writer, name string, bins []backtest.Bin) {
	fmt.Fprintf(w, "\n"+binLine, name, "positions", "liquidated %", "predicted %")
	for _, b := range bins {
		fmt.Fprintf(w, binLine, fmt.Sprintf("%g-%g %%", 100*b.From, 100*b.To), grouped(b.N), share(b.Liquidated, b.N),
			mean(b.MeanProbability, b.N))
	}
}

// reportWeek writes what happened within 7 days.
func reportWeek(w io.Writer, r *backtest.ScoreResult) {
	fmt.Fprintf(w, "\n"+binLine, "within 7 days", "positions", "liquidated %", "predicted %")
	for _, b := range r.Bands {
		fmt.Fprintf(w, binLine, b.Recommendation, grouped(b.N7d), share(b.Liquidated7d, b.N7d),
			mean(b.MeanProbability7d, b.N7d))
	}
	reportBins(w, "probability_7d", r.Reliability7d)
}

// reportCrises writes what happened within 24 hours on the days on which everything fell together.
func reportCrises(w io.Writer, crises []backtest.CrisisResult) {
	if len(crises) == 0 {
		return
	}
	const line = "  %-12s %9s %14s %14s %12s %10s\n"
	fmt.Fprintf(w, "\n"+line, "crisis", "positions", "proceed %", "its longs %", "caution %", "abort %")
	both := func(o backtest.Outcomes) string {
		return fmt.Sprintf("%s (%s)", share(o.Liquidated, o.N), mean(o.MeanProbability, o.N))
	}
	for i := range crises {
		c := &crises[i]
		proceed, caution, abort := c.Bands[0], c.Bands[1], c.Bands[2]
		fmt.Fprintf(w, line, c.Name, grouped(proceed.N), both(proceed), both(c.ProceedLongs), both(caution),
			both(abort))
	}
	wrapped(w, "", "Positions of proceed opened in the crisis, and the shares liquidated within 24 h; in brackets as "+
		"predicted. All who are told proceed on such days fail together.")
}

// share formats k of n in percent with three significant digits.
func share(k, n int) string { return mean(float64(k)/float64(max(1, n)), n) }

// mean formats x, the mean fraction of n cases, in percent with three significant digits.
func mean(x float64, n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3g", 100*x)
}

// leverages prints 1, 2, 40 as "1, 2 and 40x".
func leverages(of []int) string {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(of), " ", ", "), "[]")
	if i := strings.LastIndex(text, ", "); i >= 0 {
		text = text[:i] + " and" + text[i+1:]
	}
	return text + "x"
}
