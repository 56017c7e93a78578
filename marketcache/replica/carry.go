package replica

import (
	"slices"

	"ballast/marketcache"
)

// kind is the kind of datum in a message.
type kind uint8

const (
	kindBeat kind = iota
	kindProofs
	kindUniverse
	kindBook
	kindContext
	kindCEX
	kindCap
	kindFunding
	kindInterest
	kindStats
	kindBars
	kindRows
	kindSamples
	kindLoading
	kinds
)

var kindNames = [kinds]string{"beat", "proofs", "universe", "book", "context", "cex", "cap", "funding", "interest",
	"stats", "bars", "rows", "samples", "loading"}

// Kinds from firstOfEach on have one value per asset, earlier kinds one value for all assets.
const (
	firstOfEach   = kindBook
	firstOfSeldom = kindCEX // from here on read four times a second, earlier kinds at every pass of the publisher
)

// carrier copies one kind of datum from the leader's cache to a follower's.
type carrier interface {
	read(*marketcache.Cache, marketcache.AssetID) state
	// write returns the value to send.
	write(*marketcache.Cache, marketcache.AssetID, state) any
	// apply writes a received value into the follower's cache and reports whether it did.
	apply(f *follower, sent lines, v *value, id marketcache.AssetID) (applied bool, err error)
}

// state is a datum as the publisher reads it.
type state struct {
	of              any // comparable; changes with the value; nil: no value
	received, proof marketcache.Instant
}

// prover is a carrier of data that are confirmed when they have not changed.
type prover interface {
	confirm(*marketcache.Cache, marketcache.AssetID, marketcache.Instant)
}

var carriers = [kinds]carrier{
	kindUniverse: assets{},
	kindBook:     ring[*marketcache.Book]((*marketcache.Cache).Books),
	kindContext:  ring[marketcache.Context]((*marketcache.Cache).Contexts),
	kindCEX:      ring[marketcache.CEXFunding]((*marketcache.Cache).CEX),
	kindCap:      ring[marketcache.Cap]((*marketcache.Cache).Caps),
	kindFunding: pointer[marketcache.FundingStats]{(*marketcache.Cache).FundingStats,
		(*marketcache.Cache).SetFunding},
	kindInterest: pointer[marketcache.OpenInterestStats]{(*marketcache.Cache).InterestStats,
		(*marketcache.Cache).SetInterest},
	kindStats: pointer[marketcache.SampleStats]{(*marketcache.Cache).SampleStats, (*marketcache.Cache).SetSampleStats},
	kindBars: &series[marketcache.Bar]{
		key:  func(b *marketcache.Bar) int64 { return b.OpenMs },
		view: (*marketcache.Cache).Bars, append: (*marketcache.Cache).AppendBars,
		replace: (*marketcache.Cache).ReplaceBars,
	},
	kindRows: ringSeries(func(r *marketcache.FundingRow) int64 {
		return r.VenueMs
	}, (*marketcache.Cache).FundingRows),
	kindLoading: loading{},
	kindSamples: ringSeries(func(s *marketcache.MinuteSample) int64 {
		return s.MinuteMs
	}, (*marketcache.Cache).MinuteSamples),
}

// ring carries the newest value of a ring with its last confirmation.
type ring[T any] func(*marketcache.Cache, marketcache.AssetID) *marketcache.Snapshots[T]

func (r ring[T]) read(c *marketcache.Cache, id marketcache.AssetID) state {
	e := r(c, id).Newest()
	if e == nil {
		return state{}
	}
	return state{e, e.Received, e.Proof()}
}

func (r ring[T]) write(_ *marketcache.Cache, _ marketcache.AssetID, s state) any {
	return s.of.(*marketcache.Snapshot[T]).Value
}

// apply keeps a held value that was confirmed later than the received one. That happens only with the
// first value of a new leader.
func (r ring[T]) apply(f *follower, sent lines, v *value, id marketcache.AssetID) (bool, error) {
	var x T
	if err := sent.last(&x); err != nil {
		return false, err
	}
	if err := f.adapt(&x); err != nil {
		return false, err
	}
	received, _ := f.ours(v.received)
	proven, _ := f.ours(v.proof)
	ring := r(f.cache, id)
	if held := ring.Newest(); !v.applied && held != nil && held.Proof() > proven {
		return false, nil
	}
	ring.Publish(x, received)
	ring.Confirm(proven)
	return true, nil
}

func (r ring[T]) confirm(c *marketcache.Cache, id marketcache.AssetID, at marketcache.Instant) {
	r(c, id).Confirm(at)
}

// pointer carries a value without age that is replaced as a whole.
type pointer[T any] struct {
	get func(*marketcache.Cache, marketcache.AssetID) *T
	set func(*marketcache.Cache, marketcache.AssetID, *T)
}

func (p pointer[T]) read(c *marketcache.Cache, id marketcache.AssetID) (s state) {
	if v := p.get(c, id); v != nil {
		s.of = v
	}
	return s
}

func (p pointer[T]) write(_ *marketcache.Cache, _ marketcache.AssetID, s state) any { return s.of }

func (p pointer[T]) apply(f *follower, sent lines, _ *value, id marketcache.AssetID) (bool, error) {
	x := new(T)
	if err := sent.last(x); err != nil {
		return false, err
	}
	p.set(f.cache, id, x)
	return true, nil
}

// loading carries what of a history is still to be read; nothing is a value too.
type loading struct{}

func (loading) read(c *marketcache.Cache, id marketcache.AssetID) state {
	if l := c.Loading(id); l != nil {
		return state{of: *l}
	}
	return state{of: marketcache.Loading{}}
}

func (loading) write(_ *marketcache.Cache, _ marketcache.AssetID, s state) any { return s.of }

func (loading) apply(f *follower, sent lines, _ *value, id marketcache.AssetID) (bool, error) {
	var x marketcache.Loading
	if err := sent.last(&x); err != nil {
		return false, err
	}
	if x.Candles || x.Funding {
		f.cache.SetLoading(id, &x)
	} else {
		f.cache.SetLoading(id, nil)
	}
	return true, nil
}

// assets carries the universe.
type assets struct{}

func (assets) read(c *marketcache.Cache, _ marketcache.AssetID) state { return state{of: c.Universe()} }

func (assets) write(_ *marketcache.Cache, _ marketcache.AssetID, s state) any {
	return s.of.(*marketcache.Universe).Assets
}

func (assets) apply(f *follower, sent lines, _ *value, _ marketcache.AssetID) (bool, error) {
	var theirs []*marketcache.Asset
	if err := sent.last(&theirs); err != nil || slices.Contains(theirs, nil) {
		return false, errGarbage
	}
	f.adopt(theirs)
	return true, nil
}
