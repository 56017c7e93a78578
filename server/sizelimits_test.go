package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ballast/internal/race"
	"ballast/marketcache"
	"ballast/policy"
)

// widest are limits that are never broken, of every rule that bounds a size by a figure.
var widest = map[string]float64{
	"max_leverage": 1000, "max_order_usd": 1e12, "max_position_usd": 1e12, "max_gross_leverage": 1000,
	"max_asset_share_pct": 100, "max_score": 100, "max_probability_24h": 1, "max_probability_7d": 1,
	"min_liquidation_distance_pct": 0, "price_collar_pct": 100,
}

// put makes rules hold for a wallet.
func (a *sizeAsker) put(live *policy.Live, wallet string, rules any) {
	a.t.Helper()
	text, err := json.Marshal(rules)
	if err != nil {
		a.t.Fatal(err)
	}
	r, bad := policy.DecodeJSON(text)
	if bad != nil {
		a.t.Fatal(bad)
	}
	live.SetTable(policy.NewTable(nil, map[marketcache.Wallet]*policy.Policy{walletOf(wallet): {Rules: r, Revision: 7}}))
}

// drawnRules draws a policy that is near what a trade comes to.
func (a *sizeAsker) drawnRules(live *policy.Live, wallet string, q *sizeQuestion) map[string]any {
	a.t.Helper()
	a.put(live, wallet, widest)
	body := fmt.Sprintf(`%s,"size":%g}`, q.trade, math.Exp(4+8*a.r.Float64()))
	facts := a.call("POST /v1/validate", body).ok().tree["policy"].(map[string]any)["facts"].(map[string]any)
	rules := map[string]any{}
	for rule, widest := range widest {
		if x, known := facts[rule].(float64); known && a.r.IntN(7) == 0 {
			rules[rule] = min(x*(0.3+a.r.Float64()), cmp.Or(widest, 100))
		}
	}
	switch a.r.IntN(12) {
	case 0:
		rules["halt"] = true
	case 1:
		rules["denied_assets"] = []string{q.asset}
	case 2:
		rules["trades_per_day"] = 0
	case 3:
		rules["expires_at"] = "2020-01-01T00:00:00Z"
	}
	return rules
}

// passes checks that a size of an answer has the verdict pass.
func (a *sizeAsker) passes(what, rules string, tree map[string]any) {
	a.t.Helper()
	if verdict, violations := verdictOf(tree); verdict != "pass" {
		a.t.Errorf("%s under %s: %s %v", what, rules, verdict, violations)
	}
}

// Whatever an operator allows, each size of an answer has the verdict pass when it is validated, and what binds forbids
// one lot more.
func TestSizesKeepThePolicy(t *testing.T) {
	race.Sequential(t)
	f := newFixture(t, nil)
	a, live := &sizeAsker{f, rand.New(rand.NewPCG(2, 1))}, f.s.cfg.Policies.InForce()
	bound, met, limits := map[string]int{}, 0, 0
	for i := range 120 {
		if i == 10 {
			f.contract = nil // enough are checked
		}
		a.renew()
		w := a.wallet()
		q := a.question(w)
		drawn := a.drawnRules(live, w, &q)
		a.put(live, w, drawn)
		rules := fmt.Sprint(drawn)

		v := a.call("POST /v1/validate", fmt.Sprintf(`%s,"size":%g}`, q.trade, math.Exp(4+8*a.r.Float64()))).ok().tree
		sizing := v["sizing"].(map[string]any)
		if rule, _ := sizing["policy_rule"].(string); rule != "" {
			bound["sizing "+rule]++
		}
		for _, name := range []string{"suggested_size_usd", "max_safe_size_usd"} {
			if usd := figure(sizing, name); usd > 0 {
				again := a.call("POST /v1/validate", fmt.Sprintf(`%s,"size":%.12g}`, q.trade, usd)).ok().tree
				a.passes(fmt.Sprint(q.trade, " ", name, " ", usd), rules, again)
				if name[0] == 's' && again["recommendation"] != "proceed" {
					t.Errorf("%s %v under %s: %v", q.trade, usd, rules, again["recommendation"])
				}
				met++
			}
		}

		tree := a.call("POST /v1/size", q.body()).ok().tree
		coins, leverage, binding := figure(tree, "size_coin"), figure(tree, "leverage"), tree["binding"].(string)
		bound[binding]++
		a.stops(&q, leverage, coins, binding)
		if coins > 0 {
			v := a.validated(&q, leverage, "size_coin", coins)
			a.passes(q.body(), rules, v)
			if !q.meets(v) || len(refused(v)) > 0 {
				t.Errorf("%s under %s: %v, refused for %v", q.body(), rules, q.figure(v), refused(v))
			}
		}
		for _, rung := range tree["ladder"].([]any) {
			rung := rung.(map[string]any)
			leverage, coins := figure(rung, "leverage"), figure(rung, "size_coin")
			if limit, has := drawn["max_leverage"].(float64); has && leverage > limit*(1+1e-9) && coins > 0 {
				if v := a.validated(&q, leverage, "size_coin", coins); v["position"].(map[string]any)["after"] != nil {
					t.Errorf("%s under %s: rung %v", q.body(), rules, rung)
				}
			}
			if coins > 0 {
				a.passes(fmt.Sprint(q.body(), " rung ", leverage), rules, a.validated(&q, leverage, "size_coin", coins))
			}
		}
		for _, i := range []int{a.r.IntN(33), 32} {
			point := tree["curve"].([]any)[i].(map[string]any)
			rule, _ := point["policy_rule"].(string)
			verdict, violations := verdictOf(a.validated(&q, leverage, "size", figure(point, "size_usd")))
			if (rule != "") != (verdict != "pass") || rule != "" && !strings.Contains(fmt.Sprint(violations), rule) {
				t.Errorf("%s under %s: point %v has %s %v", q.body(), rules, point, verdict, violations)
			}
		}
		if a.limitBegins(&q, leverage, rules, tree) {
			limits++
		}
	}
	if limits < 10 {
		t.Errorf("%d curves reach the operator's limit: too few for this test", limits)
	}
	binds := 0
	for rule := range widest {
		binds += min(bound[rule]+bound["sizing "+rule], 3)
	}
	if met < 60 || binds < 20 {
		t.Errorf("%d sizes, bound by %v: too few for this test", met, bound)
	}
}

// limitBegins checks where the operator's limits begin to forbid, and reports whether that is above the smallest size.
func (a *sizeAsker) limitBegins(q *sizeQuestion, leverage float64, rules string, tree map[string]any) bool {
	a.t.Helper()
	points, limit, lot := tree["curve"].([]any), figure(tree, "policy_limit_usd"), math.Pow10(-q.digits)
	for _, point := range points {
		point := point.(map[string]any)
		if point["policy_rule"] != nil && (limit == 0 || figure(point, "size_usd") < limit-lot*q.mark*(1+1e-9)) {
			a.t.Errorf("%s under %s: limit %v, but point %v", q.body(), rules, limit, point)
		}
	}
	if limit <= figure(points[0].(map[string]any), "size_usd") {
		return false
	}
	lots := math.Round(limit / q.mark / lot)
	if verdict, _ := verdictOf(a.validated(q, leverage, "size_coin", lots*lot)); verdict == "pass" {
		a.t.Errorf("%s under %s: limit %v passes", q.body(), rules, limit)
	}
	a.passes(fmt.Sprint(q.body(), " below the limit ", limit), rules,
		a.validated(q, leverage, "size_coin", (lots-1)*lot))
	return true
}

// What bars every increase leaves no size but that of the position that the trade is against, and changes neither a
// close nor what the wallet is told to do.
func TestNoSizeWhereNothingMayIncrease(t *testing.T) {
	f, live := limited(t)
	closing := f.post(tradeOf("close", 1e6, "")).tree
	action := func() string {
		return fmt.Sprint(f.get("/v1/monitor/" + wallet).tree["positions"].([]any)[0].(map[string]any)["action"])
	}
	before := action()
	for _, row := range []struct {
		rules, binding string
		on             bool
	}{
		{`{"halt":true}`, "halt", false}, {`{"allowed_assets":["ETH"]}`, "allowed_assets", false},
		{`{"denied_assets":["BTC"]}`, "denied_assets", false}, {`{"orders_per_minute":0}`, "orders_per_minute", false},
		{`{"max_daily_loss_pct":50}`, "max_daily_loss_pct", false}, // not known here
		{`{"expires_at":"2020-01-01T00:00:00Z"}`, "expires_at", false}, {`{"max_order_usd":1}`, "max_order_usd", false},
		{`{"max_score":100}`, "kill_switch", true},
	} {
		f.warm()
		f.rules(live, row.rules)
		live.SetSwitch(&policy.Switch{On: row.on})
		sizing := f.post(tradeOf("long", 50000, "")).tree["sizing"].(map[string]any)
		if sizing["suggested_size_usd"] != 0.0 || sizing["max_safe_size_usd"] != 0.0 ||
			sizing["policy_rule"] != row.binding {
			t.Errorf("%s: %v", row.rules, sizing)
		}
		sizing = f.post(tradeOf("short", 50000, "")).tree["sizing"].(map[string]any) // the wallet is long 67,123.5
		if sizing["suggested_size_usd"] != 67123.5 || sizing["policy_rule"] != row.binding {
			t.Errorf("%s, against the position: %v", row.rules, sizing)
		}
		for _, action := range []string{"long", "short"} {
			got := f.call("POST /v1/size", `{"wallet":"`+wallet+`","asset":"BTC","action":"`+action+
				`","target":{"max_score":70}}`).ok().tree
			if (got["size_usd"] == 0.0) != (action == "long") || got["binding"] != row.binding {
				t.Errorf("%s %s: %v bound by %v", action, row.rules, got["size_usd"], got["binding"])
			}
		}
		if got := f.post(tradeOf("close", 1e6, "")).tree["sizing"]; fmt.Sprint(got) != fmt.Sprint(closing["sizing"]) {
			t.Errorf("%s: a close has %v, without limits %v", row.rules, got, closing["sizing"])
		}
		if got := action(); got != before {
			t.Errorf("%s: %s, without limits %s", row.rules, got, before)
		}
	}
}
