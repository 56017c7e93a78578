package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

func TestRouting(t *testing.T) {
	f := newFixture(t, nil)
	for _, path := range []string{
		"/v1/validate/", "/v1//validate", "//v1/validate", "/V1/validate", "/v1/Validate", "/v1/../health",
		"/v1/./validate", "/%68ealth", "/health%00",
		"/v1/validate%2e", "/%2e/health", "/health/", "/healthz", "/v1", "/v1/batch", "/v1/validate/batch/",
		"/v1/monitor", "/v1/alerts", "*", "/health;a", "/metrics/",
	} {
		f.get(path).want(404, "not_found")
	}
	for _, row := range []struct{ method, path, allow string }{
		{"GET", "/v1/validate", "POST"}, {"PUT", "/v1/validate", "POST"}, {"HEAD", "/v1/validate", "POST"},
		{"OPTIONS", "/v1/validate", "POST"}, {"POST", "/health", "GET, HEAD"}, {"DELETE", "/v1/assets", "GET, HEAD"},
		{"POST", "/v1/model-info", "GET, HEAD"},
		{"post", "/v1/validate", "POST"},
	} {
		f.raw(row.method+" "+row.path+" HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").want(405, "").
			holds("Allow", row.allow)
	}
	for _, path := range []string{"/health", "/livez", "/readyz", "/health?x=y"} {
		f.raw("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").ok()
		f.raw("HEAD " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").ok()
	}
	if r := f.get("/nope/\"<b>\x7f"); r.status == 200 || strings.Contains(string(r.body), "\x7f") {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestAuthorization(t *testing.T) {
	f := warmFixture(t, nil)
	const mend = `,"field":"Authorization","suggestion":"Authorization: Bearer blst_..., a key that ` +
		"`ballast keys issue`" + ` printed"}`
	const missing = `{"error":"missing or invalid Authorization header","detail":"a key is needed, in one header ` +
		`Authorization: Bearer blst_..."` + mend
	const invalid = `{"error":"invalid API key","detail":"this service has not issued the key in the header ` +
		`Authorization, or has revoked it"` + mend
	for _, row := range []struct {
		header string // "": no header
		body   string // "": accepted
	}{
		{"", missing}, {"Bearer", missing}, {"Bearer ", missing}, {"Basic abc", missing}, {f.key, missing},
		{"Bearer\t" + f.key, missing}, {"Bearer a b", missing},
		{"Bearer " + f.key + " x", missing}, {"Bearer \xff\xfe", missing}, {"Token " + f.key, missing},
		{"Bearer" + f.key, missing}, {"Bearer:" + f.key, missing},
		{"Bearer nope", invalid}, {"Bearer " + f.key[:44], invalid}, {"Bearer " + f.key + "x", invalid},
		{"Bearer " + strings.ToLower(f.key), invalid},
		{"Bearer blst_" + strings.Repeat("0", 40), invalid}, {"Bearer " + strings.Repeat("k", 6000), invalid},
		{"Bearer " + f.key + "," + f.key, invalid},
		{"Bearer " + f.key, ""}, {"bearer " + f.key, ""}, {"BEARER    " + f.key, ""}, {"  Bearer " + f.key + "  ", ""},
		{"Bearer " + f.key + "\t", ""},
	} {
		text := "POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
			strconv.Itoa(len(trade("BTC"))) + "\r\n"
		if row.header != "" {
			text += "Authorization: " + row.header + "\r\n"
		}
		r := f.raw(text + "\r\n" + trade("BTC"))
		switch {
		case row.body == "" && r.status != 200:
			t.Errorf("%.60q: %d %s", row.header, r.status, r.body)
		case row.body != "" && (r.status != 401 || string(r.body) != row.body ||
			r.header.Get("WWW-Authenticate") != map[string]string{missing: "Bearer",
				invalid: `Bearer error="invalid_token"`}[row.body]):
			t.Errorf("%.60q: %d %v %s", row.header, r.status, r.header, r.body)
		}
	}
	for _, path := range []string{"/v1/assets", "/v1/model-info", "/metrics"} {
		f.raw("GET "+path+" HTTP/1.1\r\nHost: x\r\n\r\n").want(401, "", missing)
	}
	// The key is checked before the content type and the body.
	f.raw("POST /v1/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc").want(401, "")
	f.revoke(f.keyID)
	f.post(trade("BTC")).want(401, "", invalid)
}

func TestContentType(t *testing.T) {
	f := warmFixture(t, nil)
	for header, status := range map[string]int{
		"Content-Type: application/json": 200, "content-type: APPLICATION/JSON;charset=utf-8": 200,
		"Content-Type: application/json ; x=\"y\"": 200,
		"X-A: b": 415, "Content-Type:": 415, "Content-Type: text/plain": 415, "Content-Type: application/jsonp": 415,
		"Content-Type: application/json-patch+json":       415,
		"Content-Type: application/x-www-form-urlencoded": 415, "Content-Type: multipart/form-data; boundary=x": 415,
		"Content-Type: application/json\r\nContent-Encoding: gzip":     415,
		"Content-Type: application/json\r\nContent-Encoding: identity": 200,
	} {
		body := trade("BTC")
		r := f.raw("POST /v1/validate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + f.key + "\r\nContent-Length: " +
			strconv.Itoa(len(body)) + "\r\n" + header + "\r\n\r\n" + body)
		if r.status != status || (status == 415 && r.errorCode() != "unsupported_media_type") {
			t.Errorf("%q: %d %s", header, r.status, r.body)
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
		"a": true, strings.Repeat("x", 64): true, `we"ird\{}`: true, strings.Repeat("x", 65): false, "a b": false,
		"caf\xc3\xa9": false, "": false, "a\tb": false,
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
	simulated := withSimulation(trade("BTC"))
	for i := range 20 { // more than there are slots; half of them may wait for a simulation
		r := f.rawThenClosed(f.request("POST", "/v1/validate", []string{trade("BTC"), simulated}[i%2],
			"X-Request-Id: canary"))
		r.want(500, "internal").holds("X-Request-Id", "canary")
		if !r.closed || strings.Contains(r.detail(), "injected") {
			t.Fatalf("%s closed %v", r.body, r.closed)
		}
	}
	f.warm()
	f.post(trade("BTC")).ok()
	f.calm()
	logs := f.logs.String()
	if !strings.Contains(logs, "injected") || !strings.Contains(logs, "canary") ||
		!strings.Contains(logs, "account.go") {
		t.Error("the panic is not in the log with its stack and id")
	}
	f.get("/metrics").ok("ballast_http_panics_total 20\n")
	// The same for a read in the background.
	f.aged(1500 * time.Millisecond)
	f.post(trade("BTC")).ok()
	until(t, "a panic in the background", func() bool { return f.s.supervisor.Panics() == 21 })
}

// A result that is not finite gives an internal error and is never sent.
func TestNotFiniteIsRefused(t *testing.T) {
	f := warmFixture(t, nil)
	model := *f.cache.Model()
	bad := *model.Assets[btc]
	bad.LongRunSigma = math.NaN()
	model.Assets = append([]*marketcache.AssetModel(nil), model.Assets...)
	model.Assets[btc] = &bad
	f.cache.SetModel(&model)
	f.post(trade("BTC")).want(500, "internal").holds("risk_score", nil)
	if f.s.metrics.notFinite.Load() != 1 {
		t.Error("not counted")
	}
	f.post(trade("ETH")).ok()
}

func TestGzipAndCORS(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.CORSOrigin = "https://console.example" })
	plain := f.get("/v1/model-info")
	packed := f.get("/v1/model-info", "Accept-Encoding: br, gzip;q=0.8")
	packed.holds("Content-Encoding", "gzip", "Vary", "Accept-Encoding")
	if len(packed.body) >= len(plain.body)/2 {
		t.Errorf("%d of %d bytes", len(packed.body), len(plain.body))
	}
	z, err := gzip.NewReader(bytes.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, plain.body) {
		t.Errorf("unpacks to something else: %v", err)
	}
	for _, accept := range []string{"gzip;q=0", "identity", "", "br", "gzip; q=0.000"} {
		f.get("/v1/model-info", "Accept-Encoding: "+accept).holds("Content-Encoding", "")
	}
	f.get("/livez", "Accept-Encoding: gzip").holds("Content-Encoding", "") // two bytes
	f.post(trade("BTC"), "Accept-Encoding: gzip").ok().holds("Content-Encoding", "")
	f.raw("OPTIONS /v1/validate HTTP/1.1\r\nHost: x\r\nOrigin: https://console.example\r\n\r\n").want(204, "").
		holds("Access-Control-Allow-Origin", "https://console.example", "Access-Control-Allow-Methods", "POST")
	for path, methods := range map[string]string{"/health": "GET, HEAD", "/v1/kill-switch": "GET, HEAD, PUT",
		"/v1/watch/" + wallet: "GET, HEAD, PUT, DELETE",
		"/v1/nope":            "GET, HEAD, POST, PUT, DELETE"} { // or the page does not hear that there is none
		f.raw("OPTIONS "+path+" HTTP/1.1\r\nHost: x\r\nOrigin: https://console.example\r\n\r\n").want(204, "").
			holds("Access-Control-Allow-Methods", methods)
	}
	newFixture(t, nil).raw("OPTIONS /v1/nope HTTP/1.1\r\nHost: x\r\n\r\n").want(404, "not_found", "/v1/nope")
	newFixture(t, nil).get("/health").holds("Access-Control-Allow-Origin", "")
}

func TestAssetsAndMetrics(t *testing.T) {
	f := warmFixture(t, nil)
	f.post(trade("BTC"))
	r := f.get("/v1/assets")
	r.ok(`"name":"BTC","number":0,"mark_price":67123.5,"max_leverage":40,`)
	if list, _ := r.tree["assets"].([]any); len(list) != 4 {
		t.Errorf("%s", r.body)
	}
	r = f.get("/metrics").ok(`ballast_http_requests_total{endpoint="validate",status="200"} 1`,
		`ballast_http_request_duration_seconds_count{endpoint="validate"} 1`,
		`ballast_http_request_duration_seconds_bucket{endpoint="validate",le="+Inf"} 1`,
		"ballast_ready 1", "ballast_requests_in_flight 0", `ballast_errors_total{code="overloaded"} 0`,
		"process_resident_memory_bytes")
	if strings.Contains(string(r.body), f.key) {
		t.Error("the metrics hold the key")
	}
}

func TestTraceparent(t *testing.T) {
	f := warmFixture(t, nil)
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, row := range []struct{ sent, echoed string }{
		{good, good}, {"", ""}, {"00-", ""}, {good + "-x", ""}, {strings.ToUpper(good), ""},
		{strings.Replace(good, "4b", "4h", 1), ""}, {strings.Replace(good, "00-", "ff-", 1), ""},
		{strings.Replace(good, "-", "0", 1), ""}, {strings.Repeat("h", len(good)), ""},
	} {
		for _, name := range []string{"traceparent", "Traceparent"} {
			f.post(trade("BTC"), name+": "+row.sent).ok().holds("Traceparent", row.echoed)
		}
	}
	f.setLoad(nil) // a nil loader panics
	f.cache.StoreAccount(&marketcache.Account{Wallet: walletOf(wallet), Received: marketcache.Now().Add(-time.Hour)})
	f.post(trade("BTC"), "traceparent: "+good).want(500, "").holds("Traceparent", good)
	if logs := f.logs.String(); strings.Count(logs, `"traceparent":"`+good+`"`) != 2 { // the panic, and the request
		t.Errorf("not in the log: %s", logs)
	}
}

// A request line may contain a complete URL, as sent to a proxy.
func TestAbsoluteURI(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.NoConsole = true })
	for _, host := range []string{"http://example.org", "HTTPS://example.org:8080", "http://[::1]:8080"} {
		f.raw(f.request("POST", host+"/v1/validate?explain=true", trade("BTC"))).ok(`"explanation":{`)
		f.get(host + "/health").ok()
		for _, none := range []string{"", "/", "?a=/livez", "/v1/nothing"} {
			f.get(host+none).want(404, "")
		}
	}
	f.raw(f.request("POST", "http://x/v1/validate/batch", batchOf(btcLong)+strings.Repeat(" ", 100<<10))).ok()
}
