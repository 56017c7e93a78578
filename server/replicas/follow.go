package replicas

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// How a replica knows that it has missed no message:
//
// The stream numbers its messages without gaps. The follower keeps its position: number and time of the
// last message read. A new consumer starts at that message, not after it. If the first message to arrive
// is the one read last, and the numbers then rise by one, nothing was missed, whatever happened in
// between. Otherwise messages have expired, or the stream has been replaced, and the bus is cut.
//
// Heartbeats show that the position is recent. Every replica publishes one per second in the stream,
// like a result, and must receive its own: everything stored before it has then been read too. A replica
// without a position starts at its own heartbeat.

// position is a message of the stream: the last one read. At the start it is this replica's own heartbeat,
// which is yet to be read.
type position struct {
	seq uint64 // 0: no position
	at  int64  // when the message was stored, ns since 1970 UTC; 0: not known yet
}

// errLost says which messages were lost before they could be read.
type errLost string

func (e errLost) Error() string { return string(e) }

// follow reads the stream until ctx ends.
func (b *Bus) follow(ctx context.Context) {
	var pos position
	b.n.every(ctx, b.n.time.Reconnect, "bus", func(ctx context.Context) {
		if !b.n.Connected() { // already logged
			return
		}
		err := b.read(ctx, &pos)
		if lost, ok := errors.AsType[errLost](err); ok {
			pos = position{}
			b.setReady(false, string(lost))
		} else if ctx.Err() == nil && b.n.Connected() {
			b.n.supervisor.Warn("the alert bus is interrupted; resuming", "error", err)
		}
	})
}

// read reads the stream from pos, which it advances, until an error.
func (b *Bus) read(ctx context.Context, pos *position) error {
	stream, err := b.n.ensureStream(ctx, busConfig)
	if err != nil {
		return err
	}
	if pos.seq == 0 {
		if pos.seq, err = b.publishBeat(ctx); err != nil {
			return err
		}
	} else if last := stream.CachedInfo().State.LastSeq; last < pos.seq {
		return errLost(fmt.Sprintf("the stream ends at %d; the last result read was %d", last, pos.seq))
	}
	cons, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       pos.seq,
		AckPolicy:         jetstream.AckNonePolicy,
		InactiveThreshold: max(5*b.n.time.Stuck, 5*time.Second), // then the server removes the consumer
		MemoryStorage:     true,
		Replicas:          1,
	})
	if err != nil {
		return fmt.Errorf("create consumer: %w", err)
	}
	if b.consuming {
		b.Stats.ConsumerResets.Add(1)
	}
	b.consuming = true
	return b.consume(ctx, cons, pos)
}

// consume handles the messages of a consumer that starts at pos, which it advances, until an error.
func (b *Bus) consume(ctx context.Context, cons jetstream.Consumer, pos *position) error {
	it, err := cons.Messages(jetstream.PullMaxMessages(1000))
	if err != nil {
		return fmt.Errorf("consume: %w", err)
	}
	defer it.Stop()
	for count := uint64(1); ; count++ {
		limited, cancel := context.WithTimeout(ctx, b.n.time.Stuck) // this replica's heartbeats come more often
		msg, err := it.Next(jetstream.NextContext(limited))
		cancel()
		if err != nil {
			return fmt.Errorf("next message: %w", err)
		}
		meta, err := msg.Metadata()
		if err != nil {
			return err
		}
		now := position{seq: meta.Sequence.Stream, at: meta.Timestamp.UnixNano()}
		switch {
		case meta.Sequence.Consumer != count:
			return fmt.Errorf("consumer skipped from %d to %d", count-1, meta.Sequence.Consumer)
		case count == 1 && (now.seq != pos.seq || pos.at != 0 && now.at != pos.at):
			return errLost(fmt.Sprintf("the stream has changed at %d, now at %d", pos.seq, now.seq))
		case count > 1 && now.seq != pos.seq+1:
			return errLost(fmt.Sprintf("results %d to %d are gone", pos.seq+1, now.seq-1))
		}
		*pos = now
		// The first message was handled before, unless it is the heartbeat of the start. Heartbeats may be
		// handled twice.
		if count > 1 || msg.Subject() == beatSubject {
			b.n.guard("bus message", func() { b.handle(msg) })
		}
	}
}

// handle handles one new message.
func (b *Bus) handle(msg jetstream.Msg) {
	if msg.Subject() == beatSubject {
		b.handleBeat(msg.Headers().Get(beatHeader))
		return
	}
	id := msg.Headers().Get(nats.MsgIdHdr)
	if strings.HasPrefix(id, b.n.id+"-") {
		return
	}
	r, err := decodeResult(msg.Subject(), id, msg.Data())
	if err != nil {
		b.Stats.Garbage.Add(1)
		b.n.log.Debug("garbage on the alert bus", "error", err)
		return
	}
	if _, twice := b.seen.get(id); twice {
		return
	}
	b.seen.put(id, struct{}{})
	b.Stats.Received.Add(1)
	b.deliver(r)
}

// handleBeat handles a heartbeat. One of our own shows that everything stored before it has been read.
func (b *Bus) handleBeat(token string) {
	id, sent, _ := strings.Cut(token, " ")
	if id != b.n.id {
		return
	}
	at, err := strconv.ParseInt(sent, 10, 64)
	age := time.Since(b.n.opened) - time.Duration(at)
	if err == nil && age >= 0 && age < b.n.time.Cut {
		b.silence.Reset(b.n.time.Cut - age)
		b.setReady(true, "")
	}
}

// beat publishes a heartbeat every Timing.Beat.
func (b *Bus) beat(ctx context.Context) {
	b.n.every(ctx, b.n.time.Beat, "bus beat", func(ctx context.Context) {
		if b.n.Connected() {
			_, _ = b.publishBeat(ctx) // a failure shows in the silence
		}
	})
}

// publishBeat sends a heartbeat with this replica's name and the time.
func (b *Bus) publishBeat(ctx context.Context) (seq uint64, err error) {
	msg := nats.NewMsg(beatSubject)
	msg.Header.Set(beatHeader, b.n.id+" "+strconv.FormatInt(int64(time.Since(b.n.opened)), 10))
	ack, err := b.n.js.PublishMsg(ctx, msg, jetstream.WithExpectStream(busStream), jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, fmt.Errorf("heartbeat: %w", err)
	}
	b.n.answered()
	return ack.Sequence, nil
}
