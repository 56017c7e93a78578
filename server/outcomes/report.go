package outcomes

import (
	"context"
	"slices"
	"time"

	"ballast/internal/store"
	"ballast/server/journal"
)

// timeForm is that of all times in answers.
const timeForm = "2006-01-02T15:04:05.000Z"

// Report is an outcome that a client reports.
type Report struct {
	TradeID   string `json:"trade_id"`
	RequestID string `json:"request_id"`
	Index     int    `json:"index"` // of a batch's trade, from 0
	Result
}

// Result is what a client says became of a trade.
type Result struct {
	EntryPrice   float64  `json:"entry_price"`
	ExitPrice    float64  `json:"exit_price"`
	PnLUSD       float64  `json:"pnl_usd"`
	PnLPct       float64  `json:"pnl_pct"` // of margin
	HoldingHours float64  `json:"holding_period_hours"`
	Liquidated   bool     `json:"liquidated"`
	FeesUSD      *float64 `json:"fees_paid_usd"`
	FundingUSD   *float64 `json:"funding_paid_usd"`
}

// Answer is the answer to a report. What is taken from the decision is null in one that is not verified.
type Answer struct {
	TradeID    string `json:"trade_id"`
	RequestID  string `json:"request_id"`
	Verified   bool   `json:"verified"`
	Source     Source `json:"source"`
	RecordedAt string `json:"recorded_at"`

	Recommendation  *string  `json:"recommendation"`
	RiskScore       *float64 `json:"risk_score"`
	Probability24h  *float64 `json:"probability_24h"`
	Asset           *string  `json:"asset"`
	Action          *string  `json:"action"`
	SizeUSD         *float64 `json:"size_usd"`
	Leverage        *float64 `json:"leverage"`
	CalibrationHash *string  `json:"calibration_hash"`
}

// Report keeps a report of a key and returns the answer. conflict: the key has reported the trade before, otherwise.
// A report that was kept before has the answer of then.
func (c *Closer) Report(ctx context.Context, keyID string, r *Report) (answer string, conflict bool, err error) {
	decision, err := c.decision(ctx, keyID, r)
	if err != nil {
		return "", false, err
	}
	at := time.UnixMilli(c.cfg.NowMs()).UTC()
	a := Answer{TradeID: r.TradeID, RequestID: r.RequestID, Source: Reported, RecordedAt: at.Format(timeForm)}
	name := store.SumName{
		Key: keyID, Day: at.Unix() / 86400, Source: string(Unverified), Horizon: Horizons[Day],
	}
	var sums Sums
	if decision == nil {
		sums.Unknown = 1
	} else {
		a.of(decision)
		name.Source = string(Reported)
		sums.add(&entry{slices.Index(Bands[:], decision.Recommendation), decision.RiskScore, decision.Probability24h,
			r.Liquidated, r.PnLUSD, r.PnLPct})
	}
	row := store.Report{Key: keyID, TradeID: r.TradeID, At: at, Body: encode(r), Answer: encode(&a)}
	earlier, err := c.cfg.Store.ReportOutcome(&row, name, encode(&sums), mergeSums)
	if err != nil || earlier == nil {
		return row.Answer, false, err
	}
	return earlier.Answer, earlier.Body != row.Body, nil
}

// of takes over what the decision said.
func (a *Answer) of(d *journal.Decision) {
	a.Verified, a.Recommendation, a.RiskScore, a.Probability24h = true, &d.Recommendation, d.RiskScore, d.Probability24h
	a.Asset, a.Action, a.SizeUSD, a.Leverage = &d.Asset, &d.Action, &d.SizeUSD, &d.Leverage
	a.CalibrationHash = &d.CalibrationHash
}

// decision returns the assessed decision of the key that a report is about, nil if there is none.
func (c *Closer) decision(ctx context.Context, keyID string, r *Report) (*journal.Decision, error) {
	found, err := c.cfg.Decisions.Find(ctx, r.RequestID, keyID)
	for _, d := range found {
		if d.KeyID == keyID && d.Index == r.Index && slices.Contains(Bands[:], d.Recommendation) {
			return d, err
		}
	}
	return nil, err
}

// Accuracy is what became of the answers to a key, or to all keys.
type Accuracy struct {
	// Sums of 24 hours by source; those of unverified reports have Unknown alone.
	Market, Reported, Unverified Sums
	// Day is the sum of Market and Reported, Recent that of the newest seven UTC days, Week that of 7 days, which the
	// market alone tells.
	Day, Recent, Week Sums
	At                time.Time
}

// recentDays is the number of UTC days in Accuracy.Recent.
const recentDays = 7

// Accuracy returns what became of the answers to a key, of all keys for nil.
func (c *Closer) Accuracy(keyID *string) (*Accuracy, error) {
	a := &Accuracy{At: time.UnixMilli(c.cfg.NowMs()).UTC()}
	today := a.At.Unix() / 86400
	err := c.cfg.Store.OutcomeSums(keyID, func(n store.SumName, text string) error {
		sums, err := decodeSums(text)
		if err != nil || n.Day <= today-keptDays {
			return err
		}
		into := &a.Market
		switch {
		case n.Horizon == Horizons[Week]:
			a.Week.Merge(&sums)
			return nil
		case n.Source == string(Unverified):
			a.Unverified.Merge(&sums)
			return nil
		case n.Source == string(Reported):
			into = &a.Reported
		}
		into.Merge(&sums)
		a.Day.Merge(&sums)
		if n.Day > today-recentDays {
			a.Recent.Merge(&sums)
		}
		return nil
	})
	return a, err
}
