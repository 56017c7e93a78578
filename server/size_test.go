package server

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"ballast/internal/race"
	"ballast/marketcache"
)

// sizeAsker draws questions for sizes and validates the answers.
type sizeAsker struct {
	*fixture
	r *rand.Rand
}

// sizeQuestion is a question, and its trade without the closing brace.
type sizeQuestion struct {
	asset, trade     string
	leverage         int // 0: left out
	target           string
	limit, max, mark float64
	digits           int
}

var sizeTargets = []string{"max_score", "max_probability_24h", "max_loss_99_pct_of_account", "max_breakeven_pct"}

// wallet stores a wallet with a random state and returns its address.
func (a *sizeAsker) wallet() string {
	w := walletOf(fmt.Sprintf("0x%040x", a.r.Uint64()))
	account := testAccount(w)
	account.CrossAccountValueUSD = math.Exp(6 + 8*a.r.Float64())
	account.Positions = nil
	if a.r.IntN(12) == 0 {
		account.CrossAccountValueUSD = 0
	}
	for _, p := range testAccount(w).Positions {
		if a.r.IntN(3) > 0 {
			continue
		}
		usd := max(account.CrossAccountValueUSD, 100) * math.Exp(2*a.r.Float64()-1)
		mark := p.ValueUSD / math.Abs(p.Units)
		p.Units, p.ValueUSD = math.Copysign(usd/mark, a.r.Float64()-0.5), usd
		p.Leverage = float64(2 + a.r.IntN(20))
		if a.r.IntN(3) == 0 {
			p.Isolated, p.RawUSD = true, usd/p.Leverage-p.Units*mark
			p.MarginUsedUSD = usd / p.Leverage
		}
		account.Positions = append(account.Positions, p)
	}
	account.Settings = []marketcache.LeverageSetting{}
	for id := range marketcache.AssetID(assetCount) {
		account.Settings = append(account.Settings, marketcache.LeverageSetting{
			Asset: id, Leverage: float64(1 + a.r.IntN(10)), ModeKnown: true, Isolated: a.r.IntN(4) == 0,
			Read: account.Received,
		})
	}
	a.know(account)
	return w.String()
}

// renew publishes the markets again, so that they stay fresh.
func (a *sizeAsker) renew() {
	for id, mark := range map[marketcache.AssetID]float64{btc: 67123.5, eth: 3456.78, iso: 1.2345} {
		publish(a.cache, id, marketOf(mark), marketcache.Now())
	}
}

// question draws a question about a wallet.
func (a *sizeAsker) question(wallet string) (q sizeQuestion) {
	assets := []sizeQuestion{
		{asset: "BTC", max: 40, mark: 67123.5, digits: 5}, {asset: "ETH", max: 40, mark: 3456.78, digits: 4},
		{asset: "ISO", max: 10, mark: 1.2345},
	}
	q = assets[a.r.IntN(len(assets))]
	q.trade = fmt.Sprintf(`{"wallet":%q,"asset":%q,"action":%q`, wallet, q.asset, []string{"long",
		"short"}[a.r.IntN(2)])
	if q.asset == "ISO" || a.r.IntN(3) == 0 {
		q.trade += `,"mode":"isolated"`
	} else if a.r.IntN(2) == 0 {
		q.trade += `,"mode":"cross"`
	}
	if a.r.IntN(2) == 0 {
		q.leverage = 1 + a.r.IntN(int(q.max))
	}
	target := a.r.IntN(len(sizeTargets))
	q.target = sizeTargets[target]
	q.limit = []float64{10 + 85*a.r.Float64(), math.Pow(10, -4*a.r.Float64()), 60 * a.r.Float64(),
		0.5 * a.r.Float64()}[target]
	q.limit = math.Round(q.limit*1e6)/1e6 + 1e-6
	return q
}

func (q *sizeQuestion) body() string {
	body := q.trade
	if q.leverage > 0 {
		body += `,"leverage":` + strconv.Itoa(q.leverage) + `,"ladder":true`
	}
	return body + `,"target":{"` + q.target + `":` + strconv.FormatFloat(q.limit, 'f', -1, 64) + `}}`
}

// validated is the validation of a number of coins or USD with a leverage.
func (a *sizeAsker) validated(q *sizeQuestion, leverage float64, unit string, size float64) map[string]any {
	a.t.Helper()
	body := q.trade + `,"leverage":` + strconv.FormatFloat(leverage, 'f', -1, 64) + `,"` + unit + `":` +
		strconv.FormatFloat(size, 'f', -1, 64) + `}`
	return a.call("POST /v1/validate?explain=true", body).ok().tree
}

// figure is what a validation has of the figure that the target bounds.
func (q *sizeQuestion) figure(tree map[string]any) float64 {
	switch q.target {
	case "max_score":
		return figure(tree, "risk_score")
	case "max_probability_24h":
		return figure(tree, "liquidation", "probability_24h")
	case "max_loss_99_pct_of_account":
		x := tree["explanation"].(map[string]any)
		return 100 * figure(x, "portfolio_loss_99") / max(figure(x, "account_value"), 1)
	}
	return figure(tree, "cost_analysis", "breakeven_move_pct")
}

// meets reports whether a figure is within the limit, to the precision of the sums that a reader makes.
func (q *sizeQuestion) meets(tree map[string]any) bool {
	return q.figure(tree) <= q.limit*(1+1e-9)+1e-9
}

// misses reports whether a figure is beyond the limit, to the same precision.
func (q *sizeQuestion) misses(tree map[string]any) bool { return q.figure(tree) > q.limit*(1-1e-12) }

// refused lists the rules by which the venue refuses a validated order.
func refused(tree map[string]any) (codes []string) {
	a := tree["admissibility"].(map[string]any)
	if a["verdict"] != "will_reject" {
		return nil
	}
	for _, issue := range a["issues"].([]any) {
		codes = append(codes, issue.(map[string]any)["code"].(string))
	}
	return codes
}

// stops reports whether one lot more than a number of coins is what binding says.
func (a *sizeAsker) stops(q *sizeQuestion, leverage, coins float64, binding string) {
	a.t.Helper()
	lot := math.Pow10(-q.digits)
	lots := math.Round(coins/lot) + 1
	if coins == 0 {
		lots = math.Ceil(10 / (lot * q.mark) * (1 - 1e-9))
	}
	more := lots / math.Pow10(q.digits)
	if more*q.mark > 1e8 {
		if binding != "max_size" {
			a.t.Errorf("%s: %v coins are stopped by %s", q.body(), coins, binding)
		}
		return
	}
	tree := a.validated(q, leverage, "size_coin", more)
	codes := refused(tree)
	ok := binding == q.target && q.misses(tree)
	for _, code := range codes {
		ok = ok || code == binding
	}
	_, violations := verdictOf(tree)
	for _, v := range violations {
		ok = ok || strings.HasPrefix(v, binding+" ")
	}
	if !ok {
		a.t.Errorf("%s: after %v coins at %vx %s binds, but one lot more has %v, refused for %v, violates %v", q.body(),
			coins, leverage, binding, q.figure(tree), codes, violations)
	}
}

// Each answer meets its target when validated, and one lot more does not; each rung and each point of the curve
// validates as it says.
func TestSizesValidate(t *testing.T) {
	race.Sequential(t)
	f := newFixture(t, nil)
	a := &sizeAsker{f, rand.New(rand.NewPCG(1, 1))}
	found := map[string]int{}
	for i := range 150 {
		if i == 10 {
			f.contract = nil // enough are checked
		}
		a.renew()
		q := a.question(a.wallet())
		tree := a.call("POST /v1/size", q.body()).ok().tree
		coins, leverage := figure(tree, "size_coin"), figure(tree, "leverage")
		if q.leverage > 0 && leverage != float64(q.leverage) {
			t.Errorf("%s: answers %vx", q.body(), leverage)
		}
		found[tree["binding"].(string)]++
		if coins > 0 {
			found[q.target+" met"]++
			v := a.validated(&q, leverage, "size_coin", coins)
			if codes := refused(v); !q.meets(v) || len(codes) > 0 || tree["nearest"] != nil {
				t.Errorf("%s: %v coins at %vx have %v, limit %v, refused for %v", q.body(), coins, leverage,
					q.figure(v), q.limit, codes)
			}
			for _, block := range []string{"liquidation", "var", "risk_score", "admissibility"} {
				if got := tree["assessment"].(map[string]any)[block]; fmt.Sprint(got) != fmt.Sprint(v[block]) {
					t.Errorf("%s: %s %v, validated %v", q.body(), block, got, v[block])
				}
			}
		} else if near, _ := tree["nearest"].(map[string]any); near == nil {
			t.Errorf("%s: neither a size nor the nearest", q.body())
		}
		a.stops(&q, leverage, coins, tree["binding"].(string))
		a.checkLadder(&q, tree)
		a.checkCurve(&q, tree)
	}
	for _, what := range sizeTargets {
		if found[what] < 6 || found[what+" met"] < 6 {
			t.Errorf("%s binds %d times, is met %d times: too few for this test", what, found[what], found[what+" met"])
		}
	}
	t.Log(found)
}

// checkLadder validates the rungs.
func (a *sizeAsker) checkLadder(q *sizeQuestion, tree map[string]any) {
	a.t.Helper()
	before, largest := 0.0, figure(tree, "size_usd")
	for _, rung := range tree["ladder"].([]any) {
		rung := rung.(map[string]any)
		leverage, coins := figure(rung, "leverage"), figure(rung, "size_coin")
		if leverage <= before || leverage > q.max {
			a.t.Errorf("%s: a rung of %vx after %vx", q.body(), leverage, before)
		}
		before = leverage
		if size := figure(rung, "size_usd"); q.leverage == 0 && (size > largest ||
			size == largest && leverage < figure(tree, "leverage")) {
			a.t.Errorf("%s: the rung of %vx has %v, the answer %v", q.body(), leverage, size, largest)
		}
		a.stops(q, leverage, coins, rung["binding"].(string))
		if coins == 0 {
			continue
		}
		v := a.validated(q, leverage, "size_coin", coins)
		after := v["position"].(map[string]any)["after"]
		price := v["liquidation"].(map[string]any)["price"]
		if price == 0.0 {
			price = nil
		}
		if rung["risk_score"] != v["risk_score"] || rung["liquidation_price"] != price ||
			rung["probability_24h"] != v["liquidation"].(map[string]any)["probability_24h"] ||
			after != nil && rung["mode"] != after.(map[string]any)["mode"] || !q.meets(v) || len(refused(v)) > 0 {
			a.t.Errorf("%s: rung %v, validated score %v, liquidation %v, refused for %v", q.body(), rung,
				v["risk_score"], v["liquidation"], refused(v))
		}
	}
}

// checkCurve validates some points, and where the venue begins to refuse.
func (a *sizeAsker) checkCurve(q *sizeQuestion, tree map[string]any) {
	a.t.Helper()
	points, leverage := tree["curve"].([]any), figure(tree, "leverage")
	if len(points) != 33 {
		a.t.Fatalf("%s: %d points", q.body(), len(points))
	}
	for _, i := range []int{0, 1 + a.r.IntN(31), 32} {
		point := points[i].(map[string]any)
		v := a.validated(q, leverage, "size", figure(point, "size_usd"))
		for name, got := range map[string]float64{
			"risk_score":               figure(v, "risk_score"),
			"probability_24h":          figure(v, "liquidation", "probability_24h"),
			"liquidation_distance_pct": figure(v, "liquidation", "distance_pct"),
			"entry_cost_bps":           figure(v, "cost_analysis", "total_entry_cost_bps"),
		} {
			if math.Abs(figure(point, name)-got) > 1e-4*(1+math.Abs(got)) { // the size is rounded
				a.t.Errorf("%s: point %v, validated %s is %v", q.body(), point, name, got)
			}
		}
		if rule, _ := point["rule"].(string); rule != "" {
			rules := v["explanation"].(map[string]any)["hard_rules"].(map[string]any)
			if math.Abs(figure(v, "risk_score")-figure(rules, rule)) > 1e-3 {
				a.t.Errorf("%s: %s sets the score of %v, hard rules %v", q.body(), rule, point, rules)
			}
		}
	}
	limit, last := figure(tree, "venue_limit_usd"), figure(points[32].(map[string]any), "size_usd")
	if limit == 0 {
		if v := a.validated(q, leverage, "size", last); len(refused(v)) > 0 {
			a.t.Errorf("%s: no limit within %v, but the venue refuses for %v", q.body(), last, refused(v))
		}
	} else if limit > last*(1+1e-9) || len(refused(a.validated(q, leverage, "size", limit*(1+1e-9)))) == 0 {
		a.t.Errorf("%s: limit %v of %v is not refused", q.body(), limit, last)
	}
}

// sizeAnswers asks for sizes, so that every field occurs.
func (f *fixture) sizeAnswers() {
	question := strings.Replace(trade("ETH"), `"size":50000,"leverage":10`, `"target":{"max_score":90}`, 1)
	f.call("POST /v1/size", question).ok(`"ladder":[{"leverage":1,"mode":"cross"`, `"nearest":null`)
	stop := strings.Replace(question, `"target"`, `"order":{"stop_loss_price":3000},"target"`, 1)
	f.call("POST /v1/size", stop).ok(`"stop_loss":{`)
	none := strings.Replace(strings.Replace(question, "90", "1", 1), "ETH", "BTC", 1)
	f.call("POST /v1/size?view=compact", none).ok(`"size_usd":0,`, `"limit":1}`)
}

// The prices that are to close the position are of the side to which the order turns it: sizes begin beyond the
// position on the other side, and each of them validates. On the wrong side of the mark no size would.
func TestSizesOfAnOrderWithAStop(t *testing.T) {
	f := warmFixture(t, nil)
	a := &sizeAsker{f, rand.New(rand.NewPCG(1, 1))} // the wallet is long 67,123.5 USD
	for _, row := range []struct{ action, order, field string }{
		{"long", `"stop_loss_price":70000`, "order.stop_loss_price"},
		{"short", `"stop_loss_price":60000`, "order.stop_loss_price"},
		{"short", `"take_profit_price":70000`, "order.take_profit_price"},
		{"long", `"stop_loss_price":60000,"take_profit_price":70000`, ""},
		{"short", `"stop_loss_price":70000,"take_profit_price":60000`, ""},
	} {
		for _, limit := range []float64{1, 90} {
			q := sizeQuestion{asset: "BTC", target: "max_score", limit: limit, leverage: 3, max: 40}
			q.trade = `{"wallet":"` + wallet + `","asset":"BTC","action":"` + row.action +
				`","order":{` + row.order + `}`
			r := a.call("POST /v1/size", q.body())
			if row.field != "" {
				r.want(400, "validation_error").holds("field", row.field)
				continue
			}
			sizes := []float64{figure(r.ok().tree, "size_usd")}
			for _, point := range r.tree["curve"].([]any) {
				sizes = append(sizes, figure(point.(map[string]any), "size_usd"))
			}
			if row.action == "short" && sizes[1] <= 67123.5 {
				t.Errorf("%s: the smallest size is %v", q.body(), sizes[1])
			}
			for _, size := range sizes {
				if size > 0 {
					a.validated(&q, 3, "size", size)
				}
			}
			if (sizes[0] > 0) != (limit == 90) {
				t.Errorf("%s: size %v", q.body(), sizes[0])
			}
		}
	}
}

// Mistakes in a question are named all at once, with what would mend them.
func TestSizeRefuses(t *testing.T) {
	f := warmFixture(t, nil)
	const trade = `"asset":"BTC","action":"long"`
	for _, row := range []struct{ members, field, detail string }{
		{trade, "target", "missing field: target"},
		{trade + `,"target":40`, "target", "field target must be an object"},
		{trade + `,"target":{}`, "target", "target is empty, want exactly one of max_score, max_probability_24h, " +
			"max_loss_99_pct_of_account, max_breakeven_pct"},
		{trade + `,"target":{"max_score":40,"max_breakeven_pct":1}`, "target",
			"target has max_score and max_breakeven_pct, want exactly one"},
		{trade + `,"target":{"max_scor":40}`, "target.max_scor", "unknown field: target.max_scor"},
		{trade + `,"target":{"max_score":"40"}`, "target.max_score", "field target.max_score must be a number"},
		{trade + `,"target":{"max_score":0}`, "target.max_score", "max_score must be above 0 and at most 100, got 0"},
		{trade + `,"target":{"max_probability_24h":5}`, "target.max_probability_24h",
			"max_probability_24h must be above 0 and at most 1, got 5"},
		{trade + `,"target":{"max_score":40},"size":5`, "size",
			"size is given, but the size is what this request asks for"},
		{trade + `,"target":{"max_score":40},"size_coin":"5"`, "size_coin",
			"size_coin is given, but the size is what this request asks for"},
		{`"asset":"BTC","action":"close","target":{"max_score":40}`, "action",
			"a close has no largest size: the whole position may always go"},
		{trade + `,"target":{"max_score":40},"monte_carlo":true`, "monte_carlo",
			"sizes are searched without a simulation: validate the answer for one"},
		{trade + `,"target":{"max_score":40},"order":{"type":"limit","price":5}`, "order.type",
			"sizes are searched for market orders: validate the answer as a limit order"},
		{trade + `,"target":{"max_score":40},"order":{"reduce_only":true}`, "order.reduce_only",
			"an order that only reduces has no largest size: the whole position may always go"},
		{trade + `,"target":{"max_score":40},"order":{"stop":5}`, "order.stop", "unknown field: order.stop"},
		{trade + `,"target":{"max_score":40},"order":5`, "order", "field order must be an object"},
		{trade + `,"target":{"max_score":40},"curve":"no"`, "curve", "field curve must be a boolean"},
		{trade + `,"target":{"max_score":40},"ladder":0`, "ladder", "field ladder must be a boolean"},
		{trade + `,"target":{"max_score":40},"leverage":41`, "leverage", "leverage 41 exceeds maximum 40"},
		{trade + `,"goal":1,"target":{"max_score":40}`, "goal", "unknown field: goal"},
	} {
		f.call("POST /v1/size", `{"wallet":"`+wallet+`",`+row.members+`}`).want(400, "validation_error").
			holds("field", row.field, "detail", row.detail)
	}
	r := f.call("POST /v1/size", `{"wallet":"`+wallet+`","asset":"btc","action":"close","size":1,"curve":"no",`+
		`"target":{"max_probability_24h":5,"max_scor":1,"max_score":"40"}}`)
	want := map[string]any{"size": "leave it out", "asset": "BTC", "curve": false, "target.max_probability_24h": 0.05,
		"target.max_scor": "max_score", "target.max_score": 40.0, "action": nil}
	problems, _ := r.tree["problems"].([]any)
	for _, p := range problems {
		p := p.(map[string]any)
		if name := p["field"].(string); p["suggestion"] != want[name] {
			t.Errorf("%v, want %v", p, want[name])
		}
	}
	if len(problems) != len(want) {
		t.Errorf("%d problems, want %d: %s", len(problems), len(want), r.body)
	}
	r = f.call("POST /v1/size", `{"wallet":"`+wallet+`",`+trade+`,"target":{"max_score":1,"max_score":2}}`)
	r.holds("error", "invalid_json", "field", "target.max_score")
}
