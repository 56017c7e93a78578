package sim

import (
	"bytes"
	"cmp"
	"compress/flate"
	"slices"
	"strings"

	"github.com/goccy/go-json"

	"ballast/marketcache/venue/hyperliquid"
)

// stream describes a subscription type.
type stream struct {
	channel    string // of its frames; "" for the type's name
	everyMs    int64  // cadence; 0: one snapshot at the subscription, then nothing
	coin, user bool   // what a subscription must name
	// defaults are the fields that the acknowledgement adds.
	defaults map[string]string
	data     func(q query) any // of the next frame; nil: no frame
}

// fastBooks is the name of the cadence of l2Book subscriptions with "fast".
const fastBooks = "l2Book fast"

// ofMainDex is the default field of streams of one dex: the main dex, "".
var ofMainDex = map[string]string{"dex": `""`}

// streams are the subscription types that the venue accepts, with their cadences of November 2026. User
// streams that are not simulated send one empty snapshot. bbo is sent when the best bid or ask changes.
var streams = map[string]stream{
	"allMids":        {everyMs: 5050, data: pushMids},
	"l2Book":         {everyMs: 5400, coin: true, defaults: map[string]string{"nSigFigs": "null", "mantissa": "null"}, data: pushBook},
	fastBooks:        {everyMs: 540},
	"bbo":            {everyMs: 60, coin: true, data: pushBest},
	"trades":         {everyMs: 500, coin: true, data: pushTrades},
	"candle":         {everyMs: 750, coin: true, data: pushCandle},
	"activeAssetCtx": {everyMs: 1008, coin: true, data: func(q query) any { return object{"coin": q.Coin, "ctx": q.context(q.asset, q.f)} }},
	"assetCtxs":      {everyMs: 15_000, defaults: ofMainDex, data: func(q query) any { return object{"dex": q.Dex, "ctxs": q.contexts(q.Dex, q.f, true)} }},
	"allDexsAssetCtxs": {everyMs: 13_600, data: func(q query) any {
		return object{"ctxs": q.eachDex(func(dex string) any { return q.contexts(dex, q.f, true) })}
	}},
	"fastAssetCtxs":   {everyMs: 1005, data: pushFast},
	"activeAssetData": {everyMs: 5000, coin: true, user: true, data: func(q query) any { return q.acc.assetData(q.market, q.User, q.asset) }},
	"clearinghouseState": {everyMs: 5000, user: true, defaults: ofMainDex, data: func(q query) any {
		return object{"dex": q.Dex, "user": q.User, "clearinghouseState": q.clearinghouse(q.acc, q.Dex, q.f)}
	}},
	"allDexsClearinghouseState": {everyMs: 5000, user: true, data: func(q query) any {
		states := q.eachDex(func(dex string) any { return q.clearinghouse(q.acc, dex, q.f) })
		return object{"user": q.User, "clearinghouseStates": states}
	}},
	"spotState":                   {everyMs: 5000, user: true, data: func(q query) any { return object{"user": q.User, "spotState": q.spotState(q.acc)} }},
	"webData3":                    {everyMs: 5000, user: true, data: pushWebData3},
	"userEvents":                  {channel: "user", user: true, data: snapshot(`{"fills":[]}`)},
	"userFills":                   {user: true, defaults: map[string]string{"aggregateByTime": "false"}, data: snapshot(`{"isSnapshot":true,"user":"USER","fills":[]}`)},
	"userFundings":                {user: true, data: snapshot(`{"isSnapshot":true,"user":"USER","fundings":[]}`)},
	"userNonFundingLedgerUpdates": {user: true, data: snapshot(`{"isSnapshot":true,"user":"USER","nonFundingLedgerUpdates":[]}`)},
	"orderUpdates":                {user: true, data: snapshot(`[]`)},
	"openOrders":                  {user: true, defaults: ofMainDex, data: snapshot(`{"dex":"DEX","user":"USER","orders":[]}`)},
	"notification":                {user: true, data: snapshot(`{"notification":""}`)},
}

// snapshot returns the data of a user stream without content: its only frame.
func snapshot(text string) func(q query) any {
	return func(q query) any {
		return json.RawMessage(strings.NewReplacer("USER", q.User, "DEX", q.Dex).Replace(text))
	}
}

// topic is one socket's subscription. Its changing fields are guarded by Exchange.mu.
type topic struct {
	key     string // the acknowledged subscription with sorted keys
	sub     hyperliquid.Subscription
	channel string
	phase   int64 // spreads the pushes of equal streams
	everyMs int64 // between pushes

	due  int64                              // the time of the next push, ms
	best []byte                             // the last best bid and ask pushed
	fast map[string]hyperliquid.FastContext // as last pushed
}

// parseTopic parses a subscription object, checks it and adds the defaults.
func parseTopic(raw []byte) (*topic, bool) {
	var fields map[string]json.RawMessage
	var sub hyperliquid.Subscription
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(raw, &sub) != nil {
		return nil, false
	}
	s, known := streams[sub.Type]
	if !known || sub.Type == fastBooks || s.coin && sub.Coin == "" {
		return nil, false
	}
	if s.user {
		if sub.User = strings.ToLower(sub.User); !isAddress(sub.User) {
			return nil, false
		}
		fields["user"] = encode(sub.User)
	}
	for k, v := range s.defaults {
		if _, has := fields[k]; !has {
			fields[k] = json.RawMessage(v)
		}
	}
	t := &topic{key: string(encode(fields)), sub: sub, channel: cmp.Or(s.channel, sub.Type)}
	for _, c := range cmp.Or(sub.User, t.key) {
		t.phase = t.phase*31 + int64(c)
	}
	return t, true
}

// verdict is what the venue does with a subscription.
type verdict uint8

const (
	accepted verdict = iota
	invalid          // answer with an error frame
	fatal            // close the socket
)

// checkSubscription checks a subscription against the universe.
func (m *market) checkSubscription(s *hyperliquid.Subscription) verdict {
	_, precise := readPrecision(s.NSigFigs, s.Mantissa)
	_, spaced := intervals[s.Interval]
	unknown := s.Coin != "" && m.byName[s.Coin] == nil
	switch {
	case (s.Type == "l2Book" || s.Type == "bbo") && unknown, s.Type == "l2Book" && !precise:
		return fatal
	case unknown, s.Type == "candle" && !spaced, m.dex(s.Dex) == nil:
		return invalid
	}
	return accepted
}

// push returns the data of a topic's next frame. One caller at a time for a topic.
func (m *market) push(t *topic, f *faults) any {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return streams[t.sub.Type].data(m.query(&t.sub.InfoRequest, t, f))
}

// eachDex returns pairs of each dex's name and its part of a frame.
func (q query) eachDex(part func(dex string) any) [][2]any {
	return each(q.dexes, func(d dex) [2]any { return [2]any{d.name, part(d.name)} })
}

// pushMids returns the mids of a dex; the main dex is not named.
func pushMids(q query) any {
	out := object{"mids": q.mids(q.Dex, q.f)}
	if q.Dex != "" {
		out["dex"] = q.Dex
	}
	return out
}

func pushBook(q query) any {
	p, _ := readPrecision(q.NSigFigs, q.Mantissa)
	return q.book(q.asset, p, q.topic.sub.Fast, q.f)
}

// pushBest returns the best bid and ask if they have changed since the last push; nil for a delisted
// coin.
func pushBest(q query) any {
	if q.asset.gone(q.f) {
		return nil
	}
	b := q.book(q.asset, precision{}, false, q.f)
	var offers [2]*hyperliquid.BookLevel // nil: none
	for side, levels := range b.Levels {
		if len(levels) > 0 {
			offers[side] = &levels[0]
		}
	}
	best := encode(offers)
	if slices.Equal(best, q.topic.best) {
		return nil
	}
	q.topic.best = best
	return object{"coin": b.Coin, "time": b.Time, "bbo": offers}
}

func pushTrades(q query) any {
	if trades := q.trades(q.asset, q.f, 0); len(trades) > 0 {
		return trades
	}
	return nil
}

func pushCandle(q query) any {
	rows := q.candles(q.asset, q.topic.sub.Interval, q.nowMs, q.nowMs, q.f)
	if len(rows) == 0 {
		return nil
	}
	return rows[0]
}

// pushFast returns the fast contexts that changed since the last push; the first push has all of them.
func pushFast(q query) any {
	now, before := q.fastContexts(q.f), q.topic.fast
	q.topic.fast = now
	changed := map[string]hyperliquid.FastContext{}
	for coin, c := range now {
		old := before[coin]
		if c.MarkPx == old.MarkPx {
			c.MarkPx = ""
		}
		if string(c.MidPx) == string(old.MidPx) {
			c.MidPx = nil
		}
		if c.MarkPx != "" || c.MidPx != nil {
			changed[coin] = c
		}
	}
	if len(changed) == 0 {
		return nil
	}
	var packed bytes.Buffer                           // compressed as on the wire; JSON encodes the bytes in base64
	w, _ := flate.NewWriter(&packed, flate.BestSpeed) // the level is valid
	_, _ = w.Write(encode(changed))                   // a bytes.Buffer never fails
	_ = w.Close()
	return packed.Bytes()
}

func pushWebData3(q query) any {
	user := object{
		"agentAddress": nil, "agentValidUntil": nil, "cumLedger": "0.0", "serverTime": q.nowMs + q.f.skewMs(),
		"isVault": q.acc.role == "vault", "user": q.User,
	}
	if mode := q.acc.abstraction(); mode != nil && mode != "default" { // absent for the default mode
		user["abstraction"] = mode
	}
	return object{"userState": user, "perpDexStates": each(q.dexes, func(d dex) object {
		state := object{"totalVaultEquity": "0.0", "leadingVaults": []string{}}
		if caps := q.atCap(d.name, q.f); len(caps) > 0 {
			state["perpsAtOpenInterestCap"] = caps
		}
		return state
	})}
}
