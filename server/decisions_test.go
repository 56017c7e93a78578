package server

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/server/journal"
	"ballast/server/outcomes"
)

// recordsNothing is a photograph that cannot be encoded.
type recordsNothing struct{}

func (recordsNothing) Encode() (store.Photograph, string, string, error) {
	return store.Photograph{}, "", "", fmt.Errorf("nothing to see")
}

// answersOfTheJournal makes every answer about decisions, with every field.
func answersOfTheJournal(f *fixture) {
	live := f.s.cfg.Policies.InForce()
	f.rules(live, `{"max_position_usd":1}`)
	f.post(trade("BTC"))
	batch := f.postBatch(batchOf(btcLong, strings.Replace(btcLong, "BTC", "ETH", 1)))
	j := f.s.cfg.Journal
	bad := &journal.Entry{Kind: journal.Gate, RequestID: []byte("gate"), KeyID: f.keyID, Request: []byte("{}"),
		AtMs: 1, Gate: journal.Passage{Did: "refused", Class: "increase", Type: "order", Reason: "no", Signer: "0x1"}}
	j.RecordGate(bad, false)
	bad.Photograph = recordsNothing{}
	j.Record(bad)
	f.get("/v1/decisions")
	f.get("/v1/decisions?limit=1")
	f.get("/v1/decisions/gate")
	f.get("/v1/decisions/" + batch.header.Get("X-Request-Id"))
	f.get("/health")
}

// ids returns the request ids of a page, newest first.
func (r *reply) ids() (ids []string) {
	r.t.Helper()
	r.ok()
	list, _ := r.tree["decisions"].([]any)
	for _, d := range list {
		ids = append(ids, d.(map[string]any)["request_id"].(string))
	}
	return ids
}

// TestDecisionsAreAsked: a decision is found as soon as it was answered, by whoever asked and by operators.
func TestDecisionsAreAsked(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	for i, asset := range []string{"BTC", "ETH", "BTC"} {
		f.post(trade(asset), fmt.Sprintf("X-Request-Id: r/%d", i)).ok()
	}
	ask := f.operator()
	ask("POST", "/v1/validate", trade("ETH"), "X-Request-Id: theirs").ok()
	for query, want := range map[string]string{
		"": "r/2 r/1 r/0", "?asset=BTC": "r/2 r/0", "?asset=ETH&wallet=" + wallet: "r/1",
		"?wallet=" + strings.ToUpper(wallet[:2]) + wallet[2:]: "", "?request_id=r%2F1": "r/1", "?verdict=refused": "",
		"?from=2000-01-01&to=2001-01-01": "", "?from=2000-01-01T00:00:00%2B01:00": "r/2 r/1 r/0",
	} {
		if query == "?wallet=0X"+wallet[2:] {
			f.get("/v1/decisions"+query).want(400, "validation_error", "wallet")
			continue
		}
		if got := strings.Join(f.get("/v1/decisions"+query).ids(), " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if got := strings.Join(ask("GET", "/v1/decisions", "").ids(), " "); got != "theirs r/2 r/1 r/0" {
		t.Errorf("an operator reads %s", got)
	}
	first := f.get("/v1/decisions?limit=2")
	next, _ := first.tree["next_cursor"].(string)
	if got := strings.Join(f.get("/v1/decisions?limit=2&cursor="+next).ids(), " "); got != "r/0" {
		t.Errorf("the next page: %s, after %v", got, first.ids())
	}
	if d := f.get("/v1/decisions/r%2F1").ok().tree; d["asset"] != "ETH" || d["batch"] != nil {
		t.Errorf("%v", d)
	}
	large := strings.Replace(trade("BTC"), `"size":`, `"size":99`, 1)
	f.post(large, "X-Request-Id: large").ok()
	kept := f.get("/v1/decisions/large").ok().tree
	if !strings.Contains(fmt.Sprint(kept["venue_issues"]), "insufficient_margin") ||
		kept["market_age_ms"] == nil || kept["wallet_age_ms"] == nil || kept["key_email"] != "test@example.org" {
		t.Errorf("%v", kept)
	}
	f.get("/v1/decisions/theirs").want(404, "not_found", "key")
	ask("GET", "/v1/decisions/theirs", "").ok(`"ETH"`)
	batch := f.postBatch(batchOf(btcLong, btcLong, `{"asset":"NOPE","action":"long","size":1}`))
	d := f.get("/v1/decisions/" + batch.header.Get("X-Request-Id")).ok()
	if trades, _ := d.tree["batch"].([]any); len(trades) != 2 || trades[1].(map[string]any)["index"] != 1.0 {
		t.Errorf("batch: %s", d.body)
	}
}

// TestQuestionsOfAScreenAreNoDecisions: what is asked with record=false is answered, and not recorded.
func TestQuestionsOfAScreenAreNoDecisions(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	size := `{"asset":"BTC","action":"long","wallet":"` + wallet + `","target":{"max_score":40}}`
	for path, body := range map[string]string{
		"/v1/validate": trade("BTC"), "/v1/validate/batch": batchOf(btcLong), "/v1/size": size,
	} {
		f.raw(f.request("POST", path+"?record=false", body)).ok()
		f.raw(f.request("POST", path+"?record=false&view=compact", body)).ok()
		if got := f.get("/v1/decisions").ids(); len(got) != 0 {
			t.Errorf("%s: recorded as %s", path, got)
		}
	}
	f.raw(f.request("POST", "/v1/validate?record=true", trade("BTC"))).ok()
	f.post(trade("BTC")).ok() // by a connection that asked otherwise before
	if got := f.get("/v1/decisions").ids(); len(got) != 2 {
		t.Errorf("%d are recorded, want 2", len(got))
	}
}

// TestDecisionsAskedWrongly: what is wrong with a question is said, and how to mend it.
func TestDecisionsAskedWrongly(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	for query, says := range map[string]string{
		"?wallet=0x12": "40", "?asset=btc": `"suggestion":"BTC"`, "?verdict=aborted": `"suggestion":"abort"`,
		"?from=yesterday": "RFC 3339", "?limit=0": `"max":500`, "?limit=1000": "from 1 to 500", "?limit=x": "integer",
		"?cursor=abc": "next_cursor", "?cursor=1.-1": "next_cursor", "?to=2026-01-01&from=2026-01-01": "before",
		"?limit=1&limit=2": "twice", "?walet=1": `"suggestion":"wallet"`, "?asset=%zz": "percent",
	} {
		f.get("/v1/decisions"+query).want(400, "validation_error", says)
	}
	f.get("/v1/decisions/a%20b").want(400, "validation_error", "request id")
	f.get("/v1/decisions/nobody").want(404, "not_found", "nobody")
	f.raw(strings.Replace(f.request("GET", "/v1/decisions", ""), f.key, "blst_none", 1)).want(401, "")
	off := warmFixture(t, nil)
	off.get("/v1/decisions/nobody").want(404, "not_found", "--journal off")
	off.get("/v1/decisions").ok(`"decisions":[]`)
	off.get("/health").ok(`"mode":"off"`)
}

// TestSearchesAreBounded: searches beyond the limit are refused, not queued for ever.
func TestSearchesAreBounded(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	for range searchers {
		f.s.searching <- struct{}{}
	}
	begun := time.Now()
	f.get("/v1/decisions").want(503, "overloaded", "searches")
	if time.Since(begun) < searchTime {
		t.Error("did not wait for its turn")
	}
	<-f.s.searching
	f.get("/v1/decisions").ok()
}

// aWeekLater makes a server that records decisions and tells what became of them, as if it were asked nine days later.
func aWeekLater(t testing.TB) func(*Config) {
	t.Helper()
	j := newJournal(t, nil)
	later := time.Now().Add(9 * 24 * time.Hour)
	closer := outcomes.New(outcomes.Config{Decisions: j, Store: j.Store, Log: slog.New(slog.DiscardHandler),
		NowMs: later.UnixMilli,
		Bars: func(string) (bars []marketcache.Bar) { // which liquidate every long
			for h := time.Now().Add(-48 * time.Hour).Truncate(time.Hour); h.Before(later); h = h.Add(time.Hour) {
				bars = append(bars, marketcache.Bar{OpenMs: h.UnixMilli(), Open: 100, High: 100, Low: 1, Close: 99})
			}
			return bars
		}})
	return func(c *Config) { c.Journal, c.Outcomes = j, closer }
}

// answersOfRecords makes records of decisions that are over.
func (f *fixture) answersOfRecords() {
	f.post(trade("BTC"), "X-Request-Id: over").ok()
	f.post2("/v1/outcome", report("t1", "over", `,"fees_paid_usd":1,"funding_paid_usd":2`)).ok()
	f.get("/v1/decisions/over").ok()
}

// TestDecisionsHaveOutcomes: what became of a decision is in its record, in lists and in the tool's answer.
func TestDecisionsHaveOutcomes(t *testing.T) {
	f := warmFixture(t, aWeekLater(t))
	f.answersOfRecords()
	want := []string{`"outcome":{"after_24h":{"status":"closed"`, `"liquidated":true`, `"after_7d":{"status":"closed"`,
		`"reported":[{"trade_id":"t1"`, `"funding_paid_usd":2`}
	f.get("/v1/decisions/over").ok(want...)
	f.get("/v1/decisions").ok(want...)
	tool := f.tool("get_decision", `{"request_id":"over"}`)
	outcome, _ := tool.Structured["outcome"].(map[string]any)
	if day, _ := outcome["after_24h"].(map[string]any); day["liquidated"] != true ||
		!strings.Contains(tool.Content[0].Text, "outcome") {
		t.Errorf("%+v", tool)
	}
	batch := f.postBatch(batchOf(btcLong, btcLong))
	f.post2("/v1/outcome", report("t2", batch.header.Get("X-Request-Id"), `,"index":1`)).ok()
	trades := f.get("/v1/decisions/" + batch.header.Get("X-Request-Id")).ok().tree["batch"].([]any)
	for i, want := range []int{0, 1} {
		outcome := trades[i].(map[string]any)["outcome"].(map[string]any)
		if n := len(outcome["reported"].([]any)); n != want {
			t.Errorf("trade %d has %d reports, want %d", i, n, want)
		}
	}
	now := warmFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	now.post(trade("BTC"), "X-Request-Id: new").ok()
	now.get("/v1/decisions/new").ok(`"outcome":null`)
}
