//go:build evidence

package hyperliquid

import (
	"encoding/json"
	"math"
	"testing"

	"ballast/internal/reference"
	"ballast/marketcache"
)

// The complete recordings of the venue are read without a loss. That the values are right is checked with their
// excerpts in testdata/recorded.

func TestEvidenceBooks(t *testing.T) {
	for _, name := range []string{"l2Book-BTC-full-2026-07-19.json", "l2Book-BTC-nSigFigs3-2026-06.json",
		"l2Book-BTC-nSigFigs5-2026-06.json", "l2Book-DYDX-2023.json"} {
		b := reference.Recording(t, name)
		m, ok := parseBook(b)
		if !ok || !m.plausible() {
			t.Fatalf("%s refused", name)
		}
		coin, ms, sides, _ := refBook(b)
		if string(m.coin) != coin || m.timeMs != ms || m.sides[0].n != 20 || m.sides[1].n != 20 {
			t.Fatalf("%s: %s %d %d %d", name, m.coin, m.timeMs, m.sides[0].n, m.sides[1].n)
		}
		for side := range sides {
			for i, l := range sides[side] {
				if m.sides[side].levels[i] != (marketcache.Level{Price: l[0], Units: l[1]}) {
					t.Fatalf("%s side %d level %d: %v", name, side, i, m.sides[side].levels[i])
				}
			}
		}
	}
}

func TestEvidenceUniverses(t *testing.T) {
	check := func(name string, m metaTable) (delisted int) {
		for _, a := range m.assets {
			if tiers := m.tiers(&a); !a.readable || len(tiers) == 0 || tiers[0].MaxLeverage != a.maxLeverage {
				t.Errorf("%s: %+v with tiers %v", name, a, tiers)
			}
			if a.delisted {
				delisted++
			}
		}
		return delisted
	}
	for _, name := range []string{"metaAndAssetCtxs-2026-02-06.json", "metaAndAssetCtxs-2025-08-22.json",
		"metaAndAssetCtxs-xyz-2026-02-06.json"} {
		m, rows, ok := parseMetaAndContexts(reference.Recording(t, name), nil)
		if delisted := check(name, m); !ok || name == "metaAndAssetCtxs-2026-02-06.json" &&
			(len(m.assets) != 228 || delisted != 38) {
			t.Errorf("%s: %v, %d assets, %d delisted", name, ok, len(m.assets), delisted)
		}
		for i, r := range rows {
			if !r.ok || !r.ctx.HasFunding {
				t.Errorf("%s, %s: %+v", name, m.assets[i].name, r)
			}
		}
	}
	for _, name := range []string{"meta-2025-08-22.json", "meta-testnet-2025-08-22.json",
		"meta-2023-07-nomargintable.json"} {
		m, ok := parseMeta(reference.Recording(t, name))
		if check(name, m); !ok {
			t.Errorf("%s refused", name)
		}
	}
}

func TestEvidenceFrames(t *testing.T) {
	channel, data, ok := parseFrame(reference.Recording(t, "ws-allDexsAssetCtxs.json"), nil)
	rows, found, good := readMainContexts(data)
	if !ok || string(channel) != "allDexsAssetCtxs" || !found || !good || len(rows) != 230 {
		t.Errorf("%s %v: %d rows, found %v, ok %v", channel, ok, len(rows), found, good)
	}
	for i, r := range rows {
		if !r.ok {
			t.Errorf("row %d refused: %+v", i, r)
		}
	}
	for _, name := range []string{"ws-frames-2026-10.json", "ws-messages-userFills-2026-10.json"} {
		var frames []json.RawMessage
		if err := json.Unmarshal(reference.Recording(t, name), &frames); err != nil {
			t.Fatal(err)
		}
		for _, b := range frames {
			if channel, _, ok := parseFrame(b, nil); !ok {
				t.Errorf("%s: refused %s", name, printable(channel))
			}
		}
	}
}

func TestEvidenceHistories(t *testing.T) {
	b := reference.Recording(t, "candleSnapshot-kPEPE-1h-2023.json")
	all, _ := split(b)
	if got, dropped, ok := parseCandles(b, "kPEPE", 0, 1<<50); !ok || dropped != 0 || len(got.Bars) != len(all) {
		t.Errorf("%d of %d bars, %d dropped, ok %v", len(got.Bars), len(all), dropped, ok)
	}
	for name, want := range map[string]int{"fundingHistory-BTC-2023.json": 1038,
		"fundingHistory-BTC-2026-07-19.json": 4} {
		rows, count, dropped, ok := parseFunding(reference.Recording(t, name), "BTC", 0, 1<<50)
		if !ok || count != want || len(rows) != want || dropped != 0 {
			t.Errorf("%s: %d rows of %d, %d dropped, ok %v", name, len(rows), count, dropped, ok)
		}
	}
	coins := 0
	if !parsePredicted(reference.Recording(t, "predictedFundings-2026-09-27.json"),
		func([]byte, marketcache.CEXFunding, float64) { coins++ }) || coins != 4 {
		t.Errorf("predicted fundings of %d coins", coins)
	}
}

func TestEvidenceAccounts(t *testing.T) {
	m, _ := parseMeta(reference.Recording(t, "meta-2025-08-22.json"))
	cache := marketcache.New(marketcache.Limits{Bars: 8, Rows: 8, Samples: 8, Wallets: 8})
	(&universe{cache: cache}).apply(m)
	for _, want := range []struct {
		recording           string
		positions, isolated int
		crossUSD            float64 // NaN: not compared
	}{
		{"hypersdk-2026-01-14", 16, 2, math.NaN()},
		{"small-2026-06-22", 3, 0, 319194.558725},
		{"trimmed-2026-08-18", 0, 0, 1162079.5955759999}, // without cross summary
		{"empty-2025-12", 0, 0, 0},
	} {
		var a marketcache.Account
		unreadable := accountOf(reference.Recording(t, "clearinghouseState-"+want.recording+".json"), cache.Universe(),
			&a)
		isolated := 0
		for _, p := range a.Positions {
			if !p.Isolated {
				continue
			}
			isolated++
			if equity := p.RawUSD + math.Copysign(p.ValueUSD, p.Units); math.Abs(equity-p.MarginUsedUSD) > 1e-4 {
				t.Errorf("%s: isolated equity %v, margin %v", p.Name, equity, p.MarginUsedUSD)
			}
		}
		if want.recording == "trimmed-2026-08-18" { // its origin left positions out
			if unreadable != "totalNtlPos and positionValue" {
				t.Errorf("%s: %q", want.recording, unreadable)
			}
			unreadable = ""
		}
		if unreadable != "" || a.CrossAccountValueUSD != want.crossUSD && want.crossUSD == want.crossUSD ||
			want.positions > 0 && len(a.Positions) != want.positions || isolated != want.isolated {
			t.Errorf("%s: %q, %d isolated, %+v", want.recording, unreadable, isolated, a)
		}
	}
	if usd, ok := spotUSDC(reference.Recording(t, "spotClearinghouseState-8e0c.json")); !ok || usd != 19.9969993 {
		t.Errorf("spot %v %v", usd, ok)
	}
	fees := reference.Recording(t, "userFees-hlp-2026-07-19.json")
	if rate, _, doubted, ok := parseFees(fees); !ok || doubted || rate != 0.0003 {
		t.Errorf("fees %v %v", rate, ok)
	}
	setting := reference.Recording(t, "activeAssetData-HYPE-8e0c.json")
	if l, ok := parseSetting(setting, &marketcache.Asset{Name: "HYPE", SizeDigits: 2}); !ok ||
		l.Leverage != 10 {
		t.Errorf("setting %+v %v", l, ok)
	}
}
