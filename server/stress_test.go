package server

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

func shocks(members string) string { return `{"wallet":"` + wallet + `",` + members + `}` }

func (f *fixture) shock(members string) *reply {
	return f.raw(f.request("POST", "/v1/stress", shocks(members)))
}

func TestStress(t *testing.T) {
	f := warmFixture(t, nil)
	f.shock(`"shocks":{"ISO":-50}`).ok(`"unused":["ISO"],"pnl_usd":0,`, `"account_survives":true`) // it is not held
	r := f.shock(`"shocks":{"BTC":-99,"*":-90}`)
	if r.status != 200 || r.tree["wallet"] != wallet || r.tree["meta"].(map[string]any)["venue_notice"] != nil {
		t.Fatalf("%d %s", r.status, r.body)
	}
	applied := r.tree["shocks"].(map[string]any)
	for asset, pct := range applied {
		if want := map[bool]float64{true: -99, false: -90}[asset == "BTC"]; pct != want {
			t.Errorf("%s moves by %v, want %v", asset, pct, want)
		}
	}
	if len(applied) == 0 || len(r.tree["pools"].([]any)) == 0 || len(r.tree["positions"].([]any)) == 0 {
		t.Errorf("%s", r.body)
	}
	after := f.shock(`"trade":{"asset":"BTC","action":"long","size_coin":0.5},"shocks":{"BTC":-10}`)
	if after.status != 200 || after.tree["pnl_usd"].(float64) >= 0 {
		t.Errorf("after a trade: %d %s", after.status, after.body)
	}
	f.shock(`"shocks":{"*":-10}`).ok(`"flags":[],"meta"`)
	f.venueGives(nil, errors.New("venue is down"))
	f.aged(5 * time.Second)
	f.shock(`"shocks":{"*":-10}`).ok(`"flags":["stale_market_data"],"meta"`)
	f.know(agent(walletOf(wallet)))
	f.shock(`"shocks":{"*":-10}`).want(400, "api_wallet")
}

func TestStressRefuses(t *testing.T) {
	f := warmFixture(t, nil)
	var many []string
	for i := range 65 {
		many = append(many, `"A`+strconv.Itoa(i)+`":1`)
	}
	for _, row := range []struct{ members, field, detail string }{
		{`"x":1`, "x", "unknown field: x"},
		{`"trade":null`, "shocks", "missing field: shocks"},
		{`"shocks":{}`, "shocks", "shocks is empty"},
		{`"shocks":[]`, "shocks", "field shocks must be an object"},
		{`"shocks":{` + strings.Join(many, ",") + `}`, "shocks", "max 64 shocks"},
		{`"shocks":{"BTC":-100}`, "shocks.BTC", "shock of BTC must be above -100 and at most 1000, got -100"},
		{`"shocks":{"*":1000.5}`, "shocks.*", "shock of * must be above -100 and at most 1000, got 1000.5"},
		{`"shocks":{"BTC":"-20%"}`, "shocks.BTC", "field shocks.BTC must be a number"},
		{`"shocks":{"BTC":null}`, "shocks.BTC", "field shocks.BTC must be a number"},
		{`"shocks":{"btc":1}`, "shocks.btc", "invalid asset: btc"},
		{`"shocks":{"OLD":1}`, "shocks.OLD", "invalid asset: OLD"},
		{`"shocks":{"BTC":1},"trade":5`, "trade", "field trade must be an object"},
		{`"shocks":{"BTC":1},"trade":{"asset":"BTC","action":"buy","size":1}`, "trade.action",
			"invalid action: buy (want long, short or close)"},
		{`"shocks":{"BTC":1},"trade":{"asset":"BTC","action":"long","size_coin":1e6}`, "trade.size_coin", ""},
		{`"shocks":{"BTC":1},"trade":{"asset":"BTC","action":"long","sz":1}`, "trade.sz", "unknown field: sz"},
	} {
		r := f.shock(row.members)
		r.want(400, "validation_error").holds("field", row.field)
		if row.detail != "" {
			r.holds("detail", row.detail)
		}
	}
	r := f.shock(`"shocks":{"BTC":"-20%","eth":1},"trade":{"asset":"btc","action":"BUY","size":"5k"}`)
	want := map[string]any{"shocks.BTC": -20.0, "shocks.eth": "ETH", "trade.asset": "BTC", "trade.action": "long",
		"trade.size": 5000.0}
	problems, _ := r.tree["problems"].([]any)
	for _, p := range problems {
		p := p.(map[string]any)
		if p["suggestion"] != want[p["field"].(string)] {
			t.Errorf("%v, want %v", p, want[p["field"].(string)])
		}
	}
	if len(problems) != len(want) {
		t.Errorf("%d problems, want %d: %s", len(problems), len(want), r.body)
	}
	for _, body := range []string{`{"wallet":"me","shocks":{"BTC":1}}`, `{"shocks":{"BTC":1}}`} {
		f.call("POST /v1/stress", body).want(400, "").holds("field", "wallet")
	}
	f.shock(`"shocks":{"BTC":1,"BTC":2}`).holds("error", "invalid_json", "field", "shocks.BTC")
}
