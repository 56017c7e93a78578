package joint

import (
	"math/rand/v2"
	"testing"

	"ballast/marketcache"
)

// A pool of many positions is first replayed with rounded moves. Its probabilities equal those of
// an exact replay bit by bit, and a probability reported as low enough really is below the limit.
func TestPoolIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 7))
	const last, n = 480_000, 9600
	market := normals(r, n)
	bitcoin := model(r, 0, n, last, market)
	rows := Align(bitcoin, bitcoin)
	var joints []*marketcache.Joint
	for i := range 13 {
		joints = append(joints, Align(bitcoin, model(r, marketcache.AssetID(i+1), n, last, market)))
	}
	own := joints[12]
	var pool Pool
	between := 0
	for round := range 40 {
		pool.Reset()
		gross := 3000.0
		for _, j := range joints[:12] {
			usd := 1000 * (0.2 + r.Float64())
			gross += usd
			weight := -usd * 0.98
			if r.Float64() < 0.3 {
				weight = usd * 1.02
			}
			pool.Add(j, weight)
		}
		pool.Sum(rows)
		if pool.Rows() == 0 || pool.slack[0] == 0 {
			t.Fatal("the replay is not coarse")
		}
		constant, weight := -gross*(0.02+0.3*r.Float64()), -3000*0.98
		var trade *marketcache.Joint
		if round%2 == 0 {
			trade = own
		}
		for h := range pool.moves {
			got := pool.Probability(h, trade, weight, constant, gross, 0)
			loose := pool.Probability(h, trade, weight, constant, gross, 0.05)
			exact := pool
			for state := range exact.moves[h] {
				sums := make([]float64, pool.Rows())
				for i, j := range pool.joints {
					for k, x := range j.Moves[h][state] {
						sums[k] += float64(pool.weights[i] * x)
					}
				}
				exact.moves[h][state] = sums
			}
			exact.slack[h] = 0
			want := exact.Probability(h, trade, weight, constant, gross, 0)
			if got != want {
				t.Errorf("round %d: %v, want %v", round, got, want)
			}
			if loose != want && !(want <= loose && loose <= 0.05) {
				t.Errorf("round %d: %v is reported as low enough for %v", round, loose, want)
			}
			if want > 0 && want < 1 {
				between++
			}
		}
	}
	if between < 20 {
		t.Errorf("%d probabilities between 0 and 1: too few for this test", between)
	}
}
