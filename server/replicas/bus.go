package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/server/alerts"
)

const (
	busStream   = "MONITOR"
	busPrefix   = "mon."      // followed by the wallet
	beatSubject = "mon._beat" // not a wallet's subject
	beatHeader  = "Ballast-Beat"
	maxResult   = 512 << 10 // bytes of one result
	maxResultID = 128       // bytes

	maxPositions = 4096 // of one wallet
	maxRegime    = 2    // crisis
)

var busConfig = jetstream.StreamConfig{
	Name:        busStream,
	Description: "ballast: results of monitor calls, for the other replicas",
	Subjects:    []string{busPrefix + "*"},
	MaxAge:      60 * time.Second, // a replica may be away for as long and still catch up
	MaxBytes:    64 << 20,         // limits the space that a flood of monitor calls can take
	MaxMsgSize:  maxResult + 4096, // including headers
	Duplicates:  60 * time.Second, // at most MaxAge
	Discard:     jetstream.DiscardOld,
}

// Errors that Publish wraps.
var (
	// ErrUnacknowledged: no acknowledgement came in time. The result may still have been stored.
	ErrUnacknowledged = errors.New("replicas: result not acknowledged")
	// ErrReusedID: the stream already has a result with this id and dropped this one. Ids must be unique.
	ErrReusedID = errors.New("replicas: result id used before")
)

// Bus delivers results of monitor calls to every replica. Create it with Node.NewBus, run Run in a
// goroutine, and publish from any number of goroutines.
type Bus struct {
	n        *Node
	deliver  func(*alerts.Result)
	cut      func(reason string)
	restored func()

	ready   atomic.Bool
	state   sync.Mutex  // orders the calls of cut and restored
	silence *time.Timer // cuts the bus when no heartbeat of its own has arrived for too long

	// Used by the follower only. The server drops repeated ids itself, but may let some through during a
	// change of its leader, within a fraction of a second.
	seen      recent[struct{}] // ids
	consuming bool             // a consumer was created

	Stats BusStats
}

// recentIDs is the number of ids that the follower remembers at least.
const recentIDs = 1 << 15

// BusStats are counters since NewBus.
type BusStats struct {
	Published      atomic.Uint64 // acknowledged by the stream
	Unacknowledged atomic.Uint64 // Publish calls that failed
	Received       atomic.Uint64 // results of other replicas passed to deliver
	Garbage        atomic.Uint64 // messages that are not valid results
	Cuts           atomic.Uint64 // calls of cut
	ConsumerResets atomic.Uint64 // consumers created after the first
}

// NewBus returns a bus. deliver is called once for every result of another replica, in the order of the
// stream, from one goroutine. It must not block and may keep the value.
//
// The bus is not ready at first. restored is called each time it becomes ready, including the first, and
// cut, with a reason for the log, each time it stops being ready. The two alternate and never overlap.
// Between cut and restored this replica may miss results, so its alert sockets must be closed and new
// ones refused. The callbacks may call Ready but nothing else of the bus.
func (n *Node) NewBus(deliver func(*alerts.Result), cut func(reason string), restored func()) *Bus {
	return &Bus{n: n, deliver: deliver, cut: cut, restored: restored, seen: recent[struct{}]{limit: recentIDs}}
}

// Ready reports whether this replica would notice if it missed a result published from now on.
func (b *Bus) Ready() bool { return b.ready.Load() }

// Run operates the bus until ctx ends. It may be called once.
func (b *Bus) Run(ctx context.Context) {
	b.silence = time.AfterFunc(b.n.time.Cut, func() {
		b.setReady(false, fmt.Sprintf("no proof for %.1f s that results of other replicas arrive",
			b.n.time.Cut.Seconds()))
	})
	defer b.silence.Stop()
	var wg sync.WaitGroup
	wg.Go(func() { b.beat(ctx) })
	b.follow(ctx)
	wg.Wait()
}

// Publish sends r to every other replica. It returns nil only when the stream has acknowledged it,
// within Timing.Ack. It fails at once if the connection has been down for longer than Timing.Ack. r.ID
// must start with the node's ID and a hyphen and be new. Safe for concurrent use; r is not kept.
func (b *Bus) Publish(ctx context.Context, r *alerts.Result) error {
	err := b.publish(ctx, r)
	counter := &b.Stats.Published
	if err != nil {
		counter = &b.Stats.Unacknowledged
	}
	counter.Add(1)
	return err
}

func (b *Bus) publish(ctx context.Context, r *alerts.Result) error {
	if !strings.HasPrefix(r.ID, b.n.id+"-") {
		return fmt.Errorf("replicas: publish: id %.80q is not this replica's", r.ID)
	}
	if err := checkResult(r); err != nil {
		return fmt.Errorf("replicas: publish: %w", err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("replicas: publish: %w", err)
	}
	if len(data) > maxResult {
		return fmt.Errorf("replicas: publish: result of %d bytes, at most %d", len(data), maxResult)
	}
	ctx, cancel := context.WithTimeout(ctx, b.n.time.Ack)
	defer cancel()
	return b.send(ctx, busPrefix+r.Wallet, r.ID, data)
}

// send publishes until the stream acknowledges the message or ctx ends, which normally takes 1 ms. It tries again
// after an error, and after a reconnection, because the acknowledgement may have been lost. All attempts have the
// same id, so the stream keeps one.
func (b *Bus) send(ctx context.Context, subject, id string, data []byte) error {
	last := ErrDown
	for first := true; ctx.Err() == nil; {
		lost := b.n.lost.Load()
		if lost != nil && time.Since(*lost) > b.n.time.Ack {
			return fmt.Errorf("%w: %w", ErrUnacknowledged, ErrDown)
		}
		if lost == nil {
			attempt, cancel := context.WithCancel(ctx)
			forget := context.AfterFunc(b.n.Reconnection(), cancel)
			ack, err := b.n.js.Publish(attempt, subject, data, jetstream.WithMsgID(id),
				jetstream.WithExpectStream(busStream), jetstream.WithRetryAttempts(0))
			forget()
			cancel()
			if err == nil && ack.Duplicate && first { // of a later attempt: an earlier one was stored
				return ErrReusedID
			}
			if err == nil {
				return nil
			}
			first, last = false, err
		}
		// The stream has no leader (an election, a starting server), or the connection was lost.
		time.Sleep(b.n.time.Ack / 16)
	}
	return fmt.Errorf("%w: %w", ErrUnacknowledged, last)
}

// setReady changes the state and calls restored or cut.
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
	b.Stats.Cuts.Add(1)
	b.n.log.Warn("the alert bus is cut", "reason", reason)
	b.n.guard("cut", func() { b.cut(reason) })
}

// checkResult checks what every replica relies on in a result.
func checkResult(r *alerts.Result) error {
	switch {
	case len(r.ID) > maxResultID || !validName(r.ID):
		return fmt.Errorf("malformed id %.80q", r.ID)
	case !validWallet(r.Wallet):
		return fmt.Errorf("malformed wallet %.80q", r.Wallet)
	case len(r.Positions) > maxPositions || len(r.StopsRemoved) > maxPositions:
		return fmt.Errorf("%d positions and %d stops, at most %d", len(r.Positions), len(r.StopsRemoved), maxPositions)
	}
	for i := range r.Positions {
		if p := &r.Positions[i]; max(p.Regime, p.PreviousRegime) > maxRegime {
			return fmt.Errorf("regimes %d and %d, at most %d", p.PreviousRegime, p.Regime, maxRegime)
		}
	}
	return nil
}

// decodeResult decodes a message of the stream, which others than replicas may have written.
func decodeResult(subject, id string, data []byte) (*alerts.Result, error) {
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
