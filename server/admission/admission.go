// Package admission decides whether a request may run now.
//
// A request may wait at two places, and each place has an overloadDetector. Every request waits in its
// socket for a goroutine and a processor; only the kernel knows for how long. Long requests also wait in
// the queue of their kind. A short request runs as soon as it is admitted.
//
// Under overload a request for which there is no room is held: it gets the next turn of its kind that is
// free within a few milliseconds, and is refused after that. So a turn is never free while somebody waits
// for it, and a refusal costs its caller time, not the service. A caller that returns at once after its
// refusals is held for longer, behind the others: its refusals would otherwise take the processor.
//
// All tunable values are in params.go: one row per kind of request, one constant per threshold.
package admission

import (
	"runtime"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Refusal is the reason why a request may not run. The zero value means that it may run.
type Refusal uint8

const (
	Admitted   Refusal = iota
	Full               // Config.Capacity requests are already in the system
	Overloaded         // the sockets are overloaded, and no turn was free in time
	QueueFull          // the queue of the request's kind is too long
	TooLate            // the request cannot finish before Config.Timeout
)

// String returns the sentence that the client reads.
func (r Refusal) String() string {
	return [...]string{
		Admitted:   "",
		Full:       "too many requests in flight",
		Overloaded: "more requests come than can be served in time",
		QueueFull:  "more batches or simulations come than can be served",
		TooLate:    "this could not be finished in time: what is ahead of it, or it itself, takes too long",
	}[r]
}

// Arrival is what the transport knows about the arrival of a request.
type Arrival interface {
	// Pipelined reports whether the request came whole in a read of one before it. It waited for the
	// requests before it, not for the service.
	Pipelined() bool
	// SinceLastByte is the time since the request's last byte arrived, 0 when unknown.
	SinceLastByte() time.Duration
	// Insists reports whether the caller returned at once after its newest refusal.
	Insists() bool
}

// Config is the configuration of a Controller.
type Config struct {
	Capacity   int           // maximum number of requests in the system
	MaxWait    time.Duration // longest acceptable wait; 0 or negative: no request is refused for its wait
	Timeout    time.Duration // an answer later than this after the request's arrival is useless
	Simulators int           // maximum number of simulations that run at once
	// Unread returns the number of connections with unread data, 0 when unknown.
	Unread func() int
	// Now is the clock (marketcache.Now).
	Now func() marketcache.Instant
}

// Controller admits the requests of one server. Create it with New.
type Controller struct {
	cfg        Config
	processors int64

	costs    [KindCount]average // service time by kind
	inSystem atomic.Int64       // requests admitted and not done
	outside  atomic.Int64       // requests in the system that wait for the venue
	sockets  socketQueue
	queues   [KindCount]*workQueue // of a kind that does not queue: used while the sockets are overloaded
	ending   chan struct{}         // closed by Drain
}

// New returns a controller with no request in the system.
func New(cfg Config) *Controller {
	c := &Controller{cfg: cfg, processors: int64(runtime.GOMAXPROCS(0)), ending: make(chan struct{})}
	if c.cfg.Now == nil {
		c.cfg.Now = marketcache.Now
	}
	for kind, rule := range rules(cfg.Simulators) {
		c.queues[kind] = newWorkQueue(c, Kind(kind), rule)
	}
	return c
}

// Drain lets no refusal be held any more. It must be called once at most.
func (c *Controller) Drain() { close(c.ending) }

// Close releases the resources of the queues. Admit must not be called after Close.
func (c *Controller) Close() {
	for _, q := range c.queues {
		q.close()
	}
}

// Admit decides whether a request may run. trades is the number of its trades; at is when the server
// took it up. The caller ends an admitted request with Ticket.Done, and calls Ticket.Wait at once if it is
// Held. With a nil arrival, the wait in the socket is not checked.
func (c *Controller) Admit(kind Kind, trades int, at marketcache.Instant, arrival Arrival) (Ticket, Refusal) {
	t := Ticket{controller: c, kind: kind, trades: int32(trades), left: int32(trades), arrived: at, started: at}
	insists := arrival != nil && arrival.Insists()
	refusal := Admitted
	switch overloaded := c.cfg.MaxWait > 0 && arrival != nil && c.sockets.overloaded(&t, arrival); {
	case kind.Queued():
		refusal = c.queues[kind].enter(&t, insists)
	case overloaded:
		c.queues[kind].hold(&t, insists)
	}
	if !t.held && c.inSystem.Add(1) > int64(c.cfg.Capacity) {
		refusal = max(refusal, Full)
	}
	if refusal != Admitted {
		t.Cancel()
		return Ticket{}, refusal
	}
	return t, Admitted
}

// Cost returns the average time that a request of a kind takes, without its waits; 0 before the first.
func (c *Controller) Cost(kind Kind) time.Duration { return c.costs[kind].get() }

// learn records the service time of a request.
func (c *Controller) learn(kind Kind, took time.Duration) {
	if kind.Queued() {
		c.costs[kind].add(took, queuedWeight, maxQueued)
		return
	}
	c.costs[kind].add(took, shortWeight, maxShort)
	c.sockets.mean.add(took, shortWeight, maxShort)
}

// average is an exponential moving average. The zero value has seen nothing.
type average struct{ ns atomic.Int64 }

func (a *average) get() time.Duration { return time.Duration(a.ns.Load()) }

// add adds a time, of which at most limit counts. A concurrent add may be lost.
func (a *average) add(took time.Duration, weight float64, limit time.Duration) {
	mean, value := a.ns.Load(), int64(max(1, min(took, limit)))
	if mean == 0 {
		mean = value
	}
	a.ns.Store(mean + int64(weight*float64(value-mean)))
}

// InSystem returns the number of requests that are admitted and not done.
func (c *Controller) InSystem() int { return int(c.inSystem.Load()) }

// Outside returns the number of requests in the system that wait for the venue.
func (c *Controller) Outside() int { return int(c.outside.Load()) }

// InQueue returns the number of requests of a kind that run or wait for their turn. The kind
// must have a queue.
func (c *Controller) InQueue(kind Kind) int { return int(c.queues[kind].inSystem.Load()) }
