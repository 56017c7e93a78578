package marketcache

import (
	"math"
	"time"
)

// Horizons are the horizons of the volatility model in hours, in the order of all arrays indexed by
// horizon.
var Horizons = [HorizonCount]int{1, 4, 24, 168}

// Indexes into arrays by horizon, side and level.
const (
	H1, H4, H24, H168 = 0, 1, 2, 3
	HorizonCount      = 4

	Long, Short = 0, 1 // side of the position
	SideCount   = 2

	P95, P99   = 0, 1 // confidence level
	LevelCount = 2
)

// TailQuantile is the loss tail for one horizon, side and confidence level.
type TailQuantile struct {
	ZQ, ZES       float64 // quantile and tail mean of s*z (s: 1 long, -1 short), standard deviations, negative
	PctVaR, PctES float64 // percent of notional; the reader enforces ES >= VaR and 99 % >= 95 %
}

// VolatilityRegime classifies the rank of present volatility in the asset's own history.
type VolatilityRegime uint8

const (
	VolatilityLow VolatilityRegime = iota
	VolatilityNormal
	VolatilityHigh
)

// String returns low, normal or high.
func (r VolatilityRegime) String() string {
	return [...]string{"low", "normal", "high"}[r]
}

// LiquidityRegime is a state of the regime filter.
type LiquidityRegime uint8

const (
	RegimeNormal LiquidityRegime = iota
	RegimeStressed
	RegimeCrisis
)

// String returns normal, stressed or crisis.
func (r LiquidityRegime) String() string {
	return [...]string{"normal", "stressed", "crisis"}[r]
}

// ExtremeTail is the generalised Pareto tail of the standardised 24-hour losses of one
// side of the position.
type ExtremeTail struct {
	U     float64 // threshold: the 95 % quantile of the losses, standard deviations
	Beta  float64 // scale, standard deviations
	Xi    float64 // shape in use: the fitted one, clipped to [0.05, 0.50]
	XiRaw float64 // shape as fitted; 0 where the tail is pooled
	N     int     // number of outcomes of the asset
	// Pooled: the asset has too few outcomes or no fit; the tail is that of all assets together.
	Pooled bool
}

// Horizons of the liquidation probability, as indexes into arrays of excursions.
const (
	Excursion24h, Excursion168h = 0, 1
	ExcursionHorizons           = 2
)

// ExcursionKnots is the number of exceedance probabilities at which excursions are tabulated
// (vol.ExcursionShares).
const ExcursionKnots = 21

// Excursions is the distribution of the largest adverse move within a horizon for one side of the
// position. A share vol.ExcursionShares[j] of the outcomes exceeds element j, which is in standard
// deviations of the log return over the horizon. Elements are not negative and never decrease.
type Excursions [ExcursionKnots]float64

// TailPct is a loss quantile and the mean loss beyond it, percent of notional.
type TailPct struct{ VaR, ES float64 }

// Joint holds an asset's outcomes at the hours of BTC's newest 8,761 24-hour outcomes (the rows, oldest
// first). Hours at which the asset has no outcome of its own are filled (docs/model.md). Immutable and
// shared.
type Joint struct {
	Z []float64 // [rows] standardised 24-hour outcomes
	// Best holds the row indexes of the largest gains by side, largest first, at most 512.
	Best [SideCount][]int32
	// PriceMoves are the moves of the price over 24 hours, fractions of the price, one a row: the
	// outcome times the present volatility, at most 5.
	PriceMoves []float64
	Scale      [SideCount]float64 // factor on PriceMoves by which a position alone has its own VaR
	// 99 % loss of a position alone and mean loss beyond it, fractions of its notional
	MoveVaR, MoveES [SideCount]float64
	Paths           [ExcursionHorizons]PathTable
	PathRows        int // number of rows of Paths
}

// PathMarks is the number of marks of a recorded path: one every four hours of a day.
const PathMarks = 6

// PathBlock is the number of rows of a block in PathTable.Marks.
const PathBlock = 4

// PathTable holds an asset's recorded paths over a horizon, scaled to the present volatility, for every
// fourth row counted back from the newest, oldest first.
type PathTable struct {
	// SD is the standard deviation by which the paths are scaled.
	SD float64
	// Marks are the moves of the price at the marks, fractions of the price, in blocks of PathBlock
	// rows: the first mark of the rows of a block, then the second and so on. The last block is
	// filled up with zeros.
	Marks []float32
	// Beyond is how much further than its marks the price went against a side, a fraction of the
	// price, by row; filled up like Marks.
	Beyond [SideCount][]float32
	// EndRMS is the root mean square of the moves at the last mark.
	EndRMS float64
	// Bound is the loss of a position alone by side, a fraction of its notional, that few paths exceed.
	Bound [SideCount]float64
}

// Class is what an asset's oracle follows; it decides the hours of the week in which the price moves.
type Class uint8

const (
	ClassCrypto Class = iota
	ClassEquity
	ClassMetal
	ClassEnergy
	ClassCount
)

// String returns crypto, equity, metal or energy.
func (c Class) String() string { return [...]string{"crypto", "equity", "metal", "energy"}[c] }

// DrawdownStats describes the drawdowns of the last year of hourly closes.
type DrawdownStats struct {
	Known         bool    // false below 30 bars
	MaxPct        float64 // largest drawdown, percent
	CurrentPct    float64 // drawdown at the last close, percent
	PeakClose     float64 // USD, at the start of the largest drawdown
	TroughClose   float64 // USD, at its end
	DurationHours int     // bars since the close last was at its running maximum
	Calmar        float64 // yearly growth over the largest drawdown, -100 to 100
	ATR           float64 // average true range of 4-hour bars, USD
}

// HourlySeries is a series of values on consecutive hours: Values[i] belongs to hour FirstHour+i, NaN if
// that hour has none. An hour is a bar's open time in hours since 1970 UTC.
type HourlySeries struct {
	FirstHour int64
	Values    []float64
}

// At returns the value of an hour; ok is false without one.
func (s *HourlySeries) At(hour int64) (value float64, ok bool) {
	i := hour - s.FirstHour
	if i < 0 || i >= int64(len(s.Values)) || math.IsNaN(s.Values[i]) {
		return 0, false
	}
	return s.Values[i], true
}

// AssetModel is one fit of one asset. Immutable once published.
type AssetModel struct {
	Asset AssetID
	Name  string
	// Bars is the number of closed bars used, filled gaps included; 0 when the venue has no candle of
	// the asset.
	Bars int
	// FirstHour and LastHour are the open times of the first and last bar in hours
	// since 1970 UTC; 0 without bars.
	FirstHour, LastHour int64
	FitError            string // why the newest fit failed; this AssetModel is then the last good fit
	// V(h): variance of the log return over the next h hours, after the short-history mixture
	Variance        [HorizonCount]float64
	AverageVariance [HorizonCount]float64 // V0(h): the same for h hours of average activity
	Class           Class                 // decides the hours of activity
	DailySigma      float64               // sqrt(V(24)*k2): 24-hour volatility, fraction of price
	VolumeUSD7d     float64               // sum of volume*close over the last min(168, Bars) bars
	// Joint holds the asset's outcomes at the hours for which BTC's fit in the same Model has outcomes.
	Joint *Joint
	// Digest is the SHA-256 of the canonical JSON of name, bar time, E, long-run variance, k2,
	// quantiles, extreme tails, excursions and regime probabilities. It changes only with these.
	Digest [32]byte

	LastClose float64 // USD

	// Volatility (docs/model.md, "Volatility"), after the short-history mixture.
	E               [4]float64            // exponential means of mean age 6 h, 1 d, 5 d, 25 d: variance per hour
	LongRunVariance float64               // variance per hour
	Kappa2          [HorizonCount]float64 // k2_h: removes the bias of the range measure
	Outcomes        [HorizonCount]int     // number of z values behind the quantiles
	Tail            [HorizonCount][SideCount][LevelCount]TailQuantile
	VolRegime       VolatilityRegime

	// Liquidity regime: filtered probabilities of normal, stressed, crisis, and the state, which an
	// answer may still raise because of live spread and depth.
	RegimeState      LiquidityRegime
	RegimeProb       [3]float64
	RegimeConfidence float64

	// Extreme is the tail beyond the 95 % quantile, by side; HasExtreme is false below 24 bars.
	Extreme    [SideCount]ExtremeTail
	HasExtreme bool

	// Derived from the fields above.
	Sigma        [HorizonCount]float64 // forecast volatility, fraction a year: sqrt(V*k2*8760/h)
	LongRunSigma float64               // fraction a year
	ExtremePct   [SideCount]TailPct    // 24-hour loss at 99.9 %, by side; 0 without HasExtreme
	MedianPct    float64               // median 24-hour move of the price, percent

	// Excursions are the basis of the liquidation probability, by horizon and side.
	Excursions [ExcursionHorizons][SideCount]Excursions

	Drawdown DrawdownStats

	// Inputs of the simulation of hourly paths, together with E and LongRunVariance. Innovations are
	// standardised hourly returns in ascending order, mean 0 and variance 1; nil when there are too
	// few, in which case a Student t distribution is used.
	Innovations   []float64
	HourFactors   [24]float64 // variance of each hour after the last bar, relative to an average hour
	K2Hourly      float64     // mean square of the innovations before standardising
	RangeToReturn float64     // mean range measure over mean squared return
	MomentMatch   float64     // factor on hourly returns that gives 24 hours the right variance

	// Volume from candles, USD.
	// VolumeUSD30d is the sum of volume*close over the last min(720, Bars) bars times 24/720: a daily
	// mean over 30 days, not scaled up for a shorter history.
	VolumeUSD30d float64

	// Z24 holds the standardised 24-hour outcomes by the hour of the last bar known at the forecast;
	// at most the newest 17,521.
	Z24 HourlySeries
	// Low24 and High24 hold the adverse excursions within 24 hours for a long and a short, by the same
	// hours: how far the price fell below, or rose above, the close of that bar, in standard
	// deviations, not negative; at most the newest 8,761.
	Low24, High24 HourlySeries
	// LogClose and DaySD are what the path of the price after each of those hours is computed from:
	// the logarithm of the close, to the hour of the last bar, and sqrt(V(24)), the forecast, of the
	// newest 8,761 hours whose 24 hours have passed. Both begin at the same hour.
	LogClose, DaySD HourlySeries
	// Z24Sorted holds the newest 8,761 values of Z24 in ascending order.
	Z24Sorted []float64
	// U1 holds the standardised hourly returns r/sqrt(V(1)) by the hour of the bar that closed with
	// the return; at most the newest 2,160, from the last hour on in which the market was silent.
	U1 HourlySeries

	// Daily holds the hourly log returns for pairwise tail dependence, by the hour of the bar that
	// closed with the return; at most the newest 8,640. It is renewed at the first fit and at the
	// first bar that closes at or after 00:00 UTC, and keeps its pointer between. nil without returns.
	Daily *HourlySeries

	FitDuration time.Duration
}

// Correlations holds, for windows of hours with a common end, the sums over all pairs of assets from
// which the shrunk correlation matrix of any subset is computed. Immutable.
type Correlations struct {
	LastHour int64 // the last hour of every window
	// Windows are sorted by first hour, the longest (2,160 hours) first: one for each first hour of
	// some asset's returns.
	Windows []CorrelationWindow
}

// CorrelationWindow is the sums over the assets that have all hours of a window. x is an asset's
// standardised hourly return, scaled to mean 0 and variance 1 over the window.
type CorrelationWindow struct {
	FirstHour, Hours int64
	// Row maps an AssetID to its row; -1 for an asset that lacks some of the hours. It may
	// be shorter than the universe.
	Row []int32
	// Sums is a lower triangle with the diagonal, row-major: row i starts at i*(i+1)/2.
	Sums []CorrelationSums
}

// CorrelationSums is mean(x_i*x_j) and sum(x_i^2*x_j^2) of a pair of assets.
type CorrelationSums struct{ Product, Squares float64 }

// Model is one set of fits of all assets. Immutable; replaced as a whole.
type Model struct {
	Name   string        // calibration_name in answers
	Assets []*AssetModel // by AssetID; nil: not fitted yet
	// Parameters is the canonical JSON of all constants behind the fits, Constants its SHA-256.
	Parameters []byte
	Constants  [32]byte
	// Digest covers Constants and the Digest of every fitted asset.
	Digest     [32]byte
	Calibrated int // number of assets with a fit
	// Unknown is the fit for an asset of class crypto without any data: all defaults. UnknownOf holds the
	// same by class.
	Unknown   *AssetModel
	UnknownOf [ClassCount]*AssetModel
	// Correlations is nil before the first complete pass.
	Correlations *Correlations
	Published    Instant
}

// Asset returns the fit of an asset, nil when there is none.
func (m *Model) Asset(id AssetID) *AssetModel {
	if m == nil || id < 0 || int(id) >= len(m.Assets) {
		return nil
	}
	return m.Assets[id]
}
