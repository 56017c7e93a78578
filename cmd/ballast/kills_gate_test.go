package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache/venue/exchange"
	"ballast/marketcache/venue/sim"
	"ballast/server/journal"
)

// gateTrader sends actions of a wallet through a gate, and knows which were answered.
type gateTrader struct {
	bot   demoBot
	nonce atomic.Uint64

	mu       sync.Mutex
	answered map[string]string // what the gate did, by request id
	allowed  atomic.Int64
}

// trade sends actions until alive ends: orders that pass, orders that are too large, and exits.
func (g *gateTrader) trade(alive context.Context, t *testing.T, url string) {
	large, small := g.bot.order("BTC", true, 30, 1.05), g.bot.order("ETH", true, 0.001, 0.9)
	exit := g.bot.order("ETH", false, 0.001, 0.9)
	exit.ReduceOnly = true
	for i := 0; alive.Err() == nil; i++ {
		o := []exchange.Order{small, exit, large}[i%3]
		env := exchange.Envelope{Action: exchange.Action{Form: place(exchange.Ungrouped, o)}, Nonce: g.nonce.Add(1)}
		if err := env.Sign(g.bot.key, exchange.Testnet); err != nil {
			t.Error(err)
			return
		}
		id := fmt.Sprint("order-", env.Nonce)
		req, _ := http.NewRequestWithContext(alive, "POST", url+"/exchange", bytes.NewReader(env.AppendJSON(nil)))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("X-Request-Id", id)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 {
			continue
		}
		did := "allowed"
		switch {
		case strings.Contains(string(body), "Ballast: "):
			did = "refused"
		case i%3 == 1:
			did = "passed"
		default:
			g.allowed.Add(1)
		}
		g.mu.Lock()
		g.answered[id] = did
		g.mu.Unlock()
	}
}

// kept checks that the database has what was answered before the service was started again, and forgets it.
func (g *gateTrader) kept(t *testing.T, round int, dir string) (checked int) {
	t.Helper()
	db, err := store.OpenMain(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	reader, begun := journal.Reader{Store: db}, time.Now()
	for id, did := range g.answered {
		found, err := reader.Find(t.Context(), id, "")
		for err == nil && len(found) == 0 && time.Since(begun) < 30*time.Second { // the service has just started
			time.Sleep(50 * time.Millisecond)
			found, err = reader.Find(t.Context(), id, "")
		}
		if err != nil || len(found) == 0 || found[0].Gate == nil || found[0].Gate.Did != did {
			t.Errorf("round %d: %s was %s, and the database has %v, %v", round, id, did, found, err)
		}
	}
	checked, g.answered = len(g.answered), map[string]string{}
	if t.Failed() {
		t.FailNow()
	}
	return checked
}

// TestE2EKillsOfTheGate kills the service repeatedly while orders go through its gate, with --gate-journal strict.
// Every action that was answered must be in the database after the next start. Injects the fault kill of
// docs/faults.md.
func TestE2EKillsOfTheGate(t *testing.T) {
	skipShort(t)
	venue := start(t, "venuesim", "--listen", "127.0.0.1:0", "--assets", "16")
	base := venue.find(t, `(http://127\.0\.0\.1:\d+)`)[1]
	key, err := exchange.ParseKey(sim.Traders[0].Key)
	if err != nil {
		t.Fatal(err)
	}
	g := &gateTrader{answered: map[string]string{},
		bot: demoBot{base: base, key: key, user: sim.Traders[0].Address, out: io.Discard}}
	g.nonce.Store(uint64(time.Now().UnixMilli()))
	if err := g.bot.learn("BTC", "ETH"); err != nil {
		t.Fatal(err)
	}
	dir, checked, rounds := t.TempDir(), 0, kills(t, 4)
	for round := range rounds + 1 {
		s := serving(t, "--venue", base, "--venue-budget", "0", "--data-dir", dir, "--gate", "--gate-journal", "strict")
		if checked += g.kept(t, round, dir); round == rounds {
			s.kill()
			break
		}
		alive, kill := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { g.trade(alive, t, s.url) })
		}
		begun, before := time.Now(), g.allowed.Load()
		for g.allowed.Load() == before && time.Since(begun) < time.Minute { // until it judges
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Duration(round*137%500) * time.Millisecond)
		s.cmd.Process.Kill()
		kill()
		wg.Wait()
		s.kill()
	}
	if g.allowed.Load() == 0 {
		t.Error("no order was allowed: the test tests nothing")
	}
	t.Logf("%d kills, %d answers checked, %d orders allowed", rounds, checked, g.allowed.Load())
}
