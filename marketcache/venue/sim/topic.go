package sim

import (
	"math"
	"slices"
	"strconv"

	"github.com/goccy/go-json"

	"ballast/marketcache/venue/hyperliquid"
)

// stream describes a subscription type.
type stream struct {
	channel  string // of its frames; "" is the type's own name
	everyMs  int64  // between pushes; 0: one snapshot on subscribing, nothing after
	coin     bool   // needs a coin
	user     bool   // needs a user
	defaults string // JSON object of what the server fills into the acknowledgement
}

// streams are the subscription types that the venue takes. Books, trades and best
// offers go out at most every half second, contexts and accounts every one to three
// seconds. The user streams that this exchange has nothing to say on send one empty
// snapshot.
var streams = map[string]stream{
	"allMids":                     {everyMs: 1000},
	"l2Book":                      {everyMs: 500, coin: true, defaults: `{"nSigFigs":null,"mantissa":null}`},
	"bbo":                         {everyMs: 500, coin: true},
	"trades":                      {everyMs: 500, coin: true},
	"candle":                      {everyMs: 1000, coin: true},
	"activeAssetCtx":              {everyMs: 1500, coin: true},
	"assetCtxs":                   {everyMs: 1500, defaults: `{"dex":""}`},
	"allDexsAssetCtxs":            {everyMs: 1500},
	"activeAssetData":             {everyMs: 3000, coin: true, user: true},
	"clearinghouseState":          {everyMs: 1000, user: true, defaults: `{"dex":""}`},
	"allDexsClearinghouseState":   {everyMs: 1000, user: true},
	"spotState":                   {everyMs: 3000, user: true},
	"webData3":                    {everyMs: 3000, user: true},
	"webData2":                    {everyMs: 3000, user: true},
	"userEvents":                  {channel: "user", user: true},
	"userFills":                   {user: true, defaults: `{"aggregateByTime":false}`},
	"userFundings":                {user: true},
	"userNonFundingLedgerUpdates": {user: true},
	"orderUpdates":                {user: true},
	"openOrders":                  {user: true, defaults: `{"dex":""}`},
	"notification":                {user: true},
}

// topic is one distinct subscription with its listeners. All but the constants at the
// top is guarded by the hub's lock.
type topic struct {
	key     string // the acknowledged subscription, keys sorted
	sub     hyperliquid.Subscription
	stream  stream
	channel string
	prefix  []byte // {"channel":"…","data":
	phase   int64  // staggers the pushes of equal streams

	conns map[*conn]struct{}
	due   int64      // the time of the next push, ms
	sides [2][]level // of the last book pushed
	last  []byte     // of the last bbo pushed
}

// parseTopic reads a subscription object, checks it and fills in the defaults.
func parseTopic(raw []byte) (*topic, bool) {
	var fields map[string]json.RawMessage
	var sub hyperliquid.Subscription
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(raw, &sub) != nil {
		return nil, false
	}
	s, known := streams[sub.Type]
	if !known || s.coin && sub.Coin == "" || s.user && sub.User == "" {
		return nil, false
	}
	if s.user {
		user, good := address(sub.User)
		if !good {
			return nil, false
		}
		sub.User = user
		fields["user"] = encode(user)
	}
	if s.defaults != "" {
		var defaults map[string]json.RawMessage
		if err := json.Unmarshal([]byte(s.defaults), &defaults); err != nil {
			panic("BUG: defaults of " + sub.Type)
		}
		for k, v := range defaults {
			if _, has := fields[k]; !has {
				fields[k] = v
			}
		}
	}
	key, err := json.Marshal(fields) // map keys come out sorted
	if err != nil {
		return nil, false
	}
	t := &topic{key: string(key), sub: sub, stream: s, channel: sub.Type, conns: map[*conn]struct{}{}}
	if s.channel != "" {
		t.channel = s.channel
	}
	t.prefix = []byte(`{"channel":"` + t.channel + `","data":`)
	for _, c := range t.key {
		t.phase = t.phase*31 + int64(c)
	}
	return t, true
}

// knows checks a subscription against the universe.
func (m *market) knows(s *hyperliquid.Subscription) bool {
	if s.Coin != "" && m.byName[s.Coin] == nil {
		return false
	}
	switch s.Type {
	case "l2Book":
		_, good := readPrecision(s.NSigFigs, s.Mantissa)
		return good
	case "candle":
		_, good := intervals[s.Interval]
		return good
	}
	return s.Dex == "" || s.Dex == dexName
}

// push appends the data of a topic's next frame, nil when nothing has changed. One
// caller at a time for a topic; the market's read lock is taken here.
func (m *market) push(dst []byte, t *topic, f *faults) []byte {
	m.mu.RLock()
	defer m.mu.RUnlock()
	a := m.byName[t.sub.Coin]
	acc := m.accounts[t.sub.User]
	ms := m.nowMs + f.skewMs()
	switch t.sub.Type {
	case "allMids":
		dst = m.appendMids(append(dst, `{"mids":`...), t.sub.Dex, f)
		if t.sub.Dex != "" {
			dst = append(dst, `,"dex":"`+t.sub.Dex+`"`...)
		}
		return append(dst, '}')
	case "l2Book":
		return m.pushBook(dst, t, a, f)
	case "bbo":
		return m.pushBest(dst, t, a, f)
	case "trades":
		return m.appendTrades(dst, a, f, 0)
	case "candle":
		b, rows := m.appendCandles(nil, a, t.sub.Interval, m.nowMs, m.nowMs)
		if rows == 0 {
			return nil
		}
		return append(dst, b[1:len(b)-1]...)
	case "activeAssetCtx":
		dst = append(dst, `{"coin":"`+a.name+`","ctx":`...)
		return append(m.appendContext(dst, a, f), '}')
	case "assetCtxs":
		dst = append(dst, `{"dex":"`+t.sub.Dex+`","ctxs":`...)
		return append(m.appendContexts(dst, t.sub.Dex, f), '}')
	case "allDexsAssetCtxs":
		dst = m.appendContexts(append(dst, `{"ctxs":[["",`...), "", f)
		dst = m.appendContexts(append(dst, `],["`+dexName+`",`...), dexName, f)
		return append(dst, "]]}"...)
	case "activeAssetData":
		return append(dst, encode(acc.assetData(t.sub.User, a))...)
	case "clearinghouseState":
		return append(dst, encode(hyperliquid.ClearinghouseFrame{
			Dex: t.sub.Dex, User: t.sub.User, ClearinghouseState: acc.clearinghouse(t.sub.Dex, ms),
		})...)
	case "allDexsClearinghouseState":
		return append(dst, encode(hyperliquid.AllDexsClearinghouseFrame{User: t.sub.User, States: []hyperliquid.DexState{
			{Dex: "", State: acc.clearinghouse("", ms)}, {Dex: dexName, State: acc.clearinghouse(dexName, ms)},
		}})...)
	case "spotState":
		return append(dst, encode(hyperliquid.SpotFrame{User: t.sub.User, SpotState: m.spotState(acc)})...)
	case "webData2":
		return append(dst, m.webData2(acc, t.sub.User, f)...)
	case "webData3":
		return append(dst, encode(hyperliquid.WebData3{
			UserState: hyperliquid.WebData3User{
				CumLedger: "0.0", ServerTime: ms, IsVault: acc.userRole() == "vault", User: t.sub.User,
				Abstraction: webAbstraction(acc.abstraction()),
			},
			PerpDexStates: []hyperliquid.PerpDexState{
				{TotalVaultEquity: "0.0", PerpsAtOpenInterestCap: m.atCap("", f)},
				{TotalVaultEquity: "0.0", PerpsAtOpenInterestCap: m.atCap(dexName, f)},
			},
		})...)
	}
	return append(dst, emptySnapshot(&t.sub)...)
}

// webAbstraction is userAbstraction as webData3 prints it: absent for default.
func webAbstraction(mode string) string {
	if mode == "default" {
		return ""
	}
	return mode
}

// emptySnapshot is the first and only frame of a user stream without content.
func emptySnapshot(s *hyperliquid.Subscription) string {
	switch s.Type {
	case "userFills":
		return `{"isSnapshot":true,"user":"` + s.User + `","fills":[]}`
	case "userFundings":
		return `{"isSnapshot":true,"user":"` + s.User + `","fundings":[]}`
	case "userNonFundingLedgerUpdates":
		return `{"isSnapshot":true,"user":"` + s.User + `","nonFundingLedgerUpdates":[]}`
	case "openOrders":
		return `{"dex":"` + s.Dex + `","user":"` + s.User + `","orders":[]}`
	case "orderUpdates":
		return `[]`
	case "notification":
		return `{"notification":""}`
	}
	return `{"fills":[]}`
}

// pushBook appends a book unless it equals the last one pushed.
func (m *market) pushBook(dst []byte, t *topic, a *asset, f *faults) []byte {
	p, _ := readPrecision(t.sub.NSigFigs, t.sub.Mantissa)
	n := levelMax
	if t.sub.Fast {
		n = 5
	}
	v := a.view(p, n, f)
	if f.text == "" && slices.Equal(v.sides[0], t.sides[0]) && slices.Equal(v.sides[1], t.sides[1]) {
		return nil
	}
	t.sides = v.sides
	return a.appendBook(dst, &v, f.bookMs(a.name, m.nowMs))
}

// pushBest appends the best bid and ask unless they equal the last ones pushed.
func (m *market) pushBest(dst []byte, t *topic, a *asset, f *faults) []byte {
	v := a.view(precision{}, 1, f)
	var pair []byte
	for side, levels := range v.sides {
		if side > 0 {
			pair = append(pair, ',')
		}
		if len(levels) == 0 {
			pair = append(pair, "null"...)
		} else {
			pair = a.appendLevel(pair, &levels[0])
		}
	}
	if slices.Equal(pair, t.last) {
		return nil
	}
	t.last = pair
	dst = append(dst, `{"coin":"`+a.name+`","time":`...)
	dst = strconv.AppendInt(dst, f.bookMs(a.name, m.nowMs), 10)
	dst = append(dst, `,"bbo":[`...)
	return append(append(dst, pair...), "]}"...)
}

// tradeUSD is the mean size of a printed trade.
const tradeUSD = 2500

// appendTrades appends the trades of this half second: as many as the asset's daily
// volume suggests, at the best prices. With n > 0 it appends the n newest instead,
// never none. nil when there is none.
func (m *market) appendTrades(dst []byte, a *asset, f *faults, n int) []byte {
	slot := m.nowMs / 500
	if n == 0 {
		expected := a.volumeMUSD * 1e6 / (24 * 7200) / tradeUSD
		n = min(int(expected+a.volume.uniform(-slot)), 10)
	}
	if n == 0 || a.state.halted || !a.trades() {
		if dst == nil {
			return []byte("[]")
		}
		return nil
	}
	bid, ask := a.best()
	dst = append(dst, '[')
	for i := range n {
		h := key(a.volume.bits(-slot*16 - int64(i)))
		side, price := "A", bid
		if h.uniform(1) < 0.5 {
			side, price = "B", ask
		}
		size := -math.Log(h.uniform(2)) * tradeUSD / a.usdOf(price) * float64(pow10[a.szDecimals])
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, encode(hyperliquid.WireTrade{
			Coin: a.name, Side: side, Px: a.px(price), Sz: a.sz(max(1, int64(size))),
			Time: f.bookMs(a.name, m.nowMs) - int64(n-1-i)*20, Hash: hexDigits(h, 64), Tid: int64(h.bits(3) >> 12),
			Users: [2]string{hexDigits(h+1, 40), hexDigits(h+2, 40)},
		})...)
	}
	return append(dst, ']')
}

// hexDigits returns 0x and n hexadecimal digits of a stream.
func hexDigits(k key, n int) string {
	const digits = "0123456789abcdef"
	b := []byte("0x")
	for i := range n {
		b = append(b, digits[k.bits(int64(i))&15])
	}
	return string(b)
}
