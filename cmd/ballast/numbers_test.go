package main

import (
	"strings"
	"testing"
)

func TestReadNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"50000": 50000, "50,000": 50000, "1,234,567.5": 1234567.5, "50k": 50000, "1.2m": 1.2e6, "2B": 2e9, "-5": -5,
		"0": 0, "1.5": 1.5, "1e6": 1e6, " 7 ": 7, "1,000k": 1e6,
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
	for _, text := range []string{"", "k", "NaN", "inf", "x", "10x", "5 0", "$", "1e999", "--1"} {
		if got, err := readNumber(text); err == nil || !strings.Contains(err.Error(), "want a number") {
			t.Errorf("%q: %v %v", text, got, err)
		}
	}
	var d dollars
	var m multiple
	if err := d.UnmarshalText([]byte("$50,000")); err != nil || d != 50000 {
		t.Error(d, err)
	}
	if err := m.UnmarshalText([]byte("10X")); err != nil || m != 10 {
		t.Error(m, err)
	}
	if d.UnmarshalText([]byte("10x")) == nil || m.UnmarshalText([]byte("$10")) == nil {
		t.Error("a size in x, a leverage in USD")
	}
}
