package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ballast/compute/calib"
	"ballast/compute/candles"
	"ballast/compute/copula"
	"ballast/compute/joint"
	"ballast/compute/vol"
	"ballast/marketcache"
)

const (
	hourMs       = 3_600_000
	hoursPerYear = 8760
)

// calibration is the output of `ballast calibrate`.
type calibration struct {
	Files          []*fileFit       `json:"files"`
	Correlation    [][]float64      `json:"correlation"`
	TailDependence []tailDependence `json:"tail_dependence"`
	Hash           string           `json:"calibration_hash"`
}

// fileFit is the fit of one file as of its last bar.
type fileFit struct {
	File    string `json:"file"`
	Bars    int    `json:"bars"`   // bars from the file
	Filled  int    `json:"filled"` // flat bars inserted for missing hours
	FirstMs int64  `json:"first_ts"`
	LastMs  int64  `json:"last_ts"`

	Close            float64            `json:"close"`
	E                [4]float64         `json:"E"`  // variance per hour
	LongRun          float64            `json:"lr"` // variance per hour
	LongRunSigma     float64            `json:"long_run_sigma"`
	Horizons         horizonFits        `json:"horizons"`
	Tail             *sides[extremeFit] `json:"tail"` // null below 24 bars
	VolatilityRegime string             `json:"volatility_regime"`
	Regime           regimeFit          `json:"regime"`
	Drawdown         *drawdownFit       `json:"drawdown"` // null below 30 bars
	Excursions       excursionFits      `json:"excursions"`
	MonteCarlo       pathFit            `json:"monte_carlo"`
}

type horizonFits struct {
	H1   horizonFit `json:"1"`
	H4   horizonFit `json:"4"`
	H24  horizonFit `json:"24"`
	H168 horizonFit `json:"168"`
}

// horizonFit is the fit for one horizon: variance of the log return, annualised volatility, tails.
type horizonFit struct {
	Variance float64     `json:"variance"`
	Average  float64     `json:"variance_average"` // of hours of average activity
	Kappa2   float64     `json:"kappa2"`
	Sigma    float64     `json:"sigma"`
	Outcomes int         `json:"n_z"`
	Long95   quantileFit `json:"long_95"`
	Long99   quantileFit `json:"long_99"`
	Short95  quantileFit `json:"short_95"`
	Short99  quantileFit `json:"short_99"`
}

type quantileFit struct {
	ZQ     float64 `json:"z_q"`
	ZES    float64 `json:"z_es"`
	PctVaR float64 `json:"pct_var"`
	PctES  float64 `json:"pct_es"`
}

// sides are the fits for a long and a short position.
type sides[T any] struct {
	Long  T `json:"long"`
	Short T `json:"short"`
}

// bothSides fits each side.
func bothSides[T any](fit func(side int) T) sides[T] {
	return sides[T]{fit(marketcache.Long), fit(marketcache.Short)}
}

// extremeFit is the generalised Pareto tail of one side, and the one-day VaR and ES at 99.9 % that
// follow from it, percent of notional.
type extremeFit struct {
	U float64 `json:"u"`
	// null: too few outcomes or no fit, so the tail pooled over several assets is used
	XiRaw    *float64 `json:"xi_raw"`
	Beta     float64  `json:"beta"`
	Xi       float64  `json:"xi"`
	Outcomes int      `json:"n"`
	VaR      float64  `json:"var_99_9"`
	ES       float64  `json:"es_99_9"`
}

type regimeFit struct {
	State         string     `json:"state"`
	Probabilities [3]float64 `json:"probabilities"`
}

type drawdownFit struct {
	MaxPct        float64 `json:"max_drawdown_pct"`
	CurrentPct    float64 `json:"current_drawdown_pct"`
	DurationHours int     `json:"drawdown_duration_hours"`
	Calmar        float64 `json:"calmar_ratio"`
	ATR           float64 `json:"atr"`
}

// excursionFits holds by horizon in hours, for each side of a position, the adverse excursion (price against the
// position) that is exceeded with each probability in vol.ExcursionShares, in standard deviations.
type excursionFits struct {
	H24  sides[marketcache.Excursions] `json:"24"`
	H168 sides[marketcache.Excursions] `json:"168"`
}

// pathFit holds the fitted parameters of the simulation of hourly price paths.
type pathFit struct {
	K2Hourly      float64 `json:"k2_1"`
	RangeToReturn float64 `json:"g"`
	MomentMatch   float64 `json:"c"`
}

// tailDependence is the t copula fitted to two files.
type tailDependence struct {
	A       string  `json:"asset_a"`
	B       string  `json:"asset_b"`
	Lower   float64 `json:"lambda_lower"`
	Upper   float64 `json:"lambda_upper"`
	Pearson float64 `json:"pearson_rho"`
	Nu      float64 `json:"nu"`
}

// Run fits each file and prints the results.
func (c *calibrateCmd) Run() error {
	var names []string
	var bars [][]marketcache.Bar
	line := newProgress(os.Stderr)
	defer line.clear()
	paths := append(c.Candles, c.More...)
	for i, path := range paths {
		line.say("reading file %d of %d: %s", i+1, len(paths), filepath.Base(path))
		b, err := candles.Read(path)
		if err != nil {
			return err
		}
		names, bars = append(names, filepath.Base(path)), append(bars, b)
	}
	result, err := calibrate(names, bars, line)
	if err != nil {
		return err
	}
	line.clear()
	if c.JSON {
		return printJSON(os.Stdout, result)
	}
	reportCalibration(os.Stdout, result)
	return nil
}

// calibrate fits the bars of each name; all bars must be closed.
func calibrate(names []string, bars [][]marketcache.Bar, line *progress) (*calibration, error) {
	c := &calibration{}
	var fits []*marketcache.AssetModel
	hash := sha256.New()
	constants := sha256.Sum256(calib.Constants())
	hash.Write(constants[:])
	for i, name := range names {
		line.say("fitting file %d of %d: %s", i+1, len(names), name)
		h := calib.NewHistory(marketcache.ClassCrypto)
		if err := h.Extend(bars[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		m := h.Model(marketcache.AssetID(i), name, &calib.Scratch{})
		fits = append(fits, m)
		hash.Write(m.Digest[:])
		c.Files = append(c.Files, newFileFit(m, h.Filled()))
	}
	c.Hash = hex.EncodeToString(hash.Sum(nil))
	line.say("fitting how %d files move together", len(names))
	k := len(fits)
	flat := joint.Correlations(fits)
	for i := range k {
		c.Correlation = append(c.Correlation, flat[i*k:(i+1)*k])
	}
	c.TailDependence = pairs(fits)
	return c, nil
}

func newFileFit(m *marketcache.AssetModel, filled int) *fileFit {
	excursions := func(h int) sides[marketcache.Excursions] {
		return bothSides(func(side int) marketcache.Excursions { return m.Excursions[h][side] })
	}
	f := &fileFit{
		File: m.Name, Bars: m.Bars, Filled: filled, FirstMs: m.FirstHour * hourMs, LastMs: m.LastHour * hourMs,
		Close: m.LastClose, E: m.E, LongRun: m.LongRunVariance, LongRunSigma: m.LongRunSigma,
		Horizons: horizonFits{newHorizonFit(m, 0), newHorizonFit(m, 1), newHorizonFit(m, 2),
			newHorizonFit(m, 3)},
		VolatilityRegime: m.VolRegime.String(),
		Regime:           regimeFit{m.RegimeState.String(), m.RegimeProb},
		Excursions:       excursionFits{excursions(marketcache.Excursion24h), excursions(marketcache.Excursion168h)},
		MonteCarlo:       pathFit{m.K2Hourly, m.RangeToReturn, m.MomentMatch},
	}
	if m.HasExtreme {
		f.Tail = new(bothSides(func(side int) extremeFit { return newExtremeFit(m, side) }))
	}
	if d := m.Drawdown; d.Known {
		f.Drawdown = &drawdownFit{d.MaxPct, d.CurrentPct, d.DurationHours, d.Calmar, d.ATR}
	}
	return f
}

func newHorizonFit(m *marketcache.AssetModel, h int) horizonFit {
	tail := func(side, level int) quantileFit { return quantileFit(m.Tail[h][side][level]) }
	return horizonFit{
		Variance: m.Variance[h], Average: m.AverageVariance[h], Kappa2: m.Kappa2[h], Sigma: m.Sigma[h],
		Outcomes: m.Outcomes[h],
		Long95:   tail(marketcache.Long, marketcache.P95), Long99: tail(marketcache.Long, marketcache.P99),
		Short95: tail(marketcache.Short, marketcache.P95), Short99: tail(marketcache.Short, marketcache.P99),
	}
}

func newExtremeFit(m *marketcache.AssetModel, side int) extremeFit {
	t, loss := m.Extreme[side], m.ExtremePct[side]
	f := extremeFit{U: t.U, Beta: t.Beta, Xi: t.Xi, Outcomes: t.N, VaR: loss.VaR, ES: loss.ES}
	if !t.Pooled {
		f.XiRaw = &t.XiRaw
	}
	return f
}

// pairs fits the tail dependence of every two files that share enough hours.
func pairs(fits []*marketcache.AssetModel) []tailDependence {
	found := []tailDependence{}
	fitter := copula.NewFitter()
	for i, a := range fits {
		for _, b := range fits[i+1:] {
			if p := copula.FitModels(fitter, a, b); p.Known {
				found = append(found, tailDependence{a.Name, b.Name, p.Lambda, p.Lambda, p.Pearson, p.Nu})
			}
		}
	}
	return found
}

// reportCalibration writes a calibration as text.
func reportCalibration(w io.Writer, c *calibration) {
	for _, f := range c.Files {
		f.report(w)
		fmt.Fprintln(w)
	}
	if len(c.Files) > 1 {
		c.reportTogether(w)
	}
	fmt.Fprintf(w, "calibration %s\n", c.Hash)
}

func (f *fileFit) report(w io.Writer) {
	fmt.Fprintln(w, f.File)
	row(w, "history", "%d hourly bars, %d of them filled, %s to %s, last close %s", f.Bars, f.Filled, hour(f.FirstMs),
		hour(f.LastMs), price(f.Close))
	hz := f.Horizons
	row(w, "volatility",
		"%.1f %% a year over 1 h, %.1f over 4 h, %.1f over 24 h, %.1f over 7 d; long run %.1f; %s for this asset",
		100*hz.H1.Sigma, 100*hz.H4.Sigma, 100*hz.H24.Sigma, 100*hz.H168.Sigma, 100*f.LongRunSigma, f.VolatilityRegime)
	memory := [4]float64{}
	for i, e := range f.E {
		memory[i] = 100 * math.Sqrt(e*hoursPerYear)
	}
	row(w, "memories", "%.1f of 6 h, %.1f of 1 d, %.1f of 5 d, %.1f of 25 d", memory[0], memory[1], memory[2],
		memory[3])
	p := f.Regime.Probabilities
	row(w, "liquidity", "%s: normal %.1f %%, stressed %.1f %%, crisis %.1f %%", f.Regime.State, 100*p[0], 100*p[1],
		100*p[2])
	const line = "  %-14s %5s  %6s %6s %6s %6s  %6s %6s %6s %6s\n"
	fmt.Fprintf(w, line, "loss, %", "", "long", "95 %", "", "99 %", "short", "95 %", "", "99 %")
	fmt.Fprintf(w, line, "", "", "VaR", "ES", "VaR", "ES", "VaR", "ES", "VaR", "ES")
	var outcomes []string
	for i, h := range []horizonFit{hz.H1, hz.H4, hz.H24, hz.H168} {
		figures := []any{"", fmt.Sprintf("%d h", marketcache.Horizons[i])}
		for _, q := range []quantileFit{h.Long95, h.Long99, h.Short95, h.Short99} {
			figures = append(figures, fmt.Sprintf("%.2f", q.PctVaR), fmt.Sprintf("%.2f", q.PctES))
		}
		fmt.Fprintf(w, line, figures...)
		outcomes = append(outcomes, fmt.Sprintf("%d of %d h", h.Outcomes, marketcache.Horizons[i]))
	}
	row(w, "outcomes", "%s", strings.Join(outcomes, ", "))
	if f.Tail != nil {
		for _, side := range []struct {
			name string
			t    extremeFit
		}{{"long", f.Tail.Long}, {"short", f.Tail.Short}} {
			fitted := "pooled"
			if side.t.XiRaw != nil {
				fitted = fmt.Sprintf("fitted to %d outcomes, xi as fitted %.3f", side.t.Outcomes, *side.t.XiRaw)
			}
			row(w, "tail "+side.name, "99.9 %% VaR %.2f, ES %.2f over 24 h; u %.3f, xi %.3f, beta %.3f, %s",
				side.t.VaR, side.t.ES, side.t.U, side.t.Xi, side.t.Beta, fitted)
		}
	}
	day, week := f.Excursions.H24, f.Excursions.H168
	row(w, "price reaches",
		"1 %% of the time %.1f %% down or further, %.1f %% up or further, within 24 h; %.1f and %.1f within 7 d",
		excursionPct(day.Long, marketcache.Long, hz.H24.Variance),
		excursionPct(day.Short, marketcache.Short, hz.H24.Variance),
		excursionPct(week.Long, marketcache.Long, hz.H168.Variance),
		excursionPct(week.Short, marketcache.Short, hz.H168.Variance))
	if d := f.Drawdown; d != nil {
		row(w, "drawdown",
			"at most %.1f %% in the last year, now %.1f %% for %d h; Calmar %.2f; average true range of 4 h %s",
			d.MaxPct, d.CurrentPct, d.DurationHours, d.Calmar, price(d.ATR))
	}
	row(w, "simulation", "k2 %.4f, g %.4f, c %.4f", f.MonteCarlo.K2Hourly, f.MonteCarlo.RangeToReturn,
		f.MonteCarlo.MomentMatch)
}

// excursionPct returns the adverse move that 1 % of outcomes exceed, percent of the price, for
// a given variance over the horizon.
func excursionPct(knots marketcache.Excursions, side int, variance float64) float64 {
	return vol.LossPct(-knots[slices.Index(vol.ExcursionShares[:], 0.01)], side, math.Sqrt(variance))
}

// reportTogether writes the correlation matrix and the pairs; both refer to files by number.
func (c *calibration) reportTogether(w io.Writer) {
	fmt.Fprintln(w, "Files")
	number := map[string]int{}
	for i, f := range c.Files {
		number[f.File] = i + 1
		fmt.Fprintf(w, "  %2d  %s\n", i+1, f.File)
	}
	fmt.Fprintf(w, "\nCorrelation of hourly returns\n    ")
	for i := range c.Files {
		fmt.Fprintf(w, "%7d", i+1)
	}
	fmt.Fprintln(w)
	for i := range c.Files {
		fmt.Fprintf(w, "  %2d", i+1)
		for _, rho := range c.Correlation[i] {
			fmt.Fprintf(w, "%7.3f", rho)
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, "\nTail dependence of 4 h returns, Student-t copula")
	if len(c.TailDependence) == 0 {
		fmt.Fprintln(w, "  no two files share enough hours")
	}
	for _, t := range c.TailDependence {
		fmt.Fprintf(w, "  %2d and %2d  lambda %.3f  Pearson %.3f  nu %.2f\n", number[t.A], number[t.B], t.Lower,
			t.Pearson, t.Nu)
	}
	fmt.Fprintln(w)
}

func hour(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04") }
