package auth

import (
	"crypto/rand"
	"hash/crc32"
)

const (
	keyPrefix   = "blst_"
	keyRandom   = 34
	keyChecksum = 6
	keyLen      = len(keyPrefix) + keyRandom + keyChecksum

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newKey returns a new key.
func newKey() string {
	return string(appendChecksum(appendRandom62([]byte(keyPrefix), keyRandom)))
}

// WellFormed reports whether s has a key's form and a correct checksum, whether issued or not.
func WellFormed(s string) bool {
	if len(s) != keyLen || s[:len(keyPrefix)] != keyPrefix {
		return false
	}
	body := s[:keyLen-keyChecksum]
	return string(appendChecksum([]byte(body))) == s
}

// appendChecksum appends the CRC-32 (IEEE) of b as six base62 digits, highest first.
func appendChecksum(b []byte) []byte {
	sum := crc32.ChecksumIEEE(b)
	var digits [keyChecksum]byte
	for i := keyChecksum - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return append(b, digits[:]...)
}

// appendRandom62 appends n independent, uniform base62 characters.
func appendRandom62(b []byte, n int) []byte {
	const fair = 256 / 62 * 62 // higher bytes would make the first characters more likely
	var pool [64]byte
	for n > 0 {
		rand.Read(pool[:]) // never fails
		for _, c := range pool {
			if c < fair && n > 0 {
				b = append(b, base62[c%62])
				n--
			}
		}
	}
	return b
}
