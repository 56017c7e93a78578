package guard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// stand is a guard between a client and a server that both are the test.
type stand struct {
	t        *testing.T
	client   *io.PipeWriter // what the client sends
	answers  *bufio.Reader  // what the client gets
	received *bufio.Reader  // what the server gets
	server   *io.PipeWriter // what the server sends
	ended    chan error

	mu    sync.Mutex
	asked []string
	reply func(target string) (int, string, error)
}

// proceed is a verdict of the service that lets a trade pass.
const proceed = `{"risk_score":10,"recommendation":"proceed","summary":"fine","meta":{"request_id":"req_1"}}`

// newStand starts a guard whose service answers by reply.
func newStand(t *testing.T, embedded string, change func(*Config),
	reply func(target string) (int, string, error)) *stand {
	t.Helper()
	m, err := ParseMap(EmbeddedMap(embedded))
	if err != nil {
		t.Fatal(err)
	}
	s := &stand{t: t, reply: reply, ended: make(chan error, 1)}
	cfg := Config{Map: m, Wallet: someone, Ask: s.ask}
	if change != nil {
		change(&cfg)
	}
	in, client := io.Pipe()
	answers, out := io.Pipe()
	received, serverIn := io.Pipe()
	serverOut, server := io.Pipe()
	s.client, s.server = client, server
	s.answers, s.received = bufio.NewReaderSize(answers, 32<<20), bufio.NewReaderSize(received, 32<<20)
	go func() {
		err := New(cfg).Run(t.Context(), in, out, serverIn, serverOut)
		in.CloseWithError(io.EOF) // as the end of the process does
		received.CloseWithError(io.EOF)
		s.ended <- err
	}()
	t.Cleanup(func() {
		client.Close()
		server.Close()
		answers.Close()
		received.Close()
		<-s.ended
	})
	return s
}

func (s *stand) ask(_ context.Context, target string, body []byte) (int, []byte, error) {
	s.mu.Lock()
	s.asked = append(s.asked, target+" "+string(body))
	reply := s.reply
	s.mu.Unlock()
	status, text, err := reply(target)
	return status, []byte(text), err
}

// questions returns what the service was asked since the last call.
func (s *stand) questions() (asked []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked, s.asked = s.asked, nil
	return asked
}

func (s *stand) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.client, line+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// reached checks the next line that the server gets.
func (s *stand) reached(want string) {
	s.t.Helper()
	if line, err := s.received.ReadString('\n'); err != nil || line != want+"\n" {
		s.t.Fatalf("the server got %.500q %v, want %.500q", line, err, want)
	}
}

// answered returns the next line that the client gets, which must contain the parts.
func (s *stand) answered(parts ...string) string {
	s.t.Helper()
	line, err := s.answers.ReadString('\n')
	for _, part := range parts {
		if err != nil || !strings.Contains(line, part) {
			s.t.Fatalf("the client got %.2000q %v, want %q", line, err, part)
		}
	}
	return line
}

// says sends a line of the server, which the client must get unchanged.
func (s *stand) says(line string) {
	s.t.Helper()
	go io.WriteString(s.server, line+"\n")
	if got := s.answered(); got != line+"\n" {
		s.t.Fatalf("the client got %.200q, want %.200q", got, line)
	}
}

func callOf(id, tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool +
		`","arguments":` + arguments + `}}`
}

func always(status int, text string) func(string) (int, string, error) {
	return func(string) (int, string, error) { return status, text, nil }
}

const buyETH = `{"coin":"ETH","is_buy":true,"size":1.5,"price":3000}`

func TestHarmlessLinesPassUnchanged(t *testing.T) {
	s := newStand(t, "caiovicentino", nil, func(string) (int, string, error) { return 0, "", errors.New("nobody") })
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`{ "jsonrpc" : "2.0",  "method":"notifications/initialized" }`,
		callOf(`"x"`, "get_positions", `{}`),
		callOf("3", "cancel_order", `{"coin":"ETH","order_id":7}`),
		callOf("4", "place_order", `{"coin":"ETH","is_buy":false,"size":1,"price":3,"reduce_only":true}`),
		callOf("5", "place_batch_orders",
			`{"orders":[{"coin":"ETH","is_buy":true,"size":1,"price":3,"reduce_only":true}]}`),
		callOf("6", "modify_isolated_margin", `{"coin":"ETH","amount":5}`),
		`[{"jsonrpc":"2.0","id":8,"method":"ping"},` + callOf("9", "get_candles", `{"coin":"ETH"}`) + `]`,
		`{"jsonrpc":"2.0","id":"of the server","result":{"content":"é \\u2028"}}`,
	} {
		s.send(line)
		s.reached(line)
	}
	s.says(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"x"}}`)
	s.says("not JSON at all")
	s.says(`"` + strings.Repeat("x", 5<<20) + `"`)
	if asked := s.questions(); len(asked) > 0 {
		t.Errorf("asked: %q", asked)
	}
}

func TestOpeningCallsAreJudged(t *testing.T) {
	s := newStand(t, "caiovicentino", nil, always(200, proceed))
	s.send(callOf("1", "place_order", buyETH))
	s.reached(callOf("1", "place_order", buyETH))
	want := `/v1/validate?view=compact {"action":"long","asset":"ETH","order":{"price":3000,"type":"limit"},` +
		`"size_coin":1.5,"wallet":"` + someone + `"}`
	if asked := s.questions(); len(asked) != 1 || asked[0] != want {
		t.Errorf("asked: %q, want %s", asked, want)
	}
}

const denied = `{"risk_score":83.2,"recommendation":"abort","summary":"Abort: too large.","probability_24h":0.31,` +
	`"var_99_24h_usd":1234.5,"suggested_size_usd":250.9,"flags":[],"meta":{"request_id":"req_7"}}`

func TestRefusalsSayReasonFiguresAndRemedy(t *testing.T) {
	s := newStand(t, "caiovicentino", nil, always(200, denied))
	for id, shown := range map[string]string{`7`: `7`, `"a\"b"`: `"a\"b"`, `-1.5`: `-1.5`} {
		s.send(callOf(id, "place_order", buyETH))
		line := s.answered(`"id":`+shown+`,`, `"isError":true`, "Ballast refused place_order, nothing was sent",
			"Abort: too large.", "risk score 83 of 100", "1234 USD", "24 h 31 %", "send at most 251 USD", "req_7")
		var answer struct{ Result sdk.CallToolResult }
		if err := json.Unmarshal([]byte(line), &answer); err != nil || len(answer.Result.Content) != 1 {
			t.Errorf("%v: %s", err, line)
		}
	}
	notification := strings.Replace(callOf("1", "place_order", buyETH), `"id":1,`, "", 1)
	s.send(notification) // no answer, and it does not pass
	s.send(callOf("2", "modify_order", `{"coin":"ETH","order_id":1}`))
	s.answered(`"id":2`, "cancel it and place a new one")
	s.send(callOf("3", "modify_isolated_margin", `{"coin":"ETH","amount":5,"is_add":false}`))
	s.answered(`"id":3`, "taking margin out")
	s.send(callOf("4", "place_order", `{"coin":"ETH","is_buy":true,"size":"1_0","price":3000}`))
	s.answered(`"id":4`, "size must be a number in plain digits")
	s.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{}}`)
	s.answered(`"id":5`, "params.name must be the name of a tool")
	s.send("nonsense")
	s.answered(`"id":null`, `"code":-32700`, "Ballast: no JSON")
	s.send(`{"x":"` + strings.Repeat("x", 9<<20) + `"}`)
	s.answered(`"id":null`, `"code":-32600`, "more than 4 MiB")
	s.send(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	s.reached(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
}

func TestBlockSaysWhatStops(t *testing.T) {
	const caution = `{"recommendation":"proceed_with_caution","summary":"hm","meta":{}}`
	const policy = `{"recommendation":"abort","summary":"no","policy":{"verdict":"unknown"},"meta":{}}`
	const stale = `{"recommendation":"proceed","summary":"old","flags":[{"name":"stale_market_data"}],"meta":{}}`
	const broken = `{"recommendation":"abort","summary":"Not assessed: bad","error":"bad","meta":{}}`
	for _, row := range []struct {
		block    Block
		failOpen bool
		status   int
		text     string
		refusal  string
	}{
		{BlockAbort, false, 200, caution, ""}, {BlockCaution, false, 200, caution, "hm"},
		{BlockPolicy, false, 200, denied, ""}, {BlockPolicy, false, 200, policy, "keeps the operator's limits"},
		{BlockAbort, false, 200, stale, "could not be judged: old"}, {BlockAbort, true, 200, stale, ""},
		{BlockAbort, true, 200, denied, "too large"}, {BlockPolicy, true, 200, broken, "Not assessed: bad"},
		{BlockAbort, false, 503, `{"error":"overloaded","detail":"busy"}`, "503 overloaded: busy. Try again"},
		{BlockAbort, true, 503, `{"error":"overloaded","detail":"busy"}`, ""},
		{BlockAbort, true, 429, `{}`, ""}, {BlockAbort, true, 200, `{}`, ""},
		{BlockAbort, false, 200, `{}`, "no recommendation"},
		{BlockAbort, true, 401, `{"error":"invalid API key"}`, "401 invalid API key"},
		{BlockAbort, true, 400, `{"error":"validation_error","detail":"invalid asset","suggestion":"ETH"}`,
			"suggestion: ETH"},
	} {
		s := newStand(t, "caiovicentino", func(c *Config) { c.Block, c.FailOpen = row.block, row.failOpen },
			always(row.status, row.text))
		s.send(callOf("1", "place_order", buyETH))
		if row.refusal == "" {
			s.reached(callOf("1", "place_order", buyETH))
		} else {
			s.answered(`"isError":true`, row.refusal)
		}
	}
}

func TestUnknownToolsAreRefusedUnlessTheServerCallsThemReadOnly(t *testing.T) {
	s := newStand(t, "t3rmed", nil, always(200, proceed))
	s.send(callOf("1", "new_tool", `{}`))
	s.answered(`"isError":true`, "no list of the server's tools has named it yet", "--unknown pass")
	s.send(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	s.reached(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	s.says(`{"jsonrpc":"2.0","id":"l","result":{"tools":[{"name":"new_tool","annotations":{"readOnlyHint":true}},` +
		`{"name":"other"}]}}`)
	s.send(callOf("2", "new_tool", `{}`))
	s.reached(callOf("2", "new_tool", `{}`))
	s.send(callOf("3", "other", `{}`))
	s.answered("does not mark it as read-only")
	open := newStand(t, "t3rmed", func(c *Config) { c.PassUnknown = true }, always(200, proceed))
	open.send(callOf("3", "other", `{}`))
	open.reached(callOf("3", "other", `{}`))
}

func TestOneRefusedCallRefusesItsBatch(t *testing.T) {
	s := newStand(t, "caiovicentino", nil, func(target string) (int, string, error) {
		if strings.Contains(target, "batch") {
			return 200, `{"results":[` + proceed + `,` + denied + `]}`, nil
		}
		return 200, proceed, nil
	})
	s.send(`[` + callOf("1", "place_order", buyETH) + `,{"jsonrpc":"2.0","id":2,"method":"ping"},` +
		callOf("3", "place_order", buyETH) + `,{"jsonrpc":"2.0","method":"notifications/x"}]`)
	line := s.answered("too large")
	var answers []answer
	if err := json.Unmarshal([]byte(line), &answers); err != nil || len(answers) != 3 || answers[0].Result == nil ||
		answers[1].Error == nil || answers[2].Result == nil {
		t.Errorf("%v: %s", err, line)
	}
	if asked := s.questions(); len(asked) != 1 || strings.Count(asked[0], `"asset":"ETH"`) != 2 {
		t.Errorf("asked: %q", asked)
	}
}

// An order that was passed on counts as filled until the account shows it.
func TestOrdersInFlightCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand(t, "caiovicentino", nil, func(target string) (int, string, error) {
			if strings.Contains(target, "batch") {
				return 200, `{"results":[` + denied + `,` + proceed + `]}`, nil
			}
			return 200, proceed, nil
		})
		sends := func(id string, kind string) {
			t.Helper()
			s.send(callOf(id, "place_order", buyETH))
			s.reached(callOf(id, "place_order", buyETH))
			if asked := s.questions(); len(asked) != 1 || !strings.HasPrefix(asked[0], kind) {
				t.Errorf("call %s: asked %q, want %s", id, asked, kind)
			}
		}
		sends("1", "/v1/validate?")
		time.Sleep(settles + time.Second)
		sends("2", "/v1/validate/batch?") // the first has no answer
		for id := range 2 {
			s.says(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id+1))
		}
		time.Sleep(settles + time.Second)
		sends("3", "/v1/validate?")
		time.Sleep(forgotten + time.Second)
		sends("4", "/v1/validate?")
	})
}

func TestCancelledCallsDoNotPass(t *testing.T) {
	hold := make(chan struct{})
	s := newStand(t, "caiovicentino", nil, func(string) (int, string, error) { <-hold; return 200, proceed, nil })
	s.send(callOf(`"\u0061"`, "place_order", buyETH))
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`
	s.send(cancel)
	s.reached(cancel)
	s.send(callOf("2", "cancel_all_orders", `{}`)) // passes while a verdict is awaited
	s.reached(callOf("2", "cancel_all_orders", `{}`))
	close(hold)
	s.send(callOf("3", "place_order", buyETH))
	s.reached(callOf("3", "place_order", buyETH))
}

func TestLeverageIsHeldToPolicyAndSwitch(t *testing.T) {
	on := "false"
	s := newStand(t, "caiovicentino", nil, func(target string) (int, string, error) {
		if target == "/v1/kill-switch" {
			return 200, `{"on":` + on + `,"reason":"drill"}`, nil
		}
		return 200, `{"effective":{"max_leverage":5}}`, nil
	})
	leverage := func(id, x string) string { return callOf(id, "adjust_leverage", `{"coin":"ETH","leverage":`+x+`}`) }
	s.send(leverage("1", "5"))
	s.reached(leverage("1", "5"))
	s.send(leverage("2", "6"))
	s.answered("max_leverage is 5, this would be 6: set at most 5")
	s.send(leverage("3", "0"))
	s.answered("must be a leverage")
	on = "true"
	s.send(leverage("4", "1"))
	s.answered("kill switch is on: drill")
}

func TestAssetNumbersAreLookedUp(t *testing.T) {
	s := newStand(t, "t3rmed", nil, func(target string) (int, string, error) {
		if target == "/v1/assets" {
			return 200, `{"assets":[{"name":"BTC","number":0},{"name":"ETH","number":1},{"name":"X","number":null}]}`,
				nil
		}
		return 200, proceed, nil
	})
	order := func(id, number string) string {
		return callOf(id, "place_order",
			`{"assetIndex":`+number+`,"isBuy":true,"size":"1","price":"9","timeInForce":"Gtc"}`)
	}
	s.send(order("1", "1"))
	s.reached(order("1", "1"))
	if asked := s.questions(); len(asked) != 2 || !strings.Contains(asked[1], `"asset":"ETH"`) {
		t.Errorf("asked: %q", asked)
	}
	s.send(order("2", "7"))
	s.answered("no asset with number 7")
}

func TestRunEndsWithEitherSide(t *testing.T) {
	s := newStand(t, "t3rmed", nil, always(200, proceed))
	s.send(callOf("1", "place_trigger_order", `{"assetIndex":0,"isBuy":true,"size":"1","triggerPrice":"3"}`))
	s.answered("no asset with number 0")
	s.client.Close()
	if line, err := s.received.ReadString('\n'); err != io.EOF {
		t.Errorf("after the client's end the server got %q, %v", line, err)
	}
	s.server.Close()
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
	s.ended <- nil
}
