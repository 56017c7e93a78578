package hyperliquid

import (
	"runtime"
	"time"

	"ballast/internal/yield"
)

// turns lets the readers of all sockets take messages in one after the other, only so many of
// them at a time. The venue sends everything at one moment: if all readers worked at once, each
// would have its turn before a request has its next, and a request has several.
type turns chan *yield.Point

// turnTime is how long messages are taken in before requests go in between: about what an
// answer to one takes.
const turnTime = 40 * time.Microsecond

func newTurns(width int) turns {
	t := make(turns, width)
	for range width {
		t <- yield.NewPoint(turnTime)
	}
	return t
}

// give gives a place back that was received from t, after a look at the network if it is
// time for one; what has come goes first.
func (t turns) give(place *yield.Point) {
	if place.Yield() {
		runtime.Gosched()
	}
	t <- place
}

// close releases what the places hold. No reader may be at work.
func (t turns) close() {
	for range cap(t) {
		(<-t).Close()
	}
}
