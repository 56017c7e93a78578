package marketcache

import "time"

// Context is the venue's running state of one asset. Immutable once published.
type Context struct {
	MarkPrice   float64 // USD, > 0
	OraclePrice float64 // USD, > 0
	MidPrice    float64 // USD; 0 when the venue gives none (halted)
	// FundingRateHourly is the rate that builds up in the current hour, as a
	// fraction per hour, positive: longs pay. Meaningful only with HasFunding.
	FundingRateHourly float64
	HasFunding        bool
	OpenInterestUnits float64 // base units, one side
	DayVolumeUSD      float64 // notional traded in the last 24 h
	PrevDayPrice      float64 // USD
	// SlowProof is the last proof of all but mark and mid, where those come by a quicker
	// stream; 0 where all is as old as the mark.
	SlowProof Instant
}

// FundingStats summarises the paid funding history of one asset (one row an hour,
// the rate still building up not among them). Immutable.
type FundingStats struct {
	Rows            int     // rows held, at most 720 counted
	MeanHourly168   float64 // mean of the newest 168 rows (all if fewer); NaN-free, 0 without rows
	MedianHourly720 float64 // median of the newest 720 rows
	MADHourly720    float64 // median absolute deviation about that median
	LastRowVenueMs  int64
	ThroughVenueMs  int64 // history known complete up to here
}

// FundingRow is one paid funding rate.
type FundingRow struct {
	VenueMs    int64
	RateHourly float64
}

// CEXFunding is the mean predicted funding on centralised exchanges. Immutable.
type CEXFunding struct {
	RateHourly float64 // mean over venues of rate/intervalHours
	Venues     int     // how many had a value; 0: RateHourly means nothing
}

// OpenInterestStats is what this service has seen of an asset's open interest.
// Immutable.
type OpenInterestStats struct {
	// MaxUSD180d is the highest daily maximum of the last 180 days, USD, 0 unknown.
	MaxUSD180d float64
	// AtCapUSD30d is the open interest last seen while the asset was at the venue's
	// cap within the last 30 days, USD, 0 if it was not.
	AtCapUSD30d float64
	// Days is on how many UTC days of the last 180 a maximum was seen.
	Days int
	// Maxima are the maxima of those days, oldest first; that of the running day still grows.
	Maxima  []DayMaximum
	AtCapMs int64 // venue time of AtCapUSD30d, 0 without it
}

// DayMaximum is the highest open interest of one UTC day.
type DayMaximum struct {
	DayMs int64 // start of the day, ms since 1970 UTC
	USD   float64
}

// Cap says whether an asset is on the venue's list of those at their open-interest cap.
type Cap struct {
	Reached bool
	// Cadence is how often the list is read at least, 0 where nobody has said.
	Cadence time.Duration
}

// MinuteSample is the last book seen in one whole UTC minute.
type MinuteSample struct {
	MinuteMs      int64 // start of the minute, ms since 1970 UTC
	SpreadBps     float64
	Depth50BpsUSD float64
}

// SampleStats are the statistics of the newest 1,440 minute samples. Immutable.
type SampleStats struct {
	N                   int
	SpreadBpsMedian     float64
	SpreadBps95         float64 // type-7 quantile
	SpreadBps99         float64
	Depth50BpsUSDMedian float64
}

// Bar is one closed hourly candle. Immutable.
type Bar struct {
	OpenMs                         int64 // ms since 1970 UTC, whole hours
	Open, High, Low, Close, Volume float64
}

// Market is the photograph of one asset: pointers to immutable values and the age
// of each. A nil pointer means that the datum is missing or older than the limit it
// was asked with.
type Market struct {
	Asset    *Asset
	Book     *Book
	Context  *Context
	Funding  *FundingStats
	CEX      *CEXFunding
	Interest *OpenInterestStats
	Samples  *SampleStats
	AtCap    bool

	// Ages are negative when the datum has never been seen. BookAge is that of the best
	// levels, DepthAge that of the levels behind them; ContextAge that of mark and mid,
	// SlowAge that of oracle, funding, open interest and volume.
	BookAge, DepthAge, ContextAge, SlowAge, CEXAge, CapsAge time.Duration
	// MarkCadence and SlowCadence are how often the two parts of the context are renewed,
	// CapsCadence how often AtCap is, 0 where nobody has said.
	MarkCadence, SlowCadence, CapsCadence time.Duration
}

// Age is the age of the price data: the older of best levels and mark. Negative when
// either has never been seen.
func (m *Market) Age() time.Duration {
	if m.BookAge < 0 || m.ContextAge < 0 {
		return -1
	}
	return max(m.BookAge, m.ContextAge)
}

// AgeLimits says how old each datum may be to be taken at all.
type AgeLimits struct {
	Market time.Duration // book and context
	CEX    time.Duration
}
