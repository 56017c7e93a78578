package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

// position is the last message read from the stream. At the start it is this replica's own heartbeat,
// which is yet to be read.
type position struct {
	seq  uint64
	at   time.Time // when the message was stored; zero before it has been read
	beat string    // header of the heartbeat, used until the heartbeat has been read
}

// errLost: messages were lost before they could be read.
type errLost struct{ reason string }

func (e errLost) Error() string { return e.reason }

// Reasons to create a new consumer although the old one has not failed.
var (
	errWoken = errors.New("the connection came back")
	errStuck = errors.New("results are stored but do not arrive")
)

// follow reads the stream until ctx ends.
func (b *Bus) follow(ctx context.Context) {
	var pos position
	for ctx.Err() == nil {
		woken := b.n.Woken()
		before := pos
		err := b.n.supervisor.Guard("bus", func() error { return b.read(ctx, &pos) })
		if ctx.Err() != nil {
			return
		}
		var lost errLost
		if errors.As(err, &lost) {
			pos = position{}
			b.setReady(false, lost.reason)
			continue
		}
		if errors.Is(err, errWoken) {
			continue
		}
		if !b.n.Connected() { // already logged
			select {
			case <-woken:
			case <-ctx.Done():
			}
			continue
		}
		b.n.supervisor.WarnEvery("bus", b.n.time.Cut, "the alert bus is interrupted; resuming", "error", err)
		if pos == before { // no progress: avoid a busy loop
			select {
			case <-ctx.Done():
			case <-time.After(b.n.time.Reconnect/2 + rand.N(b.n.time.Reconnect)):
			}
		}
	}
}

// read reads the stream from pos, which it advances, until an error or a call of again.
func (b *Bus) read(ctx context.Context, pos *position) (err error) {
	if !b.n.Connected() {
		return ErrDown
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer func() {
		if cause := context.Cause(ctx); cause != nil && !errors.As(err, new(errLost)) {
			err = cause
		}
		cancel(nil)
	}()
	b.reset.Store(&cancel)
	stream, err := b.n.ensureStream(ctx, busConfig)
	if err != nil {
		return err
	}
	if *pos == (position{}) {
		seq, token, err := b.publishBeat(ctx)
		if err != nil {
			return err
		}
		*pos = position{seq: seq, beat: token}
	} else if err := b.within(ctx, stream, pos.seq); err != nil {
		return err
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
		b.stats.ConsumerResets.Add(1)
	}
	b.consuming = true
	return b.consume(ctx, cons, pos)
}

// consume handles the messages of a consumer that starts at pos, which it advances, until an error.
func (b *Bus) consume(ctx context.Context, cons jetstream.Consumer, pos *position) error {
	it, err := cons.Messages(jetstream.PullMaxMessages(1000),
		jetstream.PullHeartbeat(min(max(b.n.time.Stuck/3, 500*time.Millisecond), 10*time.Second)),
		jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return fmt.Errorf("consume: %w", err)
	}
	defer it.Stop()
	for count := uint64(1); ; count++ {
		msg, err := it.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := msg.Metadata()
		if err != nil {
			return err
		}
		if meta.Sequence.Consumer != count {
			return fmt.Errorf("consumer skipped from %d to %d", count-1, meta.Sequence.Consumer)
		}
		seq := meta.Sequence.Stream
		switch {
		case count > 1 && seq != pos.seq+1:
			return errLost{fmt.Sprintf("results %d to %d are gone", pos.seq+1, seq-1)}
		case count == 1 && !pos.is(seq, meta.Timestamp, msg.Headers()):
			return errLost{fmt.Sprintf("the stream has changed at %d, now at %d", pos.seq, seq)}
		}
		again := count == 1 && !pos.at.IsZero()
		*pos = position{seq: seq, at: meta.Timestamp}
		b.reached.Add(1)
		if !again {
			b.n.guard("bus message", func() { b.handle(msg) })
		}
	}
}

// is reports whether p is the position of the given message.
func (p *position) is(seq uint64, at time.Time, h nats.Header) bool {
	if seq != p.seq {
		return false
	}
	if p.at.IsZero() {
		return h.Get(beatHeader) == p.beat
	}
	return at.Equal(p.at)
}

// within returns errLost when the stream no longer has seq.
func (b *Bus) within(ctx context.Context, stream jetstream.Stream, seq uint64) error {
	info, err := stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("stream info: %w", err)
	}
	if first, last := info.State.FirstSeq, info.State.LastSeq; seq < first || seq > last {
		return errLost{fmt.Sprintf("the stream now holds %d to %d, read up to %d", first, last, seq)}
	}
	return nil
}

// handle handles one new message.
func (b *Bus) handle(msg jetstream.Msg) {
	if msg.Subject() == beatSubject {
		b.handleBeat(msg.Headers().Get(beatHeader))
		return
	}
	id := msg.Headers().Get(nats.MsgIdHdr)
	if strings.HasPrefix(id, b.n.id+"-") {
		b.stats.OwnSkipped.Add(1)
		return
	}
	r, err := decodeResult(msg.Subject(), id, msg.Data())
	if err != nil {
		b.stats.Garbage.Add(1)
		b.n.log.Debug("garbage on the alert bus", "error", err)
		return
	}
	if _, twice := b.seen.get(id); twice {
		b.stats.Duplicates.Add(1)
		return
	}
	b.seen.put(id, struct{}{})
	b.stats.Received.Add(1)
	b.deliver(r)
}

// handleBeat handles a heartbeat. One of our own shows that everything stored before it has been read.
func (b *Bus) handleBeat(token string) {
	id, sent, _ := strings.Cut(token, " ")
	if id != b.n.id {
		return
	}
	at, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || at > int64(time.Since(b.n.opened)) {
		return
	}
	if at > b.current.Load() {
		b.current.Store(at)
	}
	if b.age() < b.n.time.Cut {
		b.setReady(true, "")
	}
}

// age returns the time since the last heartbeat of our own.
func (b *Bus) age() time.Duration {
	return time.Since(b.n.opened) - time.Duration(b.current.Load())
}

// beat publishes a heartbeat every Timing.Probe.
func (b *Bus) beat(ctx context.Context) {
	b.n.every(ctx, b.n.time.Probe, "bus beat", func(<-chan struct{}) {
		if b.n.Connected() {
			_, _, _ = b.publishBeat(ctx) // a failure shows in the age
		}
	})
}

// publishBeat sends a heartbeat with this replica's name and the time.
func (b *Bus) publishBeat(ctx context.Context) (seq uint64, token string, err error) {
	ctx, cancel := context.WithTimeout(ctx, b.n.time.Answer)
	defer cancel()
	now := int64(time.Since(b.n.opened))
	token = b.n.id + " " + strconv.FormatInt(now, 10)
	msg := nats.NewMsg(beatSubject)
	msg.Header.Set(beatHeader, token)
	ack, err := b.n.js.PublishMsg(ctx, msg, jetstream.WithExpectStream(busStream), jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, "", fmt.Errorf("heartbeat: %w", err)
	}
	b.beaten.Store(now)
	return ack.Sequence, token, nil
}

// watch cuts the bus when its own heartbeats have not arrived for too long. It has the follower create a
// new consumer when the connection is restored, and when heartbeats are acknowledged but do not arrive.
func (b *Bus) watch(ctx context.Context) {
	tick := time.NewTicker(max(b.n.time.Probe/4, time.Millisecond))
	defer tick.Stop()
	var mark uint64 // number of messages read at the time since
	since := time.Now()
	for {
		woken := b.n.Woken()
		select {
		case <-ctx.Done():
			return
		case <-woken:
			b.again(errWoken)
		case <-tick.C:
		}
		if age := b.age(); age > b.n.time.Cut {
			b.setReady(false, fmt.Sprintf("no proof for %.1f s that results of other replicas arrive", age.Seconds()))
		}
		late := time.Duration(b.beaten.Load() - b.current.Load())
		if reached := b.reached.Load(); reached != mark || late < b.n.time.Stuck {
			mark, since = reached, time.Now()
		}
		if time.Since(since) > b.n.time.Stuck {
			since = time.Now()
			b.again(errStuck)
		}
	}
}

// again makes the follower create a new consumer at its position.
func (b *Bus) again(why error) {
	if cancel := b.reset.Load(); cancel != nil {
		(*cancel)(why)
	}
}
