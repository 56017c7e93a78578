package feed

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
)

// Beside greedy keys, a key that has less than its equal part polls one wallet and asks for new ones: each new one is
// read at once or when it was told.
func TestNewWalletsBesideGreedyKeys(t *testing.T) {
	for _, c := range []struct {
		greedy      int
		poll, fresh time.Duration
	}{
		{1, 2 * time.Second, 40 * time.Second},
		{1, 0, 20 * time.Second},
		{3, 6 * time.Second, 75 * time.Second},
		{3, 0, 40 * time.Second},
	} {
		withQueue(t, func(t *testing.T, q *Queue) {
			stop := make(chan struct{})
			var wg sync.WaitGroup
			repeat := func(every time.Duration, ask func()) {
				wg.Go(func() {
					for tick := time.NewTicker(every); ; {
						select {
						case <-tick.C:
							ask()
						case <-stop:
							return
						}
					}
				})
			}
			for i := range c.greedy {
				for range 3 {
					repeat(190*time.Millisecond, func() {
						q.spend(t, first(fmt.Sprint("greedy ", i), new(atomic.Bool)))
					})
				}
			}
			polled := 0
			if c.poll > 0 {
				repeat(c.poll, func() {
					if q.spend(t, Read{Class: ForKnown, Key: "polite", Weight: 4, Last: marketcache.Now(),
						Patience: time.Second}) == nil {
						polled++
					}
				})
			}
			told := 0
			repeat(c.fresh, func() {
				if q.newcomer(t, "polite") {
					told++
				}
			})
			time.Sleep(10 * time.Minute)
			close(stop)
			wg.Wait()
			t.Logf("%+v: told %d times to wait", c, told)
			if c.poll > 0 && polled < int(9*time.Minute/c.poll) {
				t.Errorf("%+v: polled %d times in ten minutes", c, polled)
			}
		})
	}
}

// Callers who come one after another, each with a key of its own, are each served at once or when told, whether
// those before come again or not.
func TestNewcomers(t *testing.T) {
	for _, every := range []time.Duration{3 * time.Second, 8 * time.Second, 20 * time.Second} {
		withQueue(t, func(t *testing.T, q *Queue) {
			stop := make(chan struct{})
			var wg sync.WaitGroup
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(30 * time.Millisecond):
						q.spend(t, first("greedy", new(atomic.Bool)))
					}
				}
			})
			time.Sleep(10 * time.Second)
			for i := range 8 {
				wg.Go(func() { q.newcomer(t, fmt.Sprint("new ", i)) })
				wg.Go(func() { q.spend(t, first(fmt.Sprint("gone ", i), new(atomic.Bool))) })
				time.Sleep(every)
			}
			time.Sleep(2 * time.Minute)
			close(stop)
			wg.Wait()
		})
	}
}

// first is a wallet's first read; read tells that it was made later.
func first(key string, read *atomic.Bool) Read {
	return Read{Class: ForWallet, Key: key, Weight: 50, Patience: time.Second, Later: func(g *Grant) {
		g.Settle(50, 50)
		read.Store(true)
	}}
}

// newcomer asks for a new wallet, and again when told, and fails the test if it is refused twice. It reports whether it
// was told to wait.
func (q *Queue) newcomer(t *testing.T, key string) (told bool) {
	var read atomic.Bool
	err := q.spend(t, first(key, &read))
	if err == nil {
		return false
	}
	wait, _ := marketcache.RetryAfter(err)
	time.Sleep(wait.Truncate(time.Second) + time.Second) // Retry-After has whole seconds
	if !errors.Is(err, marketcache.ErrShare) || wait > 4*time.Minute || !read.Load() {
		t.Errorf("%s: %v, wait %v, then read: %v", key, err, wait, read.Load())
	}
	return true
}
