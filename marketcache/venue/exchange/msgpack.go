package exchange

import (
	"encoding/binary"
	"math"
	"strconv"
)

// head is the first byte of a map or array: small with up to maxSmall members, else wide and two or four bytes.
type head struct{ small, wide2, wide4 byte }

const maxSmall = 15

var (
	packedArray = head{0x90, 0xdc, 0xdd}
	packedMap   = head{0x80, 0xde, 0xdf}
)

func packHead(b []byte, n int, h head) []byte {
	switch {
	case n <= maxSmall:
		return append(b, h.small|byte(n))
	case n <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, h.wide2), uint16(n))
	}
	return binary.BigEndian.AppendUint32(append(b, h.wide4), uint32(n))
}

func packUint(b []byte, x uint64) []byte {
	switch {
	case x < 128:
		return append(b, byte(x))
	case x <= math.MaxUint8:
		return append(b, 0xcc, byte(x))
	case x <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(b, 0xcd), uint16(x))
	case x <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, 0xce), uint32(x))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xcf), x)
}

func packInt(b []byte, x int64) []byte {
	switch {
	case x >= 0:
		return packUint(b, uint64(x))
	case x >= -32:
		return append(b, byte(x))
	case x >= math.MinInt8:
		return append(b, 0xd0, byte(x))
	case x >= math.MinInt16:
		return binary.BigEndian.AppendUint16(append(b, 0xd1), uint16(x))
	case x >= math.MinInt32:
		return binary.BigEndian.AppendUint32(append(b, 0xd2), uint32(x))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xd3), uint64(x))
}

func packString[T string | []byte](b []byte, text T) []byte {
	switch n := len(text); {
	case n < 32:
		b = append(b, 0xa0|byte(n))
	case n <= math.MaxUint8:
		b = append(b, 0xd9, byte(n))
	case n <= math.MaxUint16:
		b = binary.BigEndian.AppendUint16(append(b, 0xda), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0xdb), uint32(n))
	}
	return append(b, text...)
}

func packNumber(b []byte, text string) []byte {
	if x, err := strconv.ParseUint(text, 10, 64); err == nil {
		return packUint(b, x)
	}
	if x, err := strconv.ParseInt(text, 10, 64); err == nil {
		return packInt(b, x)
	}
	x, _ := strconv.ParseFloat(text, 64)
	return binary.BigEndian.AppendUint64(append(b, 0xcb), math.Float64bits(x))
}
