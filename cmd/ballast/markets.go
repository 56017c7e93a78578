package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ballast/server/spec/types"
)

// Validate refuses a negative limit.
func (c *marketsCmd) Validate() error {
	if c.Limit < 0 {
		return errors.New("--limit: want 0, for all, or more")
	}
	return c.check("")
}

// Run prints the markets.
func (c *marketsCmd) Run() error {
	var answer types.Assets
	return c.show("/v1/assets", nil, &answer, func(w sheet) { printMarkets(w, answer.Assets, c.Search, c.Limit) })
}

func printMarkets(w sheet, markets []types.Asset, search string, limit int) {
	markets = slices.DeleteFunc(markets, func(m types.Asset) bool {
		return !strings.Contains(strings.ToLower(m.Name), strings.ToLower(search))
	})
	volume := func(m types.Asset) float64 {
		if m.Volume24h == nil {
			return 0
		}
		return *m.Volume24h
	}
	slices.SortStableFunc(markets, func(a, b types.Asset) int { return cmp.Compare(volume(b), volume(a)) })
	if len(markets) == 0 {
		fmt.Fprintf(w, "no market's name contains %q: without it all are listed\n", search)
		return
	}
	fmt.Fprintln(w, w.paint(bold, fmt.Sprintf("%-14s %12s %9s %15s %10s %4s %10s", "Market", "mark", "24 h",
		"98 of 100 days", "funding/y", "max", "volume")))
	matching := len(markets)
	if limit > 0 {
		markets = markets[:min(limit, matching)]
	}
	for i := range markets {
		m := &markets[i]
		change, day := fmt.Sprintf("%9s", orDash(m.Change24hPct, signedPct)), "-"
		if m.Change24hPct != nil {
			change = w.paint(map[bool]colour{true: red, false: green}[*m.Change24hPct < 0], change)
		}
		if m.Day != nil {
			day = fmt.Sprintf("%+.1f to %+.1f", m.Day.Down99Pct, m.Day.Up99Pct)
		}
		fmt.Fprintf(w, "%-14.14s %12s %s %15s %10s %3.0fx %10s\n", m.Name, orDash(m.MarkPrice, price), change, day,
			orDash(m.FundingRate, func(x float64) string { return signedPct(100 * 24 * 365 * x) }), m.MaxLeverage,
			short(volume(*m)))
	}
	fmt.Fprintf(w, "%d of %d markets\n", len(markets), matching)
}

// short prints an amount with a suffix, such as 1.2m.
func short(x float64) string {
	for _, unit := range []struct {
		size   float64
		suffix string
	}{{1e9, "b"}, {1e6, "m"}, {1e3, "k"}} {
		if x >= unit.size {
			return fmt.Sprintf("%.1f%s", x/unit.size, unit.suffix)
		}
	}
	return fmt.Sprintf("%.0f", x)
}
