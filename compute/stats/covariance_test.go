package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func near(got, want, rel float64) bool {
	return math.Abs(got-want) <= rel*max(math.Abs(want), 1e-300) || got == want
}

// For two series of unit variance the target is the identity, and the result can be computed by
// hand.
func TestLedoitWolfByHand(t *testing.T) {
	a := []float64{1, -1, 1, -1}
	b := []float64{1, -1, -1, 1}
	c := make([]float64, 4)
	// S = I equals the target: delta is 0, and the shrinkage is 0.
	if s := LedoitWolf(c, [][]float64{a, b}); s != 0 || !slices.Equal(c, []float64{1, 0, 0, 1}) {
		t.Errorf("shrinkage %v, %v", s, c)
	}
	// S = [[1, 1], [1, 1]]. Each of the four rows is (1,1) or (-1,-1), so |x|^4 = 4 for each and
	// |S|^2 = 4: beta = (16/4-4)/8 = 0.
	if s := LedoitWolf(c, [][]float64{a, a}); s != 0 || !slices.Equal(c, []float64{1, 1, 1, 1}) {
		t.Errorf("shrinkage %v, %v", s, c)
	}
	// x = (2,0,-2,0), y = (2,0,-2,0)/2 + (0,1,0,-1): S = [[2,1],[1,1]], trace 3, mu 1.5,
	// |S|^2 = 7, |row|^4 = 25, 1, 25, 1: beta = (52/4-7)/8 = 0.75,
	// delta = (7 - 9 + 4.5)/2 = 1.25, s = 0.6.
	s := LedoitWolf(c, [][]float64{{2, 0, -2, 0}, {1, 1, -1, -1}})
	want := []float64{0.4*2 + 0.9, 0.4, 0.4, 0.4 + 0.9}
	for i := range c {
		if !near(c[i], want[i], 1e-14) {
			t.Errorf("entry %d: %v, want %v", i, c[i], want[i])
		}
	}
	if !near(s, 0.6, 1e-14) {
		t.Errorf("shrinkage %v", s)
	}
	s = LedoitWolf(c, [][]float64{{0, 0}, {0, 0}})
	if s != 0 || !slices.Equal(c, make([]float64, 4)) || Pearson(c, a) != 0 {
		t.Errorf("all zero: %v, %v", s, c)
	}
}

func TestUnitDiagonal(t *testing.T) {
	c := []float64{4, 2, 0, 2, 9, 0, 0, 0, 0}
	UnitDiagonal(c, 3)
	if want := []float64{1, 2.0 / 6, 0, 2.0 / 6, 1, 0, 0, 0, 1}; !closeAll(c, want, 1e-15) {
		t.Errorf("%v", c)
	}
}

func closeAll(a, b []float64, rel float64) bool {
	for i := range a {
		if !near(a[i], b[i], rel) {
			return false
		}
	}
	return true
}

func TestRepairLeavesGoodMatrices(t *testing.T) {
	c := []float64{1, 0.99, 0.99, 1}
	if RepairCorrelation(c, 2, make([]float64, 4)) || !slices.Equal(c, []float64{1, 0.99, 0.99, 1}) {
		t.Errorf("changed: %v", c)
	}
}

func TestRepairProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 8).Draw(t, "k")
		c := make([]float64, k*k)
		for i := range k {
			c[i*k+i] = 1
			for j := range i {
				c[i*k+j] = rapid.Float64Range(-1, 1).Draw(t, "rho")
				c[j*k+i] = c[i*k+j]
			}
		}
		work := make([]float64, k*k)
		RepairCorrelation(c, k, work)
		for i := range k {
			if c[i*k+i] != 1 {
				t.Fatalf("diagonal %v", c[i*k+i])
			}
			for j := range k {
				if c[i*k+j] != c[j*k+i] || math.Abs(c[i*k+j]) > 1+1e-12 {
					t.Fatalf("entry %d,%d: %v, %v", i, j, c[i*k+j], c[j*k+i])
				}
			}
		}
		// Rescaling a matrix whose eigenvalues were floored divides them by at most its largest
		// diagonal entry, which is below k, so a tenth of the floor over k is a safe bound.
		if !eigenvaluesAbove(EigenFloor/float64(10*k), c, k, work) {
			t.Fatal("not positive definite after repair")
		}
	})
}

// The eigenvectors diagonalise the matrix, are orthonormal, and the eigenvalues are those of gonum.
func TestSymmetricEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, n := range []int{1, 2, 3, 6, 25, 120} {
		for _, rank := range []int{1, n/2 + 1, n} {
			a := make([]float64, n*n)
			for range rank {
				x := make([]float64, n)
				for i := range x {
					x[i] = r.NormFloat64() * float64(r.IntN(3))
				}
				for i := range n {
					for j := range n {
						a[i*n+j] += x[i] * x[j]
					}
				}
			}
			v, d := slices.Clone(a), make([]float64, n)
			symmetricEigen(v, n, d, make([]float64, n))
			worst, largest := 0.0, 1.0
			for i := range n {
				for j := range n {
					back, unit := 0.0, 0.0
					for m := range n {
						back += v[i*n+m] * d[m] * v[j*n+m]
						unit += v[m*n+i] * v[m*n+j]
					}
					if i == j {
						unit--
					}
					largest = max(largest, math.Abs(a[i*n+j]))
					worst = max(worst, math.Abs(back-a[i*n+j])/largest, math.Abs(unit))
				}
			}
			if worst > 1e-12*float64(n) {
				t.Errorf("%d rows of rank %d: off by %g", n, rank, worst)
			}
			var eig mat.EigenSym
			eig.Factorize(mat.NewSymDense(n, a), false)
			slices.Sort(d)
			for i, want := range eig.Values(nil) {
				if math.Abs(d[i]-want) > 1e-11*largest*float64(n) {
					t.Errorf("%d rows of rank %d: eigenvalue %d is %g, want %g", n, rank, i, d[i], want)
				}
			}
		}
	}
}
