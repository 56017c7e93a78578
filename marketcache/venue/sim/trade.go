package sim

import (
	"fmt"
	"math"
)

// tradeUSD is the mean notional of a trade.
const tradeUSD = 2500

// trades returns the trades of the current half second, as many as the asset's daily volume suggests, at
// the best prices. With n > 0 it returns the n newest instead.
func (m *market) trades(a *asset, f *faults, n int) []object {
	out := []object{}
	slot := m.nowMs / 500
	if n == 0 {
		expected := a.volumeMUSD * 1e6 / (24 * 7200) / tradeUSD
		n = min(int(expected+a.volume.uniform(-slot)), 10)
	}
	if a.life == delisted || a.volumeMUSD == 0 {
		return out
	}
	bid, ask := a.best()
	for i := range n {
		h := key(a.volume.bits(-slot*16 - int64(i)))
		side, price := "A", bid // A: the taker sells
		if h.uniform(1) < 0.5 {
			side, price = "B", ask
		}
		size := -math.Log(h.uniform(2)) * tradeUSD / a.usdOf(price) * float64(pow10[a.szDecimals])
		out = append(out, object{
			"coin": a.name, "side": side, "px": a.px(price), "sz": a.sz(max(1, int64(size))),
			"time": f.bookMs(a.name, m.nowMs) - int64(n-1-i)*20, "hash": hexDigits(h, 64), "tid": h.bits(3) >> 12,
			"users": [2]string{hexDigits(h+1, 40), hexDigits(h+2, 40)}, // buyer, seller
		})
	}
	return out
}

// hexDigits returns 0x and n hexadecimal digits of a stream, at most 64.
func hexDigits(k key, n int) string {
	return fmt.Sprintf("0x%016x%016x%016x%016x", k.bits(0), k.bits(1), k.bits(2), k.bits(3))[:2+n]
}
