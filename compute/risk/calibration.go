package risk

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"ballast/marketcache"
)

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
