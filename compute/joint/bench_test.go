package joint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ballast/marketcache"
)

// benchFits returns fits of k assets with a year of history, aligned with the first.
func benchFits(k int) []*marketcache.AssetModel {
	r := rand.New(rand.NewPCG(9, 20))
	const last, n = 480_000, 9600
	market := normals(r, n)
	var fits []*marketcache.AssetModel
	for i := range k {
		fits = append(fits, model(r, marketcache.AssetID(i), n, last, market))
	}
	for i := range fits {
		fits[i].Joint = Align(fits[0], fits[i])
	}
	return fits
}

// The cost of one request: what is added is summed, and assessed with one more leg.
func BenchmarkRequest(b *testing.B) {
	const gross = 1e5
	for _, k := range []int{2, 5, 40} {
		fits := benchFits(k)
		usd := make([]float64, k)
		for i := range usd {
			usd[i] = gross / float64(k) * (1 - 2*float64(i%3/2))
		}
		own := fits[k-1]
		b.Run(fmt.Sprintf("book/%d", k), func(b *testing.B) {
			var book Losses
			b.ReportAllocs()
			for b.Loop() {
				book.Reset()
				for i, m := range fits[:k-1] {
					book.Add(m, usd[i])
				}
				book.Sum(fits[0])
				book.PrepareWithout()
				book.Tail(own, usd[k-1])
				for i, m := range fits {
					book.Without(m, usd[i])
				}
			}
		})
		for _, room := range []float64{0.03, 0.3} { // of the gross notional: a share decides, the tail decides
			b.Run(fmt.Sprintf("pool/%d/%g", k, room), func(b *testing.B) {
				var pool Paths
				leg := func(i int) PathLeg {
					return PathLeg{fits[i], 0.02*math.Abs(usd[i]) - usd[i], usd[i] < 0}
				}
				b.ReportAllocs()
				for b.Loop() {
					pool.Reset()
					for i := range fits[:k-1] {
						pool.Add(leg(i))
					}
					pool.Sum(fits[0])
					mine := leg(k - 1)
					for h := range 2 {
						pool.Probability(h, &mine, room*gross, 0)
					}
				}
			})
			b.Run(fmt.Sprintf("probe/%d/%g", k, room), func(b *testing.B) {
				var pool Paths
				for i := range fits[:k-1] {
					pool.Add(PathLeg{fits[i], 0.02*math.Abs(usd[i]) - usd[i], usd[i] < 0})
				}
				pool.Sum(fits[0])
				mine := PathLeg{own, 0.02*math.Abs(usd[k-1]) - usd[k-1], usd[k-1] < 0}
				for b.Loop() {
					pool.Probability(0, &mine, room*gross, 0)
				}
			})
		}
	}
}
