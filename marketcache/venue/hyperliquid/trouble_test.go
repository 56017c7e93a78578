package hyperliquid

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// A dex that the venue does not list is refused once, with the names of those that it has.
func TestNoSuchDex(t *testing.T) {
	var refused []string
	play(t, func(v *fakeVenue, cfg *Config) {
		twoDexes(v, cfg)
		cfg.Dexes = []string{MainDex, "io", "xys"}
		cfg.NoDex = func(err error) { refused = append(refused, err.Error()) }
	}, func(s scene) {
		time.Sleep(2 * dexsEvery)
		const want = `the venue has no dex "xys", did you mean xyz; it has main, xyz, io`
		if len(refused) != 1 || refused[0] != want {
			s.Errorf("refused: %q", refused)
		}
	})
}

// Without a connection every failure names its cause and for how long there has been none, also the requests that
// are not sent because the venue keeps failing.
func TestNoConnection(t *testing.T) {
	play(t, func(_ *fakeVenue, cfg *Config) {
		cfg.Dial = func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "venue"}}
		}
	}, func(s scene) {
		time.Sleep(33 * time.Second)
		now := marketcache.Now()
		last := s.cache.Venue.LastError.Load()
		if last == nil || !strings.HasSuffix(last.Text, ": no such host venue") || now.Sub(last.At) > 10*time.Second {
			s.Fatalf("last failure: %+v", last)
		}
		const want = "no connection to the venue since 33 s: "
		if got := s.cache.Venue.Trouble(now); !strings.HasPrefix(got, want) {
			s.Error(got)
		}
		var err error // of a request that comes during a pause
		for range 100 {
			g, refused := s.f.queue.Acquire(s.Context(), feed.Read{Class: feed.ForStart, Weight: 2})
			if err = refused; err != nil {
				break
			}
			g.Release()
			time.Sleep(100 * time.Millisecond)
		}
		if err == nil || !strings.Contains(err.Error(), "no connection to the venue since ") {
			s.Errorf("a request that is not sent: %v", err)
		}
	})
}

// The weight of requests is told by what they read, and no text tells a user or a password of the address.
func TestWeightByKind(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		cfg.Budget, cfg.BaseURL = 600, "http://user:secret@venue"
		v.limit = 600
	}, func(s scene) {
		time.Sleep(3 * time.Minute)
		w := s.f.Stats().Weight
		if w.Limit != 600 || w.Tables == 0 || w.Wallets != 0 || w.Sum() > 600 {
			s.Errorf("%+v", w)
		}
		s.v.script(func() { s.v.down = true })
		time.Sleep(time.Minute)
		if last := s.cache.Venue.LastError.Load(); last == nil || strings.Contains(last.Text, "secret") {
			s.Errorf("last failure: %+v", last)
		}
	})
}
