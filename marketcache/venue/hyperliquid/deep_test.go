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
	const all, budget = 154, 600
	f := recordedFeed(t)
	f.cfg.Budget = budget
	now := marketcache.Now()
	f.started = now.Add(10 * time.Hour) // no stream has had time to fall silent
	begin := func(books marketcache.AssetID) *bookReader {
		r := newBookReader(f)
		var ids []marketcache.AssetID
		for id := range books {
			ids = append(ids, 1000+id)
		}
		r.schedule(ids, now)
		return r
	}
	follow := func(r *bookReader, p feed.Phase, spell time.Duration,
		read map[marketcache.AssetID]marketcache.Instant) (reads int) {
		t.Helper()
		r.during(p, now)
		for end := now.Add(spell); now < end; now = now.Add(200 * time.Millisecond) {
			for {
				id, _, ok := r.next(now)
				if !ok {
					break
				}
				read[id] = now
				reads++
			}
			for id, every := range r.intervals() {
				if at, ok := read[id]; ok && now.Sub(at) > every {
					t.Fatalf("phase %d: book %d is %v old, renewed every %v", p, id, now.Sub(at), every)
				}
			}
		}
		return reads
	}
	about := func(what string, got, want int) {
		t.Helper()
		if got < want*8/10 || got > want*12/10 {
			t.Errorf("%s: %d reads, want about %d", what, got, want)
		}
	}
	read := map[marketcache.AssetID]marketcache.Instant{}
	r := begin(all)
	about("in the first pass", follow(r, feed.FirstPass, 25*time.Minute, read), 25*budget/6/bookWeight/4)
	if len(read) != all {
		t.Errorf("%d books read in the first pass", len(read))
	}
	follow(r, feed.SecondPass, 20*time.Minute, read)
	about("in a steady state", follow(r, feed.Warm, 10*time.Minute, read), 10*budget/6/bookWeight)
	few := map[marketcache.AssetID]marketcache.Instant{}
	about("of five books", follow(begin(5), feed.Warm, 10*time.Minute, few), 5*60)
	now = now.Add(-10 * time.Minute)
	for id, at := range read {
		if age := now.Sub(at); age > 4*time.Minute {
			t.Errorf("book %d is %v old in a steady state", id, age)
		}
	}
	for _, p := range []feed.Phase{feed.SecondPass, feed.Warm} {
		read = map[marketcache.AssetID]marketcache.Instant{}
		if follow(begin(all), p, 90*time.Second, read); len(read) != all {
			t.Errorf("phase %d: %d books read in 90 s", p, len(read))
		}
	}
}

// TestBooksAfterSilence: when the venue answers again after a silence, its streams bring the books; they are not all
// read by REST first.
func TestBooksAfterSilence(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) { v.assets, cfg.Budget = many(40), 6000 }, func(s scene) {
		time.Sleep(time.Minute)
		s.v.script(func() { silences["mute, REST fails"](s.v) })
		time.Sleep(35 * time.Second)
		before := s.v.count("l2Book")
		s.v.speaks()
		s.within(10*time.Second, "all books", func() bool {
			for id := range marketcache.AssetID(40) {
				if age := s.bookAge(id); age < 0 || age > 2*time.Second {
					return false
				}
			}
			return true
		})
		if n := s.v.count("l2Book") - before; n > 4 {
			t.Errorf("%d books were read by REST", n)
		}
	})
}
