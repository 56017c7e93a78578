package api

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"ballast/compute/risk"
	"ballast/internal/jsonscan"
	"ballast/marketcache"
)

const testWallet = "0x00000000000000000000000000000000000000Aa"

func testUniverse() *marketcache.Universe {
	tiers := marketcache.NewTiers([]float64{0}, []float64{40})
	return marketcache.NewUniverse([]*marketcache.Asset{
		{ID: 0, Name: "BTC", MaxLeverage: 40, Tiers: tiers, FeeMultiplier: 1},
		{ID: 1, Name: "OLD", MaxLeverage: 3, Tiers: tiers, Delisted: true, FeeMultiplier: 1},
		{ID: 2, Name: "ISO", MaxLeverage: 3, Tiers: tiers, OnlyIsolated: true, FeeMultiplier: 1},
	})
}

// body returns a valid request with some fields replaced, left out (value ""), or added.
func body(pairs ...string) string {
	fields := []string{"asset", `"BTC"`, "action", `"long"`, "size", "1000", "wallet", `"` + testWallet + `"`}
	for i := 0; i < len(pairs); i += 2 {
		at := -1
		for j := 0; j < len(fields); j += 2 {
			if fields[j] == pairs[i] {
				at = j
			}
		}
		if at < 0 {
			fields = append(fields, pairs[i], pairs[i+1])
		} else {
			fields[at+1] = pairs[i+1]
		}
	}
	var b strings.Builder
	for i := 0; i < len(fields); i += 2 {
		if fields[i+1] == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + fields[i] + `":` + fields[i+1])
	}
	return "{" + b.String() + "}"
}

// judge decodes and checks a request as a handler does.
func judge(text string) (risk.Trade, *risk.Reject) {
	var d Scanner
	var r risk.Request
	var trade risk.Trade
	if bad := d.Validation([]byte(text), &r); bad != nil {
		return trade, bad
	}
	bad := r.Check(testUniverse(), &trade)
	return trade, bad
}

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// notJSON are bodies that are not one strict JSON object.
var notJSON = []string{
	"", " ", "null", "[]", `""`, "1", "true", "{", "}", "{}}", "{},", "{} {}", "{}x", "{}\x00",
	"\ufeff" + body(), body() + ",", body() + body(), body() + " null", `{"a"}`, `{"a":}`, `{:1}`, `{,}`, `{"a":1,}`,
	`{"a":1 "b":2}`, `{'a':1}`, `{a:1}`, `{"a":1;}`, "{\"a\":1\x00}", "{/**/}", `{"a":tru}`, `{"a":TRUE}`, `{"a":nul}`,
	`{"a":undefined}`, `{"a":[1,]}`, `{"a":[1 2]}`, `{"a":[}`, `{"a":{]}`,
	body("size", "NaN"), body("size", "Infinity"), body("size", "-Infinity"), body("size", "1e309"),
	body("size", "1e400"), body("size", "-1e309"), body("size", "01"), body("size", "+1"), body("size", ".5"),
	body("size", "5."),
	body("size", "1e"), body("size", "1e+"), body("size", "0x10"), body("size", "1_000"), body("size", "--1"),
	body("size", "1.2.3"), body("size", "-"), body("size", strings.Repeat("9", 1000)), body("size", "１"),
	// a name used twice, in any spelling
	`{"size":1,"size":2}`, `{"size":1,"s\u0069ze":2}`, `{"x":1,"x":1}`, `{"x":{"a":1,"a":2}}`, `{"\u0041":1,"A":2}`,
	`{"":1,"":2}`,
	// invalid UTF-8
	"{\"asset\":\"\xff\"}", "{\"asset\":\"\xc0\xaf\"}", "{\"asset\":\"\xed\xa0\x80\"}", "{\"\xff\":1}",
	"{\"asset\":\"\xf4\x90\x80\x80\"}",
	`{"asset":"\ud800"}`, `{"asset":"\udc00"}`, `{"asset":"\ud800\u0041"}`, `{"asset":"\ud800x"}`,
	`{"asset":"\udc00\ud800"}`,
	`{"asset":"\x41"}`, `{"asset":"\u00g0"}`, `{"asset":"\u12"}`, `{"asset":"\`, `{"asset":"B`,
	`{"asset":"a` + "\n" + `"}`, "{\"asset\":\"a\x01\"}", `{"asset":"\ud800\udbff"}`, `{"asset":"\u005cu0041`,
	// nesting depth
	`{"a":` + nested(16) + `}`, `{"a":` + nested(10000) + `}`, strings.Repeat("[", 1<<16),
	strings.Repeat(`{"a":`, 17) + "1" + strings.Repeat("}", 17),
	// invalid JSON is reported before an unknown name
	`{"nope":1,"size":01}`, `{"nope":1,"nope":2}`, body("nope", "1") + "x",
}

// notJSONWhy are some of them with the place of the fault.
var notJSONWhy = map[string]string{
	"":                     "expected an object, found nothing at byte 0",
	"  ":                   "expected an object, found nothing at byte 2",
	"{":                    "expected a name, found nothing at byte 1",
	"\ufeff{}":             "expected an object, found a byte order mark at byte 0",
	"\xff\xfe{\x00}\x00":   "expected an object, found text that is not UTF-8 at byte 0",
	"\xfe\xff\x00{\x00}":   "expected an object, found text that is not UTF-8 at byte 0",
	"{\x00\"\x00a\x00":     "expected a name, found text that is not UTF-8 at byte 1",
	"\x00{\x00\"\x00a\x00": "expected an object, found text that is not UTF-8 at byte 0",
	"[]":                   "expected an object at byte 0",
	`{"":1,"":2}`:          `name used twice at byte 6, in field ""`,
}

// brokenRules are requests that break a rule, which one is told first: in the order of the fields, not of the text.
var brokenRules = [][2]string{
	{"{}", "missing field: wallet"},
	{`{"a":` + nested(15) + `}`, "unknown field: a"},
	{body("SIZE", "1"), "unknown field: SIZE"},
	{body("Asset", "1"), "unknown field: Asset"},
	{body("b", "1", "a", "2"), "unknown field: b"},
	{body("", "1"), `unknown field: ""`},
	{body("x\\n\\u001b[31m", "1"), "unknown field: x??[31m"},
	{body(strings.Repeat("k", 100), "1"), "unknown field: " + strings.Repeat("k", 64)},
	{body("nope", "1", "wallet", "7"), "unknown field: nope"},
	{`{"mode":1,"leverage":"x","asset":2,"action":3,"size":"x","wallet":4}`, "field wallet must be a string"},
	{body("size", `"1000"`), "field size must be a number"},
	{body("size", "true"), "field size must be a number"},
	{body("size", "[1]"), "field size must be a number"},
	{body("size", `{"a":1}`), "field size must be a number"},
	{body("action", "1"), "field action must be a string"},
	{body("asset", "[]"), "field asset must be a string"},
	{body("leverage", `"10"`), "field leverage must be a number"},
	{body("leverage", "false"), "field leverage must be a number"},
	{body("mode", "true"), "field mode must be a string"},
	{body("monte_carlo", `"true"`), "field monte_carlo must be a boolean"},
	{body("monte_carlo", "1"), "field monte_carlo must be a boolean"},
	{body("wallet", "null"), "missing field: wallet"},
	{body("size", "null"), "missing field: size"},
	{body("action", "null"), "missing field: action"},
	{body("asset", "null"), "missing field: asset"},
	{body("asset", ""), "missing field: asset"},
	{body("size", "0"), "size must be positive, got 0"},
	{body("size", "-0"), "size must be positive, got -0"},
	{body("size", "-5"), "size must be positive, got -5"},
	{body("size", "1e-400"), "size must be positive, got 0"},
	{body("size", "100000000.00000002"), "size 100000000.00000001 exceeds maximum allowed 100000000"},
	{body("size", "1.7976931348623157e308"), "size 1.7976931348623157e+308 exceeds maximum allowed 100000000"},
	{body("leverage", "0"), "leverage must be at least 1, got 0"},
	{body("leverage", "-3"), "leverage must be at least 1, got -3"},
	{body("leverage", "0.5"), "leverage must be at least 1, got 0.5"},
	{body("leverage", "40.000000001"), "leverage 40.000000001 exceeds maximum 40"},
	{body("leverage", "1e308"), "leverage 1e+308 exceeds maximum 40"},
	{body("asset", `"btc"`), "invalid asset: btc"},
	{body("asset", `""`), "invalid asset: "},
	{body("asset", `"BTC\u0000"`), "invalid asset: BTC?"},
	{body("asset", `"\u202eBTC\r\n"`), "invalid asset: ?BTC??"},
	{body("asset", `"OLD"`), "asset OLD is delisted and cannot be traded"},
	{body("asset", `"ISO"`), "asset ISO only supports isolated margin mode"},
	{body("asset", `"ISO"`, "mode", `"cross"`), "asset ISO only supports isolated margin mode"},
	{body("action", `"Long"`), "invalid action: Long (want long, short or close)"},
	{body("mode", `"CROSS"`), "invalid mode: CROSS (want cross or isolated)"},
}

func TestValidationRefuses(t *testing.T) {
	refuses := func(text, code, detail string) {
		t.Helper()
		_, bad := judge(text)
		if bad == nil || bad.Code != code || bad.Detail == "" || detail != "" && bad.Detail != detail {
			t.Errorf("%.200s: %+v, want %s %q", text, bad, code, detail)
		}
	}
	for _, text := range notJSON {
		refuses(text, CodeInvalidJSON, "")
	}
	for text, detail := range notJSONWhy {
		refuses(text, CodeInvalidJSON, detail)
	}
	for _, row := range brokenRules {
		refuses(row[0], CodeValidation, row[1])
	}
	for _, w := range []string{
		testWallet[:41], testWallet + "0", "0X" + testWallet[2:], "0x" + strings.Repeat("g", 40),
		strings.Repeat("0", 42), "", "0x", " " + testWallet[:41], "0x" + strings.Repeat("０", 40),
	} {
		refuses(body("wallet", `"`+w+`"`), CodeValidation, "invalid wallet address: "+w)
	}
}

func TestValidationAccepts(t *testing.T) {
	for _, row := range []struct {
		body string
		want func(risk.Trade) bool
	}{
		{body(), func(x risk.Trade) bool {
			return x.SizeUSD == 1000 && x.Action == risk.ActionLong && x.Leverage == 0
		}},
		{body("leverage", "null", "mode", "null", "monte_carlo", "null"), func(x risk.Trade) bool {
			return x.Leverage == 0 && x.Mode == risk.Cross && !x.MonteCarlo
		}},
		{body("leverage", "40", "mode", `"isolated"`, "monte_carlo", "true"), func(x risk.Trade) bool {
			return x.Leverage == 40 && x.Mode == risk.Isolated && x.MonteCarlo
		}},
		{body("asset", `"\u0042\u0054\u0043"`, "action", `"sh\u006frt"`), func(x risk.Trade) bool {
			return x.Asset == 0 && x.Action == risk.ActionShort
		}},
		{strings.Replace(body(), `"size"`, `"\u0073iz\u0065"`, 1), func(x risk.Trade) bool {
			return x.SizeUSD == 1000
		}},
		{" \t\r\n" + strings.ReplaceAll(body(), ":", " : ") + "\n", func(x risk.Trade) bool {
			return x.SizeUSD == 1000
		}},
		{body("size", "5e-324"), func(x risk.Trade) bool { return x.SizeUSD == math.SmallestNonzeroFloat64 }},
		{body("size", "1e-9"), func(x risk.Trade) bool { return x.SizeUSD == 1e-9 }},
		{body("size", "100000000"), func(x risk.Trade) bool { return x.SizeUSD == 1e8 }},
		{body("size", "1E8"), func(x risk.Trade) bool { return x.SizeUSD == 1e8 }},
		{body("size", "100000000.00000000001"), func(x risk.Trade) bool { return x.SizeUSD == 1e8 }},
		{body("size", "0."+strings.Repeat("0", 300)+"1e305"), func(x risk.Trade) bool { return x.SizeUSD == 1e4 }},
		{body("leverage", "1"), func(x risk.Trade) bool { return x.Leverage == 1 }},
		{body("leverage", "1.5"), func(x risk.Trade) bool { return x.Leverage == 1.5 }},
		{body("asset", `"ISO"`, "action", `"close"`), func(x risk.Trade) bool {
			return x.Asset == 2 && x.Action == risk.ActionClose
		}},
		{body("wallet", `"0x`+strings.Repeat("0", 40)+`"`), func(x risk.Trade) bool {
			return x.Wallet == marketcache.Wallet{}
		}},
	} {
		trade, bad := judge(row.body)
		if bad != nil || !row.want(trade) {
			t.Errorf("%s: %+v %+v", row.body, trade, bad)
		}
	}
}

func TestDecoderForgets(t *testing.T) {
	var d Scanner
	var r risk.Request
	if bad := d.Validation([]byte(body("leverage", "9", "mode", `"isolated"`)), &r); bad != nil {
		t.Fatal(bad)
	}
	if bad := d.Validation([]byte(body()), &r); bad != nil || r.Leverage.Kind != risk.Absent ||
		r.Mode.Kind != risk.Absent {
		t.Errorf("fields of the last request remain: %+v %v", r, bad)
	}
	d.Validation([]byte(`{"a":{"b":{"c":`), &r)
	if bad := d.Validation([]byte(body()), &r); bad != nil {
		t.Errorf("a broken body affected the next request: %+v", bad)
	}
}

// A market order that asks for nothing else is the trade without an order.
func TestOrderOfARequest(t *testing.T) {
	plain, _ := judge(body())
	for _, order := range []string{`null`, `{}`, `{"type":null}`,
		`{"type":"market","tif":"ioc","reduce_only":false,"price":null,"stop_loss_price":null}`} {
		if trade, bad := judge(body("order", order)); bad != nil || trade != plain {
			t.Errorf("%s: %+v %+v", order, trade, bad)
		}
	}
	trade, bad := judge(body("order", `{"stop_loss_price":1.5,"take_profit_price":3e4,"reduce_only":true}`))
	if want := (risk.Order{ReduceOnly: true, StopLoss: 1.5, TakeProfit: 3e4}); bad != nil || trade.Order != want {
		t.Errorf("%+v %+v", trade, bad)
	}
	trade, bad = judge(body("order", `{"type":"limit","price":5e4,"tif":"alo"}`))
	if want := (risk.Order{Limit: true, Price: 5e4, TIF: risk.ALO}); bad != nil || trade.Order != want {
		t.Errorf("%+v %+v", trade, bad)
	}
	for order, want := range map[string]string{
		`[]`: "field order must be an object", `{"type":1}`: "field order.type must be a string",
		`{"type":"Market"}`:         "invalid order.type: Market (want market or limit)",
		`{"reduce_only":"yes"}`:     "field order.reduce_only must be a boolean",
		`{"stop_loss_price":0}`:     "order.stop_loss_price must be positive, got 0",
		`{"take_profit_price":"x"}`: "field order.take_profit_price must be a number",
		`{"type":"limit"}`:          "missing field: order.price",
		`{"tif":""}`:                "invalid order.tif:  (want gtc, ioc or alo)",
		`{"tif":1}`:                 "field order.tif must be a string",
		`{"stop":1}`:                "unknown field: order.stop",
	} {
		_, bad := judge(body("order", order))
		if bad == nil || bad.Detail != want || !strings.HasPrefix(bad.Field, "order") {
			t.Errorf("%s: %+v, want %s", order, bad, want)
		}
	}
	if _, bad := judge(body("order", `{"type":-}`)); bad == nil || bad.Field != "order.type" {
		t.Errorf("a broken member: %+v", bad)
	}
}

func TestValidationAllocs(t *testing.T) {
	plain := []byte(body("leverage", "10", "mode", `"cross"`, "monte_carlo", "false"))
	escaped := []byte(body("asset", `"\u0042TC"`, "leverage", "10"))
	ordered := []byte(body("order",
		`{"type":"market","reduce_only":false,"stop_loss_price":50000,"take_profit_price":1e5}`))
	universe := testUniverse()
	var d Scanner
	var r risk.Request
	var trade risk.Trade
	if n := testing.AllocsPerRun(200, func() {
		if d.Validation(plain, &r) != nil || r.Check(universe, &trade) != nil {
			t.Fatal("refused")
		}
		if d.Validation(ordered, &r) != nil || r.Check(universe, &trade) != nil {
			t.Fatal("refused")
		}
		if d.Validation(escaped, &r) != nil || r.Check(universe, &trade) != nil {
			t.Fatal("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// strict reports whether a text is one strict JSON value.
func strict(text []byte) bool {
	var s jsonscan.Scanner
	var v jsonscan.Value
	s.Reset(text)
	return s.Value(&v) && s.End()
}

// An accepted request has the values that encoding/json reads from it.
func FuzzValidation(f *testing.F) {
	for _, s := range []string{body(), body("leverage", "3", "mode", `"isolated"`), body("x", "1"),
		body("size", "1e309"), body("asset", `"\u0042TC"`)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		trade, bad := judge(text)
		if bad != nil {
			if bad.Detail == "" || (bad.Code != CodeValidation && bad.Code != CodeInvalidJSON) {
				t.Fatalf("%q: %+v", text, bad)
			}
			return
		}
		if !strict([]byte(text)) {
			t.Fatalf("accepted %q", text)
		}
		var want map[string]any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		if want["size"] != trade.SizeUSD || want["action"] != trade.Action.String() ||
			!strings.EqualFold(want["wallet"].(string), trade.Wallet.String()) {
			t.Fatalf("%q: %+v", text, trade)
		}
		if l, ok := want["leverage"].(float64); ok != (trade.Leverage != 0) || l != trade.Leverage {
			t.Fatalf("%q: %+v", text, trade)
		}
	})
}

// A batch is accepted exactly when it is strict JSON of the right form, and each element is judged
// like the same trade alone.
func FuzzBatch(f *testing.F) {
	head := `{"wallet":"` + testWallet + `","trades":[`
	for _, s := range []string{
		head + `{"asset":"BTC","action":"long","size":1}]}`, head + `]}`, head + `1,null,{"x":1},{}]}`, head +
			`{"asset":"BTC","asset":"BTC"}]}`,
		`{"trades":[{}],"wallet":null}`, `{"trades":[[]],"trades":[]}`, head + strings.Repeat(`{},`, 51) + `{}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var d Scanner
		var b Batch
		bad := d.Batch([]byte(text), &b)
		if bad != nil {
			if bad.Detail == "" || bad.Code == CodeInvalidJSON && strict([]byte(text)) && json.Valid([]byte(text)) &&
				strings.HasPrefix(strings.TrimSpace(text), "{") {
				t.Fatalf("%q: %+v", text, bad)
			}
			return
		}
		if !strict([]byte(text)) {
			t.Fatalf("accepted %q", text)
		}
		var want struct {
			Wallet string
			Trades []json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &want); err != nil || len(want.Trades) != len(b.Trades) ||
			len(b.Trades) == 0 || len(b.Trades) > MaxTrades || want.Wallet != string(b.Wallet.Value) {
			t.Fatalf("%q: %v, %d trades", text, err, len(b.Trades))
		}
		for i, raw := range want.Trades {
			var one Scanner
			var r risk.Request
			alone := one.Validation(raw, &r)
			switch got := b.Trades[i]; {
			case r.Wallet.Kind != risk.Absent: // a trade in a batch has no wallet field
				if got.Bad == nil {
					t.Fatalf("%q: accepted %s", text, raw)
				}
			case (alone == nil) != (got.Bad == nil):
				t.Fatalf("%q: %s is %+v, alone %+v", text, raw, got.Bad, alone)
			case alone == nil:
				r.Wallet = got.Request.Wallet
				if !reflect.DeepEqual(r, got.Request) {
					t.Fatalf("%q: %+v, alone %+v", text, got.Request, r)
				}
			}
		}
	})
}
