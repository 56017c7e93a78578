package sim

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"go.uber.org/goleak"
)

// New is Open for configurations known to be valid.
func New(cfg Config) *Exchange {
	e, err := Open(cfg)
	if err != nil {
		panic(err)
	}
	return e
}

// TestMain fails the package if a goroutine is left running at the end.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
		// fasthttp's pool cleaner ends some seconds after its server.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
}

// movedClock returns a clock at testStart for a Config, and a function that advances it.
func movedClock() (now func() time.Time, advance func(time.Duration)) {
	var ms atomic.Int64
	ms.Store(testStart.UnixMilli())
	return func() time.Time { return time.UnixMilli(ms.Load()) }, func(d time.Duration) { ms.Add(d.Milliseconds()) }
}

// testStart is the start time of the tests' markets, in the middle of an hour and a minute.
var testStart = time.Date(2026, 11, 21, 10, 23, 45, 678e6, time.UTC)

// running is an exchange that serves on a loopback port.
type running struct {
	*Exchange
	t    *testing.T
	addr string
}

// start runs an exchange until the test ends.
func start(t *testing.T, cfg Config) *running {
	t.Helper()
	cfg.Log = t.Logf
	e := New(cfg)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- e.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := e.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		if n := e.Stats().Panics; n != 0 {
			t.Errorf("%d panics", n)
		}
	})
	return &running{e, t, ln.Addr().String()}
}

// client keeps no connections, so that none is open after its test.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}

// post sends an info request and returns status and body.
func (r *running) post(body string) (int, []byte) {
	r.t.Helper()
	status, _, b := r.postTo("/info", "application/json", body)
	return status, b
}

func (r *running) postTo(path, contentType, body string) (int, http.Header, []byte) {
	r.t.Helper()
	resp, err := client.Post("http://"+r.addr+path, contentType, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, b
}

// info posts a request that must succeed and decodes the answer.
func (r *running) info(body string, v any) {
	r.t.Helper()
	status, b := r.post(body)
	if status != 200 {
		r.t.Fatalf("%s: status %d: %.200s", body, status, b)
	}
	if err := json.Unmarshal(b, v); err != nil {
		r.t.Fatalf("%s: %v: %.200s", body, err, b)
	}
}

// socket is a client's WebSocket connection.
type socket struct {
	t    *testing.T
	ws   *websocket.Conn
	kept []frameIn // read by wait
}

// dial opens a socket and reads the first frame.
func (r *running) dial() *socket {
	r.t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/ws", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { ws.Close() })
	if _, b, err := ws.ReadMessage(); err != nil || string(b) != "Websocket connection established." {
		r.t.Fatalf("greeting %q, %v", b, err)
	}
	return &socket{t: r.t, ws: ws}
}

func (s *socket) send(text string) {
	s.t.Helper()
	if err := s.ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// frameIn is one frame received.
type frameIn struct {
	Channel string          `json:"channel"`
	Data    json.RawMessage `json:"data"`
}

// next reads one frame.
func (s *socket) next() frameIn {
	s.t.Helper()
	s.ws.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, b, err := s.ws.ReadMessage()
	if err != nil {
		s.t.Fatal(err)
	}
	var f frameIn
	if err := json.Unmarshal(b, &f); err != nil {
		s.t.Fatalf("%v: %.200s", err, b)
	}
	return f
}

// until reads frames up to the next one of the channel.
func (s *socket) until(channel string) frameIn {
	s.t.Helper()
	for range 2000 {
		if f := s.next(); f.Channel == channel {
			return f
		}
	}
	s.t.Fatalf("no frame of channel %s", channel)
	return frameIn{}
}

// silent reports whether nothing arrives for d, after a short time for frames already under way.
// The socket cannot be used afterwards.
func (s *socket) silent(d time.Duration) bool {
	const underWay = 200 * time.Millisecond
	began := time.Now()
	s.ws.SetReadDeadline(began.Add(d + underWay))
	for {
		_, _, err := s.ws.ReadMessage()
		if err != nil {
			e, isNet := err.(net.Error)
			return isNet && e.Timeout()
		}
		if time.Since(began) > underWay {
			return false
		}
	}
}

// tuple2 is an array of two different values.
type tuple2[A, B any] struct {
	first  A
	second B
}

func (t *tuple2[A, B]) UnmarshalJSON(b []byte) error {
	var parts [2]json.RawMessage
	err := json.Unmarshal(b, &parts)
	return errors.Join(err, json.Unmarshal(parts[0], &t.first), json.Unmarshal(parts[1], &t.second))
}

// The JSON of accounts, as a client parses it.
type (
	stateIn struct {
		MarginSummary, CrossMarginSummary        summaryIn
		CrossMaintenanceMarginUsed, Withdrawable string
		AssetPositions                           []struct{ Position positionIn }
		Time                                     int64
	}
	summaryIn  struct{ AccountValue, TotalNtlPos, TotalRawUsd, TotalMarginUsed string }
	positionIn struct {
		Coin, Szi, EntryPx, PositionValue, UnrealizedPnl, MarginUsed string
		Leverage                                                     struct {
			Type   string
			Value  int
			RawUsd string
		}
		LiquidationPx *string
		MaxLeverage   int
	}
	spotIn struct {
		Balances []struct {
			Token            *int
			Total, Hold, LTV string
		}
		PortfolioMarginRatio string
		TokenToAvailable     []tuple2[int, string] `json:"tokenToAvailableAfterMaintenance"`
	}
)

// read converts a value to JSON and parses it as a client does.
func read[T any](t *testing.T, v any) (out T) {
	t.Helper()
	if err := json.Unmarshal(encode(v), &out); err != nil {
		t.Fatal(err)
	}
	return out
}
