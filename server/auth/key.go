package auth

import (
	"bytes"
	"crypto/rand"
	"hash/crc32"
	"math/big"
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
	for range n {
		i, _ := rand.Int(rand.Reader, big.NewInt(62)) // this reader never fails
		b = append(b, base62[i.Int64()])
	}
	return b
}

// bearer returns the token of an Authorization header's value: the scheme Bearer in any
// case, one or more spaces, then visible ASCII to the end. ok is false for anything else.
func bearer(header []byte) (token []byte, ok bool) {
	scheme, token, _ := bytes.Cut(header, []byte(" "))
	token = bytes.TrimLeft(token, " ")
	invisible := bytes.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f })
	return token, bytes.EqualFold(scheme, []byte("Bearer")) && len(token) > 0 && !invisible
}
