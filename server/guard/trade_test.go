package guard

import (
	"encoding/json"
	"strings"
	"testing"
)

// place is a tool of the map edkdev.
const place = "hyperliquid_place_order"

const someone = "0xba11a57000000000000000000000000000000001"

// tradesOf returns what a call of a tool of an embedded map asks about, or why it is refused.
func tradesOf(t *testing.T, embedded, tool, arguments string) (string, error) {
	t.Helper()
	m, err := ParseMap(EmbeddedMap(embedded))
	if err != nil {
		t.Fatal(err)
	}
	messages, _, err := readLine([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool +
		`","arguments":` + arguments + `}}`))
	if err != nil {
		return "", err
	}
	c, err := readCall(&messages[0])
	if err != nil {
		return "", err
	}
	trades, err := m.Tools[c.name].trades(c.arguments, someone)
	text := ""
	for i := range trades {
		body, _ := json.Marshal(trades[i].body)
		if text += string(body); trades[i].number >= 0 {
			text += "#" + string(rune('0'+trades[i].number))
		}
	}
	return text, err
}

func TestCallsBecomeTrades(t *testing.T) {
	for _, row := range []struct{ embedded, tool, arguments, want string }{
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":"0.1","price":"60000.5","orderType":{"limit":{"tif":"Ioc"}}}`,
			`{"action":"long","order":{"price":60000.5,"tif":"ioc","type":"limit"},"size_coin":0.1}#1`},
		{"edkdev", place, `{"asset":0,"isBuy":false,"size":2}`, `{"action":"short","size_coin":2}#0`},
		{"edkdev", place, `{"asset":"0","isBuy":false,"size":"2","price":"0","reduceOnly":false}`,
			`{"action":"short","size_coin":2}#0`},
		{"edkdev", place,
			`{"asset":5,"isBuy":true,"size":"1","price":"9","orderType":{"trigger":{` +
				`"isMarket":false,"triggerPx":"9","tpsl":"sl"}}}`,
			`{"action":"long","size_coin":1}#5`},
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":"0.1","reduceOnly":true}`, ``},
		{"edkdev", "hyperliquid_place_bracket_order",
			`{"asset":1,"isBuy":true,"size":"0.1","entryPrice":"5","takeProfitPrice":"6","stopLossPrice":"4"}`,
			`{"action":"long","order":{"price":5,"type":"limit"},"size_coin":0.1}#1`},
		{"edkdev", "hyperliquid_modify_order", `{"oid":1,"coin":"BTC","isBuy":false,"size":"1","price":"7"}`,
			`{"action":"short","asset":"BTC","order":{"price":7,"type":"limit"},"size_coin":1}`},
		{"t3rmed", "place_trigger_order",
			`{"assetIndex":0,"isBuy":true,"size":"1","triggerPrice":"3","isMarket":true,"triggerType":"tp"}`,
			`{"action":"long","size_coin":1}#0`},
		{"caiovicentino", "place_order", `{"coin":"ETH","is_buy":true,"size":1.5,"price":1,"order_type":"market"}`,
			`{"action":"long","asset":"ETH","size_coin":1.5}`},
		{"caiovicentino", "place_batch_orders",
			`{"orders":[{"coin":"ETH","is_buy":true,"size":1,"price":3,"tif":"Alo"},` +
				`{"coin":"ETH","is_buy":false,"size":1,"price":4,"reduce_only":true},` +
				`{"coin":"BTC","is_buy":false,"size":2,"price":5}]}`,
			`{"action":"long","asset":"ETH","order":{"price":3,"tif":"alo","type":"limit"},"size_coin":1}` +
				`{"action":"short","asset":"BTC","order":{"price":5,"type":"limit"},"size_coin":2}`},
		{"caiovicentino", "place_twap_order", `{"coin":"ETH","is_buy":false,"total_size":9,"duration_minutes":5}`,
			`{"action":"short","asset":"ETH","size_coin":9}`},
		{"talkincode", "market_open_position", `{"coin":"ETH","side":" Buy ","size":1e1}`,
			`{"action":"long","asset":"ETH","size_coin":1e1}`},
	} {
		if got, err := tradesOf(t, row.embedded, row.tool, row.arguments); err != nil || got != row.want {
			t.Errorf("%s %s: %s %v, want %s", row.tool, row.arguments, got, err, row.want)
		}
	}
}

// What another program may read as another trade is refused.
func TestAmbiguousCallsAreRefused(t *testing.T) {
	for _, row := range []struct{ embedded, tool, arguments, want string }{
		{"edkdev", place, `{"asset":1,"isBuy":"true","size":"1"}`, "isBuy must be true (buy) or false"},
		{"edkdev", place, `{"asset":1,"size":"1"}`, "isBuy must be true"},
		{"edkdev", place, `{"asset":1.5,"isBuy":true,"size":"1"}`, "asset must be the whole number"},
		{"edkdev", place, `{"asset":-1,"isBuy":true,"size":"1"}`, "asset must be the whole number"},
		{"edkdev", place, `{"isBuy":true,"size":"1"}`, "asset must be the whole number"},
		{"edkdev", place, `{"asset":1,"isBuy":true}`, "size, the size, is missing"},
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":"1_000"}`, "size must be a number in plain digits"},
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":" 1"}`, "size must be a number in plain digits"},
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":"nan"}`, "size must be a number in plain digits"},
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":["1"]}`, "size must be a number in plain digits"},
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":"1","reduceOnly":"yes"}`, "reduceOnly must be true"},
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":"1","Size":"9"}`, "argument Size: write size"},
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":"1","size":"9"}`, "name used twice"},
		{"edkdev", place, `{"asset":1,"isBuy":true,"size":"1","s\u0069ze":"9"}`, "name used twice"},
		{"edkdev", place, `[1]`, "params.arguments must be an object"},
		{"caiovicentino", "place_batch_orders", `{"orders":{"coin":"ETH"}}`, "orders must be a list"},
		{"caiovicentino", "place_batch_orders", `{"orders":["x"]}`, "element 0 of orders must be an object"},
		{"caiovicentino", "place_batch_orders", `{"orders":[{"coin":"ETH","is_buy":1,"size":1,"price":3}]}`,
			"element 0 of orders"},
		{"caiovicentino", "place_order", `{"coin":7,"is_buy":true,"size":1.5,"price":1}`, "coin must be the ticker"},
		{"talkincode", "market_open_position", `{"coin":"ETH","side":"b","size":1}`, "side must be buy or sell"},
	} {
		got, err := tradesOf(t, row.embedded, row.tool, row.arguments)
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s %s: %s %v, want %s", row.tool, row.arguments, got, err, row.want)
		}
	}
}

func TestLinesThatProgramsReadDifferentlyAreRefused(t *testing.T) {
	inner := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"place_order"}}`
	for line, want := range map[string]string{
		`{"method":"ping","method":"tools/call"}`: "name used twice",
		`{"method":"ping","Method":"tools/call"}`: "a message has a member Method: write method",
		`{"method":"x","params":{"Name":"y"}}`:    "params has a member Name: write name",
		"{\"x\":\r" + inner + "\r}":               "ends a line for some programs",
		"{\"x\":\"\u2028" + `"}`:                  "ends a line for some programs",
		inner + inner:                             "text behind the JSON value",
		`[]`:                                      "a batch without messages",
		`[` + inner + `,7]`:                       "a message must be an object",
		`{"id":{},"method":"x"}`:                  "must be a text or a number",
		`{"id":1,"method":["tools/call"]}`:        "method must be a text",
		`{"id":1,"method":"tools/call","params":`: "no JSON",
		"{\"id\":1,\"method\":\"\xff\"}":          "invalid UTF-8",
	} {
		if _, _, err := readLine([]byte(line)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	if _, _, err := readLine([]byte(inner + "\r\n")); err != nil {
		t.Errorf("CR LF at the end: %v", err)
	}
}
