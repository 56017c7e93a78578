package main

import (
	"encoding"
	"reflect"
	"strings"
	"testing"
)

// Another unit than the flag's is never taken for its own: the error names the flag of that unit.
func TestNumbers(t *testing.T) {
	const usd, coins, leverage = "a size in coins is --size-coin", "a size in USD is --size", "want a leverage"
	for _, c := range []struct {
		flag  encoding.TextUnmarshaler
		text  string
		value float64
		says  string // "": no error
	}{
		{new(dollars), "50000", 50000, ""},
		{new(dollars), "$50,000", 50000, ""},
		{new(dollars), "1,234,567.5", 1234567.5, ""},
		{new(dollars), " 50k ", 50000, ""},
		{new(dollars), "$1.2m", 1.2e6, ""},
		{new(dollars), "2B", 2e9, ""},
		{new(dollars), "0", 0, ""},
		{new(dollars), "1,5", 0, usd},
		{new(dollars), "1,50,000", 0, usd},
		{new(dollars), "50.000,5", 0, usd},
		{new(dollars), "0.5btc", 0, usd},
		{new(dollars), "-5", 0, usd},
		{new(dollars), "NaN", 0, usd},
		{new(dollars), "inf", 0, usd},
		{new(dollars), "1e999", 0, usd},
		{new(dollars), "k", 0, usd},
		{new(dollars), "", 0, usd},
		{new(coinCount), "0.5", 0.5, ""},
		{new(coinCount), "1,000k", 1e6, ""},
		{new(coinCount), "$500", 0, coins},
		{new(coinCount), "0.5btc", 0, coins},
		{new(multiple), "10X", 10, ""},
		{new(multiple), "10:1", 0, leverage},
		{new(multiple), "2,5", 0, leverage},
	} {
		err := c.flag.UnmarshalText([]byte(c.text))
		if got := reflect.ValueOf(c.flag).Elem().Float(); c.says == "" && (err != nil || got != c.value) ||
			c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%T %q: %v %v, want %v %s", c.flag, c.text, got, err, c.value, c.says)
		}
	}
}
