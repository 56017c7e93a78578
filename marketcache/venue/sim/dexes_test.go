package sim

import "testing"

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
