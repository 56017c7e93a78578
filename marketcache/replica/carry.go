package replica

import (
	"slices"

	"github.com/goccy/go-json"

	"ballast/marketcache"
)

// topic is a type of datum; its name is part of the subject of messages.
type topic uint8

const (
	topicBeat topic = iota
	topicProofs
	topicUniverse
	topicRules
	topicBook
	topicContext
	topicCEX
	topicCap
	topicFunding
	topicInterest
	topicStats
	topicBars
	topicRows
	topicSamples
	topicLoading
	topics
)

var topicNames = [topics]string{"beat", "proofs", "universe", "rules", "book", "context", "cex", "cap", "funding",
	"interest", "stats", "bars", "rows", "samples", "loading"}

// Topics from firstOfEach on have one value per asset, earlier topics one value for all assets.
const (
	firstOfEach   = topicBook
	firstOfSeldom = topicCEX // from here on read four times a second, earlier topics at every pass of the publisher
)

// carrier copies the data of one topic from the leader's cache to a follower's.
type carrier interface {
	read(*marketcache.Cache, marketcache.AssetID) state
	// apply writes a received value into the follower's cache and reports whether it did.
	apply(f *follower, sent json.RawMessage, v *value, id marketcache.AssetID) (applied bool, err error)
}

// state is a datum as the publisher reads it.
type state struct {
	version         any // comparable; changes with the value; nil: no value
	value           any // what is sent
	received, proof marketcache.Instant
}

// prover is a carrier of data that are confirmed when they have not changed.
type prover interface {
	confirm(*marketcache.Cache, marketcache.AssetID, marketcache.Instant)
}

type cache = marketcache.Cache

var carriers = [topics]carrier{
	topicUniverse: universe{},
	topicRules: pointer[marketcache.VenueRules]{
		get: func(c *cache, _ marketcache.AssetID) *marketcache.VenueRules { return c.Rules() },
		set: func(c *cache, _ marketcache.AssetID, r *marketcache.VenueRules) { c.SetRules(r) },
	},
	topicBook:     snapshots[*marketcache.Book]((*cache).Books),
	topicContext:  snapshots[marketcache.Context]((*cache).Contexts),
	topicCEX:      snapshots[marketcache.CEXFunding]((*cache).CEX),
	topicCap:      snapshots[marketcache.Cap]((*cache).Caps),
	topicFunding:  pointer[marketcache.FundingStats]{(*cache).FundingStats, (*cache).SetFunding},
	topicInterest: pointer[marketcache.OpenInterestStats]{(*cache).InterestStats, (*cache).SetInterest},
	topicStats:    pointer[marketcache.SampleStats]{(*cache).SampleStats, (*cache).SetSampleStats},
	topicBars: &series[marketcache.Bar]{
		key:  func(b *marketcache.Bar) int64 { return b.OpenMs },
		view: (*cache).Bars, append: (*cache).AppendBars, replace: (*cache).ReplaceBars,
	},
	topicRows:    seriesOf(func(r *marketcache.FundingRow) int64 { return r.VenueMs }, (*cache).FundingRows),
	topicSamples: seriesOf(func(s *marketcache.MinuteSample) int64 { return s.MinuteMs }, (*cache).MinuteSamples),
	topicLoading: pointer[marketcache.Loading]{
		get: func(c *cache, id marketcache.AssetID) *marketcache.Loading {
			if l := c.Loading(id); l != nil {
				return l
			}
			return &allLoaded
		},
		set: func(c *cache, id marketcache.AssetID, l *marketcache.Loading) {
			if *l == allLoaded {
				l = nil
			}
			c.SetLoading(id, l)
		},
	},
}

// allLoaded stands in a message for a history of which nothing is still to be read.
var allLoaded marketcache.Loading

// snapshots carries the newest value with its last confirmation.
type snapshots[T any] func(*marketcache.Cache, marketcache.AssetID) *marketcache.Snapshots[T]

func (of snapshots[T]) read(c *marketcache.Cache, id marketcache.AssetID) state {
	e := of(c, id).Newest()
	if e == nil {
		return state{}
	}
	return state{e, &e.Value, e.Received, e.Proof()}
}

// apply keeps a held value that was confirmed later than the received one. That happens only with the
// first value of a new leader.
func (of snapshots[T]) apply(f *follower, sent json.RawMessage, v *value, id marketcache.AssetID) (bool, error) {
	var x T
	if err := f.unpack(sent, &x); err != nil {
		return false, err
	}
	received, _ := f.ours(v.received)
	proven, _ := f.ours(v.proof)
	s := of(f.cache, id)
	if held := s.Newest(); !v.applied && held != nil && held.Proof() > proven {
		return false, nil
	}
	s.Publish(x, received)
	s.Confirm(proven)
	return true, nil
}

func (of snapshots[T]) confirm(c *marketcache.Cache, id marketcache.AssetID, at marketcache.Instant) {
	of(c, id).Confirm(at)
}

// pointer carries a value without age that is replaced as a whole.
type pointer[T any] struct {
	get func(*marketcache.Cache, marketcache.AssetID) *T
	set func(*marketcache.Cache, marketcache.AssetID, *T)
}

func (p pointer[T]) read(c *marketcache.Cache, id marketcache.AssetID) state {
	x := p.get(c, id)
	if x == nil {
		return state{}
	}
	return state{version: x, value: x}
}

func (p pointer[T]) apply(f *follower, sent json.RawMessage, _ *value, id marketcache.AssetID) (bool, error) {
	x := new(T)
	if err := f.unpack(sent, x); err != nil {
		return false, err
	}
	p.set(f.cache, id, x)
	return true, nil
}

// universe carries the table of assets.
type universe struct{}

func (universe) read(c *marketcache.Cache, _ marketcache.AssetID) state {
	u := c.Universe()
	return state{version: u, value: u.Assets}
}

func (universe) apply(f *follower, sent json.RawMessage, _ *value, _ marketcache.AssetID) (bool, error) {
	var theirs []*marketcache.Asset
	if err := json.Unmarshal(sent, &theirs); err != nil || slices.Contains(theirs, nil) {
		return false, errGarbage
	}
	f.adopt(theirs)
	return true, nil
}
