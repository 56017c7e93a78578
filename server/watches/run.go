package watches

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"ballast/internal/printable"
	"ballast/server/alerts"
)

const (
	// maxChecks is how many monitor calls run at once.
	maxChecks = 4
	// maxPosts is how many posts run at once; of them maxPostsOfKey of one key and maxPostsOfHost to one host, so
	// that a receiver that is slow costs others nothing.
	maxPosts, maxPostsOfKey, maxPostsOfHost = 64, 8, 2
	// maxInRow is how many events of a watch are posted before that is kept: after a crash as many may come again.
	maxInRow = 16
	// heldEvery is how often it is looked whether this replica makes the calls.
	heldEvery = time.Second
	// callAgain is the longest pause after a monitor call that failed.
	callAgain = time.Minute
	// keepAgain is the pause after a change could not be kept.
	keepAgain = 5 * time.Second
	// spreadFirst is the time over which the first calls after a start are spread.
	spreadFirst = 10 * time.Second
)

// Run makes calls and posts until ctx ends. It waits for those that run.
func (b *Book) Run(ctx context.Context, check Check) {
	var running sync.WaitGroup
	defer running.Wait()
	b.spread()
	for {
		timer := time.NewTimer(b.begin(ctx, &running, check))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-b.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// spread spreads the first calls of the watches that were read at the start.
func (b *Book) spread() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, i := time.Now(), 0
	for _, w := range b.wallets {
		w.next = now.Add(spreadFirst * time.Duration(i) / time.Duration(len(b.wallets)))
		i++
	}
}

// begin begins what is due, and returns the time until something may be.
func (b *Book) begin(ctx context.Context, running *sync.WaitGroup, check Check) (wait time.Duration) {
	if !b.cfg.Held() {
		return heldEvery
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	next := now.Add(heldEvery)
	for name, w := range b.wallets {
		switch {
		case w.running || b.cfg.Revoked(w.key): // then the watch ends, and the wallet may have another key
		case w.next.After(now):
			next = minTime(next, w.next)
		case b.checks < maxChecks: // or else when one of them ends
			b.checks++
			w.running = true
			if w.next = w.next.Add(w.every); w.next.Before(now) {
				w.next = now.Add(w.every)
			}
			key, spare := w.key, w.calls.Failures == 0
			running.Go(func() {
				b.call(ctx, name, w, func() (*alerts.Result, error) { return check(name, key, spare) })
			})
		}
	}
	for id, w := range b.watches {
		switch due := w.due(); {
		case b.cfg.Revoked(id.Key):
			if !w.ending && !w.later.After(now) {
				w.ending = true
				running.Go(func() { b.revoke(ctx, id, w) })
			}
		case due.IsZero() || w.posting:
		case due.After(now):
			next = minTime(next, due)
		case b.take(w.record, 1):
			w.posting = true
			record := w.record // as it is now: somebody may change it before the post begins
			running.Go(func() { b.post(ctx, id, w, record) })
		}
	}
	return next.Sub(now)
}

// due returns when the first event of a watch is to be posted, the zero time if none waits.
func (w *watch) due() time.Time {
	if r := w.record; r.Webhook != nil && len(r.Waiting) > 0 {
		due := r.Waiting[0].QueuedAt
		for _, t := range []time.Time{r.RetryAt, w.later} {
			if t.After(due) {
				due = t
			}
		}
		return due
	}
	return time.Time{}
}

// take takes (n 1) or gives back (n -1) the room for a post of a watch, and reports whether there is any. The caller
// holds mu.
func (b *Book) take(r *Record, n int) bool {
	host := "//"
	if u, err := url.Parse(r.Webhook.URL); err == nil {
		host += u.Host
	}
	if n > 0 && (b.posts >= maxPosts || b.busy[r.Key] >= maxPostsOfKey || b.busy[host] >= maxPostsOfHost) {
		return false
	}
	b.posts += n
	for _, name := range []string{r.Key, host} {
		if b.busy[name] += n; b.busy[name] == 0 {
			delete(b.busy, name)
		}
	}
	return true
}

// call makes a monitor call for a wallet, and has its watches judge the result.
func (b *Book) call(ctx context.Context, name string, w *wallet, check func() (*alerts.Result, error)) {
	var result *alerts.Result
	err := b.log.Guard("watch", func() (err error) {
		result, err = check()
		return err
	})
	ending := errors.Is(err, ErrEnding) || ctx.Err() != nil
	if !ending {
		b.note(name, w, err)
		if err == nil && b.cfg.Held() {
			_ = b.log.Guard("watch", func() error { b.Hear(ctx, result); return nil })
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.checks--
	w.running = false
	if err != nil {
		w.next = minTime(w.next, time.Now().Add(callAgain))
	}
	b.poke()
}

// note notes how a call went, and keeps that when it is news for other replicas.
func (b *Book) note(name string, w *wallet, err error) {
	now := time.Now().UTC()
	b.Stats.Calls.Add(1)
	b.mu.Lock()
	was := w.calls
	w.calls.At = now
	if err == nil {
		w.calls.GoodAt, w.calls.Failures, w.calls.Error = now, 0, ""
	} else {
		b.Stats.CallsFailed.Add(1)
		w.calls.Failures++
		w.calls.Error = printable.Start([]byte(err.Error()), 300)
	}
	calls := w.calls
	share := b.cfg.ShareEvery > 0 && (now.Sub(w.sharedAt) >= b.cfg.ShareEvery || (was.Failures == 0) != (err == nil))
	if share {
		w.sharedAt = now
	}
	b.mu.Unlock()
	if err != nil && calls.Failures == 1 {
		b.log.Warn("the monitor call of a watch failed", "wallet", name, "error", calls.Error)
	}
	if !share {
		return
	}
	for _, id := range b.idsOf(name) {
		_ = b.change(context.Background(), id, func(now *Record) *Record { // if not: with the next one
			next := now.clone()
			next.Calls = calls
			return next
		})
	}
}

// idsOf returns the watches of a wallet.
func (b *Book) idsOf(name string) (ids []ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range b.watches {
		if id.Wallet == name {
			ids = append(ids, id)
		}
	}
	return ids
}

// Hear has the watches of a wallet judge a result. What changes is kept; the posts follow from what is kept.
func (b *Book) Hear(ctx context.Context, result *alerts.Result) {
	at := time.Now()
	for _, id := range b.idsOf(result.Wallet) {
		if s, ok := b.Get(id); !ok || s.after(result, at) == s.Record {
			continue
		}
		var dead uint64
		err := b.change(ctx, id, func(now *Record) *Record {
			next := now.after(result, at)
			dead = next.DeadTotal - now.DeadTotal
			return next
		})
		b.Stats.Dead.Add(dead)
		if err != nil {
			b.log.Warn("what a watch found cannot be kept, so it is not posted; the next call tries again", "wallet",
				result.Wallet, "error", err)
		}
	}
}

// revoke removes a watch whose key was revoked.
func (b *Book) revoke(ctx context.Context, id ID, w *watch) {
	found, err := b.Remove(ctx, id)
	if found {
		b.log.Log.Info("a watch has ended: its key was revoked", "wallet", id.Wallet, "key", id.Key)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if w.ending = false; err != nil {
		w.later = time.Now().Add(keepAgain)
	}
}

// post posts the events of a watch that wait, in their order, until one fails.
func (b *Book) post(ctx context.Context, id ID, w *watch, r *Record) {
	b.mu.Lock()
	done := w.posted
	b.mu.Unlock()
	if done == nil {
		done = map[string]bool{}
	}
	var failure error
	_ = b.log.Guard("webhook", func() error { failure = b.postSome(ctx, r, done); return nil })
	kept := true
	if len(done) > 0 || failure != nil {
		kept = b.keepPosted(id, done, failure)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.take(r, -1)
	w.posting = false
	if w.posted = nil; !kept {
		w.posted, w.later = done, time.Now().Add(keepAgain)
	}
	b.poke()
}

// postSome posts events until one fails, and adds their ids to done.
func (b *Book) postSome(ctx context.Context, r *Record, done map[string]bool) error {
	for i := range r.Waiting[:min(len(r.Waiting), maxInRow)] {
		e := &r.Waiting[i]
		if done[e.ID] {
			continue
		}
		if !b.cfg.Held() || ctx.Err() != nil {
			return nil
		}
		err := b.cfg.Post(ctx, r.Webhook, e.ID, e.body(r.Wallet))
		if ctx.Err() != nil && err != nil {
			return nil // it was not the receiver
		}
		b.Stats.Posts.Add(1)
		if err != nil {
			b.Stats.PostsFailed.Add(1)
			return err
		}
		done[e.ID] = true
	}
	return nil
}

// keepPosted keeps which events were posted and why the next one was not. It reports whether it could, also when the
// service is ending.
func (b *Book) keepPosted(id ID, done map[string]bool, failure error) bool {
	var dead uint64
	err := b.change(context.Background(), id, func(now *Record) *Record {
		next := now.posted(done, failure, time.Now())
		dead = next.DeadTotal - now.DeadTotal
		return next
	})
	if err != nil {
		b.log.Warn("it cannot be kept that events were posted, or were not; trying on", "error", err)
		return false
	}
	b.Stats.Dead.Add(dead)
	if failure != nil {
		b.log.Warn("a webhook was not taken", "wallet", id.Wallet, "key", id.Key, "error", failure, "gave_up", dead)
	}
	return true
}
