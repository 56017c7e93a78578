package calib

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math"
	"slices"

	"ballast/compute/copula"
	"ballast/compute/evt"
	"ballast/compute/hmm"
	"ballast/compute/joint"
	"ballast/compute/mc"
	"ballast/compute/vol"
	"ballast/marketcache"
)

// Fit fits one asset of class crypto from scratch, from all its closed bars, oldest first. Without bars
// it returns the defaults for an unknown asset. An error wraps vol.ErrBarOrder or vol.ErrGap.
func Fit(id marketcache.AssetID, name string, bars []marketcache.Bar) (*marketcache.AssetModel, error) {
	h := NewHistory(marketcache.ClassCrypto)
	if err := h.Extend(bars); err != nil {
		return nil, err
	}
	return h.Model(id, name, &Scratch{}), nil
}

// Scratch is the working memory of a fit. The zero value is ready to use; not safe for concurrent use.
type Scratch struct {
	vol      vol.Scratch
	evt      evt.Scratch
	outcomes []float64
}

// Model returns the fit of the history. Its series share memory with the history, which never
// changes values that a fit has received.
func (h *History) Model(id marketcache.AssetID, name string, w *Scratch) *marketcache.AssetModel {
	m := &marketcache.AssetModel{
		Asset: id, Name: name, Bars: h.Bars(), Class: h.state.Class(),
		E: h.state.Memories(), LongRunVariance: h.state.LongRunVariance(),
		VolRegime:    h.state.VolatilityRegime(),
		VolumeUSD7d:  h.volumeUSD(weekBars),
		VolumeUSD30d: h.volumeUSD(monthBars) * hoursPerDay / monthBars,
	}
	if h.Bars() > 0 {
		last := h.state.Last()
		m.FirstHour, m.LastHour, m.LastClose = h.state.FirstHour(), last.Hour(), last.Close
	}
	for i, f := range h.state.Forecasts(&w.vol) {
		m.Variance[i], m.AverageVariance[i], m.Kappa2[i], m.Outcomes[i] = f.Variance, f.AverageVariance, f.Kappa2,
			f.Outcomes
		m.Tail[i] = f.Tail
	}
	r := h.Regime()
	m.RegimeState = marketcache.LiquidityRegime(r.State)
	m.RegimeProb, m.RegimeConfidence = r.Probability, r.Confidence

	h.series(m)
	if first, u := h.state.HourlyOutcomes(hourlyU1Kept); len(u) > 0 {
		skip := afterLastNaN(u)
		m.U1 = marketcache.HourlySeries{FirstHour: m.FirstHour + int64(first+skip) + 1, Values: u[skip:]}
	}
	h.extremes(m, w)
	m.Excursions = h.state.Excursions(&w.vol)
	Derive(m)
	h.simulation(m)
	m.Drawdown = h.closes.drawdown()
	m.Drawdown.ATR = h.ranges.atr()
	m.Daily = h.dailyReturns()
	m.Digest = digest(m)
	return m
}

// Paths returns a fit that has only what the replay of recorded paths needs (joint.AlignPaths).
func (h *History) Paths() *marketcache.AssetModel {
	m := &marketcache.AssetModel{Bars: h.Bars(), FirstHour: h.state.FirstHour()}
	for i := range m.Variance {
		m.Variance[i] = h.state.Variance(i)
	}
	h.series(m)
	return m
}

// series fills in the hourly series of outcomes, excursions and paths.
func (h *History) series(m *marketcache.AssetModel) {
	// z_k belongs to bar k.
	if first, z := h.state.TailOutcomes(); len(z) > 0 {
		m.Z24 = marketcache.HourlySeries{FirstHour: m.FirstHour + int64(first), Values: z}
	}
	if first, long, short := h.state.ExcursionOutcomes(marketcache.Excursion24h); len(long) > 0 {
		m.Low24 = marketcache.HourlySeries{FirstHour: m.FirstHour + int64(first), Values: long}
		m.High24 = marketcache.HourlySeries{FirstHour: m.FirstHour + int64(first), Values: short}
	}
	if first, logClose, sd := h.state.DayPaths(); len(sd) > 0 {
		m.LogClose = marketcache.HourlySeries{FirstHour: m.FirstHour + int64(first), Values: logClose}
		m.DaySD = marketcache.HourlySeries{FirstHour: m.FirstHour + int64(first), Values: sd}
	}
}

// afterLastNaN returns the number of elements up to the last NaN.
func afterLastNaN(x []float64) int {
	n := len(x)
	for n > 0 && !math.IsNaN(x[n-1]) {
		n--
	}
	return n
}

// extremes fits the tails beyond the 95 % quantile and sorts the outcomes.
func (h *History) extremes(m *marketcache.AssetModel, w *Scratch) {
	_, z := h.state.Outcomes(marketcache.H24)
	if z = vol.AppendOutcomes(make([]float64, 0, len(z)), z); len(z) > 0 {
		slices.Sort(z)
		m.Z24Sorted = z
	}
	if m.HasExtreme = h.Bars() >= minTailBars; !m.HasExtreme {
		return
	}
	_, deep := h.state.TailOutcomes()
	w.outcomes = vol.AppendOutcomes(w.outcomes[:0], deep)
	for side := range m.Extreme {
		m.Extreme[side] = evt.FitLossTail(w.outcomes, side, &w.evt)
	}
}

// Derive fills Sigma, LongRunSigma, DailySigma, ExtremePct and MedianPct of a fit from its other
// figures. Without bars, Sigma and LongRunSigma are 0.
func Derive(m *marketcache.AssetModel) {
	m.Sigma, m.LongRunSigma = [marketcache.HorizonCount]float64{}, 0
	if m.Bars > 0 {
		for h, hours := range marketcache.Horizons {
			m.Sigma[h] = math.Sqrt(m.Variance[h] * m.Kappa2[h] * hoursPerYear / float64(hours))
		}
		m.LongRunSigma = math.Sqrt(m.LongRunVariance * hoursPerYear)
	}
	m.DailySigma = math.Sqrt(m.Variance[marketcache.H24] * m.Kappa2[marketcache.H24])
	m.MedianPct = medianPct(m)
	m.ExtremePct = [marketcache.SideCount]marketcache.TailPct{}
	if m.HasExtreme {
		sd := math.Sqrt(m.Variance[marketcache.H24])
		for side, t := range m.Extreme {
			q, es := evt.Quantile(t, extremeShare)
			if vol.AtFloor(marketcache.H24, m.AverageVariance[marketcache.H24]) {
				pooledQ, pooledES := evt.Quantile(evt.Pooled(side), extremeShare)
				q, es = max(q, pooledQ), max(es, pooledES)
			}
			m.ExtremePct[side] = marketcache.TailPct{VaR: vol.LossPct(-q, side, sd), ES: vol.LossPct(-es, side, sd)}
		}
	}
}

// medianPct is the median move of the price within 24 hours, percent. The pooled outcomes, which have the rest of
// the weight of a short history, have a median of 0.
func medianPct(m *marketcache.AssetModel) float64 {
	n := len(m.Z24Sorted)
	if n == 0 {
		return 0
	}
	z := vol.OwnWeight(n) * (m.Z24Sorted[(n-1)/2] + m.Z24Sorted[n/2]) / 2
	return 100 * math.Expm1(z*math.Sqrt(m.Variance[marketcache.H24]))
}

// simulation fills in the starting state for simulations of hourly paths.
func (h *History) simulation(m *marketcache.AssetModel) {
	_, series := h.state.HourlyOutcomes(math.MaxInt)
	u := vol.AppendOutcomes(make([]float64, 0, len(series)), series)
	vol.Factors(m.HourFactors[:], h.state.Class(), h.state.NextHour())
	m.RangeToReturn = h.state.RangeToReturn()
	m.K2Hourly = m.Kappa2[marketcache.H1]
	if len(u) >= mc.OwnTable {
		m.Innovations, m.K2Hourly = mc.InnovationTable(u, u)
	}
	target := m.Variance[marketcache.H24] * m.Kappa2[marketcache.H24]
	m.MomentMatch = mc.MomentMatch(m.E, m.LongRunVariance, m.K2Hourly, m.RangeToReturn, target,
		vol.Coefficients[marketcache.H1], vol.Decay, m.HourFactors)
}

// digest is the SHA-256 of the fit's canonical JSON (sorted keys, shortest digits that
// round-trip, no spaces).
func digest(m *marketcache.AssetModel) [32]byte {
	return sha256.Sum256(canonicalJSON(struct {
		E          [4]float64                         `json:"E"`
		BarTimeMs  int64                              `json:"bar_time_ms"`
		Excursions excursionRows                      `json:"excursions"`
		Extreme    *[marketcache.SideCount][4]float64 `json:"gpd"`
		Kappa2     [marketcache.HorizonCount]float64  `json:"kappa2"`
		LongRun    float64                            `json:"lr"`
		Name       string                             `json:"name"`
		Tails      [marketcache.HorizonCount]sideTail `json:"quantiles"`
		Regime     [hmm.States]float64                `json:"regime"`
	}{
		m.E, m.LastHour * hourMs, m.Excursions, extremeRows(m), m.Kappa2, m.LongRunVariance, m.Name, tailRows(m),
		m.RegimeProb,
	}))
}

// excursionRows holds the knots by horizon and side.
type excursionRows = [marketcache.ExcursionHorizons][marketcache.SideCount]marketcache.Excursions

// sideTail holds z_q, z_es, pct_var and pct_es by side and level.
type sideTail [marketcache.SideCount][marketcache.LevelCount][4]float64

func tailRows(m *marketcache.AssetModel) (rows [marketcache.HorizonCount]sideTail) {
	for h := range m.Tail {
		for side := range m.Tail[h] {
			for level, t := range m.Tail[h][side] {
				rows[h][side][level] = [4]float64{t.ZQ, t.ZES, t.PctVaR, t.PctES}
			}
		}
	}
	return rows
}

// extremeRows holds u, raw xi, xi and beta by side; nil without an extreme tail.
func extremeRows(m *marketcache.AssetModel) *[marketcache.SideCount][4]float64 {
	if !m.HasExtreme {
		return nil
	}
	var rows [marketcache.SideCount][4]float64
	for side, t := range m.Extreme {
		rows[side] = [4]float64{t.U, t.XiRaw, t.Xi, t.Beta}
	}
	return &rows
}

// Constants returns the canonical JSON of every constant used in a fit.
func Constants() []byte {
	return canonicalJSON(map[string]any{
		"hmm": hmm.Constants(), "vol": vol.Constants(), "evt": evt.Constants(), "copula": copula.Constants(),
		"mc": mc.Constants(), "joint": joint.Constants(),
		"drawdown": map[string]any{
			"bars": drawdownBars, "fewest_bars": minDrawdownBars, "fewest_calmar": minCalmarBars,
			"max_calmar":      maxCalmar,
			"true_range_bars": rangeBars, "true_range_hours": rangeHours, "year_hours": drawdownYearHrs,
		},
		"pair_hours": pairHours, "paired_by_interest": pairedByInterest,
		"fewest_tail_bars": minTailBars, "extreme_share": extremeShare,
		"volume": map[string]any{"week_bars": weekBars, "month_bars": monthBars},
	})
}

// canonicalJSON encodes v. The fields of a struct in v must be in key order; encoding/json sorts
// map keys, and writes numbers with the fewest digits that read back as the same double.
func canonicalJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("BUG: a model that JSON cannot carry: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
