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
	classic  int64  // ms between pushes by cadence; 0: one snapshot on subscribing, nothing after
	mainnet  int64
	coin     bool   // needs a coin
	user     bool   // needs a user
	defaults string // JSON object of what the server fills into the acknowledgement
}

// fastBooks is the name of the cadence of l2Book subscriptions with "fast".
const fastBooks = "l2Book fast"

// streams are the subscription types that the venue takes. The user streams that this
// exchange has nothing to say on send one empty snapshot. bbo comes at every move of the
// market that changes it.
var streams = map[string]stream{
	"allMids":                     {classic: 1000, mainnet: 5050},
	"l2Book":                      {classic: 500, mainnet: 5400, coin: true, defaults: `{"nSigFigs":null,"mantissa":null}`},
	fastBooks:                     {classic: 500, mainnet: 540},
	"bbo":                         {classic: 500, mainnet: 60, coin: true},
	"trades":                      {classic: 500, mainnet: 500, coin: true},
	"candle":                      {classic: 1000, mainnet: 750, coin: true},
	"activeAssetCtx":              {classic: 1500, mainnet: 1008, coin: true},
	"assetCtxs":                   {classic: 1500, mainnet: 15_000, defaults: `{"dex":""}`},
	"allDexsAssetCtxs":            {classic: 1500, mainnet: 13_600},
	"fastAssetCtxs":               {classic: 1000, mainnet: 1005},
	"activeAssetData":             {classic: 3000, mainnet: 5000, coin: true, user: true},
	"clearinghouseState":          {classic: 1000, mainnet: 5000, user: true, defaults: `{"dex":""}`},
	"allDexsClearinghouseState":   {classic: 1000, mainnet: 5000, user: true},
	"spotState":                   {classic: 3000, mainnet: 5000, user: true},
	"webData3":                    {classic: 3000, mainnet: 5000, user: true},
	"userEvents":                  {channel: "user", user: true},
	"userFills":                   {user: true, defaults: `{"aggregateByTime":false}`},
	"userFundings":                {user: true},
	"userNonFundingLedgerUpdates": {user: true},
	"orderUpdates":                {user: true},
	"openOrders":                  {user: true, defaults: `{"dex":""}`},
	"notification":                {user: true},
}

// cadenceOf is the name under which a subscription's cadence is listed.
func cadenceOf(s *hyperliquid.Subscription) string {
	if s.Type == "l2Book" && s.Fast {
		return fastBooks
	}
	return s.Type
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
	everyMs int64  // between pushes
	resend  bool   // books go out unchanged, too
	base    *topic // of a first frame: the topic that later ones come from

	conns map[*conn]struct{}
	due   int64             // the time of the next push, ms
	sides [2][]level        // of the last book pushed
	last  []byte            // of the last bbo pushed
	fast  map[string]quotes // as of the last fast contexts pushed
}

// parseTopic reads a subscription object, checks it and fills in the defaults.
func parseTopic(raw []byte) (*topic, bool) {
	var fields map[string]json.RawMessage
	var sub hyperliquid.Subscription
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(raw, &sub) != nil {
		return nil, false
	}
	s, known := streams[sub.Type]
	if !known || sub.Type == fastBooks || s.coin && sub.Coin == "" || s.user && sub.User == "" {
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

// verdict is what becomes of a subscription.
type verdict uint8

const (
	taken   verdict = iota
	invalid         // an error frame
	fatal           // the end of the socket
)

// takes checks a subscription against the universe.
func (m *market) takes(s *hyperliquid.Subscription) verdict {
	_, precise := readPrecision(s.NSigFigs, s.Mantissa)
	_, spaced := intervals[s.Interval]
	unknown := s.Coin != "" && m.byName[s.Coin] == nil
	switch {
	case (s.Type == "l2Book" || s.Type == "bbo") && unknown, s.Type == "l2Book" && !precise:
		return fatal
	case unknown, s.Type == "candle" && !spaced, m.dex(s.Dex) == nil:
		return invalid
	}
	return taken
}

// push appends the data of a topic's next frame, nil when nothing has changed. One
// caller at a time for a topic; the market's read lock is taken here.
func (m *market) push(dst []byte, t *topic, f *faults) []byte {
	m.mu.RLock()
	defer m.mu.RUnlock()
	a := m.byName[t.sub.Coin]
	acc := m.accounts[t.sub.User]
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
		b, rows := m.appendCandles(nil, a, t.sub.Interval, m.nowMs, m.nowMs, f)
		if rows == 0 {
			return nil
		}
		return append(dst, b[1:len(b)-1]...)
	case "activeAssetCtx":
		dst = append(dst, `{"coin":"`+a.name+`","ctx":`...)
		return append(m.appendContext(dst, a, f), '}')
	case "assetCtxs":
		dst = append(dst, `{"dex":"`+t.sub.Dex+`","ctxs":`...)
		return append(m.appendContexts(dst, t.sub.Dex, f, true), '}')
	case "allDexsAssetCtxs":
		dst = append(dst, `{"ctxs":[`...)
		for i, d := range m.dexes {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = m.appendContexts(append(dst, `["`+d.name+`",`...), d.name, f, true)
			dst = append(dst, ']')
		}
		return append(dst, "]}"...)
	case "fastAssetCtxs":
		return m.pushFast(dst, t, f)
	case "activeAssetData":
		return append(dst, encode(acc.assetData(m, t.sub.User, a))...)
	case "clearinghouseState":
		return append(dst, encode(hyperliquid.ClearinghouseFrame{
			Dex: t.sub.Dex, User: t.sub.User, ClearinghouseState: m.clearinghouse(acc, t.sub.Dex, f),
		})...)
	case "allDexsClearinghouseState":
		out := hyperliquid.AllDexsClearinghouseFrame{User: t.sub.User}
		for _, d := range m.dexes {
			out.States = append(out.States, hyperliquid.DexState{Dex: d.name, State: m.clearinghouse(acc, d.name, f)})
		}
		return append(dst, encode(out)...)
	case "spotState":
		return append(dst, encode(hyperliquid.SpotFrame{User: t.sub.User, SpotState: m.spotState(acc)})...)
	case "webData3":
		out := hyperliquid.WebData3{UserState: hyperliquid.WebData3User{
			CumLedger: "0.0", ServerTime: m.nowMs + f.skewMs(), IsVault: acc.userRole() == "vault", User: t.sub.User,
		}}
		if mode := acc.abstraction(); mode != nil && *mode != "default" { // absent for default
			out.UserState.Abstraction = *mode
		}
		for _, d := range m.dexes {
			out.PerpDexStates = append(out.PerpDexStates, hyperliquid.PerpDexState{
				TotalVaultEquity: "0.0", PerpsAtOpenInterestCap: m.atCap(d.name, f), LeadingVaults: []string{},
			})
		}
		return append(dst, encode(out)...)
	}
	return append(dst, emptySnapshot(&t.sub)...)
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

// pushBook appends a book; one that equals the last one pushed only where it is resent.
func (m *market) pushBook(dst []byte, t *topic, a *asset, f *faults) []byte {
	p, _ := readPrecision(t.sub.NSigFigs, t.sub.Mantissa)
	n := levelMax
	if t.sub.Fast {
		n = fastLevels
	}
	v := a.view(p, n, f)
	v.fast = t.sub.Fast
	if f.text == "" && !t.resend && t.base == nil && slices.Equal(v.sides[0], t.sides[0]) && slices.Equal(v.sides[1], t.sides[1]) {
		return nil
	}
	t.sides = v.sides
	return a.appendBook(dst, &v, f.bookMs(a.name, m.nowMs))
}

// fastLevels is the levels of a side in books with "fast".
const fastLevels = 5

// pushFast appends what has changed in the fast contexts since the last push. A newcomer
// gets all as of that push, so that the next one fits to what it has.
func (m *market) pushFast(dst []byte, t *topic, f *faults) []byte {
	if t.base != nil {
		if t.base.fast == nil {
			t.base.fast = m.fastContexts(f)
		}
		return appendFast(dst, nil, t.base.fast)
	}
	now := m.fastContexts(f)
	before := t.fast
	t.fast = now
	return appendFast(dst, before, now)
}

// pushBest appends the best bid and ask unless they equal the last ones pushed; nothing
// of a delisted coin.
func (m *market) pushBest(dst []byte, t *topic, a *asset, f *faults) []byte {
	if a.state.halted || f.on("delist", a.name) {
		return nil
	}
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
