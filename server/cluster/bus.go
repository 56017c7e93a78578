package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ballast/server/alerts"
)

// The stream of results. Its age bounds how long a replica may be away and still catch up,
// its bytes what a flood of monitor calls can take; the oldest go first.
const (
	busStream    = "MONITOR"
	busSubjects  = "mon.*"
	busPrefix    = "mon."      // and the wallet
	beatSubject  = "mon._beat" // cannot be a wallet's
	beatHeader   = "Ballast-Beat"
	busAge       = 60 * time.Second
	busDuplicate = busAge // a stream may not remember ids for longer than messages
	busBytes     = 64 << 20
	maxResult    = 512 << 10 // bytes of one result
	maxResultID  = 128       // bytes
)

// Publish reports these, wrapped.
var (
	// ErrUnacknowledged says that no stream has confirmed the result in time. It may have
	// been stored all the same.
	ErrUnacknowledged = errors.New("cluster: result not acknowledged")
	// ErrReusedID says that the stream already holds a result with this id, so that this
	// one was dropped. It is a fault of whoever makes the ids.
	ErrReusedID = errors.New("cluster: result id used before")
)

// Bus carries what monitor calls found to every replica. Make one with Node.NewBus, give
// it a goroutine with Run, and publish from any number of others.
type Bus struct {
	n        *Node
	deliver  func(*alerts.Result)
	cut      func(reason string)
	restored func()

	running atomic.Bool
	ready   atomic.Bool
	state   sync.Mutex // orders the calls of cut and restored

	// What the watch compares, all written by the follower and the beater.
	current atomic.Int64  // ns from n.opened: all that was stored by then has been read
	beaten  atomic.Int64  // ns from n.opened: when the newest acknowledged heartbeat was sent
	reached atomic.Uint64 // messages read
	reset   atomic.Pointer[context.CancelCauseFunc]

	seen recent

	published, unacknowledged, received, own, duplicates, garbage, cuts, consumers atomic.Uint64
}

// BusStats counts since NewBus.
type BusStats struct {
	Published      uint64 // acknowledged by the stream
	Unacknowledged uint64 // Publish calls that failed
	Received       uint64 // results of others handed to deliver
	OwnSkipped     uint64 // results of this replica that came back
	Duplicates     uint64 // dropped because their id was known
	Garbage        uint64 // messages on the bus that are no results
	Cuts           uint64 // calls of cut
	ConsumerResets uint64 // consumers made anew after the first
}

// NewBus makes the bus. deliver is called for every result of another replica, once, in
// the order of the stream, from one goroutine: it must not block and may keep the value.
//
// The bus begins not ready. restored is called each time it becomes ready, the first time
// included, and cut, with a reason for the log, each time it stops being so; the two
// alternate and never overlap. Between cut and restored this replica may miss results, so
// its alert sockets are to be closed and new ones refused. An embedded bus is never cut.
// Neither may call back into the bus, apart from Ready.
func (n *Node) NewBus(deliver func(*alerts.Result), cut func(reason string), restored func()) *Bus {
	return &Bus{n: n, deliver: deliver, cut: cut, restored: restored}
}

// Ready reports whether nothing that is published from now on can be missed unnoticed.
func (b *Bus) Ready() bool { return b.ready.Load() }

// Stats returns the counters.
func (b *Bus) Stats() BusStats {
	return BusStats{
		Published:      b.published.Load(),
		Unacknowledged: b.unacknowledged.Load(),
		Received:       b.received.Load(),
		OwnSkipped:     b.own.Load(),
		Duplicates:     b.duplicates.Load(),
		Garbage:        b.garbage.Load(),
		Cuts:           b.cuts.Load(),
		ConsumerResets: max(b.consumers.Load(), 1) - 1,
	}
}

// Run keeps the bus alive until ctx ends, and returns its error. It may be called once.
func (b *Bus) Run(ctx context.Context) error {
	if b.running.Swap(true) {
		return errors.New("cluster: the bus runs already")
	}
	if b.n.Embedded() { // there are no other replicas to hear
		b.setReady(true, "")
		<-ctx.Done()
		return ctx.Err()
	}
	var wg sync.WaitGroup
	wg.Go(func() { b.beat(ctx) })
	wg.Go(func() { b.watch(ctx) })
	b.follow(ctx)
	wg.Wait()
	return ctx.Err()
}

// Publish sends r to every other replica. It returns nil only when the stream has
// acknowledged it, and after Timing.Ack at the latest; without a connection that could
// come back in time it fails at once. r.ID must begin with the node's ID and a hyphen and
// be new. Safe for concurrent use; r is not kept.
func (b *Bus) Publish(ctx context.Context, r *alerts.Result) error {
	err := b.publish(ctx, r)
	if err != nil {
		b.unacknowledged.Add(1)
		return err
	}
	b.published.Add(1)
	return nil
}

func (b *Bus) publish(ctx context.Context, r *alerts.Result) error {
	if !strings.HasPrefix(r.ID, b.n.id+"-") {
		return fmt.Errorf("cluster: publish: id %.80q is not this replica's", r.ID)
	}
	if err := checkResult(r); err != nil {
		return fmt.Errorf("cluster: publish: %w", err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("cluster: publish: %w", err)
	}
	if len(data) > maxResult {
		return fmt.Errorf("cluster: publish: result of %d bytes, at most %d", len(data), maxResult)
	}
	if b.n.Embedded() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, b.n.time.Ack)
	defer cancel()
	return b.send(ctx, busPrefix+r.Wallet, r.ID, data)
}

// send publishes until the stream says that it has the message, or ctx ends. An answer takes a
// millisecond, so that half the time without one means that the question or the answer was
// lost. Every further attempt carries the same id, so that the stream keeps one of them, and the
// answer to any counts.
func (b *Bus) send(ctx context.Context, subject, id string, data []byte) error {
	type answer struct {
		ack *jetstream.PubAck
		err error
	}
	answers := make(chan answer)
	attempt := func() {
		msg := nats.NewMsg(subject)
		msg.Data = data
		ack, err := b.n.js.PublishMsg(ctx, msg, jetstream.WithMsgID(id), jetstream.WithExpectStream(busStream), jetstream.WithRetryAttempts(0))
		select {
		case answers <- answer{ack, err}:
		case <-ctx.Done():
		}
	}
	again := time.NewTimer(0)
	defer again.Stop()
	attempts, last := 0, ErrDown
	for {
		woken := b.n.Woken()
		select {
		case <-woken:
			again.Reset(0)
		case <-again.C:
			switch {
			case b.n.Connected():
				attempts++
				go attempt()
				again.Reset(b.n.time.Ack / 2)
			case b.n.downFor() > b.n.time.Ack:
				return fmt.Errorf("%w: %w", ErrUnacknowledged, ErrDown)
			default:
				again.Reset(b.n.time.Ack / 16)
			}
		case a := <-answers:
			if a.err == nil {
				return b.stored(a.ack, attempts)
			}
			// No stream there (its leader moves, the server starts), or the connection was lost.
			last = a.err
			again.Reset(b.n.time.Ack / 16)
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrUnacknowledged, last)
		}
	}
}

// stored judges an acknowledgement: a duplicate of our own earlier attempt is stored, one
// of somebody else's message is not.
func (b *Bus) stored(ack *jetstream.PubAck, attempts int) error {
	if ack.Duplicate && attempts == 1 {
		return ErrReusedID
	}
	return nil
}

// setReady moves between ready and not, and tells.
func (b *Bus) setReady(ready bool, reason string) {
	b.state.Lock()
	defer b.state.Unlock()
	if b.ready.Load() == ready {
		return
	}
	b.ready.Store(ready)
	if ready {
		b.n.log.Info("the alert bus is followed")
		b.n.guard("restored", b.restored)
		return
	}
	b.cuts.Add(1)
	b.n.log.Warn("the alert bus is cut", "reason", reason)
	b.n.guard("cut", func() { b.cut(reason) })
}

// checkResult is what every replica may rely on in a result.
func checkResult(r *alerts.Result) error {
	switch {
	case len(r.ID) > maxResultID || !validName(r.ID):
		return fmt.Errorf("malformed id %.80q", r.ID)
	case !validWallet(r.Wallet):
		return fmt.Errorf("malformed wallet %.80q", r.Wallet)
	case len(r.Positions) > maxPositions:
		return fmt.Errorf("%d positions, at most %d", len(r.Positions), maxPositions)
	}
	for i := range r.Positions {
		p := &r.Positions[i]
		if err := checkRegime(p.Asset, max(p.Regime, p.PreviousRegime)); err != nil {
			return err
		}
	}
	return nil
}

// decodeResult reads what came from the stream, which anyone with access to it may have
// written.
func decodeResult(subject, id string, data []byte) (*alerts.Result, error) {
	if len(data) > maxResult {
		return nil, fmt.Errorf("%d bytes, at most %d", len(data), maxResult)
	}
	r := new(alerts.Result)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	if err := checkResult(r); err != nil {
		return nil, err
	}
	if r.ID != id || subject != busPrefix+r.Wallet {
		return nil, errors.New("id or wallet differ from the envelope")
	}
	return r, nil
}

// recent remembers ids for a while. Its follower uses it alone.
type recent struct {
	young, old map[string]struct{}
	turned     time.Time
}

// The server drops repeated ids itself; this is for those that it let through while its
// leader changed, a fraction of a second apart.
const (
	recentIDs = 1 << 15
	recentAge = time.Minute
)

// add reports whether id is new.
func (s *recent) add(id string) bool {
	if s.young == nil || len(s.young) >= recentIDs || time.Since(s.turned) > recentAge {
		s.young, s.old, s.turned = make(map[string]struct{}), s.young, time.Now()
	}
	if _, known := s.young[id]; known {
		return false
	}
	if _, known := s.old[id]; known {
		return false
	}
	s.young[id] = struct{}{}
	return true
}
