//go:build evidence

package calib

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/compute/joint"
	"ballast/compute/vol"
	"ballast/internal/reference"
	"ballast/marketcache"
)

// newestFit returns the fit of the newest bars of a candle file up to lastMs; n = 0: no candle at all.
func newestFit(t *testing.T, id marketcache.AssetID, file string, lastMs int64, n int) *marketcache.AssetModel {
	t.Helper()
	h := NewHistory(vol.ClassCrypto)
	if n > 0 {
		var bars []marketcache.Bar
		for _, b := range candles(t, file, nil) {
			if b.OpenMs > lastMs-int64(n)*hourMs && b.OpenMs <= lastMs {
				bars = append(bars, b)
			}
		}
		if err := h.Extend(bars); err != nil {
			t.Fatal(err)
		}
	}
	m := h.Model(id, file, &Scratch{})
	if n == 0 {
		m.Variance = m.AverageVariance // the reference takes average hours where no bar tells the hour
	}
	return m
}

// published aligns fits with the hours of the first.
func published(fits []*marketcache.AssetModel) []*marketcache.AssetModel {
	return Publish("test", [32]byte{}, fits, 0).Assets
}

// Probabilities of cross pools against an independent implementation.
func TestEvidenceGoldenPools(t *testing.T) {
	type horizon struct {
		SD, W          []float64
		FirstRowMoves  [][]float64 `json:"first_row_moves"`
		FirstRowBeyond []float64   `json:"first_row_beyond"`
		K, Probability []float64
	}
	var g struct {
		Books []struct {
			Name  string
			Input struct {
				Files     []string
				Last      int64 `json:"last_bar_open_ms"`
				Bars      int
				Positions []struct {
					Notional   float64      `json:"notional_usd"`
					Tiers      [][2]float64 // from USD, maximum leverage
					Bars       *int
					Collateral bool
					Day        float64 `json:"funding_24h"`
					Week       float64 `json:"funding_168h"`
				}
				A []float64
			}
			Output struct {
				Rows int
				Day  horizon `json:"24"`
				Week horizon `json:"168"`
			}
		}
	}
	reference.Golden(t, "probability", &g)
	near := func(book, what string, got, want, rel float64) {
		t.Helper()
		if !(math.Abs(got-want) <= rel*math.Abs(want)+1e-15) {
			t.Errorf("%s: %s %v, want %v", book, what, got, want)
		}
	}
	for _, b := range g.Books {
		in := &b.Input
		fits := []*marketcache.AssetModel{newestFit(t, 0, in.Files[0], in.Last, in.Bars)}
		for i, p := range in.Positions {
			n := in.Bars
			if p.Bars != nil {
				n = *p.Bars
			}
			fits = append(fits, newestFit(t, marketcache.AssetID(i+1), in.Files[i+1], in.Last, n))
		}
		fits = published(fits)
		rows := 0
		if j := fits[0].Joint; j != nil {
			rows = j.PathRows
		}
		if rows != b.Output.Rows {
			t.Fatalf("%s: %d rows, want %d", b.Name, rows, b.Output.Rows)
		}
		for h, want := range []*horizon{&b.Output.Day, &b.Output.Week} {
			var paths joint.Paths
			maintenance, funding := 0.0, 0.0
			for i, p := range in.Positions {
				leg := joint.PathLeg{Model: fits[i+1], Weight: -p.Notional, Short: p.Notional < 0}
				if !p.Collateral {
					n, rate, deduction := math.Abs(p.Notional), 0.0, 0.0
					for _, tier := range p.Tiers {
						if n >= tier[0] {
							next := 1 / (2 * tier[1])
							deduction += tier[0] * (next - rate)
							rate = next
						}
					}
					leg.Weight += n * rate
					maintenance += n*rate - deduction
				}
				funding += p.Notional * []float64{p.Day, p.Week}[h]
				near(b.Name, "weight", leg.Weight, want.W[i], 1e-12)
				paths.Add(leg)
				if rows == 0 {
					continue
				}
				table := &fits[i+1].Joint.Paths[h]
				near(b.Name, "sd", table.SD, want.SD[i], 1e-9)
				side := marketcache.Long
				if leg.Short {
					side = marketcache.Short
				}
				near(b.Name, "first move beyond", float64(table.Beyond[side][0]), want.FirstRowBeyond[i], 1e-7)
				for mark, x := range want.FirstRowMoves[i] {
					near(b.Name, "first move", float64(table.Marks[mark*marketcache.PathBlock]), x, 1e-7)
				}
			}
			paths.Sum(fits[0])
			for i, a := range in.A {
				room := a - maintenance - max(0, funding)
				near(b.Name, "room", room, want.K[i], 1e-9)
				what := strings.Join([]string{"probability of", strconv.Itoa(h), "with", strconv.Itoa(i)}, " ")
				near(b.Name, what, paths.Probability(h, nil, room, 0), want.Probability[i], 1e-9)
			}
		}
	}
}

// The joint loss of five positions, counted in prices, against an independent implementation.
func TestEvidenceGoldenLosses(t *testing.T) {
	var g struct {
		Assets, Files []string
		BarOpen       string                        `json:"bar_open"`
		Notional      []float64                     `json:"notional_usd"`
		Pct           map[string]map[string]float64 `json:"position_pct_99_24h"`
		Scale         map[string]map[string]float64
		FHS           struct {
			VaR         float64   `json:"var_99"`
			ES          float64   `json:"es_99"`
			Incremental []float64 `json:"incremental_var"`
			Alone       []float64 `json:"standalone_var"`
		} `json:"joint_fhs"`
	}
	reference.Golden(t, "portfolio", &g)
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-9*math.Abs(want)) {
			t.Errorf("%s %v, want %v", what, got, want)
		}
	}
	at, err := time.Parse(time.DateTime, g.BarOpen)
	if err != nil {
		t.Fatal(err)
	}
	var fits []*marketcache.AssetModel
	for i, file := range g.Files {
		h := NewHistory(vol.ClassCrypto)
		bars := candles(t, file, func(open time.Time) bool { return open.Year() >= 2020 && open.Hour() == 0 })
		end := slices.IndexFunc(bars, func(b marketcache.Bar) bool { return b.OpenMs > at.UnixMilli() })
		if err := h.Extend(bars[:end]); err != nil {
			t.Fatal(err)
		}
		fits = append(fits, h.Model(marketcache.AssetID(i), g.Assets[i], &Scratch{}))
	}
	fits = published(fits)
	var book joint.Losses
	for i, m := range fits {
		for side, name := range []string{marketcache.Long: "long", marketcache.Short: "short"} {
			near(m.Name+" "+name, m.Joint.Scale[side], g.Scale[m.Name][name])
		}
		book.Add(m, g.Notional[i])
		alone, _ := joint.Alone(m, g.Notional[i])
		near(m.Name+" alone", alone, g.FHS.Alone[i])
	}
	book.Sum(fits[0])
	q, mean := book.Tail(nil, 0)
	near("quantile", q, g.FHS.VaR)
	near("mean", mean, g.FHS.ES)
	book.PrepareWithout()
	for i, m := range fits {
		near("incremental "+m.Name, q-max(0, book.Without(m, g.Notional[i])), g.FHS.Incremental[i])
		var others joint.Losses
		for j, other := range fits {
			if j != i {
				others.Add(other, g.Notional[j])
			}
		}
		others.Sum(fits[0])
		same, sameMean := others.Tail(m, g.Notional[i])
		near("with "+m.Name, same, g.FHS.VaR)
		near("mean with "+m.Name, sameMean, g.FHS.ES)
	}
}
