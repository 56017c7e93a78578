package marketcache

import (
	"crypto/sha256"
	"encoding/hex"
)

// AppendCalibration appends the canonical JSON behind a calibration hash, which is its
// SHA-256: the digests of the fits that took part, by name in rising order and each once,
// of the assessment's constants and of those behind the fits.
func AppendCalibration(dst []byte, engine, model *[32]byte, fits []*AssetModel) []byte {
	dst = append(dst, `{"assets":{`...)
	for i, f := range fits {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, f.Name...)
		dst = append(dst, `":"`...)
		dst = hex.AppendEncode(dst, f.Digest[:])
		dst = append(dst, '"')
	}
	dst = append(dst, `},"engine":"`...)
	dst = hex.AppendEncode(dst, engine[:])
	dst = append(dst, `","model":"`...)
	dst = hex.AppendEncode(dst, model[:])
	return append(dst, `"}`...)
}

// CalibrationHash is a SHA-256 as 64 hexadecimal digits.
type CalibrationHash [2 * sha256.Size]byte

// HashCalibration returns the hash of what AppendCalibration wrote.
func HashCalibration(canonical []byte) (h CalibrationHash) {
	sum := sha256.Sum256(canonical)
	hex.Encode(h[:], sum[:])
	return h
}
