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

// The record of a decision tells of each horizon when it is over, and what the key that asked has reported of it.
func TestRecordsTellWhatBecame(t *testing.T) {
	db, err := store.OpenMain(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	bars := flat(hour0, 24*8, 150)
	bars[30].Low = 90 // liquidated on the second day
	gap := flat(hour0, 24*8, 150)
	gap = append(gap[:20], gap[21:]...)
	asked, batch, flatly, sparse := long(start), long(start), long(start), long(start)
	batch.Kind, batch.Index = journal.Batch, 1
	flatly.Side, flatly.RequestID = "flat", "req_flat"
	sparse.Asset = "GAP"
	now := start
	c := New(Config{Decisions: decided{asked, batch}, Store: db, Log: slog.New(slog.DiscardHandler),
		NowMs: func() int64 { return now.UnixMilli() },
		Bars: func(asset string) (held []marketcache.Bar) {
			for _, b := range map[string][]marketcache.Bar{"BTC": bars, "GAP": gap}[asset] {
				if b.OpenMs+hourMs <= now.UnixMilli() {
					held = append(held, b)
				}
			}
			return held
		}})
	text := func(d journal.Decision) string {
		t.Helper()
		if err := c.Enter([]*journal.Decision{&d}); err != nil {
			t.Fatal(err)
		}
		return string(d.Outcome)
	}
	record := func(d journal.Decision) (r Record) {
		t.Helper()
		if err := json.Unmarshal([]byte(text(d)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	now = start.Add(24*time.Hour - time.Millisecond)
	if got := text(asked); got != "null" {
		t.Errorf("before a day is over: %s", got)
	}
	now = start.Add(24 * time.Hour)
	const day = `{"after_24h":{"status":"closed","until":"2026-03-03T00:00:00.000Z","liquidated":false,` +
		`"liquidated_at":null,"var_exceeded":false,"end_price":150,"pnl_usd":500,"pnl_pct":500},` +
		`"after_7d":null,"reported":[]}`
	if got := text(asked); got != day {
		t.Errorf("after a day %s, want %s", got, day)
	}
	if got := text(sparse); got != "null" {
		t.Errorf("with a bar missing: %s", got)
	}
	now = start.Add(9 * 24 * time.Hour)
	week := record(asked).After7d
	if week == nil || !*week.Liquidated || *week.LiquidatedAt != "2026-03-03T06:00:00.000Z" || *week.EndPrice != 91 ||
		week.VaRExceeded != nil {
		t.Errorf("after a week: %+v", week)
	}
	if x := record(sparse); x.After24h.Status != "unknown" || x.After24h.Liquidated != nil ||
		x.After7d.Status != "unknown" {
		t.Errorf("with a bar that never came: %+v", x)
	}
	for _, r := range []struct {
		key, trade string
		index      int
	}{{"key_a", "t1", 0}, {"key_b", "t2", 0}, {"key_a", "t3", 1}} {
		report := Report{TradeID: r.trade, RequestID: "req_1", Index: r.index, ExitPrice: 102, FeesUSD: of(1.5)}
		if _, _, err := c.Report(t.Context(), r.key, &report); err != nil {
			t.Fatal(err)
		}
	}
	if all := record(asked).Reported; len(all) != 1 || all[0].TradeID != "t1" || all[0].ExitPrice != 102 ||
		*all[0].FeesUSD != 1.5 || all[0].RecordedAt != now.Format(timeForm) {
		t.Errorf("reported of the first trade: %+v", all)
	}
	if all := record(batch).Reported; len(all) != 1 || all[0].TradeID != "t3" {
		t.Errorf("reported of the second trade: %+v", all)
	}
	if got := text(flatly); got != "null" {
		t.Errorf("of a decision that promises nothing: %s", got)
	}
	report := Report{TradeID: "t4", RequestID: "req_flat"}
	if _, _, err := c.Report(t.Context(), "key_a", &report); err != nil {
		t.Fatal(err)
	}
	if x := record(flatly); x.After24h != nil || len(x.Reported) != 1 {
		t.Errorf("reported of a decision that promises nothing: %+v", x)
	}
}
