package sim

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"ballast/marketcache/venue/exchange"
)

// text returns the body of POST /exchange for a form, signed for a network.
func (d *desk) text(form exchange.Form, n exchange.Network) string {
	d.t.Helper()
	env := d.envelope(form)
	if err := env.Sign(d.key, n); err != nil {
		d.t.Fatal(err)
	}
	return string(env.AppendJSON(nil))
}

// serve runs an exchange whose clock stands, and returns a trader's desk on its market.
func serve(t *testing.T, trader int) (*running, *desk) {
	now, _ := movedClock()
	r := start(t, Config{Seed: 2, Manual: true, Now: now})
	d := &desk{t: t, m: r.market, ms: testStart.UnixMilli(), user: Traders[trader].Address}
	return r, d.with(Traders[trader].Key)
}

func TestExchangeOverHTTP(t *testing.T) {
	r, d := serve(t, 0)
	order := &exchange.PlaceOrders{Orders: []exchange.Order{d.buys("BTC", "0.1", d.at("BTC", 1.05), exchange.IOC)}}
	for _, n := range []exchange.Network{exchange.Testnet, exchange.Mainnet} {
		status, _, b := r.postTo("/exchange", "application/json", d.text(order, n))
		if status != 200 || !strings.Contains(string(b), `"filled":{`) {
			t.Fatalf("%v: %d %s", n, status, b)
		}
	}
	text := d.text(order, exchange.Testnet)
	rows := []struct {
		name, kind, body string
		status           int
		want             string
	}{
		{"not JSON", "application/json", text[1:], 400, "Failed to parse the request body as JSON"},
		{"no signature", "application/json", `{"action":{"type":"noop"},"nonce":1}`, 422,
			"Failed to deserialize the JSON body into the target type"},
		{"unknown action", "application/json", strings.Replace(text, `"order"`, `"buyAll"`, 1), 422,
			"Failed to deserialize the JSON body into the target type"},
		{"zeros", "application/json", strings.Replace(text, `"0.1"`, `"0.10"`, 1), 422,
			"Failed to deserialize the JSON body into the target type"},
		{"form", "text/plain", text, 415, wrongType},
	}
	for _, row := range rows {
		status, _, b := r.postTo("/exchange", row.kind, row.body)
		if status != row.status || string(b) != row.want {
			t.Errorf("%s: %d %s", row.name, status, b)
		}
	}
	forged := strings.Replace(text, `"s":"0.1"`, `"s":"0.2"`, 1)
	if _, _, b := r.postTo("/exchange", "application/json", forged); !strings.Contains(string(b), "does not exist.") {
		t.Errorf("a changed size: %s", b)
	}
	s := r.Stats()
	want := map[string]int64{"order": 3, "unreadable": 3, "unknown": 1}
	if s.Orders != 3 || !maps.Equal(s.Actions, want) {
		t.Errorf("%d orders, actions %v, want %v", s.Orders, s.Actions, want)
	}
	var state stateIn
	r.info(`{"type":"clearinghouseState","user":"`+d.user+`"}`, &state)
	if len(state.AssetPositions) != 1 || state.AssetPositions[0].Position.Szi != "0.2" {
		t.Errorf("%+v", state.AssetPositions)
	}
}

// An agent trades for its owner, and may not do what the owner alone signs.
func TestAgents(t *testing.T) {
	r, d := serve(t, 0)
	agent := d.with(Traders[0].AgentKey)
	agent.order(agent.buys("BTC", "0.1", agent.at("BTC", 1.05), exchange.IOC))
	if d.position("BTC") != 10_000 {
		t.Fatalf("%d size units", d.position("BTC"))
	}
	signing := exchange.Signing{ChainID: 421614, Network: exchange.Testnet}
	transfer := func(d *desk) string {
		s := signing
		s.Nonce = d.nonce + 1
		return d.send(&exchange.USDClassTransfer{Signing: s, Amount: "10"}).text(t)
	}
	if got, want := transfer(agent), "Must deposit before performing actions. User: "+Traders[0].Agent; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := transfer(d); got != "" {
		t.Errorf("the owner's transfer: %q", got)
	}
	var ledger []struct{ Delta struct{ Type, USDC string } }
	r.info(`{"type":"userNonFundingLedgerUpdates","user":"`+d.user+`","startTime":0}`, &ledger)
	if got := fmt.Sprint(ledger); got != "[{{accountClassTransfer 10.0}}]" {
		t.Errorf("the ledger: %s", got)
	}
	approve := func(name string, key exchange.Key) string {
		s := signing
		s.Nonce = d.nonce + 1
		return d.send(&exchange.ApproveAgent{Signing: s, Agent: key.Address(), HasName: true, Name: name}).text(t)
	}
	fresh, err := exchange.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if got := approve(fmt.Sprintf("demo valid_until %d", d.ms-1), fresh); got != "Agent valid_until already expired." {
		t.Errorf("%q", got)
	}
	if got := approve(fmt.Sprintf("demo valid_until %d", d.ms+hourMs), fresh); got != "" {
		t.Fatalf("%q", got)
	}
	if got := approve("other", fresh); got != "Extra agent already used." {
		t.Errorf("%q", got)
	}
	if got := agent.send(&exchange.Noop{}).text(t); !strings.HasSuffix(got, "does not exist.") {
		t.Errorf("a replaced agent: %q", got)
	}
	var role struct {
		Role string
		Data struct{ User string }
	}
	r.info(`{"type":"userRole","user":"`+fresh.Address().String()+`"}`, &role)
	if role.Role != "agent" || role.Data.User != d.user {
		t.Errorf("%+v", role)
	}
	var extra []struct{ Name, Address string }
	r.info(`{"type":"extraAgents","user":"`+d.user+`"}`, &extra)
	if len(extra) != 1 || extra[0].Name != "demo" || extra[0].Address != fresh.Address().String() {
		t.Errorf("%+v", extra)
	}
	other := *d
	other.key = fresh
	if got := other.send(&exchange.Noop{}).text(t); got != "" {
		t.Errorf("the new agent: %q", got)
	}
	d.ms += 2 * hourMs
	other.nonce = uint64(d.ms)
	if got := other.send(&exchange.Noop{}).text(t); got != "" && !strings.HasSuffix(got, "does not exist.") {
		t.Errorf("an expired agent: %q", got)
	}
}

// Sockets take posts, and the account's streams tell what happened.
func TestSocketPosts(t *testing.T) {
	r, d := serve(t, 0)
	s := r.dial()
	for _, kind := range []string{"userFills", "orderUpdates", "userEvents", "openOrders", "clearinghouseState"} {
		s.send(subscribe(`{"type":"` + kind + `","user":"` + d.user + `"}`))
		s.until("subscriptionResponse")
	}
	post := func(id int, kind, payload string) (response struct {
		Type    string
		Payload json.RawMessage
	}) {
		t.Helper()
		s.send(fmt.Sprintf(`{"method":"post","id":%d,"request":{"type":%q,"payload":%s}}`, id, kind, payload))
		var in struct {
			ID       int
			Response *struct {
				Type    string
				Payload json.RawMessage
			}
		}
		in.Response = &response
		if err := json.Unmarshal(s.until("post").Data, &in); err != nil || in.ID != id {
			t.Fatalf("%d, %v", in.ID, err)
		}
		return response
	}
	order := &exchange.PlaceOrders{Orders: []exchange.Order{d.buys("ETH", "1", d.at("ETH", 1.05), exchange.IOC)}}
	got := post(7, "action", d.text(order, exchange.Testnet))
	if got.Type != "action" || !strings.Contains(string(got.Payload), `"filled":{`) {
		t.Fatalf("%s %s", got.Type, got.Payload)
	}
	r.step(true)
	for channel, want := range map[string]string{"userFills": `"dir":"Open Long"`, "orderUpdates": `"status":"filled"`,
		"user": `"fills":[{`, "clearinghouseState": `"szi":"1.0"`} {
		s.wait(channel, want)
	}
	if got = post(8, "info", `{"type":"userRole","user":"`+d.user+`"}`); string(got.Payload) !=
		`{"data":{"role":"user"},"type":"userRole"}` {
		t.Errorf("%s %s", got.Type, got.Payload)
	}
	got = post(9, "action", `{"action":{"type":"noop"}}`)
	if got.Type != "error" || !strings.HasPrefix(string(got.Payload), `"422 `) {
		t.Errorf("%s %s", got.Type, got.Payload)
	}
}

// Orders of many connections at once, while the market moves and others read, add up.
func TestOrdersAtOnce(t *testing.T) {
	r, d := serve(t, 2)
	const clients, each = 8, 12 // fewer than the nonces that are remembered
	order := &exchange.PlaceOrders{Orders: []exchange.Order{d.buys("BTC", "0.001", d.at("BTC", 1.1), exchange.IOC)}}
	bodies := make([]string, clients*each)
	for i := range bodies {
		bodies[i] = d.text(order, exchange.Testnet)
	}
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				said := string(r.act([]byte(bodies[c*each+i]), "client", noFaults).body())
				if !strings.Contains(said, `"filled"`) {
					t.Errorf("%s", said)
				}
				r.source.info(&infoRequest{Type: "userFills", User: d.user}, noFaults)
				r.source.info(&infoRequest{Type: "clearinghouseState", User: d.user}, noFaults)
			}
		})
		r.step(true)
	}
	wg.Wait()
	if got := d.position("BTC"); got != clients*each*100 {
		t.Errorf("%d size units", got)
	}
}
