package replica

import (
	"cmp"
	"slices"

	"ballast/marketcache"
)

// piece is a part of a history: all values after the key before, up to the last of them.
type piece[T any] struct {
	through int64 // bars: complete up to here, ms
	before  int64 // 0: from the beginning
	more    bool  // there are newer ones
	values  []T
}

func (p *piece[T]) code(c *codec, least int, each func(*codec, *T)) {
	whole(c, &p.through)
	whole(c, &p.before)
	c.flag(&p.more)
	list(c, &p.values, least, each)
}

// series is one kind of history; history hides the type of its values.
type series[T comparable] struct {
	size    int // bytes of a value
	key     func(*T) int64
	each    func(*codec, *T)
	view    func(*marketcache.Cache, marketcache.AssetID) (values []T, through int64)
	append  func(c *marketcache.Cache, id marketcache.AssetID, values []T, through int64)
	replace func(c *marketcache.Cache, id marketcache.AssetID, values []T, through int64)
}

type history interface {
	// state changes when the history does.
	state(*marketcache.Cache, marketcache.AssetID) historyState
	// write writes the values after the key from, the first most of them.
	write(out *codec, c *marketcache.Cache, id marketcache.AssetID, from int64, most int)
	// tail is the key to write the newest values after.
	tail(*marketcache.Cache, marketcache.AssetID) int64
	// from is the key to ask for the values after: so that the newest one held is sent again,
	// to be compared.
	from(*marketcache.Cache, marketcache.AssetID) int64
	// read returns the next piece and the key of its last value.
	read(in *codec) (p any, last int64, more bool)
	// take applies pieces that follow one another.
	take(c *marketcache.Cache, id marketcache.AssetID, pieces []any, whole bool) verdict
}

// verdict says what became of a piece of a history.
type verdict int

const (
	taken   verdict = iota
	lacking         // values before it are not held
	another         // the values held are not the leader's
)

type historyState struct {
	through int64
	n       int
	last    any // pointer to the newest value
}

const (
	tailValues = 3    // of a history, in the stream
	pageValues = 8192 // in an answer: 400 kB of bars
)

var histories = map[kind]history{
	kindBars: &series[marketcache.Bar]{
		size: 48, each: (*codec).bar,
		key:     func(b *marketcache.Bar) int64 { return b.OpenMs },
		view:    (*marketcache.Cache).Bars,
		append:  (*marketcache.Cache).AppendBars,
		replace: (*marketcache.Cache).ReplaceBars,
	},
	kindRows: ringSeries(16, (*codec).row,
		func(r *marketcache.FundingRow) int64 { return r.VenueMs }, (*marketcache.Cache).FundingRows),
	kindSamples: ringSeries(24, (*codec).sample,
		func(s *marketcache.MinuteSample) int64 { return s.MinuteMs }, (*marketcache.Cache).MinuteSamples),
}

// ringSeries is a history without a time up to which it is complete.
func ringSeries[T comparable](size int, each func(*codec, *T), key func(*T) int64, ring func(*marketcache.Cache, marketcache.AssetID) *marketcache.Ring[T]) *series[T] {
	return &series[T]{
		size: size, key: key, each: each,
		view: func(c *marketcache.Cache, id marketcache.AssetID) ([]T, int64) { return ring(c, id).View(), 0 },
		append: func(c *marketcache.Cache, id marketcache.AssetID, values []T, _ int64) {
			ring(c, id).Append(values...)
		},
		replace: func(c *marketcache.Cache, id marketcache.AssetID, values []T, _ int64) {
			ring(c, id).Replace(values)
		},
	}
}

func (s *series[T]) state(c *marketcache.Cache, id marketcache.AssetID) historyState {
	values, through := s.view(c, id)
	st := historyState{through: through, n: len(values)}
	if st.n > 0 {
		st.last = &values[st.n-1]
	}
	return st
}

func (s *series[T]) tail(c *marketcache.Cache, id marketcache.AssetID) int64 {
	return s.newest(c, id, tailValues+1)
}

func (s *series[T]) from(c *marketcache.Cache, id marketcache.AssetID) int64 {
	return s.newest(c, id, 2)
}

// newest returns the key of the n-th newest value, 0 when there are fewer.
func (s *series[T]) newest(c *marketcache.Cache, id marketcache.AssetID, n int) int64 {
	values, _ := s.view(c, id)
	if len(values) < n {
		return 0
	}
	return s.key(&values[len(values)-n])
}

// after returns the index of the first value after a key.
func (s *series[T]) after(values []T, key int64) int {
	i, _ := slices.BinarySearchFunc(values, key+1, func(v T, k int64) int { return cmp.Compare(s.key(&v), k) })
	return i
}

func (s *series[T]) write(out *codec, c *marketcache.Cache, id marketcache.AssetID, from int64, most int) {
	values, through := s.view(c, id)
	p := piece[T]{through: through}
	if i := s.after(values, from); i > 0 {
		p.before = s.key(&values[i-1])
		values = values[i:]
	}
	p.values, p.more = values[:min(len(values), most)], len(values) > most
	p.code(out, s.size, s.each)
}

func (s *series[T]) read(in *codec) (any, int64, bool) {
	p := &piece[T]{}
	p.code(in, s.size, s.each)
	if in.bad || len(p.values) == 0 {
		return p, p.before, false
	}
	return p, s.key(&p.values[len(p.values)-1]), p.more
}

func (s *series[T]) take(c *marketcache.Cache, id marketcache.AssetID, pieces []any, whole bool) verdict {
	first, last := pieces[0].(*piece[T]), pieces[len(pieces)-1].(*piece[T])
	news := first.values
	for _, p := range pieces[1:] {
		news = append(news, p.(*piece[T]).values...)
	}
	held, through := s.view(c, id)
	if whole {
		s.replace(c, id, news, last.through)
		return taken
	}
	newest := int64(0)
	if n := len(held); n > 0 {
		newest = s.key(&held[n-1])
	}
	if newest < first.before {
		return lacking
	}
	for len(news) > 0 && s.key(&news[0]) <= newest {
		if i := s.after(held, s.key(&news[0])); i > 0 && s.key(&held[i-1]) == s.key(&news[0]) && held[i-1] != news[0] {
			return another
		}
		news = news[1:]
	}
	if len(news) > 0 || last.through > through {
		s.append(c, id, news, max(through, last.through))
	}
	return taken
}
