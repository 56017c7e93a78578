//go:build evidence

package sim

import (
	"encoding/json"
	"slices"
	"testing"

	"ballast/internal/reference"
)

// The recordings can be replayed unchanged.
func TestEvidenceReplay(t *testing.T) {
	r := start(t, Config{Manual: true, Replay: reference.Recordings(t)})
	var both []json.RawMessage
	r.info(`{"type":"metaAndAssetCtxs"}`, &both)
	var meta struct{ Universe []json.RawMessage }
	if err := json.Unmarshal(both[0], &meta); err != nil || len(meta.Universe) != 228 {
		t.Errorf("%d assets, %v", len(meta.Universe), err)
	}
	for _, request := range []string{
		`{"type":"l2Book","coin":"BTC"}`, `{"type":"l2Book","coin":"BTC","nSigFigs":5}`,
		`{"type":"l2Book","coin":"DYDX"}`,
		`{"type":"candleSnapshot","req":{"coin":"kPEPE","interval":"1h","startTime":0}}`,
		`{"type":"fundingHistory","coin":"BTC","startTime":0}`,
		`{"type":"predictedFundings"}`, `{"type":"perpDexs"}`, `{"type":"meta"}`, `{"type":"allMids"}`,
		`{"type":"metaAndAssetCtxs","dex":"xyz"}`,
		`{"type":"clearinghouseState","user":"0x0000000000000000000000000000000000000002"}`,
		`{"type":"userFees","user":"0x0000000000000000000000000000000000000000"}`,
		`{"type":"activeAssetData","user":"0x8e0c473fed9630906779f982cd0f80cb7011812d","coin":"HYPE"}`,
	} {
		if status, b := r.post(request); status != 200 || len(b) < 20 {
			t.Errorf("%s: %d %.80s", request, status, b)
		}
	}
}

// The payloads written by hand, with which the simulator is compared, have the keys and types of the recordings.
func TestEvidenceShapes(t *testing.T) {
	rows := append(shapeRows, shapeRow{"", "allDexsAssetCtxs", "ws-allDexsAssetCtxs.json", nil})
	for _, row := range rows {
		t.Run(row.recording, func(t *testing.T) {
			var recorded any
			if err := json.Unmarshal(reference.Recording(t, row.recording), &recorded); err != nil {
				t.Fatal(err)
			}
			except := slices.DeleteFunc(slices.Clone(row.except), func(s string) bool { return s == ".rawUsd" })
			sameShape(t, shape(recorded), shape(payload(t, row.payload)), except...)
		})
	}
}
