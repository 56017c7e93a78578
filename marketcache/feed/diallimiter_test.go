package feed

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// Ten sockets lose their connection in outages of various lengths: no minute has more attempts than
// the limit, one probe is sent every three to six seconds, and all sockets are connected within
// seconds after the outage.
func TestDialLimiter(t *testing.T) {
	const sockets, perMinute = 10, 30
	for _, outage := range []time.Duration{4 * time.Second, 50 * time.Second, 10 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			var venue marketcache.VenueStatus
			d := NewDialLimiter(&venue, perMinute, sockets)
			var mu sync.Mutex
			var attempts []time.Time
			down := true
			connect := func() bool {
				mu.Lock()
				defer mu.Unlock()
				attempts = append(attempts, time.Now())
				return !down
			}
			ctx, cancel := context.WithCancel(t.Context())
			for range sockets {
				go oneSocket(ctx, d, connect)
			}
			time.Sleep(outage)
			mu.Lock()
			down = false
			if n := len(attempts); n < int(outage/(2*ProbeEvery)) ||
				n > int(outage/ProbeEvery)+perMinute/3 {
				t.Errorf("%d attempts in an outage of %v", n, outage)
			}
			mu.Unlock()
			time.Sleep(8 * time.Second)
			if d.Connected() != sockets || !venue.Connected.Load() {
				t.Errorf("%d sockets are up 8 s after an outage of %v", d.Connected(), outage)
			}
			for i, at := range attempts {
				if i >= perMinute && at.Sub(attempts[i-perMinute]) <= time.Minute {
					t.Errorf("outage of %v: more than %d attempts in the minute before attempt %d", outage, perMinute,
						i)
				}
			}
			cancel()
			synctest.Wait()
			if d.Connected() != 0 || venue.Connected.Load() {
				t.Errorf("%d sockets are up at the end", d.Connected())
			}
		})
	}
}

// oneSocket connects as an adapter's socket does, and stays up.
func oneSocket(ctx context.Context, d *DialLimiter, connect func() bool) {
	for failures := 1; ; failures++ {
		prober, err := d.Acquire(ctx)
		if err != nil {
			return
		}
		if connect() {
			d.Opened()
			if prober {
				d.ReleaseProber()
			}
			for Sleep(ctx, time.Second) == nil {
				d.Received(marketcache.Now())
			}
			d.Closed()
			return
		}
		pause := BackoffMin
		if !prober {
			pause = Backoff(failures)
		}
		select {
		case <-time.After(pause):
		case <-d.Back():
		}
		if prober {
			d.ReleaseProber()
		}
	}
}

// A socket that waits to probe because the remaining attempts are reserved for other sockets
// connects at once when another socket receives data.
func TestProberConnectsWhenTheVenueIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		var venue marketcache.VenueStatus
		d := NewDialLimiter(&venue, 30, 10)
		for range 21 { // uses up all attempts available to a prober
			d.limit.Acquire(marketcache.Now(), 1, 0)
		}
		began := time.Now()
		waited := make(chan time.Duration)
		go func() {
			d.Acquire(t.Context())
			waited <- time.Since(began)
		}()
		time.Sleep(10 * time.Second)
		d.Opened()
		d.Received(marketcache.Now())
		if w := <-waited; w < 10*time.Second || w > 10*time.Second+proberPoll {
			t.Errorf("connects %v after the venue was back", w-10*time.Second)
		}
	})
}

// Backoff has a wait for any number of failures, also before the first, when the end of the feed is near.
func TestBackoff(t *testing.T) {
	for _, n := range []int{0, 1, 5, 1000} {
		if wait := Backoff(n); wait <= 0 || wait > backoffMax+time.Second {
			t.Errorf("%v after %d failures", wait, n)
		}
	}
}
