package risk

import "testing"

// When the wallet's own marks differ from the market's, every answer of a batch says so, not only the
// first, after which the batch values the positions at the market's marks.
func TestBatchKeepsDivergence(t *testing.T) {
	cache, now := testCache(t, 4)
	e, s := NewEngine(DefaultAges()), NewScratch(4)
	owner := testWallet(3)
	owner.Positions[2].ValueUSD *= 1.06
	for i, position := range owner.Positions { // each alone
		trade := Trade{Asset: position.Asset, Action: ActionClose, SizeUSD: 100}
		if missing := e.Fill(&s.In, cache, &trade, owner, 0, now, testWallMs); missing != (Unavailable{}) {
			t.Fatal(missing)
		}
		if e.Assess(s); !s.Out.Flags.Has(FlagPriceDivergence) {
			t.Fatalf("position %d: no flag", i)
		}
	}
	b := e.NewBatch(cache, owner, 0, now, testWallMs)
	for i, position := range owner.Positions {
		trade := Trade{Asset: position.Asset, Action: ActionClose, SizeUSD: 100}
		if missing := b.Fill(&s.In, &trade); missing != (Unavailable{}) {
			t.Fatal(missing)
		}
		if e.Assess(s); !s.Out.Flags.Has(FlagPriceDivergence) || s.Out.Explanation.Divergence.With != "wallet" {
			t.Errorf("trade %d of the batch: flags %v, divergence %+v", i, raised(&s.Out.Flags),
				s.Out.Explanation.Divergence)
		}
		b.Apply(s)
	}
}
