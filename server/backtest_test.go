package server

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ballast/compute/backtest"
	"ballast/compute/risk"
	"ballast/marketcache"
)

func TestBacktestOfAnAsset(t *testing.T) {
	f := warmFixture(t, nil)
	got := f.get("/v1/backtest/BTC").ok().tree
	fit := f.cache.Model().Asset(btc)
	want := backtest.CoverageOf(fit.Z24, fit.FirstHour)
	if got["asset"] != "BTC" || got["horizon_hours"] != 24.0 || got["from"] != float64(want.FromHour*msPerHour) ||
		got["to"] != float64(want.ToHour*msPerHour) {
		t.Errorf("%v", got)
	}
	rows := got["results"].([]any)
	if len(rows) != 4 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, side := range []string{"long", "long", "short", "short"} {
		r, w := rows[i].(map[string]any), want.Rows[i/2][i%2]
		if r["side"] != side || r["level"] != []float64{0.95, 0.99}[i%2] || r["n"] != float64(w.N) ||
			r["hits"] != float64(w.Hits) ||
			r["rate"] != w.Rate || r["kupiec_p"] != w.KupiecP || r["christoffersen_p"] != w.ChristoffersenP {
			t.Errorf("row %d: %v, want %+v", i, r, w)
		}
		var times []float64
		for _, hour := range want.HitHours[i/2][i%2] {
			times = append(times, float64(hour*msPerHour))
		}
		var told []float64
		for _, at := range got["hit_times"].([]any)[i].([]any) {
			told = append(told, at.(float64))
		}
		if len(times) != w.Hits || !slices.Equal(told, times) {
			t.Errorf("row %d: hits at %v, want %v", i, told, times)
		}
	}
	for path, want := range map[string]string{
		"/v1/backtest/NOSUCH": "no such asset: NOSUCH", "/v1/backtest/FRESH": "no history of FRESH yet",
		"/v1/backtest/": "no such route: /v1/backtest/", "/v1/backtest/%zz": "no such asset: %zz",
	} {
		f.get(path).want(404, "not_found", want)
	}
	f.get("/v1/backtest/%42TC").ok(`"asset":"BTC"`)
	f.raw("GET /v1/backtest/BTC HTTP/1.1\r\nHost: x\r\n\r\n").want(401, "")
}

func TestCalibrationHealth(t *testing.T) {
	f := warmFixture(t, nil)
	got := f.get("/v1/calibration/health").ok().tree
	assets := got["assets"].([]any)
	if len(assets) != f.cache.Model().Calibrated || got["assets_failed"] != 0.0 {
		t.Errorf("%d assets of %d, %v failed", len(assets), f.cache.Model().Calibrated, got["assets_failed"])
	}
	hits, counted := 0.0, 0.0
	for _, a := range assets {
		hits += a.(map[string]any)["results"].([]any)[0].(map[string]any)["hits"].(float64)
	}
	if pooled := got["pooled"].([]any)[0].(map[string]any)["hits"]; pooled != hits {
		t.Errorf("pooled hits %v, the assets have %v", pooled, hits)
	}
	for _, v := range coverageStatuses {
		counted += got[string(v)].(float64)
	}
	if counted != float64(len(assets)) {
		t.Errorf("%v verdicts on %d assets", counted, len(assets))
	}

	// The answer reports a failed fit together with the last good one.
	model := *f.cache.Model()
	model.Assets = slices.Clone(model.Assets)
	broken := *model.Assets[btc]
	broken.FitError = `a "bad" bar`
	model.Assets[btc] = &broken
	f.cache.SetModel(&model)
	if got = f.get("/v1/calibration/health").ok().tree; got["assets_failed"] != 1.0 ||
		got["assets"].([]any)[0].(map[string]any)["fit_error"] != `a "bad" bar` {
		t.Errorf("%v", got["assets"].([]any)[0])
	}
	f.get("/metrics").ok("ballast_calibration_failed_assets 1")
}

// The coverage of a day is computed once, and again when the outcomes of the next day are known.
func TestCoverageIsRemembered(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	m := &marketcache.AssetModel{Asset: 1, Bars: 5000, FirstHour: 24 * 1000, LastHour: 24*1000 + 4999}
	z := make([]float64, 6000)
	for i := range z {
		z[i] = r.NormFloat64()
	}
	at := func(bars int64) *marketcache.AssetModel {
		x := *m
		x.Bars, x.LastHour = int(bars), m.FirstHour+bars-1
		x.Z24 = marketcache.HourlySeries{FirstHour: m.FirstHour + 720, Values: z[:bars-720-24]}
		return &x
	}
	var c coverages
	for bars := int64(5000); bars < 5060; bars++ {
		fit := at(bars)
		if got, want := c.of(fit), backtest.CoverageOf(fit.Z24, fit.FirstHour); !reflect.DeepEqual(got, want) {
			t.Fatalf("after %d bars: %+v, want %+v", bars, got, want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	record := func(n int, p float64) *backtest.Coverage {
		var c backtest.Coverage
		for side := range c.Rows {
			for level := range c.Rows[side] {
				c.Rows[side][level] = backtest.CoverageRow{N: n, KupiecP: 0.5, ChristoffersenP: 0.5}
			}
		}
		c.Rows[1][0].ChristoffersenP = p
		return &c
	}
	for _, row := range []struct {
		n    int
		p    float64
		want backtest.Status
	}{{99, 0.001, backtest.StatusInsufficient}, {100, 0.051, backtest.StatusOK}, {100, 0.05, backtest.StatusWarning},
		{100, 0.049, backtest.StatusWarning}, {100, 0.01, backtest.StatusWarning},
		{100, 0.0099, backtest.StatusFailing}} {
		if got := record(row.n, row.p).Status(); got != row.want {
			t.Errorf("%d forecasts, p %v: %s", row.n, row.p, got)
		}
	}
	// 1,000 days: 50 and 10 breaches are wanted, 72 and 20 are too many by Kupiec's test at 1 %.
	for _, row := range []struct {
		n, hits95, hits99, old int
		want                   string
	}{
		{0, 0, 0, 0, "insufficient_data"}, {99, 5, 1, 0, "insufficient_data"}, {1000, 50, 10, 0, "ok"},
		{1000, 65, 17, 0, "ok"}, {1000, 72, 10, 0, "breached"}, {1000, 50, 20, 0, "breached"}, {1000, 20, 0, 0, "ok"},
		{1000, 50, 10, 1, "fits_old"},
		{1000, 72, 10, 1, "breached"},
	} {
		var c backtest.Coverage
		for side := range c.Rows {
			c.Rows[side][marketcache.P95].N, c.Rows[side][marketcache.P95].Hits = row.n, row.hits95
			c.Rows[side][marketcache.P99].N, c.Rows[side][marketcache.P99].Hits = row.n, row.hits99
			for level := range c.Rows[side] {
				c.Rows[side][level].Judge(level)
			}
		}
		if got := verdict(&c, row.old); got != row.want {
			t.Errorf("%+v: %s", row, got)
		}
	}
}

// /v1/model-info contains every number on which an answer depends.
func TestModelInfo(t *testing.T) {
	f := newFixture(t, nil)
	model := *f.cache.Model()
	model.Parameters = []byte(`{"vol":{"seed_bars":720}}`)
	f.cache.SetModel(&model)
	got := f.get("/v1/model-info").tree
	if got["engine_version"] != risk.EngineVersion || len(got["scenarios"].([]any)) != risk.ScenarioCount ||
		len(got["flags"].([]any)) != int(risk.FlagCount) ||
		len(got["constants"].([]any)) != len(risk.Constants()) || len(got["curves"].([]any)) != len(risk.Curves()) {
		t.Errorf("%v", got)
	}
	const proceed = "recommendation:proceed score_up_to:40"
	const caution = "recommendation:proceed_with_caution score_up_to:70"
	const bands = "[map[" + proceed + "] map[" + caution + "] map[recommendation:abort score_up_to:100]]"
	if got := fmt.Sprint(got["bands"]); got != bands {
		t.Error(got)
	}
	first := got["curves"].([]any)[0].(map[string]any)
	if k := first["knots"].([]any)[1].(map[string]any); first["name"] != "liquidation.distance_over_var_99_24h" ||
		k["x"] != 0.25 || k["y"] != 92.0 {
		t.Errorf("%v", first)
	}
	if bars := got["calibration_constants"].(map[string]any)["vol"].(map[string]any)["seed_bars"]; bars != 720.0 {
		t.Errorf("seed bars %v", bars)
	}
	for _, name := range []string{"weights", "weights_without_oi"} {
		sum, weights := 0.0, got[name].(map[string]any)
		for _, w := range weights {
			sum += w.(float64)
		}
		if math.Abs(sum-1) > 1e-12 || len(weights) != int(risk.ComponentCount) ||
			(weights["oi"] == 0.0) != (name == "weights_without_oi") {
			t.Errorf("%s: %v add up to %v", name, weights, sum)
		}
	}
	if got["close_score_cap"] != 30.0 {
		t.Errorf("close_score_cap %v", got["close_score_cap"])
	}
	units := map[string]bool{}
	for _, f := range got["flags"].([]any) {
		f := f.(map[string]any)
		units[f["unit"].(string)] = true
		if f["meaning"] == "" || f["raised_when"] == "" {
			t.Errorf("%v", f)
		}
	}
	for _, unit := range []string{"", "USD", "%", "bps", "x", "fraction", "bars", "deviations", "times", "correlation",
		"% a year"} {
		if !units[unit] {
			t.Errorf("no flag in %q", unit)
		}
	}
}
