package watches

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ballast/internal/store"
)

// open returns a book on the database of a directory, as after a start, and what closes the database.
func (w *world) open(dir string) (b *Book, end func()) {
	w.t.Helper()
	db, err := store.OpenMain(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	b = w.book(NewLocal(db))
	if err := b.Load(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	return b, func() { db.Close() }
}

// judged has a result judged, as after a call.
func (w *world) judged(b *Book) {
	w.t.Helper()
	r, err := w.check(aWallet, "", false)
	if err != nil {
		w.t.Fatal(err)
	}
	b.Hear(context.Background(), r)
}

// posted posts what is due.
func (w *world) posted(b *Book) {
	for id, held := range b.watches {
		if due := held.due(); !due.IsZero() && !due.After(time.Now()) && b.take(held.record, 1) {
			b.post(context.Background(), id, held, held.record)
		}
	}
}

// TestRestart: a process that ends at any moment leaves behind what the next one needs, so that begin, turn and end
// are each told; one that was posted and not yet noted comes again with the same id.
func TestRestart(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	again := func(f func(b *Book)) {
		b, end := w.open(dir)
		defer end()
		f(b)
	}
	again(func(b *Book) { w.watch(b, "key_a", aWallet, aURL) })
	w.set(func() { w.score[aWallet] = 75 })
	again(w.judged) // it ends before the post
	again(w.posted)
	again(w.judged) // the breach stands
	again(w.posted)
	w.want("the begin", began)
	w.set(func() { w.score[aWallet] = 90 })
	again(w.judged)
	w.set(func() { w.down = errors.New("down") })
	again(w.posted)
	w.set(func() { w.down = nil })
	again(func(b *Book) {
		s, _ := b.Get(ID{"key_a", aWallet})
		if s.Misses != 1 || !s.RetryAt.After(time.Now().Add(time.Second)) || s.Waiting[0].Attempts != 1 {
			t.Errorf("the back-off is forgotten: %+v", s.Record)
		}
		held := b.watches[s.ID()]
		_ = b.postSome(context.Background(), held.record, map[string]bool{}) // and ends before that is noted
	})
	w.want("the turn", began, turned)
	w.set(func() { w.score[aWallet] = 10 })
	again(w.judged)
	again(func(b *Book) {
		_, err := b.edit(t.Context(), ID{"key_a", aWallet}, func(now *Record) (*Record, error) {
			next := now.clone()
			next.RetryAt = time.Time{}
			return next, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	again(w.posted)
	w.want("the end", began, turned, turned, ended+"critical")
	if w.got[1].id != w.got[2].id || w.got[0].id == w.got[1].id {
		t.Errorf("%v", w.got)
	}
	again(w.posted)
	again(w.judged)
	w.want("nothing more", began, turned, turned, ended+"critical")
}

const killedDir = "WATCHES_TEST_DIR"

// TestKilledChild is a process that finds a breach and is killed when it posts.
func TestKilledChild(t *testing.T) {
	dir := os.Getenv(killedDir)
	if dir == "" {
		return // it is for TestKilled
	}
	w := newWorld(t)
	b, _ := w.open(dir)
	w.set(func() { w.score[aWallet] = 75 })
	w.judged(b)
	if err := os.WriteFile(filepath.Join(dir, "posting"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Minute)
}

// TestKilled: a process that is killed when it is about to post has kept what it found.
func TestKilled(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	b, end := w.open(dir)
	w.watch(b, "key_a", aWallet, aURL)
	end()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
	child.Env = append(os.Environ(), killedDir+"="+dir)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for stop := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "posting")); err == nil {
			break
		}
		if time.Now().After(stop) {
			t.Fatal("the child does not come to the post")
		}
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	b, end = w.open(dir)
	defer end()
	w.set(func() { w.score[aWallet] = 75 })
	w.judged(b)
	w.posted(b)
	w.judged(b)
	w.posted(b)
	w.want("told once", began)
}

// TestNotKept: what cannot be kept is not posted, and is posted when it can be kept; what was posted and cannot be
// noted is not posted again by the same process.
func TestNotKept(t *testing.T) {
	w := newWorld(t)
	full := &fullStore{}
	b := New(Config{Store: full, Post: w.post, AllowPrivate: true, Log: slog.New(slog.DiscardHandler)})
	w.watch(b, "key_a", aWallet, aURL)
	full.err = errors.New("the disk is full")
	w.set(func() { w.score[aWallet] = 75 })
	w.judged(b)
	w.posted(b)
	if w.want("nothing is kept"); b.Health().Trouble == "" {
		t.Error("it is not said that nothing can be kept")
	}
	full.err = nil
	w.judged(b)
	full.err = errors.New("the disk is full")
	w.posted(b)
	w.posted(b)
	w.want("posted once", began)
	full.err = nil
	b.watches[ID{"key_a", aWallet}].later = time.Time{}
	w.posted(b)
	w.want("and noted", began)
	if s, _ := b.Get(ID{"key_a", aWallet}); len(s.Waiting) > 0 || s.Posted != 1 || b.Health().Trouble != "" {
		t.Errorf("%+v", s.Record)
	}
}

// fullStore is a store that may take no changes.
type fullStore struct {
	Memory
	err error
}

func (s *fullStore) Edit(ctx context.Context, id ID, f func(*Record) (*Record, error)) (*Record, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.Memory.Edit(ctx, id, f)
}

// TestHandover: two replicas on the same records, one of which has the lease at a time, tell everything once.
func TestHandover(t *testing.T) {
	w, shared := newWorld(t), &Memory{}
	a, b := w.book(shared), w.book(shared)
	w.watch(a, "key_a", aWallet, aURL)
	turn := func(one, other *Book) {
		t.Helper()
		if err := one.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.judged(one)
		w.judged(other) // which does not know yet that it has lost the lease, nor what the other has found
		w.posted(one)
	}
	for i, score := range []float64{75, 75, 90, 90, 50, 50} {
		w.set(func() { w.score[aWallet] = score })
		if i%2 == 0 {
			turn(a, b)
		} else {
			turn(b, a)
		}
	}
	w.want("two replicas", began, turned, ended+"critical")
}

var _ Store = (*Local)(nil)
