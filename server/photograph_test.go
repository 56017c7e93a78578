package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ballast/internal/store"
	wire "ballast/marketcache/venue/exchange"
	"ballast/policy"
	"ballast/server/journal"
	"ballast/server/photo"
)

// again computes the answers of a reply again from what was kept, and reports any that is not what was sent.
func (f *fixture) again(r *reply, db *store.Main, replayer *photo.Replayer) (count int) {
	f.t.Helper()
	parts := []json.RawMessage{r.body}
	if list, is := r.tree["results"]; is {
		var batch struct{ Results []json.RawMessage }
		if err := json.Unmarshal(r.body, &batch); err != nil || len(batch.Results) != len(list.([]any)) {
			f.t.Fatal(err)
		}
		parts = batch.Results
	}
	kept := journal.NewPhotographs(db)
	for _, d := range f.found(r) {
		p, err := kept.Of(d)
		if err != nil || !d.Photographed {
			f.t.Fatalf("%s: %v", r.line, err)
		}
		answer, err := replayer.Answer(p)
		if err != nil {
			f.t.Fatalf("%s: %v", r.line, err)
		}
		if difference, err := photo.Compare(parts[d.Index], answer); difference != nil || err != nil {
			f.t.Errorf("%s: %+v %v\n%s\n%s", r.line, difference, err, parts[d.Index], answer)
		}
		if string(p.Answer) != string(parts[d.Index]) {
			f.t.Errorf("%s: kept\n%s\nsent\n%s", r.line, p.Answer, parts[d.Index])
		}
		count++
	}
	return count
}

// TestPhotographs: every answer that is recorded can be computed again from what is kept of it, byte for byte: in every
// view, with and without a policy, of every route.
func TestPhotographs(t *testing.T) {
	for _, rules := range []string{"", `{"max_order_usd":1000,"trades_per_day":1,"max_daily_loss_pct":5}`} {
		photographs(t, rules)
	}
}

func photographs(t *testing.T, rules string) {
	var db *store.Main
	f := warmFixture(t, func(c *Config) {
		c.Journal = newJournal(t, func(j *journal.Config) { j.Mode, db = journal.Full, j.Store })
	})
	if rules != "" {
		f.rules(f.s.cfg.Policies.InForce(), rules)
	}
	coin := strings.Replace(trade("ETH"), `"size":50000`, `"size_coin":3`, 1)
	limit := strings.Replace(trade("BTC"), "{", `{"order":{"type":"limit","price":67000,"stop_loss_price":60000},`, 1)
	closes := `{"asset":"BTC","action":"close","size":1000,"wallet":"` + wallet + `"}`
	sizes := `{"asset":"BTC","action":"long","wallet":"` + wallet + `","target":{"max_score":40}}`
	replayer, count := photo.NewReplayer(), 0
	for _, view := range []string{"", "?view=compact", "?explain=true"} {
		for _, body := range []string{trade("BTC"), coin, limit, closes, withSimulation(trade("ETH"))} {
			count += f.again(f.call("POST /v1/validate"+view, body).ok(), db, replayer)
		}
		batch := batchOf(btcLong, strings.Replace(btcLong, "BTC", "NOPE", 1), btcLong, withSimulation(btcLong),
			strings.Replace(btcLong, "long", "short", 1))
		count += f.again(f.call("POST /v1/validate/batch"+view, batch).ok(), db, replayer)
		count += f.again(f.call("POST /v1/size"+view, sizes).ok(), db, replayer)
	}
	if want := 3 * (5 + 4 + 1); count != want {
		t.Errorf("%d answers, want %d", count, want)
	}
	r := f.post(trade("BTC"), "X-Request-Id: twice").ok()
	f.post(coin, "X-Request-Id: twice").ok()
	if count := f.again(f.post(trade("ETH"), "X-Request-Id: twice").ok(), db, replayer); count != 1 {
		t.Errorf("%d decisions of the newest request with an id: %s", count, fmt.Sprint(r.tree))
	}
}

// TestPhotographsOfTheGate: what an action was judged by is kept, of its order that was assessed last, and gives the
// same answer again; what passed unjudged has no photograph.
func TestPhotographsOfTheGate(t *testing.T) {
	for _, strict := range []bool{false, true} {
		var db *store.Main
		g := gatedJournal(t, strict)
		g.s.cfg.Journal = newJournal(t, func(c *journal.Config) { c.Strict, c.Mode, db = strict, journal.Full, c.Store })
		both := order(true, "0.1", "67000", false)
		both.Orders = append(both.Orders, order(false, "0.2", "67100", false).Orders...)
		allowed := g.act(g.sign(order(true, "0.1", "67000", false), wire.Mainnet))
		twoWays := g.act(g.sign(both, wire.Mainnet))
		passed := g.act(g.sign(order(false, "0.1", "60000", true), wire.Mainnet))
		refused := g.act(g.sign(order(true, "900", "67000", false), wire.Mainnet))
		g.limit(`{"trades_per_day":1,"max_daily_loss_pct":5}`)
		limited := g.act(g.sign(order(true, "0.1", "67000", false), wire.Mainnet))
		g.live.SetSwitch(&policy.Switch{On: true, Reason: "test"})
		killed := g.act(g.sign(order(true, "0.1", "67000", false), wire.Mainnet))
		for name, row := range map[string]struct {
			r        *reply
			did, has string
		}{
			"allowed":  {allowed, "allowed", `"recommendation":"proceed`},
			"two ways": {twoWays, "allowed", `"recommendation":"proceed`},
			"refused":  {refused, "refused", `"recommendation":"abort"`},
			"limited":  {limited, "refused", `"rule":"trades_per_day"`}, "killed": {killed, "refused", `"kill_switch"`},
		} {
			all := g.found(row.r)
			if len(all) != 1 || all[0].Gate.Did != row.did || !all[0].Photographed {
				t.Fatalf("%s: %d decisions, %s", name, len(all), row.r.body)
			}
			p, err := journal.NewPhotographs(db).Of(all[0])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			answer, err := photo.NewReplayer().Answer(p)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if difference, err := photo.Compare(p.Answer, answer); difference != nil || err != nil {
				t.Errorf("%s: %+v %v\n%s\n%s", name, difference, err, p.Answer, answer)
			}
			var told struct {
				RiskScore float64 `json:"risk_score"`
			}
			if err := json.Unmarshal(p.Answer, &told); err != nil || told.RiskScore != *all[0].RiskScore ||
				!strings.Contains(string(p.Answer), row.has) {
				t.Errorf("%s: %v, kept %s", name, err, p.Answer)
			}
		}
		if d := g.found(passed); len(d) != 1 || d[0].Photographed {
			t.Errorf("an exit: %s", d[0].JSON())
		}
	}
}
