package hyperliquid

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// scene is a feed connected to a fake venue.
type scene struct {
	*testing.T
	v     *fakeVenue
	f     *Feed
	cache *marketcache.Cache
}

var smallCache = marketcache.Limits{Assets: 512, Bars: 6000, Rows: 800, Samples: 1440, Wallets: 256}

// takesLong skips a test that takes seconds, under the race detector up to a minute.
func takesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
}

// twoDexes adds two builder-deployed dexes with an asset each.
func twoDexes(v *fakeVenue, cfg *Config) {
	v.assets, v.dexes = append(v.assets, "xyz:D", "io:E"), []string{"xyz", "io"}
	v.every, cfg.Dexes = 8*time.Second, []string{AllDexes}
}

// toTheFuture advances the virtual clock of a synctest bubble, which starts in 2000, past the start
// of the process: otherwise Instants would be negative.
func toTheFuture() { time.Sleep(time.Until(time.Date(2040, 1, 1, 0, 30, 0, 0, time.UTC))) }

// play runs a script against a feed in a synctest bubble. setup runs before the feed is created.
// When the script ends, the feed is stopped; a goroutine left running fails the test, because the
// bubble cannot end.
func play(t *testing.T, setup func(v *fakeVenue, cfg *Config), script func(s scene)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		v := newFakeVenue(t, "A", "B", "C")
		cfg := Config{BaseURL: "http://venue", Budget: -1, Logger: slog.New(slog.DiscardHandler), Dial: v.dial}
		if testing.Verbose() {
			cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
		}
		if setup != nil {
			setup(v, &cfg)
		}
		go v.server.Serve(v)
		cache := marketcache.New(smallCache)
		f := New(cache, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- f.Run(ctx) }()
		script(scene{t, v, f, cache})
		cancel()
		before := time.Now()
		<-done
		if took := time.Since(before); took > 2*time.Second {
			t.Errorf("Run took %v to end", took)
		}
		v.cut()
		close(v.accept)
		v.server.Close()
		time.Sleep(time.Minute) // gives the venue's handlers time to end; goroutines still running then fail the test
	})
}

// bookAge and contextAge return the current ages; -1s if there is no data.
func (s scene) bookAge(id marketcache.AssetID) time.Duration {
	_, age, ok := s.cache.Books(id).Latest(marketcache.Now(), marketcache.Forever)
	if !ok {
		return -time.Second
	}
	return age
}

func (s scene) contextAge(id marketcache.AssetID) time.Duration {
	_, age, ok := s.cache.Contexts(id).Latest(marketcache.Now(), marketcache.Forever)
	if !ok {
		return -time.Second
	}
	return age
}

// wallet returns an address, and load reads its account; first is the most used one.
func wallet(n byte) (w marketcache.Wallet) {
	w[19] = n
	return w
}

var first = wallet(1)

func (s scene) load(n byte, asset marketcache.AssetID) *marketcache.Account {
	s.Helper()
	a, err := s.f.LoadAccount(s.Context(), wallet(n), asset)
	if err != nil {
		s.Fatal(err)
	}
	return a
}

// market returns all that the cache knows about an asset, however old.
func (s scene) market(id marketcache.AssetID) (m marketcache.Market) {
	s.cache.Market(id, marketcache.Now(), marketcache.AgeLimits{Market: time.Hour, CEX: time.Hour}, &m)
	return m
}

func (s scene) fresh(limit time.Duration, ids ...marketcache.AssetID) {
	s.Helper()
	for _, id := range ids {
		if a := s.bookAge(id); a < 0 || a > limit {
			s.Errorf("book %d is %v old, want at most %v", id, a, limit)
		}
		if a := s.contextAge(id); a < 0 || a > limit {
			s.Errorf("context %d is %v old, want at most %v", id, a, limit)
		}
	}
}

// within waits until a condition holds and fails after limit.
func (s scene) within(limit time.Duration, what string, ok func() bool) {
	s.Helper()
	began := time.Now()
	for !ok() {
		if time.Since(began) > limit {
			s.Fatalf("not within %v: %s", limit, what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// packers are kept, because to make one costs more than to use it.
var packers = sync.Pool{New: func() any { w, _ := flate.NewWriter(nil, flate.HuffmanOnly); return w }}

// pack encodes marks as the venue does: base64 of raw DEFLATE.
func pack(text string) string {
	var b bytes.Buffer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&b)
	io.WriteString(w, text)
	w.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}
