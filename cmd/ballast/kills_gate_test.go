package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache/venue/exchange"
	"ballast/marketcache/venue/sim"
	"ballast/policy"
	"ballast/server/journal"
)

// gateBot returns a bot of one of the simulated venue's traders that knows the markets.
func gateBot(t *testing.T, base string, trader *sim.Trader) demoBot {
	t.Helper()
	key, err := exchange.ParseKey(trader.Key)
	if err != nil {
		t.Fatal(err)
	}
	b := demoBot{base: base, key: key, user: trader.Address, nonce: uint64(time.Now().UnixMilli()), out: io.Discard}
	if err := b.learn("BTC", "ETH"); err != nil {
		t.Fatal(err)
	}
	return b
}

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
	db := opened(t, dir)
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

// buys sends an order for some BTC, again while the service does not know the book yet, and returns the answer, "" if
// there is none.
func (b *demoBot) buys(share float64) (answer string) {
	for range 300 {
		out := &bytes.Buffer{}
		b.out = out
		if b.send("buy", place(exchange.Ungrouped, b.order("BTC", true, share, 1.05))) != nil {
			return ""
		}
		if _, answer, _ = strings.Cut(out.String(), "\n< "); !strings.Contains(answer, "not known yet") {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return answer
}

// orders returns how many orders of a user the venue has taken.
func (b *demoBot) orders(t *testing.T) int {
	t.Helper()
	var all []json.RawMessage
	if err := b.ask("/info", `{"type":"historicalOrders","user":"`+b.user+`"}`, &all); err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// lossRecord returns the kept record of a wallet.
func lossRecord(t *testing.T, dir, wallet string) (day policy.Day) {
	t.Helper()
	db := opened(t, dir)
	defer db.Close()
	kept, err := db.WalletDays()
	if err == nil {
		err = json.Unmarshal([]byte(kept[wallet].Record), &day)
	}
	if err != nil {
		t.Fatal(err)
	}
	return day
}

// turn turns the kill switch.
func (s *remote) turn(t *testing.T, on bool) {
	t.Helper()
	body := fmt.Sprintf(`{"on":%t,"reason":"drill"}`, on)
	if status, answer := s.put(t, "/v1/kill-switch", body, ""); status != 200 {
		t.Fatalf("%d %v", status, answer)
	}
}

// TestE2EKillsOfTheGate kills the service repeatedly while orders pass its gate, with --gate-journal strict. After
// every kill hold: every answer is in the database, the kill switch, the halt of a daily loss, the first reading of the
// day, the high-water mark, and the count of the day's orders. Injects the fault kill of docs/faults.md.
func TestE2EKillsOfTheGate(t *testing.T) {
	base := startVenue(t, "--assets", "16")
	dir, loser, rounds := t.TempDir(), sim.Wallets[0].Address, kills(t, 3)
	operator := issueOperator(t, dir)
	halt(t, dir, loser, 1e9)
	before, limit := lossRecord(t, dir, loser), 2*rounds
	limited := gateBot(t, base, &sim.Traders[0])
	free := &gateTrader{answered: map[string]string{}, bot: gateBot(t, base, &sim.Traders[2])}
	free.nonce.Store(free.bot.nonce)
	had, passed, checked := limited.orders(t), 0, 0
	for round := range rounds + 1 {
		s := serving(t, "--venue", base, "--venue-budget", "0", "--data-dir", dir, "--gate", "--gate-journal", "strict")
		s.key = operator.Key
		s.ready(t, time.Minute)
		checked += free.kept(t, round, dir)
		if round == 0 {
			rules := fmt.Sprintf(`{"trades_per_day":%d}`, limit)
			for wallet, rules := range map[string]string{limited.user: rules, loser: `{"max_daily_loss_pct":10}`} {
				if status, answer := s.put(t, "/v1/policy/"+wallet, rules, ""); status != 200 {
					t.Fatalf("%d %v", status, answer)
				}
			}
		}
		stopped := round%2 == 1 // the kill before left the switch on
		s.holds(t, round, loser, stopped)
		bot := limited
		bot.base, bot.nonce = s.url, limited.nonce+uint64(5000*round)
		if stopped {
			if answer := bot.buys(0.01); !strings.Contains(answer, "increases are stopped since") {
				t.Errorf("round %d: with the switch on: %s", round, answer)
			}
			s.turn(t, false)
		}
		if round == rounds {
			passed += s.ordersToTheLimit(t, &bot, limit)
		} else {
			passed += s.ordersUntilKilled(t, &bot, free, round%2 == 0)
		}
		s.kill()
		day := lossRecord(t, dir, loser)
		if day.First != before.First || day.Peak != before.Peak || len(day.Halts) == 0 {
			t.Fatalf("round %d: the record is %+v, was %+v", round, day, before)
		}
	}
	if n := limited.orders(t) - had; n > limit || n < passed || passed == 0 {
		t.Errorf("the venue has taken %d orders of %d that passed, the limit is %d", n, passed, limit)
	}
	if checked == 0 {
		t.Error("no answer was checked: the test tests nothing")
	}
	t.Logf("%d kills, %d answers checked, %d orders allowed, %d of %d at the venue", rounds, checked,
		free.allowed.Load(), passed, limited.orders(t)-had)
}

// holds checks the halt of a wallet, and the kill switch, which must be as it was at the kill.
func (s *remote) holds(t *testing.T, round int, loser string, stopped bool) {
	t.Helper()
	_, answer := s.post(t, fmt.Sprintf(`{"asset":"BTC","action":"long","size":1000,"leverage":2,"wallet":%q}`, loser))
	if block, _ := answer["policy"].(map[string]any); block["verdict"] != "deny" ||
		!strings.Contains(fmt.Sprint(block["violations"]), "halted_at") {
		t.Errorf("round %d: a halted wallet: %v", round, answer["policy"])
	}
	if on := s.isOn(t, "drill"); on != stopped {
		t.Errorf("round %d: the switch is on: %v", round, on)
	}
}

// ordersUntilKilled has a trader send actions until the gate has allowed one, sends two orders more, turns the switch
// on if it is to stop, and kills the service meanwhile. It returns how many of the two the venue has answered.
func (s *remote) ordersUntilKilled(t *testing.T, bot *demoBot, free *gateTrader, stop bool) (passed int) {
	t.Helper()
	alive, kill := context.WithCancel(t.Context())
	defer kill()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { free.trade(alive, t, s.url) })
	}
	before := free.allowed.Load()
	eventually(t, "the gate allows an order", time.Minute, func() bool { return free.allowed.Load() > before })
	var filled atomic.Int64
	for i := range 2 {
		one := *bot
		one.nonce += uint64(1000 * i)
		wg.Go(func() {
			if strings.Contains(one.buys(0.01+0.001*float64(i)), `"filled"`) {
				filled.Add(1)
			}
		})
	}
	if stop {
		s.turn(t, true)
	}
	time.Sleep(time.Duration(rand.IntN(500)) * time.Millisecond)
	s.cmd.Process.Kill()
	kill()
	wg.Wait()
	return int(filled.Load())
}

// ordersToTheLimit sends orders until the policy refuses one. It returns how many the venue has answered.
func (s *remote) ordersToTheLimit(t *testing.T, bot *demoBot, limit int) (passed int) {
	t.Helper()
	for range limit + 1 {
		answer := bot.buys(0.005)
		if strings.Contains(answer, "trades_per_day") {
			return passed
		}
		if strings.Contains(answer, `"filled"`) {
			passed++
		}
	}
	t.Error("the limit is not reached")
	return passed
}
