package ballast

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// AllWallets stands for all wallets in the methods about policies.
const AllWallets = "*"

// Page says which part of a list is wanted. Zero fields do not restrict.
type Page struct {
	From, To time.Time // To is not included
	Cursor   string    // NextCursor of the page before
	Limit    int       // 1 to 500; 0: 50
}

// DecisionQuery says which decisions are wanted. Zero fields do not restrict.
type DecisionQuery struct {
	Wallet, Asset, RequestID string
	// Verdict is a recommendation, a verdict of the policy (pass, deny, unknown) or what the gate did (passed,
	// allowed, refused).
	Verdict string
	Page
}

// options returns the parameters that are set.
func (p Page) options(more ...string) (options []Option) {
	add := func(name, value string) {
		if value != "" {
			options = append(options, Option(name+"="+url.QueryEscape(value)))
		}
	}
	for i := 0; i < len(more); i += 2 {
		add(more[i], more[i+1])
	}
	if !p.From.IsZero() {
		add("from", p.From.Format(time.RFC3339Nano))
	}
	if !p.To.IsZero() {
		add("to", p.To.Format(time.RFC3339Nano))
	}
	if p.Limit != 0 {
		add("limit", strconv.Itoa(p.Limit))
	}
	add("cursor", p.Cursor)
	return options
}

// Decisions returns recorded answers and actions of the gate, newest first: those of the client's key, of an operator's
// all.
func (c *Client) Decisions(ctx context.Context, q DecisionQuery) (*Decisions, error) {
	return ask[Decisions](ctx, c, "/v1/decisions", nil,
		q.options("wallet", q.Wallet, "asset", q.Asset, "verdict", q.Verdict, "request_id", q.RequestID))
}

// Decision returns the record of one request and what became of it. requestID is Meta.RequestID of an answer.
func (c *Client) Decision(ctx context.Context, requestID string) (*Decision, error) {
	return ask[Decision](ctx, c, "/v1/decisions/"+url.PathEscape(requestID), nil, nil)
}

// Audit returns who changed which key, policy or kill switch, newest first. For operators' keys.
func (c *Client) Audit(ctx context.Context, p Page) (*Audit, error) {
	return ask[Audit](ctx, c, "/v1/audit", nil, p.options())
}

// Policy returns the operator's limits for a wallet, or AllWallets.
func (c *Client) Policy(ctx context.Context, wallet string) (*Policy, error) {
	return ask[Policy](ctx, c, policyPath(wallet), nil, nil)
}

// PutPolicy sets all rules of a wallet, or of AllWallets. revision is that of the policy that is replaced, 0 if there
// must be none: a change upon another revision fails with status 412, and Revision is the current one. For operators'
// keys.
func (c *Client) PutPolicy(ctx context.Context, wallet string, rules PolicyRules, revision int64) (*Policy, error) {
	match := &revision
	if revision == 0 {
		match = nil
	}
	return send[Policy](ctx, c, http.MethodPut, policyPath(wallet), rules, match)
}

// DeletePolicy removes the policy of a revision. The answer has the rules that still hold. For operators' keys.
func (c *Client) DeletePolicy(ctx context.Context, wallet string, revision int64) (*Policy, error) {
	return send[Policy](ctx, c, http.MethodDelete, policyPath(wallet), nil, &revision)
}

// TestPolicy tells what recorded decisions would have been under other rules. For operators' keys.
func (c *Client) TestPolicy(ctx context.Context, wallet string, test PolicyTestRequest) (*PolicyTest, error) {
	return ask[PolicyTest](ctx, c, policyPath(wallet)+"/test", test, nil)
}

func policyPath(wallet string) string { return "/v1/policy/" + url.PathEscape(wallet) }

// KillSwitch tells whether the kill switch is on.
func (c *Client) KillSwitch(ctx context.Context) (*KillSwitch, error) {
	return ask[KillSwitch](ctx, c, "/v1/kill-switch", nil, nil)
}

// SetKillSwitch turns the kill switch, on only with a reason. revision is the one that it must have, 0: any. For
// operators' keys.
func (c *Client) SetKillSwitch(ctx context.Context, change KillSwitchChange, revision int64) (*KillSwitch, error) {
	match := &revision
	if revision == 0 {
		match = nil
	}
	return send[KillSwitch](ctx, c, http.MethodPut, "/v1/kill-switch", change, match)
}

// PutWatch lets the service make the monitor call of a wallet by itself, for this key.
func (c *Client) PutWatch(ctx context.Context, wallet string, watch WatchRequest) (*Watch, error) {
	return send[Watch](ctx, c, http.MethodPut, watchPath(wallet), watch, nil)
}

// Watch returns this key's watch of a wallet: the state of its calls, what stands, what was posted.
func (c *Client) Watch(ctx context.Context, wallet string) (*Watch, error) {
	return ask[Watch](ctx, c, watchPath(wallet), nil, nil)
}

// DeleteWatch ends this key's watch of a wallet.
func (c *Client) DeleteWatch(ctx context.Context, wallet string) (*WatchRemoved, error) {
	return send[WatchRemoved](ctx, c, http.MethodDelete, watchPath(wallet), nil, nil)
}

// Watches returns the watches of this key, of an operator's those of all keys.
func (c *Client) Watches(ctx context.Context) (*WatchList, error) {
	return ask[WatchList](ctx, c, "/v1/watch", nil, nil)
}

func watchPath(wallet string) string { return "/v1/watch/" + url.PathEscape(wallet) }

// ReportOutcome tells what became of a trade, once: the same TradeID with other values fails with status 409.
func (c *Client) ReportOutcome(ctx context.Context, report OutcomeReport) (*OutcomeAnswer, error) {
	return ask[OutcomeAnswer](ctx, c, "/v1/outcome", report, nil)
}

// Accuracy tells how right the answers to this key were, to an operator's those to all keys.
func (c *Client) Accuracy(ctx context.Context) (*Accuracy, error) {
	return ask[Accuracy](ctx, c, "/v1/accuracy", nil, nil)
}

// OutcomeStats is Accuracy by its other address.
func (c *Client) OutcomeStats(ctx context.Context) (*Accuracy, error) {
	return ask[Accuracy](ctx, c, "/v1/outcomes/stats", nil, nil)
}

// ReceiptKey returns the public key of receipts. Get it once, from the service itself, and keep it.
func (c *Client) ReceiptKey(ctx context.Context) (*ReceiptKey, error) {
	return ask[ReceiptKey](ctx, c, "/v1/receipt-key", nil, nil)
}
