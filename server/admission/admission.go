// Package admission answers one question: may this request run now?
//
// Overload is answered by refusing, early and cheaply, what would only have waited. A
// request may wait at two places, and each has an overloadDetector: at its socket, where
// it waits for a goroutine and a processor, which only the kernel can tell; and, if it is
// of a kind that takes long, in the queue of its kind. Requests without a queue of their
// own run as soon as they are admitted.
//
// What may be tuned stands in params.go: one row a kind of request, one constant a
// threshold.
package admission

import (
	"runtime"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Refusal says why a request may not run; the zero value: it may.
type Refusal uint8

const (
	Admitted      Refusal = iota
	Full                  // as many requests as there is room for are in the system
	WaitedTooLong         // it has lain at its socket for too long while others keep coming
	QueueFull             // the queue of its kind is too long
	TooLate               // it could not be finished within its time
)

// String is the sentence for the client.
func (r Refusal) String() string {
	return [...]string{
		Admitted:      "",
		Full:          "too many requests in flight",
		WaitedTooLong: "more requests come than can be served, and this one has waited for too long",
		QueueFull:     "more batches or simulations come than can be served",
		TooLate:       "this could not be finished in time: what is ahead of it, or it itself, takes too long",
	}[r]
}

// Arrival is what the transport knows of how a request came.
type Arrival interface {
	// ReadBlocked reports whether the connection waited for this request. One that came
	// together with the request before it has waited for that, not for the service.
	ReadBlocked() bool
	// SinceLastByte is how long ago the request's last byte came, 0 when that is not known.
	SinceLastByte() time.Duration
}

// Config is what a Controller is made of.
type Config struct {
	Capacity   int           // requests in the system at once
	MaxWait    time.Duration // longest tolerable wait; 0 or less: nobody is refused for waiting
	Timeout    time.Duration // from a request's start until its answer is worth nothing
	Simulators int           // simulations that run at once
	// Unread returns how many requests lie at their sockets, 0 when that is not known.
	Unread func() int
	// Now is the clock (marketcache.Now).
	Now func() marketcache.Instant
}

// Controller admits the requests of one server. Create it with New.
type Controller struct {
	capacity   int64
	maxWait    time.Duration
	timeout    time.Duration
	processors int64
	unread     func() int
	now        func() marketcache.Instant

	inSystem atomic.Int64 // admitted and not done
	outside  atomic.Int64 // of those, waiting for the venue
	sockets  socketQueue
	queues   [kindCount]*workQueue // nil: requests of the kind run at once
}

// New returns a controller that has admitted nothing.
func New(cfg Config) *Controller {
	c := &Controller{
		capacity: int64(cfg.Capacity), maxWait: cfg.MaxWait, timeout: cfg.Timeout,
		processors: int64(runtime.GOMAXPROCS(0)), unread: cfg.Unread, now: cfg.Now,
	}
	if c.now == nil {
		c.now = marketcache.Now
	}
	for kind, rule := range kinds {
		if rule.workers != nil {
			c.queues[kind] = newWorkQueue(c, rule, cfg.Simulators)
		}
	}
	return c
}

// Close releases what the queues hold. Nothing may be admitted any more.
func (c *Controller) Close() {
	for _, q := range c.queues {
		if q != nil {
			q.close()
		}
	}
}

// Admit decides about a request of trades trades that the server took up at an instant.
// An admitted request must end with Ticket.Done; a nil arrival says nothing.
func (c *Controller) Admit(kind Kind, trades int, at marketcache.Instant, arrival Arrival) (Ticket, Refusal) {
	t := Ticket{controller: c, queue: c.queues[kind], trades: int32(trades), arrived: at, begun: at}
	if c.maxWait > 0 && arrival != nil && !c.sockets.admit(&t, arrival) {
		return Ticket{}, WaitedTooLong
	}
	if c.inSystem.Add(1) > c.capacity {
		t.Done(at)
		return Ticket{}, Full
	}
	if t.queue != nil {
		if refusal := t.queue.enter(&t); refusal != Admitted {
			t.Done(at)
			return Ticket{}, refusal
		}
	}
	return t, Admitted
}

// InSystem returns how many requests are admitted and not done.
func (c *Controller) InSystem() int { return int(c.inSystem.Load()) }

// Outside returns how many of those wait for the venue.
func (c *Controller) Outside() int { return int(c.outside.Load()) }

// InQueue returns how many requests of a kind that queues are at work or wait for their turn.
func (c *Controller) InQueue(kind Kind) int { return int(c.queues[kind].inSystem.Load()) }
