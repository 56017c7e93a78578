package api

import (
	"errors"
	"math"
	"strings"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/policy"
)

// ErrNotFinite: an assessment has a NaN or an infinity and cannot be written.
var ErrNotFinite = errors.New("assessment with a number that is not finite")

// Envelope holds the parts of an answer besides the assessment.
type Envelope struct {
	RequestID []byte
	Venue     string    // for meta; needs no escaping
	Started   time.Time // start of the request, for the latency
	Explain   bool      // include the explanation
	Compact   bool      // write the compact view
	// Deposit is the least with which the trade proceeds; nil when it was not asked for.
	Deposit *risk.Deposit
	// Policy is the verdict of the operator's limits on the trade, or on the wallet of a report; nil, or one that does
	// not apply, is left out. Held are those on the positions of a report, empty for none.
	Policy *policy.Verdict
	Held   []policy.Verdict
}

// latencyMs returns the time since the start of the request in ms.
func (e *Envelope) latencyMs() float64 { return float64(time.Since(e.Started).Nanoseconds()) / 1e6 }

// AppendAssessment appends the answer to a validation request. When it returns ErrNotFinite the text is
// unusable.
//
// Numbers are fixed-point, see appendFixed. Prices, the funding rate and the numbers of the explanation
// read back exactly.
func AppendAssessment(dst []byte, a *risk.Assessment, e *Envelope) ([]byte, error) {
	if e.Compact {
		return appendCompact(dst, a, e)
	}
	w := NewWriter(dst)
	w.judged(a)
	w.policy(e.Policy)
	w.portfolioRisk(&a.PortfolioRisk)
	w.portfolioStress(&a.PortfolioStress)
	w.fees(&a.Fees)
	w.cost(&a.Cost)
	w.sizing(&a.Sizing, e.Deposit)
	w.change(a)
	w.pools(a.Pools, nil)
	w.bookBefore(&a.BookBefore)
	w.monteCarlo(&a.MonteCarlo)
	w.day(&a.Day)
	w.evt(&a.EVT)
	w.greeks(&a.Greeks)
	w.regime(&a.Regime)
	w.drawdown(&a.Drawdown)
	w.attribution(&a.Attribution)
	w.metaHead(&a.Meta, e, true)
	w.end()
	w.modelVersion(&a.ModelVersion)
	if e.Explain {
		w.explanation(a)
	}
	w.end()
	return w.finished()
}

// judged writes the verdict and the first blocks.
func (w *Writer) judged(a *risk.Assessment) {
	w.fixed(`{"risk_score":`, a.RiskScore)
	w.word(`,"recommendation":"`, a.Recommendation.String())
	w.flags(&a.Flags)
	w.slippage(&a.Slippage)
	w.liquidation(&a.Liquidation)
	w.funding(&a.Funding)
	w.impact(&a.Impact)
	w.valueAtRisk(&a.VaR, a.Liquidation.HasProbability)
	w.openInterest(&a.OpenInterest)
	w.stress(&a.Stress)
}

// AppendRejected appends the element for a trade of a batch that breaks a rule: every required block
// with zeros, no position before or after, unknown admissibility, the highest score, and the rule in
// meta.error, with how to mend the trade, which the compact view says in its summary. Only asset and time of meta are
// used.
func AppendRejected(dst []byte, reason string, how *Mending, meta *risk.Meta, version *risk.ModelVersion,
	e *Envelope) []byte {
	if e.Compact {
		return appendCompactRejected(dst, reason, how, meta, e)
	}
	a := risk.Assessment{
		RiskScore: 100, Recommendation: risk.Abort, Admissibility: risk.Admissibility{Verdict: risk.VerdictUnknown},
		Margin: risk.Margin{Move: risk.MarketMove{DownPct: math.NaN(), UpPct: math.NaN()}},
	}
	w := NewWriter(dst)
	w.judged(&a)
	w.fees(&a.Fees)
	w.cost(&a.Cost)
	w.change(&a)
	w.metaHead(meta, e, false)
	w.Text(`,"error":`, reason)
	w.b = how.appendTo(w.b)
	w.end()
	w.modelVersion(version)
	w.end()
	return w.Bytes()
}

// metaHead writes meta without its closing brace. used: data were used, and have ages.
func (w *Writer) metaHead(m *risk.Meta, e *Envelope, used bool) {
	w.Text(`,"meta":{"asset":`, m.Asset)
	w.Exact(`,"mark_price":`, m.MarkPrice)
	w.fixed(`,"max_leverage":`, m.MaxLeverage)
	w.fixed(`,"latency_ms":`, e.latencyMs())
	w.fixedIf(`,"market_age_ms":`, m.MarketAgeMs, used)
	w.fixedIf(`,"wallet_age_ms":`, m.WalletAgeMs, used)
	w.about(m, e)
}

// about writes request id, venue and its notice, the role of the wallet, and time of an answer.
func (w *Writer) about(m *risk.Meta, e *Envelope) {
	w.b = AppendString(append(w.b, `,"request_id":`...), e.RequestID)
	w.word(`,"venue":"`, e.Venue)
	w.TextOrNull(`,"venue_notice":`, m.VenueNotice)
	w.TextOrNull(`,"wallet_role":`, m.WalletRole)
	w.b = append(AppendTime(append(w.b, `,"as_of":"`...), m.AsOfUnixMs), '"')
}

// AppendTime appends a time (ms since 1970) as RFC 3339 in UTC with milliseconds.
func AppendTime(dst []byte, unixMs int64) []byte {
	at := time.UnixMilli(unixMs).UTC()
	dst = at.AppendFormat(dst, time.RFC3339) // without milliseconds, which the time package writes slowly
	ms := at.Nanosecond() / 1e6
	return append(dst[:len(dst)-len("Z")], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z')
}

var noHash = strings.Repeat("0", len(marketcache.CalibrationHash{}))

func (w *Writer) modelVersion(m *risk.ModelVersion) {
	w.word(`,"model_version":{"engine_version":"`, m.EngineVersion)
	w.Raw(`,"calibration_hash":"`)
	if m.CalibrationHash[0] == 0 { // the trade was not assessed
		w.Raw(noHash)
	} else {
		w.Append(m.CalibrationHash[:])
	}
	w.Text(`","calibration_name":`, m.CalibrationName)
	w.end()
}
