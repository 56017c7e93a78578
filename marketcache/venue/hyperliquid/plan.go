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

// room is what this process may use of the venue's limits; the rest is for other programs
// behind the same address.
type room struct {
	connections, connects, subscriptions, messages, weight int
}

// roomOf returns a share, above 0 and at most 1, of the venue's limits.
func roomOf(share float64) room {
	of := func(limit int) int { return max(1, int(float64(limit)*share)) }
	connections := of(venueConnections)
	return room{
		// While nobody is connected one tries every three seconds, and then all the others.
		connections: connections, connects: min(venueConnects, triesAMinute+connections), subscriptions: of(venueSubscriptions),
		messages: max(60, of(venueMessages)), weight: max(100, of(venueWeight)),
	}
}

const triesAMinute = int(time.Minute / feed.ProbeEvery)

// precisionOrder is the order in which books are handed out, by open interest, while subscriptions
// last: every asset gets the quick best levels before any gets depth, and depth to some
// 100 bps (3 figures reach 240 for BTC) before any gets the rest.
var precisionOrder = [...][]precision{{fast}, {figures3}, {full, figures4, figures2}}

// planBooks says which views of which assets to subscribe, given the listed assets by
// falling open interest and the number of subscriptions that books may use.
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

// socketOf returns which of n connections carries a view of an asset's book. A message tells
// quick, full and aggregated books of a coin apart, but not one aggregation from another: of
// those a connection carries one a coin. Too few connections for that: -1. Assets are spread
// evenly, so that a lost connection costs its share of each view.
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

// stream names one subscription.
type stream struct {
	kind      streamKind
	id        marketcache.AssetID
	coin      string // of a book
	precision precision
}

// String returns the subscription object.
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

// bookBody is both the subscription to a book that is not quick and the REST question for it.
func bookBody(coin string, p precision) string {
	if p == full {
		return `{"type":"l2Book","coin":` + strconv.Quote(coin) + `}`
	}
	return `{"type":"l2Book","coin":` + strconv.Quote(coin) + `,"nSigFigs":` + strconv.Itoa(sigFigs[p]) + `}`
}
