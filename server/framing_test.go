package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Beginnings of requests; framings are their continuations. KEY stands for a valid key, BODY for a valid body,
// LEN and SIZE for its length.
const (
	posted   = "POST /v1/validate HTTP/1.1\nHost: x\nAuthorization: Bearer KEY\nContent-Type: application/json\n"
	posted10 = "POST /v1/validate HTTP/1.0\nAuthorization: Bearer KEY\nContent-Type: application/json\n"
)

const keep, closes = false, true

// framings are bytes sent and the expected answers.
var framings = []struct {
	status int
	code   string
	closed bool
	texts  []string
}{
	{200, "", keep, []string{
		posted + "Content-Length: LEN\n\nBODY",
		posted + "Transfer-Encoding: chunked\n\nSIZE\nBODY\n0\n\n",
		"POST /v1/validate HTTP/1.1\nhost: x\naUTHORIZATION: Bearer KEY\ncontent-TYPE: application/json\n" +
			"content-length: LEN\n\nBODY",
		posted10 + "Connection: keep-alive\nContent-Length: LEN\n\nBODY",
		posted + "Connection: disclose\nContent-Length: LEN\n\nBODY",
		posted + "Content-Length: 65536\n\nBODY" + strings.Repeat(" ", 65536-len(trade("BTC"))),
		posted + "Transfer-Encoding: chunked\n\nSIZE;a=" + strings.Repeat("b", 70000) + "\nBODY\n0\n\n",
	}},
	{200, "", closes, []string{
		posted10 + "Content-Length: LEN\n\nBODY",
		posted + "Connection: close\nContent-Length: LEN\n\nBODY",
		posted + "Connection: Close\nContent-Length: LEN\n\nBODY",
		posted + "Connection: TE, close\nContent-Length: LEN\n\nBODY",
		posted + "Connection: close\nConnection: keep-alive\nContent-Length: LEN\n\nBODY",
	}},
	{400, "bad_request", closes, []string{
		posted + "Content-Length: LEN\nTransfer-Encoding: chunked\n\nSIZE\nBODY\n0\n\n",
		posted + "Transfer-Encoding: chunked\nContent-Length: 4\n\nSIZE\nBODY\n0\n\n",
		posted + "Content-Length: LEN\nContent-Length: 4\n\nBODY",
		posted + "Content-Length: LEN\nContent-Length: LEN\n\nBODY",
		posted + "Content-Length: LEN, LEN\n\nBODY",
		posted + "Content-Length: +LEN\n\nBODY",
		posted + "Content-Length: -1\n\nBODY",
		posted + "Content-Length: 99999999999999999999\n\nBODY",
		posted + "Content-Length: 0x10\n\nBODY",
		posted + "Transfer-Encoding: chunked\nTransfer-Encoding: chunked\n\nSIZE\nBODY\n0\n\n",
		posted + "Transfer-Encoding: gzip, chunked\n\nSIZE\nBODY\n0\n\n",
		posted + "Transfer-Encoding: identity\n\nGET /livez HTTP/1.1\nHost: x\n\n",
		posted + "Transfer-Encoding: identity\nContent-Length: LEN\n\nBODY",
		posted + "Transfer-Encoding: xchunked\n\nSIZE\nBODY\n0\n\n",
		posted10 + "Transfer-Encoding: chunked\n\nSIZE\nBODY\n0\n\n",
		posted + "Content-Length : LEN\n\nBODY",
		posted + "Transfer-Encoding: chunked\n\n0x5\nhello\n0\n\n",
		posted + "Transfer-Encoding: chunked\n\n-5\nhello\n0\n\n",
		posted + "Transfer-Encoding: chunked\n\n3\nhello\n0\n\n",
		posted + "Transfer-Encoding: chunked\n\nffffffffffffffff\nhello\n0\n\n",
		posted + "X-A: b\n c\nContent-Length: LEN\n\nBODY",
		posted + "X Y: b\nContent-Length: LEN\n\nBODY",
		posted + "X\tY: b\nContent-Length: LEN\n\nBODY",
		posted + "X-A: b\n Content-Encoding: gzip\nContent-Length: LEN\n\nBODY",
		posted + "nonsense\nContent-Length: LEN\n\nBODY",
		posted + "X-A: b\x00c\nContent-Length: LEN\n\nBODY",
		posted + "X-A: b\rc\nContent-Length: LEN\n\nBODY",
		posted + "Authorization: Bearer KEY\nContent-Length: LEN\n\nBODY",
		posted + "AUTHORIZATION: Bearer KEY\nContent-Length: LEN\n\nBODY",
		posted + "Content-Type: application/json\nContent-Length: LEN\n\nBODY",
		"GET /health HTTP/1.1\n\n",
		"GET /health HTTP/1.1\nHost: a\nHost: b\n\n",
		"GET /health HTTP/1.1x\nHost: x\n\n",
		"GET /health\nHost: x\n\n",
		"\x16\x03\x01\x02\x00\x01\x00\n\n",
		"GET /he alth HTTP/1.1\nHost: x\n\n",
	}},
	{400, "invalid_json", keep, []string{
		posted + "\n",
	}},
	{505, "http_version_not_supported", closes, []string{
		"GET /health HTTP/9.9\nHost: x\n\n",
		"GET /health HTTP/2.0\nHost: x\n\n",
		"PRI * HTTP/2.0\n\nSM\n\n",
	}},
	{413, "body_too_large", closes, []string{
		posted + "Content-Length: 65537\n\n" + strings.Repeat(" ", 65537),
		posted + "Content-Length: 2000000000\n\nabc",
		posted + "Transfer-Encoding: chunked\n\n" + strings.Repeat("8000\n"+strings.Repeat(" ", 0x8000)+"\n", 3) +
			"0\n\n",
	}},
	{401, "missing or invalid Authorization header", closes, []string{
		"POST /v1/validate HTTP/1.1\nHost: x\nContent-Length: 70000\n\n" + strings.Repeat(" ", 70000),
	}},
	{404, "not_found", closes, []string{
		"POST /nope HTTP/1.1\nHost: x\nContent-Length: 70000\n\n" + strings.Repeat(" ", 70000),
	}},
	{431, "headers_too_large", closes, []string{
		posted + "X-A: " + strings.Repeat("a", 9000) + "\nContent-Length: LEN\n\nBODY",
		posted + "Transfer-Encoding: chunked\n\nSIZE\nBODY\n0\nX-A: " + strings.Repeat("a", 70000) + "\n\n",
		posted + "Transfer-Encoding: chunked\n\nSIZE\nBODY\n0\n" + strings.Repeat("A: b\n", 10000) + "\n",
		posted + strings.Repeat("A: b\n", 10000) + "\n",
	}},
	{414, "uri_too_long", closes, []string{
		"GET /" + strings.Repeat("a", 9000) + " HTTP/1.1\nHost: x\n\n",
	}},
	{408, "request_timeout", closes, []string{
		"GET /health HTTP/1.1\nHost: x\n",
		posted + "Content-Length: LEN\n\n{",
	}},
}

func TestFraming(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.ReadTimeout = 700 * time.Millisecond })
	body := trade("BTC")
	fill := strings.NewReplacer("KEY", f.key, "BODY", body, "LEN", strconv.Itoa(len(body)),
		"SIZE", strconv.FormatInt(int64(len(body)), 16), "\n", "\r\n")
	for _, group := range framings {
		for _, text := range group.texts {
			r := f.rawThenClosed(fill.Replace(text))
			if r.status != group.status || r.errorCode() != group.code || r.closed != group.closed {
				t.Errorf("%.300q: %d %.200s, closed %v; want %d %s, closed %v",
					text, r.status, r.body, r.closed, group.status, group.code, group.closed)
			}
			if r.header.Get("X-Request-Id") == "" || r.header.Get("Content-Type") != "application/json" {
				t.Errorf("%.300q: headers %v", text, r.header)
			}
		}
	}
	// A line that ends with LF alone is not accepted as a line.
	if r := f.raw("GET /health HTTP/1.1\nHost: x\n\n"); r.status != 400 && r.status != 408 {
		t.Errorf("bare LF: %d", r.status)
	}
	if logs := f.logs.String(); strings.Contains(logs, f.key) || strings.Contains(logs, f.key[5:20]) {
		t.Error("the log holds the key")
	}
}

// A chunk extension without end is refused long before the read timeout. The largest batch may come in chunks
// of one byte.
func TestSizeOfChunkedRequest(t *testing.T) {
	f := newFixture(t, nil)
	begun := time.Now()
	r := f.raw("POST /v1/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;a=" + strings.Repeat("b",
		8<<20))
	if took := time.Since(begun); took > f.s.cfg.ReadTimeout/2 {
		t.Errorf("after %v", took)
	}
	r.want(400, "bad_request")
	r = f.raw("POST /v1/validate/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + f.key +
		"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
		strings.Repeat("1\r\n \r\n", maxBatchBody) + "0\r\n\r\n")
	r.want(400, "invalid_json")
}

// Only HTTP/1.1 gets 100 Continue. Who expects something else gets an answer without having sent the body.
func TestExpect(t *testing.T) {
	f := warmFixture(t, nil)
	body := trade("BTC")
	head := "Host: x\r\nConnection: keep-alive\r\nAuthorization: Bearer " + f.key +
		"\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
	for _, row := range []struct {
		line      string
		continues bool
		status    int
	}{
		{"1.1\r\nExpect: 100-continue", true, 200},
		{"1.1\r\nexpect:  100-Continue ", true, 200},
		{"1.1\r\nExpect: 100-CONTINUE\r\nExpect: 100-continue", true, 200},
		{"1.1\r\nExpect:", false, 200},
		{"1.0\r\nExpect: 100-continue", false, 200},
		{"1.0\r\nExpect: 200-ok", false, 200},
		{"1.1\r\nExpect: 200-ok", false, 417},
		{"1.1\r\nExpect: 100-continue\r\nExpect: 200-ok", false, 417},
	} {
		c := f.dial()
		io.WriteString(c, "POST /v1/validate HTTP/"+row.line+"\r\n"+head+"\r\n")
		br := bufio.NewReader(c)
		if row.continues {
			if line, err := br.ReadString('\n'); err != nil || line != "HTTP/1.1 100 Continue\r\n" {
				t.Fatalf("%q: %q %v", row.line, line, err)
			}
			br.ReadString('\n')
		}
		if row.status == 200 {
			io.WriteString(c, body)
		}
		if r := f.readReply(br, "POST /v1/validate"); r.status != row.status || r.saysClose != (row.status == 417) ||
			r.status == 417 && r.errorCode() != "expectation_failed" {
			t.Errorf("%q: %d %s", row.line, r.status, r.body)
		}
		c.Close()
	}
}

// Who announces a body that is too large gets no 100 Continue.
func TestExpectTooLarge(t *testing.T) {
	f := newFixture(t, nil)
	for _, row := range []struct {
		path, key string
		length    int
		line      string
		code      string
	}{
		{"/v1/validate", f.key, maxBody, "HTTP/1.1 100 Continue", ""},
		{"/v1/validate", f.key, maxBody + 1, "HTTP/1.1 413 ", "body_too_large"},
		{"/v1/validate/batch", f.key, maxBody + 1, "HTTP/1.1 100 Continue", ""},
		{"/v1/validate/batch", f.key, maxBatchBody + 1, "HTTP/1.1 413 ", "body_too_large"},
		{"/v1/validate", "nope", maxBody + 1, "HTTP/1.1 401 ", "invalid API key"},
	} {
		c := f.dial()
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", row.path, row.key, row.length)
		br := bufio.NewReader(c)
		if line, _ := br.Peek(len(row.line)); string(line) != row.line {
			t.Errorf("%+v: %q", row, line)
		} else if row.code != "" {
			if r := f.readReply(br, "POST "+row.path); r.errorCode() != row.code || !r.saysClose {
				t.Errorf("%+v: %d %s", row, r.status, r.body)
			}
		}
		c.Close()
	}
}

// Requests that share a connection or fasthttp's buffers never see data of each other.
func TestPipeliningAndReuse(t *testing.T) {
	f := newFixture(t, nil)
	f.contract = nil
	f.warm()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			c := f.dial()
			defer c.Close()
			var text strings.Builder
			want := []string{}
			for i := range 100 {
				id := fmt.Sprintf("canary-%d-%d", g, i)
				want = append(want, id)
				switch i % 4 {
				case 0:
					text.WriteString(f.request("POST", "/v1/validate", trade("BTC"), "X-Request-Id: "+id))
				case 1:
					text.WriteString(f.request("POST", "/v1/validate", trade("ETH"), "X-Request-Id: "+id))
				case 2:
					text.WriteString(f.request("POST", "/v1/validate", trade(id), "X-Request-Id: "+id))
				default:
					text.WriteString(f.request("GET", "/v1/assets", "", "X-Request-Id: "+id, "Content-Length: 5") +
						"abcde")
				}
			}
			go io.WriteString(c, text.String())
			br := bufio.NewReader(c)
			for i, id := range want {
				r := f.readReply(br, [...]string{"POST /v1/validate", "POST /v1/validate", "POST /v1/validate",
					"GET /v1/assets"}[i%4])
				if r.header.Get("X-Request-Id") != id {
					t.Errorf("answer %d has id %q", i, r.header.Get("X-Request-Id"))
				}
				ok := r.status == 200
				switch i % 4 {
				case 0, 1:
					meta, _ := r.tree["meta"].(map[string]any)
					ok = ok && meta["request_id"] == id && meta["asset"] == []string{"BTC", "ETH"}[i%4]
				case 2:
					ok = r.status == 400 && r.detail() == "invalid asset: "+id
				default:
					ok = ok && r.tree["assets"] != nil
				}
				if !ok {
					// with eight slots and eight connections a 503 would be an error too
					t.Errorf("answer %d: %d %.200s", i, r.status, r.body)
				}
			}
		})
	}
	wg.Wait()
	for _, word := range []string{"canary-0-0\"", "canary-0-1\""} {
		if r := f.post(trade("BTC")); bytes.Contains(r.body, []byte(word)) {
			t.Error("a buffer was used by two requests at once")
		}
	}
}

// countingConn counts its writes.
type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c *countingConn) Write(b []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(b)
}

// An answer of any length is sent in one write, head and body together.
func TestOneWriteAnAnswer(t *testing.T) {
	f := warmFixture(t, nil)
	var writes atomic.Int64
	f.serveOn(f.s.Serve, func(ln net.Listener) net.Listener {
		return wrappedListener{ln, func(c net.Conn) net.Conn { return &countingConn{c, &writes} }}
	})
	c := f.dial()
	defer c.Close()
	br := bufio.NewReader(c)
	batch := batchOf(slices.Repeat([]string{btcLong}, 50)...)
	for i, ask := range []struct {
		text string
		long int // minimum length in bytes
	}{
		{f.request("POST", "/v1/validate", trade("BTC")), 4 << 10},
		{f.request("POST", "/v1/validate/batch", batch), 128 << 10},
		{f.request("POST", "/v1/validate", trade("?")), 0},
		{f.request("POST", "/v1/validate?explain=true", trade("ETH")), 6 << 10},
		{f.request("GET", "/v1/monitor/"+wallet, ""), 0},
	} {
		before := writes.Load()
		if _, err := io.WriteString(c, ask.text); err != nil {
			t.Fatal(err)
		}
		r := f.readReply(br, ask.text)
		if len(r.body) < ask.long || r.tree == nil {
			t.Errorf("answer %d: %d, %d bytes: %.200s", i, r.status, len(r.body), r.body)
		}
		if n := writes.Load() - before; n != 1 {
			t.Errorf("answer %d of %d bytes left in %d writes", i, len(r.body), n)
		}
	}
}
