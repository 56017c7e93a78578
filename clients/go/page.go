package ballast

import (
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

func (q DecisionQuery) options() []Option {
	return q.Page.options("wallet", q.Wallet, "asset", q.Asset, "verdict", q.Verdict, "request_id", q.RequestID)
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
