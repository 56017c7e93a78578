package risk

import (
	"cmp"
	"encoding/hex"
	"slices"

	"ballast/marketcache"
)

// calibrationHash is the SHA-256 of the canonical JSON of the constants' digests and the
// digest of each asset that took part.
func (e *Engine) calibrationHash(s *Scratch) marketcache.CalibrationHash {
	in := &s.In
	if len(in.Held) == 0 && in.Target.Model != nil && in.EngineConstants == e.constants {
		return in.Target.Model.AloneHash
	}
	fits := s.fits[:0]
	if in.Target.Model != nil { // nil: a wallet without a position is watched
		fits = append(fits, in.Target.Model)
	}
	for i := range in.Held {
		fits = append(fits, in.Held[i].Model)
	}
	if len(in.Held) > 0 && in.Rows != nil {
		fits = append(fits, in.Rows) // the joint simulation replays its hours
	}
	s.fits = fits
	slices.SortFunc(fits, func(a, b *marketcache.AssetModel) int { return cmp.Compare(a.Name, b.Name) })
	s.canon = marketcache.AppendCalibration(s.canon[:0], &e.constants, &in.ModelConstants, slices.Compact(fits))
	s.hash.Reset()
	s.hash.Write(s.canon)
	var digits marketcache.CalibrationHash
	hex.Encode(digits[:], s.hash.Sum(s.canon[:0]))
	return digits
}
