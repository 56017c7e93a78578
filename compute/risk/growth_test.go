package risk

import (
	"fmt"
	"testing"

	mc "ballast/marketcache"
)

// deepBook returns a book with the given number of levels per side, 1 bp apart and 1 unit each at
// testMark. It is merged from books of decreasing precision as the venue sends them: 20 levels of
// the finest, and the next 20 of each coarser book, whose first level contains all levels before
// it.
func deepBook(levels int) *mc.Book {
	var sides [2][][]mc.Level
	for i, dir := range []float64{-1, +1} {
		for first := 0; first < levels; first += 20 {
			var book []mc.Level
			for k := first; k < first+20; k++ {
				book = append(book, mc.Level{Price: testMark * (1 + dir*float64(k+1)*1e-4), Units: 1})
			}
			book[0].Units += float64(first)
			sides[i] = append(sides[i], book)
		}
	}
	return mc.MergeBooks(sides[0], sides[1], testWallMs)
}

// onBook runs two sub-benchmarks on a book: a buy that ends in its third level, and a buy that ends
// in its last level.
func onBook(b *testing.B, run func(b *testing.B, book *mc.Book, units float64)) {
	for _, levels := range []int{20, 40, mc.MaxSideLevels} {
		book := deepBook(levels)
		if book.Bids.Len() != levels || book.Asks.Len() != levels {
			b.Fatalf("%d and %d levels, want %d", book.Bids.Len(), book.Asks.Len(), levels)
		}
		for _, size := range []struct {
			name string
			ends int
		}{{"small", 2}, {"all", levels - 1}} {
			b.Run(fmt.Sprintf("levels=%d/size=%s", levels, size.name), func(b *testing.B) {
				units := float64(size.ends) + 0.5
				in := testInput(0, "BTC", testMark)
				in.Market.Book = book
				mk := viewOf(&in)
				if cum := mk.asks.levels.CumUnits; !(cum[size.ends] > units && cum[size.ends] < units+1) {
					b.Fatalf("the order does not end in level %d", size.ends)
				}
				run(b, book, units)
			})
		}
	}
}

var grown float64

// BenchmarkBookLevels measures the price of a market order: marketView.slippage, which computes the
// depth of both sides twice and the cost of the order once. Each is a binary search in the prefix
// sums of a side, O(log levels), for orders of every size. MergeBooks computes the prefix sums once
// per book, when the feed receives it.
func BenchmarkBookLevels(b *testing.B) {
	onBook(b, func(b *testing.B, book *mc.Book, units float64) {
		in := testInput(0, "BTC", testMark)
		in.Market.Book = book
		mk := viewOf(&in)
		plan := tradePlan{direction: +1, units: units}
		b.ReportAllocs()
		for b.Loop() {
			grown = mk.slippage(&plan, mk.fillPrice(&plan)).Bps
		}
	})
}

// BenchmarkAssessLevels measures how the number of levels affects a whole assessment, which also prices
// the exits of its scenarios and every size that the sizing tries.
func BenchmarkAssessLevels(b *testing.B) {
	onBook(b, func(b *testing.B, book *mc.Book, units float64) {
		in := newSituation(1e6, ActionLong, units*testMark).in
		in.Target.Market.Book = book
		e, scratch := NewEngine(DefaultAges()), NewScratch(4)
		assessWith(b, e, scratch, &in)
		b.ReportAllocs()
		for b.Loop() {
			e.Assess(scratch)
		}
		if got := &scratch.Out.Slippage; got.BeyondVisible || got.Bps <= 0 {
			b.Fatalf("%+v", got)
		}
	})
}
