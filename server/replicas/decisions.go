package replicas

import (
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	decisionStream = "DECISIONS"
	decisionPrefix = "decisions." // followed by the account, or noAccount
	noAccount      = "none"
	// maxQueued is how many decisions may wait for NATS; those that find no room are dropped.
	maxQueued = 8192
	// decisionsAtOnce is how many are sent before their acknowledgements are waited for.
	decisionsAtOnce = 256
)

var decisionConfig = jetstream.StreamConfig{
	Name:        decisionStream,
	Description: "ballast: recorded decisions, for whoever collects them",
	Subjects:    []string{decisionPrefix + "*"},
	MaxAge:      24 * time.Hour,
	MaxBytes:    256 << 20, // limits the space that a flood of requests can take
	Duplicates:  2 * time.Minute,
	Discard:     jetstream.DiscardOld,
}

// Decisions publishes recorded decisions on a stream. Create it with Node.NewDecisions and run Run in a goroutine.
type Decisions struct {
	n     *Node
	queue chan decision
	sent  uint64 // for ids; of Run

	Published, Dropped atomic.Uint64
}

// decision is a message: the decision as JSON.
type decision struct {
	account string
	data    []byte
}

// NewDecisions returns a publisher.
func (n *Node) NewDecisions() *Decisions {
	return &Decisions{n: n, queue: make(chan decision, maxQueued)}
}

// Publish queues a decision about an account, "" for none, to be published; it keeps data. It never waits: without room
// in the queue the decision is dropped.
func (d *Decisions) Publish(account string, data []byte) {
	if account == "" {
		account = noAccount
	}
	select {
	case d.queue <- decision{account, data}:
	default:
		d.Dropped.Add(1)
	}
}

// Run publishes until ctx ends.
func (d *Decisions) Run(ctx context.Context) {
	for ctx.Err() == nil {
		attempt, cancel := context.WithTimeout(ctx, d.n.time.Answer)
		_, err := d.n.ensureStream(attempt, decisionConfig)
		cancel()
		if err == nil {
			break
		}
		d.n.supervisor.Warn("decisions are not published", "error", err.Error())
		pause(ctx, d.n.time.Answer)
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case first := <-d.queue:
			d.publish(ctx, d.take(first))
		}
	}
}

// take takes what waits behind the first, up to decisionsAtOnce.
func (d *Decisions) take(first decision) []decision {
	all := []decision{first}
	for len(all) < decisionsAtOnce {
		select {
		case more := <-d.queue:
			all = append(all, more)
		default:
			return all
		}
	}
	return all
}

// publish sends decisions until the stream has acknowledged them all, or ctx ends. Each has an id of its own, so that
// the stream keeps one of several attempts.
func (d *Decisions) publish(ctx context.Context, left []decision) {
	first := d.sent
	d.sent += uint64(len(left))
	acknowledged := make([]bool, len(left))
	for missing := len(left); missing > 0 && ctx.Err() == nil; {
		futures := make([]jetstream.PubAckFuture, len(left))
		var last error
		for i := range left {
			if !acknowledged[i] {
				id := d.n.id + "-d" + strconv.FormatUint(first+uint64(i), 10)
				futures[i], last = d.n.js.PublishAsync(decisionPrefix+left[i].account, left[i].data,
					jetstream.WithMsgID(id), jetstream.WithExpectStream(decisionStream))
			}
		}
		limit := time.After(d.n.time.Answer)
		for i, f := range futures {
			if f == nil {
				continue
			}
			select {
			case <-f.Ok():
				acknowledged[i] = true
				missing--
				d.Published.Add(1)
			case last = <-f.Err():
			case <-limit:
				limit = time.After(0)
			case <-ctx.Done():
				return
			}
		}
		if missing > 0 {
			if last != nil {
				d.n.supervisor.Warn("decisions are not published; trying on", "error", last.Error())
			}
			pause(ctx, d.n.time.Ack)
		}
	}
}

// pause waits, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
