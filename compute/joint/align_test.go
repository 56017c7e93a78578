package joint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ballast/compute/stats"
	"ballast/marketcache"
)

// Without outcomes of BTC, nothing is aligned.
func TestAlignWithoutRows(t *testing.T) {
	m := model(rand.New(rand.NewPCG(1, 1)), 0, 3000, testHour, make([]float64, correlationRows))
	if len(Align(nil, m).Z) > 0 || len(Align(&marketcache.AssetModel{}, m).Z) > 0 {
		t.Error("rows without an outcome of BTC")
	}
}

// Every value of the replay, computed as docs/model.md describes.
func TestAlign(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	market := make([]float64, correlationRows)
	btc := model(r, 0, 12000, testHour, market)
	without := &marketcache.AssetModel{Asset: 4, Variance: [4]float64{1e-4, 1e-4, 2e-3, 1e-2}}
	bare := model(r, 5, 9000, testHour, market)
	bare.Low24, bare.High24 = marketcache.HourlySeries{}, marketcache.HourlySeries{}
	for name, own := range map[string]*marketcache.AssetModel{
		"BTC": btc, "older": model(r, 1, 19000, testHour, market), "younger": model(r, 2, 2000, testHour, market),
		"an hour behind": model(r, 3, 19000, testHour-1, market), "without outcomes": without,
		"without excursions": bare,
	} {
		j := Align(btc, own)
		z := btc.Z24.Values[len(btc.Z24.Values)-Rows:]
		first := btc.Z24.FirstHour + int64(len(btc.Z24.Values)-Rows)
		if len(j.Z) != Rows {
			t.Fatalf("%s: %d rows", name, len(j.Z))
		}
		for i, got := range j.Z {
			hour := first + int64(i)
			want, ok := own.Z24.At(hour)
			if n := int64(len(own.Z24.Values)); !ok && n > 0 {
				want = 0.6*z[i] + 0.8*own.Z24.Values[hour*7919%n]
			} else if !ok {
				p := (float64(hour*7919%1009) + 0.5) / 1009
				want = 0.6*z[i] + 0.8*stats.StudentQuantile(p, 4)/math.Sqrt2
			}
			if math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s: row %d is %v, want %v", name, i, got, want)
			}
		}
		for i, x := range j.PriceMoves {
			if want := math.Expm1(math.Sqrt(own.Variance[marketcache.H24]) * j.Z[i]); math.Abs(x-want) > 1e-12 {
				t.Fatalf("%s: row %d moves by %v, want %v", name, i, x, want)
			}
		}
		for side, s := range []float64{1, -1} {
			loss := make([]float64, Rows)
			for i, z := range j.Z {
				loss[i] = -s * z
			}
			sorted := slices.Sorted(slices.Values(loss))
			for i, row := range j.Best[side] {
				if loss[row] != sorted[i] {
					t.Fatalf("%s: side %d: row %d is not the %d-th best", name, side, row, i)
				}
			}
			if len(j.Best[side]) != bestRows {
				t.Errorf("%s: %d best rows", name, len(j.Best[side]))
			}
		}
	}
}

// A series that covers all hours is shared, not copied, and never modified.
func TestAlignShares(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	market := make([]float64, correlationRows)
	btc, own := model(r, 0, 12000, testHour, market), model(r, 1, 19000, testHour, market)
	before := slices.Clone(own.Z24.Values)
	j := Align(btc, own)
	if &j.Z[Rows-1] != &own.Z24.Values[len(own.Z24.Values)-1] || !slices.Equal(before, own.Z24.Values) {
		t.Error("a series that covers all hours was copied or modified")
	}
}
