package vol

import mc "ballast/marketcache"

// excursionHorizons maps an index of excursions to one of Horizons.
var excursionHorizons = [mc.ExcursionHorizons]int{mc.Excursion24h: mc.H24, mc.Excursion168h: mc.H168}

const (
	hourMs       = 3_600_000
	hoursPerYear = 8760
	pctPerUnit   = 100
)

// Constants of docs/model.md. [A] marks our own assumption, neither measured nor published. A
// change here changes calibration_hash.
const (
	// seedBars is the number of oldest ranges that determine the memories' seed. From this
	// length of history on, the prior for short histories has no weight.
	seedBars = 720
	// rangeCap is the multiple of the mean memory above which a range counts only
	// if the close moved too: a bar recorded from the venue has a false low of 0.0001.
	rangeCap = 36
	// longRunWindow is the number of returns behind the long-run variance.
	longRunWindow = 8760
	// priorSigma is the annual volatility assumed for an asset without history [A].
	priorSigma = 2.0
	// floorSigma is the minimum annual volatility, for assets without trades.
	floorSigma = 0.05

	// movingBars is the number of newest hours whose moves are counted. An index at which fewer than
	// the share silentShare of them moved gives no outcome; there the prior has a weight.
	movingBars  = 720
	silentShare = 0.5

	// ownOutcomes is the number of outcomes from which an asset's own tail is used alone;
	// below minOutcomes it has no weight.
	ownOutcomes, minOutcomes = 1440, 100

	kappaLow, kappaHigh = 0.25, 4 // bounds of Forecast.Kappa2

	// NewListingBars and LimitedHistoryBars are the numbers of closed bars below
	// which the flags of these names are raised.
	NewListingBars, LimitedHistoryBars = seedBars, 2160

	// SeedReturns is the number of returns from which the memories of every hour are final; up to
	// then each return changes the seed.
	SeedReturns = seedBars
)

// PriorVariance is the hourly variance assumed for an asset without history.
const PriorVariance = priorSigma * priorSigma / hoursPerYear

// Decay holds lam_k of the four memories, 1 - 1/(24c+1) for a centre of mass of
// c = 0.25, 1, 5 and 25 days.
var Decay = [4]float64{6.0 / 7, 24.0 / 25, 120.0 / 121, 600.0 / 601}

// Coefficients holds b1..b4 (memories) and b5 (long run) of each horizon: V(h) =
// S(h)*(b.E + b5*lr), with S(h) the sum of the factors of the hours. Pooled non-negative least squares
// on 8 assets, 2020-2022.
var Coefficients = [mc.HorizonCount][5]float64{
	mc.H1:   {0.65, 0.00, 0.06, 0.08, 0.06},
	mc.H4:   {0.55, 0.14, 0.08, 0.03, 0.08},
	mc.H24:  {0.47, 0.19, 0.08, 0.08, 0.08},
	mc.H168: {0.24, 0.30, 0.03, 0.17, 0.22},
}

// window is W of each horizon: the tail uses the newest W+1 outcomes.
var window = [mc.HorizonCount]int{8760, 8760, 8760, 17520}

// outcomesKept is the number of outcomes kept. Of the 24-hour outcomes more are kept than the
// tail uses, because the extreme tail of docs/model.md uses 17,521.
var outcomesKept = [mc.HorizonCount]int{mc.H1: 8761, mc.H4: 8761, mc.H24: 17521, mc.H168: 17521}

// maxLossPct bounds a loss by side, percent of notional.
var maxLossPct = [mc.SideCount]float64{mc.Long: 100, mc.Short: 500}

// tailShare is 1-level as a literal: the double 1-0.95 is not the nearest to 0.05.
var tailShare = [mc.LevelCount]float64{mc.P95: 0.05, mc.P99: 0.01}

// pooledTail is the tail of an asset without outcomes, pooled over 8 assets: quantile
// and ES as losses in standard deviations, positive.
type pooledTail struct{ quantile, es float64 }

var pooled = [mc.HorizonCount][mc.SideCount][mc.LevelCount]pooledTail{
	mc.H1: {
		mc.Long:  {{1.534, 2.379}, {2.795, 3.969}},
		mc.Short: {{1.490, 2.303}, {2.699, 3.879}},
	},
	mc.H4: {
		mc.Long:  {{1.556, 2.399}, {2.844, 3.946}},
		mc.Short: {{1.524, 2.356}, {2.778, 3.909}},
	},
	mc.H24: {
		mc.Long:  {{1.614, 2.410}, {2.874, 3.838}},
		mc.Short: {{1.666, 2.462}, {2.857, 3.949}},
	},
	mc.H168: {
		mc.Long:  {{1.525, 2.260}, {2.735, 3.454}},
		mc.Short: {{1.714, 2.657}, {3.053, 4.566}},
	},
}

// ExcursionShares holds the survival share of each knot: the share of the outcomes whose
// adverse excursion exceeds the knot.
var ExcursionShares = [mc.ExcursionKnots]float64{
	0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07,
	0.05, 0.03, 0.02, 0.015, 0.01, 0.007, 0.005, 0.003, 0.002, 0.001,
}

// Indexes of the knots at 1 % and 0.1 %, between which the tail of the excursions is fitted.
const knot1Pct, knot01Pct = 15, 20

const (
	// independentOutcomes is the number of outcomes beyond a knot, in multiples of the horizon in
	// hours, from which the asset's own knot is used alone. It is this large because outcomes of
	// neighbouring hours overlap.
	independentOutcomes = 3

	// excursionXi is the shape of the generalised Pareto tail beyond the last knot [A].
	excursionXi = 0.4
	// minTailWidth is the minimum distance between knot1Pct and knot01Pct, standard deviations.
	minTailWidth = 0.05
)

// PooledExcursions holds the knots of an asset without outcomes, pooled over 8 assets,
// in standard deviations.
var PooledExcursions = [mc.ExcursionHorizons][mc.SideCount]mc.Excursions{
	mc.Excursion24h: {
		mc.Long: {
			0.109, 0.218, 0.333, 0.457, 0.596, 0.759, 0.967, 1.248, 1.452, 1.759, 2.040,
			2.327, 2.803, 3.232, 3.551, 4.026, 4.530, 5.045, 6.246, 7.394, 9.603,
		},
		mc.Short: {
			0.105, 0.209, 0.318, 0.433, 0.564, 0.717, 0.911, 1.186, 1.385, 1.674, 1.935,
			2.184, 2.580, 2.927, 3.188, 3.583, 3.950, 4.286, 4.890, 5.380, 6.482,
		},
	},
	mc.Excursion168h: {
		mc.Long: {
			0.104, 0.213, 0.327, 0.442, 0.569, 0.724, 0.913, 1.175, 1.365, 1.670, 1.956,
			2.266, 2.917, 3.489, 3.933, 4.449, 4.818, 5.164, 5.709, 6.224, 8.270,
		},
		mc.Short: {
			0.098, 0.196, 0.302, 0.418, 0.555, 0.721, 0.919, 1.201, 1.407, 1.697, 1.972,
			2.235, 2.698, 3.098, 3.398, 3.889, 4.450, 5.048, 6.383, 7.728, 10.240,
		},
	},
}

var pooledKappa2 = [mc.HorizonCount]float64{1.068, 1.086, 1.163, 1.151}

// Bounds of volatility_regime. The bounds plain and leave are ranks. The bounds young, for a short
// history, are annual volatilities without the factor Kappa2 [A].
const (
	regimeWindow = 8760
	regimeBars   = 24 // number of bars for which the state is followed

	plainLow, plainHigh             = 0.25, 0.80
	leaveLow, leaveHigh             = 0.28, 0.77
	leaveNormalLow, leaveNormalHigh = 0.22, 0.83

	youngLow, youngHigh = 0.40, 1.10
)

// Constants returns every number above by name, for the digest of the model.
func Constants() map[string]any {
	pool := [mc.HorizonCount][mc.SideCount][mc.LevelCount][2]float64{}
	for h := range pooled {
		for side := range pooled[h] {
			for level, t := range pooled[h][side] {
				pool[h][side][level] = [2]float64{t.quantile, t.es}
			}
		}
	}
	return map[string]any{
		"horizons_hours": mc.Horizons, "decay": Decay, "coefficients": Coefficients,
		"seed_bars": seedBars, "range_cap": rangeCap, "long_run_window": longRunWindow,
		"crypto_hours":  [3][24]float64{cryptoWeekday, cryptoSaturday, cryptoSunday},
		"session_hours": sessionDay, "reopening": reopening, "class_names": classNames,
		"rest": [3]int{restHour, restFrom, restTo}, "moving_bars": movingBars, "silent_share": silentShare,
		"prior_sigma": priorSigma, "floor_sigma": floorSigma,
		"outcome_window": window, "tail_share": tailShare,
		"own_outcomes": ownOutcomes, "fewest_outcomes": minOutcomes,
		"pooled_tails": pool, "pooled_kappa2": pooledKappa2, "kappa2_bounds": [2]float64{kappaLow, kappaHigh},
		"excursion_shares": ExcursionShares, "pooled_excursions": PooledExcursions,
		"excursion_independent": independentOutcomes, "excursion_xi": excursionXi,
		"excursion_tail_width": minTailWidth,
		"max_loss_pct":         maxLossPct,
		"regime_window":        regimeWindow,
		"regime_bars":          regimeBars,
		"regime_plain":         [2]float64{plainLow, plainHigh},
		"regime_leave":         [2]float64{leaveLow, leaveHigh},
		"regime_normal":        [2]float64{leaveNormalLow, leaveNormalHigh},
		"regime_young":         [2]float64{youngLow, youngHigh},
		"new_listing_bars":     NewListingBars, "limited_history_bars": LimitedHistoryBars,
	}
}
