package server

import (
	"context"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
)

const ownerWallet = "0x00000000000000000000000000000000000000bb"

// agent is the API wallet of ownerWallet: it holds nothing.
func agent(w marketcache.Wallet) *marketcache.Account {
	return &marketcache.Account{Wallet: w, Received: marketcache.Now(), Role: "agent", Owner: walletOf(ownerWallet)}
}

// know makes an account that of its wallet, in the cache and at the venue.
func (f *fixture) know(a *marketcache.Account) {
	f.setLoad(func(context.Context, marketcache.Wallet, marketcache.AssetID) (*marketcache.Account, error) {
		again := *a
		again.Received = marketcache.Now()
		f.cache.StoreAccount(&again)
		return &again, nil
	})
	f.cache.StoreAccount(a)
}

// An API wallet holds nothing: asked about one, the service names the account.
func TestAPIWallet(t *testing.T) {
	f := newFixture(t, nil)
	f.know(agent(walletOf(wallet)))
	want := "wallet " + wallet + " is an API wallet of " + ownerWallet + ": ask for the account"
	for name, r := range map[string]*reply{"validate": f.post(trade("BTC")), "batch": f.postBatch(batchOf(btcLong)),
		"monitor": f.get("/v1/monitor/" + wallet)} {
		if r.status != 400 || r.errorCode() != "api_wallet" || r.detail() != want || r.tree["field"] != "wallet" ||
			r.tree["got"] != wallet || r.tree["suggestion"] != ownerWallet {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	unowned := agent(walletOf(wallet))
	unowned.Owner = marketcache.Wallet{}
	f.know(unowned)
	f.post(trade("BTC")).ok()
}

func TestAPIWalletAtTheAlertSocket(t *testing.T) {
	f := newFixture(t, nil)
	f.cache.StoreAccount(agent(walletOf(wallet)))
	ws := f.subscribe(t)
	defer ws.Close()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(`{"wallet":"`+strings.ToUpper(wallet[2:])+`"}`)); err != nil {
		t.Fatal(err)
	}
	if _, text, err := ws.ReadMessage(); err != nil || !strings.Contains(string(text), "invalid wallet address") {
		t.Errorf("an address without 0x: %v %s", err, text)
	}
	ws = f.subscribe(t)
	defer ws.Close()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(`{"wallet":"`+wallet+`"}`)); err != nil {
		t.Fatal(err)
	}
	_, text, err := ws.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	m := f.hear(text)
	if m["error"] != "invalid_config" || m["suggestion"] != ownerWallet ||
		!strings.HasSuffix(m["detail"].(string), ": ask for the account") {
		t.Errorf("%s", text)
	}
}

// A size in coins is assessed like the same size in USD at the mark, and has the same limit.
func TestSizeInCoins(t *testing.T) {
	f := newFixture(t, nil)
	f.warm()
	coins := func(n string) string { return strings.Replace(trade("BTC"), `"size":50000`, `"size_coin":`+n, 1) }
	r := f.post(coins("0.5"))
	if r.status != 200 || r.tree["admissibility"].(map[string]any)["order_size_coin"] != 0.5 {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := f.post(coins("1000000")); r.status != 400 || !strings.HasPrefix(r.detail(), "size_coin 1000000: size ") ||
		r.tree["field"] != "size_coin" {
		t.Errorf("%d %s", r.status, r.body)
	}
	tooMany := strings.Replace(btcLong, `"size":50000`, `"size_coin":1000000`, 1)
	some := strings.Replace(btcLong, `"size":50000`, `"size_coin":0.25`, 1)
	results := f.postBatch(batchOf(some, tooMany, some)).results(t)
	if e, is := results[1]["meta"].(map[string]any)["error"].(string); !is ||
		!strings.HasPrefix(e, "size_coin 1000000: size ") {
		t.Errorf("%v", results[1]["meta"])
	}
	for _, i := range []int{0, 2} {
		if got := results[i]["admissibility"].(map[string]any)["order_size_coin"]; got != 0.25 {
			t.Errorf("trade %d: %v coins", i, got)
		}
	}
}
