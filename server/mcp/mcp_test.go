package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// asked is a request that a tool sent to a route.
type asked struct{ target, body string }

// callTool calls a tool whose routes all answer with answer. It returns the tool's result, the
// requests sent to routes, and the number of panics.
func callTool(t *testing.T, name, arguments string, answer func() (Answer, error)) (structured map[string]any,
	text string, questions []asked, panics int) {
	t.Helper()
	s := New(Config{
		Ask: func(_ context.Context, header http.Header, target string, body []byte) (Answer, error) {
			if header.Get("Authorization") != "Bearer k" {
				t.Errorf("the route was called without the key of the message: %v", header)
			}
			questions = append(questions, asked{target, string(body)})
			return answer()
		},
		Panicked: func(any) { panics++ },
	})
	r := post(t.Context(), s, http.Header{"Authorization": {"Bearer k"}},
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}`)
	var message struct {
		Result struct {
			Content    []struct{ Text string }
			Structured map[string]any `json:"structuredContent"`
		}
		Error struct{ Message string }
	}
	if err := json.Unmarshal(r.Body, &message); err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	if len(message.Result.Content) == 0 {
		return nil, message.Error.Message, questions, panics
	}
	text = message.Result.Content[0].Text
	if n := utf8.RuneCountInString(text); n > maxText || n == 0 {
		t.Errorf("%s: a text of %d characters", name, n)
	}
	return message.Result.Structured, text, questions, panics
}

// post answers a body as the service does over HTTP.
func post(ctx context.Context, s *Server, header http.Header, body string) Reply {
	messages, batch := Read([]byte(body), header.Get("Mcp-Protocol-Version"))
	var replies []Reply
	for _, m := range messages {
		r, _ := s.Answer(ctx, header, m)
		replies = append(replies, r)
	}
	if batch {
		return Join(replies)
	}
	return replies[0]
}

func ok(body string) func() (Answer, error) {
	return func() (Answer, error) { return Answer{Status: 200, Body: []byte(body)}, nil }
}

// Arguments are passed to the route unchanged, except for detail. A name that occurs twice is
// passed twice, so that the route rejects it.
func TestArgumentsArePassedOn(t *testing.T) {
	for _, row := range []struct{ tool, arguments, target, body string }{
		{"validate_trade", `{"size":1.50,"detail":"compact","size":2,"levrage":{"a":[1]}}`, "/v1/validate?view=compact",
			`{"size":1.50,"size":2,"levrage":{"a":[1]}}`},
		{"validate_trade", `{"detail":"full"}`, "/v1/validate", `{}`},
		{"validate_trade", `{"detail":null,"asset":"\u00e9<"}`, "/v1/validate?view=compact", `{"asset":"\u00e9<"}`},
		{"validate_plan", `{"trades":[]}`, "/v1/validate/batch?view=compact", `{"trades":[]}`},
		{"size_trade", `{"target":{}}`, "/v1/size?view=compact", `{"target":{},"curve":false}`},
		{"size_trade", `{"curve":true,"detail":"full"}`, "/v1/size", `{"curve":true}`},
		{"check_wallet", `{"wallet":"a/b?c"}`, "/v1/monitor/a%2Fb%3Fc?view=compact", ""},
		{"check_wallet", `{"survive":false,"wallet":"a","max_probability_24h":5e-2}`,
			"/v1/monitor/a?view=compact&survive=false&max_probability_24h=0.05", ""},
		{"check_wallet", `{"wallet":"a","survive":null,"max_probability_24h":1,"detail":"full"}`,
			"/v1/monitor/a?&max_probability_24h=1", ""},
		{"get_market", `{"asset":"../health"}`, "/v1/market/..%2Fhealth", ""},
		{"get_decision", `{"request_id":"a/b"}`, "/v1/decisions/a%2Fb", ""},
	} {
		if _, _, questions, _ := callTool(t, row.tool, row.arguments, ok(`{}`)); len(questions) == 0 ||
			questions[0] != (asked{row.target, row.body}) {
			t.Errorf("%s %s: asked %v", row.tool, row.arguments, questions)
		} else if extra := questions[1:]; len(extra) > 1 || len(extra) == 1 && (extra[0] != asked{"/health", ""} ||
			row.tool != "get_market") {
			t.Errorf("%s: asked %v besides", row.tool, extra)
		}
	}
}

// Arguments that are not passed to a route are checked here, with errors that say how to fix them.
func TestArgumentsAreRefused(t *testing.T) {
	for _, row := range []struct{ tool, arguments, want string }{
		{"validate_trade", `[]`, `invalid_json: the arguments must be one JSON object`},
		{"validate_trade", `{"detail":"all"}`,
			"validation_error: detail must be compact or full, got \"all\"\nfield: detail\ngot: all\nsuggestion: " +
				"compact\nallowed: {\"values\":[\"compact\",\"full\"]}"},
		{"check_wallet", `{}`,
			"validation_error: missing field: wallet\nfield: wallet\nsuggestion: the address of the account: 0x and " +
				"40 hexadecimal digits\nallowed: {\"type\":\"string\"}"},
		{"check_wallet", `{"leverage":5}`,
			"validation_error: unknown field: leverage\nfield: leverage\nsuggestion: leave it out\n"},
		{"check_wallet", `{"wallet":"x","safe":true}`,
			"validation_error: unknown field: safe\nfield: safe\nsuggestion: leave it out\n"},
		{"get_market", `{}`, "validation_error: missing field: asset\nfield: asset\n" +
			"suggestion: a ticker, as tool list_markets lists\n"},
		{"check_wallet", `{"walet":"x"}`,
			"validation_error: unknown field: walet\nfield: walet\nsuggestion: wallet\nallowed: " +
				"{\"values\":[\"wallet\",\"max_probability_24h\",\"survive\",\"detail\"]}"},
		{"get_market", `{"asset":1}`,
			"validation_error: field asset must be a string\nfield: asset\ngot: 1\nsuggestion: 1\n" +
				"allowed: {\"type\":\"string\"}"},
		{"list_markets", `{"limit":0}`,
			"validation_error: limit must be from 1 to 500, got 0\nfield: limit\ngot: 0\nsuggestion: 1\nallowed: " +
				"{\"min\":1,\"max\":500}"},
		{"list_markets", `{"limit":1.5}`,
			"validation_error: field limit must be an integer\nfield: limit\ngot: 1.5\nsuggestion: 2\nallowed: " +
				"{\"type\":\"integer\",\"min\":1,\"max\":500}"},
		{"list_markets", `{"search":1}`,
			"validation_error: field search must be a string\nfield: search\ngot: 1\nsuggestion: 1\n" +
				"allowed: {\"type\":\"string\"}"},
		{"list_markets", `{"count":7}`, "validation_error: unknown field: count\nfield: count\nsuggestion: limit\n" +
			"allowed: {\"values\":[\"search\",\"limit\"]}"},
		{"list_markets", `{"search":"B","query":"B"}`, "validation_error: unknown field: query\nfield: query\n" +
			"suggestion: leave it out\nallowed: {\"values\":[\"search\",\"limit\"]}"},
		{"check_wallet", `{"wallet":"x","detail":"FULL"}`, "validation_error: detail must be compact or full, got " +
			"\"FULL\"\nfield: detail\ngot: FULL\nsuggestion: full\nallowed: {\"values\":[\"compact\",\"full\"]}"},
		{"check_wallet", `{"wallet":"x","survive":"no"}`, "validation_error: field survive must be a boolean\n" +
			"field: survive\ngot: no\nsuggestion: false\nallowed: {\"type\":\"boolean\"}"},
		{"check_wallet", `{"wallet":"x","max_probability_24h":"0.1"}`, "validation_error: field max_probability_24h " +
			"must be a number\nfield: max_probability_24h\ngot: 0.1\nsuggestion: 0.1\nallowed: {\"type\":\"number\"}"},
		{"check_wallet", `{"":"x"}`,
			"validation_error: unknown field: \"\"\nfield: \"\"\nsuggestion: wallet\nallowed: " +
				"{\"values\":[\"wallet\",\"max_probability_24h\",\"survive\",\"detail\"]}"},
		{"list_markets", `{"params":{"search":"B"}}`, "validation_error: unknown field: params\nfield: params\n" +
			"suggestion: leave it out and send its members themselves: they are the arguments\nallowed: " +
			"{\"values\":[\"limit\",\"search\"]}"},
		{"validate_trade", `{"wallet":"x","trade":{"asset":"BTC","leverage":3}}`, "validation_error: unknown field: " +
			"trade\nfield: trade\nsuggestion: leave it out and send its members themselves: they are the arguments\n"},
		{"list_markets", `{"find":"x"}`,
			"validation_error: unknown field: find\nfield: find\nsuggestion: search\nallowed: " +
				"{\"values\":[\"search\",\"limit\"]}"},
	} {
		structured, text, questions, _ := callTool(t, row.tool, row.arguments, ok(`{}`))
		want := strings.TrimSuffix(row.want, "\n") + "\n"
		if !strings.HasPrefix(text, want) || structured["error"] == nil || len(questions) > 0 {
			t.Errorf("%s %s: %q, asked %v", row.tool, row.arguments, text, questions)
		}
	}
}

// compact is the start of a compact assessment, and inCompact what a text says of its figures.
const (
	compact = `{"risk_score":7,"recommendation":"proceed","summary":"Proceed.","probability_24h":0.00004,` +
		`"liquidation_price":19549.1,"liquidation_distance_pct":64.67,"var_99_24h_usd":26462.8,` +
		`"suggested_size_usd":117000,"max_safe_size_usd":195920,"admissibility":{"verdict":"ok"}`
	inCompact = "chance of liquidation within 24 h 4e-05 (fraction), price 19549.1 USD, 64.67 % away\n" +
		"VaR 99 % over 24 h 26462.8 USD\nsuggested size 117000 USD: send this one; up to 195920 USD is within the " +
		"limits of size, but may be abort\nadmissibility ok"
)

// Whatever a route answers, the tool call ends and its text is at most maxText characters long.
func TestAnswersOfAnyKind(t *testing.T) {
	long := strings.Repeat("é", 3000)
	var results []string
	for range 50 {
		results = append(results, `{"risk_score":50.5,"recommendation":"proceed_with_caution","summary":"`+long[:300]+
			`","flags":[],"meta":{"venue":"simulated"}}`)
	}
	for _, row := range []struct {
		tool, arguments, want string
		answer                func() (Answer, error)
	}{
		{"validate_plan", `{}`, "50 trades: 0 proceed, 50 proceed_with_caution, 0 abort",
			ok(`{"results":[` + strings.Join(results, ",") + `]}`)},
		{"validate_plan", `{}`, moreLines, ok(`{"results":[` + strings.Join(results, ",") + `]}`)},
		{"validate_trade", `{}`, "flags a, b", ok(`{"risk_score":1,"flags":["a",{"name":"b"}],"x":"` + long + `"}`)},
		{"validate_trade", `{"detail":"full"}`,
			"suggested size 500 USD: send this one; up to 900 USD is within the limits of size, but may be abort\n",
			ok(`{"sizing":{"suggested_size_usd":500,"max_safe_size_usd":900},"x":"` + long + `"}`)},
		{"validate_trade", `{"detail":"full"}`, "no size can be suggested\n",
			ok(`{"sizing":{"suggested_size_usd":0,"max_safe_size_usd":900},"x":"` + long + `"}`)},
		{"validate_trade", `{"detail":"full"}`, "no size can be suggested; the operator's halt allows no more\n",
			ok(`{"sizing":{"suggested_size_usd":0,"max_safe_size_usd":0,"policy_rule":"halt"},"x":"` + long + `"}`)},
		{"size_trade", `{}`, "largest size 500 USD (0.01 coins) at 6x; one lot more is stopped by max_score\nproceed, ",
			ok(`{"size_usd":500,"size_coin":0.01,"leverage":6,"binding":"max_score","assessment":{"recommendation":` +
				`"proceed"},"x":"` + long + `"}`)},
		{"validate_trade", `{}`, inCompact, ok(compact + `,"x":"` + long + `"}`)},
		{"validate_trade", `{}`, compact + "}", ok(compact + `,"receipt":{"signature":"` + long + `"}}`)},
		{"size_trade", `{}`, "VaR 99 % over 24 h 26462.8 USD\nadmissibility ok",
			ok(`{"size_usd":800,"size_coin":0.01,"leverage":6,"binding":"max_score","assessment":` + compact +
				`},"x":"` + long + `"}`)},
		{"size_trade", `{}`, "target; bound by max_score; the smallest order, 10 USD, has risk score 90",
			ok(`{"size_usd":0,"binding":"max_score","nearest":{"size_usd":10,"risk_score":90},"x":"` + long + `"}`)},
		{"check_wallet", `{"wallet":"x"}`, moreLines, ok(`{"summary":"` + long + `"}`)},
		{"get_market", `{"asset":"x"}`, "mark_price: 7", ok(`{"mark_price":7,"mids":"` + long + `"}`)},
		{"get_decision", `{"request_id":"x"}`, "gate: {\"did\":\"refused\"}",
			ok(`{"gate":{"did":"refused"},"request":"` + long + `"}`)},
		{"list_markets", `{}`, "internal", ok(`{"assets":1}`)},
		{"explain_flag", `{"flag":"x"}`, "no such flag: x", ok(`{"flags":[]}`)},
		{"validate_trade", `{}`, "http_502: the service answered 502 Bad Gateway\nretry after, s: 7",
			func() (Answer, error) {
				return Answer{Status: 502, RetryAfter: "7", Body: []byte(`<html>`)}, nil
			}},
		{"validate_trade", `{}`, "x: ", func() (Answer, error) {
			return Answer{Status: 400, Body: []byte(`{"error":"x","detail":"` + long[:200] + `","got":"` + long +
				`"}`)}, nil
		}},
		{"validate_trade", `{}`, "service_unreachable: nobody", func() (Answer, error) {
			return Answer{}, errors.New("nobody")
		}},
	} {
		if _, text, _, _ := callTool(t, row.tool, row.arguments, row.answer); !strings.Contains(text, row.want) {
			t.Errorf("%s: %q, want %q", row.tool, text, row.want)
		}
	}
}

// A panic in a tool becomes an error of that tool and has no other effect.
func TestPanic(t *testing.T) {
	_, text, _, panics := callTool(t, "get_market", `{"asset":"BTC"}`, func() (Answer, error) { panic("no") })
	if panics != 1 || !strings.Contains(text, "an error of this service") {
		t.Errorf("%d panics, %q", panics, text)
	}
}

// oddParams is the error for params of a method that do not fit it.
func oddParams(method string) string {
	return `{"code":-32602,"message":"params of ` + method +
		`: want an object with the members and types of the protocol"}`
}

// A message that cannot be answered gets an error of JSON-RPC with its id, in words of the protocol.
func TestErrorsOfTheProtocol(t *testing.T) {
	const version = "io.modelcontextprotocol/protocolVersion"
	noResource := `{"code":-32602,"message":"Resource not found, known: ballast://model, ballast://flags, ` +
		`ballast://model/{section} with section: ` + strings.Join(sectionNames(), ", ")
	s := New(Config{})
	for _, row := range []struct {
		version, members string
		status           int
		want             string // the beginning of the error
	}{
		{"", `"method":"no<thing","params":{}`, 200, `{"code":-32601,"message":"no such method: no<thing"}`},
		{"2025-11-25", `"method":"","params":{}`, 200, `{"code":-32601,"message":"no such method: "}`},
		{"2026-07-28", `"method":"nothing"`, 404, `{"code":-32601,"message":"no such method: nothing"}`},
		{"", `"method":"subscriptions/listen","params":{}`, 200,
			`{"code":-32601,"message":"no such method: subscriptions/listen"}`},
		{"", `"method":"notifications/initialized"`, 400,
			`{"code":-32600,"message":"invalid request: unexpected id for \"notifications/initialized\""}`},
		{"", `"method":"tools/call","params":[1]`, 200, oddParams("tools/call")},
		{"", `"method":"initialize"`, 200,
			`{"code":-32602,"message":"params of initialize: want an object with protocolVersion, a string"}`},
		{"", `"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":1}`, 200,
			oddParams("initialize")},
		{"", `"method":"resources/read","params":{"uri":1}`, 200, oddParams("resources/read")},
		{"2026-07-28", `"method":"tools/list","params":{"cursor":1,"_meta":{"` + version +
			`":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`, 400, oddParams("tools/list")},
		{"1999-01-01", `"method":"ping"`, 400,
			`{"code":-32600,"message":"Bad Request: Unsupported protocol version ` +
				`(supported versions: 2026-07-28,2025-11-25,2025-06-18,2025-03-26,2024-11-05)"}`},
		// panics
		{"", `"method":"resources/read","params":{"uri":"ballast://flags"}`, 200,
			`{"code":-32603,"message":"an error of this service in resources/read"}`},
		{"", `"method":1`, 400, `{"code":-32600,"message":"missing member: method, a string"}`},
		{"", `"x":1`, 400, `{"code":-32600,"message":"missing member: method, a string"}`},
		{"", `"method":"ping","params":1`, 400, `{"code":-32600,"message":"params: want an object"}`},
		{"", `"method":"ping","method":"ping"`, 400, `{"code":-32600,"message":"name used twice: method"}`},
		{"", `"method":"tools/call","params":{"name":"a","name":"b"}`, 400,
			`{"code":-32600,"message":"name used twice: name"}`},
		{"", `"Method":"ping"`, 400, `{"code":-32600,"message":"missing member: method`},
		// what exists is listed where a name is unknown
		{"", `"method":"tools/call","params":{"name":"send_order"}`, 200, `{"code":-32602,"message":"unknown tool ` +
			`\"send_order\", known: validate_trade validate_plan size_trade check_wallet list_markets get_market ` +
			`get_decision explain_flag"}`},
		{"", `"method":"tools/call","params":{"name":"\u0001\u202e"}`, 200, `{"code":-32602,"message":"unknown tool `},
		{"", `"method":"resources/read","params":{"uri":"ballast://\u0001\u202e"}`, 200, noResource},
		{"", `"method":"resources/read","params":{"uri":"ballast://model/x"}`, 200, noResource},
	} {
		header := http.Header{}
		if row.version != "" {
			header = http.Header{"Mcp-Protocol-Version": {row.version}, "Mcp-Method": {"tools/list"}}
		}
		r := post(t.Context(), s, header, `{"jsonrpc":"2.0","id":"a",`+row.members+`}`)
		if r.Status != row.status || !strings.HasPrefix(string(r.Body), `{"jsonrpc":"2.0","id":"a","error":`+row.want) {
			t.Errorf("%s %s: %d %s", row.version, row.members, r.Status, r.Body)
		}
	}
}

// What is no message gets an error whose id is null, over HTTP with 400.
func TestNoMessage(t *testing.T) {
	s := New(Config{})
	for body, code := range map[string]int{
		``: -32700, `Now using node v20`: -32700, "\ufeff" + ping: -32700, ping[:20]: -32700, "\"\xff\"": -32700,
		`5`: -32600, `null`: -32600, `"a"`: -32600, `{}`: -32600, `[]`: -32600,
		`{"jsonrpc":"2.0"}`: -32600, `{"jsonrpc":"2.0","id":null,"method":"ping"}`: -32600,
		`{"jsonrpc":"2.0","id":true,"method":"ping"}`:    -32600,
		`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`: -32600,
	} {
		r := post(t.Context(), s, http.Header{}, body)
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,`, code); r.Status != 400 ||
			!strings.HasPrefix(string(r.Body), want) {
			t.Errorf("%q: %d %s", body, r.Status, r.Body)
		}
	}
	for _, body := range []string{`{"id":"a","method":"ping"}`, `{"jsonrpc":2,"id":"a","method":"ping"}`} {
		if r := post(t.Context(), s, http.Header{}, body); r.Status != 400 ||
			!strings.HasPrefix(string(r.Body), `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,`) {
			t.Errorf("%s: %d %s", body, r.Status, r.Body)
		}
	}
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// An answer has the id of its request, byte by byte.
func TestIDs(t *testing.T) {
	s := New(Config{})
	for _, id := range []string{"0", "-1", "1.5", "1e300", "-9223372036854775808", "9007199254740993", `""`, `"é"`,
		`"\ud800"`, `"\u0041"`} {
		r := post(t.Context(), s, http.Header{}, strings.Replace(ping, "1", id, 1))
		if r.Status != 200 || string(r.Body) != `{"jsonrpc":"2.0","id":`+id+`,"result":{}}` {
			t.Errorf("id %s: %d %s", id, r.Status, r.Body)
		}
	}
}

// Notifications and responses of a client get no answer, whatever they say.
func TestSilence(t *testing.T) {
	s := New(Config{})
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/of/tomorrow","params":{}}`,
		`{"jsonrpc":"2.0","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}`,
		`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
	} {
		if r := post(t.Context(), s, http.Header{}, body); r.Status != 202 || r.Body != nil {
			t.Errorf("%s: %d %s", body, r.Status, r.Body)
		}
	}
}

// Versions with batches get an array of answers; later ones get an error.
func TestBatches(t *testing.T) {
	s := New(Config{})
	const batch = `[` + ping + `,5,{"jsonrpc":"2.0","method":"notifications/initialized"},` +
		`{"jsonrpc":"2.0","id":"x","method":"initialize","params":{"protocolVersion":"2025-03-26"}}]`
	const want = `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"` +
		`want one JSON object, a message of JSON-RPC 2.0: with \"jsonrpc\": \"2.0\", and method a string"}},` +
		`{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"initialize in a batch: send it alone"}}]`
	for version, status := range map[string]int{"": 200, "2024-11-05": 200, "2025-03-26": 200, "2025-06-18": 400,
		"2025-11-25": 400, "2026-07-28": 400} {
		header := http.Header{}
		if version != "" {
			header.Set("Mcp-Protocol-Version", version)
		}
		r := post(t.Context(), s, header, batch)
		if r.Status != status || status == 200 && string(r.Body) != want ||
			status == 400 && !strings.Contains(string(r.Body), `"id":null,"error":{"code":-32600,"message":"the p`) {
			t.Errorf("%s: %d %s", version, r.Status, r.Body)
		}
	}
}

// initialize agrees on the version that the client asks for, otherwise offers the newest that has initialize.
func TestVersions(t *testing.T) {
	s := New(Config{})
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26",
		"2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25", "1.0": "2025-11-25"} {
		// no clientInfo, no capabilities, as some clients have it
		r := post(t.Context(), s, http.Header{}, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{`+
			`"protocolVersion":"`+asked+`"}}`)
		if got := agreed(r); got != want {
			t.Errorf("%s: %s, %s", asked, got, r.Body)
		}
	}
	const nothing = `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`
	if r := post(t.Context(), s, http.Header{}, nothing); r.Status != 200 {
		t.Errorf("null params: %d %s", r.Status, r.Body)
	}
}

// When the service refuses a tool call, the model gets a result that is an error; any other request gets an error of
// JSON-RPC. Both say after how many seconds to ask again.
func TestRefusals(t *testing.T) {
	a := &Answer{Status: 429, RetryAfter: "7", RequestID: "r", Body: []byte(`{"error":"rate_limited","detail":"d"}`)}
	const members = `{"error":"rate_limited","detail":"d","retry_after_s":7,"request_id":"r"}`
	const text = `rate_limited: d\nretry after, s: 7\nrequest_id: r\n` + noLicence
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`
	const result = `"content":[{"type":"text","text":"` + text + `"}],"structuredContent":` + members +
		`,"isError":true}}`
	const fault = `"error":{"code":-32000,"message":"` + text + `","data":` + members + `}}`
	for _, row := range []struct {
		version, body string
		status        int
		want          string
	}{
		{"", call, 200, `{"jsonrpc":"2.0","id":1,"result":{` + result},
		{"2026-07-28", call, 200, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",` + result},
		{"", ping, 429, `{"jsonrpc":"2.0","id":1,` + fault},
		{"", "?", 429, `{"jsonrpc":"2.0","id":null,` + fault},
	} {
		messages, _ := Read([]byte(row.body), row.version)
		if r := messages[0].Refuse(a); r.Status != row.status || string(r.Body) != row.want {
			t.Errorf("%s: %d %s", row.body, r.Status, r.Body)
		}
	}
	messages, _ := Read([]byte(`{"jsonrpc":"2.0","method":"x"}`), "")
	if r := messages[0].Refuse(a); r.Status != 429 || Join([]Reply{r}).Body != nil {
		t.Errorf("a notification: %d %s", r.Status, r.Body)
	}
}

// A call that does not end fails when ctx ends, in every version of the protocol.
func TestNothingHangs(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	s := New(Config{Ask: func(context.Context, http.Header, string, []byte) (Answer, error) {
		<-release
		return Answer{}, nil
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r := post(ctx, s, http.Header{},
		(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_markets"}}`))
	if r.Status != 0 || r.Body != nil {
		t.Errorf("a tool that does not answer: %+v", r)
	}
	for _, version := range []string{"2025-03-26", "2025-11-25", "2026-07-28"} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		body := fmt.Sprintf(
			`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{`+
				`"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":%q,`+
				`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},`+
				`"io.modelcontextprotocol/clientCapabilities":{}}}}`, version)
		r := post(ctx, s, http.Header{"Mcp-Protocol-Version": {version}, "Mcp-Method": {"subscriptions/listen"}}, body)
		if !strings.Contains(string(r.Body), `"error":{"code":-32`) || ctx.Err() != nil {
			t.Errorf("%s: %d %s", version, r.Status, r.Body)
		}
	}
}
