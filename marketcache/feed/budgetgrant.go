package feed

import (
	"context"
	"slices"
	"time"

	"ballast/marketcache"
)

// Grant is granted weight that is not settled yet.
type Grant struct {
	b      *Budget
	kind   kind
	weight int
	second int64 // second of the log that holds the weight
	probe  bool  // this is the single request after a pause
}

// Acquire waits until weight is granted; the caller must settle or release all of it. It fails with
// marketcache.ErrBudget when the weight can never fit, when ctx ends first, or when the wait would
// exceed patience (negative: no bound but ctx), and with marketcache.ErrUnavailable after Close.
func (b *Budget) Acquire(ctx context.Context, p Priority, weight int, patience time.Duration) (*Grant, error) {
	if weight > b.Largest(p) {
		return nil, &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: budgetWindow, Detail: "one request weighs more than the budget"}
	}
	w, err := b.enqueue(p, weight, patience)
	if err != nil {
		return nil, err
	}
	if len(w.granted) == 0 && patience >= 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	select {
	case g := <-w.granted:
		return g, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.remove(p, w) { // granted in the meantime
		b.settle(<-w.granted, weight, 0)
	}
	now := marketcache.Now()
	b.serve(now)
	return nil, &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: b.wait(p, weight, now), Err: context.Cause(ctx)}
}

// enqueue adds a request to the queue and serves the queue. It refuses a request whose estimated
// wait exceeds its patience.
func (b *Budget) enqueue(p Priority, weight int, patience time.Duration) (*waiter, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, &marketcache.VenueError{Kind: marketcache.ErrUnavailable, Detail: "shutting down"}
	}
	w := &waiter{weight: weight, granted: make(chan *Grant, 1)}
	b.waiting[p] = append(b.waiting[p], w)
	now := marketcache.Now()
	b.serve(now)
	if len(w.granted) == 0 && patience >= 0 {
		ahead := 0 // weight of the queue up to and including this request
		for _, o := range slices.Concat(b.waiting[:p+1]...) {
			ahead += o.weight
		}
		if wait := b.wait(p, ahead, now); wait > patience {
			b.remove(p, w)
			return nil, &marketcache.VenueError{Kind: marketcache.ErrBudget, Wait: wait}
		}
	}
	return w, nil
}

// remove takes w out of the queue and reports whether it was still there.
func (b *Budget) remove(p Priority, w *waiter) bool {
	n := len(b.waiting[p])
	b.waiting[p] = slices.DeleteFunc(b.waiting[p], func(o *waiter) bool { return o == w })
	return len(b.waiting[p]) < n
}

// serve grants weight to waiters in order while it fits, and sets the timer for the next change.
func (b *Budget) serve(now marketcache.Instant) {
	b.roll(now)
	if len(b.waiting[ForWanted])+len(b.waiting[ForWarmUp]) > 0 {
		b.firstHistory = now
	}
	for p := range priorities {
		for len(b.waiting[p]) > 0 && !b.paused(p, now) {
			w := b.waiting[p][0]
			if b.limit != 0 && b.overOwn(p, w.weight, now) > 0 {
				break // lower priorities cannot take what it waits for
			}
			if !b.fits(p, w.weight, now) {
				b.arm(now)
				return
			}
			b.waiting[p] = b.waiting[p][1:]
			w.granted <- b.grant(p.kind(), w.weight, now)
		}
	}
	b.arm(now)
}

func (b *Budget) grant(k kind, weight int, now marketcache.Instant) *Grant {
	b.counts[k] += weight
	if k == historyKind && b.limit != 0 {
		b.paced = max(b.paced, now).Add(b.pace(weight))
	}
	r := &b.refusals[k]
	r.probing = r.n > 0
	g := &Grant{b: b, kind: k, weight: weight, probe: r.probing}
	if b.limit != 0 {
		g.second = b.log.spend(weight, time.Now())
	}
	return g
}

// arm sets the timer to the earliest time at which the first waiter, or a paused one, can be served.
func (b *Budget) arm(now marketcache.Instant) {
	soonest := marketcache.Forever
	for p := range priorities {
		if len(b.waiting[p]) == 0 {
			continue
		}
		soonest = min(soonest, max(b.wait(p, b.waiting[p][0].weight, now), time.Millisecond))
		if !b.paused(p, now) && b.overOwn(p, b.waiting[p][0].weight, now) <= 0 {
			break
		}
	}
	if b.timer != nil {
		b.timer.Stop()
	}
	if soonest < marketcache.Forever {
		b.timer = time.AfterFunc(soonest, b.wake)
	}
}

func (b *Budget) wake() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.serve(marketcache.Now())
	}
}

// wait estimates the time until weight fits if no other request spends any.
func (b *Budget) wait(p Priority, weight int, now marketcache.Instant) time.Duration {
	r := &b.refusals[p.kind()]
	switch {
	case r.n > 0 && now < r.until:
		return r.until.Sub(now)
	case r.probing:
		return probeAgain
	case b.fits(p, weight, now):
		return 0
	}
	own, counts := b.overOwn(p, weight, now), b.counts
	if own <= 0 && b.over(p, weight, counts, now) <= 0 {
		return max(b.paced.Sub(now)-paceBurst, 100*time.Millisecond) // or until reads slow down, or weight comes free
	}
	for _, s := range b.spent {
		counts[s.kind] -= s.weight
		if s.kind == walletKind {
			own -= s.weight
		}
		if own <= 0 && b.over(p, weight, counts, now) <= 0 {
			wait := s.at.Add(budgetWindow + time.Millisecond).Sub(now)
			if now < b.halvedUntil {
				wait = min(wait, b.halvedUntil.Sub(now))
			}
			return max(wait, time.Millisecond)
		}
	}
	return time.Second // the missing weight is held by requests in flight
}

// settle ends a part of a grant: of the reserved weight, weighed was spent and the rest is free
// again.
func (b *Budget) settle(g *Grant, reserved, weighed int) {
	g.weight -= reserved
	b.counts[g.kind] += weighed - reserved
	if g.kind == historyKind && b.limit != 0 {
		b.paced = b.paced.Add(-b.pace(reserved - weighed))
	}
	if weighed > 0 {
		b.spent = append(b.spent, spending{marketcache.Now(), g.kind, weighed})
	}
	b.log.refund(g.second, reserved-weighed)
	if g.probe && g.weight <= 0 {
		b.refusals[g.kind].probing = false
	}
}

// Settle ends a request that used the part reserved of the grant; its actual weight is weighed.
func (g *Grant) Settle(reserved, weighed int) {
	b := g.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settle(g, reserved, weighed)
	b.serve(marketcache.Now())
}

// Unsettled returns the granted weight that is not settled yet.
func (g *Grant) Unsettled() int {
	g.b.mu.Lock()
	defer g.b.mu.Unlock()
	return g.weight
}

// Release gives the unsettled weight of a grant back to the budget.
func (g *Grant) Release() {
	if g.weight > 0 {
		g.Settle(g.weight, 0)
	}
}
