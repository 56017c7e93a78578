package marketcache

import (
	"sync/atomic"
	"weak"
)

// TailPair is the joint tail of two assets: a bivariate Student t copula on their
// 4-hour returns.
type TailPair struct {
	Known   bool    // false: too few common returns
	RhoTau  float64 // correlation of the copula, from Kendall's tau
	Pearson float64 // sample correlation of the returns
	Nu      float64 // degrees of freedom
	LogLik  float64 // log likelihood of the copula
	Lambda  float64 // tail dependence, the same in both tails
}

// PairTable remembers fitted pairs of assets. A pair is a pure function of two immutable
// series, so whoever needs one that is missing may fit and store it: all writers store the
// same. Lock-free; the zero value is ready.
type PairTable struct {
	rows [maxPairAssets]atomic.Pointer[pairRow]
}

// maxPairAssets bounds the table; pairs of later assets are not remembered.
const maxPairAssets = 4096

// pairRow holds the pairs of one asset with those of a lower ID.
type pairRow []atomic.Pointer[pairCell]

// pairCell refers to its series weakly, so that the table keeps no history alive.
type pairCell struct {
	a, b weak.Pointer[HourlySeries]
	pair TailPair
}

// Get returns the pair of two assets if it was fitted to these very series. Neither
// series may be nil.
func (t *PairTable) Get(a, b *AssetModel) (TailPair, bool) {
	if a.Asset < b.Asset {
		a, b = b, a
	}
	if b.Asset < 0 || a.Asset >= maxPairAssets {
		return TailPair{}, false
	}
	row := t.rows[a.Asset].Load()
	if row == nil {
		return TailPair{}, false
	}
	if b.Asset >= AssetID(len(*row)) {
		return TailPair{}, false // the same asset
	}
	cell := (*row)[b.Asset].Load()
	if cell == nil || cell.a.Value() != a.Daily || cell.b.Value() != b.Daily {
		return TailPair{}, false
	}
	return cell.pair, true
}

// Set remembers the pair of two different assets, fitted to their series.
func (t *PairTable) Set(a, b *AssetModel, pair TailPair) {
	if a.Asset < b.Asset {
		a, b = b, a
	}
	if b.Asset < 0 || a.Asset >= maxPairAssets || a.Asset == b.Asset {
		return
	}
	row := t.rows[a.Asset].Load()
	if row == nil {
		fresh := make(pairRow, a.Asset)
		if !t.rows[a.Asset].CompareAndSwap(nil, &fresh) {
			row = t.rows[a.Asset].Load()
		} else {
			row = &fresh
		}
	}
	(*row)[b.Asset].Store(&pairCell{weak.Make(a.Daily), weak.Make(b.Daily), pair})
}
