package risk

import "ballast/marketcache"

// marketView is the target's photograph with what several blocks need of it.
type marketView struct {
	asset *marketcache.Asset
	in    *AssetInput
	book  *marketcache.Book
	model *marketcache.AssetModel
	rule  stressRule

	mark      float64 // p
	mid       float64 // m: the book's, or the mark
	spreadBps float64 // S_now: 0 where the book has no mid
	asks      bookSide
	bids      bookSide

	exit struct{ side, units, bps float64 } // the last one asked about; side 0: none
}

// read makes mk the view of a photograph.
func (mk *marketView) read(in *AssetInput) {
	mk.asset, mk.in, mk.book, mk.model = in.Market.Asset, in, in.Market.Book, in.Model
	mk.rule = stressRuleOf(in)
	mk.mark = in.Market.Context.MarkPrice
	mk.mid, mk.spreadBps = mk.book.MidPrice, mk.book.SpreadBps
	if !mk.book.TwoSided() {
		mk.mid, mk.spreadBps = mk.mark, 0
	}
	mk.asks.read(&mk.book.Asks, +1, mk.mid, in.TakenAsks)
	mk.bids.read(&mk.book.Bids, -1, mk.mid, in.TakenBids)
	mk.exit.side = 0
}

// side returns the side of the book that an order of direction d takes from.
func (mk *marketView) side(d float64) *bookSide {
	if d > 0 {
		return &mk.asks
	}
	return &mk.bids
}
