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

// explained is an explained answer.
type explained struct {
	*scoreReader
	answer, x map[string]any                // the answer, and its explanation
	figures   map[string]map[string]float64 // by component
	increases bool                          // the trade increases the position
	book      bool                          // the portfolio counts
}

func (r *scoreReader) explained(answer map[string]any) *explained {
	a := &explained{scoreReader: r, answer: answer, x: answer["explanation"].(map[string]any)}
	a.figures = map[string]map[string]float64{}
	for _, part := range a.x["components"].([]any) {
		part := part.(map[string]any)
		name := part["name"].(string)
		a.figures[name] = map[string]float64{}
		for k, v := range part["raw"].(map[string]any) {
			a.figures[name][k] = v.(float64)
		}
	}
	a.increases = a.figures["oi"]["increase_pct_of_oi"] > 0
	a.book = a.x["positions_after"].(float64) > 0 && a.x["account_value"].(float64) >= r.c("min_equity_usd")
	return a
}

// c returns a constant.
func (r *scoreReader) c(name string) float64 {
	v, ok := r.constants[name]
	if !ok {
		panic("no constant " + name)
	}
	return v
}

func (a *explained) input(field string) float64 {
	v, _ := a.x["inputs"].(map[string]any)[field].(float64)
	return v
}

func (a *explained) flag(name string) bool {
	return slices.Contains(a.answer["flags"].([]any), any(name))
}

func (a *explained) block(name string) map[string]any { return a.answer[name].(map[string]any) }

// problem compares figures that the answer has twice.
func (a *explained) problem() (problem string) {
	distance, pct99 := a.figures["liquidation"]["distance_pct"], a.input("pct_99_24h")
	if got, want := a.figures["var"]["margin_var_99_pct"], pct99*a.x["score_leverage"].(float64); got != want {
		problem += fmt.Sprintf("margin VaR %v, want %v; ", got, want)
	}
	got, want := a.figures["liquidation"]["distance_over_var_99_24h"], distance/max(pct99, a.c("min_daily_move_pct"))
	if got != want {
		problem += fmt.Sprintf("distance over VaR %v, want %v; ", got, want)
	}
	p, known := a.x["inputs"].(map[string]any)["probability_24h"].(float64)
	if other, _ := a.block("liquidation")["probability_24h"].(float64); known && a.increases &&
		math.Abs(p-other) > 5e-10 {
		problem += "two probabilities; "
	}
	return problem
}

// components returns the worst score of each component.
func (a *explained) components() map[string]float64 {
	worst := map[string]float64{}
	for name, raws := range a.figures {
		for field, v := range raws {
			worst[name] = max(worst[name], a.at(name+"."+field, v))
		}
	}
	if a.block("oi")["at_cap"].(bool) && a.increases {
		worst["oi"] = a.c("score_at_cap")
	}
	if !a.block("funding")["agent_pays"].(bool) {
		worst["funding"] = 0
	}
	return worst
}

// sum returns the score before hard rules.
func (a *explained) sum() (sum float64) {
	worst, weights := a.components(), a.weights
	if a.x["oi_cap_estimated"].(bool) {
		weights = a.withoutOI
	}
	pairs := 0.0
	var excesses []float64
	for name, w := range weights {
		sum += w * worst[name]
		if worst[name] > a.c("interaction_from") && w > 0 {
			excess := (worst[name] - a.c("interaction_from")) / a.c("interaction_scale")
			for _, other := range excesses {
				pairs += excess * other
			}
			excesses = append(excesses, excess)
		}
	}
	sum += a.c("max_interaction") * min(1, pairs/a.c("interaction_pairs"))
	if value := a.x["account_value"].(float64); a.book {
		loss := a.x["portfolio_loss_99"].(float64)
		sum += a.at("portfolio.loss_99_pct_of_account", 100*loss/max(value, a.c("min_ratio_usd")))
	}
	probabilities := a.x["regime_probabilities"].(map[string]any)
	crisis := probabilities["crisis"].(float64)
	return sum + a.c("stressed_points")*(probabilities["stressed"].(float64)+crisis) + a.c("crisis_points")*crisis
}

// floors returns the hard rules of a trade that increases a position.
func (a *explained) floors() map[string]float64 {
	when := func(on bool, constant string) float64 {
		if on {
			return a.c(constant)
		}
		return 0
	}
	distance4h := a.figures["liquidation"]["distance_pct"] / max(a.input("pct_99_4h"), a.c("min_4h_move_pct"))
	rules := map[string]float64{
		"H1":  a.at("H1.distance_over_var_99_4h", distance4h),
		"H2":  when(a.block("oi")["at_cap"].(bool), "floor_at_cap"),
		"H3":  when(a.flag("insufficient_margin"), "floor_margin_short"),
		"H4":  a.at("H4.slippage_bps", a.figures["slippage"]["bps"]),
		"H5":  when(a.flag("tier_leverage_exceeded"), "floor_tier_leverage"),
		"H6":  0,
		"H7":  a.at("H7.probability_24h", a.input("probability_24h")),
		"H7b": a.at("H7b.probability_7d", a.input("probability_7d")),
		"H8":  a.at("H8.stress_load", a.input("stress_load")),
		"H14": a.at("H14.funding_share", a.input("funding_share")),
		"H9":  when(a.flag("negative_account_equity"), "floor_negative_equity"),
		"H10": a.at("H10.round_trip_bps", a.input("total_round_trip_cost_bps")),
		"H11": a.at("H11.participation_pct", a.input("participation_pct")),
		"H12": 0,
	}
	if a.book {
		rules["H6"] = a.at("H6.loss_99_over_account", a.x["portfolio_loss_99"].(float64)/a.x["account_value"].(float64))
	}
	if a.flag("no_account_equity") {
		after := a.block("margin")["after"].(map[string]any)
		rules["H12"] = when(after["account_value"].(float64) > a.c("max_assumed_margin_usd"), "floor_big_deposit")
	}
	return rules
}

// rawScore computes raw_score and those hard rules that can be computed from the answer.
func (a *explained) rawScore() (raw float64, rules map[string]float64) {
	sum := a.sum()
	if !a.increases {
		return min(a.c("reduce_cap"), sum), nil
	}
	rules = a.floors()
	raw, others := sum, 0.0
	for name, floor := range rules {
		raw = max(raw, floor)
		if !slices.Contains([]string{"H1", "H6", "H7", "H7b", "H8"}, name) { // those are on the state of the book
			others = max(others, floor)
		}
	}
	if weight := a.x["hedge_weight"].(float64); weight > 0 {
		least := max(min(sum, a.x["score_before"].(float64), a.c("caution_up_to")), others)
		raw += weight * (min(raw, least) - raw)
	}
	before, after := a.block("position")["before"], a.block("position")["after"]
	if before != nil && after != nil && a.block("margin")["delta_initial_usd"].(float64) < 0 {
		b, f := before.(map[string]any), after.(map[string]any)
		if b["side"] != f["side"] && f["notional_usd"].(float64) < b["notional_usd"].(float64) { // a flip to less
			raw = min(raw, max(a.c("caution_up_to"), others))
		}
	}
	return min(a.c("max_score"), raw), rules
}

// changeWallet changes the fixture's wallet.
func (f *fixture) changeWallet(change func(*marketcache.Account)) {
	a := testAccount(walletOf(wallet))
	if change != nil {
		change(a)
	}
	f.know(a)
}

// explainedTrades are trades that raise each hard rule. A change of the market stays for the trades after it.
var explainedTrades = []struct {
	name, trade string
	account     func(*marketcache.Account)
	market      func(*fixture)
}{
	{"increase", `"asset":"BTC","action":"long","size":50000,"leverage":10`, nil, nil},
	{"reduction", `"asset":"BTC","action":"short","size":20000`, nil, nil},
	{"flip", `"asset":"BTC","action":"short","size":200000,"leverage":5`, nil, nil},
	{"close", `"asset":"ETH","action":"close","size":50000`, nil, nil},
	{"isolated", `"asset":"ISO","action":"long","size":5000,"leverage":10,"mode":"isolated"`, nil, nil},
	{"far too large", `"asset":"BTC","action":"long","size":9000000,"leverage":40`, nil, nil},
	{"the whole book", `"asset":"BTC","action":"long","size":90000000,"leverage":3`, emptied, nil},
	{"over the tier", `"asset":"BTC","action":"long","size":100000000,"leverage":40`, func(a *marketcache.Account) {
		a.CrossAccountValueUSD, a.Positions[0].Units, a.Positions[0].ValueUSD = 1e8, 1000, 67123500
	}, nil},
	{"empty wallet", `"asset":"BTC","action":"short","size":50000,"leverage":20`, emptied, nil},
	{"no equity left", `"asset":"BTC","action":"long","size":5000`, func(a *marketcache.Account) {
		a.CrossAccountValueUSD = -500
	}, nil},
	{"a small account", `"asset":"BTC","action":"long","size":5000`, func(a *marketcache.Account) {
		a.CrossAccountValueUSD = 11000
	}, nil},
	{"an observed cap", `"asset":"BTC","action":"long","size":50000`, nil, func(f *fixture) {
		f.cache.SetInterest(btc, &marketcache.OpenInterestStats{MaxUSD180d: 2e9, Days: 60})
	}},
	{"at the cap", `"asset":"BTC","action":"long","size":50000`, nil, func(f *fixture) {
		f.cache.Caps(btc).Publish(marketcache.Cap{Reached: true}, marketcache.Now())
	}},
	{"much of a day's volume", `"asset":"ETH","action":"long","size":100000000`, nil, func(f *fixture) {
		market := marketOf(3456.78)
		market.OpenInterestUnits, market.DayVolumeUSD = 1000, 10000
		f.cache.Contexts(eth).Publish(market, marketcache.Now())
	}},
}

func emptied(a *marketcache.Account) { a.Positions, a.CrossAccountValueUSD = nil, 0 }

// raw_score can be recomputed from the answer and /v1/model-info to 1e-9, including each hard rule.
// Every raised flag has a meaning, and its figure has a unit.
func TestScoreFromItsExplanation(t *testing.T) {
	f := newFixture(t, nil)
	reader := f.scoreReader()
	raised, units := map[string]bool{}, map[string]bool{}
	for _, row := range explainedTrades {
		f.changeWallet(row.account)
		if row.market != nil {
			row.market(f)
		}
		body := `{` + row.trade + `,"wallet":"` + wallet + `"}`
		reply := f.raw(f.request("POST", "/v1/validate?explain=true", body)).ok()
		a := reader.explained(reply.tree)
		raw, rules := a.rawScore()
		if got := a.x["raw_score"].(float64); math.Abs(raw-got) > 1e-9 || a.problem() != "" {
			t.Errorf("%s: raw_score %v, by hand %v %s\n%s", row.name, got, raw, a.problem(), reply.body)
		}
		if got, want := reply.tree["risk_score"].(float64), math.Floor(raw*1e4+0.5)/1e4; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: risk_score %v, by hand %v", row.name, got, want)
		}
		for name, got := range a.x["hard_rules"].(map[string]any) {
			if math.Abs(got.(float64)-rules[name]) > 1e-9 {
				t.Errorf("%s: %s %v, by hand %v", row.name, name, got, rules[name])
			}
			raised[name] = raised[name] || rules[name] > 0
		}
		for _, flag := range a.x["flags"].([]any) {
			flag := flag.(map[string]any)
			if flag["meaning"] == "" || len(flag) != 6 {
				t.Errorf("%s: %v", row.name, flag)
			}
			units[flag["name"].(string)+" "+flag["unit"].(string)] = true
		}
	}
	for _, want := range []string{
		"high_leverage x", "high_leverage %", "low_volume USD", "insufficient_margin USD",
		"likely_liquidation fraction", "near_liquidation %", "oi_at_cap ", "thin_book USD",
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
