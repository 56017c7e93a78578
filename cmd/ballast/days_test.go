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

// halt writes the record of a wallet with a halt, and with a first reading and a peak of twice its value.
func halt(t *testing.T, dir, wallet string, valueUSD float64) {
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
	db := opened(t, dir)
	defer db.Close()
	if err := db.PutWalletDays(map[string]store.WalletDay{wallet: {Record: string(text)}}, nil); err != nil {
		t.Fatal(err)
	}
}

// opened opens the database of a data directory.
func opened(t *testing.T, dir string) *store.Main {
	t.Helper()
	db, err := store.OpenMain(dir)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// TestE2EHalts: a halt that a loss has set is in force in a running service until a command lifts it, and losses then
// count from the newest reading on. That it survives kills is shown by TestE2EKillsOfTheGate.
func TestE2EHalts(t *testing.T) {
	dir, wallet := t.TempDir(), sim.Wallets[0].Address
	operator := issueOperator(t, dir)
	if _, errs, status := command(t, nil, "policy", "lift", wallet, "--data-dir", dir); status != 1 ||
		!strings.Contains(errs, "no loss of") {
		t.Errorf("a wallet without a record: %d %s", status, errs)
	}
	halt(t, dir, wallet, 1000)
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
