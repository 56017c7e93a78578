package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache/venue/exchange"
	"ballast/marketcache/venue/sim"
	"ballast/policy"
)

// gateKills is how often TestE2EGateKills kills the service; with the build tag all, 50 times.
var gateKills = 3

// oneGateTrader returns a bot of the simulated venue's first trader, with a nonce of its own.
func oneGateTrader(t *testing.T, base string, nonce uint64) *demoBot {
	t.Helper()
	trader := &sim.Traders[0]
	key, err := exchange.ParseKey(trader.Key)
	if err != nil {
		t.Fatal(err)
	}
	return &demoBot{base: base, key: key, user: trader.Address, nonce: nonce, out: &bytes.Buffer{}}
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
	db, err := store.OpenMain(dir)
	if err != nil {
		t.Fatal(err)
	}
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

// TestE2EGateKills kills the service while orders pass its gate. After every kill hold: the kill switch, the halt of a
// daily loss, the first reading of the day, the high-water mark, and the count of the day's orders.
// Injects the fault kill of docs/faults.md.
func TestE2EGateKills(t *testing.T) {
	skipShort(t)
	venue := start(t, "venuesim", "--listen", "127.0.0.1:0", "--assets", "16")
	base := venue.find(t, `(http://127\.0\.0\.1:\d+)`)[1]
	dir, loser := t.TempDir(), sim.Wallets[0].Address
	var operator issued
	keysCommand(t, &operator, "issue", "--email", "ops@example.com", "--role", "operator", "--data-dir", dir)
	db, err := store.OpenMain(dir)
	if err == nil {
		err = db.PutWalletDays(map[string]store.WalletDay{loser: haltedRecord(t, 1e9)}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	before, limit := lossRecord(t, dir, loser), 2*gateKills
	direct := oneGateTrader(t, base, uint64(time.Now().UnixMilli()))
	if err := direct.learn("BTC"); err != nil {
		t.Fatal(err)
	}
	had, passed := direct.orders(t), 0
	for round := range gateKills + 1 {
		s := serving(t, "--venue", base, "--venue-budget", "0", "--data-dir", dir, "--gate")
		s.key = operator.Key
		s.ready(t, time.Minute)
		if round == 0 {
			rules := fmt.Sprintf(`{"trades_per_day":%d}`, limit)
			for wallet, rules := range map[string]string{direct.user: rules, loser: `{"max_daily_loss_pct":10}`} {
				if status, answer := s.put(t, "/v1/policy/"+wallet, rules, ""); status != 200 {
					t.Fatalf("%d %v", status, answer)
				}
			}
		}
		s.holds(t, round, loser)
		bot := oneGateTrader(t, s.url, direct.nonce+uint64(5000*round))
		bot.markets, bot.value = direct.markets, direct.value
		if round > 0 {
			if answer := bot.buys(0.01); !strings.Contains(answer, "increases are stopped since") {
				t.Errorf("round %d: with the switch on: %s", round, answer)
			}
		}
		if status, answer := s.put(t, "/v1/kill-switch", `{"on":false}`, ""); status != 200 {
			t.Fatalf("%d %v", status, answer)
		}
		passed += s.ordersUntilKilled(t, bot, round == gateKills)
		s.kill()
		day := lossRecord(t, dir, loser)
		if day.First != before.First || day.Peak != before.Peak || len(day.Halts) == 0 {
			t.Fatalf("round %d: the record is %+v, was %+v", round, day, before)
		}
	}
	if n := direct.orders(t) - had; n > limit || n < passed || passed == 0 {
		t.Errorf("the venue has taken %d orders of %d that passed, the limit is %d", n, passed, limit)
	}
	t.Logf("%d kills, %d orders answered, %d at the venue", gateKills, passed, direct.orders(t)-had)
}

// holds checks the halt of a wallet, and the kill switch, which every kill has left on.
func (s *remote) holds(t *testing.T, round int, loser string) {
	t.Helper()
	_, answer := s.post(t, fmt.Sprintf(`{"asset":"BTC","action":"long","size":1000,"leverage":2,"wallet":%q}`, loser))
	if block, _ := answer["policy"].(map[string]any); block["verdict"] != "deny" ||
		!strings.Contains(fmt.Sprint(block["violations"]), "halted_at") {
		t.Errorf("round %d: a halted wallet: %v", round, answer["policy"])
	}
	if round > 0 && !s.isOn(t, "drill") {
		t.Errorf("round %d: the switch is off", round)
	}
}

// ordersUntilKilled sends two orders, turns the switch on, and kills the service meanwhile; in the last round it sends
// until one is refused. It returns how many the venue has answered.
func (s *remote) ordersUntilKilled(t *testing.T, bot *demoBot, last bool) (passed int) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 2 {
		one := *bot
		one.nonce += uint64(1000 * i)
		wg.Go(func() {
			if strings.Contains(one.buys(0.01+0.001*float64(i)), `"filled"`) {
				mu.Lock()
				defer mu.Unlock()
				passed++
			}
		})
	}
	if !last {
		if status, answer := s.put(t, "/v1/kill-switch", `{"on":true,"reason":"drill"}`, ""); status != 200 {
			t.Fatalf("%d %v", status, answer)
		}
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond)
		s.cmd.Process.Kill()
	}
	wg.Wait()
	for n := 0; last; n++ {
		answer := bot.buys(0.005)
		if strings.Contains(answer, "trades_per_day") {
			break
		}
		if strings.Contains(answer, `"filled"`) {
			passed++
		}
		if n > 2*gateKills {
			t.Errorf("the limit is not reached: %s", answer)
			break
		}
	}
	return passed
}
