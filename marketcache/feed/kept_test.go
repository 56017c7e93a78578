package feed

import (
	"errors"
	"fmt"
	"sync"
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
						q.spend(t, Read{Class: ForWallet, Key: fmt.Sprint("greedy ", i), Weight: 50,
							Patience: time.Second})
					})
				}
			}
			polled := 0
			if c.poll > 0 {
				repeat(c.poll, func() {
					if q.spend(t, Read{Class: ForWallet, Key: "polite", Weight: 4, Last: marketcache.Now(),
						Patience: time.Second}) == nil {
						polled++
					}
				})
			}
			told := 0
			repeat(c.fresh, func() {
				for try := range 2 {
					err := q.spend(t, Read{Class: ForWallet, Key: "polite", Weight: 50, Patience: time.Second})
					if err == nil {
						return
					}
					wait, _ := marketcache.RetryAfter(err)
					if !errors.Is(err, marketcache.ErrShare) || wait > 30*time.Second || try > 0 {
						t.Errorf("%+v: try %d: %v, wait %v", c, try, err, wait)
					}
					told++
					time.Sleep(wait.Truncate(time.Second) + time.Second) // Retry-After has whole seconds
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
