package outcomes

import (
	"math"
	"slices"
	"time"

	"ballast/marketcache"
	"ballast/server/journal"
)

const hourMs = 3_600_000

// Horizons are the lengths of the windows in hours, in the order of every array indexed by horizon.
var Horizons = [...]int64{Day: 24, Week: 168}

// Indexes into arrays by horizon.
const (
	Day, Week = 0, 1

	horizonCount = 2
)

// Bands are the recommendations, in the order of every array indexed by band.
var Bands = [...]string{"proceed", "proceed_with_caution", "abort"}

// Case is what an outcome needs of a decision: the position after the trade and what was said of it.
type Case struct {
	KeyID string `json:"k"`
	AtMs  int64  `json:"t"` // time of the answer, ms since 1970 UTC
	Asset string `json:"a"`
	Short bool   `json:"s,omitempty"`
	Band  int    `json:"b"`
	// Mark is the price at the decision, Liquidation the price given, 0: no price liquidates the position.
	Mark        float64 `json:"m"`
	Liquidation float64 `json:"l,omitempty"`
	PositionUSD float64 `json:"u,omitempty"` // 0: not known
	// PerMargin is the notional of the trade per USD of its margin, 0: not known.
	PerMargin   float64                `json:"g,omitempty"`
	VaR99       float64                `json:"v,omitempty"` // USD, 0: not known
	Variance    float64                `json:"-"`           // of a day of average hours, 0: not known
	Score       *float64               `json:"c,omitempty"`
	Probability [horizonCount]*float64 `json:"p"`
}

// CaseOf returns what an outcome needs. ok is false for a decision that promises nothing about a position: without
// a recommendation, a position or a price, or with neither a liquidation price nor a VaR.
func CaseOf(d *journal.Decision) (c Case, ok bool) {
	c = Case{
		KeyID: d.KeyID, AtMs: d.At.UnixMilli(), Asset: d.Asset, Short: d.Side == "short",
		Band: slices.Index(Bands[:], d.Recommendation), Score: d.RiskScore,
		Probability: [...]*float64{d.Probability24h, d.Probability7d},
	}
	judged := d.Kind == journal.Validate || d.Kind == journal.Batch || d.Kind == journal.Gate
	c.Mark, c.Liquidation = positive(d.MarkPrice), positive(d.Liquidation)
	c.PositionUSD, c.VaR99, c.Variance = math.Abs(value(d.PositionUSD)), positive(d.VaR99), positive(d.Variance)
	if margin := positive(d.MarginUSD); margin > 0 {
		c.PerMargin = d.SizeUSD / margin
	}
	return c, judged && c.Band >= 0 && c.Mark > 0 && (c.Short || d.Side == "long") &&
		(c.Liquidation > 0 || c.VaR99 > 0)
}

// value returns a figure, 0 for one that is not known.
func value(x *float64) float64 {
	if x == nil || math.IsNaN(*x) || math.IsInf(*x, 0) {
		return 0
	}
	return *x
}

func positive(x *float64) float64 { return max(0, value(x)) }

// Outcome is what became of a position within a horizon.
type Outcome struct {
	FromHour, ToHour int64 // the window: open hours of its first bar and of the one after its last, since 1970 UTC
	Liquidated       bool
	LiquidatedHour   int64   // open hour of the bar in which the price was reached
	EndPrice         float64 // the last close; of a liquidated position the liquidation price
	// PnLUSD is the P&L of the position, positive for a gain, without fees and funding; of a liquidated one up to the
	// liquidation price: maintenance margin that the venue keeps is not in it. PnLPct is the P&L in percent of the
	// margin. Both are NaN where the position's value or margin is not known.
	PnLUSD, PnLPct float64
	// VaRExceeded: the loss at the end of the day was larger than VaR99, whether liquidated before or not. VaRJudged:
	// there was a VaR.
	VaRExceeded, VaRJudged bool
}

// window returns the open hours of the first bar and of the one after the last.
func (c *Case) window(horizon int) (from, to int64) {
	from = (c.AtMs + hourMs - 1) / hourMs
	return from, from + Horizons[horizon]
}

// Close returns what became of the position, from bars in the order of their hours. ok is false while a bar of the
// window is missing.
func (c *Case) Close(bars []marketcache.Bar, horizon int) (o Outcome, ok bool) {
	o.FromHour, o.ToHour = c.window(horizon)
	first, found := slices.BinarySearchFunc(bars, o.FromHour*hourMs,
		func(b marketcache.Bar, ms int64) int { return int(b.OpenMs - ms) })
	n := int(o.ToHour - o.FromHour)
	if !found || len(bars)-first < n || bars[first+n-1].OpenMs != (o.ToHour-1)*hourMs {
		return o, false
	}
	window := bars[first : first+n]
	sign := 1.0
	if c.Short {
		sign = -1
	}
	last := window[n-1].Close
	o.EndPrice = last
	for i := range window {
		if b := &window[i]; c.Liquidation > 0 && (!c.Short && b.Low <= c.Liquidation ||
			c.Short && b.High >= c.Liquidation) {
			o.Liquidated, o.LiquidatedHour, o.EndPrice = true, o.FromHour+int64(i), c.Liquidation
			break
		}
	}
	move := sign * (o.EndPrice/c.Mark - 1)
	o.PnLUSD, o.PnLPct = math.NaN(), math.NaN()
	if c.PositionUSD > 0 {
		o.PnLUSD = c.PositionUSD * move
	}
	if c.PerMargin > 0 {
		o.PnLPct = 100 * move * c.PerMargin
	}
	if o.VaRJudged = horizon == Day && c.VaR99 > 0 && c.PositionUSD > 0; o.VaRJudged {
		o.VaRExceeded = -sign*(last/c.Mark-1)*c.PositionUSD > c.VaR99
	}
	return o, true
}

// due reports whether the bars of a window that ends at an hour should be there.
func due(toHour, nowMs int64) bool { return nowMs >= toHour*hourMs+grace.Milliseconds() }

const (
	// grace is how long after the end of a window its bars are awaited before the first look.
	grace = 15 * time.Minute
	// patience is how long missing bars are awaited: then the outcome is unknown for good.
	patience = 48 * time.Hour
)
