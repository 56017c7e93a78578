package sim

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// precisions are significant figures; 0: full.
var precisions = []int{0, 5, 4, 3, 2}

// anyAsset draws an asset with any price that its digits allow and a size step of at most about 50
// USD, as the venue chooses it.
func anyAsset(t *rapid.T) (*asset, float64) {
	digits := rapid.IntRange(0, 5).Draw(t, "szDecimals")
	price := math.Pow(10, rapid.Float64Range(math.Log10(50)-float64(6-digits), 1.7+float64(digits)).Draw(t,
		"log price"))
	s := spec{
		name: "X", szDecimals: digits, price: price, table: 5, maxLeverage: 5,
		volumeMUSD: math.Pow(10, rapid.Float64Range(-1, 3.5).Draw(t, "log volume")),
	}
	a := &asset{spec: s, digits: 6 - digits, size: newKey(rapid.Uint64().Draw(t, "seed"), 8)}
	a.depth = newDepthCurve(a)
	return a, price
}

// All precisions of one instant are views of one book: where levels of two of them end at the same
// price, the total size up to that price is exactly the same.
func TestViewsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, mid := anyAsset(t)
		a.state.ladder = a.newLadder(mid, rapid.Float64Range(0.5, 4).Draw(t, "spread"),
			rapid.Float64Range(0.2, 2).Draw(t, "depth"), rapid.Float64Range(-0.8, 0.8).Draw(t, "imbalance"))
		l := &a.state.ladder
		for _, side := range []int{bidSide, askSide} {
			fine := map[int64]int64{} // cumulative size by price, from a long fine view
			cumulative := int64(0)
			for _, v := range l.view(nil, side, 0, 400) {
				cumulative += v.size
				fine[v.price] = cumulative
			}
			for _, p := range precisions {
				checkSide(t, a, side, p, fine)
			}
		}
		bid, ask := a.best()
		if bid <= 0 || ask <= bid {
			t.Fatalf("best bid %d, ask %d", bid, ask)
		}
		if float64(bid) > mid*float64(pow10[a.digits]) || float64(ask) < mid*float64(pow10[a.digits]) {
			t.Fatalf("mid %v outside %d..%d", mid, bid, ask)
		}
	})
}

func checkSide(t *rapid.T, a *asset, side int, p int, fine map[int64]int64) {
	levels := a.state.ladder.view(nil, side, p, levelMax)
	if len(levels) == 0 || len(levels) > levelMax {
		t.Fatalf("figures %d: %d levels", p, len(levels))
	}
	direction := int64(1 - 2*(1-side)) // prices fall on the bid side
	cumulative := int64(0)
	for i, v := range levels {
		where := fmt.Sprintf("side %d figures %d level %d price %d", side, p, i, v.price)
		if v.price <= 0 || v.size <= 0 || v.orders <= 0 {
			t.Fatalf("%s: %+v", where, v)
		}
		if i > 0 && (v.price-levels[i-1].price)*direction <= 0 {
			t.Fatalf("%s: not beyond the level before, %d", where, levels[i-1].price)
		}
		if v.price%stepOf(v.price, a.digits) != 0 {
			t.Fatalf("%s: not a valid price", where)
		}
		if width := bucket(p, v.price, a.digits); v.price%width != 0 {
			t.Fatalf("%s: not on a bucket of %d", where, width)
		}
		cumulative += v.size
		if c, has := fine[v.price]; has && c != cumulative {
			t.Fatalf("%s: cumulative %d, fine book %d", where, cumulative, c)
		}
	}
}
