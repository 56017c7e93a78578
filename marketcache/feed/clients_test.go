package feed

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// Questions of clients have a quarter of a minute's weight, and wallets are read beside them.
func TestClientsHaveAShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1200, nil)
		q.meter.halved = marketcache.Now() // which is negative in a bubble
		defer q.Close()
		taken := 0
		for begun := time.Now(); time.Since(begun) < 50*time.Second; time.Sleep(100 * time.Millisecond) {
			if q.Take(20) == 0 {
				taken += 20
			}
		}
		if taken != 300 || q.Weight().Clients != 300 {
			t.Errorf("questions of weight %d of 1,200 in a minute, %+v", taken, q.Weight())
		}
		wait := q.Take(2)
		if wait <= 0 || wait > 11*time.Second {
			t.Errorf("again after %v", wait)
		}
		read := Read{Class: ForWallet, Key: "a key", Weight: 44, Patience: time.Second}
		if _, err := q.Acquire(t.Context(), read); err != nil {
			t.Errorf("a wallet beside clients' questions: %v", err)
		}
		time.Sleep(wait)
		if again := q.Take(2); again != 0 {
			t.Errorf("after the wait again a wait of %v", again)
		}
	})
}

// While a read waits, clients do not ask; orders count, and what they take is missing to reads.
func TestClientsWaitForReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := NewQueue(1200, nil)
		q.meter.halved = marketcache.Now() // which is negative in a bubble
		defer q.Close()
		if q.SpentOrders(300); q.Weight().Clients != 300 {
			t.Errorf("%+v", q.Weight())
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go q.Acquire(ctx, Read{Class: ForWallet, Key: "a key", Weight: 44, Patience: 20 * time.Second})
		synctest.Wait()
		if wait := q.Take(2); wait == 0 {
			t.Error("a question before a read that waits")
		}
		q.Spent(1000)
		if wait := q.Take(2); wait < 30*time.Second {
			t.Errorf("after an answer with many rows again after %v", wait)
		}
	})
	if wait := NewQueue(0, nil).Take(60); wait != 0 {
		t.Errorf("without a limit: %v", wait)
	}
}
