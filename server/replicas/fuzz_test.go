package replicas

import (
	"encoding/json"
	"math"
	"testing"

	"ballast/server/alerts"
)

// FuzzDecodeResult decodes any bytes, as anyone with access to the stream could write them. An
// accepted result must encode to what this replica would publish.
func FuzzDecodeResult(f *testing.F) {
	good := alerts.Result{ID: "a-1", Wallet: aWallet, AtMs: 1, Positions: []alerts.Position{{Asset: "BTC", Regime: 2}}}
	data, err := json.Marshal(good)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(busPrefix+aWallet, "a-1", data)
	f.Add(busPrefix+aWallet, "a-1",
		[]byte(`{"id":"a-1","wallet":"`+aWallet+`","positions":[{"asset":"B","risk_score":1e308}]}`))
	f.Add(busPrefix+"x", "", []byte(`null`))
	f.Fuzz(func(t *testing.T, subject, id string, data []byte) {
		r, err := decodeResult(subject, id, data)
		if err != nil {
			return
		}
		if r.ID != id || busPrefix+r.Wallet != subject || checkResult(r) != nil {
			t.Fatalf("accepted %+v", r)
		}
		for _, p := range r.Positions {
			if sum := p.RiskScore*0 + p.LiquidationDistancePct*0 + p.FundingDragDailyPct*0; math.IsNaN(sum) {
				t.Fatalf("accepted %+v", p)
			}
		}
		if _, err := json.Marshal(r); err != nil {
			t.Fatal(err)
		}
	})
}
