package hyperliquid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// client sends requests to the venue's REST API. It uses net/http rather than fasthttp: a dozen
// requests a second need no fast path, but they need cancellation, so that shutdown or a caller's
// deadline ends a request that hangs.
type client struct {
	f    *Feed
	http *http.Client

	requests, failures, refused atomic.Int64 // refused counts HTTP 429
}

const (
	maxBody        = 16 << 20         // maximum size of an answer after decompression, bytes
	historyTimeout = 10 * time.Second // time limit of a request of a history
	// requestTimeout is the time limit of any other request. A later answer about a wallet would be too old to use, and
	// until the request ends the same is not asked for again, also when the venue has recovered.
	requestTimeout = 5 * time.Second
)

func newClient(f *Feed) *client {
	return &client{f: f, http: &http.Client{
		Transport: &http.Transport{
			DialContext:           f.cfg.Dial,
			TLSHandshakeTimeout:   5 * time.Second,
			MaxConnsPerHost:       32,
			MaxIdleConnsPerHost:   32,
			IdleConnTimeout:       30 * time.Second,
			ResponseHeaderTimeout: historyTimeout,
		},
		// The venue never redirects, and a redirect could lead elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// answer is the body of an answer, and the times at which it was requested and received.
type answer struct {
	body           []byte
	sent, received marketcache.Instant
}

// request is one REST request.
type request struct {
	what  string // for errors and logs
	body  string
	class feed.Class
	// weight is the documented weight without rows, maxSurcharge the maximum surcharge for rows.
	weight, maxSurcharge int
	// rows returns the row surcharge of an answer; nil: none.
	rows func(body []byte) int
	// patience is the maximum wait for request weight; negative: as long as the context lives.
	patience time.Duration
	granted  func() // called when the request has its weight; may be nil
	// nullable: null is a valid answer.
	nullable bool
	// optional: a failure does not count against the venue.
	optional bool
	// take takes a good answer; it returns false if that is not what was asked for.
	take func(answer) bool
}

// ask acquires the weight, sends the request and settles the weight used.
func (c *client) ask(ctx context.Context, r request) (answer, error) {
	g, err := c.f.queue.Acquire(ctx, feed.Read{Class: r.class, Weight: r.weight + r.maxSurcharge, Patience: r.patience})
	if err != nil {
		return answer{}, fmt.Errorf("%s: %w", r.what, err)
	}
	defer g.Release()
	if r.granted != nil {
		r.granted()
	}
	return c.askGranted(ctx, g, r)
}

// askGranted sends a request whose weight has been acquired.
func (c *client) askGranted(ctx context.Context, g *feed.Grant, r request) (a answer, err error) {
	reserved := r.weight + r.maxSurcharge
	failed, weighed := false, reserved // from here on the venue may have counted it
	defer func() {
		if failed && !r.optional {
			c.f.queue.Failed(g)
		}
		g.Settle(reserved, weighed)
	}()
	c.requests.Add(1)

	limit := requestTimeout
	if r.class == feed.ForHistory || r.class == feed.ForWanted {
		limit = historyTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	a, status, header, err := c.post(ctx, r)
	if err != nil {
		c.failures.Add(1)
		if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
			weighed = 0 // there was no connection to send it on
		}
		if !errors.Is(err, context.Canceled) {
			failed = true
			c.f.cache.Venue.Failed(r.what + ": " + cause(err))
		}
		return a, &marketcache.VenueError{Kind: marketcache.ErrUnavailable, Detail: r.what, Err: err}
	}
	if age := parseSeconds(header.Get("Age")); age > 0 {
		a.sent = a.sent.Add(-age) // a cache in between may have answered with an older body
	} else if date, err := http.ParseTime(header.Get("Date")); err == nil {
		c.f.clock.ObserveDate(date, a.sent, a.received)
	}
	if status == http.StatusTooManyRequests {
		c.refused.Add(1)
		wait := parseRetryAfter(header.Get("Retry-After"), time.Unix(0, c.f.clock.VenueNs(a.received)))
		wait = c.f.queue.Refused(r.class, wait)
		c.f.cache.Venue.Failed(r.what + ": status 429, too many requests")
		return a, &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: max(wait, time.Second), Status: status,
			Detail: r.what}
	}
	if err := checkAnswer(status, a.body, r.nullable); err != nil {
		c.failures.Add(1)
		err.Detail = r.what + ": " + err.Detail
		c.f.cache.Venue.Failed(err.Detail)
		if status >= 500 || status == http.StatusOK {
			failed = true
		} else { // our request is wrong, the venue is up
			c.f.queue.Accepted(r.class)
		}
		weighed = r.weight
		return a, err
	}
	c.f.queue.Accepted(r.class)
	weighed = r.weight
	if r.rows != nil {
		weighed += r.rows(a.body)
	}
	if r.take != nil && !r.take(a) {
		return a, venueError("%s: %q", r.what, printable(a.body))
	}
	return a, nil
}

func (c *client) post(ctx context.Context, r request) (a answer, status int, h http.Header, err error) {
	body := bytes.NewReader([]byte(r.body))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.f.cfg.BaseURL+"/info", body)
	if err != nil {
		return a, 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	a.sent = marketcache.Now()
	res, err := c.http.Do(req)
	if err != nil {
		return a, 0, nil, err
	}
	defer res.Body.Close()
	a.body, err = io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	a.received = marketcache.Now()
	if err != nil {
		return a, 0, nil, err
	}
	if len(a.body) > maxBody {
		return a, 0, nil, fmt.Errorf("answer over %d bytes", maxBody)
	}
	return a, res.StatusCode, res.Header, nil
}

// cause returns the text of a network error without the address of the request.
func cause(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.Err + " " + dns.Name
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err
	}
	return printable([]byte(err.Error()))
}

// checkAnswer returns an error for what is not a usable answer: a status other than 200, an empty body,
// HTML or plain text, and null unless nullable.
func checkAnswer(status int, body []byte, nullable bool) *marketcache.VenueError {
	trimmed := bytes.TrimSpace(body)
	if status != http.StatusOK {
		return &marketcache.VenueError{Kind: marketcache.ErrVenue, Status: status, Detail: fmt.Sprintf("status %d %q",
			status, printable(trimmed))}
	}
	if bytes.IndexAny(trimmed, `{["`) == 0 || nullable && string(trimmed) == "null" {
		return nil
	}
	return &marketcache.VenueError{Kind: marketcache.ErrVenue, Status: status, Detail: fmt.Sprintf("not an answer: %q",
		printable(trimmed))}
}

// parseSeconds parses a header of whole seconds, capped at an hour; 0 if it is malformed.
func parseSeconds(v string) time.Duration {
	s, _ := strconv.Atoi(v)
	return time.Duration(max(0, min(s, 3600))) * time.Second
}

// parseRetryAfter parses Retry-After, seconds or an HTTP date; 0 if it is malformed.
func parseRetryAfter(v string, now time.Time) time.Duration {
	if t, err := http.ParseTime(v); err == nil {
		return max(0, min(t.Sub(now), time.Hour))
	}
	return parseSeconds(v)
}
