package outcomes

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/server/journal"
)

// records asks a closer, at a time of its own, for the records of decisions.
type records struct {
	*Closer
	t   *testing.T
	now time.Time
}

// newRecords makes a closer with bars of eight days: in BTC a long is liquidated on the second day, of GAP one is
// missing.
func newRecords(t *testing.T, known ...journal.Decision) *records {
	db, err := store.OpenMain(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	bars, gap := flat(hour0, 24*8, 150), flat(hour0, 24*8, 150)
	bars[30].Low = 90
	gap = append(gap[:20], gap[21:]...)
	r := &records{t: t, now: start}
	r.Closer = New(Config{Decisions: decided(known), Store: db, Log: slog.New(slog.DiscardHandler),
		NowMs: func() int64 { return r.now.UnixMilli() },
		Bars: func(asset string) (held []marketcache.Bar) {
			for _, b := range map[string][]marketcache.Bar{"BTC": bars, "GAP": gap}[asset] {
				if b.OpenMs+hourMs <= r.now.UnixMilli() {
					held = append(held, b)
				}
			}
			return held
		}})
	return r
}

func (r *records) text(d journal.Decision) string {
	r.t.Helper()
	if err := r.Enter([]*journal.Decision{&d}); err != nil {
		r.t.Fatal(err)
	}
	return string(d.Outcome)
}

func (r *records) of(d journal.Decision) (record Record) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.text(d)), &record); err != nil {
		r.t.Fatal(err)
	}
	return record
}

func (r *records) report(key string, report Report) {
	r.t.Helper()
	if _, _, err := r.Report(r.t.Context(), key, &report); err != nil {
		r.t.Fatal(err)
	}
}

// The record of a decision tells what the market made of it, of each horizon when it is over.
func TestRecordsTellOfTheMarket(t *testing.T) {
	r, asked, sparse := newRecords(t), long(start), long(start)
	sparse.Asset = "GAP"
	r.now = start.Add(24*time.Hour - time.Millisecond)
	if got := r.text(asked); got != "null" {
		t.Errorf("before a day is over: %s", got)
	}
	r.now = start.Add(24 * time.Hour)
	const day = `{"after_24h":{"status":"closed","until":"2026-03-03T00:00:00.000Z","liquidated":false,` +
		`"liquidated_at":null,"var_exceeded":false,"end_price":150,"pnl_usd":500,"pnl_pct":500},` +
		`"after_7d":null,"reported":[]}`
	if got := r.text(asked); got != day {
		t.Errorf("after a day %s, want %s", got, day)
	}
	if got := r.text(sparse); got != "null" {
		t.Errorf("with a bar missing: %s", got)
	}
	r.now = start.Add(9 * 24 * time.Hour)
	week := r.of(asked).After7d
	if week == nil || !*week.Liquidated || *week.LiquidatedAt != "2026-03-03T06:00:00.000Z" || *week.EndPrice != 91 ||
		week.VaRExceeded != nil {
		t.Errorf("after a week: %+v", week)
	}
	if x := r.of(sparse); x.After24h.Status != "unknown" || x.After24h.Liquidated != nil ||
		x.After7d.Status != "unknown" {
		t.Errorf("with a bar that never came: %+v", x)
	}
}

// It has the reports of the key that asked, about this trade of its request.
func TestRecordsTellOfReports(t *testing.T) {
	asked, batch, flatly := long(start), long(start), long(start)
	batch.Kind, batch.Index = journal.Batch, 1
	flatly.Side, flatly.RequestID = "flat", "req_flat"
	r := newRecords(t, asked, batch, flatly)
	if got := r.text(flatly); got != "null" {
		t.Errorf("of a decision that promises nothing: %s", got)
	}
	r.report("key_a", Report{TradeID: "t1", RequestID: "req_1", Result: Result{ExitPrice: 102, FeesUSD: of(1.5)}})
	r.report("key_b", Report{TradeID: "t2", RequestID: "req_1"})
	r.report("key_a", Report{TradeID: "t3", RequestID: "req_1", Index: 1})
	r.report("key_a", Report{TradeID: "t4", RequestID: "req_flat"})
	if all := r.of(asked).Reported; len(all) != 1 || all[0].TradeID != "t1" || all[0].ExitPrice != 102 ||
		*all[0].FeesUSD != 1.5 || all[0].RecordedAt != start.Format(timeForm) {
		t.Errorf("of the first trade: %+v", all)
	}
	if all := r.of(batch).Reported; len(all) != 1 || all[0].TradeID != "t3" {
		t.Errorf("of the second trade: %+v", all)
	}
	if x := r.of(flatly); x.After24h != nil || len(x.Reported) != 1 || x.Reported[0].TradeID != "t4" {
		t.Errorf("of a decision that promises nothing: %+v", x)
	}
}
