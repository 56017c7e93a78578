package server

import "testing"

func TestMarket(t *testing.T) {
	f := newFixture(t, nil)
	r := f.get("/v1/market/BTC")
	mids, _ := r.tree["mids"].([]any)
	if r.status != 200 || r.tree["asset"] != "BTC" || r.tree["mark_price"] != 67123.5 || r.tree["regime"] == nil ||
		len(mids) != 1 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if mid := mids[0].(map[string]any); mid["mid_price"] != 67123.5 || mid["at_ms"].(float64) < 1.7e12 {
		t.Errorf("%v", mid)
	}
	f.get("/v1/market/%42TC").ok(`"asset":"BTC"`)
	// Only the context and book of FRESH are loaded.
	if r := f.get("/v1/market/FRESH"); r.status != 200 || r.tree["regime"] != nil || r.tree["mark_price"] != 2.0 {
		t.Errorf("%d %s", r.status, r.body)
	}
	for path, suggestion := range map[string]string{"btc": "BTC", "OLD": "all are listed by GET /v1/assets",
		"%zz": "all are listed by GET /v1/assets", "a/b": "all are listed by GET /v1/assets"} {
		if r := f.get("/v1/market/" + path); r.status != 404 || r.errorCode() != "not_found" ||
			r.tree["suggestion"] != suggestion {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
}
