package main

import (
	"cmp"
	"encoding"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestReadNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"50000": 50000, "50,000": 50000, "1,234,567.5": 1234567.5, "50k": 50000, "1.2m": 1.2e6, "2B": 2e9,
		"0": 0, "1.5": 1.5, "1e6": 1e6, " 7 ": 7, "1,000k": 1e6,
		"50 000": 50000, "1 000.5k": 1000500, "1_000": 1000,
	} {
		if got, err := readNumber(text); err != nil || got != want {
			t.Errorf("%q: %v %v, want %v", text, got, err, want)
		}
	}
	for text, readings := range map[string]string{
		"1,5": "Write 1.5, with a decimal point, or 15 without", "0,05": "Write 0.05, ", "50.000,5": "Write 50000.5, ",
		"1,50,000": "or 150000 without", "1,2m": "Write 1.2m, with a decimal point, or 12m without",
		"5,": "or 5 without",
	} {
		if got, err := readNumber(text); err == nil || !strings.Contains(err.Error(), readings) {
			t.Errorf("%q: %v %v, want %s", text, got, err, readings)
		}
	}
	for _, text := range []string{"", "k", "NaN", "inf", "x", "10x", "5 0", "$", "1e999", "--1", "1 00"} {
		if got, err := readNumber(text); err == nil || !strings.Contains(err.Error(), "want a number") {
			t.Errorf("%q: %v %v", text, got, err)
		}
	}
	if _, err := readNumber("-5"); err == nil || err.Error() != `"-5": want no minus` {
		t.Error(err)
	}
}

// Another unit than the flag's is never taken for its own: the error has what is meant.
func TestUnits(t *testing.T) {
	want := errors.New("nothing")
	for _, c := range []struct {
		flag  encoding.TextUnmarshaler
		text  string
		value float64
		says  string
	}{
		{new(dollars), "$50,000", 50000, ""},
		{new(dollars), "$ 50k", 50000, ""},
		{new(dollars), "500usd", 500, ""},
		{new(dollars), "50k USDC", 50000, ""},
		{new(dollars), "500$", 500, ""},
		{new(dollars), "0.5btc", 0, "want USD; a size in coins is --size-coin 0.5"},
		{new(dollars), "0.5 BTC", 0, "want USD; a size in coins is --size-coin 0.5"},
		{new(dollars), "3xyz:TSLA", 0, "want USD; a size in coins is --size-coin 3"},
		{new(dollars), "€500", 0, "want a number"},
		{new(coinCount), "0.5", 0.5, ""},
		{new(coinCount), "$500", 0, "want coins of the asset; a size in USD is --size 500"},
		{new(coinCount), "500 usdc", 0, "want coins of the asset; a size in USD is --size 500"},
		{new(coinCount), "0.5btc", 0, "want the number alone, it counts coins of the asset: --size-coin 0.5"},
		{new(multiple), "10X", 10, ""},
		{new(multiple), "x10", 10, ""},
		{new(multiple), "10:1", 0, "want a leverage, such as 10 or 10x"},
		{new(multiple), "$10", 0, "want a leverage, such as 10 or 10x"},
		{new(multiple), "2,5", 0, "Write 2.5, with a decimal point"},
	} {
		err := c.flag.UnmarshalText([]byte(c.text))
		got := reflect.ValueOf(c.flag).Elem().Float()
		if c.says == "" && (err != nil || got != c.value) ||
			c.says != "" && !strings.Contains(cmp.Or(err, want).Error(), c.says) {
			t.Errorf("%T %q: %v %v, want %v %s", c.flag, c.text, got, err, c.value, c.says)
		}
	}
	for args, says := range map[string]string{
		"--size 0.5 btc": `--size: "0.5 btc": want USD; a size in coins is --size-coin 0.5`,
		"--size-coin=0.5 btc -x": `--size-coin: "0.5 btc": want the number alone, it counts coins of the asset: ` +
			"--size-coin 0.5",
		"--size 500 usd --asset A": "--size: write it without a space, 500usd",
		"--leverage 10 x":          "--leverage: write it without a space, 10x",
		"--price -5":               `--price: "-5": want no minus`,
		"--asset BTC x":            "nothing",
	} {
		if err := cmp.Or(looseAmount(strings.Fields(args)), want); err.Error() != says {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := parse(strings.Fields("validate --asset BTC --action long --size 0.5 btc"), nil); err == nil ||
		!strings.Contains(err.Error(), "--size-coin 0.5") {
		t.Error(err)
	}
}
