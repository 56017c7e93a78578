package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"ballast/internal/store"
	wire "ballast/marketcache/venue/exchange"
	"ballast/policy"
	"ballast/server/gate"
	"ballast/server/journal"
)

// newJournal returns a journal in a directory of its own, whose writer runs.
func newJournal(t testing.TB, change func(*journal.Config)) *journal.Journal {
	t.Helper()
	j := stillJournal(t, change)
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { j.Run(ctx) })
	t.Cleanup(func() {
		stop()
		wg.Wait()
	})
	return j
}

// stillJournal is newJournal without its writer, whose allocations are not those of a request.
func stillJournal(t testing.TB, change func(*journal.Config)) *journal.Journal {
	t.Helper()
	cfg := journal.Config{Mode: journal.Verdicts, Store: newStore(t), Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&cfg)
	}
	return journal.New(cfg)
}

// newStore opens a database in a directory of its own.
func newStore(t testing.TB) *store.Main {
	t.Helper()
	db, err := store.OpenMain(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// found returns the decisions with the id of an answer.
func (f *fixture) found(r *reply) []*journal.Decision {
	f.t.Helper()
	j := f.s.cfg.Journal
	j.Flush(f.t.Context())
	all, err := j.Find(f.t.Context(), r.header.Get("X-Request-Id"), "")
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// TestDecisionsOfAnswers: each assessment is recorded as it was answered; errors and other answers are not.
func TestDecisionsOfAnswers(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	r := f.post(trade("BTC")).ok()
	all := f.found(r)
	if len(all) != 1 {
		t.Fatalf("%d decisions", len(all))
	}
	d := all[0]
	meta, position := r.tree["meta"].(map[string]any), r.tree["position"].(map[string]any)["after"].(map[string]any)
	for name, row := range map[string][2]any{
		"kind": {string(d.Kind), "validate"}, "key": {d.KeyID, f.keyID}, "wallet": {d.Wallet, wallet},
		"asset": {d.Asset, "BTC"}, "action": {d.Action, "long"}, "recommendation": {d.Recommendation,
			r.tree["recommendation"]}, "score": {*d.RiskScore, r.tree["risk_score"]},
		"probability": {*d.Probability24h, r.tree["liquidation"].(map[string]any)["probability_24h"]},
		"mark":        {*d.MarkPrice, meta["mark_price"]}, "as of": {d.At.Format("2006-01-02T15:04:05.000Z"),
			meta["as_of"]},
		"hash":     {d.CalibrationHash, r.tree["model_version"].(map[string]any)["calibration_hash"]},
		"position": {*d.PositionUSD, position["notional_usd"]}, "flags": {len(d.Flags), len(r.tree["flags"].([]any))},
		"leverage": {d.Leverage, 10.0}, "order": {d.Facts["max_order_usd"], d.SizeUSD},
	} {
		if row[0] != row[1] {
			t.Errorf("%s: %v, want %v", name, row[0], row[1])
		}
	}
	var request, sent map[string]any
	json.Unmarshal(d.Request, &request)
	json.Unmarshal([]byte(trade("BTC")), &sent)
	if len(request) != len(sent) || request["size"] != sent["size"] || d.Policy != nil || d.Gate != nil {
		t.Errorf("%s, policy %v, gate %v", d.JSON(), d.Policy, d.Gate)
	}
	bad := f.post(strings.Replace(trade("BTC"), "long", "sideways", 1))
	monitor := f.get("/v1/monitor/" + wallet)
	for _, r := range []*reply{bad, monitor} {
		if all := f.found(r); len(all) != 0 {
			t.Errorf("%s was recorded: %s", r.line, all[0].JSON())
		}
	}
}

// TestDecisionsOfBatches: each assessed trade has its place, its own request and its own figures.
func TestDecisionsOfBatches(t *testing.T) {
	f := warmFixture(t, func(c *Config) { c.Journal = newJournal(t, nil) })
	eth := strings.Replace(btcLong, "BTC", "ETH", 1)
	r := f.raw(f.request("POST", "/v1/validate/batch", batchOf(btcLong, strings.Replace(btcLong, "BTC", "NOPE", 1),
		" "+eth))).ok()
	all := f.found(r)
	if len(all) != 2 || all[0].Index != 0 || all[1].Index != 2 || all[1].Asset != "ETH" ||
		all[1].Kind != journal.Batch {
		t.Fatalf("%d decisions", len(all))
	}
	var request map[string]any
	if err := json.Unmarshal(all[1].Request, &request); err != nil || request["asset"] != "ETH" {
		t.Errorf("%s %v", all[1].Request, err)
	}
	r = f.raw(f.sizeText("ETH", "long", `"target":{"max_score":70}`)).ok()
	all = f.found(r)
	if len(all) != 1 || all[0].Kind != journal.Size || all[0].SizeUSD != r.tree["size_usd"] {
		t.Errorf("size: %d decisions of %v USD, want %v", len(all), all[0].SizeUSD, r.tree["size_usd"])
	}
}

// gatedJournal is a gate that records its decisions.
func gatedJournal(t *testing.T, strict bool) *gated {
	g := newGated(t, func(c *gate.Config) { c.AnyNetwork = false })
	g.s.cfg.Journal = newJournal(t, func(c *journal.Config) { c.Strict = strict })
	g.warm()
	return g
}

// TestDecisionsOfTheGate: what passes, what is allowed and what is refused, with a journal that is strict and one that
// is not.
func TestDecisionsOfTheGate(t *testing.T) {
	for _, strict := range []bool{false, true} {
		g := gatedJournal(t, strict)
		status := 200
		if strict {
			status = 0
		}
		allowed := g.act(g.sign(order(true, "0.1", "67000", false), wire.Mainnet))
		g.passed("a small order", allowed)
		passed := g.act(g.sign(order(false, "0.1", "60000", true), wire.Mainnet))
		g.passed("an exit", passed)
		refused := g.act(g.sign(order(true, "900", "67000", false), wire.Mainnet))
		g.refused("a large order", refused, "")
		g.live.SetSwitch(&policy.Switch{On: true, Reason: "test"})
		killed := g.act(g.sign(order(true, "0.1", "67000", false), wire.Mainnet))
		g.refused("with the switch on", killed, "increases are stopped")
		for name, row := range map[string]struct {
			r      *reply
			did    string
			status int
			reason string
		}{
			"allowed": {allowed, "allowed", status, ""}, "passed": {passed, "passed", status, ""},
			"refused": {refused, "refused", 0, ""}, "killed": {killed, "refused", 0, "increases are stopped"},
		} {
			all := g.found(row.r)
			if len(all) != 1 {
				t.Errorf("%s: %d decisions", name, len(all))
				continue
			}
			d := all[0]
			assessed := row.did != "passed"
			if d.Gate == nil || d.Gate.Did != row.did || d.Gate.VenueStatus != row.status ||
				!strings.Contains(d.Gate.Reason, row.reason) || d.Gate.Type != "order" ||
				d.Gate.Signer != g.key.Address().String() || d.Wallet != g.account.String() ||
				(d.RiskScore != nil) != assessed || assessed != (d.Asset == "BTC") ||
				!strings.Contains(string(d.Request), `"orders"`) {
				t.Errorf("%s: %s", name, d.JSON())
			}
			if (name == "killed") != (d.Policy != nil && d.Policy.Broken[0].Rule == "kill_switch") {
				t.Errorf("%s: policy %v", name, d.Policy)
			}
		}
	}
}

// TestStrictGateWithoutDisk: no increase is handed on whose decision cannot be written, and exits pass.
func TestStrictGateWithoutDisk(t *testing.T) {
	g := newGated(t, nil)
	j := newJournal(t, func(j *journal.Config) { j.Strict = true; j.Store.Close() })
	g.s.cfg.Journal = j
	g.warm()
	g.refused("an increase", g.act(g.sign(order(true, "0.1", "67000", false), wire.Mainnet)),
		"could not be written to disk")
	g.passed("an exit", g.act(g.sign(order(false, "0.1", "60000", true), wire.Mainnet)))
	if s := j.Stats(); s.LastError == nil || s.Recorded != 0 {
		t.Errorf("%+v", s)
	}
}
