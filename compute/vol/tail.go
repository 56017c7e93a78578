package vol

import (
	"math"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// Forecast is the forecast for one horizon.
type Forecast struct {
	Variance float64 // V(h), of the log return over the whole horizon
	// AverageVariance is V0(h), the same for hours of average activity.
	AverageVariance float64
	Kappa2          float64 // k2_h in [0.25, 4]: mean squared outcome; corrects the bias of the range measure
	Outcomes        int     // number of the asset's own outcomes in the window
	// OwnWeight is the weight of the asset's own tail in Tail and Kappa2; the pooled default
	// has the rest.
	OwnWeight float64
	Tail      [mc.SideCount][mc.LevelCount]mc.TailQuantile
}

// Scratch is the working memory of Forecasts. The zero value is ready to use; not safe for
// concurrent use.
type Scratch struct{ outcomes, signed, selected, tail, deep []float64 }

// AppendOutcomes appends the outcomes of a series that exist: those of silent hours are NaN.
func AppendOutcomes(dst, series []float64) []float64 {
	for _, z := range series {
		if !math.IsNaN(z) {
			dst = append(dst, z)
		}
	}
	return dst
}

// Forecasts computes the tails of all horizons at the newest bar: four selections over the
// outcomes, about a millisecond for two years of history.
func (s *State) Forecasts(w *Scratch) (out [mc.HorizonCount]Forecast) {
	for h := range mc.Horizons {
		out[h] = s.Forecast(h, w)
	}
	return out
}

// Forecast computes the tails of one horizon (an index) at the newest bar.
func (s *State) Forecast(h int, w *Scratch) Forecast {
	_, series := s.Outcomes(h)
	w.outcomes = AppendOutcomes(w.outcomes[:0], series)
	z := w.outcomes
	own := OwnWeight(len(z))
	f := Forecast{Variance: s.variance[h], AverageVariance: s.average[h], Outcomes: len(z), OwnWeight: own}
	kappa := pooledKappa2[h]
	if own > 0 {
		kappa = mix(own, stats.MeanSquare(z), kappa)
	}
	f.Kappa2 = max(kappaLow, min(kappaHigh, kappa))
	sd := math.Sqrt(f.Variance)
	for side := range mc.SideCount {
		var tails [mc.LevelCount]mc.TailQuantile
		if own > 0 {
			tails = ownTails(z, side, sd, w)
		}
		for level := range mc.LevelCount {
			def := pooled[h][side][level]
			t := &f.Tail[side][level]
			*t = finish(tails[level], def, own, side, sd)
			if AtFloor(h, f.AverageVariance) {
				atLeast(t, finish(mc.TailQuantile{}, def, 0, side, sd))
			}
		}
	}
	return f
}

// OwnWeight returns the weight of n outcomes of an asset against those pooled over all assets.
func OwnWeight(n int) float64 {
	if n < minOutcomes {
		return 0
	}
	return min(1, float64(n)/ownOutcomes)
}

// ownTails returns the tails of z for one side. PctES is not bounded yet. PctVaR is not filled in,
// because finish computes it after mixing.
func ownTails(z []float64, side int, sd float64, w *Scratch) (t [mc.LevelCount]mc.TailQuantile) {
	signed := z
	if side == mc.Short {
		w.signed = w.signed[:0]
		for _, v := range z {
			w.signed = append(w.signed, -v)
		}
		signed = w.signed
	}
	w.selected = append(w.selected[:0], signed...)
	q := stats.Quantile(w.selected, tailShare[mc.P95])
	w.tail = stats.AppendLowerTail(w.tail[:0], signed, q)
	t[mc.P95] = mc.TailQuantile{ZQ: q, ZES: stats.Mean(w.tail), PctES: w.meanPct(w.tail, side, sd)}

	// The 99 % tail is part of the 95 % tail, in the same order.
	w.selected = append(w.selected[:0], w.tail...)
	q = stats.TailQuantile(w.selected, len(z), tailShare[mc.P99])
	w.deep = stats.AppendLowerTail(w.deep[:0], w.tail, q)
	t[mc.P99] = mc.TailQuantile{ZQ: q, ZES: stats.Mean(w.deep), PctES: w.meanPct(w.deep, side, sd)}
	return t
}

// meanPct returns the mean loss in percent over the outcomes s*z of a tail.
func (w *Scratch) meanPct(tail []float64, side int, sd float64) float64 {
	w.selected = w.selected[:0]
	for _, v := range tail {
		w.selected = append(w.selected, pctLoss(v, side, sd))
	}
	return stats.Mean(w.selected)
}

// finish mixes an own tail with the pooled tail and converts it to percent.
func finish(own mc.TailQuantile, def pooledTail, weight float64, side int, sd float64) mc.TailQuantile {
	t := mc.TailQuantile{
		ZQ:  mix(weight, own.ZQ, -def.quantile),
		ZES: mix(weight, own.ZES, -def.es),
	}
	t.PctVaR = LossPct(t.ZQ, side, sd)
	t.PctES = max(0, min(maxLossPct[side], mix(weight, own.PctES, pctLoss(-def.es, side, sd))))
	return t
}

// atLeast raises every loss of t to the other tail's loss where that is larger.
func atLeast(t *mc.TailQuantile, other mc.TailQuantile) {
	t.ZQ, t.ZES = min(t.ZQ, other.ZQ), min(t.ZES, other.ZES)
	t.PctVaR, t.PctES = max(t.PctVaR, other.PctVaR), max(t.PctES, other.PctES)
}

// pctLoss returns the loss in percent of notional for a log return of z standard deviations sd, given
// signedZ = s*z: 100*(1-exp(z*sd)) long, 100*(exp(z*sd)-1) short. A gain is negative.
func pctLoss(signedZ float64, side int, sd float64) float64 {
	if side == mc.Short {
		return pctPerUnit * math.Expm1(-signedZ*sd)
	}
	return -pctPerUnit * math.Expm1(signedZ*sd)
}
