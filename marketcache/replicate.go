package marketcache

// Methods for replicating a cache, beyond the readers' interface.

// Newest returns the newest value with its times, whatever its age; nil before the first.
func (s *Snapshots[T]) Newest() *Snapshot[T] { return s.latest.Load() }

// Proof returns when this value was last confirmed to be what the venue says.
func (e *Snapshot[T]) Proof() Instant { return Instant(e.proof.Load()) }

// Rebuild computes prefix sums and depths from the levels and the mid of a book.
func (b *Book) Rebuild() {
	for _, s := range [...]*Side{&b.Bids, &b.Asks} {
		s.sum(make([]float64, 2*len(s.Price)))
		if b.TwoSided() {
			s.MeasureDepth(b.MidPrice)
		}
	}
}

// SampleStats returns the statistics of an asset's minute samples, nil before the first.
func (c *Cache) SampleStats(id AssetID) *SampleStats { return c.cells[id].stats.Load() }
