package calib

import (
	"math"
	"slices"
	"testing"

	"ballast/compute/joint"
	"ballast/internal/reference"
	"ballast/marketcache"
)

// newestBars returns the bars of a candle file up to one, gaps filled, at most n of them.
func newestBars(t testing.TB, file string, lastMs int64, n int) []marketcache.Bar {
	bars := candles(t, file, nil)
	for len(bars) > 0 && bars[len(bars)-1].OpenMs > lastMs {
		bars = bars[:len(bars)-1]
	}
	for len(bars) > 0 && bars[0].OpenMs <= lastMs-int64(n)*hourMs {
		bars = bars[1:]
	}
	return bars
}

// The replay of a book, with the moves as they are published and the shortfalls added up
// here in the plainest way.
func TestGoldenBooks(t *testing.T) {
	type chances struct {
		SD          []float64
		Probability []float64
	}
	var g struct {
		Books []struct {
			Name  string
			Input struct {
				Files     []string
				LastMs    int64 `json:"last_bar_open_ms"`
				Bars      int
				Positions []struct {
					Notional float64 `json:"notional_usd"`
					Tiers    [][2]float64
				}
				A []float64
			}
			Output struct {
				Rows int
				Day  chances `json:"24"`
				Week chances `json:"168"`
			}
		}
	}
	reference.Golden(t, "probability", &g)
	if len(g.Books) == 0 {
		t.Fatal("no books")
	}
	for _, b := range g.Books {
		var fits []*marketcache.AssetModel
		for id, file := range b.Input.Files {
			m, err := Fit(marketcache.AssetID(id), file, newestBars(t, file, b.Input.LastMs, b.Input.Bars))
			if err != nil {
				t.Fatal(err)
			}
			fits = append(fits, m)
		}
		model := Publish("books", fits, 0)
		for h, want := range [marketcache.ExcursionHorizons]chances{marketcache.Excursion24h: b.Output.Day, marketcache.Excursion168h: b.Output.Week} {
			gross, shortfall := 0.0, make([]float64, b.Output.Rows)
			for i := range shortfall {
				shortfall[i] = math.Inf(-1)
				for state := range marketcache.StateCount {
					sum := 0.0
					for k, p := range b.Input.Positions {
						x := model.Asset(marketcache.AssetID(k + 1)).Joint.Moves[h][state]
						if len(x) != b.Output.Rows {
							t.Fatalf("%s: %d rows, want %d", b.Name, len(x), b.Output.Rows)
						}
						var bounds, leverages []float64
						for _, tier := range p.Tiers {
							bounds, leverages = append(bounds, tier[0]), append(leverages, tier[1])
						}
						n := math.Abs(p.Notional)
						tiers := marketcache.NewTiers(bounds, leverages)
						tier := tiers[0]
						for _, other := range tiers {
							if n >= other.LowerBoundUSD {
								tier = other
							}
						}
						sum += n*(1+x[i])*tier.MaintenanceRate - tier.DeductionUSD - p.Notional*x[i]
						if state == 0 && i == 0 {
							gross += n
						}
					}
					shortfall[i] = max(shortfall[i], sum)
				}
			}
			for k := range b.Input.Positions {
				fit := fits[k+1]
				horizon := [...]int{marketcache.H24, marketcache.H168}[h]
				if sd := math.Sqrt(fit.Variance[horizon]); math.Abs(sd/want.SD[k]-1) > 1e-9 {
					t.Errorf("%s: deviation %v, want %v", b.Name, sd, want.SD[k])
				}
			}
			for i, equity := range b.Input.A {
				rows := slices.Clone(shortfall)
				for k := range rows {
					rows[k] -= equity
				}
				got := joint.ShortfallProbability(rows, make([]float64, len(rows)), gross)
				if w := want.Probability[i]; math.Abs(got-w) > 1e-9*w+1e-15 {
					t.Errorf("%s: horizon %d, equity %v: %v, want %v", b.Name, h, equity, got, w)
				}
			}
		}
	}
}
