package evt

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/compute/stats"
	"ballast/compute/vol"
)

// shared holds the reference values; it stands beside the project and may be
// absent, and then only the tests that read it are skipped.
const shared = "../../../shared"

func golden(t *testing.T, name string, into any) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(shared, "models/golden", name+".json"))
	if os.IsNotExist(err) {
		t.Skip("no reference values beside the project")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// candles returns at most so many hourly bars of a file, gaps filled, from the first
// row that keep accepts.
func candles(t *testing.T, file string, most int, keep func(openMs int64) bool) []vol.Bar {
	t.Helper()
	f, err := os.Open(filepath.Join(shared, strings.TrimPrefix(file, "shared/")))
	if err != nil {
		t.Skip("no candles beside the project")
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var bars []vol.Bar
	lines := bufio.NewScanner(z)
	lines.Scan() // header
	for lines.Scan() && len(bars) < most {
		var v [6]float64
		for i, field := range strings.Split(lines.Text(), ",") {
			if v[i], err = strconv.ParseFloat(field, 64); err != nil {
				t.Fatal(err)
			}
		}
		b := vol.Bar{OpenMs: int64(v[0]), Open: v[1], High: v[2], Low: v[3], Close: v[4], Volume: v[5]}
		if len(bars) == 0 && !keep(b.OpenMs) {
			continue
		}
		if bars, err = vol.AppendFilled(bars, b); err != nil {
			t.Fatal(err)
		}
	}
	return bars[:min(most, len(bars))]
}

func within(got, want, rel, abs float64) bool {
	return math.Abs(got-want) <= rel*math.Abs(want)+abs
}

// dailyLosses returns the daily log losses x 100 of one side: closes of the bars that
// open at 23:00 UTC, the first before the period where the file has it.
func dailyLosses(t *testing.T, file, from, to string, side int) (y []float64) {
	t.Helper()
	day := func(s string) int64 {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return at.UnixMilli()
	}
	first, end := day(from), day(to)
	last := 0.0
	for _, b := range candles(t, file, math.MaxInt, func(int64) bool { return true }) {
		if b.Hour()%24 != 23 || b.OpenMs < first || b.OpenMs >= end {
			continue
		}
		if last > 0 {
			r := 100 * (math.Log(b.Close) - math.Log(last))
			if side == Long {
				r = -r
			}
			y = append(y, r)
		}
		last = b.Close
	}
	return y
}

func TestGoldenGPD(t *testing.T) {
	type fit struct{ Xi, Beta, NLL float64 }
	type tail []struct{ Q, VaR, ES float64 }
	var g struct {
		Tolerance struct {
			Xi   float64 `json:"mle_xi_abs"`
			Beta float64 `json:"mle_beta_rel"`
			NLL  float64 `json:"nll_abs"`
			PWM  float64 `json:"pwm_rel"`
			VaR  float64 `json:"var_es_rel"`
		}
		Cases []struct {
			Asset, Side string
			Input       struct{ File, From, To string }
			N           int
			U           float64
			NExceed     int  `json:"n_exceed"`
			PWM         fit  `json:"fextremes_pwm"`
			MLE         fit  `json:"evd_mle"`
			AtMLE       tail `json:"var_es_at_evd_mle"`
			AtPWM       tail `json:"var_es_at_pwm"`
		}
	}
	golden(t, "gpd", &g)
	for _, c := range g.Cases {
		side := Long
		if c.Side == "short" {
			side = Short
		}
		y := dailyLosses(t, c.Input.File, c.Input.From, c.Input.To, side)
		u := stats.Quantile(slices.Clone(y), 0.90)
		var excess []float64
		for _, v := range y {
			if v > u {
				excess = append(excess, v-u)
			}
		}
		if len(y) != c.N || len(excess) != c.NExceed || !within(u, c.U, 1e-9, 0) {
			t.Fatalf("%s %s: %d losses, %d above %v, want %d, %d, %v", c.Asset, c.Side, len(y), len(excess), u, c.N, c.NExceed, c.U)
		}
		got, err := FitMLE(excess)
		if err != nil {
			t.Fatal(err)
		}
		if !within(got.NLL(excess), c.MLE.NLL, 0, g.Tolerance.NLL) || got.NLL(excess) > c.MLE.NLL+1e-6 ||
			!within(got.Xi, c.MLE.Xi, 0, g.Tolerance.Xi) || !within(got.Beta, c.MLE.Beta, g.Tolerance.Beta, 0) {
			t.Errorf("%s %s: %+v of %v, want %+v", c.Asset, c.Side, got, got.NLL(excess), c.MLE)
		}
		t.Logf("%s %s: xi off by %.1e, beta by %.1e, nll by %.1e", c.Asset, c.Side, got.Xi-c.MLE.Xi, got.Beta/c.MLE.Beta-1, got.NLL(excess)-c.MLE.NLL)
		pwm := FitPWM(excess)
		if !within(pwm.Xi, c.PWM.Xi, g.Tolerance.PWM, 0) || !within(pwm.Beta, c.PWM.Beta, g.Tolerance.PWM, 0) {
			t.Errorf("%s %s: pwm %+v, want %+v", c.Asset, c.Side, pwm, c.PWM)
		}
		// A tenth of the losses exceeds this threshold, so a share q here is half of
		// that share behind TailShare.
		for name, at := range map[string]struct {
			g    GPD
			want tail
		}{"mle": {got, c.AtMLE}, "pwm": {pwm, c.AtPWM}} {
			tail := Tail{U: u, Xi: at.g.Xi, Beta: at.g.Beta}
			for _, w := range at.want {
				v, es := tail.Quantile((1 - w.Q) / 2)
				if !within(v, w.VaR, g.Tolerance.VaR, 0) || !within(es, w.ES, g.Tolerance.VaR, 0) {
					t.Errorf("%s %s, %s at %v: %v, %v, want %v, %v", c.Asset, c.Side, name, w.Q, v, es, w.VaR, w.ES)
				}
			}
		}
	}
}

func TestGoldenFHSTails(t *testing.T) {
	type fit struct {
		U, Xi, Beta float64
		N           int
		NExceed     int `json:"n_exceed"`
	}
	var g struct {
		Tolerance struct {
			Xi   float64 `json:"gpd_xi_abs"`
			Beta float64 `json:"gpd_beta_rel"`
			VaR  float64 `json:"var_rel"`
		}
		Files map[string]string
		Cases []struct {
			Asset   string
			BarOpen string `json:"bar_open"`
			Index   int
			Long    *fit `json:"gpd_long"`
			Short   *fit `json:"gpd_short"`
		}
	}
	golden(t, "vol_fhs", &g)
	fullDay := func(openMs int64) bool {
		at := time.UnixMilli(openMs).UTC()
		return at.Year() >= 2020 && at.Hour() == 0
	}
	compared := 0
	for asset, file := range g.Files {
		if testing.Short() && asset != "BTC" {
			continue
		}
		bars := candles(t, file, math.MaxInt, fullDay)
		s, w, at := vol.NewState(), &Scratch{}, 0
		for _, c := range g.Cases {
			if c.Asset != asset {
				continue
			}
			for ; at <= c.Index; at++ {
				if err := s.Push(bars[at]); err != nil {
					t.Fatal(err)
				}
			}
			_, z := s.TailOutcomes()
			for side, want := range [SideCount]*fit{c.Long, c.Short} {
				if want == nil {
					continue
				}
				compared++
				got := FitLossTail(z, side, w)
				if got.N != want.N || got.Pooled || len(w.excess) != want.NExceed || !within(got.U, want.U, g.Tolerance.VaR, 0) ||
					!within(got.XiRaw, want.Xi, 0, g.Tolerance.Xi) || !within(got.Beta, want.Beta, g.Tolerance.Beta, 0) {
					t.Errorf("%s %s, side %d: %+v of %d, want %+v", c.Asset, c.BarOpen, side, got, len(w.excess), *want)
				}
				t.Logf("%s %s, side %d: xi off by %.1e, beta by %.1e", c.Asset, c.BarOpen, side, got.XiRaw-want.Xi, got.Beta/want.Beta-1)
			}
		}
	}
	if compared == 0 {
		t.Error("nothing compared")
	}
}

func TestGoldenShortHistory(t *testing.T) {
	type row struct {
		N           int
		U, Xi, Beta float64
		VaR         float64 `json:"var_99_9"`
		ES          float64 `json:"es_99_9"`
	}
	var g struct {
		Tolerance struct{ Rel, Abs float64 }
		Cases     []struct {
			Name  string
			Input struct {
				File string
				Bars int
			}
			Output struct {
				Horizons map[string]struct{ Variance float64 }
				Tail     *struct{ Long, Short row }
			}
		}
	}
	golden(t, "short_history", &g)
	for _, c := range g.Cases {
		if c.Output.Tail == nil {
			continue
		}
		s := vol.NewState()
		for _, b := range candles(t, c.Input.File, c.Input.Bars, func(int64) bool { return true }) {
			if err := s.Push(b); err != nil {
				t.Fatal(err)
			}
		}
		_, z := s.TailOutcomes()
		sd := math.Sqrt(c.Output.Horizons["24"].Variance)
		for side, want := range [SideCount]row{c.Output.Tail.Long, c.Output.Tail.Short} {
			got := FitLossTail(z, side, &Scratch{})
			if got.N != want.N || got.U != want.U || got.Xi != want.Xi || got.Beta != want.Beta || !got.Pooled {
				t.Errorf("%s, side %d: %+v, want %+v", c.Name, side, got, want)
			}
			zq, zes := got.Quantile(0.001)
			pct := func(loss float64) float64 {
				if side == Long {
					return -100 * math.Expm1(-loss*sd)
				}
				return 100 * math.Expm1(loss*sd)
			}
			if !within(pct(zq), want.VaR, g.Tolerance.Rel, g.Tolerance.Abs) || !within(pct(zes), want.ES, g.Tolerance.Rel, g.Tolerance.Abs) {
				t.Errorf("%s, side %d: %v, %v, want %v, %v", c.Name, side, pct(zq), pct(zes), want.VaR, want.ES)
			}
		}
	}
}
