package mc

import (
	"math"
	"testing"

	"ballast/internal/reference"
)

func within(got, want, rel float64) bool { return math.Abs(got-want) <= rel*math.Abs(want) }

// Compares with the exact figures of a linear P&L with one Gaussian factor, the log price change.
func TestGoldenGaussian(t *testing.T) {
	var g struct {
		Tolerance struct {
			Sigmas float64 `json:"mc_sigmas"`
		}
		Cases []struct {
			Mu, Sigma, Median float64
			N                 int
			VaR95             float64    `json:"var_95"`
			ES95              float64    `json:"es_95"`
			VaRSE95           float64    `json:"var_se_95"`
			ESSE95            float64    `json:"es_se_95"`
			VaR99             float64    `json:"var_99"`
			ES99              float64    `json:"es_99"`
			VaRSE99           float64    `json:"var_se_99"`
			ESSE99            float64    `json:"es_se_99"`
			Interval          [2]float64 `json:"ci95"`
		}
	}
	reference.Golden(t, "gaussian_mc", &g)
	for i, c := range g.Cases {
		if testing.Short() && c.N > 5000 {
			continue
		}
		p := gaussian(c.Sigma * c.Sigma)
		p.Seed[0] = byte(i)
		pnl, _ := simulate(p, c.N)
		x := logMoves(p, pnl)
		for j := range x {
			x[j] += c.Mu
		}
		s := Summarise(x, make([]float64, c.N))
		root := math.Sqrt(float64(c.N))
		for _, v := range []struct {
			what          string
			got, want, se float64
		}{
			{"VaR95", s.VaR95, c.VaR95, c.VaRSE95},
			{"ES95", s.ES95, c.ES95, c.ESSE95},
			{"VaR99", s.VaR99, c.VaR99, c.VaRSE99},
			{"ES99", s.ES99, c.ES99, c.ESSE99},
			{"median", s.Median, c.Median, c.Sigma * math.Sqrt(math.Pi/2) / root},
			{"lower", s.Lower, c.Interval[0], 2.67 * c.Sigma / root}, // sqrt(a(1-a))/phi(1.96)
			{"upper", s.Upper, c.Interval[1], 2.67 * c.Sigma / root},
			{"SE95", s.SE95, c.VaRSE95, 0.1 * c.VaRSE95},
			{"SE99", s.SE99, c.VaRSE99, 0.15 * c.VaRSE99},
		} {
			if math.Abs(v.got-v.want) > g.Tolerance.Sigmas*v.se {
				t.Errorf("case %d: %s %v, want %v: %.1f standard errors", i, v.what, v.got, v.want,
					(v.got-v.want)/v.se)
			}
		}
	}
}

// Compares the share of liquidated paths with the first-passage probability of a price without drift. The
// log of such a price drifts by -sigma^2/2; the table contains this drift, but the bridge does not.
func TestGoldenBarrier(t *testing.T) {
	var g struct {
		Tolerance struct {
			Sigmas float64 `json:"mc_sigmas"`
		}
		Cases []struct {
			S, L, Sigma float64
			Years       float64 `json:"T_years"`
			Hit         float64 `json:"hit_probability"`
		}
	}
	reference.Golden(t, "barrier", &g)
	n := 200_000
	if testing.Short() {
		n = Paths
	}
	for i, c := range g.Cases {
		variance := c.Sigma * c.Sigma * c.Years
		p := gaussian(variance)
		for j := range p.Innovations {
			p.Innovations[j] -= math.Sqrt(variance/Steps) / 2
		}
		p.Seed[0] = byte(i)
		p.HasBarrier, p.Barrier = true, math.Log(c.L/c.S)
		if c.L > c.S {
			p.Side = -1
		}
		_, liquidated := simulate(p, n)
		se := math.Sqrt(c.Hit * (1 - c.Hit) / float64(n))
		if got := float64(liquidated) / float64(n); math.Abs(got-c.Hit) > g.Tolerance.Sigmas*se {
			t.Errorf("case %d: share %v, want %v: %.1f standard errors", i, got, c.Hit, (got-c.Hit)/se)
		}
	}
}
