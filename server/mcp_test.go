package server

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ballast/marketcache"
	"ballast/server/admission"
)

// message returns a JSON-RPC request.
func message(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func toolCall(name, arguments string) string {
	return message("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
}

func (f *fixture) mcp(body string, headers ...string) *reply {
	f.t.Helper()
	return f.raw(f.request("POST", "/mcp", body, headers...))
}

// toolResult is the result of tools/call.
type toolResult struct {
	IsError    bool
	Content    []struct{ Text string }
	Structured map[string]any `json:"structuredContent"`
}

// tool calls a tool and checks that its text is not longer than documented.
func (f *fixture) tool(name, arguments string) toolResult {
	f.t.Helper()
	r := f.mcp(toolCall(name, arguments))
	var message struct{ Result toolResult }
	if err := json.Unmarshal(r.body, &message); err != nil || r.status != 200 || len(message.Result.Content) != 1 {
		f.t.Fatalf("%s %s: %d %s", name, arguments, r.status, r.body)
	}
	if n := utf8.RuneCountInString(message.Result.Content[0].Text); n > 1200 || n == 0 {
		f.t.Errorf("%s %s: a text of %d characters", name, arguments, n)
	}
	return message.Result
}

// mcpAnswers makes POST /mcp return every kind of answer.
func (f *fixture) mcpAnswers() {
	f.mcp(message("ping", `{}`))
	f.mcp(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	f.mcp(message("resources/read", `{"uri":"ballast://model/nothing"}`))
	f.mcp(`[]`)
	f.mcp(message("ping", `{}`), "Origin: https://evil.example")
	f.mcp(message("ping", `{}`), "Authorization: Bearer x") // the second Authorization header
	const version = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	f.mcp(message("nothing", version), "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: nothing")
	f.mcp(message("ping", `{}`), "Mcp-Protocol-Version: 2026-07-28")
	f.mcp(message("nothing", `{}`))
}

const sizeBTC = `{"asset":"BTC","action":"long","wallet":"` + wallet + `","target":{"max_score":40},"curve":false}`

// A tool returns the answer of its route.
func TestMCPToolsAskTheirRoutes(t *testing.T) {
	f := warmFixture(t, nil)
	f.tellAll()
	for _, row := range []struct{ tool, arguments, route, body string }{
		{"validate_trade", trade("BTC"), "/v1/validate?view=compact", trade("BTC")},
		{"validate_trade", strings.Replace(trade("BTC"), "{", `{"detail":"full",`, 1), "/v1/validate", trade("BTC")},
		{"validate_plan", batchOf(btcLong, btcLong), "/v1/validate/batch?view=compact", batchOf(btcLong, btcLong)},
		{"size_trade", sizeBTC, "/v1/size?view=compact", sizeBTC},
		{"check_wallet", `{"wallet":"` + wallet + `"}`, "/v1/monitor/" + wallet + "?view=compact", ""},
		{"get_market", `{"asset":"BTC"}`, "/v1/market/BTC", ""},
	} {
		got := f.tool(row.tool, row.arguments)
		method := "GET"
		if row.body != "" {
			method = "POST"
		}
		want := f.raw(f.request(method, row.route, row.body)).tree
		if got.IsError || len(want) == 0 {
			t.Errorf("%s: %v", row.tool, got.Content)
		}
		for name := range want {
			if _, has := got.Structured[name]; !has {
				t.Errorf("%s: no %s", row.tool, name)
			}
		}
		if meta, has := got.Structured["meta"].(map[string]any); has &&
			!strings.HasPrefix(meta["request_id"].(string), "req_") {
			t.Errorf("%s: %v", row.tool, meta)
		}
	}
	if flag := f.tool("explain_flag", `{"flag":"high_var"}`); flag.Structured["severity"] != "warning" {
		t.Errorf("explain_flag: %v", flag.Structured)
	}
	if list := f.tool("list_markets", `{"search":"b","limit":1}`); len(list.Structured["assets"].([]any)) != 1 ||
		list.Structured["venue"] != "simulated" {
		t.Errorf("list_markets: %v", list.Structured)
	}
}

// An error of a route becomes an error of the tool with the same hints, and has the id of the
// message.
func TestMCPErrorsAreMendable(t *testing.T) {
	f := warmFixture(t, nil)
	for _, row := range mendable {
		if row.call != single || !json.Valid([]byte(row.body)) {
			continue
		}
		got := f.tool("validate_trade", row.body)
		var want map[string]any
		ofTool := strings.NewReplacer("GET /v1/assets", "tool list_markets",
			`"monte_carlo"]`, `"monte_carlo","detail"]`)
		if err := json.Unmarshal([]byte(ofTool.Replace(row.want)), &want); err != nil {
			t.Fatal(err)
		}
		for name, value := range want {
			have, err := json.Marshal(got.Structured[name])
			if err != nil {
				t.Fatal(err)
			}
			if wanted, _ := json.Marshal(value); string(have) != string(wanted) {
				t.Errorf("%s: %s is %s, want %s", row.name, name, have, wanted)
			}
			if !strings.Contains(got.Content[0].Text, "field: "+want["field"].(string)) {
				t.Errorf("%s: the text does not name the field: %s", row.name, got.Content[0].Text)
			}
		}
		if !got.IsError || got.Structured["error"] != f.post(row.body).errorCode() ||
			got.Structured["request_id"] == nil {
			t.Errorf("%s: %+v", row.name, got)
		}
	}
}

// Each message counts as one request of the key, whatever it contains, also in a batch.
func TestMCPKeepsLimits(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.RateLimit = 3 })
	call := toolCall("validate_trade", trade("BTC"))
	r := f.mcp("[" + call + "," + call + "]")
	r.ok().holds("RateLimit-Remaining", "1")
	if strings.Contains(string(r.body), "isError") {
		t.Errorf("two messages of three: %s", r.body)
	}
	r = f.mcp("[" + call + "," + call + "," + message("ping", `{}`) + "]")
	var answers []struct {
		Result toolResult
		Error  struct{ Data map[string]any }
	}
	if err := json.Unmarshal(r.body, &answers); err != nil || r.status != 200 || len(answers) != 3 ||
		r.header.Get("Retry-After") != "" {
		t.Fatalf("three more: %d %v %s", r.status, r.header, r.body)
	}
	for i, failure := range []map[string]any{answers[0].Result.Structured, answers[1].Result.Structured,
		answers[2].Error.Data} {
		if wait, _ := failure["retry_after_s"].(float64); i == 0 && failure["error"] != nil ||
			i > 0 && (failure["error"] != "rate_limited" || wait < 1 || wait > 60) {
			t.Errorf("%d: %v", i, failure)
		}
	}
	if got := f.tool("validate_trade", trade("BTC")); !got.IsError || got.Structured["error"] != "rate_limited" ||
		!strings.Contains(got.Content[0].Text, "\nretry after, s: ") {
		t.Errorf("%+v", got)
	}
	r = f.mcp(message("tools/list", `{}`))
	r.want(429, "", `,"retry_after_s":`)
	f.mcp(`{"jsonrpc":"2.0","method":"notifications/initialized"}`).want(429, "")
	f.raw(strings.Replace(f.request("POST", "/mcp", message("ping", `{}`)), f.key, "nope", 1)).want(401, "")
}

// The transport is to the letter: other methods are refused, and pages of origins that may not call.
func TestMCPTransport(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.CORSOrigin = "https://console.example" })
	for _, method := range []string{"GET", "DELETE"} {
		f.raw(f.request(method, "/mcp", "")).want(405, "method_not_allowed").holds("Allow", "POST")
	}
	for origin, status := range map[string]int{"https://console.example": 200, "http://test": 200, "null": 403,
		"https://evil.example": 403} {
		f.mcp(message("ping", `{}`), "Origin: "+origin).want(status, "")
	}
	r := f.raw("OPTIONS /mcp HTTP/1.1\r\nHost: x\r\nOrigin: https://console.example\r\n\r\n")
	allowed := r.header.Get("Access-Control-Allow-Headers")
	for _, name := range []string{"Authorization", "Content-Type", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name",
		"Mcp-Session-Id", "Last-Event-ID", "Tracestate", "Baggage"} {
		if !strings.Contains(allowed+",", name+",") {
			t.Errorf("a page may not send %s: %s", name, allowed)
		}
	}
}

// No message stops the service or blocks a connection for long.
func TestMCPSurvives(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.RequestTimeout = 300 * time.Millisecond })
	for _, row := range []struct {
		name, body string
		status     int
	}{
		{"too large", strings.Repeat(" ", maxBody+1), 413},
		{"many at once", "[" + strings.Repeat(message("ping", `{}`)+",", 200) + message("ping", `{}`) + "]", 200},
	} {
		f.mcp(row.body).want(row.status, "")
	}
	f.setLoad(nil) // a nil loader panics
	if got := f.tool("validate_trade", trade("BTC")); got.Structured["error"] != "internal" {
		t.Errorf("a panic: %+v", got)
	}
	hang := make(chan struct{})
	f.setLoad(func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		<-hang // ignores its context
		return testAccount(walletOf(wallet)), nil
	})
	if got := f.tool("validate_trade", trade("BTC")); got.Structured["error"] != "deadline_exceeded" {
		t.Errorf("a loader that hangs: %+v", got)
	}
	close(hang)
	f.warm()
	if got := f.tool("validate_trade", trade("BTC")); got.IsError {
		t.Errorf("afterwards: %+v", got)
	}
	leave := f.occupy(admission.Plain, f.s.cfg.MaxInFlight)
	defer leave()
	if got := f.tool("validate_trade", trade("BTC")); got.Structured["error"] != "overloaded" ||
		got.Structured["retry_after_s"] != 1.0 {
		t.Errorf("overloaded: %+v", got)
	}
	f.mcp(message("ping", `{}`)).want(503, "")
}
