package marketcache

import "slices"

// TailPair is the joint tail of two assets: a bivariate Student t copula of their 4-hour returns.
type TailPair struct {
	Known   bool    // false: too few common returns
	RhoTau  float64 // correlation of the copula, from Kendall's tau
	Pearson float64 // sample correlation of the returns
	Nu      float64 // degrees of freedom
	LogLik  float64 // log likelihood of the copula
	Lambda  float64 // tail dependence, the same in both tails
}

// PairTable holds the joint tails of all pairs of a set of assets. Immutable; replaced as a whole. The
// nil table and the zero value are empty.
type PairTable struct {
	Row   []int32    // by AssetID; -1: not in the table
	Pairs []TailPair // lower triangle without the diagonal, row-major
}

// NewPairTable returns the table of a set of assets. pairs is the lower triangle without the diagonal,
// row-major: element i*(i-1)/2+j is the pair of assets[i] and assets[j], j < i.
func NewPairTable(assets []AssetID, pairs []TailPair) *PairTable {
	if len(pairs) != len(assets)*(len(assets)-1)/2 {
		panic("BUG: a pair table that is not a triangle")
	}
	t := &PairTable{Pairs: slices.Clone(pairs)}
	for i, id := range assets {
		for int(id) >= len(t.Row) {
			t.Row = append(t.Row, -1)
		}
		t.Row[id] = int32(i)
	}
	return t
}

// Has reports whether the table contains an asset.
func (t *PairTable) Has(id AssetID) bool {
	return t != nil && id >= 0 && int(id) < len(t.Row) && t.Row[id] >= 0
}

// Pair returns the pair of two different assets; nil when it is not Known or the table lacks one of them.
func (t *PairTable) Pair(a, b AssetID) *TailPair {
	if !t.Has(a) || !t.Has(b) || a == b {
		return nil
	}
	i, j := int(max(t.Row[a], t.Row[b])), int(min(t.Row[a], t.Row[b]))
	if p := &t.Pairs[i*(i-1)/2+j]; p.Known {
		return p
	}
	return nil
}

// Get returns the pair of two different assets, the zero TailPair where Pair returns nil.
func (t *PairTable) Get(a, b AssetID) TailPair {
	if p := t.Pair(a, b); p != nil {
		return *p
	}
	return TailPair{}
}
