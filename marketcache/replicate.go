package marketcache

// This file is what a replica of a cache needs beside the readers' interface.

// Newest returns the newest value with its stamps, whatever its age; nil before the first.
func (s *Snapshots[T]) Newest() *Snapshot[T] { return s.latest.Load() }

// Proof returns the Instant of the last proof that this very value was what the venue says.
func (e *Snapshot[T]) Proof() Instant { return Instant(e.proof.Load()) }

// Rebuild sets what follows from the prices and sizes of a book's levels and from its mid:
// prefix sums and depths.
func (b *Book) Rebuild() {
	for _, s := range [...]*Side{&b.Bids, &b.Asks} {
		n := len(s.Price)
		sums := make([]float64, 2*n)
		s.CumUnits, s.CumUSD = sums[:n:n], sums[n:]
		units, usd := 0.0, 0.0
		for i, p := range s.Price {
			units += s.Units[i]
			usd += p * s.Units[i]
			s.CumUnits[i], s.CumUSD[i] = units, usd
		}
		if b.TwoSided() {
			s.MeasureDepth(b.MidPrice)
		}
	}
}

// SampleStats returns the statistics of an asset's minute samples, nil before the first.
func (c *Cache) SampleStats(id AssetID) *SampleStats { return c.cells[id].stats.Load() }
