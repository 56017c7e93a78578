package replica

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// leadership is one term of this replica as leader.
type leadership struct {
	r     *Replica
	epoch uint64
	feed  Feed
	ctx   context.Context
}

// lead runs feed, publisher and request service until ctx ends.
func (r *Replica) lead(ctx context.Context, epoch uint64) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	r.epoch.Store(max(epoch, r.epoch.Load()))
	r.mu.Lock()
	spent, at := r.weight.Sum(), r.spentAt
	r.mu.Unlock()
	r.log.Info("leads the shared feed", "epoch", epoch)
	defer func() { r.log.Info("no longer leads the shared feed", "epoch", epoch) }()
	t := &leadership{r: r, epoch: epoch, ctx: ctx, feed: r.cfg.NewFeed(spent, at)}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer end()
	wg.Go(func() {
		defer end() // when the feed ends, so does the term; the next term has a new feed
		err := r.supervisor.Guard("feed", func() error { return t.feed.Run(ctx) })
		if ctx.Err() == nil {
			r.log.Error("the feed has ended", "error", err)
		}
	})
	r.term.Store(t)
	defer r.term.Store(nil)
	wg.Go(func() { r.supervise(ctx, "service", t.serve) })
	wg.Go(func() { r.supervise(ctx, "publisher", t.publish) })
	<-ctx.Done()
}

// supervise runs fn until ctx ends, and starts it again whenever it returns or panics.
func (r *Replica) supervise(ctx context.Context, what string, fn func(context.Context) error) {
	for ctx.Err() == nil {
		if err := r.supervisor.Guard(what, func() error { return fn(ctx) }); err != nil && ctx.Err() == nil {
			r.log.Debug("shared feed", "restarting", what, "error", err)
		}
		feed.Sleep(ctx, askEvery)
	}
}

// publisher sends the changes of the cache since its last pass.
type publisher struct {
	t     *leadership
	cache *marketcache.Cache
	all   bool // everything must be sent

	sent    [][topics]sent // by AssetID
	changed []proof
	seldom  marketcache.Instant // last pass over the topics from firstOfSeldom on

	beaten  marketcache.Instant
	ack     jetstream.PubAckFuture // of the last heartbeat; nil once it has come
	stored  uint64                 // stream sequence of the last heartbeat; 0: unknown
	expects uint64                 // expected sequence of the next heartbeat
	since   uint64                 // messages since the last heartbeat
}

// sent is the last message about one datum.
type sent struct {
	version any // see state
	seq     uint64
	proof   marketcache.Instant
}

// publish publishes until ctx or the lease ends.
func (t *leadership) publish(ctx context.Context) error {
	p := &publisher{t: t, cache: t.r.cfg.Cache, all: true, sent: make([][topics]sent, t.r.cfg.Cache.Limits().Assets)}
	err := p.t.r.ensureStream(ctx)
	if err != nil {
		return err
	}
	every(ctx, passEvery, func() bool {
		// Held goes by the clock: a process that was frozen publishes nothing more.
		if epoch, held := p.t.r.cfg.Lease.Held(); !held || epoch != p.t.epoch {
			return false
		}
		err = p.publishChanges()
		return err == nil
	})
	return err
}

// publishChanges sends new values and, when due, a heartbeat. After an error the publisher ends; the next
// publisher creates the stream if needed and sends everything.
func (p *publisher) publishChanges() error {
	now := marketcache.Now()
	if p.ack != nil {
		select {
		case ack := <-p.ack.Ok():
			if p.stored != 0 && ack.Sequence != p.expects {
				p.all = true // messages were lost, or came from another sender
			}
			p.stored, p.ack = ack.Sequence, nil
		case err := <-p.ack.Err():
			return fmt.Errorf("beat not stored: %w", err)
		default:
		}
	}
	if p.all {
		p.t.r.count(&p.t.r.counts.Resends, 1)
	}
	if err := p.values(now); err != nil {
		p.t.r.count(&p.t.r.counts.Unsent, 1)
		return err
	}
	p.all = false
	if now.Sub(p.beaten) >= beatEvery && p.ack == nil {
		p.beaten = now
		return p.beat(now)
	}
	return nil
}

// values sends new values and confirmations, or all of them.
func (p *publisher) values(now marketcache.Instant) error {
	p.changed = p.changed[:0]
	end := firstOfSeldom
	if p.all || now.Sub(p.seldom) >= beatEvery {
		end, p.seldom = topics, now
	}
	err := cmp.Or(p.value(topicUniverse, 0), p.value(topicRules, 0))
	for i := range p.cache.Universe().Assets {
		for k := firstOfEach; k < end && err == nil; k++ {
			err = p.value(k, marketcache.AssetID(i))
		}
	}
	if err != nil || len(p.changed) == 0 {
		return err
	}
	return p.send(header{Topic: topicProofs}, p.changed)
}

// value sends one value if it is new; otherwise it records its newest confirmation.
func (p *publisher) value(k topic, id marketcache.AssetID) error {
	s, was := carriers[k].read(p.cache, id), &p.sent[id][k]
	switch {
	case s.version == nil:
		return nil
	case s.version != was.version:
		*was = sent{s.version, uint64(marketcache.Now()), s.proof}
	case p.all:
		was.proof = s.proof
	case s.proof > was.proof:
		was.proof = s.proof
		p.changed = append(p.changed, proof{k, id, was.seq, s.proof})
		return nil
	default:
		return nil
	}
	return p.send(header{Topic: k, ID: id, Seq: was.seq, Received: s.received, Proof: s.proof}, s.value)
}

func (p *publisher) send(h header, body any) error {
	h.Epoch = p.t.epoch
	b, err := p.t.r.cfg.encode(h, body)
	if err != nil {
		p.t.r.log.Error("a value of the shared feed cannot be sent", "topic", topicNames[h.Topic], "error", err)
		return nil
	}
	if err := p.t.r.cfg.NATS.Publish(p.t.r.subject(h.Topic, h.ID), b); err != nil {
		return err
	}
	p.count()
	return nil
}

func (p *publisher) count() {
	p.since++
	p.t.r.count(&p.t.r.counts.Published, 1)
}

// beat sends a heartbeat and requests its sequence number in the stream.
func (p *publisher) beat(now marketcache.Instant) error {
	venue := &p.cache.Venue
	b := beat{
		Leader: p.t.r.cfg.Replica, At: now, Connected: venue.Connected.Load(), Breaker: venue.BreakerOpen.Load(),
		LastMessage: marketcache.Instant(venue.LastMessage.Load()), VenueMs: venue.Clock.VenueMs(now),
		Weight: p.t.feed.Weight(), Proofs: p.proofs(),
		MarkCadence: time.Duration(venue.MarkCadence.Load()), SlowCadence: time.Duration(venue.SlowCadence.Load()),
	}
	if last := venue.LastError.Load(); last != nil {
		b.Failure, b.FailedAt = last.Text, last.At
	}
	data, err := p.t.r.cfg.encode(header{Topic: topicBeat, Epoch: p.t.epoch}, b)
	if err != nil {
		return err
	}
	ack, err := p.t.r.js.PublishMsgAsync(&nats.Msg{Subject: p.t.r.subject(topicBeat, 0), Data: data},
		jetstream.WithExpectStream(p.t.r.stream()), jetstream.WithRetryAttempts(0))
	if err != nil {
		return fmt.Errorf("beat not stored: %w", err)
	}
	p.count()
	p.ack, p.expects, p.since = ack, p.stored+p.since, 0
	return nil
}

// proofs returns the newest confirmations of all values sent.
func (p *publisher) proofs() (all []proof) {
	for id := range p.sent {
		for k := range topics {
			if s := &p.sent[id][k]; s.proof != 0 {
				all = append(all, proof{k, marketcache.AssetID(id), s.seq, s.proof})
			}
		}
	}
	return all
}

// stream returns the name of the stream of all values.
func (r *Replica) stream() string { return "VALUES_" + r.cfg.Name }

// ensureStream creates the stream if it does not exist, with the configured number of replicas, or
// with one if that fails.
func (r *Replica) ensureStream(ctx context.Context) error {
	cfg := jetstream.StreamConfig{
		Name: r.stream(), Description: "ballast: market data, for the replicas that do not ask the venue",
		Subjects: []string{r.cfg.Name + ".v.>"}, Storage: jetstream.MemoryStorage, MaxMsgsPerSubject: 1,
		Discard: jetstream.DiscardOld, MaxBytes: streamBytes, Replicas: r.cfg.Servers,
	}
	_, err := r.js.CreateOrUpdateStream(ctx, cfg)
	if err != nil && cfg.Replicas > 1 {
		r.log.Warn("market data is kept on one NATS server", "want", cfg.Replicas, "error", err)
		cfg.Replicas = 1
		_, err = r.js.CreateOrUpdateStream(ctx, cfg)
	}
	return err
}
