// Package ballast is the client of a Ballast service: pre-trade risk for perpetual futures.
package ballast

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Client asks a service before a trade is sent. Any number of goroutines may share it; its fields may be
// set before its first use.
type Client struct {
	// for requests; alerts use its proxy, network and TLS settings if its Transport is an *http.Transport
	HTTP     *http.Client
	Timeout  time.Duration // of a whole call: connecting, sending, the answer to its last byte, all attempts; 0: none
	Attempts int           // maximum attempts of a request; only a 429 or 503 with Retry-After is repeated
	MaxWait  time.Duration // the request is not repeated if its Retry-After is longer

	url, key string
}

// MaxAnswer is the largest answer that the client reads, in bytes. A larger one is an error.
const MaxAnswer = 16 << 20

// New returns a client of the service at an address such as "http://127.0.0.1:8080". A call takes up to 15 s
// (the service's own limit is 10 s). It sends a request at most three times, and waits up to 10 s between
// attempts, if the 15 s allow it.
func New(url, key string) *Client {
	return &Client{
		HTTP: &http.Client{
			Transport: http.DefaultTransport.(*http.Transport).Clone(),
			// do not send the key to another server
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		Timeout:  15 * time.Second,
		Attempts: 3,
		MaxWait:  10 * time.Second,
		url:      strings.TrimRight(url, "/"),
		key:      key,
	}
}

// Option changes the answer.
type Option string

// Explain adds to each assessment an explanation of its score.
const Explain Option = "explain=true"

// LeastDeposit is an option of Validate: it adds sizing.deposit_usd, the least deposit with which the order proceeds,
// which takes as long as forty assessments.
const LeastDeposit Option = "deposit=true"

const compact Option = "view=compact"

// MaxProbability24h sets the chance of liquidation within 24 hours that the actions of Monitor bring each pool to, a
// fraction. Without it: 0.05.
func MaxProbability24h(chance float64) Option {
	return Option("max_probability_24h=" + strconv.FormatFloat(chance, 'f', -1, 64))
}

// NeedNotSurvive is an option of Monitor: its actions do not make each pool survive the stress scenarios.
const NeedNotSurvive Option = "survive=false"

// TradeResult is the result of one trade of a plan. Exactly one field is set.
type TradeResult[A, R any] struct {
	Assessment *A
	Rejected   *R // the trade breaks a rule, which Meta.Error names (in compact answers Error)
}

// UnmarshalJSON decodes a result with an error into Rejected, any other into Assessment.
func (r *TradeResult[A, R]) UnmarshalJSON(text []byte) error {
	var result struct {
		Error *string `json:"error"`
		Meta  struct {
			Error *string `json:"error"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	if result.Error != nil || result.Meta.Error != nil {
		return json.Unmarshal(text, &r.Rejected)
	}
	return json.Unmarshal(text, &r.Assessment)
}

// call is what a method asks.
type call struct {
	method, path string
	options      []Option // parameters of the query
	body         any
	revision     *int64 // that is changed
}

// nonzero returns a revision, nil for 0.
func nonzero(revision int64) *int64 {
	if revision == 0 {
		return nil
	}
	return &revision
}

// ask makes a request and returns its answer. It retries a 429 or 503 after the Retry-After of the answer, if the
// deadline of the call allows it.
func ask[Answer any](ctx context.Context, c *Client, asked call) (*Answer, error) {
	for i, option := range asked.options {
		asked.path += []string{"?", "&"}[min(i, 1)] + string(option)
	}
	var body []byte
	if asked.body != nil {
		var err error
		if body, err = json.Marshal(asked.body); err != nil {
			return nil, err
		}
	}
	caller, end := ctx, time.Now().Add(c.Timeout)
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end)
		defer cancel()
	}
	for attempt := 1; ; attempt++ {
		answer := new(Answer)
		err := c.once(ctx, asked, body, answer)
		if err == nil {
			return answer, nil
		}
		if caller.Err() != nil {
			return nil, context.Cause(caller)
		}
		if ctx.Err() != nil {
			return nil, &Error{Code: "unreachable", cause: ctx.Err(),
				Detail: fmt.Sprintf("%s: no answer within %g s", c.url, c.Timeout.Seconds())}
		}
		var refused *Error
		if !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests &&
			refused.Status != http.StatusServiceUnavailable ||
			refused.RetryAfter == nil || *refused.RetryAfter > c.MaxWait || attempt >= c.Attempts {
			return nil, err
		}
		wait := *refused.RetryAfter + rand.N(time.Second/4) // so that clients do not retry simultaneously
		if c.Timeout > 0 && time.Until(end) <= wait {
			return nil, err
		}
		if !sleep(ctx, wait) {
			return nil, context.Cause(caller)
		}
	}
}

// once sends a request and reads its answer.
func (c *Client) once(ctx context.Context, asked call, body []byte, answer any) error {
	var connection net.Conn
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) { connection = got.Conn },
	})
	request, err := http.NewRequestWithContext(ctx, asked.method, c.url+asked.path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = c.header()
	request.Header.Set("Accept", "application/json")
	id := "cli_" + crand.Text()
	request.Header.Set(requestID, id)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if asked.revision != nil {
		request.Header.Set("If-Match", strconv.Quote(strconv.FormatInt(*asked.revision, 10)))
	}
	if asked.method == http.MethodPost {
		// A nil Idempotency-Key is not sent, but it lets net/http repeat the request if a kept-alive connection
		// turns out to be closed. Repeating is safe: an assessment changes nothing, and an outcome has a name.
		request.Header["Idempotency-Key"] = nil
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return unreachable(c.url, err)
	}
	defer response.Body.Close()
	ids := response.Header.Values(requestID)
	if !slices.Equal(ids, []string{id}) {
		if connection != nil {
			defer connection.Close() // what comes next on it may be of another request, too
		}
		// a proxy, and the service when it has too many connections, refuse without an id
		if len(ids) > 0 || response.StatusCode == http.StatusOK {
			return wrong(response, "the response belongs to another request")
		}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1))
	if len(text) > MaxAnswer {
		return wrong(response, fmt.Sprintf("the answer has over %d bytes", MaxAnswer))
	}
	if err != nil {
		return unreachable(c.url, err)
	}
	err = decode(text, answer, asked.body)
	_, health := answer.(*Health)
	unready := health && err == nil && response.StatusCode == http.StatusServiceUnavailable
	if response.StatusCode != http.StatusOK && !unready {
		return refusal(response, text)
	}
	if err != nil {
		return wrong(response, fmt.Sprintf("%v: %.200s", err, text))
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
