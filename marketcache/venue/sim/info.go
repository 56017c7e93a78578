package sim

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-json"
)

// each returns of(x) for every element x of list, in order. The result is never nil.
func each[T, U any](list []T, of func(T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = of(x)
	}
	return out
}

// answer is the answer to an info request.
type answer struct {
	status int
	data   any    // sent as JSON
	text   string // sent as text/plain instead
}

func ok(data any) answer { return answer{status: 200, data: data} }

func (a answer) body() []byte {
	if a.text != "" {
		return []byte(a.text)
	}
	return encode(a.data)
}

// rows returns the length of a history, which determines the weight.
func (a answer) rows() int {
	switch rows := a.data.(type) {
	case []wireCandle:
		return len(rows)
	case []object:
		return len(rows)
	}
	return 0
}

// object is a JSON object.
type object = map[string]any

// encode marshals a value of this package, which cannot fail.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: encode: " + err.Error())
	}
	return b
}

// refused is the venue's answer to an unreadable body, an unknown type or a missing field.
var refused = answer{status: 422, text: "Failed to deserialize the JSON body into the target type"}

// failed is the venue's answer, null, when a readable request fails.
var failed = answer{status: 500}

// source answers requests: the simulated market, or a directory of recordings.
type source interface {
	// info answers one request under the active faults f.
	info(r *infoRequest, f *faults) answer
	// push returns the data of a stream's next frame, nil for none.
	push(t *topic, f *faults) any
	// checkSubscription returns what the venue does with a subscription.
	checkSubscription(s *subscription) verdict
}

// decodeInfo decodes a request body. If that fails, it returns an empty request and false.
func decodeInfo(body []byte) (*infoRequest, bool) {
	var r infoRequest
	err := json.Unmarshal(body, &r)
	r.User = strings.ToLower(r.User)
	if err != nil || r.Type == "" || r.User != "" && !isAddress(r.User) {
		return &infoRequest{}, false
	}
	return &r, true
}

// isAddress reports whether a text is a wallet address in lower case.
var isAddress = regexp.MustCompile(`^0x[0-9a-f]{40}$`).MatchString

// query is an info request or a subscription, with the objects it names.
type query struct {
	*infoRequest
	*market
	f     *faults
	asset *asset   // of Coin; nil: none
	acc   *account // of User, or nobody
	topic *topic   // of a subscription; nil: a request
}

// query looks up the objects that a request names. The caller holds the read lock.
func (m *market) query(r *infoRequest, t *topic, f *faults) query {
	return query{r, m, f, m.byName[r.Coin], cmp.Or(m.accounts[r.User], nobody), t}
}

// info answers one request from the market's current state.
func (m *market) info(r *infoRequest, f *faults) answer {
	if r.Req != nil {
		r.Coin = r.Req.Coin
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	q := m.query(r, nil, f)
	t, known := infoTypes[r.Type]
	switch {
	case !known, t.user && r.User == "", t.coin && r.Coin == "", t.since && r.StartTime == nil:
		return refused
	case m.dex(r.Dex) == nil, t.coin && q.asset == nil:
		return failed
	}
	data := t.answer(q)
	if a, is := data.(answer); is {
		return a
	}
	return ok(data)
}

// infoType says what a request type must name and how it is answered. answer returns data to encode, or
// one of the answers refused and failed.
type infoType struct {
	user, coin, since bool // since: a start time
	answer            func(q query) any
}

// infoTypes are the request types that are answered.
var infoTypes = map[string]infoType{
	"meta": {answer: func(q query) any { return q.meta(q.Dex, q.f) }},
	"metaAndAssetCtxs": {answer: func(q query) any {
		return []any{q.meta(q.Dex, q.f), q.contexts(q.Dex, q.f)}
	}},
	"allMids":                {answer: func(q query) any { return q.mids(q.Dex, q.f) }},
	"l2Book":                 {answer: infoBook},
	"candleSnapshot":         {coin: true, answer: infoCandles},
	"fundingHistory":         {coin: true, since: true, answer: infoFunding},
	"predictedFundings":      {answer: func(q query) any { return q.predictedFundings() }},
	"perpsAtOpenInterestCap": {answer: func(q query) any { return q.atCap(q.Dex, q.f) }},
	"perpDexs":               {answer: func(q query) any { return q.perpDexs() }},
	"allPerpMetas": {answer: func(q query) any {
		return each(q.dexes, func(d dex) object { return q.meta(d.name, q.f) })
	}},
	"exchangeStatus":     {answer: func(q query) any { return exchangeStatus(q.clock()+q.f.skewMs(), q.f) }},
	"maxMarketOrderNtls": {answer: func(query) any { return maxMarketOrders }},

	"clearinghouseState":     {user: true, answer: func(q query) any { return q.clearinghouse(q.acc, q.Dex, q.f) }},
	"spotClearinghouseState": {user: true, answer: func(q query) any { return q.acc.spotState() }},
	"userAbstraction":        {user: true, answer: func(q query) any { return q.acc.abstraction() }},
	"userFees":               {user: true, answer: func(q query) any { return q.acc.fees() }},
	"activeAssetData": {user: true, coin: true, answer: func(q query) any {
		return q.acc.assetData(q.market, q.User, q.asset)
	}},
	"userRole":           {user: true, answer: func(q query) any { return q.acc.roleOf() }},
	"openOrders":         {user: true, answer: func(q query) any { return q.acc.openOrderRows(q.Dex) }},
	"frontendOpenOrders": {user: true, answer: func(q query) any { return q.acc.openOrderRows(q.Dex) }},
	"orderStatus":        {user: true, answer: func(q query) any { return q.acc.orderStatus(string(q.OID)) }},
	"historicalOrders":   {user: true, answer: func(q query) any { return q.acc.historicalOrders() }},
	"userFills": {user: true, answer: func(q query) any {
		return fillRows(q.acc.traded().fills.rows, 0, math.MaxInt64)
	}},
	"userFillsByTime": {user: true, since: true, answer: infoFillsByTime},
	"userNonFundingLedgerUpdates": {user: true, answer: func(q query) any {
		return q.acc.moveRows(or(q.StartTime, 0), or(q.EndTime, math.MaxInt64))
	}},
	"twapHistory":   {user: true, answer: func(q query) any { return q.acc.twapRows() }},
	"userRateLimit": {user: true, answer: func(q query) any { return q.acc.rateLimit() }},
	"extraAgents":   {user: true, answer: func(q query) any { return q.acc.extraAgents() }},
	"maxBuilderFee": {user: true, answer: func(query) any { return mostBuilderFee }},
	"subAccounts":   {user: true, answer: func(query) any { return nil }},
	"spotMeta":      {answer: func(query) any { return spotMeta() }},
	"outcomeMeta":   {answer: func(query) any { return object{"outcomes": []object{}, "questions": []object{}} }},
}

// infoFillsByTime answers userFillsByTime: the oldest first.
func infoFillsByTime(q query) any {
	rows := fillRows(q.acc.traded().fills.rows, or(q.StartTime, 0), or(q.EndTime, math.MaxInt64))
	slices.Reverse(rows)
	return rows
}

// exchangeStatus returns the venue's clock and notice.
func exchangeStatus(ms int64, f *faults) object {
	status := object{"time": ms, "specialStatuses": nil}
	for of := range f.set {
		if of[0] == "notice" {
			status["specialStatuses"] = cmp.Or(of[1], "Withdrawals are delayed.")
		}
	}
	return status
}

// infoBook answers l2Book; for an unknown coin with null.
func infoBook(q query) any {
	switch {
	case !precise(q.NSigFigs) || q.Coin == "":
		return refused
	case q.asset == nil:
		return nil
	}
	return q.book(q.asset, figures(q.NSigFigs), false, q.f)
}

// figures returns the significant figures of a request; 0: full precision. precise reports whether the venue has
// such a precision.
func figures(said *int) int  { return or(said, 0) }
func precise(said *int) bool { return said == nil || *said >= 2 && *said <= 5 }

func infoCandles(q query) any {
	if q.Req == nil || q.Req.Interval != "1h" {
		return refused
	}
	return q.candles(q.asset, max(q.Req.StartTime, 0), or(q.Req.EndTime, math.MaxInt64))
}

func infoFunding(q query) any {
	return q.fundingHistory(q.asset, or(q.StartTime, 0), or(q.EndTime, math.MaxInt64))
}

// or returns the value that said points to, or a default if said is nil.
func or[T any](said *T, otherwise T) T {
	if said == nil {
		return otherwise
	}
	return *said
}
