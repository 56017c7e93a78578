package hyperliquid

import (
	"strconv"

	"ballast/marketcache"
)

// The venue's limits for one address (docs/venue.md), less a margin for contexts, for
// frames that cross on the wire and for other programs on the machine.
const (
	maxSubscriptions = 1000
	bookSubscription = 990  // of which books may use
	maxMessages      = 1800 // sent a minute, of 2,000
	maxConnects      = 30   // new connections a minute
	// bookSockets is the number of connections that carry books. It is a multiple of
	// the number of precisions, and with the one for contexts leaves one of the
	// venue's ten connections free.
	bookSockets = 8
)

// order of the passes in which books are handed out while subscriptions last: every
// asset gets a full book before any gets a second precision. Figures3 comes next
// because its reach (about 300 bps for BTC) holds the 50 and 100 bps depths.
var passes = [...][]precision{{full}, {figures3}, {figures4, figures2}}

// planBooks says which precisions of which assets to subscribe, given the listed
// assets by falling open interest. Up to 247 assets have all four; see docs/venue.md.
func planBooks(byInterest []marketcache.AssetID, limit int) map[marketcache.AssetID][precisions]bool {
	plan := make(map[marketcache.AssetID][precisions]bool, len(byInterest))
	left := limit
	for _, pass := range passes {
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

// socketOf returns the connection that carries one precision of an asset. A book
// message names its coin but not its precision, so a connection must never carry two
// precisions of one coin: the four of an asset are bookSockets/4 apart. The rest
// spreads assets evenly, so that a connection that is lost or slow costs an eighth of
// the full books and not all of any precision.
func socketOf(id marketcache.AssetID, p precision) int {
	return (int(id) + int(p)*(bookSockets/int(precisions))) % bookSockets
}

// streamKind is the type of a subscription.
type streamKind int

const (
	bookStream streamKind = iota
	contextStream
	allContextsStream
)

// stream names one subscription.
type stream struct {
	kind      streamKind
	id        marketcache.AssetID
	coin      string
	precision precision
}

// body returns the subscription object.
func (s stream) body() string {
	switch s.kind {
	case allContextsStream:
		return `{"type":"allDexsAssetCtxs"}`
	case contextStream:
		return `{"type":"activeAssetCtx","coin":` + strconv.Quote(s.coin) + `}`
	}
	return bookBody(s.coin, s.precision)
}

// bookBody is both the subscription to a book and the REST question for it.
func bookBody(coin string, p precision) string {
	if p == full {
		return `{"type":"l2Book","coin":` + strconv.Quote(coin) + `}`
	}
	return `{"type":"l2Book","coin":` + strconv.Quote(coin) + `,"nSigFigs":` + strconv.Itoa(sigFigs[p]) + `}`
}
