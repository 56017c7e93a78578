package main

import (
	"log/slog"

	"ballast/marketcache"
	"ballast/server/journal"
	"ballast/server/outcomes"
)

// newOutcomes closes the outcomes of recorded decisions until shutdown.
func (r *replica) newOutcomes(m *market, j *journal.Journal, log *slog.Logger) *outcomes.Closer {
	c := outcomes.New(outcomes.Config{
		Decisions: j, Store: r.db, Log: log,
		Bars: func(asset string) []marketcache.Bar {
			id := m.cache.Universe().LookupString(asset)
			if id == marketcache.NoAsset {
				return nil
			}
			bars, _ := m.cache.Bars(id)
			return bars
		},
		NowMs: m.venueMs,
	})
	r.keep("outcomes", log, c.Run)
	return c
}
