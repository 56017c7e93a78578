package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// traded returns what the account has traded; of one that does not trade, nothing.
func (acc *account) traded() *trading {
	if acc.trading == nil {
		return &trading{}
	}
	return acc.trading
}

// fillRows answers userFills: the newest first. Those before startMs and after endMs are left out.
func fillRows(fills []fill, startMs, endMs int64) []object {
	rows := []object{}
	for _, f := range slices.Backward(fills) {
		if f.ms >= startMs && f.ms <= endMs && len(rows) < historyMax {
			rows = append(rows, f.row())
		}
	}
	return rows
}

// row returns the fill as on the wire.
func (f *fill) row() object {
	o := &f.order
	a := o.asset
	row := object{"coin": a.name, "px": a.px(f.price), "sz": a.sz(f.size), "side": o.letter(), "time": f.ms,
		"startPosition": a.sz(f.before), "dir": f.direction(), "closedPnl": usd(f.pnl), "hash": hashOf(f.id),
		"oid": o.id, "crossed": f.taker, "fee": usd(f.fee), "tid": f.id, "feeToken": "USDC", "twapId": nil}
	if o.hasCloid {
		row["cloid"] = o.cloid.String()
	}
	if o.twap > 0 {
		row["twapId"], row["hash"] = o.twap, "0x"+strings.Repeat("0", 64)
	}
	if o.liquidates {
		row["liquidation"] = object{"markPx": a.px(f.mark), "method": "market"}
	}
	return row
}

// direction returns what the fill did to the position.
func (f *fill) direction() string {
	after := f.before + f.order.sign()*f.size
	side := func(size int64) string {
		if size > 0 {
			return "Long"
		}
		return "Short"
	}
	switch {
	case f.before == 0, abs(after) > abs(f.before) && after < 0 == (f.before < 0):
		return "Open " + side(after)
	case after != 0 && after < 0 != (f.before < 0):
		return side(f.before) + " > " + side(after)
	}
	return "Close " + side(f.before)
}

// hashOf returns an invented hash of a transaction.
func hashOf(id int64) string {
	k := newKey(0, 11, uint64(id))
	return fmt.Sprintf("0x%016x%016x%016x%016x", k.bits(0), k.bits(1), k.bits(2), k.bits(3))
}

// row returns an update as orderUpdates tells it.
func (u *update) row() object {
	return object{"order": u.order.brief(), "status": u.order.status, "statusTimestamp": u.ms}
}

// orderStatus answers orderStatus, by the venue's number or the client's id.
func (acc *account) orderStatus(oid string) object {
	id, err := strconv.ParseInt(oid, 10, 64)
	cloid := strings.ToLower(strings.Trim(oid, `"`))
	for _, list := range [][]*order{acc.traded().history, acc.orders} {
		for _, o := range slices.Backward(list) {
			if err == nil && o.id == id || err != nil && o.hasCloid && o.cloid.String() == cloid {
				return object{"status": "order", "order": o.statusRow()}
			}
		}
	}
	return object{"status": "unknownOid"}
}

func (o *order) statusRow() object {
	return object{"order": o.row(), "status": o.status, "statusTimestamp": o.statusMs}
}

// historicalOrders answers historicalOrders, the newest first.
func (acc *account) historicalOrders() []object {
	rows := []object{}
	for _, o := range slices.Backward(acc.traded().history) {
		if len(rows) < historyMax {
			rows = append(rows, o.statusRow())
		}
	}
	return rows
}

// rateLimit answers userRateLimit.
func (acc *account) rateLimit() object {
	const free = 10_000
	t := acc.traded()
	return object{"cumVlm": usd(t.volume), "nRequestsUsed": t.actions, "nRequestsCap": free + int64(t.volume),
		"nRequestsSurplus": 0}
}

// webData answers the stream webData3: the account's settings and the dexes.
func (q query) webData() object {
	user := object{"agentAddress": nil, "agentValidUntil": nil, "cumLedger": "0.0", "serverTime": q.nowMs,
		"isVault": q.acc.role == "vault", "user": q.User, "abstraction": q.acc.abstraction()}
	for _, a := range q.acc.traded().agents {
		if a.name == "" {
			user["agentAddress"], user["agentValidUntil"] = a.address, a.until
		}
	}
	return object{"userState": user, "perpDexStates": each(q.dexes, func(d dex) object {
		return object{"totalVaultEquity": "0.0", "perpsAtOpenInterestCap": q.atCap(d.name, q.f)}
	})}
}

// news returns the entries of a log since the topic's last push, and whether there was none.
func news[T any](t *topic, l *log[T]) (rows []T, first bool) {
	rows, n := l.since(t.told)
	first = !t.begun
	t.told, t.begun = n, true
	return rows, first
}

// pushFills returns the fills since the last push; the first push has all of them.
func pushFills(q query) any {
	fills, first := news(q.topic, &q.acc.traded().fills)
	rows := fillRows(fills, 0, q.nowMs)
	switch {
	case first:
		return object{"isSnapshot": true, "user": q.User, "fills": rows}
	case len(rows) == 0:
		return nil
	}
	slices.Reverse(rows)
	return object{"user": q.User, "fills": rows}
}

// pushEvents returns the fills since the last push as userEvents tells them, and nothing at first.
func pushEvents(q query) any {
	fills, first := news(q.topic, &q.acc.traded().fills)
	if first || len(fills) == 0 {
		return nil
	}
	rows := fillRows(fills, 0, q.nowMs)
	slices.Reverse(rows)
	return object{"fills": rows}
}

// pushUpdates returns the changes of orders since the last push, and nothing at first.
func pushUpdates(q query) any {
	updates, first := news(q.topic, &q.acc.traded().updates)
	if first || len(updates) == 0 {
		return nil
	}
	return each(updates, func(u update) object { return u.row() })
}

// takeChanged returns the users whose accounts have changed since the last call.
func (m *market) takeChanged() map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	var users map[string]bool
	for _, acc := range m.traders {
		if acc.changed {
			if users == nil {
				users = map[string]bool{}
			}
			users[acc.Address], acc.changed = true, false
		}
	}
	return users
}

// spotMeta returns the spot pairs whose mids are published. They cannot be traded.
func spotMeta() object {
	token := func(name string, index, digits int, full string) object {
		return object{"name": name, "szDecimals": digits, "weiDecimals": 8, "index": index, "tokenId": "0x" + full,
			"isCanonical": true, "evmContract": nil, "fullName": nil, "deployerTradingFeeShare": "0.0"}
	}
	pair := func(name string, index, base int) object {
		return object{"name": name, "tokens": []int{base, 0}, "index": index, "isCanonical": name[0] != '@'}
	}
	return object{
		"tokens": []object{token("USDC", 0, 8, "6d1e7cde53ba9467b783cb7c530ce054"),
			token("PURR", 1, 0, "c1fb593aeffbeb02f85e0308e9956a90"),
			token("HYPE", 2, 2, "0d01dc56dcaaca66ad901c959b4011ec"),
			token("UBTC", 3, 5, "8f254b963e8468305d409b33aa137c67")},
		"universe": []object{pair("PURR/USDC", 0, 1), pair("@107", 107, 2), pair("@142", 142, 3)},
	}
}
