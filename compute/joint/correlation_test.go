package joint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ballast/compute/stats"
	"ballast/marketcache"
)

const testHour = 480_000

// universe returns n fits that end at testHour. Some are listed late, some too late to be included,
// and some have prices that never move.
func universe(r *rand.Rand, n int) (fits []*marketcache.AssetModel) {
	market := normals(r, correlationRows)
	for id := range marketcache.AssetID(n) {
		hours := 20000
		switch r.IntN(4) {
		case 0:
			hours = 1 + r.IntN(correlationRows)
		case 1:
			hours = minCorrelationRows - 2 + r.IntN(4)
		}
		f := model(r, id, hours, testHour, market)
		if r.IntN(12) == 0 {
			clear(f.U1.Values)
		}
		fits = append(fits, f)
	}
	return fits
}

func compare(t rapid.TB, got, want []float64, k int) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Fatalf("element %d,%d: %v, want %v", i/k, i%k, got[i], want[i])
		}
	}
}

// The matrix of the returns is that of the hours that all assets with at least 240 have in common, shrunk; any
// other asset has correlation 0.6 with all.
func TestCorrelations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	market := normals(r, 1000)
	fit := func(first, n int) *marketcache.AssetModel {
		m := &marketcache.AssetModel{U1: marketcache.HourlySeries{FirstHour: int64(first), Values: normals(r, n)}}
		for i := range m.U1.Values {
			m.U1.Values[i] += 2 * market[first+i]
		}
		return m
	}
	shrunk := func(series ...[]float64) []float64 {
		var unit [][]float64
		for _, x := range series {
			unit = append(unit, make([]float64, len(x)))
			stats.Standardise(unit[len(unit)-1], x)
		}
		c := make([]float64, len(series)*len(series))
		stats.LedoitWolf(c, unit)
		stats.UnitDiagonal(c, len(series))
		return c
	}
	// Hours 0 to 499, 100 to 499 and 0 to 399 have 100 to 399 in common.
	a, b, c := fit(0, 500), fit(100, 400), fit(0, 400)
	w := shrunk(a.U1.Values[100:400], b.U1.Values[:300], c.U1.Values[100:400])
	if w[1] < 0.6 || w[1] > 0.9 {
		t.Fatalf("correlation %v", w[1])
	}
	flat := &marketcache.AssetModel{U1: marketcache.HourlySeries{Values: make([]float64, 500)}}
	for name, row := range map[string]struct {
		fits []*marketcache.AssetModel
		want []float64
	}{
		"a short history": {[]*marketcache.AssetModel{a, b, c, fit(300, 239)},
			[]float64{1, w[1], w[2], 0.6, w[3], 1, w[5], 0.6, w[6], w[7], 1, 0.6, 0.6, 0.6, 0.6, 1}},
		"few shared hours":   {[]*marketcache.AssetModel{fit(0, 260), fit(200, 260)}, []float64{1, 0.6, 0.6, 1}},
		"a price that stays": {[]*marketcache.AssetModel{a, flat}, []float64{1, 0, 0, 1}},
		"nothing known":      {[]*marketcache.AssetModel{{}, {}}, []float64{1, 0.6, 0.6, 1}},
	} {
		t.Run(name, func(t *testing.T) { compare(t, Correlations(row.fits), row.want, len(row.fits)) })
	}
}

// The matrix assembled from sums equals the matrix computed from the returns, for any set of
// assets.
func TestMatrixOfSums(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64Range(0, 40).Draw(rt, "seed"), 1))
		fits := universe(r, 24)
		table := Sums(fits)
		if table.LastHour != testHour || len(table.Windows) == 0 {
			rt.Fatalf("%+v", table)
		}
		s := &Scratch{}
		for range 4 {
			order := rapid.SliceOfNDistinct(rapid.IntRange(0, len(fits)-1), 1, len(fits), rapid.ID[int]).Draw(rt,
				"set")
			var set []*marketcache.AssetModel
			for _, i := range order {
				set = append(set, fits[i])
			}
			k := len(set)
			got := make([]float64, k*k)
			Matrix(got, table, set, s)
			compare(rt, got, Correlations(set), k)
			for i := range k {
				if got[i*k+i] != 1 {
					rt.Fatalf("diagonal %v", got[i*k+i])
				}
				for j := range i {
					if got[i*k+j] != got[j*k+i] {
						rt.Fatal("not symmetric")
					}
				}
			}
		}
	})
}

// Windows begin where the returns of assets begin, the longest window first. An asset is in every
// window whose hours it has completely.
func TestWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	market := normals(r, correlationRows)
	var fits []*marketcache.AssetModel
	for id, hours := range []int{20000, 500, 3000, 239, 240, 500} {
		fits = append(fits, model(r, marketcache.AssetID(id), hours, testHour, market))
	}
	fits = append(fits, nil, model(r, 7, 20000, testHour-1, market), model(r, marketcache.NoAsset, 20000, testHour,
		market))
	table := Sums(fits)
	want := []struct {
		hours int64
		rows  []int32
	}{{2160, []int32{0, -1, 1}}, {500, []int32{0, 1, 2, -1, -1, 3}}, {240, []int32{0, 1, 2, -1, 3, 4}}}
	if len(table.Windows) != len(want) {
		t.Fatalf("%d windows", len(table.Windows))
	}
	for i, w := range table.Windows {
		if w.Hours != want[i].hours || w.FirstHour != testHour-w.Hours+1 || !slices.Equal(w.Row, want[i].rows) {
			t.Errorf("window %d: %d hours from %d, rows %v", i, w.Hours, w.FirstHour, w.Row)
		}
		m := len(want[i].rows) - 1
		for _, r := range want[i].rows {
			if r < 0 {
				m--
			}
		}
		if m++; len(w.Sums) != m*(m+1)/2 {
			t.Errorf("window %d: %d sums", i, len(w.Sums))
		}
	}
	if empty := Sums(nil); len(empty.Windows) != 0 {
		t.Errorf("%+v", empty)
	}
}

// A matrix depends only on the table, by asset id: it ignores newer returns of a fit, and assets
// that are not in the table.
func TestTableDecides(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	market := normals(r, correlationRows)
	a, b := model(r, 0, 20000, testHour, market), model(r, 1, 20000, testHour, market)
	table := Sums([]*marketcache.AssetModel{a, b})
	want := Correlations([]*marketcache.AssetModel{a, b})
	later, stranger := model(r, 1, 20000, testHour+1, market), model(r, 2, 20000, testHour, market)
	got := make([]float64, 9)
	Matrix(got, table, []*marketcache.AssetModel{a, later}, &Scratch{})
	compare(t, got[:4], want, 2)
	Matrix(got, table, []*marketcache.AssetModel{a, stranger, later}, &Scratch{})
	compare(t, got, []float64{1, 0.6, want[1], 0.6, 1, 0.6, want[1], 0.6, 1}, 3)
	// Before the first table, and with an empty table.
	Matrix(got, nil, []*marketcache.AssetModel{a, b}, &Scratch{})
	compare(t, got[:4], want, 2)
	Matrix(got, Sums(nil), []*marketcache.AssetModel{a, b}, &Scratch{})
	compare(t, got[:4], []float64{1, 0.6, 0.6, 1}, 2)
}

// When there are more recent listings than windows, the newest ones are computed from their
// returns.
func TestMoreListingsThanWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	market := normals(r, correlationRows)
	var fits []*marketcache.AssetModel
	for id := range marketcache.AssetID(maxWindows + 4) {
		fits = append(fits, model(r, id, 2000-24*int(id), testHour, market))
	}
	table := Sums(fits)
	if n := len(table.Windows); n != maxWindows || table.Windows[n-1].Hours != 2000-24*(maxWindows-1) {
		t.Fatalf("%d windows", n)
	}
	k := 3
	set := []*marketcache.AssetModel{fits[2], fits[maxWindows+3], fits[0]}
	got := make([]float64, k*k)
	Matrix(got, table, set, &Scratch{})
	compare(t, got, Correlations(set), k)
	if got[1] == DefaultCorrelation {
		t.Error("a listing beyond the windows counts as without history")
	}
}

// Assets with equal returns have a correlation of 1 before shrinkage, and the default
// correlation can make a matrix indefinite. Matrix returns a positive definite one for both.
func TestMatrixIsPositiveDefinite(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	market := normals(r, correlationRows)
	var fits []*marketcache.AssetModel
	for id := range marketcache.AssetID(6) {
		f := model(r, id, 20000, testHour, market)
		if id > 0 {
			sign := float64(1 - 2*(id%2))
			for i, v := range fits[0].U1.Values {
				f.U1.Values[i] = sign * v
			}
		}
		fits = append(fits, f)
	}
	fits = append(fits, model(r, 6, 100, testHour, market))
	got := make([]float64, 49)
	Matrix(got, Sums(fits), fits, &Scratch{})
	compare(t, got, Correlations(fits), 7)
	if got[6] == DefaultCorrelation {
		t.Error("an asset cannot have 0.6 with both an asset and its opposite")
	}
}

// Only the repair of an indefinite matrix allocates.
func TestMatrixAllocsNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	market := normals(r, correlationRows)
	var fits []*marketcache.AssetModel
	for id, hours := range []int{9000, 1000, 100} {
		fits = append(fits, model(r, marketcache.AssetID(id), hours, testHour, market))
	}
	table, s, dst := Sums(fits), &Scratch{}, make([]float64, 9)
	for _, c := range []*marketcache.Correlations{table, nil} {
		Matrix(dst, c, fits, s)
		if n := testing.AllocsPerRun(20, func() { Matrix(dst, c, fits, s) }); n != 0 {
			t.Errorf("%v allocations, table %v", n, c != nil)
		}
	}
}
