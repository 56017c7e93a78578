package marketcache

// Methods for replicating a cache, beyond the readers' interface.

// Newest returns the newest value with its times, whatever its age; nil before the first.
func (s *Snapshots[T]) Newest() *Snapshot[T] { return s.latest.Load() }

// Proof returns when this value was last confirmed to be what the venue says.
func (e *Snapshot[T]) Proof() Instant { return Instant(e.proof.Load()) }

// Rebuild computes prefix sums and depths from the levels and the mid of a book.
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
