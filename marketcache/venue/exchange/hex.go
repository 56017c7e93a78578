package exchange

import (
	"bytes"
	"encoding/hex"
)

// Address is the address of an account, an agent or a vault.
type Address [20]byte

// Cloid is a client's own id of an order.
type Cloid [16]byte

// AppendText appends 0x and 40 hexadecimal digits in lower case.
func (a Address) AppendText(b []byte) []byte { return hex.AppendEncode(append(b, "0x"...), a[:]) }

func (a Address) String() string { return string(a.AppendText(make([]byte, 0, 42))) }

// ParseAddress reads 0x and 40 hexadecimal digits, in lower or upper case.
func ParseAddress(text string) (a Address, err error) {
	if _, ok := parseHex(a[:], []byte(text)); !ok {
		return Address{}, &DecodeError{Path: "the address", Problem: addressProblem, Mend: addressMend}
	}
	return a, nil
}

// AppendText appends 0x and 32 hexadecimal digits in lower case.
func (c Cloid) AppendText(b []byte) []byte { return hex.AppendEncode(append(b, "0x"...), c[:]) }

func (c Cloid) String() string { return string(c.AppendText(make([]byte, 0, 34))) }

const (
	addressProblem = "is not an address"
	addressMend    = "write 0x and 40 hexadecimal digits"
)

// parseHex decodes 0x and the digits of all bytes of dst. It also reports whether the text is in lower case.
func parseHex(dst, text []byte) (lower, ok bool) {
	if len(text) < 2 || text[0] != '0' || text[1] != 'x' {
		return false, false
	}
	return isLower(text), parseDigits(dst, text[2:])
}

// parseDigits decodes the digits of all bytes of dst.
func parseDigits(dst, digits []byte) bool {
	if len(digits) != 2*len(dst) {
		return false
	}
	_, err := hex.Decode(dst, digits)
	return err == nil
}

func isLower(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return 'A' <= r && r <= 'Z' })
}

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// parseScalar decodes 0x and 1 to 64 digits into a number of 256 bits. It also reports whether the text is the
// shortest, in lower case.
func parseScalar(dst *[32]byte, text []byte) (shortest, ok bool) {
	*dst = [32]byte{}
	if len(text) < 3 || len(text) > 66 || text[0] != '0' || text[1] != 'x' {
		return false, false
	}
	digits, padded := text[2:], [64]byte([]byte(zeros))
	copy(padded[len(padded)-len(digits):], digits)
	return isLower(text) && (digits[0] != '0' || len(digits) == 1), parseDigits(dst[:], padded[:])
}

// appendScalar appends the shortest text that parseScalar reads.
func appendScalar(b []byte, x *[32]byte) []byte {
	var digits [64]byte
	hex.Encode(digits[:], x[:])
	short := bytes.TrimLeft(digits[:63], "0")
	b = append(append(b, "0x"...), short...)
	return append(b, digits[63])
}
