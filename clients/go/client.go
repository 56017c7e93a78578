// Package ballast is the client of a Ballast service: pre-trade risk for perpetual futures.
package ballast

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client asks a service before a trade is sent. Any number of goroutines may share it; its fields may be
// set before its first use.
type Client struct {
	// for requests; alerts use its proxy, network and TLS settings if its Transport is an *http.Transport
	HTTP     *http.Client
	Attempts int           // maximum attempts of a request; only a 429 or 503 with Retry-After is repeated
	MaxWait  time.Duration // the request is not repeated if its Retry-After is longer

	url, key string
}

// New returns a client of the service at an address such as "http://127.0.0.1:8080". It waits up to 15 s
// for an answer (the service's own limit is 10 s), sends a request at most three times, and waits up to
// 10 s between attempts.
func New(url, key string) *Client {
	return &Client{
		HTTP: &http.Client{
			Transport: http.DefaultTransport.(*http.Transport).Clone(),
			Timeout:   15 * time.Second,
			// do not send the key to another server
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		Attempts: 3,
		MaxWait:  10 * time.Second,
		url:      strings.TrimRight(url, "/"),
		key:      key,
	}
}

// Option adds something to the answer.
type Option string

// Explain adds to each assessment an explanation of its score.
const Explain Option = "explain=true"

const compact Option = "view=compact"

// Validate assesses a trade before it is sent.
func (c *Client) Validate(ctx context.Context, trade ValidationRequest, options ...Option) (*Assessment, error) {
	return ask[Assessment](ctx, c, "/v1/validate", trade, options)
}

// ValidateCompact is Validate with the short answer.
func (c *Client) ValidateCompact(ctx context.Context, trade ValidationRequest) (*CompactAssessment, error) {
	return ask[CompactAssessment](ctx, c, "/v1/validate", trade, []Option{compact})
}

// Stress computes what price moves of your own do to a wallet.
func (c *Client) Stress(ctx context.Context, moves ShockRequest) (*ShockReport, error) {
	return ask[ShockReport](ctx, c, "/v1/stress", moves, nil)
}

// Plan assesses up to 50 trades, each as if those before it had filled. A trade that breaks a rule does not
// stop the rest: its result is Rejected.
func (c *Client) Plan(ctx context.Context, plan BatchRequest, options ...Option) (*BatchAnswer, error) {
	return ask[BatchAnswer](ctx, c, "/v1/validate/batch", plan, options)
}

// PlanCompact is Plan with the short answers.
func (c *Client) PlanCompact(ctx context.Context, plan BatchRequest) (*CompactBatchAnswer, error) {
	return ask[CompactBatchAnswer](ctx, c, "/v1/validate/batch", plan, []Option{compact})
}

// Monitor assesses the current positions of a wallet. All alert sockets that watch the wallet get its alerts.
func (c *Client) Monitor(ctx context.Context, wallet string) (*WalletReport, error) {
	return ask[WalletReport](ctx, c, "/v1/monitor/"+url.PathEscape(wallet), nil, nil)
}

// MonitorCompact is Monitor with the short answer.
func (c *Client) MonitorCompact(ctx context.Context, wallet string) (*CompactWalletReport, error) {
	return ask[CompactWalletReport](ctx, c, "/v1/monitor/"+url.PathEscape(wallet), nil, []Option{compact})
}

// Markets returns all listed assets: price, maximum leverage, funding, open interest.
func (c *Client) Markets(ctx context.Context) (*Assets, error) {
	return ask[Assets](ctx, c, "/v1/assets", nil, nil)
}

// Market returns one asset in detail: book depth, age of the data, the last mid prices.
func (c *Client) Market(ctx context.Context, asset string) (*MarketData, error) {
	return ask[MarketData](ctx, c, "/v1/market/"+url.PathEscape(asset), nil, nil)
}

// TradeResult is the result of one trade of a plan. Exactly one field is set.
type TradeResult[A, R any] struct {
	Assessment *A
	Rejected   *R // the trade breaks a rule, which Meta.Error names (in compact answers Error)
}

// UnmarshalJSON decodes a result with an error into Rejected, any other into Assessment.
func (r *TradeResult[A, R]) UnmarshalJSON(text []byte) error {
	var result struct {
		Recommendation Recommendation `json:"recommendation"`
		Error          *string        `json:"error"`
		Meta           struct {
			Error *string `json:"error"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	if result.Recommendation == "" {
		return errIncomplete
	}
	if result.Error != nil || result.Meta.Error != nil {
		return json.Unmarshal(text, &r.Rejected)
	}
	return json.Unmarshal(text, &r.Assessment)
}

// errIncomplete: a required field is missing. Without this error another server's {} would be a score of 0.
var errIncomplete = errors.New("a member is missing")

// complete reports whether an answer has a field that every answer of its type must have.
func complete(answer any) bool {
	switch a := answer.(type) {
	case *Assessment:
		return a.Recommendation != ""
	case *CompactAssessment:
		return a.Recommendation != ""
	case *BatchAnswer:
		return a.Results != nil
	case *CompactBatchAnswer:
		return a.Results != nil
	case *WalletReport:
		return a.Wallet != ""
	case *CompactWalletReport:
		return a.Wallet != ""
	case *Assets:
		return a.Assets != nil
	case *MarketData:
		return a.Asset != ""
	}
	panic(fmt.Sprintf("BUG: no answer is a %T", answer))
}

// ask sends a request and returns the answer. It retries a 429 or 503 after the Retry-After of the answer.
func ask[Answer any](ctx context.Context, c *Client, path string, request any, options []Option) (*Answer, error) {
	for i, option := range options {
		path += []string{"?", "&"}[min(i, 1)] + string(option)
	}
	method := http.MethodGet
	var body []byte
	if request != nil {
		method = http.MethodPost
		var err error
		if body, err = json.Marshal(request); err != nil {
			return nil, err
		}
	}
	for attempt := 1; ; attempt++ {
		answer := new(Answer)
		err := c.once(ctx, method, path, body, answer)
		if err == nil {
			return answer, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var refused *Error
		if !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests &&
			refused.Status != http.StatusServiceUnavailable ||
			refused.RetryAfter == nil || *refused.RetryAfter > c.MaxWait || attempt >= c.Attempts {
			return nil, err
		}
		if !sleep(ctx, *refused.RetryAfter+rand.N(time.Second/4)) { // so that clients do not retry simultaneously
			return nil, context.Cause(ctx)
		}
	}
}

// once sends a request and reads its answer.
func (c *Client) once(ctx context.Context, method, path string, body []byte, answer any) error {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = c.header()
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	// A nil Idempotency-Key is not sent, but it lets net/http repeat the request if a kept-alive connection
	// turns out to be closed. Repeating is safe: an assessment changes nothing.
	request.Header["Idempotency-Key"] = nil
	response, err := c.HTTP.Do(request)
	if err != nil {
		return unreachable(c.url, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return unreachable(c.url, err)
	}
	if response.StatusCode != http.StatusOK {
		return refusal(response, text, nil)
	}
	err = json.Unmarshal(text, answer)
	if err == nil && !complete(answer) {
		err = errIncomplete
	}
	if err != nil {
		return refusal(response, text, err)
	}
	return nil
}

func (c *Client) header() http.Header {
	header := http.Header{}
	if c.key != "" {
		header.Set("Authorization", "Bearer "+c.key)
	}
	return header
}

func unreachable(url string, err error) *Error {
	return &Error{Code: "unreachable", Detail: fmt.Sprintf("%s: %v", url, err), cause: err}
}

// sleep waits and returns true, or false if the context ends first.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
