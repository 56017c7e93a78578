package replica

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/goccy/go-json"
	"github.com/nats-io/nats.go/jetstream"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// follower applies the leader's messages to this replica's cache.
type follower struct {
	r       *Replica
	cache   *marketcache.Cache
	measure chan struct{} // one token: ask the leader's clock now
	lacks   chan datum    // histories to be requested

	mu     sync.Mutex // one writer of the cache at a time
	epoch  uint64     // of the leader; 0: none heard yet
	clock  offset
	beat   beat
	ids    []marketcache.AssetID // our ids, by the leader's ids
	values map[datum]*value
	// term ends with the leader's epoch, or when the leader falls silent; end ends it.
	term context.Context
	end  context.CancelFunc
}

// datum identifies one value; the id is the leader's.
type datum struct {
	topic topic
	id    marketcache.AssetID
}

// value is the newest message about a datum.
type value struct {
	datum
	seq             uint64
	received, proof marketcache.Instant // of the leader's clock
	body            json.RawMessage     // nil once applied
	applied         bool                // a value of this epoch was applied
	loading         bool                // a history that is being requested
	whole           bool                // request the whole history: the held one differs from the leader's
}

// errAhead: a message of a higher epoch than the lease has.
var errAhead = errors.New("a message of a term that the lease does not know")

// follow follows the leader until ctx ends.
func (r *Replica) follow(ctx context.Context) {
	f := &follower{
		r: r, cache: r.cfg.Cache, measure: make(chan struct{}, 1),
		lacks: make(chan datum, 4*r.cfg.Cache.Limits().Assets),
		epoch: r.epoch.Load(), values: map[datum]*value{}, end: func() {},
	}
	f.newTerm()
	defer func() { f.end() }()
	r.follower.Store(f)
	defer r.follower.Store(nil)
	var wg sync.WaitGroup
	defer wg.Wait()
	for what, fn := range map[string]func(context.Context) error{
		"consumer": f.consume, "clock": f.followClock, "venue": f.followVenue, "histories": f.loadHistories,
		"more histories": f.loadHistories,
	} {
		wg.Go(func() { r.supervise(ctx, what, fn) })
	}
	<-ctx.Done()
}

// consume reads the stream, the newest message of each subject first. It returns after a silence of
// several heartbeats, because the stream may have been replaced.
func (f *follower) consume(ctx context.Context) error {
	cons, err := f.r.js.OrderedConsumer(ctx, f.r.stream(), jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{f.r.cfg.Name + ".v.>"}, DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy,
		MaxResetAttempts:  1,
		InactiveThreshold: 10 * time.Second,
	})
	if err != nil {
		return err
	}
	messages, err := cons.Messages(jetstream.PullMaxMessages(2000))
	if err != nil {
		return err
	}
	defer messages.Stop()
	defer context.AfterFunc(ctx, messages.Stop)()
	joined, _ := f.r.cfg.Lease.Held()
	missed := false
	for {
		if known, _ := f.r.cfg.Lease.Held(); missed && known > joined {
			return errAhead // its term was real: read again what was ignored
		}
		m, err := messages.Next(jetstream.NextMaxWait(8 * beatEvery))
		if err != nil {
			return err
		}
		f.r.count(&f.r.counts.Received, 1)
		switch err := f.r.supervisor.Guard("message", func() error { return f.handle(m.Data()) }); err {
		case errGarbage:
			f.r.count(&f.r.counts.Garbage, 1)
		case errAhead:
			missed = true
			f.r.count(&f.r.counts.Ahead, 1)
		}
	}
}

func (f *follower) handle(b []byte) error {
	var h header
	var body json.RawMessage
	if decode(b, &h, &body) != nil || h.Topic >= topics {
		return errGarbage
	}
	// The lease decides who leads: a message alone, whoever sent it, ends no term.
	if known, _ := f.r.cfg.Lease.Held(); h.Epoch > known {
		f.r.supervisor.Warn("messages of a term that the lease does not know are ignored; if it is the term of a new "+
			"leader they are read again, else something else writes to the subjects of the feed",
			"epoch", h.Epoch, "lease", known)
		return errAhead
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case h.Epoch < f.epoch:
		f.r.count(&f.r.counts.Stale, 1)
		return nil
	case h.Epoch > f.epoch:
		f.epoch, f.clock, f.beat, f.ids, f.values = h.Epoch, offset{}, beat{}, nil, map[datum]*value{}
		f.newTerm()
		f.r.epoch.Store(h.Epoch)
		marketcache.Signal(f.measure)
	}
	switch h.Topic {
	case topicBeat:
		var b beat
		if json.Unmarshal(body, &b) != nil {
			return errGarbage
		}
		f.beat = b
		f.confirm(b.Proofs)
	case topicProofs:
		var proofs []proof
		if json.Unmarshal(body, &proofs) != nil {
			return errGarbage
		}
		f.confirm(proofs)
	default:
		d := datum{h.Topic, h.ID}
		v := f.values[d]
		if v == nil {
			v = &value{datum: d}
			f.values[d] = v
		}
		if h.Seq > v.seq { // or else a repeated message
			v.seq, v.received, v.proof, v.body = h.Seq, h.Received, h.Proof, body
			f.apply(v)
		}
	}
	return nil
}

// confirm applies confirmations of values.
func (f *follower) confirm(proofs []proof) {
	for _, p := range proofs {
		d := datum{p.Topic, p.ID}
		v := f.values[d]
		if v == nil || v.seq != p.Seq || v.proof == 0 {
			continue // the value is not held, or cannot be confirmed
		}
		v.proof = max(v.proof, p.At)
		if v.body != nil {
			f.apply(v)
		} else if at, ok := f.ours(v.proof); ok {
			if id, c := f.id(d), carriers[d.topic]; id != marketcache.NoAsset {
				c.(prover).confirm(f.cache, id, at)
			}
		}
	}
}

// ours converts an Instant of the leader's clock to ours. The result may be earlier than the true one
// but never later, so that data never look fresher than they are. ok is false while the offset is
// unknown. A result in the future shows that a clock has stepped: the offset is then unknown again.
func (f *follower) ours(theirs marketcache.Instant) (at marketcache.Instant, ok bool) {
	now := marketcache.Now()
	minOffset, ok := f.clock.min(now)
	if at = theirs.Add(minOffset); ok && at > now {
		f.clock = offset{}
		marketcache.Signal(f.measure)
		return 0, false
	}
	// The clocks may have drifted apart since then.
	return max(at.Add(-driftOver(now.Sub(at))), 1), ok
}

// id returns our id of a datum's asset, 0 if the datum is about all assets.
func (f *follower) id(d datum) marketcache.AssetID {
	if d.topic < firstOfEach {
		return 0
	}
	return f.asset(d.id)
}

// asset returns our id of the leader's asset.
func (f *follower) asset(theirs marketcache.AssetID) marketcache.AssetID {
	if theirs < 0 || int(theirs) >= len(f.ids) {
		return marketcache.NoAsset
	}
	return f.ids[theirs]
}

// applyAll applies the values that could not be applied when they came.
func (f *follower) applyAll() {
	for _, v := range f.values {
		f.apply(v)
	}
}

// apply writes a value into the cache. It keeps the value for later while the clock offset or the asset
// is unknown, or a newer value is held.
func (f *follower) apply(v *value) {
	id := f.id(v.datum)
	named := f.ids != nil || v.topic < firstOfEach
	if _, known := f.ours(max(v.received, v.proof)); !known || !named || v.body == nil || id == marketcache.NoAsset {
		return
	}
	body := v.body
	v.body = nil
	switch applied, err := carriers[v.topic].apply(f, body, v, id); {
	case err != nil:
		f.r.count(&f.r.counts.Garbage, 1)
	case applied:
		v.applied = true
	default:
		v.body = body
	}
}

// adopt merges the leader's assets into our universe by name. Ids keep their meaning on both sides.
func (f *follower) adopt(theirs []*marketcache.Asset) {
	old := f.cache.Universe()
	all := slices.Clone(old.Assets)
	ids := make([]marketcache.AssetID, len(theirs))
	named := make(map[marketcache.AssetID]bool, len(theirs))
	for i, a := range theirs {
		if a.ID = old.LookupString(a.Name); a.ID == marketcache.NoAsset {
			a.ID = marketcache.AssetID(len(all))
			all = append(all, a)
		}
		all[a.ID], ids[i], named[a.ID] = a, a.ID, true
	}
	for id, a := range old.Assets {
		if !named[a.ID] && !a.Delisted {
			gone := *a
			gone.Delisted = true
			all[id] = &gone
		}
	}
	if !reflect.DeepEqual(all, old.Assets) && !f.cache.SetUniverse(marketcache.NewUniverse(all)) {
		f.r.log.Error("the leader has more assets than this cache holds", "assets", len(all))
		return
	}
	f.ids = ids
	f.applyAll()
}

// loadHistories requests the missing parts of histories, one after the other.
func (f *follower) loadHistories(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case d := <-f.lacks:
			for !f.loadHistory(ctx, d) && feed.Sleep(ctx, 2*askEvery) == nil {
			}
		}
	}
}

// loadHistory requests the missing values of one history and appends them, or replaces the whole
// history if the held values differ from the leader's. It returns false if it must be called again.
func (f *follower) loadHistory(ctx context.Context, d datum) bool {
	h := carriers[d.topic].(history)
	f.mu.Lock()
	epoch, id, v := f.epoch, f.id(d), f.values[d]
	whole := v != nil && v.whole
	var body json.RawMessage
	if v != nil {
		body = v.body
	}
	f.mu.Unlock()
	if id == marketcache.NoAsset || v == nil {
		return true // of an earlier epoch
	}
	put, err := h.load(f.cache, id, whole, func(from int64, page any) error {
		return f.r.ask(ctx, answerLimit, epoch, "history", historyQuestion{d.topic, d.id, from}, page)
	})
	if err != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.epoch != epoch || ctx.Err() != nil {
		return true
	}
	if v.whole = !put(); v.whole {
		return false
	}
	v.loading = false
	if len(v.body) > 0 && len(body) > 0 && &v.body[0] == &body[0] {
		v.body, v.applied = nil, true // the leader answered after that message
	}
	f.apply(v)
	return true
}

// followClock measures the offset to the leader's clock. Each request also tells the leader which
// assets callers wait for.
func (f *follower) followClock(ctx context.Context) error {
	for {
		pause := askEvery
		if f.askClock(ctx) {
			pause = clockEvery
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-f.measure:
		case <-f.cache.WantedAny():
		case <-time.After(pause):
		}
	}
}

// askClock measures the offset once; it returns false without an answer.
func (f *follower) askClock(ctx context.Context) bool {
	f.mu.Lock()
	epoch := f.epoch
	f.mu.Unlock()
	if epoch == 0 {
		return false
	}
	var wanted []string
	for _, a := range f.cache.Universe().Assets {
		if f.cache.Wanted(a.ID) {
			wanted = append(wanted, a.Name)
		}
	}
	var theirs marketcache.Instant
	sent := marketcache.Now()
	err := f.r.ask(ctx, clockEvery, epoch, "clock", wanted, &theirs)
	received := marketcache.Now()
	if err != nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.epoch == epoch {
		f.clock.add(sent, received, theirs)
		f.applyAll()
	}
	return true
}

const noLeader = "no leader of the shared feed is heard"

// beatAge returns the age of the newest heartbeat.
func (f *follower) beatAge(now marketcache.Instant) (age time.Duration, ok bool) {
	if f.beat.At == 0 {
		return 0, false
	}
	at, ok := f.ours(f.beat.At)
	return now.Sub(at), ok
}

// followVenue copies the venue's state from heartbeats; without heartbeats the venue is disconnected.
func (f *follower) followVenue(ctx context.Context) error {
	defer f.cache.Venue.Connected.Store(false)
	began := marketcache.Now()
	every(ctx, 50*time.Millisecond, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		now := marketcache.Now()
		age, known := f.beatAge(now)
		heard := known && age < silence
		venue, b := &f.cache.Venue, &f.beat
		venue.Connected.Store(heard && b.Connected)
		venue.BreakerOpen.Store(heard && b.Breaker)
		venue.MarkCadence.Store(int64(b.MarkCadence))
		venue.SlowCadence.Store(int64(b.SlowCadence))
		if !heard {
			if now.Sub(began) >= silence {
				venue.Failed(noLeader)
			}
			f.newTerm()
			return true
		}
		if last, ok := f.ours(b.LastMessage); ok && b.LastMessage != 0 {
			venue.LastMessage.Store(int64(last))
		}
		if at, ok := f.ours(b.FailedAt); ok && b.FailedAt != 0 {
			venue.LastError.Store(&marketcache.VenueFailure{Text: b.Failure, At: at})
		}
		venue.Clock.Set(b.VenueMs*1e6, now.Add(-age))
		f.r.mu.Lock()
		f.r.weight, f.r.spentAt = b.Weight, now.Add(-age)
		f.r.mu.Unlock()
		return true
	})
	return ctx.Err()
}

// newTerm ends the questions that wait for the leader's answer. The caller holds f.mu.
func (f *follower) newTerm() {
	f.end()
	f.term, f.end = context.WithCancel(context.Background())
}

// loadAccount reads a wallet through the leader.
func (f *follower) loadAccount(ctx context.Context, w marketcache.Wallet, needSetting marketcache.AssetID) (
	*marketcache.Account, error) {
	q := walletQuestion{Wallet: w}
	if asset := f.cache.Universe().Asset(needSetting); asset != nil {
		q.Setting = asset.Name
	}
	answer, epoch, err := f.askWallet(ctx, "wallet", q)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	a := &answer.Account
	if _, known := f.ours(a.Received); !known || f.epoch != epoch {
		return nil, unavailable("the leader of the shared feed has changed", nil)
	}
	if err := f.adapt(a); err != nil {
		return nil, unavailable("shared feed", err)
	}
	*a = replaceBound(*a, noBound, math.Inf(1))
	f.cache.StoreAccount(a)
	return a, nil
}
