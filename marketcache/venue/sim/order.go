package sim

import "math"

// order is one resting order.
type order struct {
	resting
	asset    *asset
	id       int
	buys     bool
	size     int64   // size units; 0: the whole position
	limit    float64 // USD
	leverage int     // of the position that it would open or enlarge
}

// openOrders creates the account's resting orders, with limit prices relative to the current marks.
func (acc *account) openOrders(m *market) {
	for i, r := range acc.Wallet.orders {
		a := m.byName[r.coin]
		if a == nil { // a small universe lacks some assets
			continue
		}
		mark := a.markUSD()
		o := &order{
			resting: r, asset: a, id: 9_000_000 + i, buys: r.usd > 0, limit: a.usdOf(a.toUnits(mark * r.price)),
			size:     int64(math.Round(math.Abs(r.usd) / mark * float64(pow10[a.szDecimals]))),
			leverage: acc.setting(a).leverage,
		}
		for _, p := range acc.positions {
			if p.asset == a {
				o.leverage = p.leverage
				if r.usd == 0 {
					o.buys = p.size < 0
				}
			}
		}
		acc.orders = append(acc.orders, o)
	}
}

// stop reports whether the order waits for its price to limit a loss; it is then reduce-only.
func (o *order) stop() bool { return o.kind != "Limit" }

// held returns the margin that the venue keeps for the account's resting orders on a dex.
func (acc *account) held(dex string) (sum float64) {
	for _, o := range acc.orders {
		if !o.stop() && (dex == everyDex || dex == o.asset.dex) {
			sum += o.asset.baseUnits(o.size) * o.limit / float64(o.leverage)
		}
	}
	return roundUSD(sum)
}

// openOrderRows answers frontendOpenOrders for a dex.
func (acc *account) openOrderRows(dex string, ms int64) []object {
	rows := []object{}
	for _, o := range acc.orders {
		if o.asset.dex != dex {
			continue
		}
		side := "A"
		if o.buys {
			side = "B"
		}
		price, size := decimal(o.limit, o.asset.digits), o.asset.sz(o.size)
		row := object{
			"coin": o.asset.name, "side": side, "limitPx": price, "sz": size, "origSz": size,
			"oid": o.id, "timestamp": ms - 3_600_000,
			"triggerCondition": "N/A", "isTrigger": o.stop(), "triggerPx": "0.0", "children": []object{},
			"isPositionTpsl": o.size == 0, "reduceOnly": o.stop(), "orderType": o.kind, "tif": "Gtc", "cloid": nil,
		}
		if o.stop() {
			row["triggerPx"], row["triggerCondition"], row["tif"] = price, "Price crosses "+price, nil
		}
		rows = append(rows, row)
	}
	return rows
}

// roleOf answers userRole.
func (acc *account) roleOf() object {
	if acc.owner != "" {
		return object{"role": acc.role, "data": object{"user": acc.owner}}
	}
	return object{"role": acc.role}
}
