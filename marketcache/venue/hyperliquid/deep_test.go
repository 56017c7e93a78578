package hyperliquid

import (
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// Books that are read on a schedule because no stream carries them: none is older than stated,
// while the reading rate rises through the phases of the warm-up, and after a restart all are read
// within 90 s.
func TestScheduledBooks(t *testing.T) {
	const books, budget = 154, 600
	f := recordedFeed(t)
	f.cfg.Budget = budget
	now := marketcache.Now()
	f.started = now.Add(10 * time.Hour) // no stream has had time to fall silent
	begin := func() *bookReader {
		r := newBookReader(f, budget)
		var ids []marketcache.AssetID
		for id := range marketcache.AssetID(books) {
			ids = append(ids, 1000+id)
		}
		r.schedule(ids, now)
		return r
	}
	follow := func(r *bookReader, p feed.Phase, spell time.Duration, read map[marketcache.AssetID]marketcache.Instant) {
		t.Helper()
		r.yield(p, now)
		for end := now.Add(spell); now < end; now = now.Add(200 * time.Millisecond) {
			for {
				b, ok := r.next(now)
				if !ok {
					break
				}
				read[b.id] = now
			}
			for id, every := range r.intervals() {
				if at, ok := read[id]; ok && now.Sub(at) > every {
					t.Fatalf("phase %d: book %d is %v old, renewed every %v", p, id, now.Sub(at), every)
				}
			}
		}
	}
	read := map[marketcache.AssetID]marketcache.Instant{}
	r := begin()
	follow(r, feed.FirstPass, 25*time.Minute, read)
	if len(read) != books {
		t.Errorf("%d books read in the first pass", len(read))
	}
	follow(r, feed.SecondPass, 20*time.Minute, read)
	follow(r, feed.Warm, 10*time.Minute, read)
	for id, at := range read {
		if age := now.Sub(at); age > 4*time.Minute {
			t.Errorf("book %d is %v old in a steady state", id, age)
		}
	}
	for _, p := range []feed.Phase{feed.SecondPass, feed.Warm} {
		read = map[marketcache.AssetID]marketcache.Instant{}
		if follow(begin(), p, 90*time.Second, read); len(read) != books {
			t.Errorf("phase %d: %d books read in 90 s", p, len(read))
		}
	}
}
