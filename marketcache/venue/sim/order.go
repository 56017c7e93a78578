package sim

import (
	"math"

	"ballast/marketcache/venue/exchange"
)

// order is one order of an account.
type order struct {
	asset *asset
	id    int64
	buys  bool
	// cloid is the client's own id.
	hasCloid bool
	cloid    exchange.Cloid
	// left and placed are size units. Both are 0 if the order is for the whole position.
	left, placed int64
	limit        int64 // price units; of a market trigger the worst price
	tif          string
	reduceOnly   bool

	trigger  int64 // price units; 0: none
	isMarket bool  // becomes a market order when it triggers
	profit   bool  // triggers on the side of a profit
	whole    bool  // follows the size of the position

	parent *order // whose fill the order waits for
	group  int64  // the orders of which one cancels the others when it fills; 0: none

	value      float64 // USD, of its fills
	placedMs   int64
	status     string // open, filled, canceled, or the reason of a cancellation
	statusMs   int64
	twap       int64 // of a slice: the id of the TWAP; 0: none
	liquidates bool  // placed by the venue to close a position
}

// kind returns the venue's name of the order's type.
func (o *order) kind() string {
	name := "Stop "
	if o.profit {
		name = "Take Profit "
	}
	switch {
	case o.trigger == 0 && o.tif == "FrontendMarket":
		return "Market"
	case o.trigger == 0:
		return "Limit"
	case o.isMarket:
		return name + "Market"
	}
	return name + "Limit"
}

// sign is 1 for a buyer and -1 for a seller.
func (o *order) sign() int64 {
	if o.buys {
		return 1
	}
	return -1
}

// other returns the side of the book that the order trades against.
func (o *order) other() int {
	if o.buys {
		return askSide
	}
	return bidSide
}

// above reports whether the order triggers at marks above its trigger price.
func (o *order) above() bool { return o.buys != o.profit }

// openOrders creates the account's resting orders, with prices relative to the current marks.
func (acc *account) openOrders(m *market) {
	for i, r := range acc.Wallet.orders {
		a := m.byName[r.coin]
		if a == nil { // a small universe lacks some assets
			continue
		}
		mark := a.markUSD()
		o := &order{
			asset: a, id: 9_000_000 + int64(i), buys: r.usd > 0, limit: a.toUnits(mark * r.price),
			left:     int64(math.Round(math.Abs(r.usd) / mark * float64(pow10[a.szDecimals]))),
			tif:      "Gtc",
			placedMs: m.nowMs - hourMs, statusMs: m.nowMs - hourMs, status: "open",
		}
		o.placed = o.left
		if r.kind != "Limit" {
			o.trigger, o.tif, o.reduceOnly = o.limit, "", true
			o.isMarket, o.whole = r.kind == "Stop Market", r.usd == 0
		}
		if p := acc.position(a); p != nil && o.whole {
			o.buys = p.size < 0
		}
		acc.orders = append(acc.orders, o)
	}
}

// held returns the margin that the venue keeps for the account's resting orders on a dex. What reduces a position
// needs none.
func (acc *account) held(dex string) (sum float64) {
	reducing := map[*asset]int64{} // size units of orders that reduce the position
	for _, o := range acc.orders {
		if o.trigger != 0 || o.reduceOnly || dex != everyDex && dex != o.asset.dex {
			continue
		}
		size := o.left
		if p := acc.position(o.asset); p.reducedBy(o.buys) {
			part := min(size, max(abs(p.size)-reducing[o.asset], 0))
			reducing[o.asset] += part
			size -= part
		}
		sum += o.asset.baseUnits(size) * o.asset.usdOf(o.limit) / float64(acc.heldIn(o.asset).leverage)
	}
	return roundUSD(sum)
}

func abs(x int64) int64 { return max(x, -x) }

// openOrderRows answers frontendOpenOrders for a dex: children stand with their parents until these have filled.
func (acc *account) openOrderRows(dex string) []object {
	rows := []object{}
	for _, o := range acc.orders {
		if o.asset.dex != dex || o.parent != nil {
			continue
		}
		row := o.row()
		children := []object{}
		for _, child := range acc.orders {
			if child.parent == o {
				children = append(children, child.row())
			}
		}
		row["children"] = children
		rows = append(rows, row)
	}
	return rows
}

// row returns the order as the venue's web page reads it.
func (o *order) row() object {
	a := o.asset
	row := o.brief()
	row["triggerCondition"], row["isTrigger"], row["triggerPx"] = "N/A", o.trigger != 0, "0.0"
	row["children"], row["isPositionTpsl"], row["reduceOnly"] = []object{}, o.whole, o.reduceOnly
	row["orderType"], row["tif"], row["cloid"] = o.kind(), o.tif, nil
	if o.hasCloid {
		row["cloid"] = o.cloid.String()
	}
	if o.trigger != 0 {
		where := "below "
		if o.above() {
			where = "above "
		}
		row["triggerPx"], row["triggerCondition"] = a.px(o.trigger), "Price "+where+a.px(o.trigger)
		row["tif"] = nil
	}
	return row
}

// letter is the venue's name of the order's side.
func (o *order) letter() string {
	if o.buys {
		return "B"
	}
	return "A"
}

// brief returns what orderUpdates says about the order.
func (o *order) brief() object {
	row := object{"coin": o.asset.name, "side": o.letter(), "limitPx": o.asset.px(o.limit), "sz": o.asset.sz(o.left),
		"oid": o.id, "timestamp": o.placedMs, "origSz": o.asset.sz(o.placed)}
	if o.hasCloid {
		row["cloid"] = o.cloid.String()
	}
	return row
}

// roleOf answers userRole.
func (acc *account) roleOf() object {
	if acc.owner != "" {
		return object{"role": acc.role, "data": object{"user": acc.owner}}
	}
	return object{"role": acc.role}
}
