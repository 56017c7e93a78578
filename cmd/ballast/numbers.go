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
	const want = "USD, such as 50000, 50,000, 50k or $1.2m; a size in coins is --size-coin"
	*(*float64)(d), err = readNumber(strings.TrimPrefix(string(text), "$"), want)
	return err
}

func (c *coinCount) UnmarshalText(text []byte) (err error) {
	*(*float64)(c), err = readNumber(string(text), "coins of the asset, such as 0.5 or 2k; a size in USD is --size")
	return err
}

func (m *multiple) UnmarshalText(text []byte) (err error) {
	*(*float64)(m), err = readNumber(strings.TrimRight(string(text), "xX"), "a leverage, such as 10 or 10x")
	return err
}

var (
	// byThousands is a number whose commas can only separate thousands.
	byThousands = regexp.MustCompile(`^\d{1,3}(,\d{3})+(\.\d*)?$`)
	suffixes    = map[byte]float64{'k': 1e3, 'm': 1e6, 'b': 1e9}
)

// readNumber reads a number with thousands separators or a suffix. Any other comma may be one of decimals.
func readNumber(text, want string) (float64, error) {
	number, factor := strings.ToLower(strings.TrimSpace(text)), 1.0
	if n := len(number); n > 1 && suffixes[number[n-1]] > 0 {
		number, factor = number[:n-1], suffixes[number[n-1]]
	}
	if byThousands.MatchString(number) {
		number = strings.ReplaceAll(number, ",", "")
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		if strings.Contains(number, ",") {
			want += "; a comma separates thousands, a point decimals"
		}
		return 0, fmt.Errorf("%q: want %s", text, want)
	}
	return x * factor, nil
}
