//go:build evidence

package hyperliquid

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"ballast/internal/reference"
	"ballast/marketcache"
)

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
	for name, want := range map[string]struct{ assets, delisted, isolated int }{
		"metaAndAssetCtxs-2026-02-06.json": {228, 38, -1},
		"metaAndAssetCtxs-2025-08-22.json": {-1, -1, -1},
	} {
		b := reference.Recording(t, name)
		m, rows, ok := parseMetaAndContexts(b, nil)
		if !ok {
			t.Fatalf("%s refused", name)
		}
		var ref [2]json.RawMessage
		var meta struct {
			Universe []struct {
				Name, MarginMode         string
				SzDecimals, MaxLeverage  int
				OnlyIsolated, IsDelisted bool
			}
		}
		var contexts []struct {
			Funding, OpenInterest, DayNtlVlm, MarkPx string
			MidPx                                    *string
		}
		if json.Unmarshal(b, &ref) != nil || json.Unmarshal(ref[0], &meta) != nil ||
			json.Unmarshal(ref[1], &contexts) != nil {
			t.Fatal("reference")
		}
		if want.assets > 0 && len(m.assets) != want.assets {
			t.Fatalf("%s: %d assets", name, len(m.assets))
		}
		delisted := 0
		for i, a := range m.assets {
			r := meta.Universe[i]
			isolated := r.OnlyIsolated || r.MarginMode != ""
			if a.name != r.Name || a.sizeDigits != r.SzDecimals || a.maxLeverage != float64(r.MaxLeverage) ||
				a.delisted != r.IsDelisted || a.onlyIsolated != isolated {
				t.Fatalf("%s %d: %+v, want %+v", name, i, a, r)
			}
			if a.delisted {
				delisted++
			}
			tiers := m.tiers(&a)
			if len(tiers) == 0 || tiers[0].MaxLeverage != a.maxLeverage {
				t.Fatalf("%s %s: tiers %v", name, a.name, tiers)
			}
			c, row := contexts[i], rows[i]
			if !row.ok || fmt.Sprintf("%.4f", row.ctx.MarkPrice) != fmt.Sprintf("%.4f", atof(t, c.MarkPx)) ||
				row.ctx.OpenInterestUnits != atof(t, c.OpenInterest) || row.ctx.DayVolumeUSD != atof(t, c.DayNtlVlm) ||
				!row.ctx.HasFunding || row.ctx.FundingRateHourly != atof(t, c.Funding) ||
				(c.MidPx == nil) != (row.ctx.MidPrice == 0) {
				t.Fatalf("%s %s: %+v, want %+v", name, a.name, row, c)
			}
		}
		if want.delisted > 0 && delisted != want.delisted {
			t.Fatalf("%s: %d delisted", name, delisted)
		}
	}
	for _, name := range []string{"meta-2025-08-22.json", "meta-testnet-2025-08-22.json",
		"meta-2023-07-nomargintable.json"} {
		m, ok := parseMeta(reference.Recording(t, name))
		if !ok {
			t.Fatalf("%s refused", name)
		}
		for _, a := range m.assets {
			if len(m.tiers(&a)) == 0 {
				t.Fatalf("%s %s: no tiers", name, a.name)
			}
		}
	}
	m, _ := parseMeta(reference.Recording(t, "meta-2025-08-22.json"))
	tiers := m.tiers(&m.assets[0]) // BTC, table 56
	if len(tiers) != 2 || tiers[1].LowerBoundUSD != 150e6 || tiers[1].MaxLeverage != 20 ||
		math.Abs(tiers[1].DeductionUSD-150e6*(1./40-1./80)) > 1e-6 {
		t.Fatalf("BTC tiers %+v", tiers)
	}
}

func TestEvidenceContextFrame(t *testing.T) {
	channel, data, ok := parseFrame(reference.Recording(t, "ws-allDexsAssetCtxs.json"), nil)
	if !ok || string(channel) != "allDexsAssetCtxs" {
		t.Fatal("frame")
	}
	rows, found, ok := readMainContexts(data)
	if !ok || !found || len(rows) != 230 {
		t.Fatalf("%d rows, found %v, ok %v", len(rows), found, ok)
	}
	if !rows[0].ok || rows[0].ctx.MarkPrice != 77562 || rows[0].ctx.FundingRateHourly != -0.0000015186 {
		t.Fatalf("BTC %+v", rows[0])
	}
	for i, r := range rows {
		if !r.ok {
			t.Fatalf("row %d refused: %+v", i, r)
		}
	}
}

func TestEvidenceHistories(t *testing.T) {
	b := reference.Recording(t, "candleSnapshot-kPEPE-1h-2023.json")
	bars, dropped, newest, ok := parseCandles(b, "kPEPE", 0, 1<<50)
	all, _ := split(b)
	n := len(all)
	if !ok || dropped != 0 || newest != bars[n-1].OpenMs || len(bars) != n ||
		bars[0] != (marketcache.Bar{OpenMs: 1684699200000, Open: 0.001601, High: 0.001616, Low: 0.001601,
			Close:  0.001604,
			Volume: 520665683}) {
		t.Fatalf("%d of %d bars, %d dropped, ok %v: %+v", len(bars), n, dropped, ok, bars[0])
	}
	// A bar that ends after the given time is not closed.
	if bars, _, _, _ := parseCandles(b, "kPEPE", 0, bars[n-1].OpenMs+hourMs-1); len(bars) != n-1 {
		t.Fatalf("forming bar taken: %d of %d", len(bars), n)
	}
	rows, count, dropped, ok := parseFunding(reference.Recording(t, "fundingHistory-BTC-2023.json"), "BTC", 0, 1<<50)
	if !ok || count != 1038 || len(rows) != 1038 || dropped != 0 ||
		rows[0] != (marketcache.FundingRow{VenueMs: 1683849600048, RateHourly: -0.00061334}) {
		t.Fatalf("%d rows of %d, ok %v", len(rows), count, ok)
	}
	if _, _, _, ok := parseFunding(reference.Recording(t, "fundingHistory-BTC-2026-07-19.json"), "BTC", 0, 1<<50); !ok {
		t.Fatal("2026 funding refused")
	}
	got := map[string]marketcache.CEXFunding{}
	if !parsePredicted(reference.Recording(t, "predictedFundings-2026-09-27.json"),
		func(c []byte, f marketcache.CEXFunding) {
			got[string(c)] = f
		}) {
		t.Fatal("predicted refused")
	}
	if f := got["BTC"]; f.Venues != 2 || math.Abs(f.RateHourly-(0.00003866/8+0.0000501/8)/2) > 1e-18 ||
		got["HYPE"].Venues != 0 || len(got) != 4 {
		t.Fatalf("predicted %+v", got)
	}
}

func TestEvidenceAccounts(t *testing.T) {
	m, _ := parseMeta(reference.Recording(t, "meta-2025-08-22.json"))
	cache := marketcache.New(marketcache.Limits{Bars: 8, Rows: 8, Samples: 8, Wallets: 8})
	(&universe{cache: cache}).apply(m)
	u := cache.Universe()

	var a marketcache.Account
	if accountOf(reference.Recording(t, "clearinghouseState-hypersdk-2026-01-14.json"), u, &a) != "" ||
		len(a.Positions) != 16 || a.VenueMs != 1768397010203 {
		t.Fatalf("hypersdk account: %+v", a)
	}
	isolated := 0
	for _, p := range a.Positions {
		if p.Isolated {
			isolated++
			if mark := p.ValueUSD / math.Abs(p.Units); math.Abs(p.RawUSD+p.Units*mark-p.MarginUsedUSD) > 1e-4 {
				t.Errorf("%s: isolated equity %v, margin %v", p.Name, p.RawUSD+p.Units*mark, p.MarginUsedUSD)
			}
		}
		if p.Name == "SOL" && p.LiquidationPrice != 0 {
			t.Errorf("null liquidation price read as %v", p.LiquidationPrice)
		}
	}
	if isolated != 2 {
		t.Errorf("%d isolated positions", isolated)
	}
	a = marketcache.Account{}
	if accountOf(reference.Recording(t, "clearinghouseState-small-2026-06-22.json"), u, &a) != "" ||
		a.CrossAccountValueUSD != 319194.558725 || len(a.Positions) != 3 || a.Positions[0].Units != -56.27938 ||
		a.Positions[0].LiquidationPrice != 78924.0010794823 {
		t.Fatalf("small account: %+v", a)
	}
	a = marketcache.Account{}
	if accountOf(reference.Recording(t, "clearinghouseState-trimmed-2026-08-18.json"), u, &a) != "" ||
		a.CrossAccountValueUSD != 1162079.5955759999 {
		t.Fatalf("account without cross summary: %+v", a)
	}
	a = marketcache.Account{}
	if accountOf(reference.Recording(t, "clearinghouseState-empty-2025-12.json"), u, &a) != "" ||
		a.CrossAccountValueUSD != 0 || len(a.Positions) != 0 {
		t.Fatalf("empty account: %+v", a)
	}
	if usd, ok := spotUSDC(reference.Recording(t, "spotClearinghouseState-8e0c.json")); !ok || usd != 19.9969993 {
		t.Fatalf("spot %v %v", usd, ok)
	}
	if rate, _, ok := parseFees(reference.Recording(t, "userFees-hlp-2026-07-19.json")); !ok || rate != 0.0003 {
		t.Fatalf("fees %v %v", rate, ok)
	}
	if l, ok := parseSetting(reference.Recording(t, "activeAssetData-HYPE-8e0c.json"), "HYPE"); !ok ||
		l.Leverage != 10 {
		t.Fatalf("setting %+v %v", l, ok)
	}
}

func TestEvidenceFrames(t *testing.T) {
	for _, name := range []string{"ws-frames-2026-10.json", "ws-messages-userFills-2026-10.json"} {
		var frames []json.RawMessage
		if err := json.Unmarshal(reference.Recording(t, name), &frames); err != nil {
			t.Fatal(err)
		}
		for _, b := range frames {
			if channel, _, ok := parseFrame(b, nil); !ok {
				t.Fatalf("%s: refused %s", name, printable(channel))
			}
		}
	}
}

func atof(t *testing.T, s string) float64 {
	t.Helper()
	v, ok := parseDecimal([]byte(s))
	if !ok {
		t.Fatalf("not a number: %q", s)
	}
	return v
}
