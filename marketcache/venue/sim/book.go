package sim

import (
	"slices"

	"ballast/marketcache/venue/hyperliquid"
)

// fastLevels is the number of levels a side in books with "fast".
const fastLevels = 5

// book returns an asset's book at a precision, with the active faults applied.
func (m *market) book(a *asset, p precision, fast bool, f *faults) *hyperliquid.Book {
	out := &hyperliquid.Book{
		Coin: a.name, Time: f.bookMs(a.name, m.nowMs), Fast: fast,
		Levels: [2][]hyperliquid.BookLevel{{}, {}},
	}
	if a.gone(f) || f.on("empty-book", a.name) {
		return out
	}
	n := levelMax
	if fast {
		n = fastLevels
	}
	var sides [2][]level
	for side := range sides {
		sides[side] = a.state.ladder.view(make([]level, 0, n), side, p, n)
	}
	bid, ask := a.best()
	if p.figures > 0 && ask > bid && !f.on("one-sided", a.name) {
		out.Spread = a.px(ask - bid)
	}
	if f.text != "" {
		bend(&sides, a.name, f)
	}
	for side, levels := range sides {
		for _, l := range levels {
			out.Levels[side] = append(out.Levels[side], hyperliquid.BookLevel{Px: a.px(l.price), Sz: a.sz(l.size), N: l.orders})
		}
	}
	for fault, top := range badTops {
		for side := range sides {
			if f.on(fault, a.name) && len(out.Levels[side]) > 0 {
				out.Levels[side][0] = top
			}
		}
	}
	return out
}

// badTops are the best levels that a fault puts on both sides, by fault.
var badTops = map[string]hyperliquid.BookLevel{
	"nan":      {Px: "NaN", Sz: "Infinity", N: 1},
	"huge":     {Px: "1e308", Sz: "1e308", N: 1},
	"negative": {Px: "-1.0", Sz: "0.0", N: 1},
}

// bend applies the faults that change a book's levels.
func bend(sides *[2][]level, coin string, f *faults) {
	if f.on("one-sided", coin) {
		sides[askSide] = nil
	}
	bids, asks := sides[bidSide], sides[askSide]
	if len(bids) == 0 || len(asks) == 0 {
		return
	}
	shift, gap := int64(0), asks[0].price-bids[0].price
	if f.on("crossed", coin) {
		shift = 2 * gap
	}
	if f.on("locked", coin) {
		shift = gap
	}
	for i := range asks {
		asks[i].price -= shift
	}
	for side, levels := range sides {
		if f.on("unsorted", coin) {
			slices.Reverse(levels)
		}
		if f.on("duplicate", coin) {
			sides[side] = nil
			for _, l := range levels {
				sides[side] = append(sides[side], l, l)
			}
		}
	}
}

// gone reports whether the asset is delisted, in the catalog or by a fault.
func (a *asset) gone(f *faults) bool { return a.life == delisted || f.on("delist", a.name) }

// bookless reports whether the book is empty or one-sided, and so has no mid.
func (a *asset) bookless(f *faults) bool {
	return a.gone(f) || f.on("one-sided", a.name) || f.on("empty-book", a.name)
}

// best returns the best bid and ask of the full-precision book in units; 0 for an empty side.
func (a *asset) best() (bid, ask int64) {
	var best [2]int64
	var one [1]level
	for side := range best {
		for _, l := range a.state.ladder.view(one[:0], side, precision{}, 1) {
			best[side] = l.price
		}
	}
	return best[bidSide], best[askSide]
}
