package journal

import (
	"math"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/policy"
)

// Entry is what a handler knows of a decision. Record copies it, and nothing in it points to the scratch of an
// assessment: the handler may use its memory again.
type Entry struct {
	Kind      Kind
	Index     int
	RequestID []byte
	KeyID     string
	Wallet    marketcache.Wallet // zero: not known
	Request   []byte             // JSON
	AtMs      int64              // ms since 1970
	Gate      Passage            // of a decision of the gate

	// Resolve, unless nil, is called on the writer's goroutine: it enters what a request should not wait for.
	Resolve func(*Entry)

	// What Assessed has set.
	assessed       bool
	asset          string
	action         risk.Action
	recommendation risk.Recommendation
	flags          uint64               // bit of each raised flag
	figures        [figureCount]float64 // NaN: there is none
	issues         uint64               // bit of each rule of the venue that the order breaks
	side           float64
	facts          [policy.Numbers]float64
	reduces        bool
	calibration    marketcache.CalibrationHash
	walletMs       int64 // venue's times of wallet and book, ms since 1970; 0: not known
	bookMs         int64

	// Verdict is that of the operator's limits, nil for none.
	Verdict *policy.Verdict
	// Photograph is what the answer was computed from; nil: it is not kept.
	Photograph Photograph
}

// figure is a number of a decision that may be missing.
type figure int

const (
	sizeUSD figure = iota
	sizeCoin
	leverage
	score
	probability24h
	probability7d
	liquidation
	markPrice
	positionUSD
	marginUSD
	var99
	variance24h
	marketAgeMs
	walletAgeMs
	figureCount
)

// Assessed enters what s has assessed last, as it was answered, and the facts that rules are compared with.
func (e *Entry) Assessed(s *risk.Scratch, f *policy.Facts) {
	in, out, t := &s.In, &s.Out, &s.In.Trade
	e.assessed, e.asset, e.action = true, out.Meta.Asset, t.Action
	e.AtMs, e.recommendation, e.flags = out.Meta.AsOfUnixMs, out.Recommendation, out.Flags.Bits()
	e.side, e.facts, e.reduces = out.Position.After.Side, f.Values, f.Reduces
	e.calibration = out.ModelVersion.CalibrationHash
	e.walletMs, e.bookMs = in.Account.VenueMs, 0
	if book := in.Target.Market.Book; book != nil {
		e.bookMs = book.VenueMs
	}
	mark, after := out.Meta.MarkPrice, &out.Position.After
	used := s.Exposure().Leverage
	e.figures = [figureCount]float64{
		sizeUSD: t.SizeUSD, sizeCoin: t.SizeUSD / mark, leverage: used, score: out.RiskScore,
		probability24h: math.NaN(), probability7d: math.NaN(), liquidation: orNaN(after.LiquidationPrice),
		markPrice: mark, positionUSD: after.NotionalUSD, marginUSD: t.SizeUSD / used, var99: out.VaR.Dollar99_24h,
		variance24h: in.Target.Model.AverageVariance[marketcache.H24], marketAgeMs: math.Round(out.Meta.MarketAgeMs),
		walletAgeMs: math.Round(out.Meta.WalletAgeMs),
	}
	e.issues = 0
	for _, issue := range out.Admissibility.Issues[:out.Admissibility.Count] {
		e.issues |= 1 << issue.Code
	}
	if t.SizeCoin > 0 {
		e.figures[sizeCoin] = t.SizeCoin
	}
	if l := &out.Liquidation; l.HasProbability {
		e.figures[probability24h], e.figures[probability7d] = l.Probability24h, l.Probability7d
	}
}

func orNaN(x float64) float64 {
	if x == 0 {
		return math.NaN()
	}
	return x
}
