package risk

import (
	"cmp"
	"slices"
	"testing"

	mc "ballast/marketcache"
)

// Of more than fifty pairs an answer lists the fifty with the largest tail dependence, the first of
// equals, in the order of the pairs.
func TestStrongestPairs(t *testing.T) {
	for _, row := range []struct{ n, lambdas int }{{2, 7}, {9, 7}, {10, 7}, {14, 7}, {14, 1}, {14, 1009}} {
		n := row.n
		c, now := testCache(t, n+1)
		ids := make([]mc.AssetID, n+1)
		var table []mc.TailPair
		for i := range ids {
			ids[i] = mc.AssetID(i)
			for j := range i {
				lambda := float64((i*101+j*59)%row.lambdas) / 1009
				table = append(table, mc.TailPair{Known: i*j%11 != 5, Lambda: lambda, Pearson: 0.5, Nu: 4})
			}
		}
		c.SetPairs(mc.NewPairTable(ids, table))
		e, s := NewEngine(DefaultAges()), NewScratch(n)
		trade := Trade{Asset: 0, Action: ActionLong, SizeUSD: 50_000, Leverage: 10}
		refuse(t, e.Fill(&s.In, c, &trade, testWallet(n), 0, now, testWallMs))
		e.Assess(s)

		type entry struct {
			a, b   string
			lambda float64
			at     int // position in the order of the pairs
		}
		names := testNames(n + 1)
		names = append(names[1:], names[0]) // the trade's position is the last of the book
		var want []entry
		for i := range names {
			for j := i + 1; j < len(names); j++ {
				if p := c.Pairs().Get(mc.AssetID((i+1)%(n+1)), mc.AssetID((j+1)%(n+1))); p.Known {
					want = append(want, entry{names[i], names[j], p.Lambda, len(want)})
				}
			}
		}
		slices.SortStableFunc(want, func(a, b entry) int { return cmp.Compare(b.lambda, a.lambda) })
		want = want[:min(50, len(want))]
		slices.SortFunc(want, func(a, b entry) int { return cmp.Compare(a.at, b.at) })

		got := s.Out.PortfolioRisk.TailDependence
		if !slices.EqualFunc(got, want, func(g TailDependence, w entry) bool {
			return g.A == w.a && g.B == w.b && g.Lambda == w.lambda
		}) {
			t.Errorf("%+v: %d pairs %+v, want %d %+v", row, len(got), got, len(want), want)
		}
	}
}
