package risk

import (
	"testing"

	mc "ballast/marketcache"
)

// When prices contradict each other, a batch answers what only reduces a position, as a single request
// does. A trade that increases a position after the trades before it is refused.
func TestBatchReducesOnContradiction(t *testing.T) {
	for _, with := range []string{"oracle", "wallet"} {
		cache, now := testCache(t, 3)
		owner := testWallet(1) // long 1,000 USD of asset 1
		if owner.Positions[0].Units < 0 {
			t.Fatal("not a long")
		}
		if with == "wallet" {
			owner.Positions[0].ValueUSD *= 1.06
		} else {
			x, _, _ := cache.Contexts(1).Latest(now, mc.Forever)
			context := *x
			context.OraclePrice = 1.21 * context.MarkPrice
			cache.Contexts(1).Publish(context, now)
		}
		e, s := NewEngine(DefaultAges()), NewScratch(4)
		sell := Trade{Asset: 1, Action: ActionShort, SizeUSD: 600}
		if missing := e.Fill(&s.In, cache, &sell, owner, 0, now, testWallMs); missing != (Unavailable{}) {
			t.Fatalf("%s, alone: %+v", with, missing)
		}
		b := e.NewBatch(cache, owner, 0, now, testWallMs)
		if missing := b.Fill(&s.In, &sell); missing != (Unavailable{}) {
			t.Errorf("%s, in a batch: %+v", with, missing)
			continue
		}
		if e.Assess(s); s.Out.Recommendation != Proceed || !s.Out.Flags.Has(FlagPriceDivergence) {
			t.Errorf("%s: %s, flags %v", with, s.Out.Recommendation, raised(&s.Out.Flags))
		}
		b.Apply(s)
		if missing := b.Fill(&s.In, &sell); missing.Reason != Inconsistent { // 600 of the 400 USD left: flips
			t.Errorf("%s, a flip after a reduction: %+v", with, missing)
		}
	}
}
