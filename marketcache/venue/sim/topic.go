package sim

import (
	"bytes"
	"cmp"
	"compress/flate"
	"strings"

	"github.com/goccy/go-json"
)

// stream describes a subscription type.
type stream struct {
	everyMs    int64             // cadence
	coin, user bool              // what a subscription must name
	channel    string            // of its frames, unless that is its type
	events     bool              // it has no state: the first frame tells the first event
	data       func(q query) any // of the next frame; nil: no frame
}

// fastBooks is the name of the cadence of l2Book subscriptions with "fast".
const fastBooks = "l2Book fast"

// streams are the subscription types, with the venue's cadences of November 2026.
var streams = map[string]stream{
	"allMids": {everyMs: 5050, data: func(q query) any { return object{"mids": q.mids(q.Dex, q.f)} }},
	"l2Book": {everyMs: 5400, coin: true, data: func(q query) any {
		return q.book(q.asset, figures(q.NSigFigs), q.topic.sub.Fast, q.f)
	}},
	fastBooks: {everyMs: 540},
	"allDexsAssetCtxs": {everyMs: 13_600, data: func(q query) any {
		return object{"ctxs": q.eachDex(func(dex string) any { return q.contexts(dex, q.f) })}
	}},
	"fastAssetCtxs": {everyMs: 1005, data: pushFast},
	"activeAssetData": {everyMs: 5000, coin: true, user: true, data: func(q query) any {
		return q.acc.assetData(q.market, q.User, q.asset)
	}},
	"allDexsClearinghouseState": {everyMs: 5000, user: true, data: func(q query) any {
		states := q.eachDex(func(dex string) any { return q.clearinghouse(q.acc, dex, q.f) })
		return object{"user": q.User, "clearinghouseStates": states}
	}},
	"spotState": {everyMs: 5000, user: true, data: func(q query) any {
		return object{"user": q.User, "spotState": q.acc.spotState()}
	}},
	"clearinghouseState": {everyMs: 5000, user: true, data: func(q query) any {
		return object{"dex": q.Dex, "user": q.User, "clearinghouseState": q.clearinghouse(q.acc, q.Dex, q.f)}
	}},
	"openOrders": {everyMs: 5000, user: true, data: func(q query) any {
		return object{"dex": q.Dex, "user": q.User, "orders": q.acc.openOrderRows(q.Dex)}
	}},
	"webData3":     {everyMs: 5000, user: true, data: func(q query) any { return q.webData() }},
	"userFills":    {everyMs: 1000, user: true, data: pushFills},
	"userEvents":   {everyMs: 1000, user: true, events: true, channel: "user", data: pushEvents},
	"orderUpdates": {everyMs: 1000, user: true, events: true, data: pushUpdates},
}

// topic is one socket's subscription. Its changing fields are guarded by Exchange.mu.
type topic struct {
	key     string // the acknowledged subscription with sorted keys
	sub     subscription
	phase   int64 // spreads the pushes of equal streams
	everyMs int64 // between pushes

	due   int64                  // the time of the next push, ms
	fast  map[string]fastContext // as last pushed
	begun bool                   // the first push was made
	told  int                    // events of the account that were pushed
}

// parseTopic parses a subscription object, checks it and adds the defaults.
func parseTopic(raw []byte) (*topic, bool) {
	var fields map[string]json.RawMessage
	var sub subscription
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
	if sub.Type == "l2Book" {
		for _, k := range []string{"nSigFigs", "mantissa"} {
			if _, has := fields[k]; !has {
				fields[k] = json.RawMessage("null")
			}
		}
	}
	t := &topic{key: string(encode(fields)), sub: sub}
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
func (m *market) checkSubscription(s *subscription) verdict {
	unknown := s.Coin != "" && m.byName[s.Coin] == nil
	switch {
	case s.Type == "l2Book" && (unknown || !precise(s.NSigFigs)):
		return fatal
	case unknown, m.dex(s.Dex) == nil:
		return invalid
	}
	return accepted
}

// push returns the data of a topic's next frame. One caller at a time for a topic.
func (m *market) push(t *topic, f *faults) any {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return streams[t.sub.Type].data(m.query(&t.sub.infoRequest, t, f))
}

// eachDex returns pairs of each dex's name and its part of a frame.
func (q query) eachDex(part func(dex string) any) [][2]any {
	return each(q.dexes, func(d dex) [2]any { return [2]any{d.name, part(d.name)} })
}

// pushFast returns the fast contexts that changed since the last push; the first push has all of them.
func pushFast(q query) any {
	now, before := q.fastContexts(q.f), q.topic.fast
	q.topic.fast = now
	changed := map[string]fastContext{}
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
