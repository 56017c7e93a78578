package exchange

import (
	"bytes"
	"encoding/hex"
	"strconv"
	"strings"

	"ballast/internal/printable"
)

// text is what a member that is a JSON string means.
type text interface {
	clear()
	// read reads a text of a client. It returns what is wrong with one that the venue does not take or would hash
	// otherwise, and how to mend it.
	read(text []byte) (problem, mend string)
	// AppendText appends the only text that is written and signed.
	AppendText(b []byte) []byte
}

// quote repeats a text of the body in an error.
func quote(text []byte) string { return strconv.Quote(printable.Text(text)) }

func (d *Decimal) clear() { *d = Decimal{} }

func (d *Decimal) read(text []byte) (problem, mend string) {
	x, problem, mend := parseDecimal(text)
	if problem != "" {
		return "is " + quote(text) + ", which " + problem, mend
	}
	var space [24]byte
	if want := x.AppendText(space[:0]); string(want) != string(text) {
		return "is " + quote(text), "write and sign " + quote(want) + ", as the venue does: zeros change the signer"
	}
	*d = x
	return "", ""
}

// Address is the address of an account, an agent or a vault. In an action it is signed as text.
type Address [20]byte

const addressMend = "write 0x and 40 hexadecimal digits"

func (a *Address) clear() { *a = Address{} }

func (a *Address) read(text []byte) (problem, mend string) {
	switch lower, ok := parseHex(a[:], text); {
	case !ok:
		return "is " + quote(text), addressMend
	case !lower:
		return "has capitals", "write and sign the address in lower case, as the venue does"
	}
	return "", ""
}

// AppendText appends 0x and 40 hexadecimal digits in lower case.
func (a Address) AppendText(b []byte) []byte { return hex.AppendEncode(append(b, "0x"...), a[:]) }

func (a Address) String() string { return string(a.AppendText(make([]byte, 0, 42))) }

// ParseAddress reads 0x and 40 hexadecimal digits, in lower or upper case.
func ParseAddress(text string) (a Address, err error) {
	if _, ok := parseHex(a[:], []byte(text)); !ok {
		return Address{}, &DecodeError{Path: "the address", Problem: "is not an address", Mend: addressMend}
	}
	return a, nil
}

// rawAddress is an address whose bytes are signed, so that capitals do not matter. Some clients leave 0x out.
type rawAddress Address

func (a *rawAddress) clear()                     { *a = rawAddress{} }
func (a *rawAddress) AppendText(b []byte) []byte { return Address(*a).AppendText(b) }

func (a *rawAddress) read(text []byte) (problem, mend string) {
	if !parseDigits(a[:], bytes.TrimPrefix(text, []byte("0x"))) {
		return "is " + quote(text), addressMend
	}
	return "", ""
}

// Cloid is a client's own id of an order.
type Cloid [16]byte

func (c *Cloid) clear() { *c = Cloid{} }

func (c *Cloid) read(text []byte) (problem, mend string) {
	if lower, ok := parseHex(c[:], text); !ok || !lower {
		return "is " + quote(text), "write 0x and 32 hexadecimal digits in lower case"
	}
	return "", ""
}

// AppendText appends 0x and 32 hexadecimal digits in lower case.
func (c Cloid) AppendText(b []byte) []byte { return hex.AppendEncode(append(b, "0x"...), c[:]) }

func (c Cloid) String() string { return string(c.AppendText(make([]byte, 0, 34))) }

// plainText is any text.
type plainText string

func (s *plainText) clear()                     { *s = "" }
func (s *plainText) AppendText(b []byte) []byte { return append(b, *s...) }

func (s *plainText) read(text []byte) (problem, mend string) {
	*s = plainText(text)
	return "", ""
}

// amount is a decimal number whose text counts, with zeros that could be left out.
type amount string

func (s *amount) clear()                     { *s = "" }
func (s *amount) AppendText(b []byte) []byte { return append(b, *s...) }

func (s *amount) read(text []byte) (problem, mend string) {
	if *s = amount(text); !plainDecimal(string(text)) {
		return "is " + quote(text), `write a decimal number in digits, such as "12.5"`
	}
	return "", ""
}

// plainDecimal reports whether text is digits, with or without decimals. It needs no zero in front.
func plainDecimal(text string) bool {
	whole, decimals, point := strings.Cut(text, ".")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	return digits(whole) && (whole[0] != '0' || whole == "0") && (!point || digits(decimals))
}

// hexBytes is 0x and an even number of hexadecimal digits.
type hexBytes []byte

func (x *hexBytes) clear()                     { *x = nil }
func (x *hexBytes) AppendText(b []byte) []byte { return hex.AppendEncode(append(b, "0x"...), *x) }

func (x *hexBytes) read(text []byte) (problem, mend string) {
	digits, ok := strings.CutPrefix(string(text), "0x")
	b, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return "is " + quote(text), "write 0x and pairs of hexadecimal digits"
	}
	*x = b
	return "", ""
}

// scalar is one of the two numbers of a signature as it is hashed, paddedScalar one that may have leading zeros.
type (
	scalar       [32]byte
	paddedScalar [32]byte
)

func (x *scalar) clear()                     { *x = scalar{} }
func (x *scalar) AppendText(b []byte) []byte { return appendScalar(b, (*[32]byte)(x)) }

func (x *scalar) read(text []byte) (problem, mend string) {
	shortest, problem, mend := parseScalar((*[32]byte)(x), text)
	if problem == "" && !shortest {
		return "is " + quote(text), "write it in lower case without leading zeros, as it is hashed"
	}
	return problem, mend
}

func (x *paddedScalar) clear()                     { *x = paddedScalar{} }
func (x *paddedScalar) AppendText(b []byte) []byte { return appendScalar(b, (*[32]byte)(x)) }

func (x *paddedScalar) read(text []byte) (problem, mend string) {
	_, problem, mend = parseScalar((*[32]byte)(x), text)
	return problem, mend
}

// chainID is a number in hexadecimal.
type chainID uint64

func (x *chainID) clear() { *x = 0 }

func (x *chainID) AppendText(b []byte) []byte {
	return strconv.AppendUint(append(b, "0x"...), uint64(*x), 16)
}

func (x *chainID) read(text []byte) (problem, mend string) {
	digits, _ := strings.CutPrefix(string(text), "0x")
	number, err := strconv.ParseUint(digits, 16, 64)
	if *x = chainID(number); err != nil || string(x.AppendText(nil)) != string(text) {
		return "is " + quote(text), `write a number in hexadecimal without leading zeros, such as "0x66eee"`
	}
	return "", ""
}

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
func parseScalar(dst *[32]byte, text []byte) (shortest bool, problem, mend string) {
	*dst = [32]byte{}
	digits, padded := bytes.TrimPrefix(text, []byte("0x")), [64]byte([]byte(zeros))
	if len(digits) > 0 && len(digits) <= len(padded) && len(digits) < len(text) {
		copy(padded[len(padded)-len(digits):], digits)
		if parseDigits(dst[:], padded[:]) {
			return isLower(text) && (digits[0] != '0' || len(digits) == 1), "", ""
		}
	}
	return false, "is " + quote(text), "write 0x and 1 to 64 hexadecimal digits"
}

// appendScalar appends the shortest text that parseScalar reads.
func appendScalar(b []byte, x *[32]byte) []byte {
	var digits [64]byte
	hex.Encode(digits[:], x[:])
	short := bytes.TrimLeft(digits[:63], "0")
	b = append(append(b, "0x"...), short...)
	return append(b, digits[63])
}
