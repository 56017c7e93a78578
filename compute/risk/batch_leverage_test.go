package risk

import "testing"

// A trade without a leverage that opens a position again, after an earlier trade of the batch has closed
// it, uses the closed position's leverage, as a flip does.
func TestBatchKeepsLeverage(t *testing.T) {
	cache, now := testCache(t, 3)
	e, s := NewEngine(DefaultAges()), NewScratch(4)
	owner := testWallet(2)
	owner.Positions[0].Leverage = 3
	asset, value := owner.Positions[0].Asset, owner.Positions[0].ValueUSD
	flip := Trade{Asset: asset, Action: ActionShort, SizeUSD: 2 * value}
	if missing := e.Fill(&s.In, cache, &flip, owner, 0, now, testWallMs); missing != (Unavailable{}) {
		t.Fatal(missing)
	}
	e.Assess(s)
	flipped := s.Out.Position.After
	if flipped.Leverage != 3 || flipped.Side != -1 {
		t.Fatalf("the flip: %+v", flipped)
	}
	run := func(trades ...Trade) PositionState {
		t.Helper()
		b := e.NewBatch(cache, owner, 0, now, testWallMs)
		for i := range trades {
			if missing := b.Fill(&s.In, &trades[i]); missing != (Unavailable{}) {
				t.Fatal(missing)
			}
			e.Assess(s)
			b.Apply(s)
		}
		return s.Out.Position.After
	}
	closing := Trade{Asset: asset, Action: ActionClose, SizeUSD: MaxSizeUSD}
	short := Trade{Asset: asset, Action: ActionShort, SizeUSD: value}
	if got := run(closing, short); got.Leverage != 3 {
		t.Errorf("closed and opened again: %vx, want 3x", got.Leverage)
	}
	five := short
	five.Leverage = 5
	if got := run(closing, five, closing, short); got.Leverage != 5 {
		t.Errorf("closed, opened at 5x, closed, opened again: %vx, want 5x", got.Leverage)
	}
	if len(owner.Settings) != 0 {
		t.Error("the wallet itself has changed")
	}
}
