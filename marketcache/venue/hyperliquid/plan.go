package hyperliquid

import (
	"strconv"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// The venue's limits for one address (docs/venue.md).
const (
	venueConnections   = 10
	venueConnects      = 30   // new connections a minute
	venueSubscriptions = 1000 // over all connections
	venueMessages      = 2000 // sent a minute
	venueWeight        = 1200 // of REST requests a minute
)

// room is the part of the venue's limits that this process may use. The rest is for other programs
// at the same address.
type room struct {
	connections, connects, subscriptions, messages, weight int
}

// roomOf returns a share, above 0 and at most 1, of the venue's limits.
func roomOf(share float64) room {
	of := func(limit int) int { return max(1, int(float64(limit)*share)) }
	connections := of(venueConnections)
	return room{
		// While nothing is connected one socket tries every three seconds, then all others connect.
		connections: connections, connects: min(venueConnects, triesAMinute+connections),
		subscriptions: of(venueSubscriptions),
		messages:      max(60, of(venueMessages)), weight: max(100, of(venueWeight)),
	}
}

const triesAMinute = int(time.Minute / feed.ProbeEvery)

// precisionOrder is the order in which book subscriptions are assigned while the limit lasts, in
// each pass by open interest: first the best levels of every asset, then depth to about 100 bps
// (3 figures reach 240 bps for BTC), then the other precisions.
var precisionOrder = [...][]precision{{fast}, {figures3}, {full, figures4, figures2}}

// planBooks returns the precisions to subscribe of each asset, given the listed assets by descending
// open interest and the maximum number of book subscriptions.
func planBooks(byInterest []marketcache.AssetID, limit int) map[marketcache.AssetID][precisions]bool {
	plan := make(map[marketcache.AssetID][precisions]bool, len(byInterest))
	left := limit
	for _, pass := range precisionOrder {
		for _, id := range byInterest {
			if left < len(pass) {
				return plan
			}
			wants := plan[id]
			for _, p := range pass {
				wants[p] = true
			}
			plan[id] = wants
			left -= len(pass)
		}
	}
	return plan
}

// socketOf returns which of n connections carries one precision of an asset's book, -1 if n is too
// small. A message shows whether its book is fast, full or aggregated, but not to how many figures, so a
// connection carries at most one aggregation of a coin. Assets are spread evenly, so that a lost
// connection affects an equal share of each precision.
func socketOf(id marketcache.AssetID, p precision, n int) int {
	if p == fast || p == full {
		return int(id) % n
	}
	k := [precisions]int{figures3: 0, figures4: 1, figures2: 2}[p]
	if k >= n {
		return -1
	}
	return (int(id) + 1 + k) % n
}

// streamKind is the type of a subscription.
type streamKind int

const (
	bookStream streamKind = iota
	marksStream
	contextsStream
	streamKinds
)

// stream identifies one subscription.
type stream struct {
	kind      streamKind
	id        marketcache.AssetID
	coin      string // of a book
	precision precision
}

// String returns the subscription object in JSON.
func (s stream) String() string {
	switch s.kind {
	case marksStream:
		return `{"type":"fastAssetCtxs"}`
	case contextsStream:
		return `{"type":"allDexsAssetCtxs"}`
	}
	if s.precision == fast {
		return `{"type":"l2Book","coin":` + strconv.Quote(s.coin) + `,"fast":true}`
	}
	return bookBody(s.coin, s.precision)
}

// bookBody returns the body of a book's REST request, which is also the subscription of a book that
// is not fast.
func bookBody(coin string, p precision) string {
	if p == full {
		return `{"type":"l2Book","coin":` + strconv.Quote(coin) + `}`
	}
	return `{"type":"l2Book","coin":` + strconv.Quote(coin) + `,"nSigFigs":` + strconv.Itoa(sigFigs[p]) + `}`
}
