package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"time"

	"ballast/compute/backtest"
	"ballast/marketcache"
)

// Colours by VaR level: the band between the VaR of both sides, and breaches.
var (
	bands = [...]color.RGBA{{0xcf, 0xe3, 0xf5, 0xff}, {0xfb, 0xea, 0xe7, 0xff}}
	marks = [...]color.RGBA{blue, {0xb8, 0x22, 0x14, 0xff}}
)

const daySeconds = 86_400

// VaR draws returns against forecasts: 24-hour returns as bars, VaR of both sides as bands, breaches as dots. Above 0 a
// short loses, below 0 a long. Returns beyond the axis stand at its end with their values.
func VaR(r *backtest.Result) Picture {
	days := r.Days[marketcache.Long][marketcache.P95]
	low, high := limits(r)
	first, last := seconds(days[0].TimeMs), seconds(days[len(days)-1].TimeMs)+daySeconds
	p := Panel{Across: Axis{"day of the forecast, UTC", first, last, months(r.FromMs, r.ToMs)},
		Up: Axis{"24 h return, %", low, high, percentTicks(low, high)}}
	for level := marketcache.LevelCount - 1; level >= 0; level-- { // the wider band below
		s := Series{Name: fmt.Sprintf("within %.0f %% VaR of long and short", 100*backtest.Levels[level]),
			Color: bands[level], Shape: Area}
		for i, d := range r.Days[marketcache.Long][level] {
			s.Points = append(s.Points, Point{X: seconds(d.TimeMs), Wide: daySeconds, Low: pct(-d.VaR),
				High: pct(r.Days[marketcache.Short][level][i].VaR)})
		}
		p.Series = append(p.Series, s)
	}
	moves := Series{Name: "24 h return of a day", Color: grey, Shape: Boxes}
	for _, d := range days {
		x := pct(-d.Loss)
		moves.Points = append(moves.Points, Point{X: seconds(d.TimeMs) + daySeconds/3, Wide: daySeconds / 3,
			Low: min(0, x), High: max(0, x)})
	}
	p.Series = append(p.Series, moves)
	for level := range marks {
		p.Series = append(p.Series, breaches(r, level, low, high))
	}
	return Picture{fmt.Sprintf("%s, model %s: 24 h returns against VaR", asset(r.File), r.Model),
		fmt.Sprintf("%s; forecasts: %s, one a day, %s to %s; a red dot is beyond 99 %% and so beyond 95 %% too", r.File,
			thousands(r.Rows[0].N), day(r.FromMs), day(r.ToMs)), []Panel{p}}
}

// breaches are the days on which a side lost more than its VaR of a level.
func breaches(r *backtest.Result, level int, low, high float64) Series {
	s := Series{Color: marks[level], Size: 1.9 + 0.9*float64(level), Name: fmt.Sprintf("beyond its %.0f %% VaR:",
		100*backtest.Levels[level])}
	for side, name := range backtest.Sides {
		row := r.Row(side, level)
		s.Name += fmt.Sprintf(" %s %d of %s days, %.1f expected;", name, row.Hits, thousands(row.N),
			(1-backtest.Levels[level])*float64(row.N))
		for _, d := range r.Days[side][level] {
			if !d.Breach() {
				continue
			}
			y := pct(returnAt(side, d.Loss))
			at := Point{X: seconds(d.TimeMs) + daySeconds/2, Y: y, Low: y, High: y}
			if y < low || y > high {
				at.Label = fmt.Sprintf("%+.0f %%", y)
			}
			s.Points = append(s.Points, at)
		}
	}
	s.Name = s.Name[:len(s.Name)-1]
	return s
}

// pct turns a log return into percent.
func pct(logReturn float64) float64 { return 100 * math.Expm1(logReturn) }

// limits returns the ends of the y axis: the largest return and band, unless a few days would make the axis too long to
// read the others.
func limits(r *backtest.Result) (low, high float64) {
	const share, room = 0.99, 1.6 // of the returns and bands; how much longer than them the axis may be
	end := func(side int) float64 {
		var far []float64
		for _, d := range r.Days[side][marketcache.P99] {
			far = append(far, math.Abs(pct(returnAt(side, max(0, d.Loss)))), math.Abs(pct(returnAt(side, d.VaR))))
		}
		slices.Sort(far)
		return max(1, min(1.05*far[len(far)-1], room*far[int(share*float64(len(far)-1))]))
	}
	return -end(marketcache.Long), end(marketcache.Short)
}

// seconds is the x coordinate of a forecast.
func seconds(ms int64) float64 { return float64(ms) / 1000 }

// returnAt converts the log loss of a position on a side to the log return of the price.
func returnAt(side int, loss float64) float64 {
	if side == marketcache.Short {
		return loss
	}
	return -loss
}

// months returns ticks at the starts of months, few enough to be legible; of a short time its first day.
func months(fromMs, toMs int64) (ticks []Tick) {
	from, to := time.UnixMilli(fromMs).UTC(), time.UnixMilli(toMs).UTC()
	count := int(to.Sub(from).Hours()/24/30) + 1
	if count < 2 {
		return []Tick{{seconds(fromMs), from.Format(time.DateOnly)}}
	}
	step := 1
	for _, s := range []int{1, 3, 6, 12, 24, 60} {
		if step = s; count/s <= 14 {
			break
		}
	}
	for at := time.Date(from.Year(), 1, 1, 0, 0, 0, 0, time.UTC); !at.After(to); at = at.AddDate(0, step, 0) {
		if !at.Before(from) {
			ticks = append(ticks, Tick{seconds(at.UnixMilli()), at.Format("Jan 2006")})
		}
	}
	return ticks
}

// percentTicks returns ticks in percent at multiples of 1, 2 or 5 times a power of ten, 0.1 at least.
func percentTicks(low, high float64) (ticks []Tick) {
	const maxTicks = 12
	step := 0.1
	for i := 0; (high-low)/step > maxTicks; i++ {
		step *= [3]float64{2, 2.5, 2}[i%3]
	}
	for n := int(math.Ceil(low / step)); float64(n)*step <= high; n++ {
		t := Tick{float64(n) * step, strconv.FormatFloat(math.Round(float64(n)*step*10)/10, 'f', -1, 64)}
		if n > 0 {
			t.Text = "+" + t.Text
		}
		ticks = append(ticks, t)
	}
	return ticks
}
