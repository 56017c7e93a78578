package hyperliquid

import "github.com/goccy/go-json"

// The structs of this file are the venue's JSON in full, for writing: by the simulated venue and by
// clients of the venue. The adapter itself parses only the fields it uses (parse*.go). Fields are in
// the venue's order. Objects that the simulated venue writes in one place only have no struct.
//
// Prices, sizes, rates and amounts are decimal strings ("64641.0"); times, digits, leverages, counts
// and ids are JSON numbers. A field that may be null is a pointer, or a slice where nil is null. An
// absent flag is false. Sizes are base units, amounts USD, rates fractions, times ms since 1970 UTC.

// AssetContext is the state of one asset ("context").
type AssetContext struct {
	Funding      string   `json:"funding"`      // predicted for the current hour, fraction per hour
	OpenInterest string   `json:"openInterest"` // base units, one side
	PrevDayPx    string   `json:"prevDayPx"`
	DayNtlVlm    string   `json:"dayNtlVlm"` // USD
	Premium      *string  `json:"premium"`   // fraction; null when delisted or halted
	OraclePx     string   `json:"oraclePx"`
	MarkPx       string   `json:"markPx"`
	MidPx        *string  `json:"midPx"`                // null when a side of the book is empty
	ImpactPxs    []string `json:"impactPxs"`            // [impact bid, impact ask] or null
	DayBaseVlm   string   `json:"dayBaseVlm,omitempty"` // base units; absent in older answers
}

// Book is an l2Book answer or push; a null answer means an unknown coin. Levels[0]
// are the bids, Levels[1] the asks, best first, at most 20 each.
type Book struct {
	Coin   string         `json:"coin"`
	Time   int64          `json:"time"`
	Levels [2][]BookLevel `json:"levels"`
	// Spread is the exact spread in USD; aggregated books only.
	Spread string `json:"spread,omitempty"`
	// Fast is true for subscriptions with "fast", which have five levels.
	Fast bool `json:"fast,omitempty"`
}

// BookLevel is one price level.
type BookLevel struct {
	Px string `json:"px"`
	Sz string `json:"sz"`
	N  int    `json:"n"` // number of orders
}

// Candle is one bar. The newest bar of an answer is still forming.
type Candle struct {
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

// InfoRequest is the body of POST /info: the fields of all its types.
type InfoRequest struct {
	Type      string         `json:"type"`
	Dex       string         `json:"dex,omitempty"`
	Coin      string         `json:"coin,omitempty"`
	User      string         `json:"user,omitempty"`
	NSigFigs  *int           `json:"nSigFigs,omitempty"` // 2 to 5; nil: full precision
	Mantissa  *int           `json:"mantissa,omitempty"` // 2 or 5, with NSigFigs 5 only
	Req       *CandleRequest `json:"req,omitempty"`
	ID        *int           `json:"id,omitempty"`
	StartTime *int64         `json:"startTime,omitempty"`
	EndTime   *int64         `json:"endTime,omitempty"`
}

// CandleRequest is the "req" of a candleSnapshot request.
type CandleRequest struct {
	Coin      string `json:"coin"`
	Interval  string `json:"interval"`
	StartTime int64  `json:"startTime"`
	EndTime   *int64 `json:"endTime,omitempty"`
}

// Names of channels that are not subscriptions.
const (
	ChannelSubscribed = "subscriptionResponse"
	ChannelError      = "error"
	ChannelPong       = "pong"
	ChannelPost       = "post"
	// Greeting is the first text frame of a connection; it is not JSON.
	Greeting = "Websocket connection established."
)

// ClientFrame is a client's message on the socket; Method is "subscribe", "unsubscribe", "ping" or
// "post".
type ClientFrame struct {
	Method       string          `json:"method"`
	Subscription json.RawMessage `json:"subscription,omitempty"`
	ID           *int64          `json:"id,omitempty"`
	Request      *struct {
		Type    string          `json:"type"` // "info"
		Payload json.RawMessage `json:"payload"`
	} `json:"request,omitempty"` // of a post
}

// Subscription identifies a stream by fields of an info request and two of its own.
type Subscription struct {
	InfoRequest
	Interval string `json:"interval,omitempty"`
	Fast     bool   `json:"fast,omitempty"`
}

// FastContext is a coin's part of a fastAssetCtxs frame. The frame's data is a JSON string: base64 of
// raw DEFLATE of {"coin":{…}}. The first frame has all coins of all dexes; later ones have the changed
// fields of changed coins. A midPx of null means that a side of the book is empty.
type FastContext struct {
	MarkPx string          `json:"markPx,omitempty"`
	MidPx  json.RawMessage `json:"midPx,omitempty"` // a string or null; absent: unchanged
}
