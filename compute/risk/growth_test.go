package risk

import (
	"fmt"
	"testing"

	mc "ballast/marketcache"
)

// deepBook has the given levels a side, 1 bp apart and 1 unit each at testMark: 20 of the
// finest book, and the next 20 of each coarser one, whose first level holds all before it.
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

// onBook returns the sub-benchmarks of a book: a buy that ends in its third level, and one
// that ends in its last.
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

// BenchmarkBookLevels is the price of a market order: marketView.slippage, which asks for
// the depth on both sides twice and walks the order through its side once. Both are one
// binary search in the prefix sums of a side, O(log levels) whatever the size; no level is
// visited because the order takes from it. The prefix sums are made once a book, by
// MergeBooks, on the feed's side.
func BenchmarkBookLevels(b *testing.B) {
	onBook(b, func(b *testing.B, book *mc.Book, units float64) {
		in := testInput(0, "BTC", testMark)
		in.Market.Book = book
		mk := viewOf(&in)
		plan := tradePlan{direction: +1, units: units}
		b.ReportAllocs()
		for b.Loop() {
			grown = mk.slippage(&plan).Bps
		}
	})
}

// BenchmarkAssessLevels is what that comes to in a whole assessment, which walks the book
// again for each exit of its scenarios and each size that the sizing tries.
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
