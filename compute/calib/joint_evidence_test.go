//go:build evidence

package calib

import (
	"math"
	"slices"
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

// poolPosition is a position of a pool in the reference file.
type poolPosition struct {
	Notional   float64      `json:"notional_usd"`
	Tiers      [][2]float64 // from USD, maximum leverage
	Bars       *int
	Collateral bool
	Day        float64 `json:"funding_24h"`
	Week       float64 `json:"funding_168h"`
}

// margin returns the maintenance margin of the position, and the rate of its marginal dollar.
func (p *poolPosition) margin() (usd, rate float64) {
	if p.Collateral {
		return 0, 0
	}
	n, deduction := math.Abs(p.Notional), 0.0
	for _, tier := range p.Tiers {
		if n >= tier[0] {
			next := 1 / (2 * tier[1])
			deduction += tier[0] * (next - rate)
			rate = next
		}
	}
	return n*rate - deduction, rate
}

// poolHorizon is what the reference file gives of a pool over a horizon.
type poolHorizon struct {
	SD, W          []float64
	FirstRowMoves  [][]float64 `json:"first_row_moves"`
	FirstRowBeyond []float64   `json:"first_row_beyond"`
	K, Probability []float64
}

// compare compares a pool over horizon h. fits[0] is that of BTC; rooms are the accounts' values.
func (want *poolHorizon) compare(
	t *testing.T, h int, positions []poolPosition, fits []*marketcache.AssetModel, rooms []float64,
) {
	near := func(what string, got, want, rel float64) {
		t.Helper()
		if !(math.Abs(got-want) <= rel*math.Abs(want)+1e-15) {
			t.Errorf("horizon %d: %s %v, want %v", h, what, got, want)
		}
	}
	var paths joint.Paths
	maintenance, funding := 0.0, 0.0
	for i, p := range positions {
		usd, rate := p.margin()
		maintenance += usd
		funding += p.Notional * []float64{p.Day, p.Week}[h]
		leg := joint.PathLeg{Model: fits[i+1], Weight: math.Abs(p.Notional)*rate - p.Notional, Short: p.Notional < 0}
		near("weight", leg.Weight, want.W[i], 1e-12)
		paths.Add(leg)
		if fits[0].Joint.PathRows == 0 {
			continue
		}
		table, side := &leg.Model.Joint.Paths[h], marketcache.Long
		if leg.Short {
			side = marketcache.Short
		}
		near("sd", table.SD, want.SD[i], 1e-9)
		near("first move beyond", float64(table.Beyond[side][0]), want.FirstRowBeyond[i], 1e-7)
		for mark, x := range want.FirstRowMoves[i] {
			near("first move", float64(table.Marks[mark*marketcache.PathBlock]), x, 1e-7)
		}
	}
	paths.Sum(fits[0])
	for i, a := range rooms {
		room := a - maintenance - max(0, funding)
		near("room", room, want.K[i], 1e-9)
		near("probability", paths.Probability(h, nil, room, 0), want.Probability[i], 1e-9)
	}
}

// Probabilities of cross pools against an independent implementation.
func TestEvidenceGoldenPools(t *testing.T) {
	var g struct {
		Books []struct {
			Name  string
			Input struct {
				Files     []string
				Last      int64 `json:"last_bar_open_ms"`
				Bars      int
				Positions []poolPosition
				A         []float64
			}
			Output struct {
				Rows int
				Day  poolHorizon `json:"24"`
				Week poolHorizon `json:"168"`
			}
		}
	}
	reference.Golden(t, "probability", &g)
	for _, b := range g.Books {
		t.Run(b.Name, func(t *testing.T) {
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
			if rows := fits[0].Joint.PathRows; rows != b.Output.Rows {
				t.Fatalf("%d rows, want %d", rows, b.Output.Rows)
			}
			b.Output.Day.compare(t, marketcache.Excursion24h, in.Positions, fits, in.A)
			b.Output.Week.compare(t, marketcache.Excursion168h, in.Positions, fits, in.A)
		})
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
