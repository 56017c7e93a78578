package server

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
)

// Overload is answered by refusing, early and cheaply, what would only have waited. Queues
// that can stand are one in front of the handler: requests that have arrived at their sockets
// and wait for a goroutine and a processor. Nothing in this process sees them, so the kernel
// is asked how long ago the request's last byte came. And two behind it: batches and
// simulations in their lines.
type overload struct {
	sockets     standing
	growth      growth // of the queue at the sockets
	batches     *line
	simulations *line
	maxWait     time.Duration // 0 or less: nobody is refused for the time it has waited
	processors  int64
	// lain is for how long a request has lain at its socket, 0 where that cannot be known.
	lain func(*fasthttp.RequestCtx) time.Duration
	// ready is how many requests lie at their sockets, 0 where that cannot be known.
	ready func() int

	lookAt  atomic.Int64  // marketcache.Instant of the next look at a socket
	work    atomic.Int64  // what an answered request has cost lately, ns
	late    atomic.Uint64 // requests that came too late
	working atomic.Int64  // requests admitted while the queue stands
}

const (
	// lookEvery is how often a socket is looked at while no queue stands: a look costs
	// most of a microsecond.
	lookEvery = time.Millisecond
	// refusalCost is what reading a request and writing a refusal takes at least, ns, most of
	// it in the kernel. Where work is not much more, refusing wins nothing.
	refusalCost = 10_000
	// workAhead is how much work there is room for at a processor while the queue stands, ns,
	// and one request at least.
	workAhead = 1e6
	// workShare is the share of one request in the moving mean of work.
	workShare = 1.0 / 64
	// maxWork bounds what one request counts for, ns: it may have been interrupted.
	maxWork = 10e6

	// longQueue is how many requests a processor, or a worker of the simulations, a queue must
	// hold to be too long, however long each takes.
	longQueue = 16
	// roomAWorker is for how many there is room in a line while its queue stands: one to do and
	// one to go on with.
	roomAWorker = 2
)

// newOverload judges for a service with so many slots. Half of them at most may be batches, of
// which a burst may hold more than one of simulations, and a quarter simulations, so that
// they do not keep plain requests out.
func newOverload(maxWait time.Duration, slots, simulators int, ready func() int) *overload {
	processors, workers := int64(runtime.GOMAXPROCS(0)), int64(simulators)
	return &overload{
		maxWait: maxWait, processors: processors, lain: sinceLastByte, ready: ready,
		batches: newLine(maxWait, max(1, int64(slots/2)), processors, processors),
		// A worker must not idle while an answer is written.
		simulations: newLine(maxWait, max(1, int64(slots/4)), workers, roomAWorker*workers),
	}
}

func (o *overload) close() {
	o.batches.close()
	o.simulations.close()
}

// refuses reports whether a request that computes should be refused because more come than
// can be served.
func (o *overload) refuses(x *exchange) bool {
	if o.maxWait <= 0 {
		return false
	}
	now := x.at
	if !o.sockets.over.Load() {
		if !x.fresh { // says nothing of the queue
			return false
		}
		next := o.lookAt.Load()
		if int64(now) < next || !o.lookAt.CompareAndSwap(next, int64(now.Add(lookEvery))) {
			return false
		}
	}
	var waited time.Duration
	if x.fresh {
		waited = o.lain(x.ctx)
	}
	work := time.Duration(o.work.Load())
	if !o.sockets.over.Load() && o.growth.look(waited >= o.maxWait, now, o.growing(work), o.ready) {
		o.sockets.stand(now)
	}
	excess := waited - max(o.maxWait, longQueue*work)
	if !o.sockets.look(excess, waited, now) {
		return false
	}
	if late := excess >= 0; late && !o.spared() || !x.beginWork() {
		return o.sockets.refuse()
	}
	// Those that are ready now are refused or admitted before work begins.
	runtime.Gosched()
	x.begun = time.Now()
	return false
}

// growing is how many requests must wait for a queue to be too long because it grows: what
// takes twice the longest wait to work off. Of cheap ones a moment's disturbance gathers
// many, who are soon served.
func (o *overload) growing(work time.Duration) int {
	return int(2 * int64(o.maxWait) * o.processors / max(1, int64(work)))
}

// beginWork counts the exchange as being at work; false when too many are.
func (x *exchange) beginWork() bool {
	o := x.s.overload
	if o.working.Add(1) > o.room() {
		o.working.Add(-1)
		return false
	}
	x.works = true
	return true
}

func (x *exchange) endWork() {
	if x.works {
		x.works = false
		x.s.overload.working.Add(-1)
	}
}

// spared reports whether a request that comes too late is served all the same. No more than
// half of the processors' time should go into refusals, or fewer were answered than with
// the queue, and hardly sooner.
func (o *overload) spared() bool {
	every := 1 + (uint64(o.work.Load())+refusalCost-1)/refusalCost
	return o.late.Add(1)%every == 0
}

// room is how many requests may be at work while the queue stands.
func (o *overload) room() int64 { return o.processors * max(1, workAhead/max(1, o.work.Load())) }

// worked notes what the exchange has cost, which has taken that long since it was taken up,
// if it waited for nothing and is of no line.
func (x *exchange) worked(took time.Duration) {
	if !x.waited {
		o := x.s.overload
		mean, cost := o.work.Load(), took-x.begun.Sub(x.started)
		o.work.Store(mean + int64(workShare*float64(int64(min(cost, maxWork))-mean)))
	}
}

// takeFresh reports whether the connection has read something for this request.
func takeFresh(ctx *fasthttp.RequestCtx) bool {
	c := connOf(ctx)
	if c == nil {
		return false
	}
	fresh := c.fresh || !c.begun
	c.fresh, c.begun = false, true
	return fresh
}

// sinceLastByte is for how long a request has lain at its socket, 0 where that cannot be
// known.
func sinceLastByte(ctx *fasthttp.RequestCtx) time.Duration {
	if c := connOf(ctx); c != nil {
		return c.sinceLastByte()
	}
	return 0
}
