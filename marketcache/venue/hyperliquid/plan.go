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
	venueMessages      = 2000 // messages sent a minute
	venueWeight        = 1200 // weight of REST requests a minute
)

// room holds this process's limits. The remainder of the venue's limits is left to other programs
// at the same address.
type room struct {
	connections, connects, subscriptions, messages, weight int
}

// roomOf returns a share, above 0 and at most 1, of the venue's limits.
func roomOf(share float64) room {
	of := func(limit int) int { return max(1, int(float64(limit)*share)) }
	connections := of(venueConnections)
	return room{
		// While no socket is up, one tries to connect every feed.ProbeEvery. After it succeeds, all others connect.
		connections: connections, connects: min(venueConnects, triesAMinute+connections), subscriptions: of(venueSubscriptions),
		messages: max(60, of(venueMessages)), weight: max(100, of(venueWeight)),
	}
}

const triesAMinute = int(time.Minute / feed.ProbeEvery)

// precisionOrder is the order in which views of books are subscribed until subscriptions run out.
// Every asset gets its fast book first, then every asset a book of 3 figures (at least about
// 100 bps deep, 240 bps for BTC), then the other views. Each pass goes by falling open interest.
var precisionOrder = [...][]precision{{fast}, {figures3}, {full, figures4, figures2}}

// planBooks returns the views to subscribe of each asset, given the listed assets by falling open
// interest and the number of subscriptions that books may use.
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

// socketOf returns which of n connections carries a view of an asset's book, -1 for none.
// Messages do not tell one aggregation of a coin from another, so a connection carries at most
// one aggregation of each coin. Assets are spread evenly over the connections.
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
	coin      string    // books only
	precision precision // books only
}

// String returns the JSON object that subscribes the stream.
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

// bookBody is the JSON that subscribes a book, or requests it by REST; not for the fast view.
func bookBody(coin string, p precision) string {
	if p == full {
		return `{"type":"l2Book","coin":` + strconv.Quote(coin) + `}`
	}
	return `{"type":"l2Book","coin":` + strconv.Quote(coin) + `,"nSigFigs":` + strconv.Itoa(sigFigs[p]) + `}`
}
