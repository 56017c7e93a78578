package risk

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sync/atomic"

	"ballast/marketcache"
)

// calibrationMemo remembers the calibration hashes of small sets of fits: a direct-mapped
// table of immutable entries, lock-free. Whoever misses computes and stores the same.
type calibrationMemo [4096]atomic.Pointer[calibration]

// memoFits bounds the sets that are remembered. The hash of a larger one is a small part
// of its assessment.
const memoFits = 16

// calibration is the hash of a sequence of fits. It holds what went into the hash, not the
// fits themselves: those of hours gone by must not stay in memory.
type calibration struct {
	model [32]byte // digest of the constants behind the fits
	fits  []fitIdentity
	hash  [32]byte
}

type fitIdentity struct {
	name   string
	digest [32]byte
}

func (c *calibration) isOf(model *[32]byte, fits []*marketcache.AssetModel) bool {
	if len(c.fits) != len(fits) || c.model != *model {
		return false
	}
	for i, f := range fits {
		if c.fits[i].digest != f.Digest || c.fits[i].name != f.Name {
			return false
		}
	}
	return true
}

// calibrationHash is the SHA-256 of the canonical JSON of the constants' digests and the
// digest of each asset that took part.
func (e *Engine) calibrationHash(s *Scratch) [32]byte {
	fits := s.fits[:0]
	if s.In.Target.Model != nil { // nil: a wallet without a position is watched
		fits = append(fits, s.In.Target.Model)
	}
	for i := range s.In.Held {
		fits = append(fits, s.In.Held[i].Model)
	}
	if len(s.In.Held) > 0 && s.In.Rows != nil {
		fits = append(fits, s.In.Rows) // the joint simulation replays its hours
	}
	s.fits = fits
	if len(fits) > memoFits {
		return e.hashFits(s, fits)
	}
	slot := &e.calibrations[hashAssets(fits)%uint64(len(e.calibrations))]
	if hit := slot.Load(); hit != nil && hit.isOf(&s.In.ModelConstants, fits) {
		return hit.hash
	}
	c := &calibration{model: s.In.ModelConstants, fits: make([]fitIdentity, len(fits))}
	for i, f := range fits {
		c.fits[i] = fitIdentity{f.Name, f.Digest}
	}
	c.hash = e.hashFits(s, fits)
	slot.Store(c)
	return c.hash
}

// hashAssets is the FNV-1a hash of the fits' assets, in their order. Two assets alone never
// share the low bits.
func hashAssets(fits []*marketcache.AssetModel) uint64 {
	hash := uint64(14695981039346656037)
	for _, f := range fits {
		hash = (hash ^ uint64(f.Asset)) * 1099511628211
	}
	return hash
}

// hashFits computes the hash and sorts fits on the way.
func (e *Engine) hashFits(s *Scratch, fits []*marketcache.AssetModel) [32]byte {
	slices.SortFunc(fits, func(a, b *marketcache.AssetModel) int { return cmp.Compare(a.Name, b.Name) })
	fits = slices.Compact(fits)

	b := append(s.canon[:0], `{"assets":{`...)
	for i, f := range fits {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, f.Name...)
		b = append(b, `":"`...)
		b = hex.AppendEncode(b, f.Digest[:])
		b = append(b, '"')
	}
	b = append(b, `},"engine":"`...)
	b = hex.AppendEncode(b, e.constants[:])
	b = append(b, `","model":"`...)
	b = hex.AppendEncode(b, s.In.ModelConstants[:])
	b = append(b, `"}`...)
	s.canon = b
	return sha256.Sum256(b)
}
