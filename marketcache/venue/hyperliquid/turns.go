package hyperliquid

import (
	"runtime"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// turns lets the readers of all sockets take messages in one after the other, only so many of
// them at a time. The venue sends everything at one moment: if all readers worked at once, each
// would have its turn before a request has its next, and a request has several.
type turns chan *place

// place is one at which a reader takes messages in.
type place struct {
	network *yield.Point
	look    func()              // at the network: returns when what has come by it has been ready to run
	since   marketcache.Instant // the network was asked
	budget  time.Duration
}

const (
	// turnTime is how long messages are taken in before requests go in between: about what an
	// answer to one takes.
	turnTime = 40 * time.Microsecond
	// quietTime is longer than a reader waits for a message within a burst: one that has waited
	// for longer need not look at the network.
	quietTime = 20 * time.Millisecond
	// othersShare is how many times as long others may have the processor. Where much else
	// wants it a look takes milliseconds; turns must be longer then, or what the venue sends
	// would pile up.
	othersShare = 8
)

func newTurns(width int) turns {
	t := make(turns, width)
	for range width {
		network := yield.NewPoint(0)
		t <- &place{network: network, look: network.PollNetwork, budget: turnTime}
	}
	return t
}

// give gives a place back that was received from t, after a look at the network if it is
// time for one; what has come goes first.
func (t turns) give(p *place) {
	if began := marketcache.Now(); began.Sub(p.since) >= p.budget {
		p.look()
		runtime.Gosched()
		p.since = marketcache.Now()
		p.budget = max(turnTime, p.since.Sub(began)/othersShare)
	}
	t <- p
}

// close releases what the places hold. No reader may be at work.
func (t turns) close() {
	for range cap(t) {
		(<-t).network.Close()
	}
}
