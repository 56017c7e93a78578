package hyperliquid

import (
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// counters are written by all goroutines.
type counters struct {
	messages, parseErrors, errorFrames       atomic.Int64
	rejectedBooks, rejectedContexts, badMeta atomic.Int64
	resubscribes, halfOpen                   atomic.Int64
	bookReads, droppedBars                   atomic.Int64
	setAside                                 [asideReasons]atomic.Int64
}

// asideReason is the kind of an unusable element, which was set aside without affecting others.
type asideReason int

const (
	asideListing   asideReason = iota // an asset of the universe that is unreadable or lacks its margin table
	asideTable                        // a margin table
	asideContext                      // an asset's context
	asideBook                         // a book that has jumped
	asideCandle                       // a candle
	asideFunding                      // a row of paid funding that is unreadable or dated in the future
	asideCap                          // a name in the list of caps
	asidePredicted                    // a coin's predicted funding
	asideWallet                       // a wallet's state with an unreadable position or a wrong time
	asideTwice                        // a wallet's state whose figures contradict each other
	asideOlder                        // a wallet's state older than the known one
	asideOrders                       // a wallet's list of resting orders with an unreadable one
	asideFuture                       // a bar or row on disk dated in the future
	asideReasons
)

// AsideReasons are the names of the reasons in Stats.SetAside.
var AsideReasons = [asideReasons]string{"listing", "margin_table", "context", "book", "candle", "funding_row", "cap",
	"predicted_funding", "wallet", "wallet_contradicts", "older_wallet", "open_orders", "future_history"}

// setAside counts an unusable element and logs each reason at most once a minute.
func (f *Feed) setAside(r asideReason, what string) {
	f.stats.setAside[r].Add(1)
	f.supervisor.WarnEvery(AsideReasons[r], time.Minute, "set aside what the venue said", "kind", AsideReasons[r],
		"what", printable([]byte(what)))
}

// Stats are the feed's counters for metrics, since the start unless stated otherwise.
type Stats struct {
	Messages         int64 // socket messages of any kind
	ParseErrors      int64 // socket messages that break the protocol
	ErrorFrames      int64 // error frames from the venue
	RejectedBooks    int64 // crossed, unsorted, absurd, of the wrong coin, older than the held book, or one that jumped
	RejectedContexts int64 // without a price, absurd, or not matching the universe
	RejectedMetas    int64
	DroppedBars      int64               // impossible candles
	SetAside         [asideReasons]int64 // unusable elements of answers, by AsideReasons
	Reconnects       int64               // lost connections
	HalfOpen         int64               // lost connections on which nothing arrived any more
	Resubscribes     int64
	BookReads        int64 // books read by REST
	Requests         int64 // REST requests
	RequestFailures  int64
	Refused          int64 // HTTP 429
	Panics           int64 // recovered
	DiskErrors       int64

	Connections    int // sockets up now
	Subscriptions  int // wanted now
	Weight         marketcache.VenueWeight
	ClosedFor      int // subscriptions set aside because the venue closes a connection that asks for them
	PendingHistory int // listed assets whose bars are not loaded
}

// Stats returns the counters.
func (f *Feed) Stats() Stats {
	c := &f.stats
	s := Stats{
		Messages: c.messages.Load(), ParseErrors: c.parseErrors.Load(), ErrorFrames: c.errorFrames.Load(),
		RejectedBooks: c.rejectedBooks.Load(), RejectedContexts: c.rejectedContexts.Load(),
		RejectedMetas: c.badMeta.Load(),
		DroppedBars:   c.droppedBars.Load(), Reconnects: f.cache.Venue.Reconnects.Load(), HalfOpen: c.halfOpen.Load(),
		Resubscribes: c.resubscribes.Load(), BookReads: c.bookReads.Load(),
		Requests: f.client.requests.Load(), RequestFailures: f.client.failures.Load(), Refused: f.client.refused.Load(),
		Panics: int64(f.supervisor.Panics()), DiskErrors: f.store.Errors(),
		Connections: f.dials.Connected(), Weight: f.queue.Weight(),
		PendingHistory: f.history.Pending(), ClosedFor: f.suspects.Aside(),
	}
	for r := range s.SetAside {
		s.SetAside[r] = c.setAside[r].Load()
	}
	for _, sock := range f.sockets {
		s.Subscriptions += len(sock.routes.Load().all)
	}
	return s
}
