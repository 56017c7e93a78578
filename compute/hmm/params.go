package hmm

// States, in the order of every array indexed by state.
const (
	Normal, Stressed, Crisis = 0, 1, 2
	States                   = 3
)

// How the constants were made: 191,000 hours of several assets were labelled by the 80 % and 97 %
// quantiles of x1; then moments and transition counts were computed from the labels and rounded
// (docs/model.md). An unsupervised fit converges to three equal volatility bands, none of which
// means crisis. A change here changes calibration_hash.
var (
	// Mean and SD of the features x1, x2 by state.
	Mean = [States][2]float64{{-0.37, -0.06}, {0.34, -0.02}, {0.81, 0.16}}
	SD   = [States][2]float64{{0.36, 0.40}, {0.17, 0.50}, {0.22, 0.50}}
	// Transition[i][j] is the probability of a change from state i to state j within one hour.
	Transition = [States][States]float64{
		{0.990, 0.0099, 0.0001},
		{0.040, 0.952, 0.008},
		{0.001, 0.049, 0.950},
	}
	// Prior is the distribution of the first hour's state.
	Prior = [States]float64{0.80, 0.17, 0.03}
)

const (
	// StressedFrom and CrisisFrom are the values of x1 from which a young asset counts as stressed
	// or in crisis: the quantiles used for the labels above.
	StressedFrom, CrisisFrom = 0.078, 0.670
	// filterBars is the minimum number of bars for the filter's state to be used.
	filterBars = 744
	// thresholdConfidence is the confidence of a state that comes from the thresholds.
	thresholdConfidence = 0.5

	dayHours       = 24
	medianWindow   = 720 // number of values of I in the median
	minMedianHours = 240

	minVariance = 1e-12 // smaller memories (variances per hour) count as this
	minDensity  = 1e-300
	minVolume   = 1 // USD in 24 h
)

// Constants returns every number above by name, for the digest of the model.
func Constants() map[string]any {
	return map[string]any{
		"mean": Mean, "sd": SD, "transition": Transition, "prior": Prior,
		"thresholds": [2]float64{StressedFrom, CrisisFrom}, "threshold_confidence": thresholdConfidence,
		"filter_bars": filterBars, "illiquidity_hours": dayHours,
		"median_window": medianWindow, "fewest_median": minMedianHours,
		"least_variance": minVariance, "least_density": minDensity, "least_volume_usd": minVolume,
	}
}
