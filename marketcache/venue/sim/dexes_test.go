package sim

import (
	"strings"
	"testing"
)

// At full size the market has as many listed assets as the venue, and about as many live ones.
func TestFullSize(t *testing.T) {
	m := newMarket(234, dexAssetsMax, 1, 1, testStart.UnixMilli())
	listing := map[string][2]int{}
	seen := map[string]bool{}
	for _, d := range m.dexes {
		live := 0
		for _, a := range d.assets {
			if seen[a.name] || a.dex != d.name || a.tiers == nil || a.maxLeverage != a.tiers[0].maxLeverage {
				t.Errorf("%s: duplicate name, wrong dex, or leverage %d does not fit table %d", a.name, a.maxLeverage,
					a.table)
			}
			seen[a.name] = true
			if a.life != delisted {
				live++
			}
			if bid, ask := a.best(); a.life != delisted && (bid <= 0 || ask <= bid) {
				t.Errorf("%s: best bid %d, ask %d", a.name, bid, ask)
			}
		}
		listing[d.name] = [2]int{len(d.assets), live}
	}
	want := map[string][2]int{"": {234, 178}, "xyz": {124, 109}, "para": {36, 27}, "mkts": {24, 4}, "io": {10, 8},
		"flx": {14, 0}, "vntl": {18, 0}, "hyna": {24, 0}, "km": {20, 0}, "abcd": {1, 0}, "cash": {20, 0}}
	for dex, n := range want {
		if got := listing[dex]; got[0] != n[0] || got[1] < n[1]-2 || got[1] > n[1]+2 {
			t.Errorf("%q: %v, want %v", dex, listing[dex], n)
		}
	}
}

func TestDexes(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 12, Manual: true})
	var dexs []*struct{ Name string }
	r.info(`{"type":"perpDexs"}`, &dexs)
	if len(dexs) != 11 || dexs[0] != nil {
		t.Fatalf("%d dexes", len(dexs))
	}
	modes := map[string]bool{}
	for _, d := range dexs[1:] {
		var both tuple2[metaIn, []assetContext]
		r.info(`{"type":"metaAndAssetCtxs","dex":"`+d.Name+`"}`, &both)
		meta := both.first
		if len(both.second) != len(meta.Universe) {
			t.Errorf("%s: %d contexts of %d assets", d.Name, len(both.second), len(meta.Universe))
		}
		for j, u := range meta.Universe {
			if !strings.HasPrefix(u.Name, d.Name+":") || u.DeployerFeeScale == "" ||
				u.OnlyIsolated != (u.MarginMode != "") {
				t.Errorf("%s: %+v", d.Name, u)
			}
			if c := both.second[j]; u.IsDelisted != (c.MidPx == nil) || c.MarkPx == "" || c.OraclePx == "" {
				t.Errorf("%s: delisted %v, %+v", u.Name, u.IsDelisted, c)
			}
			modes[u.MarginMode+u.GrowthMode] = true
		}
		if d.Name == "flx" && meta.CollateralToken != 360 || d.Name == "xyz" && meta.CollateralToken != 0 {
			t.Errorf("%s: collateral %d", d.Name, meta.CollateralToken)
		}
	}
	for _, m := range []string{"enabled", "noCross", "noCrossenabled", "strictIsolatedenabled"} {
		if !modes[m] {
			t.Errorf("no asset of mode %q", m)
		}
	}
}
