package backtest

import (
	"fmt"
	"math"

	"ballast/compute/calib"
	"ballast/compute/stats"
	"ballast/compute/vol"
	"ballast/marketcache"
)

const (
	hourMs  = 3_600_000
	horizon = 24 // hours of a forecast, and hours between two forecasts

	// firstDay is the day of the first forecast: every model has a year of history before it.
	firstDay = 366
	// MinBars is the shortest history with a forecast whose outcome is known.
	MinBars = horizon*(firstDay+1) + 1
	// ForecastHour is the open hour, UTC, of the bar that has just closed at a forecast.
	ForecastHour = 0

	// historicalDays is the number of daily returns in a historical simulation.
	historicalDays = 365
)

// Levels are the confidence levels in the order of every array indexed by level.
var Levels = [marketcache.LevelCount]float64{marketcache.P95: 0.95, marketcache.P99: 0.99}

// Sides names the sides in the order of every array indexed by side.
var Sides = [marketcache.SideCount]string{marketcache.Long: "long", marketcache.Short: "short"}

var sign = [marketcache.SideCount]float64{marketcache.Long: 1, marketcache.Short: -1}

// TooShortError is the error of a history with less than MinBars bars.
type TooShortError struct{ Bars int } // bars from the first 00:00 UTC on, filled bars included

func (e *TooShortError) Error() string {
	return fmt.Sprintf("history too short to judge: %d hourly bars from the first 00:00 UTC on, want %d", e.Bars,
		MinBars)
}

// Options say what to run.
type Options struct {
	File  string // file name printed in the result
	Model Model  // FHSPX when empty
	// Progress is called with the number of processed bars and of all bars; may be nil.
	// Models on daily returns do not call it.
	Progress func(done, all int)
}

// Result is a whole backtest.
type Result struct {
	File         string `json:"file"`
	Model        Model  `json:"model"`
	HorizonHours int    `json:"horizon_hours"`
	FromMs       int64  `json:"from"`   // open time of the bar that had just closed at the first forecast
	ToMs         int64  `json:"to"`     // the same for the last forecast
	Hours        int    `json:"hours"`  // of the history from its first 00:00 UTC on
	Filled       int    `json:"filled"` // of these, missing hours filled by flat bars
	Status       Status `json:"status"`
	Rows         []Row  `json:"results"`

	// Days are the forecasts behind the rows.
	Days [marketcache.SideCount][marketcache.LevelCount][]Day `json:"-"`
}

// Row returns the test results of a side and level, given as indexes.
func (r *Result) Row(side, level int) *Row { return &r.Rows[side*marketcache.LevelCount+level] }

// Run evaluates a model on a history of closed hourly bars, oldest first. It drops bars before the first
// that opens at 00:00 UTC and fills missing hours with flat bars. The error is a TooShortError, an error
// of package vol for impossible bars, or garch.ErrSeries.
func Run(bars []marketcache.Bar, opt Options) (*Result, error) {
	if opt.Model == "" {
		opt.Model = FHSPX
	}
	h, err := newHistory(bars)
	if err != nil {
		return nil, err
	}
	h.progress = opt.Progress
	forecasts, err := opt.Model.forecasts(h)
	if err != nil {
		return nil, err
	}
	r := &Result{
		File: opt.File, Model: opt.Model, HorizonHours: horizon,
		FromMs: h.openMs(firstDay), ToMs: h.openMs(h.lastDay()), Hours: len(h.bars), Filled: h.filled,
	}
	r.Days = h.outcomes(forecasts)
	for side, name := range Sides {
		for level, p := range Levels {
			row := Evaluate(r.Days[side][level], p)
			row.Side = name
			r.Rows = append(r.Rows, row)
		}
	}
	r.Status = statusOf(r.Rows)
	return r, nil
}

// history is a history without gaps that begins at 00:00 UTC.
type history struct {
	bars   []marketcache.Bar
	filled int // number of flat bars that fill missing hours
	// returns are the log returns from one 00:00 bar's close to the next: returns[d-1] ends at day d.
	returns []float64

	progress func(done, all int) // see Options
}

func newHistory(bars []marketcache.Bar) (*history, error) {
	whole, filled, err := fromMidnight(bars)
	if err != nil {
		return nil, err
	}
	if len(whole) < MinBars {
		return nil, &TooShortError{len(whole)}
	}
	h := &history{bars: whole, filled: filled}
	for d := 1; d*horizon < len(whole); d++ {
		h.returns = append(h.returns, math.Log(whole[d*horizon].Close)-math.Log(whole[(d-1)*horizon].Close))
	}
	return h, nil
}

// fromMidnight returns the bars from the first that opens at 00:00 UTC on, with a flat bar for
// each missing hour, and the number of flat bars.
func fromMidnight(bars []marketcache.Bar) (whole []marketcache.Bar, filled int, err error) {
	for len(bars) > 0 && bars[0].OpenMs/hourMs%24 != ForecastHour {
		bars = bars[1:]
	}
	whole = make([]marketcache.Bar, 0, len(bars))
	for _, b := range bars {
		if whole, err = vol.AppendFilled(whole, b); err != nil {
			return nil, 0, err
		}
	}
	return whole, len(whole) - len(bars), nil
}

// lastDay is the last day whose outcome is known.
func (h *history) lastDay() int { return len(h.returns) - 1 }

func (h *history) openMs(day int) int64 { return h.bars[day*horizon].OpenMs }

// known returns the newest n daily returns known at a day, fewer when there are not as many.
func (h *history) known(day, n int) []float64 { return h.returns[max(0, day-n):day] }

// forecast is a model's forecast on one day, in log losses.
type forecast struct {
	sd float64
	// VaR and ES.
	loss, shortfall [marketcache.SideCount][marketcache.LevelCount]float64
}

// outcomes joins the forecasts, one per day from firstDay on, with the realised losses.
func (h *history) outcomes(forecasts []forecast) (days [marketcache.SideCount][marketcache.LevelCount][]Day) {
	signed := make([]float64, historicalDays)
	for i, f := range forecasts {
		day := firstDay + i
		for side := range Sides {
			for level := range Levels {
				for j, r := range h.known(day, historicalDays) {
					signed[j] = sign[side] * r
				}
				days[side][level] = append(days[side][level], Day{
					TimeMs: h.openMs(day), Loss: -sign[side] * h.returns[day],
					VaR: f.loss[side][level], ES: f.shortfall[side][level], SD: f.sd,
					HSVaR: -stats.Quantile(signed, vol.TailShare(level)),
				})
			}
		}
	}
	return days
}

// walk feeds the bars to the service's calibration. It calls each() after the 00:00 bar of every day
// from firstDay to lastDay+1; on lastDay+1 the outcome of the last forecast is known.
func (h *history) walk(each func(day int, service *calib.History)) error {
	service := calib.NewHistory(marketcache.ClassCrypto)
	for i := range h.bars {
		if err := service.Extend(h.bars[i : i+1]); err != nil {
			return err
		}
		if day := i / horizon; i%horizon == 0 && day >= firstDay {
			each(day, service)
			if h.progress != nil {
				h.progress(i, len(h.bars))
			}
		}
	}
	return nil
}

// walkService takes the service's forecast each day.
func (h *history) walkService() (out []forecast, err error) {
	scratch := &vol.Scratch{}
	err = h.walk(func(day int, service *calib.History) {
		if day > h.lastDay() {
			return
		}
		v := service.State().Forecast(marketcache.H24, scratch)
		f := forecast{sd: math.Sqrt(v.Variance)}
		for side := range Sides {
			for level := range Levels {
				t := v.Tail[side][level]
				f.loss[side][level], f.shortfall[side][level] = -t.ZQ*f.sd, -t.ZES*f.sd
			}
		}
		out = append(out, f)
	})
	return out, err
}
