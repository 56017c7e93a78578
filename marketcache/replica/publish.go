package replica

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// term is the time for which this replica leads.
type term struct {
	r     *Replica
	epoch uint64
	feed  Feed
	ctx   context.Context
}

// lead runs feed, publisher and service until ctx ends.
func (r *Replica) lead(ctx context.Context, epoch uint64) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	r.epoch.Store(max(epoch, r.epoch.Load()))
	r.count(&r.counts.Terms, 1)
	r.mu.Lock()
	spent, at := r.spent, r.spentAt
	r.mu.Unlock()
	r.log.Info("leads the shared feed", "epoch", epoch)
	defer func() { r.log.Info("no longer leads the shared feed", "epoch", epoch) }()
	t := &term{r: r, epoch: epoch, ctx: ctx, feed: r.cfg.NewFeed(spent, at)}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer end()
	wg.Go(func() {
		defer end() // a feed that ends is the end of the term; the next has another one
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

// supervise runs fn until ctx ends, and again when it panics or fails.
func (r *Replica) supervise(ctx context.Context, what string, fn func(context.Context) error) {
	for ctx.Err() == nil {
		if err := r.supervisor.Guard(what, func() error { return fn(ctx) }); err != nil && ctx.Err() == nil {
			r.log.Debug("shared feed", "restarting", what, "error", err)
		}
		feed.Sleep(ctx, askEvery)
	}
}

// publisher sends what has changed in the cache since it looked last.
type publisher struct {
	t     *term
	cache *marketcache.Cache
	all   bool // everything is due

	sent    [][kinds]sent // by AssetID
	changed []proof
	seldom  marketcache.Instant // last look at what changes seldom

	beaten  marketcache.Instant
	ack     jetstream.PubAckFuture // of the last beat, nil when it has come
	stored  uint64                 // number that the stream gave the last beat; 0: unknown
	expects uint64                 // number for the next
	since   uint64                 // messages since the last beat
}

// sent is what was sent last of one datum.
type sent struct {
	of    any
	seq   uint64
	proof marketcache.Instant
}

// publish publishes until ctx or the lease ends.
func (t *term) publish(ctx context.Context) error {
	p := &publisher{t: t, cache: t.r.cfg.Cache, all: true, sent: make([][kinds]sent, t.r.cfg.Cache.Limits().Assets)}
	err := p.t.r.ensureStream(ctx)
	if err != nil {
		return err
	}
	every(ctx, p.t.r.cfg.Every, func() bool {
		// By the clock: a process that was frozen says nothing more.
		if epoch, held := p.t.r.cfg.Lease.Held(); !held || epoch != p.t.epoch {
			return false
		}
		err = p.look()
		return err == nil
	})
	return err
}

// look publishes what is due. Its error ends the publisher: the next one makes sure of the
// stream and publishes everything.
func (p *publisher) look() error {
	now := marketcache.Now()
	if p.ack != nil {
		select {
		case ack := <-p.ack.Ok():
			if p.stored != 0 && ack.Sequence != p.expects {
				p.all = true // messages were lost, or a stranger's came between
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

// values publishes values and proofs that are new; all of them when all are due.
func (p *publisher) values(now marketcache.Instant) error {
	p.changed = p.changed[:0]
	end := firstOfSeldom
	if p.all || now.Sub(p.seldom) >= beatEvery {
		end, p.seldom = kinds, now
	}
	for k := firstOfAll; k < firstOfEach; k++ {
		if err := p.value(k, 0); err != nil {
			return err
		}
	}
	for i := range p.cache.Universe().Assets {
		for k := firstOfEach; k < end; k++ {
			if err := p.value(k, marketcache.AssetID(i)); err != nil {
				return err
			}
		}
	}
	if len(p.changed) == 0 {
		return nil
	}
	return p.send(header{Kind: kindProofs}, p.changed)
}

// value sends one value if it is new, or remembers its newer proof.
func (p *publisher) value(k kind, id marketcache.AssetID) error {
	s, was := carriers[k].look(p.cache, id), &p.sent[id][k]
	switch {
	case s.of == nil:
		return nil
	case s.of != was.of:
		*was = sent{s.of, uint64(marketcache.Now()), s.proof}
	case p.all:
		was.proof = s.proof
	case s.proof > was.proof:
		was.proof = s.proof
		p.changed = append(p.changed, proof{k, id, was.seq, s.proof})
		return nil
	default:
		return nil
	}
	return p.send(header{Kind: k, ID: id, Seq: was.seq, Received: s.received, Proof: s.proof}, carriers[k].write(p.cache, id, s))
}

// message returns a message of the term.
func (p *publisher) message(h header, body any) ([]byte, error) {
	h.Epoch = p.t.epoch
	return p.t.r.cfg.encode(h, body)
}

func (p *publisher) send(h header, body any) error {
	b, err := p.message(h, body)
	if err != nil {
		p.t.r.log.Error("a value of the shared feed cannot be sent", "kind", kindNames[h.Kind], "error", err)
		return nil
	}
	if err := p.t.r.cfg.NATS.Publish(p.t.r.subject(h.Kind, h.ID), b); err != nil {
		return err
	}
	p.count(len(b))
	return nil
}

func (p *publisher) count(n int) {
	p.since++
	p.t.r.count(&p.t.r.counts.Published, 1)
	p.t.r.count(&p.t.r.counts.PublishedBytes, n)
}

// beat publishes what the leader knows of itself, and asks for its number in the stream.
func (p *publisher) beat(now marketcache.Instant) error {
	venue := &p.cache.Venue
	b := beat{
		Leader: p.t.r.cfg.Replica, At: now, Connected: venue.Connected.Load(), Breaker: venue.BreakerOpen.Load(),
		LastMessage: marketcache.Instant(venue.LastMessage.Load()), VenueMs: time.Now().UnixMilli() + venue.ClockSkewMs.Load(),
		Spent: p.t.feed.Spent(), Proofs: p.proofs(),
		MarkCadence: time.Duration(venue.MarkCadence.Load()), SlowCadence: time.Duration(venue.SlowCadence.Load()),
	}
	data, err := p.message(header{Kind: kindBeat}, b)
	if err != nil {
		return err
	}
	ack, err := p.t.r.js.PublishMsgAsync(&nats.Msg{Subject: p.t.r.subject(kindBeat, 0), Data: data},
		jetstream.WithExpectStream(p.t.r.stream()), jetstream.WithRetryAttempts(0))
	if err != nil {
		return fmt.Errorf("beat not stored: %w", err)
	}
	p.count(len(data))
	p.ack, p.expects, p.since = ack, p.stored+p.since, 0
	return nil
}

// proofs returns those of all values that were sent.
func (p *publisher) proofs() (all []proof) {
	for id := range p.sent {
		for k := range kinds {
			if s := &p.sent[id][k]; s.proof != 0 {
				all = append(all, proof{k, marketcache.AssetID(id), s.seq, s.proof})
			}
		}
	}
	return all
}

// stream is the name of the stream of all values.
func (r *Replica) stream() string { return "VALUES_" + r.cfg.Name }

// ensureStream makes the stream unless it is there, on as many servers as there are to be,
// or on one.
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
