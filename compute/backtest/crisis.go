package backtest

import (
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
)

// Crisis is a few days on which all assets fell together.
type Crisis struct {
	Name        string
	First, Last string // dates on which a position may be opened, UTC
}

// Crises are the crises of 2021 to 2025 in the candle files of docs/model.md.
var Crises = []Crisis{
	{"May 2021", "2021-05-12", "2021-05-19"},
	{"LUNA", "2022-05-06", "2022-05-11"},
	{"3AC", "2022-06-10", "2022-06-18"},
	{"FTX", "2022-11-06", "2022-11-09"},
	{"yen", "2024-08-02", "2024-08-05"},
	{"October 2025", "2025-10-09", "2025-10-10"},
}

// CrisisResult holds the outcomes within 24 hours of the positions opened in a crisis.
type CrisisResult struct {
	Crisis
	Bands        [3]Outcomes // by recommendation
	ProceedLongs Outcomes    // of proceed, longs alone
}

// crisesOf counts the outcomes in each crisis; a crisis without a position is left out.
func crisesOf(cases []scoreCase) (out []CrisisResult) {
	for _, crisis := range Crises {
		r := CrisisResult{Crisis: crisis}
		first, last := midnight(crisis.First), midnight(crisis.Last)
		within := func(c *scoreCase) bool { return c.openMs >= first && c.openMs <= last }
		n := 0
		for verdict := range r.Bands {
			r.Bands[verdict] = count(cases, func(c *scoreCase) bool { return int(c.verdict) == verdict && within(c) })
			n += r.Bands[verdict].N
		}
		r.ProceedLongs = count(cases, func(c *scoreCase) bool {
			return c.verdict == risk.Proceed && c.side == marketcache.Long && within(c)
		})
		if n > 0 {
			out = append(out, r)
		}
	}
	return out
}

// midnight is 00:00 UTC of a date, ms since 1970.
func midnight(date string) int64 {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic("BUG: date of a crisis: " + err.Error())
	}
	return t.UnixMilli()
}
