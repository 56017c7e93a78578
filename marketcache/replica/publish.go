package replica

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ballast/marketcache"
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
	r.stats.terms.Add(1)
	r.spentMu.Lock()
	spent, at := r.spent, r.spentAt
	r.spentMu.Unlock()
	r.log.Info("leads the shared feed", "epoch", epoch)
	defer func() { r.log.Info("no longer leads the shared feed", "epoch", epoch) }()
	t := &term{r: r, epoch: epoch, ctx: ctx, feed: r.cfg.NewFeed(spent, at)}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer end()
	wg.Go(func() {
		defer end() // a feed that ends is the end of the term; the next has another one
		r.guard("feed", func() {
			if err := t.feed.Run(ctx); ctx.Err() == nil {
				r.log.Error("the feed has ended", "error", err)
			}
		})
	})
	r.term.Store(t)
	defer r.term.Store(nil)
	wg.Go(func() { r.supervise(ctx, "service", t.serve) })
	wg.Go(func() {
		r.supervise(ctx, "publisher", func(ctx context.Context) error { return newPublisher(t).run(ctx) })
	})
	<-ctx.Done()
}

// supervise runs fn until ctx ends, and again when it panics or fails.
func (r *Replica) supervise(ctx context.Context, what string, fn func(context.Context) error) {
	for ctx.Err() == nil {
		r.guard(what, func() {
			if err := fn(ctx); err != nil && ctx.Err() == nil {
				r.log.Debug("shared feed", "restarting", what, "error", err)
			}
		})
		wait(ctx, askEvery)
	}
}

// publisher sends what has changed in the cache since it looked last.
type publisher struct {
	t     *term
	cache *marketcache.Cache
	out   codec
	all   bool // everything is due

	named   version // the universe
	caps    mark
	sent    []sent // by AssetID
	changed []proof
	slow    marketcache.Instant // last look at what changes seldom

	beaten  marketcache.Instant
	ack     jetstream.PubAckFuture // of the last beat, nil when it has come
	stored  uint64                 // number that the stream gave the last beat; 0: unknown
	expects uint64                 // number for the next
	since   uint64                 // messages since the last beat
}

// mark is what was sent last of one datum.
type mark struct {
	seq   uint64
	proof marketcache.Instant
}

// sent is what was sent last of one asset.
type sent struct {
	book, context, cex       mark
	funding, interest, stats version
	histories                [kinds]struct {
		state historyState
		seq   uint64
	}
}

// version numbers the values of a datum that has no ring.
type version struct {
	of  any
	seq uint64
}

func newPublisher(t *term) *publisher {
	p := &publisher{t: t, cache: t.r.cfg.Cache, all: true, sent: make([]sent, t.r.cfg.Cache.Limits().Assets)}
	p.out.instant = t.r.cfg.clock
	return p
}

// run publishes until ctx or the lease ends.
func (p *publisher) run(ctx context.Context) error {
	if err := p.t.r.ensureStream(ctx); err != nil {
		return err
	}
	var err error
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

// errStream says that the stream does not take what is published.
var errStream = errors.New("beat not stored")

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
			return fmt.Errorf("%w: %w", errStream, err)
		default:
		}
	}
	if p.all {
		p.t.r.stats.resends.Add(1)
	}
	if err := p.values(now); err != nil {
		p.t.r.stats.unsent.Add(1)
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
	u := p.cache.Universe()
	if err := publishValue(p, kindUniverse, 0, u, &p.named, func(c *codec, u *marketcache.Universe) {
		assets := make([]marketcache.Asset, len(u.Assets))
		for i, a := range u.Assets {
			assets[i] = *a
		}
		c.universe(&assets)
	}); err != nil {
		return err
	}
	p.changed = p.changed[:0]
	if err := publishRing(p, kindCaps, 0, p.cache.Caps(), &p.caps, func(c *codec, v **marketcache.Caps) { c.caps(*v) }); err != nil {
		return err
	}
	slow := p.all || now.Sub(p.slow) >= beatEvery
	for i := range u.Assets {
		id, s := marketcache.AssetID(i), &p.sent[i]
		err := publishRing(p, kindBook, id, p.cache.Books(id), &s.book, func(c *codec, v **marketcache.Book) { c.book(*v) })
		if err == nil {
			err = publishRing(p, kindContext, id, p.cache.Contexts(id), &s.context, (*codec).context)
		}
		if err == nil && slow {
			err = p.seldom(id, s)
		}
		if err != nil {
			return err
		}
	}
	if slow {
		p.slow = now
	}
	if len(p.changed) == 0 {
		return nil
	}
	return p.send(header{kind: kindProofs}, func(c *codec) { c.proofs(&p.changed) })
}

// seldom publishes what changes once a minute or less.
func (p *publisher) seldom(id marketcache.AssetID, s *sent) error {
	if err := publishRing(p, kindCEX, id, p.cache.CEX(id), &s.cex, (*codec).cex); err != nil {
		return err
	}
	if err := publishValue(p, kindFunding, id, p.cache.FundingStats(id), &s.funding, (*codec).funding); err != nil {
		return err
	}
	if err := publishValue(p, kindInterest, id, p.cache.InterestStats(id), &s.interest, (*codec).interest); err != nil {
		return err
	}
	if err := publishValue(p, kindStats, id, p.cache.SampleStats(id), &s.stats, (*codec).stats); err != nil {
		return err
	}
	for k, h := range histories {
		was, state := &s.histories[k], h.state(p.cache, id)
		if state == (historyState{}) || state == was.state && !p.all {
			continue
		}
		if state != was.state {
			was.state, was.seq = state, uint64(marketcache.Now())
		}
		if err := p.send(header{kind: k, id: id, seq: was.seq}, func(c *codec) {
			h.write(c, p.cache, id, h.tail(p.cache, id), 2*tailValues)
		}); err != nil {
			return err
		}
	}
	return nil
}

// publishRing sends the newest value of a ring, or remembers its newer proof.
func publishRing[T any](p *publisher, k kind, id marketcache.AssetID, ring *marketcache.Snapshots[T], m *mark, each func(*codec, *T)) error {
	e := ring.Newest()
	if e == nil {
		return nil
	}
	proven := e.Proof()
	if e.Seq == m.seq && !p.all {
		if proven > m.proof {
			m.proof = proven
			p.changed = append(p.changed, proof{k, id, e.Seq, proven})
		}
		return nil
	}
	*m = mark{e.Seq, proven}
	return p.send(header{kind: k, id: id, seq: e.Seq, received: e.Received, proof: proven}, func(c *codec) { each(c, &e.Value) })
}

// publishValue sends a value that is replaced whole.
func publishValue[T any](p *publisher, k kind, id marketcache.AssetID, v *T, sent *version, each func(*codec, *T)) error {
	if v == nil || any(v) == sent.of && !p.all {
		return nil
	}
	if any(v) != sent.of {
		*sent = version{v, uint64(marketcache.Now())}
	}
	return p.send(header{kind: k, id: id, seq: sent.seq}, func(c *codec) { each(c, v) })
}

// message writes a message into the publisher's buffer.
func (p *publisher) message(h header, body func(*codec)) []byte {
	p.out.b = p.out.b[:0]
	h.epoch = p.t.epoch
	p.out.header(&h)
	body(&p.out)
	return p.out.b
}

func (p *publisher) send(h header, body func(*codec)) error {
	b := p.message(h, body)
	if err := p.t.r.cfg.NATS.Publish(p.t.r.subject(h.kind, h.id), b); err != nil {
		return err
	}
	p.count(len(b))
	return nil
}

func (p *publisher) count(n int) {
	p.since++
	p.t.r.stats.published.Add(1)
	p.t.r.stats.publishedBytes.Add(int64(n))
}

// beat publishes what the leader knows of itself, and asks for its number in the stream.
func (p *publisher) beat(now marketcache.Instant) error {
	venue := &p.cache.Venue
	b := beat{
		Leader: p.t.r.cfg.Replica, At: now, Connected: venue.Connected.Load(), Breaker: venue.BreakerOpen.Load(),
		LastMessage: marketcache.Instant(venue.LastMessage.Load()), VenueMs: time.Now().UnixMilli() + venue.ClockSkewMs.Load(),
		Spent: p.t.feed.Spent(), Proofs: p.proofs(),
	}
	data := slices.Clone(p.message(header{kind: kindBeat}, func(c *codec) { c.beat(&b) }))
	ack, err := p.t.r.js.PublishMsgAsync(&nats.Msg{Subject: p.t.r.subject(kindBeat, 0), Data: data},
		jetstream.WithExpectStream(p.t.r.stream()), jetstream.WithRetryAttempts(0))
	if err != nil {
		return fmt.Errorf("%w: %w", errStream, err)
	}
	p.count(len(data))
	p.ack, p.expects, p.since = ack, p.stored+p.since, 0
	return nil
}

// proofs returns those of all values that were sent.
func (p *publisher) proofs() []proof {
	assets := p.named.of.(*marketcache.Universe).Assets
	all := make([]proof, 0, 3*len(assets)+1)
	add := func(k kind, id marketcache.AssetID, m mark) {
		if m.seq != 0 {
			all = append(all, proof{k, id, m.seq, m.proof})
		}
	}
	add(kindCaps, 0, p.caps)
	for i := range assets {
		id, s := marketcache.AssetID(i), &p.sent[i]
		add(kindBook, id, s.book)
		add(kindContext, id, s.context)
		add(kindCEX, id, s.cex)
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
