package backtest

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"ballast/marketcache"
)

// Pools of synthetic markets from seeded generators are liquidated about as often as forecast. So a
// change that makes the probability of a pool worse is detected without any candle file.
func TestPoolGate(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	var files []PoolFile
	for seed := range uint64(4) {
		files = append(files, PoolFile{"made-up", stormy(60+seed, 24*1000+1)})
	}
	calls := 0
	r, err := RunPool(files, func(done, all int) {
		if calls++; done < 0 || done >= all {
			t.Errorf("%d of %d", done, all)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	// From day 366 on, every fifth day, as long as seven days are left.
	const forecasts = (1000-7-366)/5 + 1
	first := files[0].Bars[0].OpenMs
	if r.Forecasts != forecasts || calls != forecasts || r.FromMs != first+366*24*hourMs ||
		r.ToMs != r.FromMs+(forecasts-1)*120*hourMs || r.Cases != 2*4*4*6*forecasts || r.Filled != 0 ||
		r.Hours != 4*(24*1000+1) {
		t.Fatalf("%+v", r)
	}
	for _, h := range r.Horizons {
		n := 0
		for _, k := range h.Kinds {
			n += k.N
			rate := float64(k.Liquidated) / float64(k.N)
			if k.N != 4*6*forecasts || k.Closes > k.Liquidated || k.Closes > k.Worst || k.Closes == 0 ||
				math.Abs(math.Log(rate/k.MeanProbability)) > math.Log(1.3) {
				t.Errorf("%d h: %+v", h.Hours, k)
			}
			if base := rate * (1 - rate); k.Brier > base || k.LogLoss > -rate*math.Log(rate)-(1-rate)*math.Log(
				1-rate) {
				t.Errorf("%d h: worse than a constant: %+v", h.Hours, k)
			}
		}
		inBins := 0
		for _, b := range h.Reliability {
			inBins += b.N
			rate := float64(b.Liquidated) / float64(max(1, b.N))
			if b.Liquidated >= 60 && math.Abs(math.Log(rate/b.MeanProbability)) > math.Log(1.5) {
				t.Errorf("%d h: %+v", h.Hours, b)
			}
		}
		if inBins != n {
			t.Errorf("%d h: %d cases in bins, want %d", h.Hours, inBins, n)
		}
	}
}

func TestRunPool(t *testing.T) {
	const day = 24
	three := []PoolFile{{"a", market(1, 376*day)}, {"b", market(2, 376*day)[5:]}, {"c", market(3, 376*day)[40:]}}
	r, err := RunPool(three, nil)
	if err != nil {
		t.Fatal(err)
	}
	// The last file begins on the second day: the first forecast is 366 days after the third.
	if want := three[0].Bars[0].OpenMs + (2+366)*day*hourMs; r.FromMs != want || r.ToMs != want || r.Forecasts != 1 ||
		r.File != "a,b,c" || r.Model != PathReplay {
		t.Errorf("%+v", r)
	}
	text, err := json.Marshal(r)
	if err != nil || len(r.Horizons) != 2 || r.Filled == 0 {
		t.Fatal(err, string(text))
	}
	for _, h := range r.Horizons { // three files make no pool of four
		if len(h.Kinds) != 3 || h.Kinds[0].Kind != "spread" || h.Kinds[1].Kind != "long" ||
			h.Kinds[2].Kind != "short" ||
			len(h.Reliability) != 8 || h.Kinds[0].N != 18 {
			t.Errorf("%+v", h)
		}
	}
	for _, field := range []string{
		`"every_hours":120`, `"liquidated_closes":`, `"liquidated_worst":`, `"mean_probability":`, `"log_loss":`,
		`"hours":168`,
	} {
		if !strings.Contains(string(text), field) {
			t.Errorf("no %s in %s", field, text)
		}
	}
	bad := append([]marketcache.Bar{{OpenMs: three[0].Bars[0].OpenMs - day*hourMs}}, three[0].Bars...)
	for name, c := range map[string]struct {
		files []PoolFile
		says  string
	}{
		"two files": {three[:2], "3 or more"},
		"too short": {[]PoolFile{three[0], three[1], {"c", three[2].Bars[:350*day]}}, "366 days"},
		"empty":     {[]PoolFile{three[0], three[1], {"c", nil}}, "366 days"},
		"bad bars":  {[]PoolFile{three[0], three[1], {"c", bad}}, "c: "},
	} {
		if _, err := RunPool(c.files, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What became of a pool of two legs whose prices are known hour by hour.
func TestPoolOutcome(t *testing.T) {
	logs := func(x ...float64) []float64 { return x }
	long := &poolHistory{close: logs(0, -0.1, 0.05, 0), low: logs(0, -0.2, -0.12, -0.01), high: logs(0, 0, 0.06, 0.05)}
	short := &poolHistory{close: logs(0, 0, 0.1, 0.1), low: logs(0, -0.05, 0, 0.1), high: logs(0, 0.02, 0.15, 0.1)}
	m := &marketcache.AssetModel{Joint: &marketcache.Joint{}}
	m.Joint.Paths[0].SD = 1
	p := poolOutcome{legs: []outcomeLeg{{poolHistory: long}, {poolHistory: short}}}
	p.legs[0].Model, p.legs[0].Weight = m, -1
	p.legs[1].Model, p.legs[1].Weight, p.legs[1].Short = m, 0.5, true
	closes, between, worst := p.losses(0, 3)
	loss := func(a, b float64) float64 { return -math.Expm1(a) + 0.5*math.Expm1(b) }
	l1, l2, l3 := loss(-0.1, 0), loss(0.05, 0.1), loss(0, 0.1)
	if want := max(l1, l2, l3); math.Abs(closes-want) > 1e-15 {
		t.Errorf("%v at closes, want %v", closes, want)
	}
	if want := loss(-0.12, 0.15); math.Abs(worst-want) > 1e-15 {
		t.Errorf("%v at worst, want %v", worst, want)
	}
	// The long is 2/3 of the risk: its share is (1-1/2)^2. Its low was at -0.2, its lowest close at -0.1.
	rms := math.Sqrt((l1*l1 + (l2-l1)*(l2-l1) + (l3-l2)*(l3-l2)) / 3)
	if want := closes + 0.75*0.58*rms + 0.25*(math.Exp(-0.1)-math.Exp(-0.2)); math.Abs(between-want) > 1e-15 {
		t.Errorf("%v between, want %v", between, want)
	}
	// The short alone: its highest close was at 0.1, its high at 0.15.
	if got, want := p.legs[1].beyond(3), math.Exp(0.15)-math.Exp(0.1); math.Abs(got-want) > 1e-15 {
		t.Errorf("the short went %v further, want %v", got, want)
	}
}
