package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ballast/compute/calib"
	"ballast/compute/vol"
	"ballast/marketcache"
)

func calibrated(t *testing.T, names []string, bars ...[]marketcache.Bar) *calibration {
	t.Helper()
	c, err := calibrate(names, bars, &progress{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// With a single bar every figure is the default, and figures that need more bars are null.
func TestCalibrateOneBar(t *testing.T) {
	bars := madeUp(1, 1)
	c := calibrated(t, []string{"A.csv"}, bars)
	f := c.Files[0]
	prior := 4.0 / 8760
	if f.Bars != 1 || f.Filled != 0 || f.FirstMs != bars[0].OpenMs || f.LastMs != bars[0].OpenMs ||
		f.Close != bars[0].Close ||
		f.E != [4]float64{prior, prior, prior, prior} || f.LongRun != prior || math.Abs(f.LongRunSigma-2) > 1e-12 ||
		f.Tail != nil || f.Drawdown != nil || f.Horizons.H24.Long99.ZQ != -2.874 || f.Horizons.H24.Outcomes != 0 {
		t.Errorf("%+v", f)
	}
	for h, e := range []sides[marketcache.Excursions]{f.Excursions.H24, f.Excursions.H168} {
		pooled := vol.PooledExcursions[h]
		if e.Long != pooled[marketcache.Long] || e.Short != pooled[marketcache.Short] {
			t.Errorf("knots of one bar: %+v", e)
		}
	}
	if len(c.Correlation) != 1 || len(c.Correlation[0]) != 1 || c.Correlation[0][0] != 1 {
		t.Error(c.Correlation)
	}
	raw, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(raw), `"tail_dependence":[]`) || !strings.Contains(string(raw),
		`"tail":null`) ||
		!strings.Contains(string(raw), `"excursions":{"24":{"long":[0.109,0.218,`) || !strings.Contains(string(raw),
		`]},"168":{"long":[0.104,`) || !strings.Contains(string(raw), `"drawdown":null`) {
		t.Errorf("%v %s", err, raw)
	}
}

// The command fits the same model as the service and fills gaps. The hash depends on the files and
// their order.
func TestCalibrateIsTheService(t *testing.T) {
	a, b := madeUp(2, 4000), madeUp(3, 3000)
	c := calibrated(t, []string{"A.csv", "B.csv"}, a, b)
	fit, err := calib.Fit(0, "A.csv", a)
	if err != nil {
		t.Fatal(err)
	}
	f := c.Files[0]
	if f.Bars != 4000 || f.Filled != 4000-len(a) || f.Filled == 0 || f.E != fit.E || f.LongRun != fit.LongRunVariance ||
		f.LastMs != a[len(a)-1].OpenMs {
		t.Errorf("%+v", f)
	}
	want := quantileFit(fit.Tail[marketcache.H4][marketcache.Short][marketcache.P99])
	if got := f.Horizons.H4.Short99; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if f.Excursions.H24.Short != fit.Excursions[marketcache.Excursion24h][marketcache.Short] ||
		f.Excursions.H168.Long != fit.Excursions[marketcache.Excursion168h][marketcache.Long] {
		t.Errorf("%+v", f.Excursions)
	}
	if f.Tail.Long.XiRaw == nil || f.Tail.Long.Outcomes != len(fit.Z24.Values) ||
		f.Tail.Long.VaR < f.Horizons.H24.Long99.PctVaR || f.Tail.Short.ES <= f.Tail.Short.VaR {
		t.Errorf("%+v", f.Tail)
	}
	again := calibrated(t, []string{"A.csv", "B.csv"}, a, b)
	if !reflect.DeepEqual(c, again) {
		t.Error("a second run differs")
	}
	if swapped := calibrated(t, []string{"B.csv", "A.csv"}, b, a); swapped.Hash == c.Hash || len(c.Hash) != 64 {
		t.Errorf("hash %s and %s", c.Hash, swapped.Hash)
	}
	var text bytes.Buffer
	reportCalibration(&text, c)
	fits(t, text.String())
	for _, want := range []string{"A.csv", "4000 hourly bars", "99.9 % VaR", "1 % of the time", "Correlation",
		"Tail dependence", c.Hash} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// Two assets of which one follows the other have a correlation and a tail dependence. Hours that
// only one of them has do not count.
func TestCalibrateTogether(t *testing.T) {
	a := madeUp(4, 3000)
	var b []marketcache.Bar
	for _, bar := range madeUp(5, 2990) { // ends ten hours earlier
		i := int(bar.OpenMs-a[0].OpenMs) / hourMs
		follow := math.Pow(a[min(i, len(a)-1)].Close/40, 0.8)
		bar.Open, bar.High, bar.Low, bar.Close = bar.Open*follow, bar.High*follow, bar.Low*follow, bar.Close*follow
		b = append(b, bar)
	}
	a = a[:len(b)+10]
	c := calibrated(t, []string{"A", "B"}, a, b)
	rho := c.Correlation[0][1]
	if rho != c.Correlation[1][0] || rho < -1 || rho > 1 {
		t.Error(c.Correlation)
	}
	if len(c.TailDependence) != 1 {
		t.Fatalf("%+v", c.TailDependence)
	}
	p := c.TailDependence[0]
	if p.A != "A" || p.B != "B" || p.Lower != p.Upper || !(p.Lower >= 0 && p.Lower <= 1) || p.Nu < 2.05 || p.Nu > 40 {
		t.Errorf("%+v", p)
	}
	// Two series without common hours: no tail dependence is reported, and the correlation is the
	// default.
	later := madeUp(6, 3000)
	for i := range later {
		later[i].OpenMs += 20000 * hourMs
	}
	if c := calibrated(t, []string{"A", "later"}, a, later); len(c.TailDependence) != 0 || c.Correlation[0][1] != 0.6 {
		t.Errorf("%+v", c)
	}
}

func TestE2ECalibrate(t *testing.T) {
	a, b := madeUp(7, 3000), madeUp(8, 2500)
	pa, pb := writeCandles(t, "A.csv", a), writeCandles(t, "B.csv", b)
	out, errs, status := command(t, nil, "calibrate", "--candles", pa, "--candles", pb, "--json")
	var got calibration
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 || errs != "" {
		t.Fatalf("status %d, %v\n%s%s", status, err, out, errs)
	}
	if want := calibrated(t, []string{"A.csv", "B.csv"}, a, b); !reflect.DeepEqual(&got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if out, _, status = command(t, nil, "calibrate", "--candles", pa); status != 0 ||
		!strings.HasPrefix(out, "A.csv\n") {
		t.Errorf("status %d\n%s", status, out)
	}
	bad := filepath.Join(t.TempDir(), "bad.csv")
	os.WriteFile(bad, []byte("ts,open,high,low,close,volume\n0,1,1,1,1,1\n3600000,1,1,1,x,1\n"), 0o600)
	refused(t, []badCall{
		{1, "bad.csv: line 3", []string{"--candles", bad}},
		{2, "--candles", nil},
		{2, "--bogus", []string{"--candles", pa, "--bogus"}},
	}, "calibrate")
}
