package risk

import (
	"crypto/sha256"
	"slices"
	"testing"

	mc "ballast/marketcache"
)

// A request uses the new fit of an asset, even with a scratch that has used the old fit.
func TestRefittedAsset(t *testing.T) {
	for _, n := range []int{0, 1, 3} {
		c, now := testCache(t, n+1)
		e, s, owner := NewEngine(DefaultAges()), NewScratch(n), testWallet(n)
		trade := Trade{Asset: 0, Action: ActionLong, SizeUSD: 50_000, Leverage: 10}
		assess := func(e *Engine, s *Scratch) *Assessment {
			refuse(t, e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs))
			e.Assess(s)
			return &s.Out
		}
		before := assess(e, s).VaR
		for refitted := range n + 1 {
			fits := slices.Clone(c.Model().Assets)
			m := testModel(mc.AssetID(refitted), fits[refitted].Name, uint64(1000+refitted))
			for h := range m.Variance {
				m.Variance[h] *= 4
			}
			m.Digest = sha256.Sum256([]byte("refitted"))
			fits[refitted] = m
			publish(c, fits)
			got, want := assess(e, s), assess(NewEngine(DefaultAges()), NewScratch(n))
			if !sameAnswer(got, want) {
				t.Errorf("%d positions, asset %d fitted anew: not what a new engine says", n, refitted)
			}
			if refitted == 0 && got.VaR == before {
				t.Error("the fit makes no difference")
			}
		}
	}
}
