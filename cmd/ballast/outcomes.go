package main

import (
	"log/slog"

	"ballast/internal/supervise"
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
		NowMs: func() int64 { return m.cache.Venue.Clock.VenueMs(marketcache.Now()) },
	})
	r.wg.Go(func() { supervise.New(log).Run(r.run, "outcomes", c.Run) })
	return c
}
