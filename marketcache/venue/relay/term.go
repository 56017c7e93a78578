package relay

import (
	"context"
	"sync"
	"time"

	"github.com/goccy/go-json"
	"github.com/nats-io/nats.go"

	"ballast/marketcache"
)

// term is one tenure of an Upstream. Two locks: pub orders what is published and numbers
// it; mu guards the tables. pub is taken before mu.
type term struct {
	u     *Upstream
	epoch uint64
	end   context.CancelFunc

	pub sync.Mutex
	seq uint64 // of the last message down

	mu       sync.Mutex
	streams  map[string]*carried // by id
	replicas map[string]*replica // by id
	slots    []*slot
	up       map[int64]*line
	rising   chan struct{} // closed and replaced when the first line comes up

	answers answers
}

// replica is one that has told what it wants.
type replica struct {
	told    marketcache.Instant
	streams map[string]bool
	slotOf  map[int]int // where the streams of one of its virtual sockets are
}

func newTerm(u *Upstream, epoch uint64) *term {
	t := &term{
		u: u, epoch: epoch, streams: map[string]*carried{}, replicas: map[string]*replica{},
		up: map[int64]*line{}, rising: make(chan struct{}),
	}
	t.answers.init()
	for i := range u.cfg.Lines {
		t.slots = append(t.slots, &slot{t: t, index: i, topics: map[topic]*carried{}, retired: map[topic]retired{}, wake: make(chan struct{}, 1)})
	}
	return t
}

// run works until ctx ends or the lease does. Its goroutines have ended when it returns.
// It fails when it cannot begin.
func (t *term) run(ctx context.Context) error {
	sub, err := t.u.cfg.NATS.SubscribeSync(t.u.subjects.allUp(t.epoch))
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer t.end()
	start := func(name string, fn func(context.Context)) {
		wg.Go(func() { supervise(ctx, t.u.log, &t.u.stats.panics, name, fn) })
	}
	start("questions", func(ctx context.Context) {
		receive(ctx, sub, func(m *nats.Msg) { t.take(ctx, &wg, m) })
	})
	start("sweep", t.sweep)
	for _, s := range t.slots {
		start("line", s.run)
	}
	t.beat()
	tick := time.NewTicker(beatEvery)
	defer tick.Stop()
	lease := time.NewTicker(leasePoll)
	defer lease.Stop()
	for t.u.holds(t.epoch) {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			t.beat()
		case <-lease.C:
		}
	}
	return nil
}

// take takes in what a replica says.
func (t *term) take(ctx context.Context, wg *sync.WaitGroup, m *nats.Msg) {
	now := marketcache.Now()
	switch _, kind, _, _ := t.u.subjects.read(m.Subject); kind {
	case kindAsk:
		t.u.stats.asks.Add(1)
		if !t.answers.enter() {
			t.u.stats.refused.Add(1)
			t.reply(m, busy(time.Second))
			return
		}
		wg.Go(func() {
			defer t.answers.leave()
			guard(t.u.log, &t.u.stats.panics, "answer", func() { t.answer(ctx, m) })
		})
	case kindWant:
		t.takeWant(m)
		if t.u.holds(t.epoch) && m.Reply != "" {
			t.u.cfg.NATS.PublishMsg(&nats.Msg{Subject: m.Reply, Header: stamp{at: now}.header()})
		}
	case kindPing:
		t.takePing(m.Data)
	}
}

// publish sends a message down and numbers it; what cannot be sent leaves a gap, which
// the replicas see. Called with pub held.
func (t *term) publish(kind string, s stamp, data []byte) {
	if !t.u.holds(t.epoch) { // by the clock: a process that was frozen says nothing more
		t.end()
		return
	}
	if limit := t.u.cfg.NATS.MaxPayload(); limit > 0 && int64(len(data)+128) > limit {
		// Only the contexts of all assets can be so many. Their age is not confirmed by
		// pongs, and an adapter that misses them asks for them.
		t.u.stats.oversize.Add(1)
		return
	}
	t.seq++
	s.seq = t.seq
	m := &nats.Msg{Subject: t.u.subjects.down(t.epoch, kind), Header: s.header(), Data: data}
	if err := t.u.cfg.NATS.PublishMsg(m); err != nil {
		t.u.stats.unsent.Add(1)
	}
}

// beat publishes what the holder knows of itself now.
func (t *term) beat() {
	now := marketcache.Now()
	b := beat{Holder: t.u.cfg.Replica, Spent: t.u.meter.Used(), Sent: t.u.sends.count(now), Dialed: t.u.dials.count(now)}
	t.pub.Lock()
	defer t.pub.Unlock()
	t.mu.Lock()
	b.Lines = make([]lineState, 0, len(t.up))
	for id, l := range t.up {
		b.Lines = append(b.Lines, lineState{id, l.proven})
	}
	t.mu.Unlock()
	data, err := json.Marshal(b)
	if err != nil {
		panic("BUG: beat: " + err.Error())
	}
	t.publish(kindBeat, stamp{at: now}, data)
}

// sweep forgets replicas that are silent and streams that nobody wants.
func (t *term) sweep(ctx context.Context) {
	for sleep(ctx, sweepEvery) {
		now := marketcache.Now()
		t.mu.Lock()
		for id, r := range t.replicas {
			if now.Sub(r.told) > replicaMaxAge {
				for s := range r.streams {
					t.unwant(id, s, now)
				}
				delete(t.replicas, id)
			}
		}
		for id, c := range t.streams {
			if len(c.wantedBy) == 0 && now.Sub(c.idleSince) > linger {
				delete(t.streams, id)
				delete(c.slot.topics, c.topic())
				c.slot.retired[c.topic()] = retired{id, now}
				poke(c.slot.wake)
			}
		}
		for _, s := range t.slots {
			for of, r := range s.retired {
				if now.Sub(r.at) > retiredFor {
					delete(s.retired, of)
				}
			}
		}
		t.mu.Unlock()
		t.answers.sweep(now)
	}
}
