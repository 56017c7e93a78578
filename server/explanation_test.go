package server

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"ballast/marketcache"
)

// scoreReader recomputes a score from published data only: an explained answer and the numbers of
// /v1/model-info.
type scoreReader struct {
	constants, weights, withoutOI map[string]float64
	curves                        map[string][][2]float64
}

func (f *fixture) scoreReader() *scoreReader {
	info := f.get("/v1/model-info").tree
	r := &scoreReader{constants: map[string]float64{}, curves: map[string][][2]float64{}}
	numbers := func(tree any) map[string]float64 {
		m := map[string]float64{}
		for k, v := range tree.(map[string]any) {
			m[k] = v.(float64)
		}
		return m
	}
	r.weights, r.withoutOI = numbers(info["weights"]), numbers(info["weights_without_oi"])
	for _, c := range info["constants"].([]any) {
		c := c.(map[string]any)
		r.constants[c["name"].(string)] = c["value"].(float64)
	}
	for _, c := range info["curves"].([]any) {
		c := c.(map[string]any)
		for _, k := range c["knots"].([]any) {
			k, name := k.(map[string]any), c["name"].(string)
			r.curves[name] = append(r.curves[name], [2]float64{k["x"].(float64), k["y"].(float64)})
		}
	}
	return r
}

// at evaluates a curve: linear between knots, constant outside.
func (r *scoreReader) at(curve string, x float64) float64 {
	knots := r.curves[curve]
	if len(knots) == 0 {
		panic("no curve " + curve)
	}
	if x <= knots[0][0] {
		return knots[0][1]
	}
	for i := 1; i < len(knots); i++ {
		if a, b := knots[i-1], knots[i]; x < b[0] {
			return a[1] + (b[1]-a[1])*(x-a[0])/(b[0]-a[0])
		}
	}
	return knots[len(knots)-1][1]
}

// rawScore computes raw_score and those hard rules that can be computed from the answer.
func (r *scoreReader) rawScore(a map[string]any) (raw float64, rules map[string]float64, problem string) {
	c := func(name string) float64 {
		v, ok := r.constants[name]
		if !ok {
			panic("no constant " + name)
		}
		return v
	}
	x := a["explanation"].(map[string]any)
	number := func(block, field string) float64 { v, _ := a[block].(map[string]any)[field].(float64); return v }
	input := func(field string) float64 { v, _ := x["inputs"].(map[string]any)[field].(float64); return v }
	has := func(flag string) bool { return slices.Contains(a["flags"].([]any), any(flag)) }
	figures := map[string]map[string]float64{}
	for _, part := range x["components"].([]any) {
		part := part.(map[string]any)
		name := part["name"].(string)
		figures[name] = map[string]float64{}
		for k, v := range part["raw"].(map[string]any) {
			figures[name][k] = v.(float64)
		}
	}
	distance, atCap := figures["liquidation"]["distance_pct"], a["oi"].(map[string]any)["at_cap"].(bool)
	increases := figures["oi"]["increase_pct_of_oi"] > 0
	leverage := x["score_leverage"].(float64)
	if got, want := figures["var"]["margin_var_99_pct"], input("pct_99_24h")*leverage; got != want {
		problem += fmt.Sprintf("margin VaR %v, want %v; ", got, want)
	}
	if got, want := figures["liquidation"]["distance_over_var_99_24h"], distance/max(input("pct_99_24h"), c("min_daily_move_pct")); got != want {
		problem += fmt.Sprintf("distance over VaR %v, want %v; ", got, want)
	}

	worst := map[string]float64{}
	for name, raws := range figures {
		for field, v := range raws {
			worst[name] = max(worst[name], r.at(name+"."+field, v))
		}
	}
	if atCap && increases {
		worst["oi"] = c("score_at_cap")
	}
	if !a["funding"].(map[string]any)["agent_pays"].(bool) {
		worst["funding"] = 0
	}
	weights := r.weights
	if x["oi_cap_estimated"].(bool) {
		weights = r.withoutOI
	}
	sum, pairs := 0.0, 0.0
	var excesses []float64
	for name, w := range weights {
		sum += w * worst[name]
		if worst[name] > c("interaction_from") && w > 0 {
			excesses = append(excesses, (worst[name]-c("interaction_from"))/c("interaction_scale"))
		}
	}
	for i := range excesses {
		for _, other := range excesses[:i] {
			pairs += excesses[i] * other
		}
	}
	sum += c("max_interaction") * min(1, pairs/c("interaction_pairs"))

	value, loss := x["account_value"].(float64), x["portfolio_loss_99"].(float64)
	book := x["positions_after"].(float64) > 0 && value >= c("min_equity_usd")
	if book {
		sum += r.at("portfolio.loss_99_pct_of_account", 100*loss/max(value, c("min_ratio_usd")))
	}
	probabilities := x["regime_probabilities"].(map[string]any)
	crisis := probabilities["crisis"].(float64)
	sum += c("stressed_points")*(probabilities["stressed"].(float64)+crisis) + c("crisis_points")*crisis
	if !increases {
		return min(c("reduce_cap"), sum), nil, problem
	}

	when := func(on bool, constant string) float64 {
		if on {
			return c(constant)
		}
		return 0
	}
	rules = map[string]float64{
		"H1": r.at("H1.distance_over_var_99_4h", distance/max(input("pct_99_4h"), c("min_4h_move_pct"))),
		"H2": when(atCap, "floor_at_cap"),
		"H3": when(has("insufficient_margin"), "floor_margin_short"),
		"H4": r.at("H4.slippage_bps", figures["slippage"]["bps"]),
		"H5": when(has("tier_leverage_exceeded"), "floor_tier_leverage"),
		"H6": 0, "H7": r.at("H7.probability_24h", input("probability_24h")), "H7b": r.at("H7b.probability_7d", input("probability_7d")),
		"H8":  r.at("H8.stress_load", input("stress_load")),
		"H14": r.at("H14.funding_share", input("funding_share")),
		"H9":  when(has("negative_account_equity"), "floor_negative_equity"),
		"H10": r.at("H10.round_trip_bps", input("total_round_trip_cost_bps")),
		"H11": r.at("H11.participation_pct", input("participation_pct")),
		"H12": 0,
	}
	if book {
		rules["H6"] = r.at("H6.loss_99_over_account", loss/value)
	}
	if has("no_account_equity") {
		after := a["margin"].(map[string]any)["after"].(map[string]any)
		rules["H12"] = when(after["account_value"].(float64) > c("max_assumed_margin_usd"), "floor_big_deposit")
	}
	if p, known := x["inputs"].(map[string]any)["probability_24h"].(float64); known && math.Abs(p-number("liquidation", "probability_24h")) > 5e-10 {
		problem += "two probabilities; "
	}
	raw, others := sum, 0.0
	for name, floor := range rules {
		raw = max(raw, floor)
		if !slices.Contains([]string{"H1", "H6", "H7", "H7b", "H8"}, name) { // those are on the state of the book
			others = max(others, floor)
		}
	}
	if weight := x["hedge_weight"].(float64); weight > 0 {
		raw += weight * (min(raw, max(min(sum, x["score_before"].(float64), c("caution_up_to")), others)) - raw)
	}
	position := a["position"].(map[string]any)
	before, after := position["before"], position["after"]
	if before != nil && after != nil && a["margin"].(map[string]any)["delta_initial_usd"].(float64) < 0 {
		b, f := before.(map[string]any), after.(map[string]any)
		if b["side"] != f["side"] && f["notional_usd"].(float64) < b["notional_usd"].(float64) { // a flip to less
			raw = min(raw, max(c("caution_up_to"), others))
		}
	}
	return min(c("max_score"), raw), rules, problem
}

// raw_score can be recomputed from the answer and /v1/model-info to 1e-9, including each hard rule.
// Every raised flag has a meaning, and its figure has a unit.
func TestScoreFromItsExplanation(t *testing.T) {
	f := newFixture(t, nil)
	r := f.scoreReader()
	account := func(change func(*marketcache.Account)) {
		a := testAccount(walletOf(wallet))
		change(a)
		f.know(a)
	}
	empty := func(a *marketcache.Account) { a.Positions, a.CrossAccountValueUSD = nil, 0 }
	raised, units := map[string]bool{}, map[string]bool{}
	for _, row := range []struct {
		name, trade string
		account     func(*marketcache.Account)
		market      func()
	}{
		{"increase", `"asset":"BTC","action":"long","size":50000,"leverage":10`, nil, nil},
		{"reduction", `"asset":"BTC","action":"short","size":20000`, nil, nil},
		{"flip", `"asset":"BTC","action":"short","size":200000,"leverage":5`, nil, nil},
		{"close", `"asset":"ETH","action":"close","size":50000`, nil, nil},
		{"isolated", `"asset":"ISO","action":"long","size":5000,"leverage":10,"mode":"isolated"`, nil, nil},
		{"far too large", `"asset":"BTC","action":"long","size":9000000,"leverage":40`, nil, nil},
		{"the whole book", `"asset":"BTC","action":"long","size":90000000,"leverage":3`, empty, nil},
		{"over the tier", `"asset":"BTC","action":"long","size":100000000,"leverage":40`,
			func(a *marketcache.Account) {
				a.CrossAccountValueUSD, a.Positions[0].Units, a.Positions[0].ValueUSD = 1e8, 1000, 67123500
			}, nil},
		{"empty wallet", `"asset":"BTC","action":"short","size":50000,"leverage":20`, empty, nil},
		{"no equity left", `"asset":"BTC","action":"long","size":5000`, func(a *marketcache.Account) { a.CrossAccountValueUSD = -500 }, nil},
		{"a small account", `"asset":"BTC","action":"long","size":5000`, func(a *marketcache.Account) { a.CrossAccountValueUSD = 11000 }, nil},
		{"an observed cap", `"asset":"BTC","action":"long","size":50000`, nil,
			func() { f.cache.SetInterest(btc, &marketcache.OpenInterestStats{MaxUSD180d: 2e9, Days: 60}) }},
		{"at the cap", `"asset":"BTC","action":"long","size":50000`, nil,
			func() {
				f.cache.Caps(btc).Publish(marketcache.Cap{Reached: true}, marketcache.Now())
			}},
		{"much of a day's volume", `"asset":"ETH","action":"long","size":100000000`, nil, func() {
			f.cache.Contexts(eth).Publish(marketcache.Context{
				MarkPrice: 3456.78, OraclePrice: 3456.78, MidPrice: 3456.78, FundingRateHourly: 0.0000125, HasFunding: true,
				OpenInterestUnits: 1000, DayVolumeUSD: 10000, PrevDayPrice: 3456,
			}, marketcache.Now())
		}},
	} {
		change := row.account
		if change == nil {
			change = func(*marketcache.Account) {}
		}
		account(change)
		if row.market != nil {
			row.market()
		}
		reply := f.raw(f.request("POST", "/v1/validate?explain=true", `{`+row.trade+`,"wallet":"`+wallet+`"}`))
		if reply.status != 200 {
			t.Errorf("%s: %d %s", row.name, reply.status, reply.body)
			continue
		}
		x := reply.tree["explanation"].(map[string]any)
		raw, rules, problem := r.rawScore(reply.tree)
		if got := x["raw_score"].(float64); math.Abs(raw-got) > 1e-9 || problem != "" {
			t.Errorf("%s: raw_score %v, by hand %v %s\n%s", row.name, got, raw, problem, reply.body)
		}
		if got, want := reply.tree["risk_score"].(float64), math.Floor(raw*1e4+0.5)/1e4; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: risk_score %v, by hand %v", row.name, got, want)
		}
		for name, got := range x["hard_rules"].(map[string]any) {
			if math.Abs(got.(float64)-rules[name]) > 1e-9 {
				t.Errorf("%s: %s %v, by hand %v", row.name, name, got, rules[name])
			}
			raised[name] = raised[name] || rules[name] > 0
		}
		for _, flag := range x["flags"].([]any) {
			flag := flag.(map[string]any)
			if flag["meaning"] == "" || len(flag) != 6 {
				t.Errorf("%s: %v", row.name, flag)
			}
			units[flag["name"].(string)+" "+flag["unit"].(string)] = true
		}
	}
	for _, want := range []string{
		"high_leverage x", "high_leverage %", "low_volume USD", "insufficient_margin USD", "likely_liquidation fraction", "near_liquidation %", "oi_at_cap ",
		"thin_book USD",
	} {
		if !units[want] {
			t.Errorf("no flag with unit %q in %v", want, units)
		}
	}
	for _, name := range []string{"H1", "H2", "H3", "H4", "H5", "H6", "H7", "H7b", "H8", "H9", "H10", "H11", "H12"} {
		if !raised[name] {
			t.Errorf("no case has %s", name)
		}
	}
}
