package replica

import (
	"cmp"
	"slices"

	"ballast/marketcache"
)

// piece is a part of a history: the values after the key Before.
type piece[T any] struct {
	Through int64 // bars: complete up to here, ms
	First   int64 // bars: key of the oldest value held
	Before  int64 // 0: from the beginning
	More    bool  // newer values exist
	Values  []T
}

// series carries the newest values of a history in the stream, and all of them in answers.
type series[T comparable] struct {
	key     func(*T) int64
	view    func(*marketcache.Cache, marketcache.AssetID) (values []T, through int64)
	append  func(c *marketcache.Cache, id marketcache.AssetID, values []T, through int64)
	replace func(c *marketcache.Cache, id marketcache.AssetID, values []T, through int64)
}

// history is a series of any type.
type history interface {
	// page returns the first maxRows values after the key from.
	page(c *marketcache.Cache, id marketcache.AssetID, from int64, maxRows int) any
	// load requests the missing values, or all with whole. The returned put then appends them to
	// the held values, or replaces the held values if all were requested.
	load(c *marketcache.Cache, id marketcache.AssetID, whole bool, ask askPage) (put func() verdict, err error)
}

// askPage requests the values after a key; page is a *piece.
type askPage func(from int64, page any) error

// verdict is the outcome of adding a piece to a history.
type verdict int

const (
	taken   verdict = iota
	lacking         // earlier values are missing here
	differs         // the held values differ from the leader's
)

const (
	tailValues = 3    // values of a history in the stream
	pageValues = 4096 // values in an answer: 600 kB of bars
)

// ringSeries is a history that does not know up to when it is complete.
func ringSeries[T comparable](key func(*T) int64,
	ring func(*marketcache.Cache, marketcache.AssetID) *marketcache.Series[T]) *series[T] {
	return &series[T]{
		key:  key,
		view: func(c *marketcache.Cache, id marketcache.AssetID) ([]T, int64) { return ring(c, id).View(), 0 },
		append: func(c *marketcache.Cache, id marketcache.AssetID, values []T, _ int64) {
			ring(c, id).Append(values...)
		},
		replace: func(c *marketcache.Cache, id marketcache.AssetID, values []T, _ int64) {
			ring(c, id).Replace(values)
		},
	}
}

// length shows whether a history has changed.
type length struct {
	through int64
	n       int
	last    any // pointer to the newest value
}

func (s *series[T]) read(c *marketcache.Cache, id marketcache.AssetID) state {
	switch values, through := s.view(c, id); {
	case len(values) > 0:
		return state{of: length{through, len(values), &values[len(values)-1]}}
	case through > 0:
		return state{of: length{through: through}}
	}
	return state{}
}

// write returns the newest values.
func (s *series[T]) write(c *marketcache.Cache, id marketcache.AssetID, _ state) any {
	return s.page(c, id, s.newest(c, id, tailValues+1), 2*tailValues)
}

// apply appends the newest values, or requests the missing ones before them.
func (s *series[T]) apply(f *follower, sent lines, v *value, id marketcache.AssetID) (bool, error) {
	var p piece[T]
	if err := sent.last(&p); err != nil || v.loading {
		return false, err
	}
	became := s.put(f.cache, id, &p, false)
	if became == taken {
		return true, nil
	}
	v.whole = v.whole || became == differs
	select {
	case f.lacks <- v.datum:
		v.loading = true
	default: // the queue is full: applyAll tries again
	}
	return false, nil
}

// newest returns the key of the n-th newest value, 0 if there are fewer.
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

func (s *series[T]) page(c *marketcache.Cache, id marketcache.AssetID, from int64, maxRows int) any {
	values, through := s.view(c, id)
	p := &piece[T]{Through: through}
	if through > 0 && len(values) > 0 {
		p.First = s.key(&values[0])
	}
	if i := s.after(values, from); i > 0 {
		p.Before = s.key(&values[i-1])
		values = values[i:]
	}
	p.Values, p.More = values[:min(len(values), maxRows)], len(values) > maxRows
	return p
}

func (s *series[T]) load(c *marketcache.Cache, id marketcache.AssetID, whole bool, ask askPage) (put func() verdict,
	err error) {
	var all piece[T]
	if !whole { // the newest held value is requested too, for comparison
		all.Before = s.newest(c, id, 2)
	}
	whole = all.Before == 0
	for from, more := all.Before, true; more; {
		var p piece[T]
		if err := ask(from, &p); err != nil {
			return nil, err
		}
		if len(all.Values) == 0 {
			all = p
		} else {
			all.Values, all.Through = append(all.Values, p.Values...), p.Through
		}
		if more = p.More && len(p.Values) > 0; more {
			from = s.key(&p.Values[len(p.Values)-1])
		}
	}
	return func() verdict { return s.put(c, id, &all, whole) }, nil
}

// put appends a piece to the held values, or replaces them.
func (s *series[T]) put(c *marketcache.Cache, id marketcache.AssetID, p *piece[T], whole bool) verdict {
	news := p.Values
	held, through := s.view(c, id)
	if whole {
		s.replace(c, id, news, p.Through)
		return taken
	}
	newest := int64(0)
	if n := len(held); n > 0 {
		newest = s.key(&held[n-1])
		if p.First != 0 && p.First < s.key(&held[0]) {
			return differs // the leader holds older values than this replica
		}
	}
	if newest < p.Before {
		return lacking
	}
	for len(news) > 0 && s.key(&news[0]) <= newest {
		if i := s.after(held, s.key(&news[0])); i > 0 && s.key(&held[i-1]) == s.key(&news[0]) && held[i-1] != news[0] {
			return differs
		}
		news = news[1:]
	}
	if len(news) > 0 || p.Through > through {
		s.append(c, id, news, max(through, p.Through))
	}
	return taken
}
