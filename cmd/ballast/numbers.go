package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Numbers of the command line as people write them: 50000, 50,000, 50k, 1.2m, $50,000; leverage also 10x.
type (
	dollars   float64
	coinCount float64
	multiple  float64
)

func (d *dollars) UnmarshalText(text []byte) (err error) {
	*(*float64)(d), err = readNumber(strings.TrimPrefix(string(text), "$"))
	return err
}

func (c *coinCount) UnmarshalText(text []byte) (err error) {
	*(*float64)(c), err = readNumber(string(text))
	return err
}

func (m *multiple) UnmarshalText(text []byte) (err error) {
	*(*float64)(m), err = readNumber(strings.TrimSuffix(strings.ToLower(string(text)), "x"))
	return err
}

var (
	byThousands = regexp.MustCompile(`^-?\d{1,3}(,\d{3})+(\.\d*)?$`)
	withComma   = regexp.MustCompile(`^-?[\d.,]*,[\d.,]*$`)
	suffixes    = map[byte]float64{'k': 1e3, 'm': 1e6, 'b': 1e9}
)

// readNumber reads a number with thousands separators or a suffix. A comma that separates no thousands may be one of
// decimals or a slip, so it is refused with both readings.
func readNumber(text string) (float64, error) {
	number, factor := strings.ToLower(strings.TrimSpace(text)), 1.0
	if n := len(number); n > 1 && suffixes[number[n-1]] > 0 {
		number, factor = number[:n-1], suffixes[number[n-1]]
	}
	if withComma.MatchString(number) && !byThousands.MatchString(number) {
		i := strings.LastIndexByte(number, ',')
		whole := strings.NewReplacer(",", "", ".", "")
		suffix := text[len(strings.TrimRight(text, "kKmMbB")):]
		return 0, fmt.Errorf("%q: a comma separates thousands here. Write %s.%s%s, with a decimal point, "+
			"or %s%s without it", text, whole.Replace(number[:i]), whole.Replace(number[i+1:]), suffix,
			whole.Replace(number), suffix)
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%q: want a number, such as 50000, 50,000, 50k or 1.2m", text)
	}
	return x * factor, nil
}
