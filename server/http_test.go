package server

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/transport"
)

// Bytes sent and the expected answers. KEY stands for a valid key, BODY for a valid body of LEN
// bytes.
func TestFraming(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.ReadTimeout = 700 * time.Millisecond })
	f.warm()
	body := trade("BTC")
	fill := strings.NewReplacer("KEY", f.key, "BODY", body, "LEN", strconv.Itoa(len(body)), "\n", "\r\n")
	const post = "POST /v1/validate HTTP/1.1\nHost: x\nAuthorization: Bearer KEY\nContent-Type: application/json\n"
	chunked := fmt.Sprintf("%x\n%s\n0\n\n", len(body), "BODY")
	const keep, closes = false, true
	for _, row := range []struct {
		name   string
		text   string
		status int
		code   string
		closed bool
	}{
		{"plain", post + "Content-Length: LEN\n\nBODY", 200, "", keep},
		{"chunked", post + "Transfer-Encoding: chunked\n\n" + chunked, 200, "", keep},
		{"names in any case", "POST /v1/validate HTTP/1.1\nhost: x\naUTHORIZATION: Bearer KEY\ncontent-TYPE: application/json\ncontent-length: LEN\n\nBODY", 200, "", keep},
		{"HTTP/1.0", "POST /v1/validate HTTP/1.0\nAuthorization: Bearer KEY\nContent-Type: application/json\nContent-Length: LEN\n\nBODY", 200, "", closes},
		{"HTTP/1.0 kept alive", "POST /v1/validate HTTP/1.0\nConnection: keep-alive\nAuthorization: Bearer KEY\nContent-Type: application/json\nContent-Length: LEN\n\nBODY", 200, "", keep},
		{"asked to close", post + "Connection: close\nContent-Length: LEN\n\nBODY", 200, "", closes},
		{"asked to Close", post + "Connection: Close\nContent-Length: LEN\n\nBODY", 200, "", closes},
		{"asked to close, and more", post + "Connection: TE, close\nContent-Length: LEN\n\nBODY", 200, "", closes},
		{"asked to close in one of two headers", post + "Connection: close\nConnection: keep-alive\nContent-Length: LEN\n\nBODY", 200, "", closes},
		{"asked to close nothing", post + "Connection: disclose\nContent-Length: LEN\n\nBODY", 200, "", keep},
		// length of the body
		{"length and transfer encoding", post + "Content-Length: LEN\nTransfer-Encoding: chunked\n\n" + chunked, 400, "bad_request", closes},
		{"transfer encoding and length", post + "Transfer-Encoding: chunked\nContent-Length: 4\n\n" + chunked, 400, "bad_request", closes},
		{"two lengths", post + "Content-Length: LEN\nContent-Length: 4\n\nBODY", 400, "bad_request", closes},
		{"the same length twice", post + "Content-Length: LEN\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"a list of lengths", post + "Content-Length: LEN, LEN\n\nBODY", 400, "bad_request", closes},
		{"signed length", post + "Content-Length: +LEN\n\nBODY", 400, "bad_request", closes},
		{"negative length", post + "Content-Length: -1\n\nBODY", 400, "bad_request", closes},
		{"huge length", post + "Content-Length: 99999999999999999999\n\nBODY", 400, "bad_request", closes},
		{"hexadecimal length", post + "Content-Length: 0x10\n\nBODY", 400, "bad_request", closes},
		{"no length", post + "\n", 400, "invalid_json", keep},
		{"two transfer encodings", post + "Transfer-Encoding: chunked\nTransfer-Encoding: chunked\n\n" + chunked, 400, "bad_request", closes},
		{"a list of transfer encodings", post + "Transfer-Encoding: gzip, chunked\n\n" + chunked, 400, "bad_request", closes},
		{"identity, with the next request as the body", post + "Transfer-Encoding: identity\n\nGET /livez HTTP/1.1\nHost: x\n\n", 400, "bad_request", closes},
		{"identity and a length", post + "Transfer-Encoding: identity\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"unknown transfer encoding", post + "Transfer-Encoding: xchunked\n\n" + chunked, 400, "bad_request", closes},
		{"transfer encoding in HTTP/1.0", "POST /v1/validate HTTP/1.0\nAuthorization: Bearer KEY\nContent-Type: application/json\nTransfer-Encoding: chunked\n\n" + chunked, 400, "bad_request", closes},
		{"blank before the colon", post + "Content-Length : LEN\n\nBODY", 400, "bad_request", closes},
		{"chunk size with 0x", post + "Transfer-Encoding: chunked\n\n0x5\nhello\n0\n\n", 400, "bad_request", closes},
		{"negative chunk size", post + "Transfer-Encoding: chunked\n\n-5\nhello\n0\n\n", 400, "bad_request", closes},
		{"chunk longer than said", post + "Transfer-Encoding: chunked\n\n3\nhello\n0\n\n", 400, "bad_request", closes},
		{"huge chunk size", post + "Transfer-Encoding: chunked\n\nffffffffffffffff\nhello\n0\n\n", 400, "bad_request", closes},
		// header lines
		{"folded line", post + "X-A: b\n c\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"blank in a name", post + "X Y: b\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"tab in a name", post + "X\tY: b\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"folded line with a colon", post + "X-A: b\n Content-Encoding: gzip\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"no colon", post + "nonsense\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"NUL in a value", post + "X-A: b\x00c\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"CR in a value", post + "X-A: b\rc\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"two authorizations", post + "Authorization: Bearer KEY\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"two authorizations, one in capitals", post + "AUTHORIZATION: Bearer KEY\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"two content types", post + "Content-Type: application/json\nContent-Length: LEN\n\nBODY", 400, "bad_request", closes},
		{"no host", "GET /health HTTP/1.1\n\n", 400, "bad_request", closes},
		{"two hosts", "GET /health HTTP/1.1\nHost: a\nHost: b\n\n", 400, "bad_request", closes},
		// request line
		{"HTTP/9.9", "GET /health HTTP/9.9\nHost: x\n\n", 505, "http_version_not_supported", closes},
		{"HTTP/2.0", "GET /health HTTP/2.0\nHost: x\n\n", 505, "http_version_not_supported", closes},
		{"preface of HTTP/2", "PRI * HTTP/2.0\n\nSM\n\n", 505, "http_version_not_supported", closes},
		{"HTTP/1.1x", "GET /health HTTP/1.1x\nHost: x\n\n", 400, "bad_request", closes},
		{"no version", "GET /health\nHost: x\n\n", 400, "bad_request", closes},
		{"nonsense", "\x16\x03\x01\x02\x00\x01\x00\n\n", 400, "bad_request", closes},
		{"blank in the path", "GET /he alth HTTP/1.1\nHost: x\n\n", 400, "bad_request", closes},
		// size
		{"body over the limit", post + "Content-Length: 65537\n\n" + strings.Repeat(" ", 65537), 413, "body_too_large", closes},
		{"body far over the limit", post + "Content-Length: 2000000000\n\nabc", 413, "body_too_large", closes},
		{"chunked over the limit", post + "Transfer-Encoding: chunked\n\n" + strings.Repeat("8000\n"+strings.Repeat(" ", 0x8000)+"\n", 3) + "0\n\n", 413, "body_too_large", closes},
		{"body at the limit", post + "Content-Length: 65536\n\nBODY" + strings.Repeat(" ", 65536-len(body)), 200, "", keep},
		{"too large without a key", "POST /v1/validate HTTP/1.1\nHost: x\nContent-Type: application/json\nContent-Length: 70000\n\n" + strings.Repeat(" ", 70000), 401, "missing or invalid Authorization header", closes},
		{"too large for no route", "POST /nope HTTP/1.1\nHost: x\nContent-Length: 70000\n\n" + strings.Repeat(" ", 70000), 404, "not_found", closes},
		{"large header", post + "X-A: " + strings.Repeat("a", 9000) + "\nContent-Length: LEN\n\nBODY", 431, "headers_too_large", closes},
		{"large trailer", post + "Transfer-Encoding: chunked\n\n" + strings.TrimSuffix(chunked, "\n") + "X-A: " + strings.Repeat("a", 70000) + "\n\n", 431, "headers_too_large", closes},
		{"many trailers", post + "Transfer-Encoding: chunked\n\n" + strings.TrimSuffix(chunked, "\n") + strings.Repeat("A: b\n", 10000) + "\n", 431, "headers_too_large", closes},
		{"chunk extension", post + "Transfer-Encoding: chunked\n\n" + strings.Replace(chunked, "\n", ";a="+strings.Repeat("b", 70000)+"\n", 1), 200, "", keep},
		{"10,000 headers", post + strings.Repeat("A: b\n", 10000) + "\n", 431, "headers_too_large", closes},
		{"long path", "GET /" + strings.Repeat("a", 9000) + " HTTP/1.1\nHost: x\n\n", 414, "uri_too_long", closes},
		// time
		{"head without end", "GET /health HTTP/1.1\nHost: x\n", 408, "request_timeout", closes},
		{"body without end", post + "Content-Length: LEN\n\n{", 408, "request_timeout", closes},
	} {
		r := f.rawThenClosed(fill.Replace(row.text))
		if r.status != row.status || r.errorCode() != row.code || r.closed != row.closed {
			t.Errorf("%s: %d %s, closed %v; want %d %s, closed %v", row.name, r.status, r.body[:min(200, len(r.body))], r.closed, row.status, row.code, row.closed)
		}
		if r.header.Get("X-Request-Id") == "" || r.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: headers %v", row.name, r.header)
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
	r := f.raw("POST /v1/validate HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5;a=" + strings.Repeat("b", 8<<20))
	if took := time.Since(begun); r.status != 400 || r.errorCode() != "bad_request" || took > f.s.cfg.ReadTimeout/2 {
		t.Errorf("%d %s after %v", r.status, r.body, took)
	}
	r = f.raw("POST /v1/validate/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + f.key + "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
		strings.Repeat("1\r\n \r\n", maxBatchBody) + "0\r\n\r\n")
	if r.status != 400 || r.errorCode() != "invalid_json" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestRouting(t *testing.T) {
	f := newFixture(t, nil)
	for _, path := range []string{
		"/v1/validate/", "/v1//validate", "//v1/validate", "/V1/validate", "/v1/Validate", "/v1/../health", "/v1/./validate", "/%68ealth", "/health%00",
		"/v1/validate%2e", "/%2e/health", "/health/", "/healthz", "/v1", "/v1/batch", "/v1/validate/batch/", "/v1/monitor", "/v1/alerts", "*", "/health;a", "/metrics/",
	} {
		if r := f.get(path); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	for _, row := range []struct{ method, path, allow string }{
		{"GET", "/v1/validate", "POST"}, {"PUT", "/v1/validate", "POST"}, {"HEAD", "/v1/validate", "POST"}, {"OPTIONS", "/v1/validate", "POST"},
		{"POST", "/health", "GET, HEAD"}, {"DELETE", "/v1/assets", "GET, HEAD"}, {"POST", "/v1/model-info", "GET, HEAD"}, {"post", "/v1/validate", "POST"},
	} {
		r := f.raw(row.method + " " + row.path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
		if r.status != 405 || r.header.Get("Allow") != row.allow {
			t.Errorf("%s %s: %d %v", row.method, row.path, r.status, r.header)
		}
	}
	for _, path := range []string{"/health", "/livez", "/readyz", "/health?x=y"} {
		if r := f.raw("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"); r.status != 200 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
		if r := f.raw("HEAD " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"); r.status != 200 || len(r.body) != 0 {
			t.Errorf("HEAD %s: %d %s", path, r.status, r.body)
		}
	}
	if r := f.get("/nope/\"<b>\x7f"); r.status == 200 || strings.Contains(string(r.body), "\x7f") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestAuthorization(t *testing.T) {
	f := newFixture(t, nil)
	f.warm()
	const missing, invalid = `{"error":"missing or invalid Authorization header"}`, `{"error":"invalid API key"}`
	for _, row := range []struct {
		header string // "": no header
		body   string // "": accepted
	}{
		{"", missing}, {"Bearer", missing}, {"Bearer ", missing}, {"Basic abc", missing}, {f.key, missing}, {"Bearer\t" + f.key, missing}, {"Bearer a b", missing},
		{"Bearer " + f.key + " x", missing}, {"Bearer \xff\xfe", missing}, {"Token " + f.key, missing}, {"Bearer" + f.key, missing}, {"Bearer:" + f.key, missing},
		{"Bearer nope", invalid}, {"Bearer " + f.key[:44], invalid}, {"Bearer " + f.key + "x", invalid}, {"Bearer " + strings.ToLower(f.key), invalid},
		{"Bearer blst_" + strings.Repeat("0", 40), invalid}, {"Bearer " + strings.Repeat("k", 6000), invalid}, {"Bearer " + f.key + "," + f.key, invalid},
		{"Bearer " + f.key, ""}, {"bearer " + f.key, ""}, {"BEARER    " + f.key, ""}, {"  Bearer " + f.key + "  ", ""}, {"Bearer " + f.key + "\t", ""},
	} {
		text := "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(trade("BTC"))) + "\r\n"
		if row.header != "" {
			text += "Authorization: " + row.header + "\r\n"
		}
		r := f.raw(text + "\r\n" + trade("BTC"))
		switch {
		case row.body == "" && r.status != 200:
			t.Errorf("%.60q: %d %s", row.header, r.status, r.body)
		case row.body != "" && (r.status != 401 || string(r.body) != row.body || r.header.Get("WWW-Authenticate") != "Bearer"):
			t.Errorf("%.60q: %d %v %s", row.header, r.status, r.header, r.body)
		}
	}
	for _, path := range []string{"/v1/assets", "/v1/model-info", "/metrics"} {
		if r := f.raw("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"); r.status != 401 || string(r.body) != missing {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	// The key is checked before the content type and the body.
	if r := f.raw("POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"); r.status != 401 {
		t.Errorf("%d", r.status)
	}
	r, _ := f.keys.Record(f.keyID)
	r.Revoked = true
	f.keys.Merge(r)
	if r := f.post(trade("BTC")); r.status != 401 || string(r.body) != invalid {
		t.Errorf("revoked: %d %s", r.status, r.body)
	}
}

func TestContentType(t *testing.T) {
	f := newFixture(t, nil)
	f.warm()
	for header, status := range map[string]int{
		"Content-Type: application/json": 200, "content-type: APPLICATION/JSON;charset=utf-8": 200, "Content-Type: application/json ; x=\"y\"": 200,
		"X-A: b": 415, "Content-Type:": 415, "Content-Type: text/plain": 415, "Content-Type: application/jsonp": 415, "Content-Type: application/json-patch+json": 415,
		"Content-Type: application/x-www-form-urlencoded": 415, "Content-Type: multipart/form-data; boundary=x": 415,
		"Content-Type: application/json\r\nContent-Encoding: gzip": 415, "Content-Type: application/json\r\nContent-Encoding: identity": 200,
	} {
		body := trade("BTC")
		r := f.raw("POST /v1/validate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + f.key + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n" + header + "\r\n\r\n" + body)
		if r.status != status || (status == 415 && r.errorCode() != "unsupported_media_type") {
			t.Errorf("%q: %d %s", header, r.status, r.body)
		}
	}
}

// Only HTTP/1.1 gets 100 Continue. Who expects something else gets an answer without having sent the body.
func TestExpect(t *testing.T) {
	f := newFixture(t, nil)
	f.warm()
	body := trade("BTC")
	head := "Host: x\r\nConnection: keep-alive\r\nAuthorization: Bearer " + f.key + "\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n"
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
		if r := f.readReply(br, "POST /v1/validate"); r.status != row.status || r.saysClose != (row.status == 417) || r.status == 417 && r.errorCode() != "expectation_failed" {
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
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", row.path, row.key, row.length)
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
					text.WriteString(f.request("GET", "/v1/assets", "", "X-Request-Id: "+id, "Content-Length: 5") + "abcde")
				}
			}
			go io.WriteString(c, text.String())
			br := bufio.NewReader(c)
			for i, id := range want {
				r := f.readReply(br, [...]string{"POST /v1/validate", "POST /v1/validate", "POST /v1/validate", "GET /v1/assets"}[i%4])
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

func TestRequestIDs(t *testing.T) {
	f := newFixture(t, nil)
	made := regexp.MustCompile(`^req_[0-9A-HJKMNP-TV-Z]{26}$`)
	last := ""
	for range 20 {
		id := f.get("/nope").header.Get("X-Request-Id")
		if !made.MatchString(id) || id <= last {
			t.Errorf("%q after %q", id, last)
		}
		last = id
	}
	for id, echoed := range map[string]bool{
		"a": true, strings.Repeat("x", 64): true, `we"ird\{}`: true, strings.Repeat("x", 65): false, "a b": false, "caf\xc3\xa9": false, "": false, "a\tb": false,
	} {
		r := f.get("/nope", "X-Request-Id: "+id)
		if got := r.header.Get("X-Request-Id"); (got == id) != echoed || (!echoed && !made.MatchString(got)) {
			t.Errorf("%q came back as %q", id, got)
		}
	}
	start := time.Now()
	ids, seen := newRequestIDs(start), map[string]bool{}
	for i := range 100_000 {
		id := string(ids.append(nil, marketcache.InstantOf(start)))
		if i < 1000 { // 128 bits: milliseconds, counter, process
			want := binary.BigEndian.AppendUint64(nil, ids.startMs<<16)
			want = binary.BigEndian.AppendUint64(want, uint64(i+1)<<48|ids.process)
			if got, err := crockford.DecodeString(id[len("req_"):]); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%s is %x, want %x (%v)", id, got, want, err)
			}
		}
		if seen[id] {
			t.Fatal("an identifier came twice")
		}
		seen[id] = true
	}
}

// Injects the fault panic of docs/faults.md.
func TestPanicIsAnswered(t *testing.T) {
	f := newFixture(t, nil)
	f.setLoad(func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		panic("injected")
	})
	simulated := strings.Replace(trade("BTC"), "{", `{"monte_carlo":true,`, 1)
	for i := range 20 { // more than there are slots; half of them may wait for a simulation
		r := f.rawThenClosed(f.request("POST", "/v1/validate", []string{trade("BTC"), simulated}[i%2], "X-Request-Id: canary"))
		if r.status != 500 || r.errorCode() != "internal" || r.header.Get("X-Request-Id") != "canary" || !r.closed || strings.Contains(r.detail(), "injected") {
			t.Fatalf("%d %s closed %v", r.status, r.body, r.closed)
		}
	}
	f.warm()
	if r := f.post(trade("BTC")); r.status != 200 {
		t.Errorf("afterwards: %d %s", r.status, r.body)
	}
	if n, w, m := f.s.admission.InSystem(), f.s.admission.Outside(), f.s.admission.InQueue(admission.Simulation); n != 0 || w != 0 || m != 0 {
		t.Errorf("%d slots lost, %d waiting, %d simulating", n, w, m)
	}
	logs := f.logs.String()
	if !strings.Contains(logs, "injected") || !strings.Contains(logs, "canary") || !strings.Contains(logs, "account.go") {
		t.Error("the panic is not in the log with its stack and id")
	}
	if r := f.get("/metrics"); !strings.Contains(string(r.body), "ballast_http_panics_total 20\n") {
		t.Error("the panics are not counted")
	}
	// The same for a read in the background.
	a := testAccount(walletOf(wallet))
	a.Received = a.Received.Add(-1500 * time.Millisecond)
	f.cache.StoreAccount(a)
	if r := f.post(trade("BTC")); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	until(t, "a panic in the background", func() bool { return f.s.supervisor.Panics() == 21 })
}

// A result that is not finite gives an internal error and is never sent.
func TestNotFiniteIsRefused(t *testing.T) {
	f := newFixture(t, nil)
	f.warm()
	model := *f.cache.Model()
	bad := *model.Assets[btc]
	bad.LongRunSigma = math.NaN()
	model.Assets = append([]*marketcache.AssetModel(nil), model.Assets...)
	model.Assets[btc] = &bad
	f.cache.SetModel(&model)
	r := f.post(trade("BTC"))
	if r.status != 500 || r.errorCode() != "internal" || r.tree["risk_score"] != nil {
		t.Errorf("%d %s", r.status, r.body)
	}
	if f.s.metrics.notFinite.Load() != 1 {
		t.Error("not counted")
	}
	if r := f.post(trade("ETH")); r.status != 200 {
		t.Errorf("the slot cannot be used after a panic: %d %s", r.status, r.body)
	}
}

func TestDrain(t *testing.T) {
	f := newFixture(t, nil)
	release := make(chan struct{})
	f.setLoad(func(_ context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		<-release
		return testAccount(w), nil
	})
	idle := f.dial() // has a keep-alive connection open
	defer idle.Close()
	if r := f.exchange(idle, "GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	answers := make(chan *reply, 3)
	for i := range 3 {
		go func() { answers <- f.post(strings.Replace(trade("BTC"), wallet, wallet[:41]+strconv.Itoa(i), 1)) }()
	}
	until(t, "three requests wait", func() bool { return f.s.admission.Outside() == 3 })
	done := make(chan error, 1)
	go func() { done <- f.s.Shutdown(context.Background()) }()
	until(t, "draining", f.s.draining.Load)
	if r := f.s.Readiness(); r.Ready || f.s.status(&r) != "draining" {
		t.Error("still ready")
	}
	select {
	case err := <-done:
		t.Fatal("did not wait for requests in flight:", err)
	case <-time.After(150 * time.Millisecond):
	}
	close(release)
	for range 3 {
		if r := <-answers; r.status != 200 || !r.saysClose {
			t.Errorf("%d, close %v", r.status, r.saysClose)
		}
	}
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("shutdown hangs")
	}
	if err := f.s.Serve(nil); err != transport.ErrDraining {
		t.Error(err)
	}
}

// A request that never arrives whole does not keep the service from ending, and is answered.
func TestDrainOfHalfARequest(t *testing.T) {
	f := newFixture(t, nil)
	var halves []net.Conn
	whole := f.request("POST", "/v1/validate", trade("BTC"))
	for _, half := range []string{whole[:20], whole[:len(whole)-10], f.request("GET", "/livez", "") + whole[:20]} {
		c := f.dial()
		defer c.Close()
		io.WriteString(c, half)
		halves = append(halves, c)
	}
	defer f.dial().Close() // nothing is ever sent on it
	time.Sleep(50 * time.Millisecond)
	began := time.Now()
	if err := f.s.Shutdown(context.Background()); err != nil || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	for i, c := range halves {
		all, err := io.ReadAll(c)
		if err != nil || !bytes.Contains(all, []byte("408")) || !bytes.Contains(all, []byte("the service is ending")) {
			t.Errorf("half %d: %v, %s", i, err, all)
		}
	}
}

// When the service is told to end, the answer to a pipelined request says that the connection closes, and it
// arrives: bytes that are still unread do not reset the connection.
// Injects the fault sigterm of docs/faults.md.
func TestDrainOfPipelinedRequests(t *testing.T) {
	f := newFixture(t, nil)
	inside, leave := make(chan struct{}), make(chan struct{})
	f.setLoad(func(ctx context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		close(inside)
		<-leave
		return testAccount(w), nil
	})
	c := f.dial()
	defer c.Close()
	const requests = 400
	go io.WriteString(c, strings.Repeat(f.request("POST", "/v1/validate", trade("BTC")), requests))
	<-inside
	ended := make(chan error, 1)
	go func() { ended <- f.s.Shutdown(context.Background()) }()
	until(t, "the service ends", f.s.draining.Load)
	close(leave)
	all, err := io.ReadAll(c)
	if err != nil {
		t.Error(err)
	}
	answers, closing := bytes.Count(all, []byte("HTTP/1.1 200 OK")), bytes.Count(all, []byte("Connection: close"))
	if answers == 0 || answers == requests || closing != 1 {
		t.Errorf("%d answers, %d of them close: %.300s", answers, closing, all)
	}
	c.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestDrainGivesUp(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.DrainTimeout = 200 * time.Millisecond })
	f.setLoad(func(ctx context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	answer := make(chan *reply, 1)
	go func() { answer <- f.post(trade("BTC")) }()
	until(t, "a request waits", func() bool { return f.s.admission.Outside() == 1 })
	began := time.Now()
	if err := f.s.Shutdown(context.Background()); err == nil || time.Since(began) > time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	if r := <-answer; r.status != 503 {
		t.Errorf("%d %s", r.status, r.body)
	}
}

// A connection beyond the limit is refused only if all others have shown a key.
func TestConnectionLimits(t *testing.T) {
	const most = 5
	f := newFixture(t, func(c *Config) { c.MaxConns, c.MaxKeylessConnsPerIP = most, -1 })
	f.warm()
	var held []net.Conn
	for range most {
		c := f.dial()
		held = append(held, c)
		if r := f.exchange(c, f.request("GET", "/v1/assets", "")); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	if r := f.raw(""); r.status != 503 || r.errorCode() != "overloaded" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if refused := f.s.transport.Refused(transport.TooManyConns); refused != 1 {
		t.Errorf("%d refused", refused)
	}
	held[0].Close()
	until(t, "room for one more", func() bool { return f.s.transport.Open() == most-1 })
	for range 3 {
		if r := f.get("/livez"); r.status != 200 {
			t.Errorf("%d", r.status)
		}
	}
	for _, c := range held[1:] {
		if r := f.exchange(c, f.request("POST", "/v1/validate", trade("BTC"))); r.status != 200 {
			t.Errorf("a connection with a key: %d %s", r.status, r.body)
		}
	}
}

// Clients without a key open silent connections from several addresses, more than there may be, again and
// again. New connections are answered, also from these addresses; one that has shown a key stays open.
// Injects the fault keyless-flood of docs/faults.md.
func TestKeylessConnectionsLockNobodyOut(t *testing.T) {
	const most = 40
	f := newFixture(t, func(c *Config) { c.MaxConns = most }) // 10 an address
	f.warm()
	keyed := f.dial()
	defer keyed.Close()
	validate := f.request("POST", "/v1/validate", trade("BTC"))
	if r := f.exchange(keyed, validate); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	from := func(host string) net.Conn {
		d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
		c, err := d.Dial("tcp", f.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	attackers := []string{"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"}
	for range 5 {
		for _, host := range attackers {
			for range most / 4 {
				from(host)
			}
		}
		for _, host := range append(attackers, "127.0.0.1") {
			for _, text := range []string{validate, f.request("GET", "/livez", ""), "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"} {
				if r := f.exchange(from(host), text); r.status != 200 {
					t.Errorf("%s: %d %s", host, r.status, r.body)
				}
			}
		}
		if r := f.exchange(keyed, validate); r.status != 200 {
			t.Errorf("the connection with a key: %d %s", r.status, r.body)
		}
	}
	if n := f.s.transport.Open(); n > most {
		t.Errorf("%d connections are open", n)
	}
	if n := f.s.metrics.connErrors.Load(); n != 0 {
		t.Errorf("%d connections ended in an error", n)
	}
	if f.s.transport.Replaced() == 0 || f.s.transport.Refused(transport.TooManyConns) != 0 {
		t.Errorf("%d replaced, %d refused", f.s.transport.Replaced(), f.s.transport.Refused(transport.TooManyConns))
	}
}

func TestRateLimits(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.RateLimit, c.AuthFailureLimit = 5, 3 })
	f.warm()
	for i := range 7 {
		r := f.post(trade("BTC"))
		if r.header.Get("RateLimit-Limit") != "5" || r.header.Get("RateLimit-Reset") == "" {
			t.Errorf("headers %v", r.header)
		}
		switch {
		case i < 5 && (r.status != 200 || r.header.Get("RateLimit-Remaining") != strconv.Itoa(4-i)):
			t.Errorf("request %d: %d %v", i, r.status, r.header)
		case i >= 5 && (r.status != 429 || r.errorCode() != "rate_limited" || r.header.Get("Retry-After") == ""):
			t.Errorf("request %d: %d %s", i, r.status, r.body)
		}
	}
	for i := range 5 {
		r := f.raw("GET /v1/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\n\r\n")
		if want := 401 + 28*min(1, i/3); r.status != want {
			t.Errorf("guess %d: %d", i, r.status)
		}
	}
	// A missing header, and a route that needs no key, do not count as guessed keys.
	if r := f.raw("GET /v1/assets HTTP/1.1\r\nHost: x\r\n\r\n"); r.status != 401 {
		t.Errorf("%d", r.status)
	}
	if r := f.raw("GET /health HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer nope\r\n\r\n"); r.status != 200 {
		t.Errorf("%d", r.status)
	}
}

func TestGzipAndCORS(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.CORSOrigin = "https://console.example" })
	f.warm()
	plain := f.get("/v1/model-info")
	packed := f.get("/v1/model-info", "Accept-Encoding: br, gzip;q=0.8")
	if packed.header.Get("Content-Encoding") != "gzip" || len(packed.body) >= len(plain.body)/2 || packed.header.Get("Vary") != "Accept-Encoding" {
		t.Errorf("%v, %d of %d bytes", packed.header, len(packed.body), len(plain.body))
	}
	z, err := gzip.NewReader(bytes.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, plain.body) {
		t.Errorf("unpacks to something else: %v", err)
	}
	for _, accept := range []string{"gzip;q=0", "identity", "", "br", "gzip; q=0.000"} {
		if r := f.get("/v1/model-info", "Accept-Encoding: "+accept); r.header.Get("Content-Encoding") != "" {
			t.Errorf("%q: packed", accept)
		}
	}
	if r := f.get("/livez", "Accept-Encoding: gzip"); r.header.Get("Content-Encoding") != "" {
		t.Error("two bytes were packed")
	}
	if r := f.post(trade("BTC"), "Accept-Encoding: gzip"); r.header.Get("Content-Encoding") != "" || r.status != 200 {
		t.Error("validate is packed")
	}
	f2 := newFixture(t, nil)

	r := f.raw("OPTIONS /v1/validate HTTP/1.1\r\nHost: x\r\nOrigin: https://console.example\r\n\r\n")
	if r.status != 204 || r.header.Get("Access-Control-Allow-Origin") != "https://console.example" || r.header.Get("Access-Control-Allow-Methods") != "POST" {
		t.Errorf("%d %v", r.status, r.header)
	}
	if f2.get("/health").header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("CORS though not configured")
	}
}

func TestHealth(t *testing.T) {
	f := newFixture(t, nil)
	for range 3 {
		defer f.subscribe(t, wallet).Close()
	}
	f.cache.Venue.WalletStreams.Store(&marketcache.WalletStreams{
		Followed: 2, Limit: 8, Refused: 1, GapP50: 5 * time.Second, GapP90: -1, Confirmed: 7, Differed: 3,
	})
	f.cache.SetRules(&marketcache.VenueRules{Notice: "Post-only.", NoticeRead: marketcache.Now()})
	r := f.raw("GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
	want := map[string]any{
		"status": "ok", "ready": true, "version": "test", "engine_version": risk.EngineVersion,
		"venue": map[string]any{"name": "synthetic", "kind": "simulated", "connected": true, "clock_skew_ms": 0.0, "notice": "Post-only.", "wallet_streams": map[string]any{
			"followed": 2.0, "limit": 8.0, "refused": 1.0, "gap_ms": map[string]any{"p50": 5000.0, "p90": nil}, "confirmed": 7.0, "differed": 3.0,
		}},
		"assets": map[string]any{"listed": 4.0, "fresh": 4.0, "calibrated": 3.0},
		"alerts": map[string]any{"connections": 3.0, "subscriptions": 3.0},
		"warmup": map[string]any{"open_interest_share": 0.9996667777407531, "ready_in_s": 0.0, "complete_in_s": nil},
	}
	if _, ok := r.tree["uptime_s"].(float64); !ok {
		t.Error("no uptime_s")
	}
	delete(r.tree, "uptime_s")
	if _, ok := r.tree["venue"].(map[string]any)["last_message_age_ms"].(float64); !ok {
		t.Error("no last_message_age_ms")
	}
	delete(r.tree["venue"].(map[string]any), "last_message_age_ms")
	got, _ := json.Marshal(r.tree)
	expected, _ := json.Marshal(want)
	if r.status != 200 || !bytes.Equal(got, expected) {
		t.Errorf("%d %s, want %s", r.status, got, expected)
	}
	f.cache.Venue.Clock.Set(time.Now().UnixNano()-3e9, marketcache.Now())
	if r := f.get("/health"); r.status != 200 || r.tree["status"] != "degraded" {
		t.Errorf("%d %s", r.status, r.body)
	}
	f.cache.Venue.Clock.Set(time.Now().UnixNano(), marketcache.Now())
	broken := newFixture(t, func(c *Config) { c.Degraded = func() bool { return true } })
	if r := broken.get("/health"); r.status != 200 || r.tree["status"] != "degraded" || r.tree["ready"] != true {
		t.Errorf("%d %s", r.status, r.body)
	}
	f.keys.TrustUntil(time.Now().Add(-time.Second)) // a load balancer must send requests to another replica
	if r := f.get("/readyz"); r.status != 503 || r.errorCode() != "not_ready" || !strings.HasPrefix(r.detail(), "not ready: degraded, keys cannot be checked; ") {
		t.Errorf("%d %s", r.status, r.body)
	}
	f.keys.TrustForever()
	if r := f.get("/readyz"); r.status != 200 {
		t.Errorf("%d %s", r.status, r.body)
	}
	f.cache.SetModel(&marketcache.Model{Name: "none"})
	if r := f.get("/health"); r.status != 503 || r.tree["status"] != "degraded" || r.tree["ready"] != false {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := f.get("/readyz"); r.status != 503 || r.errorCode() != "not_ready" || !strings.HasPrefix(r.detail(), "not ready: degraded; live prices of ") {
		t.Errorf("%d %s", r.status, r.body)
	}
	f3 := newFixture(t, func(c *Config) { c.Cache = marketcache.New(marketcache.Limits{Assets: 1}) })
	if r := f3.get("/health"); r.status != 503 || r.tree["status"] != "starting" {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := f3.get("/readyz"); r.status != 503 || r.errorCode() != "starting" || !strings.HasPrefix(r.detail(), "not ready: starting; ") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := f3.get("/livez"); r.status != 200 || string(r.body) != "ok" {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestAssetsModelInfoMetrics(t *testing.T) {
	f := newFixture(t, nil)
	f.warm()
	f.post(trade("BTC"))
	r := f.get("/v1/assets")
	list, _ := r.tree["assets"].([]any)
	if r.status != 200 || len(list) != 4 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	first := list[0].(map[string]any)
	if first["name"] != "BTC" || first["mark_price"] != 67123.5 || first["max_leverage"] != 40.0 || first["funding_rate"] != 0.0000125 {
		t.Errorf("%v", first)
	}
	r = f.get("/v1/model-info")
	for _, key := range []string{"engine_version", "calibration_name", "calibration_hash", "weights", "bands", "scenarios", "flags", "constants"} {
		if r.tree[key] == nil {
			t.Errorf("no %s", key)
		}
	}
	if bands := fmt.Sprint(r.tree["bands"]); bands != "[map[recommendation:proceed score_up_to:40] map[recommendation:proceed_with_caution score_up_to:70] map[recommendation:abort score_up_to:100]]" {
		t.Error(bands)
	}
	r = f.get("/metrics")
	for _, line := range []string{
		`ballast_http_requests_total{endpoint="validate",status="200"} 1`, `ballast_http_request_duration_seconds_count{endpoint="validate"} 1`,
		`ballast_http_request_duration_seconds_bucket{endpoint="validate",le="+Inf"} 1`,
		"ballast_ready 1", "ballast_requests_in_flight 0", `ballast_errors_total{code="overloaded"} 0`, "process_resident_memory_bytes",
	} {
		if !strings.Contains(string(r.body), line) {
			t.Errorf("metrics without %s", line)
		}
	}
	if strings.Contains(string(r.body), f.key) {
		t.Error("the metrics hold the key")
	}
}

func TestTraceparent(t *testing.T) {
	f := newFixture(t, nil)
	f.warm()
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, row := range []struct{ sent, echoed string }{
		{good, good}, {"", ""}, {"00-", ""}, {good + "-x", ""}, {strings.ToUpper(good), ""}, {strings.Replace(good, "4b", "4h", 1), ""}, {strings.Replace(good, "00-", "ff-", 1), ""},
		{strings.Replace(good, "-", "0", 1), ""}, {strings.Repeat("h", len(good)), ""},
	} {
		for _, name := range []string{"traceparent", "Traceparent"} {
			if r := f.post(trade("BTC"), name+": "+row.sent); r.status != 200 || r.header.Get("Traceparent") != row.echoed {
				t.Errorf("%q: %d, echoed %q", row.sent, r.status, r.header.Get("Traceparent"))
			}
		}
	}
	f.setLoad(nil) // a nil loader panics
	f.cache.StoreAccount(&marketcache.Account{Wallet: walletOf(wallet), Received: marketcache.Now().Add(-time.Hour)})
	if r := f.post(trade("BTC"), "traceparent: "+good); r.status != 500 || r.header.Get("Traceparent") != good {
		t.Errorf("%d %v", r.status, r.header)
	}
	if logs := f.logs.String(); strings.Count(logs, `"traceparent":"`+good+`"`) != 2 { // the panic, and the request
		t.Errorf("not in the log: %s", logs)
	}
}

// A request line may contain a complete URL, as sent to a proxy.
func TestAbsoluteURI(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.NoConsole = true })
	f.warm()
	for _, host := range []string{"http://example.org", "HTTPS://example.org:8080", "http://[::1]:8080"} {
		if r := f.raw(f.request("POST", host+"/v1/validate?explain=true", trade("BTC"))); r.status != 200 || r.tree["explanation"] == nil {
			t.Errorf("%s: %d %s", host, r.status, r.body)
		}
		if r := f.get(host + "/health"); r.status != 200 {
			t.Errorf("%s: %d", host, r.status)
		}
		for _, none := range []string{"", "/", "?a=/livez", "/v1/nothing"} {
			if r := f.get(host + none); r.status != 404 {
				t.Errorf("%s%s: %d", host, none, r.status)
			}
		}
	}
	if r := f.raw(f.request("POST", "http://x/v1/validate/batch", batchOf(btcLong)+strings.Repeat(" ", 100<<10))); r.status != 200 {
		t.Errorf("a batch larger than a validation may be: %d %s", r.status, r.body)
	}
}
