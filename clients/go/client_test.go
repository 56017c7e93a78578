package ballast

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

var trade = ValidationRequest{Asset: "BTC", Action: ActionLong, Size: 50000, Wallet: "0x" + strings.Repeat("a", 40)}

// answer is a response of a scripted server; the zero value closes the connection instead.
type answer struct {
	status int
	header map[string]string
	body   string
}

var (
	score      = answer{status: 200} // the valid answer of the endpoint
	overloaded = answer{503, map[string]string{"Retry-After": "0"}, `{"error":"overloaded","detail":"too many"}`}
)

type asked struct {
	target string
	header http.Header
	body   string
}

// scripted is a server that gives the answers of a script in order, and then repeats the last.
type scripted struct {
	*httptest.Server
	mu     sync.Mutex
	valid  map[string]json.RawMessage
	script []answer
	asked  []asked
}

func serve(t *testing.T, script ...answer) *scripted {
	s := &scripted{script: script}
	load(t, "answers.json", &s.valid)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.asked = append(s.asked, asked{r.Method + " " + r.RequestURI, r.Header, string(body)})
		a := s.script[0]
		if len(s.script) > 1 {
			s.script = s.script[1:]
		}
		s.mu.Unlock()
		if a.status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set(requestID, r.Header.Get(requestID))
		for name, value := range a.header {
			w.Header().Set(name, value)
		}
		if a.status == 200 && a.body == "" {
			a.body = string(s.valid[kind(r)])
		}
		w.WriteHeader(a.status)
		io.WriteString(w, a.body)
	}))
	t.Cleanup(s.Close)
	return s
}

// kind names the type of the answer to a request.
func kind(r *http.Request) string {
	kinds := map[string]string{"validate": "Assessment", "batch": "BatchAnswer", "stress": "ShockReport",
		"size":   "SizeAnswer",
		"assets": "Assets", "market": "MarketData", "monitor": "WalletReport"}
	kind := kinds[strings.Split(strings.TrimPrefix(r.URL.Path, "/prefix/v1/"), "/")[0]]
	if strings.HasSuffix(r.URL.Path, "/batch") {
		kind = kinds["batch"]
	}
	if r.URL.Query().Get("view") == "compact" {
		kind = "Compact" + kind
	}
	return kind
}

func (s *scripted) client() *Client { return New(s.URL+"/prefix/", "blst_k") }

func failure(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no Error", err)
	}
	return e
}

func TestRequest(t *testing.T) {
	s := serve(t, score)
	c, ctx := s.client(), t.Context()
	a, err := c.Validate(ctx, trade, Explain)
	if err != nil || a.RiskScore != 12.5 {
		t.Fatalf("%+v %v", a, err)
	}
	_, e1 := c.ValidateCompact(ctx, trade)
	_, e2 := c.Plan(ctx, BatchRequest{Wallet: trade.Wallet})
	_, e3 := c.PlanCompact(ctx, BatchRequest{Wallet: trade.Wallet})
	_, e4 := c.Monitor(ctx, "0x/é")
	_, e5 := c.MonitorCompact(ctx, "0x")
	_, e6 := c.Market(ctx, "xyz:TSLA")
	_, e7 := c.Markets(ctx)
	_, e8 := c.Stress(ctx, ShockRequest{})
	_, e9 := c.Size(ctx, SizeRequest{}, Explain)
	_, e10 := c.SizeCompact(ctx, SizeRequest{})
	if err := errors.Join(e1, e2, e3, e4, e5, e6, e7, e8, e9, e10); err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, r := range s.asked {
		targets = append(targets, r.target)
	}
	want := []string{
		"POST /prefix/v1/validate?explain=true", "POST /prefix/v1/validate?view=compact",
		"POST /prefix/v1/validate/batch",
		"POST /prefix/v1/validate/batch?view=compact", "GET /prefix/v1/monitor/0x%2F%C3%A9",
		"GET /prefix/v1/monitor/0x?view=compact",
		"GET /prefix/v1/market/xyz:TSLA", "GET /prefix/v1/assets", "POST /prefix/v1/stress",
		"POST /prefix/v1/size?explain=true", "POST /prefix/v1/size?view=compact",
	}
	if !reflect.DeepEqual(targets, want) {
		t.Errorf("asked for %q", targets)
	}
	first := s.asked[0]
	if want := `{"asset":"BTC","action":"long","size":50000,"wallet":"` + trade.Wallet + `"}`; first.body != want {
		t.Errorf("sent %s", first.body) // fields not set are not sent
	}
	if h := first.header; h.Get("Authorization") != "Bearer blst_k" || h.Get("Content-Type") != "application/json" ||
		h.Values("Idempotency-Key") != nil {
		t.Errorf("sent %v", h)
	}
}

func TestNoNaN(t *testing.T) {
	s := serve(t, score)
	bad := trade
	bad.Size = math.NaN()
	var unsupported *json.UnsupportedValueError
	if _, err := s.client().Validate(t.Context(), bad); !errors.As(err, &unsupported) || len(s.asked) != 0 {
		t.Errorf("%v, asked %d times", err, len(s.asked))
	}
}

func TestError(t *testing.T) {
	s := serve(t, answer{400, nil,
		`{"error":"validation_error","detail":"leverage 100 exceeds maximum 40",
		"field":"leverage","got":100,"allowed":{"min":1,"max":40},"suggestion":"40",` +
			`"problems":[{"field":"leverage","detail":"d"}]}`})
	_, err := s.client().Validate(t.Context(), trade)
	e := failure(t, err)
	least, most := 1.0, 40.0
	want := &Error{
		Status: 400, Code: "validation_error", Detail: "leverage 100 exceeds maximum 40", Field: "leverage",
		Got:        100.0,
		Allowed:    &Allowed{Min: &least, Max: &most},
		Suggestion: "40", Problems: []Problem{{Field: "leverage", Detail: "d"}},
		RequestID: s.asked[0].header.Get(requestID),
	}
	if !reflect.DeepEqual(e, want) || e.Error() != "validation_error: leverage 100 exceeds maximum 40" {
		t.Errorf("%#v", e)
	}
	_, err = serve(t, answer{401, nil, `{"error":"invalid API key"}`}).client().Markets(t.Context())
	if e := failure(t, err); e.Status != 401 || e.Error() != "invalid API key" {
		t.Errorf("%#v", e)
	}
}

func TestNotBallast(t *testing.T) {
	for _, a := range []answer{
		{502, nil, "<h1>Bad Gateway</h1>"}, {500, nil, `"no"`}, {503, nil, `{"message":1}`},
		{307, map[string]string{"Location": "/elsewhere"}, ""},
		{200, nil, "<html>"}, {200, nil, "{}"}, {200, nil, "null"}, {200, nil, `{"results":[{}]}`},
		{200, nil, `{"results":[]}`}, // one trade was asked about
	} {
		_, err := serve(t, a).client().Plan(t.Context(), BatchRequest{Trades: make([]BatchTrade, 1)})
		if e := failure(t, err); e.Status != a.status || e.Code != "not_ballast" ||
			!strings.Contains(e.Detail, a.body) && !strings.Contains(e.Detail, "0 results for 1 trades") {
			t.Errorf("%d %s: %v", a.status, a.body, err)
		}
	}
	// An empty answer, {}, is an error for every request, never a score of 0.
	c, ctx := serve(t, answer{200, nil, "{}"}).client(), t.Context()
	_, e1 := c.Validate(ctx, trade)
	_, e2 := c.ValidateCompact(ctx, trade)
	_, e3 := c.PlanCompact(ctx, BatchRequest{})
	_, e4 := c.Monitor(ctx, "0x")
	_, e5 := c.MonitorCompact(ctx, "0x")
	_, e6 := c.Market(ctx, "BTC")
	_, e7 := c.Markets(ctx)
	for _, err := range []error{e1, e2, e3, e4, e5, e6, e7} {
		if e := failure(t, err); e.Code != notBallast || !strings.Contains(e.Detail, "is missing: {}") {
			t.Error(err)
		}
	}
}

func TestRetry(t *testing.T) {
	limited := answer{429, map[string]string{"Retry-After": "1"}, `{"error":"rate_limited","detail":"slower"}`}
	s := serve(t, overloaded, limited, score)
	start := time.Now()
	a, err := s.client().Validate(t.Context(), trade)
	if err != nil || a.RiskScore != 12.5 || len(s.asked) != 3 || s.asked[2].body != s.asked[0].body ||
		time.Since(start) < time.Second {
		t.Errorf("%v, asked %d times in %v", err, len(s.asked), time.Since(start))
	}
	s = serve(t, overloaded)
	c := s.client()
	c.Attempts = 2
	_, err = c.Markets(t.Context())
	if e := failure(t, err); e.Code != "overloaded" || *e.RetryAfter != 0 || len(s.asked) != 2 {
		t.Errorf("%v, asked %d times", err, len(s.asked))
	}
}

func TestNotRetried(t *testing.T) {
	minute, none := time.Minute, time.Duration(0)
	for _, row := range []struct {
		status int
		after  string
		want   *time.Duration
	}{
		{503, "60", &minute}, // over MaxWait
		{503, "", nil},
		{503, "-1", nil},
		{503, "Wed, 21 Oct 2026 07:28:00 GMT", nil},
		{500, "0", &none},
	} {
		s := serve(t, answer{row.status, map[string]string{"Retry-After": row.after},
			`{"error":"starting","detail":"wait"}`})
		_, err := s.client().Markets(t.Context())
		if e := failure(t, err); !reflect.DeepEqual(e.RetryAfter, row.want) || len(s.asked) != 1 {
			t.Errorf("%d %q: %v, asked %d times", row.status, row.after, e.RetryAfter, len(s.asked))
		}
	}
}

func TestUnreachable(t *testing.T) {
	s := serve(t, answer{})
	_, err := s.client().Validate(t.Context(), trade)
	if e := failure(t, err); e.Status != 0 || e.Code != "unreachable" || !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// When the service has closed a kept-alive connection, the request is sent again on a new one.
func TestKeptConnectionThatHasEnded(t *testing.T) {
	s := serve(t, score, answer{}, score)
	c := s.client()
	for range 2 {
		if _, err := c.Validate(t.Context(), trade); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.asked) != 3 {
		t.Errorf("asked %d times", len(s.asked))
	}
}

func TestSilence(t *testing.T) {
	leave := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-leave }))
	defer s.Close()
	defer close(leave)
	c := New(s.URL, "")
	c.Timeout = 100 * time.Millisecond
	_, err := c.Markets(t.Context())
	if e := failure(t, err); e.Code != "unreachable" {
		t.Error(err)
	}
}

// When the caller's context ends, even while the client waits to retry, the error is the context's.
func TestContext(t *testing.T) {
	s := serve(t, answer{503, map[string]string{"Retry-After": "9"}, `{"error":"starting","detail":"wait"}`})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := s.client().Markets(ctx); !errors.Is(err, context.DeadlineExceeded) ||
		time.Since(start) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

func TestBadURL(t *testing.T) {
	for _, url := range []string{"127.0.0.1:8080", "ftp://host", ""} {
		if _, err := New(url, "").Markets(t.Context()); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
}
