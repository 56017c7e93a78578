package relay

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"ballast/marketcache/venue/hyperliquid"
)

// asks are the questions that wait for an answer of the holder. Answers come in parts,
// because one can be larger than a message.
type asks struct {
	mu      sync.Mutex
	inbox   string
	next    atomic.Uint64
	waiting map[string]chan *nats.Msg
}

const (
	// askLimit is how long an answer may take; the adapter gives up after 10 s.
	askLimit = 9500 * time.Millisecond
	// holdAsk is how long a question waits for somebody to ask: a replica that has just
	// started has not heard the holder yet, and a lease changes hands in that time.
	holdAsk    = 1500 * time.Millisecond
	maxAsk     = 64 << 10 // bytes of a question
	maxAnswer  = 16 << 20
	maxParts   = 1024
	partsAhead = 256
)

var (
	errNoHolder  = errors.New("no replica holds the lease")
	errTurned    = errors.New("the replica that was asked holds the lease no more")
	errIncorrect = errors.New("the holder's answer does not fit together")
)

// open returns the subject of all answers.
func (a *asks) open(nc *nats.Conn) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inbox = nc.NewInbox()
	return a.inbox + ".*"
}

// begin registers a question and returns the subject for its answer.
func (a *asks) begin() (reply, key string, parts chan *nats.Msg) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key = strconv.FormatUint(a.next.Add(1), 10)
	parts = make(chan *nats.Msg, partsAhead)
	a.waiting[key] = parts
	return a.inbox + "." + key, key, parts
}

func (a *asks) end(key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, key)
}

// take hands a part to who waits for it. One who does not take them gets no answer.
func (a *asks) take(m *nats.Msg) {
	key := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	a.mu.Lock()
	parts := a.waiting[key]
	a.mu.Unlock()
	select {
	case parts <- m: // nil, when nobody waits any more: never
	default:
	}
}

// reply is an answer put together.
type reply struct {
	status int
	header nats.Header
	body   []byte
}

// ask asks the holder.
func (l *Local) ask(ctx context.Context, body []byte, urgency string) (r reply, err error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	t, over := l.awaitHolder(ctx)
	if t == nil {
		return r, errNoHolder
	}
	subject, key, parts := l.asks.begin()
	defer l.asks.end(key)
	m := &nats.Msg{Subject: l.subjects.up(t.epoch, kindAsk), Reply: subject, Data: body}
	if urgency != "" {
		m.Header = nats.Header{headerUrgency: []string{urgency}}
	}
	if err := l.cfg.NATS.PublishMsg(m); err != nil {
		return r, err
	}
	for n := 1; ; n++ {
		var part *nats.Msg
		select {
		case part = <-parts:
		case <-over:
			return r, errTurned
		case <-ctx.Done():
			return r, context.Cause(ctx)
		}
		if header(part, "Status") == "503" && len(part.Data) == 0 {
			return r, nats.ErrNoResponders
		}
		number, all, _ := strings.Cut(header(part, headerPart), "/")
		i, err1 := strconv.Atoi(number)
		of, err2 := strconv.Atoi(all)
		if err1 != nil || err2 != nil || i != n || of < 1 || of > maxParts || len(r.body)+len(part.Data) > maxAnswer {
			return r, errIncorrect
		}
		if n == 1 {
			r.header = part.Header
			if r.status, err = strconv.Atoi(header(part, headerStatus)); err != nil || r.status < 200 || r.status > 599 {
				return r, errIncorrect
			}
		}
		if r.body = append(r.body, part.Data...); n == of {
			return r, nil
		}
	}
}

// awaitHolder returns whom to ask, and the channel that closes when it is pointless to go
// on waiting for an answer; nil when there is nobody for holdAsk.
func (l *Local) awaitHolder(ctx context.Context) (t *tenure, over chan struct{}) {
	timer := time.NewTimer(holdAsk)
	defer timer.Stop()
	for {
		l.mu.Lock()
		t, turned := l.term, l.turned
		if t.answers() {
			defer l.mu.Unlock()
			return t, t.over
		}
		l.mu.Unlock()
		select {
		case <-turned:
		case <-timer.C:
			return nil, nil
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// serveInfo answers a question of the adapter.
func (l *Local) serveInfo(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Date"] = nil // the venue's clock is read from this header; ours is not the venue's
	body, err := io.ReadAll(io.LimitReader(r.Body, maxAsk+1))
	if err != nil || len(body) > maxAsk {
		http.Error(w, "question not read", http.StatusBadRequest)
		return
	}
	l.stats.asks.Add(1)
	a, err := l.ask(r.Context(), body, r.Header.Get(hyperliquid.HeaderPriority))
	if err != nil {
		l.stats.askFailures.Add(1)
		status := http.StatusServiceUnavailable
		switch {
		case errors.Is(err, errNoHolder), errors.Is(err, nats.ErrNoResponders):
			h.Set(hyperliquid.HeaderRefusal, "1")
		case errors.Is(err, context.DeadlineExceeded):
			status = http.StatusGatewayTimeout
		}
		http.Error(w, "relay: "+err.Error(), status)
		return
	}
	for _, pass := range [...][2]string{
		{headerType, "Content-Type"}, {headerDate, "Date"}, {headerAge, hyperliquid.HeaderAge},
		{headerRetry, "Retry-After"}, {headerRefusal, hyperliquid.HeaderRefusal},
	} {
		if v := a.header[pass[0]]; len(v) > 0 && v[0] != "" {
			h[pass[1]] = v[:1]
		}
	}
	h["Content-Length"] = []string{strconv.Itoa(len(a.body))}
	w.WriteHeader(a.status)
	w.Write(a.body)
}
