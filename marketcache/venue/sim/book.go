package sim

// fastLevels is the number of levels a side in books with "fast".
const fastLevels = 5

// book returns an asset's book at a precision, with the active faults applied.
func (m *market) book(a *asset, figures int, fast bool, f *faults) *wireBook {
	out := &wireBook{
		Coin: a.name, Time: f.bookMs(a.name, m.nowMs), Fast: fast, Levels: [2][]wireLevel{{}, {}},
	}
	if a.gone(f) || f.on("empty-book", a.name) {
		return out
	}
	n := levelMax
	if fast {
		n = fastLevels
	}
	bid, ask := a.best()
	oneSided := f.on("one-sided", a.name)
	if figures > 0 && ask > bid && !oneSided {
		out.Spread = a.px(ask - bid)
	}
	for side := range out.Levels {
		if side == askSide && oneSided {
			continue
		}
		shift := int64(0)
		if side == askSide && f.on("crossed", a.name) {
			shift = 2 * (ask - bid)
		}
		for _, l := range a.state.ladder.view(make([]level, 0, n), side, figures, n) {
			out.Levels[side] = append(out.Levels[side], wireLevel{Px: a.px(l.price - shift), Sz: a.sz(l.size),
				N: l.orders})
		}
		if f.on("nan", a.name) && len(out.Levels[side]) > 0 {
			out.Levels[side][0] = wireLevel{Px: "NaN", Sz: "Infinity", N: 1}
		}
	}
	return out
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
		for _, l := range a.state.ladder.view(one[:0], side, 0, 1) {
			best[side] = l.price
		}
	}
	return best[bidSide], best[askSide]
}
