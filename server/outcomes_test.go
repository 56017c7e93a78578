package server

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/server/journal"
	"ballast/server/outcomes"
)

// recorded are recorded decisions.
type recorded struct{ list []journal.Decision }

func (r *recorded) Each(from, to time.Time, yield func(*journal.Decision) bool) (int, error) {
	for i := range r.list {
		if d := &r.list[i]; !d.At.Before(from) && d.At.Before(to) && !yield(d) {
			break
		}
	}
	return 0, nil
}

func (r *recorded) Find(_ context.Context, requestID, keyID string) (found []*journal.Decision, err error) {
	for i := range r.list {
		if r.list[i].RequestID == requestID && r.list[i].KeyID == keyID {
			found = append(found, &r.list[i])
		}
	}
	return found, nil
}

// remembered makes a server that keeps outcomes of decisions.
func remembered(t testing.TB, decisions *recorded) (change func(*Config), closer *outcomes.Closer) {
	t.Helper()
	db := newStore(t)
	now := time.Now()
	closer = outcomes.New(outcomes.Config{Decisions: decisions, Store: db, Log: slog.New(slog.DiscardHandler),
		NowMs: func() int64 { return now.UnixMilli() },
		Bars: func(string) (bars []marketcache.Bar) {
			for h := now.Add(-10 * 24 * time.Hour).Truncate(time.Hour); h.Before(now); h = h.Add(time.Hour) {
				bars = append(bars, marketcache.Bar{OpenMs: h.UnixMilli(), Open: 100, High: 100, Low: 90, Close: 99})
			}
			return bars
		}})
	return func(c *Config) { c.Outcomes = closer }, closer
}

// decision is a recorded answer about a long of 1,000 USD at 100 with 10x.
func decision(id, keyID string, age time.Duration) journal.Decision {
	of := func(x float64) *float64 { return &x }
	return journal.Decision{
		RequestID: id, At: time.Now().Add(-age), Kind: journal.Validate, KeyID: keyID, Asset: "BTC", Action: "long",
		SizeUSD: 1000, Leverage: 10, Recommendation: "proceed", RiskScore: of(25), Probability24h: of(0.25),
		Probability7d: of(0.5), Liquidation: of(91), Side: "long", MarkPrice: of(100), PositionUSD: of(1000),
		MarginUSD: of(100), VaR99: of(5), Variance: of(0.001), CalibrationHash: "c0ffee",
	}
}

const gain = `"entry_price":100,"exit_price":102,"pnl_usd":20,"pnl_pct":20,"holding_period_hours":3,"liquidated":false`

func report(trade, request, more string) string {
	return fmt.Sprintf(`{"trade_id":%q,"request_id":%q,%s%s}`, trade, request, gain, more)
}

// answersOfOutcomes gets every answer about outcomes.
func (f *fixture) answersOfOutcomes(decisions *recorded, closer *outcomes.Closer) {
	f.post2("/v1/outcome", report("t0", "req_none", ""))
	f.get("/v1/accuracy")
	for i := range 8 { // enough for both alarms
		d := decision("req_m", f.keyID, time.Duration(20+25*i)*time.Hour)
		d.Probability24h = nil
		decisions.list = append(decisions.list, d)
	}
	decisions.list = append(decisions.list, decision("req_1", f.keyID, 30*time.Hour))
	if err := closer.Pass(context.Background()); err != nil {
		f.t.Fatal(err)
	}
	f.post2("/v1/outcome", report("t1", "req_1", `,"fees_paid_usd":1,"funding_paid_usd":-2,"index":0`))
	f.post2("/v1/outcome", strings.Replace(report("t1", "req_1", ""), `"pnl_usd":20`, `"pnl_usd":21`, 1)).
		want(409, "outcome_conflict")
	f.get("/v1/accuracy").ok(`"alarm":{"raised":true,"volatility":{"raised":true,`,
		`{"recommendation":"proceed","raised":true,"window_hours":720,"units":8,`)
	f.get("/v1/outcomes/stats")
	f.get("/health").ok(`"accuracy":{"alarm":true,"volatility":true,"broken_promises":["proceed"],`)
}

// post2 posts a body to a path.
func (f *fixture) post2(path, body string) *reply {
	f.t.Helper()
	return f.raw(f.request("POST", path, body))
}

// A trade is reported once: again the same, otherwise a conflict. Only what this key's answers were about counts.
func TestReportedOutcomes(t *testing.T) {
	decisions := &recorded{}
	change, _ := remembered(t, decisions)
	f := warmFixture(t, change)
	batch := decision("req_b", f.keyID, time.Hour)
	batch.Kind, batch.Index, batch.Asset = journal.Batch, 1, "ETH"
	decisions.list = []journal.Decision{decision("req_1", f.keyID, time.Hour), decision("req_2", "key_other",
		time.Hour),
		batch}
	f.get("/v1/accuracy").ok(`"total_outcomes":0`, `"brier_score":null`, `"recent_7d":null`, `"seven_days":null`)
	first := f.post2("/v1/outcome", report("t1", "req_1", "")).ok(`"verified":true`, `"asset":"BTC"`, `"risk_score":25`,
		`"probability_24h":0.25`, `"action":"long"`, `"size_usd":1000`, `"leverage":10`, `"calibration_hash":"c0ffee"`)
	again := f.post2("/v1/outcome", strings.Replace(report("t1", "req_1", ""), `:100,`, ` : 100.0 , `, 1)).ok()
	if string(again.body) != string(first.body) {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	f.post2("/v1/outcome", report("t1", "req_1", `,"fees_paid_usd":0`)).want(409, "outcome_conflict")
	f.post2("/v1/outcome", report("t1", "req_other", "")).want(409, "outcome_conflict")
	for trade, request := range map[string]string{"t2": "req_2", "t3": "req_unknown", "t4": "req_b"} {
		f.post2("/v1/outcome", report(trade, request, "")).ok(`"verified":false`, `"asset":null`, `"risk_score":null`)
	}
	f.post2("/v1/outcome", report("t5", "req_b", `,"index":1`)).ok(`"verified":true`, `"asset":"ETH"`)
	liquidated := strings.NewReplacer(`:false`, `:true`, `"pnl_usd":20`, `"pnl_usd":-100`, `"pnl_pct":20`,
		`"pnl_pct":-100`).Replace(report("t6", "req_1", ""))
	f.post2("/v1/outcome", liquidated).ok(`"verified":true`)
	want := []string{`"total_outcomes":6,"verified":3,"by_source":{"market":0,"reported":6}`,
		`"brier_score":0.229166666`,
		`"predicted_range":[0.2,0.4],"count":3,"predicted_mean":0.25,"actual_rate":0.333333333`,
		`"wilson_95":[0.0614`,
		`{"recommendation":"proceed","count":3,"predicted_mean":0.25,"liquidated_rate":0.333333333`,
		`"score_range":[20,30],"count":3`, `"recent_7d":{"count":3,`}
	r := f.get("/v1/accuracy").ok(want...)
	if stats := f.get("/v1/outcomes/stats").ok(want...); len(stats.body) != len(r.body) {
		t.Errorf("%s", stats.body)
	}
	ask := f.operator()
	ask("POST", "/v1/outcome", report("t1", "req_1", "")).ok(`"verified":false`) // another key's answer
	ask("GET", "/v1/accuracy", "").ok(`"total_outcomes":7,"verified":3`)
	f.get("/v1/accuracy").ok(`"total_outcomes":6,"verified":3`)
}

// Outcomes that cannot be are refused, with how to mend them.
func TestRefusedOutcomes(t *testing.T) {
	change, _ := remembered(t, &recorded{})
	f := warmFixture(t, change)
	good := report("t1", "req_1", "")
	for _, row := range []struct{ old, new, field, want string }{
		{`"trade_id":"t1"`, `"trade_id":""`, "trade_id", "1 to 128"},
		{`"trade_id":"t1"`, `"trade_id":"a b"`, "trade_id", "no blanks"},
		{`"trade_id":"t1"`, `"trade_id":7`, "trade_id", `"suggestion":"7"`},
		{`"trade_id":"t1",`, ``, "trade_id", "missing field"},
		{`"request_id":"req_1",`, ``, "request_id", "meta.request_id"},
		{`"entry_price":100`, `"entry_price":0`, "entry_price", `"exclusive_min":0`},
		{`"entry_price":100`, `"entry_price":-1`, "entry_price", "more than 0"},
		{`"exit_price":102`, `"exit_price":"$102"`, "exit_price", `"suggestion":102`},
		{`"exit_price":102`, `"exit_price":1e13`, "exit_price", "more than 0"},
		{`"pnl_usd":20`, `"pnl_usd":-20`, "pnl_pct", "same sign"},
		{`"pnl_pct":20`, `"pnl_pct":"20%"`, "pnl_pct", `"suggestion":20`},
		{`"holding_period_hours":3`, `"holding_period_hours":-1`, "holding_period_hours", "hours"},
		{`"liquidated":false`, `"liquidated":"no"`, "liquidated", `"suggestion":false`},
		{`"liquidated":false`, `"liquidated":false,"index":1.5`, "index", "counted from 0"},
		{`"liquidated":false`, `"liquidated":false,"index":50`, "index", `"max":49`},
		{`"liquidated":false`, `"liquidated":false,"fee":1`, "fee", `"allowed":{"values":["trade_id"`},
		{`"liquidated":false`, `"liquidated":false,"fees_paid":1`, "fees_paid", `"suggestion":"fees_paid_usd"`},
	} {
		body := strings.Replace(good, row.old, row.new, 1)
		f.post2("/v1/outcome", body).want(400, "validation_error", `"field":"`+row.field+`"`, row.want)
	}
	f.post2("/v1/outcome", `{"trade_id":"t1","trade_id":"t2"}`).want(400, "invalid_json")
	f.post2("/v1/outcome", `{}`).want(400, "validation_error", `"problems":[`)
	f.get("/v1/accuracy").ok(`"total_outcomes":0`)
	bare := warmFixture(t, nil)
	bare.post2("/v1/outcome", good).want(404, "not_found")
	bare.get("/v1/accuracy").want(404, "not_found")
	bare.get("/health").ok(`"accuracy":null`)
}
