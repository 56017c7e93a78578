//go:build evidence

package evt

import (
	"math"
	"slices"
	"testing"
	"time"

	"ballast/compute/stats"
	"ballast/compute/vol"
	"ballast/internal/reference"
	mc "ballast/marketcache"
)

// candles returns the hourly bars of a file, gaps filled, from the first row that begin
// accepts.
func candles(t testing.TB, file string, begin func(time.Time) bool) (bars []mc.Bar) {
	t.Helper()
	for _, row := range reference.Candles(t, file, begin) {
		var err error
		if bars, err = vol.AppendFilled(bars, mc.Bar(row)); err != nil {
			t.Fatal(err)
		}
	}
	return bars
}

// dailyLosses returns the daily log losses of one side in percent, between the closes of bars that
// open at 23:00 UTC. The first close is from before the period if the file has it.
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
	for _, b := range candles(t, file, nil) {
		if b.Hour()%24 != 23 || b.OpenMs < first || b.OpenMs >= end {
			continue
		}
		if last > 0 {
			r := 100 * (math.Log(b.Close) - math.Log(last))
			if side == mc.Long {
				r = -r
			}
			y = append(y, r)
		}
		last = b.Close
	}
	return y
}

func TestEvidenceGPD(t *testing.T) {
	type fit struct{ Xi, Beta, NLL float64 }
	type tail []struct{ Q, VaR, ES float64 }
	var g struct {
		Tolerance struct {
			Xi   float64 `json:"mle_xi_abs"`
			Beta float64 `json:"mle_beta_rel"`
			NLL  float64 `json:"nll_abs"`
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
	reference.Golden(t, "gpd", &g)
	for _, c := range g.Cases {
		side := mc.Long
		if c.Side == "short" {
			side = mc.Short
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
			t.Fatalf("%s %s: %d losses, %d above %v, want %d, %d, %v",
				c.Asset, c.Side, len(y), len(excess), u, c.N, c.NExceed, c.U)
		}
		got, err := FitMLE(excess)
		if err != nil {
			t.Fatal(err)
		}
		if !within(nll(got, excess), c.MLE.NLL, 0, g.Tolerance.NLL) || nll(got, excess) > c.MLE.NLL+1e-6 ||
			!within(got.Xi, c.MLE.Xi, 0, g.Tolerance.Xi) || !within(got.Beta, c.MLE.Beta, g.Tolerance.Beta, 0) {
			t.Errorf("%s %s: %+v of %v, want %+v", c.Asset, c.Side, got, nll(got, excess), c.MLE)
		}
		// A tenth of the losses exceeds this threshold, and TailShare is half of that, so a share
		// of q here is a share of q/2 for Quantile.
		for name, at := range map[string]struct {
			g    GPD
			want tail
		}{"mle": {got, c.AtMLE}, "pwm": {GPD{c.PWM.Xi, c.PWM.Beta}, c.AtPWM}} {
			tail := mc.ExtremeTail{U: u, Xi: at.g.Xi, Beta: at.g.Beta}
			for _, w := range at.want {
				v, es := Quantile(tail, (1-w.Q)/2)
				if !within(v, w.VaR, g.Tolerance.VaR, 0) || !within(es, w.ES, g.Tolerance.VaR, 0) {
					t.Errorf("%s %s, %s at %v: %v, %v, want %v, %v", c.Asset, c.Side, name, w.Q, v, es, w.VaR, w.ES)
				}
			}
		}
	}
}

func TestEvidenceFHSTails(t *testing.T) {
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
	reference.Golden(t, "vol_fhs", &g)
	fullDay := func(at time.Time) bool { return at.Year() >= 2020 && at.Hour() == 0 }
	compared := 0
	for asset, file := range g.Files {
		bars := candles(t, file, fullDay)
		s, w := vol.NewState(mc.ClassCrypto), &Scratch{}
		for _, c := range g.Cases {
			if c.Asset != asset {
				continue
			}
			for _, b := range bars[s.Bars() : c.Index+1] {
				if err := s.Push(b); err != nil {
					t.Fatal(err)
				}
			}
			_, z := s.TailOutcomes()
			for side, want := range [mc.SideCount]*fit{c.Long, c.Short} {
				if want == nil {
					continue
				}
				compared++
				got := FitLossTail(z, side, w)
				if got.N != want.N || got.Pooled || len(w.excess) != want.NExceed ||
					!within(got.U, want.U, g.Tolerance.VaR, 0) || !within(got.XiRaw, want.Xi, 0, g.Tolerance.Xi) ||
					!within(got.Beta, want.Beta, g.Tolerance.Beta, 0) {
					t.Errorf("%s %s, side %d: %+v of %d, want %+v", c.Asset, c.BarOpen, side, got, len(w.excess),
						*want)
				}
			}
		}
	}
	if compared == 0 {
		t.Error("nothing compared")
	}
}
