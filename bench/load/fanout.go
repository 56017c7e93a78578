package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/fasthttp/websocket"
)

const (
	// maxNotes bounds the answers that are waiting to be read.
	maxNotes = 4096
	// maxPending bounds the monitor calls whose alerts are waited for.
	maxPending = 20_000
	// dialers connect alert sockets at the same time.
	dialers = 16
	// watchedKind is the one kind of alert that is counted.
	watchedKind = `"alert_type":"liquidation_proximity"`
)

// subscription asks for exactly one alert per position and monitor call: every liquidation is
// nearer than 101 %, and the other thresholds are out of reach.
const subscription = `{"wallet":"%s","thresholds":{"max_risk_score":255,"min_liquidation_distance_pct":101,` +
	`"max_portfolio_var_pct":1e300,"max_funding_drag_daily_pct":1e300}}`

// callKey identifies a monitor call as alerts do: by wallet and time. Two calls within a
// millisecond share a key; together they must cause twice the number of alerts.
type callKey struct{ wallet, asOf string }

// answerNote is the answer to a monitor call, with the time when the loop received it.
type answerNote struct {
	body []byte
	at   int64 // ns
}

// arrival is one alert on one socket.
type arrival struct {
	asset  string
	socket int32
	at     int64 // ns
}

// call is a monitor call with its answers and alerts so far.
type call struct {
	since    int64 // time of its first answer or alert, ns
	answered []int64
	assets   []string // of the positions, from the answer
	arrivals []arrival
}

// fanout holds the alert sockets, and compares their alerts with the answers to the monitor
// calls. close closes the sockets.
type fanout struct {
	base     time.Time
	patience time.Duration // how long to wait for the alerts of a call after its answer
	sockets  []*websocket.Conn
	wg       sync.WaitGroup
	answers  chan answerNote // from the loop, closed by finish
	noted    sync.WaitGroup  // goroutine that reads answers

	mu      sync.Mutex
	closing bool
	calls   map[callKey]*call
	others  int64 // alerts of other kinds
	ended   int64 // sockets that the server ended
	result  AlertReport
	latency *hdrhistogram.Histogram
}

// AlertReport is the result of the alert sockets.
type AlertReport struct {
	Sockets   int     `json:"sockets"`
	Calls     int64   `json:"calls"`     // monitor calls answered with 200 and at least one position
	Expected  int64   `json:"expected"`  // alerts expected from the calls: one per position and socket
	Received  int64   `json:"received"`  // expected alerts that were received
	Missing   int64   `json:"missing"`   // expected alerts not received in time (Config.AlertWait)
	Duplicate int64   `json:"duplicate"` // alerts received more often than expected
	Unclaimed int64   `json:"unclaimed"` // alerts of calls whose answer was not seen
	Others    int64   `json:"others"`    // alerts of other kinds, such as a shift of regime
	Early     int64   `json:"early"`     // alerts received before the answer to the call; they count with latency 0
	Ended     int64   `json:"ended"`     // sockets that the service closed
	Latency   Latency `json:"latency"`   // from the answer of the monitor call to the socket
}

// openFanout connects the sockets and subscribes each to all wallets.
func openFanout(ctx context.Context, t target, c *Config, base time.Time) (*fanout, error) {
	n, wallets := c.Alerts, c.Wallets
	f := &fanout{
		base: base, patience: c.AlertWait, sockets: make([]*websocket.Conn, n), answers: make(chan answerNote,
			maxNotes),
		calls: map[callKey]*call{}, latency: newHistogram(),
	}
	f.result.Sockets = n
	errs := make([]error, dialers)
	var wg sync.WaitGroup
	for d := range dialers {
		wg.Go(func() {
			for i := d; i < n && errs[d] == nil; i += dialers {
				if f.sockets[i], errs[d] = subscribe(ctx, t, wallets); errs[d] != nil {
					errs[d] = fmt.Errorf("alert socket %d: %w", i, errs[d])
				}
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			f.close()
			return nil, err
		}
	}
	f.noted.Go(f.account)
	for i, ws := range f.sockets {
		f.wg.Go(func() { f.listen(int32(i), ws) })
	}
	return f, nil
}

// subscribe makes one socket and waits until all its wallets are confirmed.
func subscribe(ctx context.Context, t target, wallets []string) (*websocket.Conn, error) {
	dialer := websocket.Dialer{HandshakeTimeout: connectTime, ReadBufferSize: 4 << 10, WriteBufferSize: 1 << 10}
	head := http.Header{}
	if t.key != "" { // without a key an address may open 64 sockets only
		head.Set("Authorization", "Bearer "+t.key)
	}
	ws, _, err := dialer.DialContext(ctx, "ws://"+t.host+t.prefix+"/v1/alerts/ws", head)
	if err != nil {
		return nil, err
	}
	ws.SetReadDeadline(time.Now().Add(connectTime))
	for _, w := range wallets {
		if err := ws.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, subscription, w)); err != nil {
			ws.Close()
			return nil, err
		}
	}
	for confirmed := 0; confirmed < len(wallets); {
		_, text, err := ws.ReadMessage()
		if err != nil {
			ws.Close()
			return nil, err
		}
		if bytes.HasPrefix(text, []byte(`{"subscribed"`)) {
			confirmed++
		}
	}
	ws.SetReadDeadline(time.Time{})
	return ws, nil
}

// listen records the messages of a socket until the socket ends.
func (f *fanout) listen(socket int32, ws *websocket.Conn) {
	for {
		_, text, err := ws.ReadMessage()
		at := int64(time.Since(f.base))
		if err != nil {
			f.mu.Lock()
			if !f.closing {
				f.ended++
			}
			f.mu.Unlock()
			return
		}
		f.hear(socket, text, at)
	}
}

// hear records one message.
func (f *fanout) hear(socket int32, text []byte, at int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !bytes.Contains(text, []byte(watchedKind)) {
		if bytes.Contains(text, []byte(`"alert_type"`)) {
			f.others++
		}
		return
	}
	key := callKey{wallet: field(text, `"wallet":"`), asOf: field(text, `"timestamp":"`)}
	c := f.call(key, at)
	if c != nil {
		c.arrivals = append(c.arrivals, arrival{asset: field(text, `"asset":"`), socket: socket, at: at})
	}
}

// call returns the call of a key, which it creates if necessary; nil when too many are open.
func (f *fanout) call(key callKey, at int64) *call {
	c := f.calls[key]
	if c == nil && len(f.calls) < maxPending {
		c = &call{since: at}
		f.calls[key] = c
	}
	return c
}

// field returns the text between a mark and the next quote. Neither wallets nor tickers nor
// times have an escaped character.
func field(text []byte, mark string) string {
	i := bytes.Index(text, []byte(mark))
	if i < 0 {
		return ""
	}
	text = text[i+len(mark):]
	end := bytes.IndexByte(text, '"')
	if end < 0 {
		return ""
	}
	return string(text[:end])
}

// answered records the answer to a monitor call. It does not block the loop, and does not keep
// body. If the queue is full the answer is dropped, and its alerts count as unclaimed.
func (f *fanout) answered(body []byte, at int64) {
	select {
	case f.answers <- answerNote{bytes.Clone(body), at}:
	default:
	}
}

// account reads the answers and settles the calls whose patience is over.
func (f *fanout) account() {
	settled := int64(0)
	for n := range f.answers {
		f.note(n)
		if n.at-settled > int64(time.Second) {
			f.mu.Lock()
			f.settle(n.at - int64(f.patience))
			f.mu.Unlock()
			settled = n.at
		}
	}
}

// note reads from an answer the alerts that the call must have caused.
func (f *fanout) note(n answerNote) {
	var report struct {
		Wallet    string
		Positions []struct{ Asset string }
		Meta      struct {
			AsOf string `json:"as_of"`
		}
	}
	if json.Unmarshal(n.body, &report) != nil || len(report.Positions) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.call(callKey{strings.ToLower(report.Wallet), report.Meta.AsOf}, n.at)
	if c == nil {
		return
	}
	c.answered = append(c.answered, n.at)
	if c.assets == nil {
		for _, p := range report.Positions {
			c.assets = append(c.assets, p.Asset)
		}
	}
}

// settle counts the calls first heard of before a time. The caller holds the lock.
func (f *fanout) settle(before int64) {
	for key, c := range f.calls {
		if c.since < before {
			f.count(c)
			delete(f.calls, key)
		}
	}
}

// count compares the alerts of one call with its answer.
func (f *fanout) count(c *call) {
	r := &f.result
	if len(c.answered) == 0 {
		r.Unclaimed += int64(len(c.arrivals))
		return
	}
	type cell struct {
		asset  string
		socket int32
	}
	got := make(map[cell]int, len(c.arrivals))
	for _, a := range c.arrivals {
		got[cell{a.asset, a.socket}]++
		// If calls share a key, the latency counts from the first answer.
		since := a.at - c.answered[0]
		if since < 0 {
			r.Early++
		}
		record(f.latency, since)
	}
	want := len(c.answered)
	r.Calls += int64(want)
	for socket := range int32(len(f.sockets)) {
		for _, asset := range c.assets {
			n := got[cell{asset, socket}]
			delete(got, cell{asset, socket})
			r.Expected += int64(want)
			r.Received += int64(min(n, want))
			r.Missing += int64(max(0, want-n))
			r.Duplicate += int64(max(0, n-want))
		}
	}
	for _, n := range got { // alerts on assets that the answer does not contain
		r.Unclaimed += int64(n)
	}
}

// finish is called after the last answer. It waits until every call of the run has its alerts, but at
// most f.patience, then closes the sockets and returns the result.
func (f *fanout) finish(ctx context.Context) *AlertReport {
	close(f.answers)
	f.noted.Wait()
	end := time.NewTimer(f.patience)
	defer end.Stop()
	for waiting := true; waiting && !f.complete(); {
		select {
		case <-end.C:
			waiting = false
		case <-ctx.Done():
			waiting = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	f.close()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settle(int64(time.Since(f.base)) + 1)
	f.result.Others, f.result.Ended = f.others, f.ended
	f.result.Latency = latencyOf(f.latency)
	return &f.result
}

// complete reports whether all expected alerts of the open calls have arrived. It does not wait
// for surplus alerts.
func (f *fanout) complete() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.calls {
		if len(c.answered) > 0 && len(c.arrivals) < len(c.answered)*len(c.assets)*len(f.sockets) {
			return false
		}
	}
	return true
}

func (f *fanout) close() {
	f.mu.Lock()
	f.closing = true
	f.mu.Unlock()
	for _, ws := range f.sockets {
		if ws != nil {
			ws.Close()
		}
	}
	f.wg.Wait()
}
