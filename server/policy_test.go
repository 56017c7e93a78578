package server

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"ballast/internal/race"
	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/policy"
	"ballast/server/days"
)

// limited returns a warm fixture and what holds there: nothing yet.
func limited(t testing.TB) (*fixture, *policy.Live) {
	f := warmFixture(t, nil)
	return f, f.s.cfg.Policies.InForce()
}

// rules makes a policy hold for the fixture's wallet, of revision 7.
func (f *fixture) rules(live *policy.Live, text string) {
	f.t.Helper()
	r, bad := policy.DecodeJSON([]byte(text))
	if bad != nil {
		f.t.Fatal(bad)
	}
	live.SetTable(policy.NewTable(nil, map[marketcache.Wallet]*policy.Policy{
		walletOf(wallet): {Rules: r, Revision: 7},
	}))
}

// verdictOf returns the verdict of an answer or of a part of it, and its violations as "rule limit value".
func verdictOf(tree map[string]any) (verdict string, violations []string) {
	block, _ := tree["policy"].(map[string]any)
	if block == nil {
		return "", nil
	}
	for _, v := range block["violations"].([]any) {
		v := v.(map[string]any)
		violations = append(violations, fmt.Sprint(v["rule"], " ", v["limit"], " ", v["value"]))
	}
	return block["verdict"].(string), violations
}

// wantVerdict checks the policy's verdict, its first violation and what follows from them.
func wantVerdict(t *testing.T, name string, tree map[string]any, verdict, violation string) {
	t.Helper()
	got, violations := verdictOf(tree)
	if got != verdict || violation == "" != (len(violations) == 0) ||
		len(violations) > 0 && !strings.HasPrefix(violations[0], violation) {
		t.Errorf("%s: %s %v, want %s %s", name, got, violations, verdict, violation)
	}
	refuses := verdict == "deny" || verdict == "unknown"
	flags := fmt.Sprint(tree["flags"])
	flagged := strings.Contains(flags, "policy_violation") || strings.Contains(flags, "kill_switch")
	if refuses && tree["recommendation"] != "abort" || refuses != flagged {
		t.Errorf("%s: %s with %v %v", name, verdict, tree["recommendation"], flags)
	}
}

// tradeOf returns a validation request for BTC with further members.
func tradeOf(action string, size float64, members string) string {
	return fmt.Sprintf(`{"asset":"BTC","action":%q,"size":%.17g,"wallet":%q%s}`, action, size, wallet, members)
}

// The wallet holds 67,123.5 USD of BTC and -34,567.8 of ETH, and is worth 100,000 USD or some more.
func TestEachRuleJudgesItsFigure(t *testing.T) {
	f, live := limited(t)
	mark := figure(f.post(tradeOf("long", 50000, "")).tree, "meta", "mark_price")
	limit := func(price float64) string {
		return fmt.Sprintf(`,"order":{"type":"limit","price":%.17g}`, price)
	}
	past := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	for _, row := range []struct{ rules, body, verdict, violation string }{
		{`{}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"max_leverage":10}`, tradeOf("long", 50000, `,"leverage":10`), "pass", ""},
		{`{"max_leverage":10}`, tradeOf("long", 50000, `,"leverage":11`), "deny", "max_leverage 10 11"},
		{`{"max_order_usd":50000}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"max_order_usd":49999}`, tradeOf("long", 50000, ""), "deny", "max_order_usd 49999 50000"},
		{`{"max_order_usd":50000}`, tradeOf("long", 50000, limit(mark*1.01)), "deny", "max_order_usd 50000 50500"},
		{`{"max_order_usd":50000}`, tradeOf("long", 50000, limit(mark*0.99)), "pass", ""},
		{`{"max_position_usd":118000}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"max_position_usd":116000}`, tradeOf("long", 50000, ""), "deny", "max_position_usd 116000 117"},
		{`{"max_position_usd":1000}`, tradeOf("short", 50000, ""), "pass", ""},  // reduces
		{`{"max_position_usd":30000}`, tradeOf("short", 90000, ""), "pass", ""}, // flips to -22,876.5
		{`{"max_position_usd":20000}`, tradeOf("short", 90000, ""), "deny", "max_position_usd 20000 22"},
		{`{"max_gross_leverage":1.6}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"max_gross_leverage":1.4}`, tradeOf("long", 50000, ""), "deny", "max_gross_leverage 1.4 1.5"},
		{`{"max_asset_share_pct":78}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"max_asset_share_pct":76}`, tradeOf("long", 50000, ""), "deny", "max_asset_share_pct 76 77."},
		{`{"max_score":100}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"max_score":0}`, tradeOf("long", 50000, ""), "deny", "max_score 0 "},
		{`{"max_probability_24h":1,"max_probability_7d":1}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"max_probability_24h":0}`, tradeOf("long", 2e6, ""), "deny", "max_probability_24h 0 "},
		{`{"max_probability_7d":0}`, tradeOf("long", 2e6, ""), "deny", "max_probability_7d 0 "},
		{`{"min_liquidation_distance_pct":1}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"min_liquidation_distance_pct":100}`, tradeOf("long", 50000, ""), "deny", "min_liquidation_distance_"},
		{`{"price_collar_pct":1}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"price_collar_pct":1}`, tradeOf("long", 50000, limit(mark*1.02)), "deny", "price_collar_pct 1 2"},
		{`{"price_collar_pct":1}`, tradeOf("long", 50000, limit(mark*0.98)), "deny", "price_collar_pct 1 2"},
		{`{"orders_per_minute":1,"trades_per_day":1,"duplicate_window_s":60}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"orders_per_minute":0}`, tradeOf("long", 50000, ""), "deny", "orders_per_minute 0 1"},
		{`{"allowed_assets":["BTC"]}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"allowed_assets":["ETH"]}`, tradeOf("long", 50000, ""), "deny", "allowed_assets <nil> BTC"},
		{`{"allowed_assets":["btc"]}`, tradeOf("long", 50000, ""), "deny", "allowed_assets <nil> BTC"},
		{`{"denied_assets":["BTC"]}`, tradeOf("long", 50000, ""), "deny", "denied_assets <nil> BTC"},
		{`{"halt":true}`, tradeOf("long", 50000, ""), "deny", "halt <nil> true"},
		{`{"halt":false}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"expires_at":"2100-01-01T00:00:00Z"}`, tradeOf("long", 50000, ""), "pass", ""},
		{`{"expires_at":"` + past + `"}`, tradeOf("long", 50000, ""), "deny", "expires_at 20"},
		{`{"max_daily_loss_pct":50}`, tradeOf("long", 50000, ""), "unknown", "max_daily_loss_pct 50 <nil>"},
		{`{"halt":true,"max_score":0,"max_daily_loss_pct":1}`, tradeOf("close", 1e6, ""), "pass", ""},
		{`{"halt":true,"denied_assets":["BTC"]}`, tradeOf("long", 1e4, `,"order":{"reduce_only":true}`), "pass", ""},
	} {
		f.warm()
		f.rules(live, row.rules)
		name := row.rules + " " + row.body
		for _, view := range []string{"", "?view=compact"} {
			got := f.raw(f.request("POST", "/v1/validate"+view, row.body))
			if got.status != 200 {
				t.Fatalf("%s: %d %s", name, got.status, got.body)
			}
			tree := got.tree
			if view != "" {
				if refused := row.verdict != "pass"; refused != strings.Contains(tree["summary"].(string),
					"The operator does not allow an increase: ") {
					t.Errorf("%s: %s", name, tree["summary"])
				}
			}
			wantVerdict(t, name+view, tree, row.verdict, row.violation)
		}
	}
}

// Without a policy and with the switch off, nothing tells that there could be one.
func TestNoPolicyNoBlock(t *testing.T) {
	f, live := limited(t)
	plain := warmFixture(t, nil)
	other := marketcache.Wallet{9}
	strict, bad := policy.DecodeJSON([]byte(`{"halt":true}`))
	if bad != nil {
		t.Fatal(bad)
	}
	live.SetTable(policy.NewTable(nil, map[marketcache.Wallet]*policy.Policy{other: {Rules: strict, Revision: 1}}))
	live.SetSwitch(&policy.Switch{Reason: "was on", Revision: 3})
	for _, call := range []struct{ method, uri, body string }{
		{"POST", "/v1/validate", trade("BTC")}, {"POST", "/v1/validate?view=compact", trade("BTC")},
		{"GET", "/v1/monitor/" + wallet, ""},
		{"POST", "/v1/size", `{"wallet":"` + wallet + `","asset":"ETH","action":"long","target":{"max_score":40}}`},
	} {
		text := f.request(call.method, call.uri, call.body)
		a, b := f.raw(text), plain.raw(strings.Replace(text, f.key, plain.key, 1))
		if bytes.Contains(a.body, []byte(`"policy"`)) || bytes.Contains(a.body, []byte("kill_switch")) {
			t.Errorf("%s: %s", call.uri, a.body)
		}
		before := func(r *reply) string { head, _, _ := strings.Cut(string(r.body), `,"meta":`); return head }
		if before(a) != before(b) {
			t.Errorf("%s:\n%s\n%s", call.uri, before(a), before(b))
		}
	}
}

func TestTheKillSwitchStopsIncreasesAlone(t *testing.T) {
	f, live := limited(t)
	for _, row := range []struct {
		rules  string
		killed bool
	}{{"", true}, {`{"max_score":100}`, true}, {`{"max_score":100}`, false}} {
		if row.rules != "" {
			f.rules(live, row.rules)
		}
		live.SetSwitch(&policy.Switch{On: row.killed, Reason: "test", Since: time.Now()})
		f.warm()
		got := f.post(tradeOf("long", 50000, "")).tree
		flags := fmt.Sprint(got["flags"])
		if killed := got["recommendation"] == "abort" && strings.Contains(flags, "kill_switch"); killed != row.killed ||
			strings.Contains(flags, "policy_violation") {
			t.Errorf("%+v: %v, flags %s", row, got["recommendation"], flags)
		}
		if row.killed {
			wantVerdict(t, "an increase", got, "deny", "kill_switch <nil> true")
		}
		wantVerdict(t, "a close", f.post(tradeOf("close", 1e6, "")).tree, "pass", "")
	}
	live.SetTable(nil)
	live.SetSwitch(&policy.Switch{On: true})
	got := f.get("/v1/monitor/" + wallet).tree
	if verdict, violations := verdictOf(got); verdict != "deny" || violations[0] != "kill_switch <nil> true" {
		t.Errorf("the wallet: %s %v", verdict, violations)
	}
	for _, p := range got["positions"].([]any) { // what is held is no increase
		wantVerdict(t, "a position", p.(map[string]any), "pass", "")
	}
}

// Several small orders cannot do what a large one may not.
func TestABatchIsHeldToTheLimitsAsAWhole(t *testing.T) {
	f, live := limited(t)
	f.rules(live, `{"max_position_usd":90000,"max_order_usd":10000}`)
	const long, close = `{"asset":"BTC","action":"long","size":10000}`, `{"asset":"BTC","action":"close","size":25000}`
	got := f.postBatch(batchOf(long, long, long, close, long)).results(t)
	for i, want := range []string{"pass", "pass", "deny", "pass", "pass"} {
		if verdict, violations := verdictOf(got[i]); verdict != want {
			t.Errorf("trade %d: %s %v", i, verdict, violations)
		}
	}
	if _, violations := verdictOf(got[2]); !strings.HasPrefix(violations[0], "max_position_usd 90000 97") {
		t.Errorf("%v", violations)
	}
	f.rules(live, `{"orders_per_minute":2,"duplicate_window_s":10}`)
	const other = `{"asset":"BTC","action":"long","size":10001}`
	got = f.postBatch(batchOf(long, `{"asset":"NOPE","action":"long","size":1}`, other, long)).results(t)
	wantVerdict(t, "the first", got[0], "pass", "")
	wantVerdict(t, "the second", got[2], "pass", "")
	wantVerdict(t, "the third", got[3], "deny", "orders_per_minute 2 3")
	if _, violations := verdictOf(got[3]); !slices.Contains(violations, "duplicate_window_s 10 0") {
		t.Errorf("%v", violations)
	}
}

func TestSizeAndMonitorAreJudged(t *testing.T) {
	f, live := limited(t)
	f.rules(live, `{"max_order_usd":10,"max_position_usd":50000,"denied_assets":["ETH"],"max_gross_leverage":0.5}`)
	for _, view := range []string{"", "?view=compact"} {
		f.warm()
		got := f.raw(f.request("POST", "/v1/size"+view, `{"wallet":"`+wallet+
			`","asset":"BTC","action":"long","target":{"max_score":70}}`)).tree
		wantVerdict(t, "the size", got["assessment"].(map[string]any), "deny", "max_order_usd 10 ")
		if got["size_usd"] != 0.0 || got["binding"] != "max_order_usd" {
			t.Errorf("a size of %v, bound by %v", got["size_usd"], got["binding"])
		}
		got = f.get("/v1/monitor/" + wallet + view).tree
		verdict, violations := verdictOf(got)
		if verdict != "deny" || len(violations) != 1 || !strings.HasPrefix(violations[0], "max_gross_leverage 0.5 1.") {
			t.Errorf("the wallet: %s %v", verdict, violations)
		}
		positions := got["positions"].([]any)
		long, short := positions[0].(map[string]any), positions[1].(map[string]any)
		if _, v := verdictOf(long); len(v) != 2 || !strings.HasPrefix(v[0], "max_position_usd 50000 67") {
			t.Errorf("BTC: %v", v)
		}
		if _, v := verdictOf(short); len(v) != 2 || v[1] != "denied_assets <nil> ETH" {
			t.Errorf("ETH: %v", v)
		}
		if long["recommendation"] != "abort" || !strings.Contains(fmt.Sprint(long["flags"]), "policy_violation") {
			t.Errorf("BTC: %v %v", long["recommendation"], long["flags"])
		}
	}
}

// TestFactsOfLimits: a full answer has what each number of the policy was compared with, kept or not, and no more.
func TestFactsOfLimits(t *testing.T) {
	f, live := limited(t)
	f.rules(live, `{"max_leverage":10,"max_position_usd":50000,"max_gross_leverage":5,"max_score":100,`+
		`"duplicate_window_s":9,"denied_assets":["DOGE"]}`)
	facts := func(tree map[string]any) string {
		block, _ := tree["policy"].(map[string]any)
		given, is := block["facts"].(map[string]any)
		if !is {
			return "none"
		}
		return strings.Join(slices.Sorted(maps.Keys(given)), " ")
	}
	trade := f.post(tradeOf("long", 50000, `,"leverage":7`)).tree
	if got := facts(trade); got != "max_gross_leverage max_leverage max_position_usd max_score" {
		t.Errorf("a trade: %s", got)
	}
	if x := figure(trade, "policy", "facts", "max_leverage"); x != 7 {
		t.Errorf("leverage %v", x)
	}
	report := f.get("/v1/monitor/" + wallet).tree
	position := report["positions"].([]any)[0].(map[string]any)
	if got := facts(position); !strings.Contains(got, "max_position_usd max_score") {
		t.Errorf("a position: %s", got)
	}
	if x := figure(position, "policy", "facts", "max_position_usd"); x < 67000 || x > 68000 {
		t.Errorf("a position of %v USD", x)
	}
	if got := facts(report); got != "max_gross_leverage" {
		t.Errorf("the wallet: %s", got)
	}
	if got := facts(f.get("/v1/monitor/" + wallet + "?view=compact").tree); got != "none" {
		t.Errorf("a compact view: %s", got)
	}
}

// What is missing is never within a limit.
func TestWhatIsNotKnownIsNoPass(t *testing.T) {
	f, live := limited(t)
	unread := testAccount(walletOf(wallet))
	unread.Unread = []string{"other"}
	assumed := testAccount(walletOf(wallet))
	assumed.Positions = nil
	for _, row := range []struct {
		account                     *marketcache.Account
		rules, verdict, unknownRule string
	}{
		{unread, `{"max_gross_leverage":100}`, "unknown", "max_gross_leverage 100 <nil>"},
		{unread, `{"max_asset_share_pct":100}`, "unknown", "max_asset_share_pct 100 <nil>"},
		{unread, `{"max_position_usd":1e9}`, "pass", ""},
		{assumed, `{"max_leverage":40}`, "unknown", "max_leverage 40 <nil>"},
	} {
		f.venueGives(row.account, nil)
		row.account.Received = marketcache.Now()
		f.cache.StoreAccount(row.account)
		f.rules(live, row.rules)
		wantVerdict(t, row.rules, f.post(tradeOf("long", 50000, "")).tree, row.verdict, row.unknownRule)
	}
}

// Requests that are judged allocate no more than others.
func TestJudgedAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	f, text := warmRequest(t)
	live := f.s.cfg.Policies.InForce()
	f.withDays(keptDays(""))
	p := newInProcess(f.s, text)
	for _, row := range []struct {
		rules string
		on    bool
		rule  string // that keeps the sizes down
	}{
		{`{"max_leverage":1,"max_order_usd":1,"max_daily_loss_pct":1,"allowed_assets":["ETH"],"halt":true}`, true,
			"kill_switch"},
		{`{"max_order_usd":70000,"max_gross_leverage":1.2,"max_asset_share_pct":75}`, false, "max_gross_leverage"},
		{`{"max_score":15,"max_probability_24h":0.5,"max_probability_7d":0.5,"min_liquidation_distance_pct":1,` +
			`"max_daily_loss_pct":99}`, false, "max_score"},
	} {
		f.rules(live, row.rules)
		live.SetSwitch(&policy.Switch{On: row.on})
		for range 3 {
			p.serve(t, 200)
		}
		if n := testing.AllocsPerRun(300, func() { p.serve(t, 200) }); n != 0 {
			t.Errorf("%s: %v allocations", row.rules, n)
		}
		if sizing := f.raw(text).tree["sizing"].(map[string]any); sizing["policy_rule"] != row.rule {
			t.Errorf("%s: %v", row.rules, sizing)
		}
	}
}

// keptDays is a store with the record of the fixture's wallet, empty without one.
type keptDays string

func (k keptDays) WalletDays() (map[string]store.WalletDay, error) {
	if k == "" {
		return nil, nil
	}
	return map[string]store.WalletDay{wallet: {Record: string(k)}}, nil
}

func (keptDays) PutWalletDays(map[string]store.WalletDay, []store.Event) error { return nil }

func (keptDays) LiftHalts(string, string, time.Time, func(string) (string, error)) (bool, error) {
	return false, errors.New("not here")
}

// withDays gives the fixture records of account values. Nobody reads wallets for them but its answers.
func (f *fixture) withDays(kept days.Store) {
	log := slog.New(slog.DiscardHandler)
	book, err := days.New(days.Config{Live: f.s.cfg.Policies.InForce(), Store: kept, Log: log})
	if err != nil {
		f.t.Fatal(err)
	}
	f.s.cfg.Days = book
}

// worth makes the fixture's wallet have an account value.
func (f *fixture) worth(usd float64) {
	a := testAccount(walletOf(wallet))
	a.CrossAccountValueUSD = usd
	f.cache.StoreAccount(a)
}

func TestLossesAreJudged(t *testing.T) {
	f, live := limited(t)
	f.withDays(keptDays(""))
	f.rules(live, `{"max_daily_loss_pct":10,"max_drawdown_pct":20}`)
	wantVerdict(t, "the first reading", f.post(tradeOf("long", 50000, "")).tree, "pass", "")
	f.worth(91_000)
	wantVerdict(t, "a loss", f.post(tradeOf("long", 50000, "")).tree, "pass", "")
	f.worth(89_000)
	wantVerdict(t, "a larger loss", f.post(tradeOf("long", 50000, "")).tree, "deny", "max_daily_loss_pct 10 11")
	wantVerdict(t, "a close", f.post(tradeOf("close", 50000, "")).tree, "pass", "")
	f.worth(79_000)
	got := f.get("/v1/monitor/" + wallet).tree
	if verdict, v := verdictOf(got); verdict != "deny" || len(v) != 2 || v[1] != "max_drawdown_pct 20 21" {
		t.Errorf("the wallet: %s %v", verdict, v)
	}
	for _, p := range got["positions"].([]any) {
		wantVerdict(t, "a position", p.(map[string]any), "pass", "")
	}
	unread := testAccount(walletOf(wallet))
	unread.Unread = []string{"other"}
	f.cache.StoreAccount(unread)
	wantVerdict(t, "a wallet that is not known", f.post(tradeOf("long", 50000, "")).tree, "unknown",
		"max_daily_loss_pct 10 <nil>")
}

// halted is the record of a wallet that its losses have halted.
const halted = keptDays(`{"value_usd":100000,"read_ms":1790000000000,"halts":[{"rule":"max_daily_loss_pct","limit":5,` +
	`"value":6,"at_ms":1790000000000}]}`)

func TestAHaltOutlivesItsPolicy(t *testing.T) {
	f, live := limited(t)
	f.withDays(halted)
	for _, rules := range []string{"", `{"max_score":100}`, `{"max_daily_loss_pct":99}`} {
		if rules != "" {
			f.rules(live, rules)
		}
		f.warm()
		got := f.post(tradeOf("long", 50000, ""))
		wantVerdict(t, rules, got.tree, "deny", "max_daily_loss_pct 5 6")
		if !bytes.Contains(got.body, []byte(`"halted_at":"2026-09-21T14:13:20.000Z"`)) {
			t.Errorf("%s", got.body)
		}
		wantVerdict(t, "a close", f.post(tradeOf("close", 1e6, "")).tree, "pass", "")
	}
}

// answersUnderPolicy makes every answer that can have a verdict have one.
func answersUnderPolicy(f *fixture) {
	live := f.s.cfg.Policies.InForce()
	f.rules(live, `{"max_position_usd":1}`)
	f.withDays(halted)
	f.post(trade("BTC"))
	f.raw(f.request("POST", "/v1/validate?view=compact", trade("BTC")))
	f.call("POST /v1/size", `{"wallet":"`+wallet+`","asset":"BTC","action":"long","target":{"max_score":70}}`).ok()
	f.get("/v1/monitor/" + wallet)
	f.get("/v1/monitor/" + wallet + "?view=compact")
}
