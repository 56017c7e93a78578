package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Numbers of the command line as people write them: 50000, 50,000, 50 000, 50k, 1.2m, $50,000; leverage also 10x.
type (
	dollars   float64
	coinCount float64
	multiple  float64
)

func (d *dollars) UnmarshalText(text []byte) (err error) {
	*(*float64)(d), err = readNumber(inDollars.ReplaceAllString(string(text), ""))
	if coins := inCoins.FindSubmatch(text); err != nil && coins != nil {
		return fmt.Errorf("%q: want USD; a size in coins is --size-coin %s", text, coins[1])
	}
	return err
}

func (c *coinCount) UnmarshalText(text []byte) (err error) {
	*(*float64)(c), err = readNumber(string(text))
	if number := inDollars.ReplaceAllString(string(text), ""); err != nil && number != string(text) {
		return fmt.Errorf("%q: want coins of the asset; a size in USD is --size %s", text, number)
	}
	if coins := inCoins.FindSubmatch(text); err != nil && coins != nil {
		return fmt.Errorf("%q: want the number alone, it counts coins of the asset: --size-coin %s", text, coins[1])
	}
	return err
}

func (m *multiple) UnmarshalText(text []byte) (err error) {
	*(*float64)(m), err = readNumber(strings.Trim(strings.ToLower(string(text)), "x "))
	if err != nil && !strings.Contains(string(text), ",") {
		return fmt.Errorf("%q: want a leverage, such as 10 or 10x", text)
	}
	return err
}

// loose is an amount that the parser takes for a stray argument (--size 0.5 btc) or for a flag (--size -500).
var loose = regexp.MustCompile(
	`--(size|size-coin|leverage|price|stop-loss|take-profit)[ =](-[\d.,]+|[$\d.,]+ (?:\pL+|[$€]))(?: -|$)`)

// looseAmount says what is meant by a loose amount, nil when there is none.
func looseAmount(args []string) (err error) {
	found := loose.FindStringSubmatch(strings.Join(args, " "))
	if found == nil {
		return nil
	}
	name, text := found[1], []byte(found[2])
	switch name {
	case "size-coin":
		err = new(coinCount).UnmarshalText(text)
	case "leverage":
		err = new(multiple).UnmarshalText(text)
	default:
		err = new(dollars).UnmarshalText(text)
	}
	if err == nil {
		err = fmt.Errorf("write it without a space, %s", strings.ReplaceAll(found[2], " ", ""))
	}
	return fmt.Errorf("--%s: %w", name, err)
}

var (
	byThousands = regexp.MustCompile(`^-?\d{1,3}(,\d{3})+(\.\d*)?$`)
	bySpaces    = regexp.MustCompile(`^\d{1,3}( \d{3})+(\.\d*)?$`)
	withComma   = regexp.MustCompile(`^-?[\d.,]*,[\d.,]*$`)
	inDollars   = regexp.MustCompile(`(?i)^\$ ?| ?(\$|usd[ct]?)$`)
	inCoins     = regexp.MustCompile(`^([\d.,]+) ?\pL[\pL\d:]*$`)
	suffixes    = map[byte]float64{'k': 1e3, 'm': 1e6, 'b': 1e9}
)

// readNumber reads a number with thousands separators or a suffix. A comma that separates no thousands may be one of
// decimals or a slip, so it is refused with both readings.
func readNumber(text string) (float64, error) {
	number, factor := strings.ToLower(strings.TrimSpace(text)), 1.0
	if n := len(number); n > 1 && suffixes[number[n-1]] > 0 {
		number, factor = number[:n-1], suffixes[number[n-1]]
	}
	if bySpaces.MatchString(number) {
		number = strings.ReplaceAll(number, " ", "")
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
	if x < 0 {
		return 0, fmt.Errorf("%q: want no minus", text)
	}
	return x * factor, nil
}
