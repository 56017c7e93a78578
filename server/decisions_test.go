package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/server/journal"
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
	f := newFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	f.warm()
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
	f.get("/v1/decisions/theirs").want(404, "not_found", "key")
	ask("GET", "/v1/decisions/theirs", "").ok(`"ETH"`)
	batch := f.postBatch(batchOf(btcLong, btcLong, `{"asset":"NOPE","action":"long","size":1}`))
	d := f.get("/v1/decisions/" + batch.header.Get("X-Request-Id")).ok()
	if trades, _ := d.tree["batch"].([]any); len(trades) != 2 || trades[1].(map[string]any)["index"] != 1.0 {
		t.Errorf("batch: %s", d.body)
	}
}

// TestDecisionsAskedWrongly: what is wrong with a question is said, and how to mend it.
func TestDecisionsAskedWrongly(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	f.warm()
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
	off := newFixture(t, nil)
	off.warm()
	off.get("/v1/decisions/nobody").want(404, "not_found", "--journal off")
	off.get("/v1/decisions").ok(`"decisions":[]`)
	off.get("/health").ok(`"mode":"off"`)
}

// TestSearchesAreBounded: searches beyond the limit are refused, not queued for ever.
func TestSearchesAreBounded(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	f.warm()
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
