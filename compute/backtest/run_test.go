package backtest

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"

	"ballast/compute/calib"
	"ballast/compute/garch"
	"ballast/compute/vol"
	"ballast/marketcache"
)

func run(t *testing.T, bars []marketcache.Bar, m Model) *Result {
	t.Helper()
	r, err := Run(bars, Options{File: "made-up.csv", Model: m})
	if err != nil {
		t.Fatal(m, err)
	}
	return r
}

// full returns bars with the missing hours filled by flat bars.
func full(bars []marketcache.Bar) []marketcache.Bar {
	whole, _, err := fromMidnight(bars)
	if err != nil {
		panic(err)
	}
	return whole
}

// The forecast of each day equals a fit of the bars up to that day, bit by bit.
func TestRunIsTheService(t *testing.T) {
	bars := full(market(21, MinBars+24*400))
	r := run(t, bars, "")
	if r.Model != FHSPX || r.FromMs != bars[24*firstDay].OpenMs || len(r.Days[0][0]) != 401 {
		t.Fatalf("%s from %d, %d days", r.Model, r.FromMs, len(r.Days[0][0]))
	}
	for _, i := range []int{0, 7, 200, 400} {
		at := 24 * (firstDay + i)
		fit, err := calib.Fit(0, "", bars[:at+1])
		if err != nil {
			t.Fatal(err)
		}
		for side := range Sides {
			for level := range Levels {
				d, tail := r.Days[side][level][i], fit.Tail[marketcache.H24][side][level]
				sd := math.Sqrt(fit.Variance[marketcache.H24])
				if d.TimeMs != bars[at].OpenMs || d.SD != sd || d.VaR != -tail.ZQ*sd || d.ES != -tail.ZES*sd {
					t.Errorf("day %d %s %v: %+v, the service says %+v with sd %v", i, Sides[side], Levels[level], d,
						tail, sd)
				}
				move := math.Log(bars[at+24].Close / bars[at].Close)
				if math.Abs(d.Loss+sign[side]*move) > 1e-12 {
					t.Errorf("day %d %s: loss %v, move %v", i, Sides[side], d.Loss, move)
				}
			}
		}
	}
}

// No model uses data from after the forecast.
func TestNoLookAhead(t *testing.T) {
	long := full(market(22, MinBars+24*60))
	short := slices.Clone(long[:24*(firstDay+31)+1]) // outcomes up to day 30
	// Prices after day 20 differ.
	changed := slices.Clone(short)
	for i := 24*(firstDay+20) + 1; i < len(changed); i++ {
		b := &changed[i]
		b.Open, b.High, b.Low, b.Close = 3*b.Open, 3*b.High, 3*b.Low, 3*b.Close
	}
	for _, m := range Models {
		a, b, c := run(t, long, m), run(t, short, m), run(t, changed, m)
		for side := range Sides {
			for level := range Levels {
				if got := b.Days[side][level]; !slices.Equal(got, a.Days[side][level][:len(got)]) || len(got) != 31 {
					t.Errorf("%s %s %v: a shorter history changes earlier days", m, Sides[side], Levels[level])
				}
				for i, d := range c.Days[side][level][:21] {
					if d.Loss = b.Days[side][level][i].Loss; d != b.Days[side][level][i] {
						t.Errorf("%s %s %v: the forecast of day %d uses later data", m, Sides[side], Levels[level], i)
					}
				}
			}
		}
	}
}

// On a market with changing volatility, the service's model passes its tests and beats historical
// simulation. The ES of a Gaussian EWMA must be found too low.
func TestRunTellsModelsApart(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	var ours, theirs, ewma []*Result
	for seed := range uint64(4) {
		bars := market(30+seed, MinBars+24*900)
		ours = append(ours, run(t, bars, FHSPX))
		theirs = append(theirs, run(t, bars, HS))
		ewma = append(ewma, run(t, bars, EWMA))
	}
	for level, p := range Levels {
		us, them, gauss := Summarise(ours)[level], Summarise(theirs)[level], Summarise(ewma)[level]
		if us.Sides != 8 || us.KupiecPasses < 6 || us.ChristoffersenPasses < 6 || us.ESPasses < 6 ||
			math.Abs(us.Rate/(1-p)-1) > 0.4 {
			t.Errorf("fhs-px: %+v", us)
		}
		if us.PinballRatio > 0.97 || them.PinballRatio != 1 || us.FZ0 >= them.FZ0 || us.FZ0 >= gauss.FZ0 {
			t.Errorf("fhs-px %+v, hs %+v", us, them)
		}
		if gauss.ESPasses >= us.ESPasses {
			t.Errorf("ewma %+v", gauss)
		}
	}
}

func tooShort(err error) bool {
	var short *TooShortError
	return errors.As(err, &short)
}

func TestRunEdges(t *testing.T) {
	bars := full(market(23, MinBars))
	if _, err := Run(bars[:MinBars-1], Options{}); !tooShort(err) {
		t.Error("one bar too few:", err)
	}
	if _, err := Run(nil, Options{}); !tooShort(err) {
		t.Error("nothing:", err)
	}
	if _, err := Run(bars, Options{Model: "crystal-ball"}); err == nil {
		t.Error("an unknown model")
	}
	for _, m := range Models {
		r := run(t, bars, m)
		if row := r.Row(marketcache.Short, marketcache.P99); r.FromMs != r.ToMs || row.N != 1 || row.Side != "short" ||
			row.Level != 0.99 {
			t.Errorf("%s, one forecast: %+v", m, row)
		}
		finite(t, r)
	}
	// Bars before the first 00:00 UTC are not used, and do not count towards the minimum length.
	var before []marketcache.Bar
	for i := range 5 {
		b := bars[0]
		b.OpenMs -= int64(5-i) * hourMs
		before = append(before, b)
	}
	a, b := run(t, bars, FHSPX), run(t, append(before, bars...), FHSPX)
	if x, y := marshal(t, a), marshal(t, b); x != y {
		t.Errorf("rows before midnight count:\n%s\n%s", x, y)
	}
	if _, err := Run(append(before, bars[:MinBars-1]...), Options{}); !tooShort(err) {
		t.Error("rows before midnight fill up a short history:", err)
	}
	// Invalid bars are reported, not skipped.
	bad := slices.Clone(bars)
	bad[777].Low = -1
	if _, err := Run(bad, Options{}); !errors.Is(err, vol.ErrBadBar) {
		t.Error("bad bar:", err)
	}
	bad = slices.Clone(bars)
	bad[777].OpenMs = bad[5].OpenMs
	if _, err := Run(bad, Options{}); !errors.Is(err, vol.ErrBarOrder) {
		t.Error("bar out of order:", err)
	}
}

// A missing hour counts as a flat bar.
func TestRunFillsGaps(t *testing.T) {
	gaps := market(24, MinBars+24*30)
	for _, m := range []Model{FHSPX, HS} {
		with, without := run(t, gaps, m), run(t, full(gaps), m)
		if want := len(full(gaps)) - len(gaps); with.Filled != want || want == 0 || without.Filled != 0 ||
			with.Hours != len(full(gaps)) {
			t.Errorf("%s: %d of %d hours filled, want %d", m, with.Filled, with.Hours, want)
		}
		with.Filled = 0
		if a, b := marshal(t, with), marshal(t, without); a != b {
			t.Errorf("%s: gaps and flat bars differ:\n%s\n%s", m, a, b)
		}
	}
}

// For an asset that never trades, the result contains only numbers that JSON can represent; a model
// that cannot be fitted returns an error.
func TestRunFrozen(t *testing.T) {
	bars := full(market(25, MinBars+24*20))
	for i := range bars {
		bars[i] = marketcache.Bar{OpenMs: bars[i].OpenMs, Open: 7, High: 7, Low: 7, Close: 7}
	}
	for _, m := range []Model{FHSPX, EWMA, HS} {
		r := run(t, bars, m)
		finite(t, r)
		if row := r.Row(marketcache.Long, marketcache.P95); row.Hits != 0 {
			t.Errorf("%s: %+v", m, row)
		}
	}
	for _, m := range []Model{GARCH, GARCHT} {
		if _, err := Run(bars, Options{Model: m}); !errors.Is(err, garch.ErrSeries) {
			t.Errorf("%s: %v", m, err)
		}
	}
}

func finite(t *testing.T, r *Result) {
	t.Helper()
	if _, err := json.Marshal(r); err != nil {
		t.Errorf("%s: %v: %+v", r.Model, err, r.Rows)
	}
}

func marshal(t *testing.T, r *Result) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The JSON has the documented fields in the documented order, and its numbers parse back to the
// same values.
func TestResultJSON(t *testing.T) {
	r := &Result{
		File: "a.csv.gz", Model: HS, HorizonHours: 24, FromMs: 1, ToMs: 2, Hours: 48, Filled: 7,
		Status: StatusInsufficient,
		Rows: []Row{{
			Side: "long", Level: 0.95, N: 3, Hits: 4, Rate: 0.1, KupiecLR: 5, KupiecP: 6, ChristoffersenLR: 7,
			ChristoffersenP: 8, ESResidual: 9, McNeilFreyP: 10, Pinball: 11, PinballRatio: 12, FZ0: math.Pi,
		}},
	}
	const want = `{"file":"a.csv.gz","model":"hs","horizon_hours":24,"from":1,"to":2,"hours":48,"filled":7,` +
		`"status":"insufficient_data","results":[{"side":"long","level":0.95,"n":3,"hits":4,"rate":0.1,"kupiec_lr":5,` +
		`"kupiec_p":6,"christoffersen_lr":7,"christoffersen_p":8,"es_residual_mean_z":9,"mcneil_frey_p":10,` +
		`"pinball":11,"pinball_ratio_to_hs365":12,"fz0":3.141592653589793}]}`
	if got := marshal(t, r); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// The verdict on a record: none below MinForecasts, then by the smallest p-value.
func TestStatus(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		want Status
	}{
		{99, 0.5, StatusInsufficient}, {99, 0.001, StatusInsufficient}, {100, 0.5, StatusOK},
		{100, 0.05, StatusWarning}, {100, 0.01, StatusWarning}, {100, 0.0099, StatusFailing},
	} {
		for i := range 3 {
			passed := Row{N: c.n, KupiecP: 1, ChristoffersenP: 1, McNeilFreyP: 1}
			rows := []Row{passed, passed}
			*[]*float64{&rows[1].KupiecP, &rows[1].ChristoffersenP, &rows[1].McNeilFreyP}[i] = c.p
			if got := statusOf(rows); got != c.want {
				t.Errorf("%+v: %s", c, got)
			}
		}
	}
}

// VaR and ES of the standard normal; package stats tests those of Student's t.
func TestInnovation(t *testing.T) {
	n := newInnovation(0)
	want := innovation{[2]float64{1.6448536269514722, 2.3263478740408408}, [2]float64{2.062712808, 2.665214220345808}}
	for level := range Levels {
		if math.Abs(n.quantile[level]-want.quantile[level]) > 1e-9 ||
			math.Abs(n.shortfall[level]-want.shortfall[level]) > 1e-9 {
			t.Errorf("%+v, want %+v", n, want)
		}
	}
}
