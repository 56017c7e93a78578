package backtest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ballast/marketcache"
)

func runScore(t *testing.T, bars []marketcache.Bar, file string) *ScoreRun {
	t.Helper()
	r, err := RunScore(bars, file, nil)
	if err != nil {
		t.Fatal(file, err)
	}
	return r
}

// whatHappened is the common part of a row of every table of a ScoreResult.
type whatHappened struct {
	name                    string
	n, liquidated, lostHalf int
	probability             float64
}

func rowsOf(r *ScoreResult) (rows []whatHappened) {
	for _, d := range r.Deciles {
		rows = append(rows, whatHappened{fmt.Sprintf("score %d-%d", d.From, d.To), d.N, d.Liquidated, d.LostHalf,
			d.MeanProbability})
	}
	for _, b := range r.Bands {
		rows = append(rows, whatHappened{b.Recommendation, b.N, b.Liquidated, b.LostHalf, b.MeanProbability})
	}
	for _, b := range r.Reliability {
		rows = append(rows, whatHappened{fmt.Sprintf("chance %v-%v", b.From, b.To), b.N, b.Liquidated, 0,
			b.MeanProbability})
	}
	for _, b := range r.Bands {
		rows = append(rows, whatHappened{b.Recommendation + " week", b.N7d, b.Liquidated7d, 0, b.MeanProbability7d})
	}
	for _, b := range r.Reliability7d {
		rows = append(rows, whatHappened{fmt.Sprintf("week %v-%v", b.From, b.To), b.N, b.Liquidated, 0,
			b.MeanProbability})
	}
	return rows
}

// gate fails the test unless the score and the probability of liquidation meet the requirements of
// docs/model.md.
func gate(t *testing.T, r *ScoreResult) {
	t.Helper()
	rate := func(o Outcomes) float64 { return float64(o.Liquidated) / float64(max(1, o.N)) }
	for i, in := range [][2]float64{{0, 0.005}, {0, 0.06}, {0.15, 1}} {
		b := r.Bands[i]
		if x := rate(b.Outcomes); b.N < 100 || x < in[0] || x > in[1] {
			t.Errorf("%s: %d of %d liquidated, %.2f %%, want %.1f to %.1f %%",
				b.Recommendation, b.Liquidated, b.N, 100*x, 100*in[0], 100*in[1])
		}
	}
	const factor, events = 1.35, 30
	judged := 0
	for _, b := range r.Reliability {
		if b.From < 0.005 || b.Liquidated < events {
			continue
		}
		judged++
		if x := float64(b.Liquidated) / float64(b.N) / b.MeanProbability; x > factor || x < 1/factor {
			t.Errorf("probability %v to %v: %.3f %% of %d were liquidated, %.3f %% were forecast",
				b.From, b.To, 100*float64(b.Liquidated)/float64(b.N), b.N, 100*b.MeanProbability)
		}
	}
	if judged < 4 {
		t.Errorf("only %d bins have at least %d liquidations", judged, events)
	}
	if r.Brier >= r.BrierBase || r.AUC < 0.85 || r.AUCScore < 0.85 {
		t.Errorf("Brier %v against %v, AUC %v, of the score %v", r.Brier, r.BrierBase, r.AUC, r.AUCScore)
	}
	for i := 1; i < len(r.Deciles); i++ {
		if a, b := r.Deciles[i-1], r.Deciles[i]; a.N >= 1000 && b.N >= 1000 && rate(b.Outcomes) < rate(a.Outcomes) {
			t.Errorf("fewer are liquidated at scores %d to %d than at lower scores", b.From, b.To)
		}
	}
}

// stormy returns n hours of a market with hourly GARCH(1,1) volatility and occasional jumps, from
// 00:00 UTC. Each hour consists of small steps, so that its range and its return are consistent.
func stormy(seed uint64, n int) []marketcache.Bar {
	const (
		daily              = 0.04 // standard deviation of a day
		alpha, beta        = 0.06, 0.93
		jumpsAnHour, steps = 0.0008, 20
	)
	rng := rand.New(rand.NewPCG(seed, 14))
	long := daily * daily / 24
	variance, price := long, 100.0
	bars := make([]marketcache.Bar, 0, n)
	for i := range n {
		b := marketcache.Bar{OpenMs: (450_000 + int64(i)) * hourMs, Open: price, High: price, Low: price,
			Volume: 1e4 * (0.5 + rng.Float64())}
		if rng.Float64() < jumpsAnHour {
			price *= math.Exp(0.04 * rng.NormFloat64())
		}
		for range steps {
			price *= math.Exp(math.Sqrt(variance/steps) * rng.NormFloat64())
			b.High, b.Low = max(b.High, price), min(b.Low, price)
		}
		b.Close = price
		r := math.Log(b.Close / b.Open)
		variance = (1-alpha-beta)*long + alpha*r*r + beta*variance
		bars = append(bars, b)
	}
	return bars
}

// A synthetic market from a seeded generator passes gate. So a change that makes the score or the
// probability of liquidation worse is detected without any candle file.
func TestScoreGate(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	var runs []*ScoreRun
	for seed := range uint64(3) {
		runs = append(runs, runScore(t, stormy(40+seed, 24*1100+1), "made-up"))
	}
	r := PoolScores(runs...)
	gate(t, r)
}

// A position counts as liquidated exactly when a bar of its 24 hours reaches the liquidation price.
// No forecast uses later data.
func TestScoreCases(t *testing.T) {
	bars := stormy(50, MinBars+24*40)
	r := runScore(t, bars, "x")
	if want := 41 * 2 * len(Leverages); len(r.cases) != want {
		t.Fatalf("%d cases, want %d", len(r.cases), want)
	}
	i, touched := 0, 0
	for day := firstDay; day <= firstDay+40; day++ {
		at := bars[24*day].Close
		low, high := math.Inf(1), 0.0
		for _, b := range bars[24*day+1 : 24*day+25] {
			low, high = min(low, b.Low), max(high, b.High)
		}
		weekLow, weekHigh, whole := low, high, 24*(day+7) < len(bars)
		if whole {
			for _, b := range bars[24*day+1 : 24*(day+7)+1] {
				weekLow, weekHigh = min(weekLow, b.Low), max(weekHigh, b.High)
			}
		}
		for side, s := range sign {
			for _, l := range Leverages {
				c := r.cases[i]
				i++
				price := at * (1 - s/float64(l)) / (1 - s/80)
				reached := price > 0 && (side == marketcache.Long && low <= price || side == marketcache.Short &&
					high >= price)
				if reached {
					touched++
				}
				lost := reached || s*(bars[24*day+24].Close/at-1)*float64(l) <= -0.5
				if c.liquidated != reached || c.lostHalf != lost {
					t.Errorf("day %d %s %dx: %+v, walking the bars gives %v, %v", day, Sides[side], l, c, reached,
						lost)
				}
				within := price > 0 &&
					(side == marketcache.Long && weekLow <= price || side == marketcache.Short && weekHigh >= price)
				if c.week != whole || whole && c.liquidated7d != within || c.probability7d < c.probability ||
					c.side != side {
					t.Errorf("day %d %s %dx: %+v, walking the bars of a week gives %v", day, Sides[side], l, c, within)
				}
				if c.score < 0 || c.score > 100 || c.probability < 0 || c.probability > 1 ||
					(l == 1 && side == marketcache.Long) != (c.probability == 0) {
					t.Errorf("day %d %s %dx: %+v", day, Sides[side], l, c)
				}
			}
		}
	}
	if touched < 100 {
		t.Errorf("only %d positions were liquidated", touched)
	}
	changed := slices.Clone(bars)
	for i := 24*(firstDay+20) + 1; i < len(changed); i++ {
		b := &changed[i]
		b.Open, b.High, b.Low, b.Close = 3*b.Open, 3*b.High, 3*b.Low, 3*b.Close
	}
	for i, c := range runScore(t, changed, "x").cases[:21*2*len(Leverages)] {
		if c.score != r.cases[i].score || c.probability != r.cases[i].probability {
			t.Fatalf("the forecast of case %d uses later data: %+v, %+v", i, c, r.cases[i])
		}
	}
	for i, side := 0, 0; i < len(r.cases); i, side = i+len(Leverages), 1-side {
		for j := range len(Leverages) - 1 {
			if a, b := r.cases[i+j], r.cases[i+j+1]; b.score < a.score || b.probability < a.probability {
				t.Fatalf("%s: %dx %+v has lower risk than %dx %+v", Sides[side], Leverages[j+1], b, Leverages[j], a)
			}
		}
	}
}

// Every case is counted once in each table, even on a bound between two rows. Pooling two results
// equals counting their cases together.
func TestPoolScores(t *testing.T) {
	run := &ScoreRun{File: "a", FromMs: 50, ToMs: 60, cases: []scoreCase{
		{score: 0, probability: 0}, {score: 9.9999, probability: 0.001}, {score: 10, probability: 0.005},
		{score: 40, probability: 0.4, probability7d: 0.5, verdict: 1, lostHalf: true, week: true, liquidated7d: true},
		{score: 100, probability: 1, probability7d: 1, verdict: 2, liquidated: true, lostHalf: true},
		{score: 90, probability: 0.4, verdict: 2},
	}}
	r := PoolScores(run)
	n := func(rows []whatHappened) (n []int) {
		for _, row := range rows {
			n = append(n, row.n)
		}
		return n
	}
	want := []int{2, 1, 0, 0, 1, 0, 0, 0, 0, 2, 3, 1, 2, 1, 1, 1, 0, 0, 0, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	if got := n(rowsOf(r)); !slices.Equal(got, want) {
		t.Error(got)
	}
	// The liquidated case has a higher probability than each of the other five.
	if math.Abs(r.Brier-0.320026/6) > 1e-16 || math.Abs(r.BrierBase-5.0/36) > 1e-16 || r.AUC != 1 || r.AUCScore != 1 ||
		r.LostHalf != 2 {
		t.Errorf("%+v", r)
	}
	if r.Deciles[4].MeanProbability != 0.4 || r.Deciles[2].MeanProbability != 0 {
		t.Errorf("%+v", r.Deciles)
	}
	both := PoolScores(run, &ScoreRun{File: "b", FromMs: 40, ToMs: 55, cases: run.cases})
	if both.File != "a,b" || both.FromMs != 40 || both.ToMs != 60 || both.Cases != 12 || both.Liquidated != 2 ||
		math.Abs(both.Brier-r.Brier) > 1e-16 || both.AUC != 1 {
		t.Errorf("%+v", both)
	}
	if _, err := json.Marshal(PoolScores(&ScoreRun{})); err != nil {
		t.Error(err)
	}
}

func TestAUC(t *testing.T) {
	for _, c := range []struct {
		value []float64
		hit   []bool
		want  float64
	}{
		{[]float64{1, 2, 3, 4}, []bool{false, false, true, true}, 1},
		{[]float64{4, 3, 2, 1}, []bool{false, false, true, true}, 0},
		{[]float64{1, 1, 1, 1}, []bool{false, true, false, true}, 0.5},
		{[]float64{1, 2, 2, 3}, []bool{false, false, true, true}, 0.875},
		{[]float64{1, 2}, []bool{true, true}, 0.5},
		{nil, nil, 0.5},
	} {
		if got := auc(c.value, c.hit); got != c.want {
			t.Errorf("%v %v: %v, want %v", c.value, c.hit, got, c.want)
		}
	}
}

// A published example of the Wilson interval: 10 of 50 gives 0.112 to 0.330.
func TestWilson(t *testing.T) {
	if low, high := Wilson(10, 50); math.Abs(low-0.11244) > 1e-4 || math.Abs(high-0.33037) > 1e-4 {
		t.Error(low, high)
	}
	if low, high := Wilson(0, 20); low != 0 || math.Abs(high-0.16113) > 1e-4 {
		t.Error(low, high)
	}
	if low, high := Wilson(20, 20); high != 1 || math.Abs(low-0.83887) > 1e-4 {
		t.Error(low, high)
	}
	if low, high := Wilson(0, 0); low != 0 || high != 1 {
		t.Error(low, high)
	}
}

// The keys of the JSON are in the documented order.
func TestScoreResultJSON(t *testing.T) {
	b, err := json.Marshal(PoolScores(&ScoreRun{File: "a.csv.gz", FromMs: 1, ToMs: 2, Hours: 48, Filled: 7, Days: 99}))
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for _, part := range []string{
		`{"file":"a.csv.gz","model":"fhs-px","horizon_hours":24,"max_leverage":40,` +
			`"leverages":[1,2,3,5,8,10,15,20,30,40],`,
		`"from":1,"to":2,"days":99,"hours":48,"filled":7,"status":"insufficient_data",`,
		`"cases":0,"liquidated":0,"lost_half":0,`,
		`"deciles":[{"from":0,"to":10,"n":0,"liquidated":0,"lost_half":0,"mean_probability":0},`,
		`],"bands":[{"recommendation":"proceed","n":0,"liquidated":0,"lost_half":0,"mean_probability":0,`,
		`"n_7d":0,"liquidated_7d":0,"mean_probability_7d":0},`,
		`],"reliability":[{"from":0,"to":0.001,"n":0,"liquidated":0,"mean_probability":0},`,
		`],"reliability_7d":[{"from":0,"to":0.001,"n":0,"liquidated":0,"mean_probability":0},`,
		`],"brier":0,"brier_base":0,"auc":0,"auc_score":0}`,
	} {
		next := strings.Index(string(b[at:]), part)
		if next < 0 {
			t.Fatalf("no %s after %d in %s", part, at, b)
		}
		at += next + len(part)
	}
}

// A crisis counts the positions opened on its days, both ends included, and longs apart.
func TestCrises(t *testing.T) {
	at := func(date string) int64 { return midnight(date) }
	r := PoolScores(&ScoreRun{cases: []scoreCase{
		{openMs: at("2022-05-05"), liquidated: true}, {openMs: at("2022-05-06"), liquidated: true, probability: 0.01},
		{openMs: at("2022-05-11"), side: marketcache.Short, probability: 0.03}, {openMs: at("2022-05-12")},
		{openMs: at("2022-05-08"), verdict: 2, liquidated: true, probability: 0.5},
	}})
	if len(r.Crises) != 1 || r.Crises[0].Name != "LUNA" {
		t.Fatalf("%+v", r.Crises)
	}
	c := r.Crises[0]
	if c.Bands != [3]Outcomes{{2, 1, 0, 0.02}, {}, {1, 1, 0, 0.5}} || c.ProceedLongs != (Outcomes{1, 1, 0, 0.01}) {
		t.Errorf("%+v", c)
	}
}
