package marketcache

import (
	"cmp"
	"math"
	"time"
)

// Context is the venue's state of one asset. Immutable once published.
type Context struct {
	MarkPrice   float64 // USD, > 0
	OraclePrice float64 // USD, > 0
	MidPrice    float64 // USD; 0: none (halted)
	// FundingRateHourly is the rate predicted for the current hour, fraction per hour, positive:
	// longs pay. Valid only with HasFunding.
	FundingRateHourly float64
	HasFunding        bool
	OpenInterestUnits float64 // base units, one side
	DayVolumeUSD      float64 // notional traded in the last 24 h
	PrevDayPrice      float64 // USD
	// PairMark is the mark of the frame that brought OraclePrice, USD; 0: MarkPrice is.
	PairMark float64
	// SlowProof is when the values other than mark and mid were last confirmed; 0: together with the
	// mark.
	SlowProof Instant
}

// movedMark is the relative move of the mark after which it is no longer compared with an older oracle price.
const movedMark = 0.02

// Pair returns the mark that came with the oracle price. ok is false when the mark has moved too far since for
// the two to say anything about today's prices.
func (c *Context) Pair() (mark float64, ok bool) {
	mark = cmp.Or(c.PairMark, c.MarkPrice)
	return mark, math.Abs(c.MarkPrice/mark-1) <= movedMark
}

// FundingStats summarises an asset's paid funding, one row per hour, without the current hour.
// Immutable.
type FundingStats struct {
	Rows            int     // number of rows used, at most 720
	MeanHourly168   float64 // mean of the newest 168 rows, or of all if fewer; 0 without rows
	MedianHourly720 float64 // median of the newest 720 rows
	MADHourly720    float64 // median absolute deviation about that median
	LastRowVenueMs  int64
	ThroughVenueMs  int64 // history complete up to this venue time
}

// FundingRow is one paid funding rate.
type FundingRow struct {
	VenueMs    int64
	RateHourly float64
}

// CEXFunding is the mean predicted funding on centralised exchanges. Immutable.
type CEXFunding struct {
	RateHourly float64 // mean over venues of rate/intervalHours
	Venues     int     // number of exchanges with a value; 0: RateHourly is meaningless
}

// OpenInterestStats is what this service has recorded of an asset's open interest. Immutable.
type OpenInterestStats struct {
	// MaxUSD180d is the highest open interest of the last 180 days, USD, 0 if unknown.
	MaxUSD180d float64
	// AtCapUSD30d is the open interest when the asset was last at the venue's cap within 30 days, USD;
	// 0 if it was not.
	AtCapUSD30d float64
	// Days is the number of UTC days among the last 180 with a recorded maximum.
	Days int
	// Maxima are those days' maxima, oldest first; the current day's may still grow.
	Maxima  []DayMaximum
	AtCapMs int64 // venue time of AtCapUSD30d, 0 without it
}

// DayMaximum is the highest open interest of one UTC day.
type DayMaximum struct {
	DayMs int64 // start of the day, ms since 1970 UTC
	USD   float64
}

// Cap says whether an asset is on the venue's list of assets at their open-interest cap.
type Cap struct {
	Reached bool
	// Cadence is the longest interval between reads of the list, 0 if unknown.
	Cadence time.Duration
}

// MinuteSample is the last book of one whole UTC minute.
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

// Hour returns the bar's open time in hours since 1970 UTC.
func (b Bar) Hour() int64 { return b.OpenMs / 3_600_000 }

// Market is the snapshot of one asset: pointers to immutable values and their ages. A nil pointer
// means that the datum is missing or older than its limit.
type Market struct {
	Asset    *Asset
	Book     *Book
	Context  *Context
	Funding  *FundingStats
	CEX      *CEXFunding
	Interest *OpenInterestStats
	Samples  *SampleStats
	AtCap    bool

	// Ages are negative for data never received. BookAge is the age of the best levels, DepthAge of
	// the levels behind them, ContextAge of mark and mid, SlowAge of oracle, funding, open interest
	// and volume.
	BookAge, DepthAge, ContextAge, SlowAge, CEXAge, CapsAge time.Duration
	// MarkCadence, SlowCadence and CapsCadence are the intervals between updates of mark and mid, of
	// the rest of the context, and of AtCap; 0 if unknown.
	MarkCadence, SlowCadence, CapsCadence time.Duration
	// Loading is what of the asset's history is still to be read; nil: nothing.
	Loading *Loading
}

// Loading tells what of an asset's history is still to be read, and when it is expected; a negative
// duration: not known. Immutable.
type Loading struct {
	Candles, Funding bool
	// OddCandle: the candle of an hour is left out, because it cannot be what was traded or cannot be read.
	OddCandle                      bool
	CandlesReadyIn, FundingReadyIn time.Duration
	// Unreadable: no candle was ever read, and the venue has been failing to answer for minutes.
	Unreadable bool
}

// Bars reports whether bars are still to be read.
func (l *Loading) Bars() bool { return l != nil && (l.Candles || l.OddCandle) }

// VenueRules are what the venue says about orders in all assets. Immutable; replaced as a whole.
type VenueRules struct {
	// MarketOrders are the venue's largest market orders; empty: not read.
	MarketOrders []OrderLimit
	// Notice is the text of the venue's special status ("" for none) as of NoticeRead (0: never read).
	Notice     string
	NoticeRead Instant
}

// noticeFor is how long a read notice stands.
const noticeFor = time.Minute

// CurrentNotice returns the venue's notice, "" for none or when it was not read lately.
func (r *VenueRules) CurrentNotice(now Instant) string {
	if r.NoticeRead == 0 || now.Sub(r.NoticeRead) > noticeFor {
		return ""
	}
	return r.Notice
}

// OrderLimit is the largest market order, USD, of assets whose maximum leverage is at least Leverage.
type OrderLimit struct{ Leverage, USD float64 }

// documentedOrders are the limits that the venue documents.
var documentedOrders = []OrderLimit{{25, 15e6}, {20, 5e6}, {10, 2e6}, {0, 5e5}}

// LargestMarketOrder returns the venue's largest market order, USD, for an asset's maximum leverage: of
// the row with the greatest leverage not above it, else the least of all. Without rows it is the
// documented figure.
func (r *VenueRules) LargestMarketOrder(maxLeverage float64) float64 {
	rows := documentedOrders
	if r != nil && len(r.MarketOrders) > 0 {
		rows = r.MarketOrders
	}
	best, least := -1, rows[0].USD
	for i, row := range rows {
		least = min(least, row.USD)
		if row.Leverage <= maxLeverage*(1+1e-9) && (best < 0 || row.Leverage > rows[best].Leverage) {
			best = i
		}
	}
	if best < 0 {
		return least
	}
	return rows[best].USD
}

// Age returns the age of the prices: the older of best levels and mark. Negative when either was
// never received.
func (m *Market) Age() time.Duration {
	if m.BookAge < 0 || m.ContextAge < 0 {
		return -1
	}
	return max(m.BookAge, m.ContextAge)
}

// AgeLimits are the maximum ages at which each datum may be used.
type AgeLimits struct {
	Market time.Duration // book and context
	CEX    time.Duration
}
