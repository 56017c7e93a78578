package server

import (
	"strings"
	"testing"
)

// ordered is a trade in BTC with an order.
func ordered(order string) string {
	return strings.Replace(trade("BTC"), `{`, `{"order":`+order+`,`, 1)
}

// A limit order has its block in both views, and its price is checked as the venue would.
func TestLimitOrder(t *testing.T) {
	f := warmFixture(t, nil)
	const order = `{"type":"limit","price":60000.5,"tif":"alo","stop_loss_price":50000}`
	for _, call := range []string{single, single + "?view=compact"} {
		r := f.call(call, ordered(order))
		fill, _ := r.tree["execution"].(map[string]any)
		maker, _ := fill["maker_usd"].(float64)
		taker, _ := fill["taker_usd"].(float64)
		if p, _ := fill["p_fill_24h"].(float64); r.status != 200 || taker != 0 || maker != 50_000 ||
			fill["fill_price"] != 60000.5 || !(p > 0 && p < 0.1) || r.tree["order"] == nil {
			t.Errorf("%s: %d %v", call, r.status, r.tree)
		}
	}
	f.post(ordered(order)).ok(`"verdict":"will_reject"`,
		`"issues":[{"code":"tick","field":"order.price","got":60000.5,"limit":1,"fix":60000}]`)
	f.post(ordered(`{"type":"limit","price":70000,"tif":"alo"}`)).ok(`{"code":"would_cross","field":"order.price"`,
		`"unfilled_usd":50000,"fill_price":null`)
}

// A stop on the wrong side is refused; in a batch it fails its element alone, on the side of the position that the
// trades before it have left.
func TestStopOnTheWrongSide(t *testing.T) {
	f := warmFixture(t, nil)
	f.post(ordered(`{"stop_loss_price":90000}`)).want(400, "validation_error")
	element := func(action, order string) string {
		return `{"asset":"ISO","action":"` + action + `","size":1000,"mode":"isolated","order":` + order + `}`
	}
	low, high := `{"stop_loss_price":0.01}`, `{"stop_loss_price":1e6}`
	results := f.postBatch(batchOf(element("short", low), element("short", high), element("close", low),
		element("long", low))).results(t)
	for i, refused := range []bool{true, false, false, false} {
		detail, is := results[i]["meta"].(map[string]any)["error"].(string)
		if is != refused || refused && !strings.Contains(detail, "must be above the mark price") {
			t.Errorf("trade %d: %v", i, results[i]["meta"])
		}
	}
	for i, want := range map[int]any{1: "short", 3: "long"} {
		after := results[i]["position"].(map[string]any)["after"].(map[string]any)
		if after["side"] != want || results[i]["order"].(map[string]any)["stop_loss"] == nil {
			t.Errorf("trade %d: %v %v", i, after, results[i]["order"])
		}
	}
	if level := results[2]["order"].(map[string]any); level["stop_loss"] != nil || level["p_stop_first"] != nil {
		t.Errorf("nothing is left: %v", level)
	}
	f.shock(`"shocks":{"BTC":1},"trade":{"asset":"BTC","action":"long","size":10,"order":`+high+`}`).
		want(400, "validation_error", `"field":"trade.order.stop_loss_price"`)
}
