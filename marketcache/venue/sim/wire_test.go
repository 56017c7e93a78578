package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"sort"
	"strings"
	"testing"
)

// shape returns the set of "path: type" of a JSON value. Elements of a list of objects have one
// common path; tuples, whose elements have different types, keep their positions.
func shape(v any) map[string]bool {
	s := map[string]bool{}
	addShape(s, "", v)
	return s
}

func addShape(s map[string]bool, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		s[path+": object"] = true
		for k, x := range v {
			addShape(s, path+"."+k, x)
		}
	case []any:
		s[path+": array"] = true
		for i, x := range v {
			at := "[]"
			if tuple(v) {
				at = fmt.Sprintf("[%d]", i)
			}
			addShape(s, path+at, x)
		}
	case nil:
		s[path+": null"] = true
	default:
		s[path+": "+reflect.TypeOf(v).String()] = true
	}
}

// tuple reports whether the elements of a list have different types.
func tuple(list []any) bool {
	for _, x := range list {
		if x != nil && list[0] != nil && reflect.TypeOf(x) != reflect.TypeOf(list[0]) {
			return true
		}
	}
	return false
}

// difference returns the elements of a that are not in b.
func difference(a, b map[string]bool, except ...string) []string {
	var out []string
next:
	for k := range a {
		if b[k] {
			continue
		}
		for _, e := range except {
			if strings.Contains(k, e) {
				continue next
			}
		}
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// payload returns one of the payloads written by hand in the venue's format.
func payload(t *testing.T, name string) any {
	t.Helper()
	b, err := os.ReadFile("../hyperliquid/testdata/payloads.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if all[name] == nil {
		t.Fatalf("no payload %q", name)
	}
	return all[name]
}

// shapeRows are requests, each with the expected shape of its answer: a payload written by hand,
// and a recording of the venue.
var shapeRows = func() []shapeRow {
	user := Wallets[0].Address
	return []shapeRow{
		{`{"type":"metaAndAssetCtxs"}`, "metaAndAssetCtxs", "metaAndAssetCtxs-2026-02-06.json", nil},
		{`{"type":"metaAndAssetCtxs","dex":"xyz"}`, "metaAndAssetCtxs xyz", "metaAndAssetCtxs-xyz-2026-02-06.json",
			// own margin tables; a delisted stock; the fee scale is newer than the recording
			[]string{".marginTables", ".isDelisted", ": null", "FeeScale", "GrowthModeChangeTime"}},
		{`{"type":"l2Book","coin":"BTC","nSigFigs":5}`, "l2Book", "l2Book-BTC-nSigFigs5-2026-06.json", nil},
		{`{"type":"candleSnapshot","req":{"coin":"kPEPE","interval":"1h","startTime":1}}`, "candleSnapshot",
			"candleSnapshot-kPEPE-1h-2023.json", nil},
		{`{"type":"fundingHistory","coin":"BTC","startTime":1}`, "fundingHistory",
			"fundingHistory-BTC-2026-07-19.json", nil},
		{`{"type":"predictedFundings"}`, "predictedFundings", "predictedFundings-2026-09-27.json", nil},
		{`{"type":"clearinghouseState","user":"` + user + `"}`, "clearinghouseState",
			"clearinghouseState-hypersdk-2026-01-14.json",
			[]string{".rawUsd"}}, // this wallet has cross positions only
		{`{"type":"clearinghouseState","user":"0x00000000000000000000000000000000000000ee"}`,
			"clearinghouseState empty",
			"clearinghouseState-empty-2025-12.json", nil},
		{`{"type":"activeAssetData","user":"` + user + `","coin":"HYPE"}`, "activeAssetData",
			"activeAssetData-HYPE-8e0c.json", nil},
		{`{"type":"spotClearinghouseState","user":"` + user + `"}`, "spotClearinghouseState",
			"spotClearinghouseState-8e0c.json", nil},
		{`{"type":"userRole","user":"` + user + `"}`, "userRole", "userRole-31ca.json", nil},
		{`{"type":"allMids"}`, "allMids", "allMids-2025-12.json", []string{"."}}, // the keys are coins
		{`{"type":"perpDexs"}`, "perpDexs", "perpDexs-2025-12.json",
			// newer than the recording, or content that only one of the two has
			[]string{".assetToFundingInterestRate", "oracleUpdater", "assetToFundingMultiplier", "subDeployers",
				"feeRecipient", "FeeScale", "assetToFundingClamp"}},
	}
}()

type shapeRow struct {
	request, payload, recording string
	// parts of paths that may differ; the comment gives the reason
	except []string
}

// sameShape compares two shapes in both directions.
func sameShape(t *testing.T, want, have map[string]bool, except ...string) {
	t.Helper()
	if d := difference(want, have, except...); len(d) > 0 {
		t.Errorf("missing: %v", d)
	}
	if d := difference(have, want, except...); len(d) > 0 {
		t.Errorf("not in the reference: %v", d)
	}
}

// The answers have exactly the keys and types of the venue's answers.
func TestShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	r := start(t, Config{Seed: 4, Manual: true})
	for _, row := range shapeRows {
		t.Run(row.payload, func(t *testing.T) {
			var v any
			r.info(row.request, &v)
			sameShape(t, shape(payload(t, row.payload)), shape(v), row.except...)
		})
	}
}

// Which values are null, which are absent, and what an error looks like.
func TestAnswers(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	for _, row := range []struct {
		name, request string
		status        int
		body          string // "": not compared
	}{
		{"malformed", `{"type":`, 400, "Failed to parse the request body as JSON"},
		{"not an object", `[1]`, 422, ""},
		{"unknown type", `{"type":"nonsense"}`, 422, ""},
		{"no user", `{"type":"clearinghouseState"}`, 422, ""},
		{"bad address", `{"type":"clearinghouseState","user":"0x12"}`, 422, ""},
		{"bad figures", `{"type":"l2Book","coin":"BTC","nSigFigs":7}`, 422, ""},
		{"bad interval", `{"type":"candleSnapshot","req":{"coin":"BTC","interval":"7m","startTime":0}}`, 422, ""},
		{"unknown dex", `{"type":"metaAndAssetCtxs","dex":"nope"}`, 500, "null"},
		{"funding of an unknown coin", `{"type":"fundingHistory","coin":"xyz:NOPE","startTime":0}`, 500, "null"},
		{"candles of an unknown coin", `{"type":"candleSnapshot","req":{"coin":"NOPE","interval":"1h","startTime":0}}`,
			500, "null"},
		{"candles before the listing", `{"type":"candleSnapshot","req":{"coin":"FOGO","interval":"1h","startTime":0}}`,
			200, "[]"},
		{"book of an unknown coin", `{"type":"l2Book","coin":"NOPE"}`, 200, "null"},
		{"book, lower case", `{"type":"l2Book","coin":"btc"}`, 200, "null"},
		{"caps", `{"type":"perpsAtOpenInterestCap"}`, 200, `["CANTO","MON","PURR"]`},
		{"caps of a dex", `{"type":"perpsAtOpenInterestCap","dex":"xyz"}`, 200, `["xyz:GOLD"]`},
		{"mode of an unknown wallet", `{"type":"userAbstraction","user":"0x00000000000000000000000000000000000000EE"}`,
			200, `"default"`},
		{"role of an unknown wallet", `{"type":"userRole","user":"0x00000000000000000000000000000000000000ee"}`,
			200, `{"role":"missing"}`},
		{"pooled without a choice", `{"type":"userAbstraction","user":"0xBA11A57000000000000000000000000000000010"}`,
			200, `null`},
		{"unified", `{"type":"userAbstraction","user":"0xBA11A57000000000000000000000000000000003"}`,
			200, `"unifiedAccount"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			kind := "application/json"
			if row.status < 500 && row.status != 200 {
				kind = "text/plain"
			}
			status, header, body := r.postTo("/info", "application/json", row.request)
			if status != row.status || !strings.HasPrefix(header.Get("Content-Type"), kind) ||
				row.body != "" && string(body) != row.body {
				t.Errorf("%d %v %.200s, want %d %s %s", status, header, body, row.status, kind, row.body)
			}
		})
	}
	if status, _, _ := r.postTo("/info", "text/plain", `{"type":"meta"}`); status != http.StatusUnsupportedMediaType {
		t.Errorf("another content type: status %d", status)
	}
	for kind := range infoTypes {
		if kind == "candleSnapshot" {
			continue
		}
		request := `{"type":"` + kind + `","coin":"BTC","dex":"xyz","startTime":0,"user":"` + Wallets[3].Address + `"}`
		if status, body := r.post(request); status != 200 || !json.Valid(body) {
			t.Errorf("%s: %d %.100s", kind, status, body)
		}
	}
}
