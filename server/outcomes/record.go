package outcomes

import (
	"encoding/json"
	"math"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/server/journal"
)

// Record is what became of one decision, for its record. A horizon is nil until it is over and its bars are there.
type Record struct {
	After24h *Closed `json:"after_24h"`
	After7d  *Closed `json:"after_7d"`
	// Reported are the reports of the key that asked, the oldest maxReported.
	Reported []Told `json:"reported"`
}

// Closed is what the market made of the position.
type Closed struct {
	Status       string   `json:"status"` // closed, or unknown: bars are missing, and are not awaited any more
	Until        string   `json:"until"`  // end of the window
	Liquidated   *bool    `json:"liquidated"`
	LiquidatedAt *string  `json:"liquidated_at"` // the hour in which the price was reached
	VaRExceeded  *bool    `json:"var_exceeded"`
	EndPrice     *float64 `json:"end_price"`
	PnLUSD       *float64 `json:"pnl_usd"`
	PnLPct       *float64 `json:"pnl_pct"`
}

// Told is a report in the record of its decision.
type Told struct {
	TradeID    string `json:"trade_id"`
	RecordedAt string `json:"recorded_at"`
	Result
}

// maxReported bounds the reports that are looked at for one decision.
const maxReported = 100

// Enter enters into decisions what became of them, null where nothing is known yet. The market's part is computed from
// the bars that there are now.
func (c *Closer) Enter(decisions []*journal.Decision) error {
	now, bars := c.cfg.NowMs(), c.reader()
	for _, d := range decisions {
		var r Record
		if one, ok := CaseOf(d); ok {
			held := bars(one.Asset)
			r.After24h, r.After7d = one.closed(held, Day, now), one.closed(held, Week, now)
		}
		var err error
		if r.Reported, err = c.reported(d); err != nil {
			return err
		}
		d.Outcome = json.RawMessage("null")
		if r.After24h != nil || r.After7d != nil || len(r.Reported) > 0 {
			d.Outcome = json.RawMessage(encode(&r))
		}
	}
	return nil
}

// reported returns the reports about a decision.
func (c *Closer) reported(d *journal.Decision) ([]Told, error) {
	list := []Told{}
	err := c.cfg.Store.ReportsOf(d.KeyID, d.RequestID, maxReported, func(row store.Report) error {
		var r Report
		if err := json.Unmarshal([]byte(row.Body), &r); err != nil || r.Index != d.Index {
			return err
		}
		list = append(list, Told{r.TradeID, row.At.Format(timeForm), r.Result})
		return nil
	})
	return list, err
}

// closed returns what the market made of the position, nil while bars are awaited.
func (c *Case) closed(bars []marketcache.Bar, horizon int, now int64) *Closed {
	o, ok := c.Close(bars, horizon)
	x := &Closed{Status: "closed", Until: timeOf(o.ToHour)}
	switch {
	case ok:
		x.fill(&o)
	case now >= o.ToHour*hourMs+patience.Milliseconds():
		x.Status = "unknown"
	default:
		return nil
	}
	return x
}

func (x *Closed) fill(o *Outcome) {
	x.Liquidated, x.EndPrice = &o.Liquidated, &o.EndPrice
	if o.Liquidated {
		at := timeOf(o.LiquidatedHour)
		x.LiquidatedAt = &at
	}
	if o.VaRJudged {
		x.VaRExceeded = &o.VaRExceeded
	}
	if !math.IsNaN(o.PnLUSD) {
		x.PnLUSD = &o.PnLUSD
	}
	if !math.IsNaN(o.PnLPct) {
		x.PnLPct = &o.PnLPct
	}
}

// timeOf returns an hour since 1970 as in answers.
func timeOf(hour int64) string { return time.UnixMilli(hour * hourMs).UTC().Format(timeForm) }
