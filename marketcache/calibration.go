package marketcache

import (
	"crypto/sha256"
	"encoding/hex"
)

// AppendCalibration appends the canonical JSON that is hashed into a CalibrationHash: the digests of the
// assessment's constants (engine), of the fits' constants (model) and of the fits, distinct and by name.
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

// HashCalibration returns the hash of the output of AppendCalibration.
func HashCalibration(canonical []byte) (h CalibrationHash) {
	sum := sha256.Sum256(canonical)
	hex.Encode(h[:], sum[:])
	return h
}
