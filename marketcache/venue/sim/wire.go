package sim

import "github.com/goccy/go-json"

// The venue's JSON. Prices, sizes, rates and amounts are decimal strings ("64641.0"); times, digits, leverages,
// counts and ids are JSON numbers. A field that may be null is a pointer, or a slice where nil is null. An absent
// flag is false. Sizes are base units, amounts USD, rates fractions, times ms since 1970 UTC.

// assetContext is the state of one asset ("context").
type assetContext struct {
	Funding      string   `json:"funding"`      // predicted for the current hour, fraction per hour
	OpenInterest string   `json:"openInterest"` // base units, one side
	PrevDayPx    string   `json:"prevDayPx"`
	DayNtlVlm    string   `json:"dayNtlVlm"` // USD
	Premium      *string  `json:"premium"`   // fraction; null when delisted or halted
	OraclePx     string   `json:"oraclePx"`
	MarkPx       string   `json:"markPx"`
	MidPx        *string  `json:"midPx"`     // null when a side of the book is empty
	ImpactPxs    []string `json:"impactPxs"` // [impact bid, impact ask] or null
	DayBaseVlm   string   `json:"dayBaseVlm"`
}

// wireBook is an l2Book answer or push; a null answer means an unknown coin. Levels[0] are the bids, Levels[1] the
// asks, best first, at most 20 each.
type wireBook struct {
	Coin   string         `json:"coin"`
	Time   int64          `json:"time"`
	Levels [2][]wireLevel `json:"levels"`
	// Spread is the exact spread in USD; aggregated books only.
	Spread string `json:"spread,omitempty"`
	// Fast is true for subscriptions with "fast", which have five levels.
	Fast bool `json:"fast,omitempty"`
}

type wireLevel struct {
	Px string `json:"px"`
	Sz string `json:"sz"`
	N  int    `json:"n"` // number of orders
}

// wireCandle is one bar. The newest bar of an answer is still forming.
type wireCandle struct {
	OpenMs  int64  `json:"t"`
	CloseMs int64  `json:"T"` // last ms of the bar
	Coin    string `json:"s"`
	Period  string `json:"i"` // "1h"
	Open    string `json:"o"`
	Close   string `json:"c"`
	High    string `json:"h"`
	Low     string `json:"l"`
	Volume  string `json:"v"` // base units
	Trades  int    `json:"n"`
}

// infoRequest is the body of POST /info: the fields of all its types.
type infoRequest struct {
	Type      string         `json:"type"`
	Dex       string         `json:"dex"`
	Coin      string         `json:"coin"`
	User      string         `json:"user"`
	NSigFigs  *int           `json:"nSigFigs"` // 2 to 5; nil: full precision
	Req       *candleRequest `json:"req"`
	StartTime *int64         `json:"startTime"`
	EndTime   *int64         `json:"endTime"`
	// OID is a number or a client's id.
	OID json.RawMessage `json:"oid"`
}

// candleRequest is the "req" of a candleSnapshot request.
type candleRequest struct {
	Coin      string `json:"coin"`
	Interval  string `json:"interval"`
	StartTime int64  `json:"startTime"`
	EndTime   *int64 `json:"endTime"`
}

// subscription identifies a stream by fields of an info request and one of its own.
type subscription struct {
	infoRequest
	Fast bool `json:"fast"`
}

// clientFrame is a client's message on the socket; Method is "subscribe", "unsubscribe", "post" or "ping".
type clientFrame struct {
	Method       string          `json:"method"`
	Subscription json.RawMessage `json:"subscription"`
	ID           int64           `json:"id"` // of a post
	Request      postRequest     `json:"request"`
}

// postRequest is what POST /info (Type "info") or POST /exchange ("action") would have as its body.
type postRequest struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// greeting is the first text frame of a connection; it is not JSON.
const greeting = "Websocket connection established."

// fastContext is a coin's part of a fastAssetCtxs frame. The frame's data is a JSON string: base64 of raw DEFLATE
// of {"coin":{…}}. The first frame has all coins of all dexes; later ones have the changed fields of changed coins.
// A midPx of null means that a side of the book is empty.
type fastContext struct {
	MarkPx string          `json:"markPx,omitempty"`
	MidPx  json.RawMessage `json:"midPx,omitempty"` // a string or null; absent: unchanged
}
