package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache/venue/sim"
	"ballast/policy"
)

// haltedRecord is the record of a wallet with a halt, and with a first reading and a peak of twice its value.
func haltedRecord(t *testing.T, valueUSD float64) store.WalletDay {
	t.Helper()
	now := time.Now().UnixMilli()
	mark := policy.Mark{ValueUSD: 2 * valueUSD, AtMs: now}
	text, err := json.Marshal(&policy.Day{
		First: mark, Peak: mark, ValueUSD: valueUSD, ReadMs: now, FlowsMs: now,
		Halts: []policy.LossHalt{{Rule: policy.MaxDailyLossPct, Limit: 10, Value: 50, AtMs: now}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return store.WalletDay{Record: string(text)}
}

// TestE2EHalts: a halt that a loss has set is in force in a running service until a command lifts it, and losses then
// count from the newest reading on. That it survives kills is shown by TestE2EKillsOfTheGate.
func TestE2EHalts(t *testing.T) {
	skipShort(t)
	dir, wallet := t.TempDir(), sim.Wallets[0].Address
	var operator issued
	keysCommand(t, &operator, "issue", "--email", "ops@example.com", "--role", "operator", "--data-dir", dir)
	if _, errs, status := command(t, nil, "policy", "lift", wallet, "--data-dir", dir); status != 1 ||
		!strings.Contains(errs, "no loss of") {
		t.Errorf("a wallet without a record: %d %s", status, errs)
	}
	db, err := store.OpenMain(dir)
	if err == nil {
		err = db.PutWalletDays(map[string]store.WalletDay{wallet: haltedRecord(t, 1000)}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	trade := fmt.Sprintf(`{"asset":"BTC","action":"long","size":1000,"leverage":2,"wallet":%q}`, wallet)
	verdict := func(s *remote) string {
		status, answer := s.post(t, trade)
		block, _ := answer["policy"].(map[string]any)
		return fmt.Sprint(status, " ", block["verdict"], " ", block["violations"])
	}
	s := serving(t, "--venue", "sim", "--data-dir", dir)
	s.key = operator.Key
	s.ready(t, time.Minute)
	if got := verdict(s); !strings.HasPrefix(got, "200 deny [map[halted_at:20") {
		t.Errorf("a halted wallet: %s", got)
	}
	const rules = `{"max_daily_loss_pct":10,"max_drawdown_pct":60}`
	if status, answer := s.put(t, "/v1/policy/"+wallet, rules, ""); status != 200 {
		t.Errorf("%d %v", status, answer)
	}
	if out, errs, status := command(t, nil, "policy", "lift", wallet, "--data-dir", dir); status != 0 {
		t.Errorf("%d %s%s", status, out, errs)
	}
	eventually(t, "the halt is lifted", 30*time.Second, func() bool { return verdict(s) == "200 pass []" })
	if out, _, _ := command(t, nil, "audit", "--data-dir", dir); !strings.Contains(out, "halt_lifted") {
		t.Errorf("%s", out)
	}
}
