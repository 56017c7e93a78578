package ballast

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

var (
	recordAt    = time.Date(2026, 11, 27, 10, 22, 17, 191e6, time.FixedZone("", 3600))
	recordLimit = 5.0
)

// recordCall is a call about records: the type of its answer, and what it asks.
type recordCall struct {
	kind, target, match, body string
	call                      func(ctx context.Context, c *Client) (any, error)
}

var recordCalls = []recordCall{
	{"Decisions", "GET /prefix/v1/decisions?wallet=0x&asset=xyz%3AA&verdict=abort&request_id=a%2Fb" +
		"&from=2026-11-27T10%3A22%3A17.191%2B01%3A00&to=2026-11-27T10%3A22%3A17.191%2B01%3A00&limit=5&cursor=1.2", "",
		"", func(ctx context.Context, c *Client) (any, error) {
			return c.Decisions(ctx, DecisionQuery{Wallet: "0x", Asset: "xyz:A", Verdict: "abort", RequestID: "a/b",
				Page: Page{From: recordAt, To: recordAt, Cursor: "1.2", Limit: 5}})
		}},
	{"Decisions", "GET /prefix/v1/decisions", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.Decisions(ctx, DecisionQuery{})
	}},
	{"Decision", "GET /prefix/v1/decisions/a%2Fb", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.Decision(ctx, "a/b")
	}},
	{"Audit", "GET /prefix/v1/audit?limit=2&cursor=7", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.Audit(ctx, Page{Limit: 2, Cursor: "7"})
	}},
	{"Policy", "GET /prefix/v1/policy/%2A", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.Policy(ctx, AllWallets)
	}},
	{"Policy", "PUT /prefix/v1/policy/0x", "", `{"max_leverage":5}`, func(ctx context.Context, c *Client) (any, error) {
		return c.PutPolicy(ctx, "0x", PolicyRules{MaxLeverage: &recordLimit}, 0)
	}},
	{"Policy", "PUT /prefix/v1/policy/0x", `"7"`, `{}`, func(ctx context.Context, c *Client) (any, error) {
		return c.PutPolicy(ctx, "0x", PolicyRules{}, 7)
	}},
	{"Policy", "DELETE /prefix/v1/policy/0x", `"7"`, "", func(ctx context.Context, c *Client) (any, error) {
		return c.DeletePolicy(ctx, "0x", 7)
	}},
	{"PolicyTest", "POST /prefix/v1/policy/0x/test", "", `{"rules":{},"from":"2026-11-27"}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.TestPolicy(ctx, "0x", PolicyTestRequest{From: "2026-11-27"})
		}},
	{"KillSwitch", "GET /prefix/v1/kill-switch", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.KillSwitch(ctx)
	}},
	{"KillSwitch", "PUT /prefix/v1/kill-switch", "", `{"on":true,"reason":"r"}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.SetKillSwitch(ctx, KillSwitchChange{On: true, Reason: "r"}, 0)
		}},
	{"KillSwitch", "PUT /prefix/v1/kill-switch", `"3"`, `{"on":false}`,
		func(ctx context.Context, c *Client) (any, error) { return c.SetKillSwitch(ctx, KillSwitchChange{}, 3) }},
	{"Watch", "PUT /prefix/v1/watch/0x", "", `{"every_s":10}`, func(ctx context.Context, c *Client) (any, error) {
		return c.PutWatch(ctx, "0x", WatchRequest{EveryS: 10})
	}},
	{"Watch", "GET /prefix/v1/watch/0x", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.Watch(ctx, "0x")
	}},
	{"WatchRemoved", "DELETE /prefix/v1/watch/0x", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.DeleteWatch(ctx, "0x")
	}},
	{"WatchList", "GET /prefix/v1/watch", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.Watches(ctx)
	}},
	{"OutcomeAnswer", "POST /prefix/v1/outcome", "", `{"trade_id":"t","request_id":"r","entry_price":1,` +
		`"exit_price":2,"pnl_usd":0,"pnl_pct":0,"holding_period_hours":0,"liquidated":false}`,
		func(ctx context.Context, c *Client) (any, error) {
			return c.ReportOutcome(ctx, OutcomeReport{TradeID: "t", RequestID: "r", EntryPrice: 1, ExitPrice: 2})
		}},
	{"Accuracy", "GET /prefix/v1/accuracy", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.Accuracy(ctx)
	}},
	{"Accuracy", "GET /prefix/v1/outcomes/stats", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.OutcomeStats(ctx)
	}},
	{"ReceiptKey", "GET /prefix/v1/receipt-key", "", "", func(ctx context.Context, c *Client) (any, error) {
		return c.ReceiptKey(ctx)
	}},
}

// Each method asks its endpoint, with its parameters, and a change with the revision that it is made upon.
func TestRecordRequests(t *testing.T) {
	var valid map[string]json.RawMessage
	load(t, "answers.json", &valid)
	for _, row := range recordCalls {
		s := serve(t, answer{200, nil, string(valid[row.kind])})
		got, err := row.call(t.Context(), s.client())
		if err != nil || reflect.TypeOf(got).Elem().Name() != row.kind {
			t.Errorf("%s: %T, %v", row.target, got, err)
			continue
		}
		if r := s.asked[0]; r.target != row.target || r.header.Get("If-Match") != row.match || r.body != row.body ||
			r.header.Values("Idempotency-Key") != nil {
			t.Errorf("%s, If-Match %q, %s: asked %s, If-Match %q, %s", row.target, row.match, row.body, r.target,
				r.header.Get("If-Match"), r.body)
		}
		empty := serve(t, answer{200, nil, "{}"})
		if _, err := row.call(t.Context(), empty.client()); failure(t, err).Code != notBallast {
			t.Errorf("%s of an empty answer: %v", row.target, err)
		}
	}
}

// A refused change tells the revision that there is.
func TestRevisionOfError(t *testing.T) {
	s := serve(t, answer{412, nil, `{"error":"precondition_failed","detail":"d","revision":8}`})
	_, err := s.client().DeletePolicy(t.Context(), "0x", 7)
	if e := failure(t, err); e.Status != http.StatusPreconditionFailed || e.Revision == nil || *e.Revision != 8 {
		t.Errorf("%#v", e)
	}
}

// A change is not sent twice over a connection that ends: whether the first was made is not known.
func TestChangesAreNotRepeated(t *testing.T) {
	var valid map[string]json.RawMessage
	load(t, "answers.json", &valid)
	s := serve(t, answer{200, nil, string(valid["Policy"])}, answer{}, answer{200, nil, string(valid["Policy"])})
	c := s.client()
	if _, err := c.Policy(t.Context(), "0x"); err != nil {
		t.Fatal(err)
	}
	_, err := c.PutPolicy(t.Context(), "0x", PolicyRules{}, 7)
	s.Close() // waits for the handler that was cut off
	if e := failure(t, err); e.Code != "unreachable" || len(s.asked) != 2 {
		t.Errorf("%v, asked %d times", err, len(s.asked))
	}
}

// receiptCase is clients/testdata/receipt.json: a receipt that the service has signed.
type receiptCase struct {
	Key     ReceiptKey        `json:"key"`
	Request ValidationRequest `json:"request"`
	Receipt Receipt           `json:"receipt"`
}

func TestReceipt(t *testing.T) {
	var good receiptCase
	load(t, "receipt.json", &good)
	until, err := time.Parse(time.RFC3339, good.Receipt.ValidUntil)
	if err != nil {
		t.Fatal(err)
	}
	if err := good.Key.Verify(&good.Receipt, good.Request, until); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(c *receiptCase, now *time.Time){
		"signed":          func(c *receiptCase, _ *time.Time) { c.Receipt.Verdict = "abort" },
		"with this key":   func(c *receiptCase, _ *time.Time) { c.Key.Raw = strings.Repeat("A", 43) + "=" },
		"no Ed25519 key":  func(c *receiptCase, _ *time.Time) { c.Key.Raw = "AAAA" },
		"this key":        func(c *receiptCase, _ *time.Time) { c.Key.KeyID = "0000000000000000" },
		"another request": func(c *receiptCase, _ *time.Time) { c.Request.Size++ },
		"held until":      func(_ *receiptCase, now *time.Time) { *now = now.Add(time.Millisecond) },
	} {
		bad, now := good, until
		change(&bad, &now)
		if err := bad.Key.Verify(&bad.Receipt, bad.Request, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
