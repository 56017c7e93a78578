package server

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// Calls, and parts of the expected answers.
const (
	single  = "POST /v1/validate"
	batches = "POST /v1/validate/batch"
	fields  = `"allowed":{"values":["wallet","asset","action","size","size_coin","leverage","mode","order",` +
		`"monte_carlo"]}`
	orderMembers = `"allowed":{"values":["type","price","tif","reduce_only","take_profit_price","stop_loss_price"]}`
	sizes        = `"allowed":{"type":"number","exclusive_min":0,"max":100000000}`
	inCoins      = `"suggestion":"size_coin for a number of coins; size for USD (coins times mark price)"`
	inTrades     = `"suggestion":"put it into an element of trades: each trade is an object"`
	aList        = `"suggestion":"a list of objects, as [{\"asset\":\"BTC\",\"action\":\"long\",\"size\":50000}]"`
	addresses    = `"allowed":{"pattern":"^0x[0-9a-fA-F]{40}$"},"suggestion":"0x and 40 hexadecimal digits, no name"}`
)

// sizeFor asks for the size with a chance of liquidation, and aChance is how to mend one that is a text.
func sizeFor(chance string) string {
	return `{"asset":"BTC","action":"long","wallet":"` + wallet + `","target":{"max_probability_24h":` + chance + `}}`
}

func aChance(got, suggestion string) string {
	return `{"field":"target.max_probability_24h","got":` + got + `,"allowed":{"type":"number","exclusive_min":0,"max":1},` +
		`"suggestion":` + suggestion + `}`
}

// mendable are invalid requests, with the expected members of the answer besides error and detail.
var mendable = []struct {
	name, call, body string
	want             string // the expected other members
}{
	{"nothing given", single, `{}`,
		`{"field":"wallet","allowed":{"type":"string","pattern":"^0x[0-9a-fA-F]{40}$"},"problems":[` +
			`{"field":"wallet","detail":"missing field: wallet"},{"field":"size","detail":"missing field: size"},` +
			`{"field":"action","detail":"missing field: action"},{"field":"asset","detail":"missing field: asset",` +
			`"suggestion":"all are listed by GET /v1/assets"}]}`},
	{"asset of another type", single, with(`"BTC"`, `7`), `{"field":"asset","got":7,"allowed":{"type":"string"},` +
		`"suggestion":"all are listed by GET /v1/assets"}`},
	{"another service's flag", single, with(`{`, `{"post_only":true,`), `{"field":"post_only",` + fields +
		`,"suggestion":"put it into order, an object, as tif \"alo\", beside type limit and a price"}`},
	{"the flag in the order", single, with(`{`, `{"order":{"postOnly":true},`), `{"field":"order.postOnly",` +
		orderMembers + `,"suggestion":"tif \"alo\""}`},
	{"one field missing", single, without("size"), `{"field":"size",` + sizes + `}`},
	{"asset in lower case", single, with(`"BTC"`, `"btc"`), `{"field":"asset","got":"btc","suggestion":"BTC"}`},
	{"asset by another name", single, with(`"BTC"`, `"BTCX"`),
		`{"field":"asset","got":"BTCX","suggestion":"nearest names: BTC; all are listed by GET /v1/assets"}`},
	{"name of another venue", single, with(`"BTC"`, `"BTCUSD"`), `{"field":"asset","got":"BTCUSD","suggestion":"BTC"}`},
	{"asset unlike any name", single, with(`"BTC"`, `"?"`),
		`{"field":"asset","got":"?","suggestion":"all are listed by GET /v1/assets"}`},
	{"delisted asset", single, with(`"BTC"`, `"OLD"`),
		`{"field":"asset","got":"OLD","suggestion":"all are listed by GET /v1/assets"}`},
	{"another word for an action", single, with(`"long"`, `"buy"`),
		`{"field":"action","got":"buy","allowed":{"values":["long","short","close"]},"suggestion":"long"}`},
	{"action of another type", single, with(`"long"`, `1`),
		`{"field":"action","got":1,"allowed":{"type":"string","values":["long","short","close"]}}`},
	{"leverage too high", single, with(`:10`, `:100`),
		`{"field":"leverage","got":100,"allowed":{"max":40},"suggestion":40}`},
	{"leverage too low", single, with(`:10`, `:0`),
		`{"field":"leverage","got":0,"allowed":{"min":1,"max":40},"suggestion":1}`},
	{"size as text", single, with(`50000`, `"50000"`), `{"field":"size","got":"50000",` + sizes +
		`,"suggestion":50000}`},
	{"size with separators", single, with(`50000`, `"$50,000"`),
		`{"field":"size","got":"$50,000",` + sizes + `,"suggestion":50000}`},
	{"size in thousands", single, with(`50000`, `"50k"`), `{"field":"size","got":"50k",` + sizes +
		`,"suggestion":50000}`},
	{"size with another unit", single, with(`50000`, `"15 BTC"`), `{"field":"size","got":"15 BTC",` + sizes +
		`,"suggestion":"a number of USD, without a unit; coins of the asset go into size_coin"}`},
	{"size as a word", single, with(`50000`, `"much"`), `{"field":"size","got":"much",` + sizes + `}`},
	{"size as a list", single, with(`50000`, `[50000]`), `{"field":"size","got":"[50000]",` + sizes +
		`,"suggestion":50000}`},
	{"asset in a list", single, with(`"BTC"`, `["BTC"]`),
		`{"field":"asset","got":"[\"BTC\"]","allowed":{"type":"string"},"suggestion":"BTC"}`},
	{"size with a sign", single, with(`50000`, `-50000`), `{"field":"size","got":-50000,"allowed":{"exclusive_min":0,` +
		`"max":100000000},"suggestion":"the size without its sign: action says which side"}`},
	{"leverage as a word", single, with(`:10`, `:"max"`),
		`{"field":"leverage","got":"max","allowed":{"type":"number","min":1,"max":40},"suggestion":40}`},
	{"order that is a stop", single, with(`{`, `{"order":{"type":"stop"},`),
		`{"field":"order.type","got":"stop","allowed":` +
			`{"values":["market","limit"]},"suggestion":"market or limit; the trigger goes into order.stop_loss_price or ` +
			`order.take_profit_price"}`},
	{"address of a chain", single, with(wallet, `eip155:1:`+wallet), `{"field":"wallet","got":"eip155:1:` + wallet +
		`","allowed":{"pattern":"^0x[0-9a-fA-F]{40}$"},"suggestion":"` + wallet + `"}`},
	{"coins as text", single, with(`"size":50000`, `"size_coin":"0.5 BTC"`),
		`{"field":"size_coin","got":"0.5 BTC","allowed":{"type":"number","exclusive_min":0},"suggestion":0.5}`},
	{"two sizes", single, with(`{`, `{"size_coin":1,`), `{"field":"size_coin","got":1,"allowed":{"exclusive_min":0},` +
		`"suggestion":"leave one of the two out: size is in USD, size_coin in coins of the asset"}`},
	{"too many coins", single, with(`"size":50000`, `"size_coin":1e6`),
		`{"field":"size_coin","got":1000000,"allowed":{"exclusive_min":0}}`},
	{"coins by another word", single, with(`"size":50000`, `"sz":15`), `{"field":"sz",` + fields + `,` + inCoins + `,` +
		`"problems":[{"field":"sz","detail":"unknown field: sz",` + inCoins + `},` +
		`{"field":"size","detail":"missing field: size"}]}`},
	{"a price", single, with(`{`, `{"price":55000,`), `{"field":"price",` + fields +
		`,"suggestion":"put it into order, an object, as price, beside type limit"}`},
	{"price of a market order", single, with(`{`, `{"order":{"price":55000},`), `{"field":"order.price","got":55000,` +
		`"suggestion":"set order.type to limit, or leave order.price out"}`},
	{"limit without a price", single, with(`{`, `{"order":{"type":"limit"},`),
		`{"field":"order.price","allowed":{"type":"number","exclusive_min":0}}`},
	{"price that is none", single, with(`{`, `{"order":{"type":"limit","price":-1},`),
		`{"field":"order.price","got":-1,"allowed":{"exclusive_min":0}}`},
	{"another venue's word", single, with(`{`, `{"order":{"type":"limit","price":5e4,"tif":"post_only"},`),
		`{"field":"order.tif","got":"post_only","allowed":{"values":["gtc","ioc","alo"]},"suggestion":"alo"}`},
	{"market order that rests", single, with(`{`, `{"order":{"tif":"gtc"},`),
		`{"field":"order.tif","got":"gtc","suggestion":"set order.type to limit, or leave order.tif out"}`},
	{"leverage as text", single, with(`:10`, `:"10x"`),
		`{"field":"leverage","got":"10x","allowed":{"type":"number","min":1,"max":40},"suggestion":10}`},
	{"leverage as text, too high", single, with(`:10`, `:"100x"`),
		`{"field":"leverage","got":"100x","allowed":{"type":"number","min":1,"max":40},"suggestion":40}`},
	{"every slip at once", single, with(`"BTC"`, `"btc"`, `"long"`, `"BUY"`, `:10`, `:"10x"`, `{`,
		`{"mode":"CROSS","monte_carlo":"no",`),
		`{"field":"action","got":"BUY","allowed":{"values":["long","short","close"]},"suggestion":"long","problems":[` +
			`{"field":"action","detail":"invalid action: BUY (want long, short or close)","got":"BUY",` +
			`"suggestion":"long"},{"field":"asset","detail":"invalid asset: btc","got":"btc","suggestion":"BTC"},` +
			`{"field":"leverage","detail":"field leverage must be a number","got":"10x","suggestion":10},` +
			`{"field":"mode","detail":"invalid mode: CROSS (want cross or isolated)","got":"CROSS",` +
			`"suggestion":"cross"},` +
			`{"field":"monte_carlo","detail":"field monte_carlo must be a boolean","got":"no","suggestion":false}]}`},
	{"stop on the wrong side", single, with(`{`, `{"order":{"stop_loss_price":99000},`),
		`{"field":"order.stop_loss_price","got":99000,"allowed":{"exclusive_min":0,"exclusive_max":67123.5},` +
			`"suggestion":"a price below 67123.5"}`},
	{"take profit on the wrong side", single, with(`{`, `{"order":{"take_profit_price":9},`),
		`{"field":"order.take_profit_price","got":9,"allowed":{"exclusive_min":67123.5},` +
			`"suggestion":"a price above 67123.5"}`},
	{"stop as text", single, with(`{`, `{"order":{"stop_loss_price":"$50,000"},`),
		`{"field":"order.stop_loss_price","got":"$50,000","allowed":{"type":"number","exclusive_min":0},` +
			`"suggestion":50000}`},
	{"stop by another word", single, with(`{`, `{"order":{"sl":1},`),
		`{"field":"order.sl",` + orderMembers + `,"suggestion":"stop_loss_price"}`},
	{"stop beside the order", single, with(`{`, `{"stop_loss_price":1,`), `{"field":"stop_loss_price",` + fields +
		`,"suggestion":"put it into order, an object, as stop_loss_price"}`},
	{"order of a list", single, with(`{`, `{"order":[1],`), `{"field":"order","got":"[1]",` +
		`"allowed":{"type":"object"},"suggestion":"an object, as {\"type\":\"market\",\"stop_loss_price\":55000}"}`},
	{"type of an order", single, with(`{`, `{"order":{"type":"Market"},`),
		`{"field":"order.type","got":"Market","allowed":{"values":["market","limit"]},"suggestion":"market"}`},
	{"several trades at once", single, with(`{`, `{"trades":[],`),
		`{"field":"trades",` + fields + `,"suggestion":"send several trades to POST /v1/validate/batch"}`},
	{"one trade sent as a batch", batches, `{"wallet":"` + wallet + `","asset":"BTC"}`,
		`{"field":"asset","allowed":{"values":["wallet","trades"]},` + inTrades + `,"problems":[` +
			`{"field":"asset","detail":"unknown field: asset",` + inTrades + `},` +
			`{"field":"trades","detail":"missing field: trades",` + aList + `}]}`},
	{"trades as text", batches, `{"wallet":"` + wallet + `","trades":"[]"}`,
		`{"field":"trades","got":"[]","allowed":{"type":"array"},` + aList + `}`},
	{"trades as the text of a list", batches, `{"wallet":"` + wallet + `","trades":"[{}]"}`,
		`{"field":"trades","got":"[{}]","allowed":{"type":"array"},` +
			`"suggestion":"the list itself, without quotes around it"}`},
	{"no size", single, with(`50000`, `0`), `{"field":"size","got":0,"allowed":{"exclusive_min":0,"max":100000000}}`},
	{"size too large", single, with(`50000`, `1e9`), `{"field":"size","got":1000000000,"allowed":{"max":100000000}}`},
	{"size of 309 digits", single, with(`50000`, `1e308`),
		`{"field":"size","got":1` + strings.Repeat("0", 308) + `,"allowed":{"max":100000000}}`},
	{"two mistakes", single, with(`50000`, `0`, `:10`, `:100`),
		`{"field":"size","got":0,"allowed":{"exclusive_min":0,"max":100000000},"problems":[` +
			`{"field":"size","detail":"size must be positive, got 0","got":0},` +
			`{"field":"leverage","detail":"leverage 100 exceeds maximum 40","got":100,"suggestion":40}]}`},
	{"bad address", single, with(wallet, `0x12<`), `{"field":"wallet","got":"0x12<",` + addresses},
	{"address cut off", single, with(wallet, wallet[:20]), `{"field":"wallet","got":"` + wallet[:20] +
		`","allowed":{"pattern":"^0x[0-9a-fA-F]{40}$"},"suggestion":"0x and 40 hexadecimal digits, not 18"}`},
	{"address without 0x", single, with(wallet, wallet[2:]),
		`{"field":"wallet","got":"` + wallet[2:] + `","allowed":{"pattern":"^0x[0-9a-fA-F]{40}$"},"suggestion":"` +
			wallet + `"}`},
	{"name of another venue", single, with(`"BTC"`, `"btc/USDC:USDC"`),
		`{"field":"asset","got":"btc/USDC:USDC","suggestion":"BTC"}`},
	{"name of another venue", single, with(`"BTC"`, `"BTC-USDT-SWAP"`),
		`{"field":"asset","got":"BTC-USDT-SWAP","suggestion":"BTC"}`},
	{"field of another venue", single, with(`{`, `{"side":"buy",`),
		`{"field":"side",` + fields + `,"suggestion":"action"}`},
	{"mode in capitals", single, with(`{`, `{"mode":"Isolated",`),
		`{"field":"mode","got":"Isolated","allowed":{"values":["cross","isolated"]},"suggestion":"isolated"}`},
	{"unknown mode", single, with(`{`, `{"mode":"both",`),
		`{"field":"mode","got":"both","allowed":{"values":["cross","isolated"]}}`},
	{"isolated only", single, with(`"BTC"`, `"ISO"`),
		`{"field":"mode","allowed":{"values":["isolated"]},"suggestion":"isolated"}`},
	{"flag as text", single, with(`{`, `{"monte_carlo":"yes",`),
		`{"field":"monte_carlo","got":"yes","allowed":{"type":"boolean"},"suggestion":true}`},
	{"unknown field", single, with(`{`, `{"levrage":5,`), `{"field":"levrage",` + fields + `,"suggestion":"leverage"}`},
	{"field without a name", single, with(`{`, `{"":5,`), `{"field":"\"\"",` + fields + `}`},
	{"no JSON", single, `{`, `{}`},
	{"a name twice", single, with(`{`, `{"asset":"ETH",`), `{"field":"asset"}`},
	{"no number", single, with(`50000`, `NaN`), `{"field":"size"}`},
	{"no number inside", single, with(`{`, `{"more":{"a":[1,{"b":-}]},`), `{"field":"more.a.b"}`},
	{"no number in a batch", batches, batchOf(btcLong, strings.Replace(btcLong, "50000", "NaN", 1)),
		`{"field":"trades[1].size"}`},
	{"a name twice in a batch", batches, strings.Replace(batchOf(btcLong), "{", `{"wallet":"",`, 1),
		`{"field":"wallet"}`},
	{"a chance in percent", "POST /v1/size", sizeFor(`"0.5%"`), aChance(`"0.5%"`, "0.005")},
	{"a chance of one percent", "POST /v1/size", sizeFor(`"1 %"`), aChance(`"1 %"`, "0.01")},
	{"a chance as text", "POST /v1/size", sizeFor(`"0.05"`), aChance(`"0.05"`, "0.05")},
	{"batch of none", batches, batchOf(), `{"field":"trades","allowed":{"type":"array"},` + aList + `}`},
	{"batch without trades", batches, `{"wallet":"` + wallet + `"}`,
		`{"field":"trades","allowed":{"type":"array"},` + aList + `}`},
	{"batch of too many", batches, batchOf(strings.Split(strings.Repeat(btcLong+"|", 50)+btcLong,
		"|")...),
		`{"field":"trades","allowed":{"max":50},"suggestion":"send the trades after these in requests of their own"}`},
	{"batch for an invalid wallet", batches, strings.Replace(batchOf(btcLong), wallet, "me", 1),
		`{"field":"wallet","got":"me",` + addresses},
	{"batch with an unknown field", batches, strings.Replace(batchOf(btcLong), "{", `{"trade":1,`, 1),
		`{"field":"trade","allowed":{"values":["wallet","trades"]},"suggestion":"trades"}`},
	{"monitor of an invalid wallet", "GET /v1/monitor/me", "", `{"field":"wallet","got":"me",` + addresses},
	{"record of an unknown asset", "GET /v1/backtest/eth", "", `{"field":"asset","got":"eth","suggestion":"ETH"}`},
	{"misspelt parameter", "POST /v1/validate?vieww=compact", trade("BTC"),
		`{"field":"vieww","got":"vieww","allowed":{"values":["explain","view","record","deposit"]},` +
			`"suggestion":"view"}`},
	{"parameter in capitals", "POST /v1/validate?Explain=true", trade("BTC"),
		`{"field":"Explain","got":"Explain","allowed":{"values":["explain","view","record","deposit"]},` +
			`"suggestion":"explain"}`},
	{"parameter unlike any name", "POST /v1/validate?view=compact&_=%3C", trade("BTC"),
		`{"field":"_","got":"_","allowed":{"values":["explain","view","record","deposit"]}}`},
	{"unknown view", "POST /v1/validate?explain=true&view=foo", trade("BTC"),
		`{"field":"view","got":"foo","allowed":{"values":["compact"]}}`},
	{"misspelt view", "POST /v1/validate/batch?view=Compct", batchOf(btcLong),
		`{"field":"view","got":"Compct","allowed":{"values":["compact"]},"suggestion":"compact"}`},
	{"explanation with another word", "POST /v1/validate/batch?explain=yes", batchOf(btcLong),
		`{"field":"explain","got":"yes","allowed":{"values":["true","false"]}}`},
	{"explanation without a word", "POST /v1/validate?explain", trade("BTC"),
		`{"field":"explain","got":"","allowed":{"values":["true","false"]}}`},
	{"view twice", "POST /v1/validate?view=compact&view=compact", trade("BTC"), `{"field":"view"}`},
	{"explanation of a wallet", "GET /v1/monitor/" + wallet + "?explain=true", "",
		`{"field":"explain","got":"explain","allowed":{"values":["view","max_probability_24h","survive"]}}`},
	{"a chance above 1", "GET /v1/monitor/" + wallet + "?max_probability_24h=5", "",
		`{"field":"max_probability_24h","got":"5","allowed":{"type":"number","max":1},"suggestion":0.05}`},
	{"a chance that is no number", "GET /v1/monitor/" + wallet + "?survive=true&max_probability_24h=NaN", "",
		`{"field":"max_probability_24h","got":"NaN","allowed":{"type":"number","max":1}}`},
	{"a chance twice", "GET /v1/monitor/" + wallet + "?max_probability_24h=0.1&max_probability_24h=0.2", "",
		`{"field":"max_probability_24h"}`},
	{"survival with another word", "GET /v1/monitor/" + wallet + "?survive=yes", "",
		`{"field":"survive","got":"yes","allowed":{"values":["true","false"]}}`},
	{"unknown view of a wallet", "GET /v1/monitor/" + wallet + "?view=full", "",
		`{"field":"view","got":"full","allowed":{"values":["compact"]}}`},
	{"no wallet", "GET /v1/monitor/", "", `{"suggestion":"/v1/monitor/{wallet}"}`},
	{"no wallet and no slash", "GET /v1/monitor", "", `{"suggestion":"/v1/monitor/{wallet}"}`},
	{"no asset", "GET /v1/backtest/", "", `{"suggestion":"/v1/backtest/{asset}"}`},
	{"nearly a route", "GET /v1/asset", "", `{"suggestion":"/v1/assets"}`},
	{"no route at all", "GET /x", "", `{}`},
	{"another method", "GET /v1/validate", "", `{"got":"GET","allowed":{"values":["POST"]}}`},
	{"body too large", single, strings.Repeat(" ", 70000), `{"allowed":{"max":65536}}`},
}

// with returns a valid request with texts replaced: old, new, old, new.
func with(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(trade("BTC")) }

// without returns a valid request without one field.
func without(field string) string {
	var body map[string]any
	if err := json.Unmarshal([]byte(trade("BTC")), &body); err != nil {
		panic(err)
	}
	delete(body, field)
	text, _ := json.Marshal(body)
	return string(text)
}

// TestErrorsSayNumbersInFull: got is a number without an exponent, with the value that detail says.
func TestErrorsSayNumbersInFull(t *testing.T) {
	f := warmFixture(t, nil)
	zeros := strings.Repeat("0", 308)
	for _, c := range []struct{ field, got, detail, want string }{
		{"size", "1e308", "size 1e+308 exceeds maximum allowed 100000000", "1" + zeros},
		{"size", "1e63", "size 1" + zeros[:63] + " exceeds maximum allowed 100000000", "1" + zeros[:63]},
		{"leverage", "1e-300", "leverage must be at least 1, got 1e-300", "0." + zeros[:299] + "1"},
		{"leverage", "1e-7", "leverage must be at least 1, got 0.0000001", "0.0000001"},
	} {
		body := with(`50000`, c.got)
		if c.field == "leverage" {
			body = with(`:10`, `:`+c.got)
		}
		if r := f.post(body); r.detail() != c.detail || !strings.Contains(string(r.body), `"got":`+c.want+`,`) {
			t.Errorf("%s %s: %s", c.field, c.got, r.body)
		}
		got := f.tool("validate_trade", body)
		if text := got.Content[0].Text; got.Structured["error"] != "validation_error" ||
			!strings.Contains(text, "got: "+c.want+"\n") {
			t.Errorf("%s %s: %s", c.field, c.got, text)
		}
	}
}

func TestErrorsThatCanBeMended(t *testing.T) {
	f := warmFixture(t, nil)
	for _, row := range mendable {
		r := f.call(row.call, row.body)
		if r.errorCode() == "" || r.detail() == "" {
			t.Errorf("%s: %d %s", row.name, r.status, r.body)
		}
		delete(r.tree, "error")
		delete(r.tree, "detail")
		var want map[string]any
		if err := json.Unmarshal([]byte(row.want), &want); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if !reflect.DeepEqual(r.tree, want) {
			t.Errorf("%s: %s\nwant the members %s", row.name, r.body, row.want)
		}
	}
	f.raw(strings.Replace(f.request("POST", "/v1/validate", trade("BTC")), "application/json", "text/plain", 1)).
		want(415, "", `,"field":"Content-Type","got":"text/plain","allowed":{"values":["application/json"]}}`)
	f.post(trade("BTC"), "Content-Encoding: br").
		want(415, "", `,"field":"Content-Encoding","got":"br","allowed":{"values":["identity"]}}`)
}

// TestPlansCanBeMended: a trade of a plan that breaks a rule says how to mend it as its validation does.
func TestPlansCanBeMended(t *testing.T) {
	f := warmFixture(t, nil)
	for _, trade := range []string{
		`"asset":"btc","action":"long","size":50000`, `"asset":"BTC","action":"long","size":50000,"leverage":"10x"`,
		`"asset":"btc","action":"BUY","size":"50,000","leverage":400`, `"asset":"BTC","action":"long"`,
		`"asset":"BTC","action":"long","size":50000,"order":{"stop_loss_price":90000}`,
	} {
		alone := f.post(`{"wallet":"`+wallet+`",`+trade+`}`).want(400, "validation_error").tree
		meta := f.postBatch(batchOf(btcLong, "{"+trade+"}")).results(t)[1]["meta"].(map[string]any)
		if meta["error"] != alone["detail"] {
			t.Errorf("%s: %v, alone %v", trade, meta["error"], alone["detail"])
		}
		for _, member := range []string{"field", "got", "allowed", "suggestion", "problems"} {
			if !reflect.DeepEqual(meta[member], alone[member]) {
				t.Errorf("%s: %s is %v, alone %v", trade, member, meta[member], alone[member])
			}
		}
	}
}

// TestCompactPlansCanBeMended: the summary of a trade that breaks a rule says how to mend it.
func TestCompactPlansCanBeMended(t *testing.T) {
	f := newFixture(t, nil)
	for _, c := range []struct{ trade, want string }{
		{`{"asset":"btc","action":"long","size":1}`, "Not assessed: invalid asset: btc; try BTC."},
		{`{"asset":"BTCX","action":"long","size":1}`,
			"Not assessed: invalid asset: BTCX; nearest names: BTC; all are listed by GET /v1/assets."},
		{`{"asset":"BTC","action":"buy","size":1}`,
			"Not assessed: invalid action: buy (want long, short or close); try long."},
		{`{"asset":"BTC","side":"long","size":1}`,
			"Not assessed: unknown field: side; try action."},
		{`{"wallet":"` + wallet + `","asset":"BTC","action":"long","size":1}`,
			"Not assessed: unknown field: wallet; leave it out: a batch has one wallet, beside trades."},
		{`{"Address":"` + wallet + `","asset":"BTC","action":"long","size":1}`,
			"Not assessed: unknown field: Address; leave it out: a batch has one wallet, beside trades."},
		{`{"walet":1,"asset":"BTC","action":"long","size":1}`,
			"Not assessed: unknown field: walet; leave it out: a batch has one wallet, beside trades."},
		{`{"asset":"BTC"}`, "Not assessed: missing field: size; missing field: action."},
		{`null`, "Not assessed: each trade must be an object, as " +
			`{"asset":"BTC","action":"long","size":50000}.`},
	} {
		r := f.call(batches+"?view=compact", batchOf(btcLong, c.trade))
		if got := r.results(t)[1]["summary"]; got != c.want {
			t.Errorf("%s: %q, want %q", c.trade, got, c.want)
		}
	}
}
