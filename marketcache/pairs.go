package marketcache

import (
	"slices"

	"ballast/asm"
)

// TailPair is the joint tail of two assets: a bivariate Student t copula of their 4-hour returns.
type TailPair struct {
	Known   bool    // false: too few common returns
	RhoTau  float64 // correlation of the copula, from Kendall's tau
	Pearson float64 // sample correlation of the returns
	Nu      float64 // degrees of freedom
	LogLik  float64 // log likelihood of the copula
	Lambda  float64 // tail dependence, the same in both tails
}

// PairText is the numbers of a pair formatted for an answer: lambda, Pearson correlation, nu. Each has
// at most 15 bytes; the last byte of each array is the length. The zero value is empty.
type PairText [3][16]byte

// Text returns the formatted numbers of a Known pair; empty if a number is too long or out of range
// for asm.AppendFixedFields.
func (p *TailPair) Text() (t PairText) {
	noKey, room := []asm.FieldName{asm.NewFieldName("")}, make([]byte, asm.FixedFieldsRoom(1))
	for i, x := range [len(t)]float64{p.Lambda, p.Pearson, p.Nu} {
		n, done := asm.AppendFixedFields(room, noKey, []float64{x})
		if !p.Known || done == 0 || n >= len(t[i]) {
			return PairText{}
		}
		copy(t[i][:], room[:n])
		t[i][len(t[i])-1] = byte(n)
	}
	return t
}

// Has reports whether the text is not empty.
func (t *PairText) Has() bool { return t[0][len(t[0])-1] > 0 }

// PairTable holds the joint tails of all pairs of a set of assets. Immutable; replaced as a whole. The
// nil table and the zero value are empty.
type PairTable struct {
	row   []int32    // by AssetID; -1: not in the table
	n     int        // number of assets
	pairs []TailPair // lower triangle without the diagonal, row-major
	texts []textLine // [n*n], row-major: the texts of one asset with all others are adjacent
}

// textLine is a text padded to a cache line.
type textLine struct {
	PairText
	_ [16]byte
}

// NewPairTable returns the table of a set of assets. pairs is the lower triangle without the diagonal,
// row-major: element i*(i-1)/2+j is the pair of assets[i] and assets[j], j < i.
func NewPairTable(assets []AssetID, pairs []TailPair) *PairTable {
	if len(pairs) != len(assets)*(len(assets)-1)/2 {
		panic("BUG: a pair table that is not a triangle")
	}
	n := len(assets)
	t := &PairTable{n: n, pairs: slices.Clone(pairs), texts: make([]textLine, n*n)}
	for i, id := range assets {
		for j := range i {
			text := pairs[i*(i-1)/2+j].Text()
			t.texts[i*n+j].PairText, t.texts[j*n+i].PairText = text, text
		}
		for int(id) >= len(t.row) {
			t.row = append(t.row, -1)
		}
		t.row[id] = int32(i)
	}
	return t
}

// Has reports whether the table contains an asset.
func (t *PairTable) Has(id AssetID) bool {
	return t != nil && id >= 0 && int(id) < len(t.row) && t.row[id] >= 0
}

// Pair returns the pair of two different assets and its text; nil when it is not Known or the table
// lacks one of them.
func (t *PairTable) Pair(a, b AssetID) (*TailPair, *PairText) {
	if !t.Has(a) || !t.Has(b) || a == b {
		return nil, nil
	}
	i, j := int(t.row[a]), int(t.row[b])
	text := &t.texts[i*t.n+j].PairText
	i, j = max(i, j), min(i, j)
	if p := &t.pairs[i*(i-1)/2+j]; text.Has() || p.Known {
		return p, text
	}
	return nil, nil
}

// Rows appends to dst the table rows of the assets, without those that the table lacks.
func (t *PairTable) Rows(dst []int32, assets []AssetID) []int32 {
	for _, id := range assets {
		if t.Has(id) {
			dst = append(dst, t.row[id])
		}
	}
	return dst
}

// Prefetch starts loading the texts of the pairs of the first row with each other row, which Pair reads.
func (t *PairTable) Prefetch(rows []int32) {
	if len(rows) > 1 {
		asm.Prefetch(t.texts[int(rows[0])*t.n:], rows[1:])
	}
}

// Get returns the pair of two different assets, the zero TailPair where Pair returns nil.
func (t *PairTable) Get(a, b AssetID) TailPair {
	if p, _ := t.Pair(a, b); p != nil {
		return *p
	}
	return TailPair{}
}
