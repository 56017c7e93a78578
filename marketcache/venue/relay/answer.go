package relay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
)

// copyLimits are how long an answer serves for equal questions, by type. What is not
// here is asked anew each time: the venue's clock above all, because an adapter reads it
// between its question and the answer.
var copyLimits = map[string]time.Duration{
	"metaAndAssetCtxs":       time.Second, // holds marks
	"meta":                   time.Second,
	"allMids":                500 * time.Millisecond,
	"l2Book":                 500 * time.Millisecond,
	"clearinghouseState":     500 * time.Millisecond,
	"spotClearinghouseState": 500 * time.Millisecond,
	// An adapter takes these to hold for ten minutes.
	"userAbstraction": 30 * time.Second,
	"userFees":        30 * time.Second,
	"activeAssetData": 5 * time.Second,
	// Read every minute by each replica.
	"perpsAtOpenInterestCap": 20 * time.Second,
	"predictedFundings":      20 * time.Second,
	// Replicas load the same histories in the same order.
	"candleSnapshot": time.Minute,
	"fundingHistory": time.Minute,
}

// Bounds of what is held and asked at the same time.
const (
	copyBytes  = 64 << 20
	maxAsking  = 512
	partBytes  = 512 << 10
	venueLimit = 8 * time.Second // an answer of the venue
	// Patience of the more urgent and of the less urgent questions with the budget. The
	// adapter gives up after 10 s, and counts that against the venue.
	walletPatience, patience = time.Second, 4 * time.Second
)

// answers are the questions under way and the copies of what was answered.
type answers struct {
	mu      sync.Mutex
	flights map[string]*flight
	bytes   int // of copies
	asking  chan struct{}
}

// flight is one question to the venue, under way or answered.
type flight struct {
	urgency int
	limit   time.Duration
	done    chan struct{} // closed when result is set

	// Guarded by answers.mu until done is closed, then immutable.
	sent   marketcache.Instant // when the venue was asked; 0: not yet
	result result
}

// result is what a replica is answered.
type result struct {
	status      int
	contentType string
	date        string
	retryAfter  string
	refusal     bool
	body        []byte
}

func (a *answers) init() {
	a.flights = map[string]*flight{}
	a.asking = make(chan struct{}, maxAsking)
}

func (a *answers) enter() bool {
	select {
	case a.asking <- struct{}{}:
		return true
	default:
		return false
	}
}

func (a *answers) leave() { <-a.asking }

// busy is the refusal of the relay itself.
func busy(wait time.Duration) result {
	seconds := strconv.Itoa(int(math.Ceil(max(wait, time.Second).Seconds())))
	return result{status: http.StatusTooManyRequests, contentType: "application/json", retryAfter: seconds, refusal: true, body: []byte("null")}
}

// failure is an answer where the venue has given none.
func failure(status int, text string) result {
	return result{status: status, contentType: "text/plain; charset=utf-8", body: []byte(text)}
}

// Times of the venue's hourly rows, ms.
const (
	hourMs     = 3_600_000
	minuteMs   = 60_000
	rowSettles = 2 * minuteMs // a paid funding row is dated within that after its hour
)

// keyOf returns what makes two questions equal at a time. Histories that are asked for up
// to now are equal where they begin at the same row, within the same hour: a copy from
// before the hour would be asked for again and again by an adapter that waits for the bar
// that has just closed.
func keyOf(q *hyperliquid.Question, body []byte, nowMs int64) string {
	hour := nowMs / hourMs
	switch {
	case q.Type == "candleSnapshot" && q.Req.EndTime != nil && *q.Req.EndTime > nowMs+minuteMs:
		return fmt.Sprint("candles ", q.Req.Coin, " ", q.Req.Interval, " ", q.Req.StartTime, " in ", hour)
	case q.Type == "fundingHistory" && q.StartTime != nil && q.EndTime == nil:
		start := *q.StartTime
		if start%hourMs > rowSettles {
			start -= start%hourMs - rowSettles - 1
		}
		return fmt.Sprint("funding ", q.Coin, " ", start, " in ", hour)
	}
	return string(body)
}

// answer answers one question.
func (t *term) answer(ctx context.Context, m *nats.Msg) {
	asked := marketcache.Now()
	nowMs := time.Now().UnixMilli()
	q, ok := hyperliquid.ReadQuestion(m.Data, nowMs)
	if !ok {
		t.reply(m, failure(http.StatusUnprocessableEntity, "Failed to deserialize the JSON body into the target type"))
		return
	}
	urgency := header(m, headerUrgency)
	key := keyOf(&q, m.Data, nowMs)
	f, mine := t.answers.join(key, copyLimits[q.Type], hyperliquid.Urgency(urgency), asked)
	if mine {
		t.fly(ctx, f, key, &q, m.Data, urgency)
	} else {
		t.u.stats.copies.Add(1)
		select {
		case <-f.done:
		case <-ctx.Done():
			return
		}
	}
	r := f.result
	if r.refusal {
		t.u.stats.refused.Add(1)
	}
	// What the venue was asked before this question was put is a copy, and says how old.
	if age := asked.Sub(f.sent); f.sent != 0 && f.sent < asked && r.status == http.StatusOK {
		t.replyAged(m, r, age)
		return
	}
	t.reply(m, r)
}

// join returns the flight that answers a question, or begins one: then mine is true, and
// the caller must fly it.
func (a *answers) join(key string, limit time.Duration, urgency int, now marketcache.Instant) (f *flight, mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if limit > 0 {
		if f := a.flights[key]; f != nil && f.serves(urgency, now) {
			return f, false
		}
	}
	f = &flight{urgency: urgency, limit: limit, done: make(chan struct{})}
	if limit > 0 {
		a.drop(key)
		a.flights[key] = f
	}
	return f, true
}

// serves reports whether a flight answers an equal question put now. Called with the lock
// held.
func (f *flight) serves(urgency int, now marketcache.Instant) bool {
	if f.sent == 0 {
		// It still waits for weight, and would wait no less for a more urgent question.
		return f.urgency <= urgency && !f.landed()
	}
	if now.Sub(f.sent) > f.limit {
		return false
	}
	return !f.landed() || f.result.status == http.StatusOK
}

func (f *flight) landed() bool {
	select {
	case <-f.done:
		return true
	default:
		return false
	}
}

// drop forgets a flight. Called with the lock held.
func (a *answers) drop(key string) {
	if f := a.flights[key]; f != nil {
		if f.landed() {
			a.bytes -= len(f.result.body)
		}
		delete(a.flights, key)
	}
}

// sweep forgets the copies that serve no more.
func (a *answers) sweep(now marketcache.Instant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, f := range a.flights {
		if f.landed() && now.Sub(f.sent) > f.limit {
			a.drop(key)
		}
	}
}

// land sets a flight's result. A copy for which there is no room serves those who wait and
// nobody after.
func (a *answers) land(key string, f *flight, r result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f.result = r
	close(f.done)
	if a.flights[key] != f {
		return
	}
	if r.status != http.StatusOK || a.bytes+len(r.body) > copyBytes {
		delete(a.flights, key)
		return
	}
	a.bytes += len(r.body)
}

// fly asks the venue, within the budget.
func (t *term) fly(ctx context.Context, f *flight, key string, q *hyperliquid.Question, body []byte, urgency string) {
	r := failure(http.StatusBadGateway, "relay: no answer")
	defer func() { t.answers.land(key, f, r) }() // whatever happens: others wait
	wait := patience
	if f.urgency == 0 {
		wait = walletPatience
	}
	g, err := t.u.meter.Take(ctx, urgency, q, wait)
	if err != nil {
		after, _ := hyperliquid.RetryAfter(err)
		r = busy(after)
		return
	}
	weighed := q.Weight + q.Most // whatever happens now may have been counted by the venue
	defer func() { g.Settle(weighed) }()
	if !t.u.holds(t.epoch) {
		weighed = 0
		r = failure(http.StatusServiceUnavailable, "relay: the lease is gone")
		return
	}
	t.answers.mu.Lock()
	f.sent = marketcache.Now()
	t.answers.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, venueLimit)
	defer cancel()
	res, err := t.post(ctx, body)
	if err != nil {
		t.u.stats.failed.Add(1)
		r = failure(http.StatusBadGateway, "relay: the venue cannot be reached")
		return
	}
	switch {
	case res.status == http.StatusTooManyRequests:
		t.u.stats.tooMany.Add(1)
		t.u.meter.Refused(res.retryAfter)
		retry, err := strconv.Atoi(res.retryAfter)
		if err != nil {
			retry = 1
		}
		r = busy(time.Duration(min(max(retry, 1), 300)) * time.Second)
		return
	case res.status == http.StatusOK:
		t.u.meter.Accepted()
		weighed = q.Weighed(res.body)
	default:
		weighed = q.Weight
	}
	r = res
}

func (t *term) post(ctx context.Context, body []byte) (r result, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.u.cfg.BaseURL+"/info", bytes.NewReader(body))
	if err != nil {
		return r, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := t.u.http.Do(req)
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	r = result{
		status: res.StatusCode, contentType: res.Header.Get("Content-Type"), date: res.Header.Get("Date"),
		retryAfter: res.Header.Get("Retry-After"),
	}
	if r.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1)); err != nil {
		return r, err
	}
	if len(r.body) > maxAnswer {
		return r, fmt.Errorf("answer over %d bytes", maxAnswer)
	}
	return r, nil
}

// replyAged answers from a copy: it says how old it is, and tells no time of the venue's.
func (t *term) replyAged(m *nats.Msg, r result, age time.Duration) {
	r.date = ""
	t.send(m, r, strconv.Itoa(int(math.Ceil(age.Seconds()))))
}

func (t *term) reply(m *nats.Msg, r result) { t.send(m, r, "") }

// send answers in parts that the bus takes.
func (t *term) send(m *nats.Msg, r result, age string) {
	if m.Reply == "" || !t.u.holds(t.epoch) {
		return
	}
	size := partBytes
	if limit := int(t.u.cfg.NATS.MaxPayload()) - 1024; limit > 0 {
		size = min(size, limit)
	}
	of := max(1, (len(r.body)+size-1)/size)
	for i := range of {
		part := &nats.Msg{Subject: m.Reply, Data: r.body[i*size : min(len(r.body), (i+1)*size)], Header: nats.Header{
			headerPart: []string{strconv.Itoa(i+1) + "/" + strconv.Itoa(of)},
		}}
		if i == 0 {
			set := func(name, v string) {
				if v != "" {
					part.Header[name] = []string{v}
				}
			}
			set(headerStatus, strconv.Itoa(r.status))
			set(headerType, r.contentType)
			set(headerDate, r.date)
			set(headerAge, age)
			set(headerRetry, r.retryAfter)
			if r.refusal {
				set(headerRefusal, "1")
			}
		}
		if t.u.cfg.NATS.PublishMsg(part) != nil {
			return // the replica times out
		}
	}
}
