package replica

import (
	"cmp"
	"slices"

	"github.com/goccy/go-json"

	"ballast/marketcache"
)

// extent is what the stream says of a history. Its values are requested.
type extent[T any] struct {
	Through int64 // bars: complete up to here, ms
	First   int64 // key of the oldest value
	Last    *T    // the newest value
}

// page answers a request for a history: the first values after a key.
type page[T any] struct {
	Through int64
	More    bool // newer values exist
	Values  []T
}

// pageValues is the number of values of a page: 600 kB of bars.
const pageValues = 4096

// series carries a history of values in ascending order of their keys.
type series[T comparable] struct {
	key     func(*T) int64
	view    func(*marketcache.Cache, marketcache.AssetID) (values []T, through int64)
	append  func(c *marketcache.Cache, id marketcache.AssetID, values []T, through int64)
	replace func(c *marketcache.Cache, id marketcache.AssetID, values []T, through int64)
}

// history is a series of any type.
type history interface {
	// page returns the first values after the key from.
	page(c *marketcache.Cache, id marketcache.AssetID, from int64) any
	// load requests the missing values, or all with whole, in pages after a key. The returned put adds them; it
	// returns false if the held values differ from the leader's, so that all must be requested.
	load(c *marketcache.Cache, id marketcache.AssetID, whole bool, ask func(from int64, page any) error) (
		put func() bool, err error)
}

// seriesOf carries a history that does not know up to when it is complete.
func seriesOf[T comparable](key func(*T) int64,
	of func(*marketcache.Cache, marketcache.AssetID) *marketcache.Series[T]) *series[T] {
	return &series[T]{
		key:  key,
		view: func(c *marketcache.Cache, id marketcache.AssetID) ([]T, int64) { return of(c, id).View(), 0 },
		append: func(c *marketcache.Cache, id marketcache.AssetID, values []T, _ int64) {
			of(c, id).Append(values...)
		},
		replace: func(c *marketcache.Cache, id marketcache.AssetID, values []T, _ int64) {
			of(c, id).Replace(values)
		},
	}
}

func (s *series[T]) read(c *marketcache.Cache, id marketcache.AssetID) state {
	values, through := s.view(c, id)
	e := extent[T]{Through: through}
	if n := len(values); n > 0 {
		e.First, e.Last = s.key(&values[0]), &values[n-1]
	} else if through == 0 {
		return state{}
	}
	return state{version: e, value: e}
}

// apply requests what this replica lacks of the leader's history.
func (s *series[T]) apply(f *follower, sent json.RawMessage, v *value, id marketcache.AssetID) (bool, error) {
	var theirs extent[T]
	if err := json.Unmarshal(sent, &theirs); err != nil || v.loading {
		return false, err
	}
	held, through := s.view(f.cache, id)
	older := theirs.Last != nil && len(held) > 0 && theirs.First < s.key(&held[0])
	var last *T
	if n := len(held); n > 0 {
		last = &held[n-1]
	}
	if !older && through == theirs.Through && (last == theirs.Last ||
		last != nil && theirs.Last != nil && *last == *theirs.Last) {
		return true, nil
	}
	v.whole = v.whole || older
	select {
	case f.lacks <- v.datum:
		v.loading = true
	default: // the queue is full: applyAll tries again
	}
	return false, nil
}

// after returns the index of the first value after a key.
func (s *series[T]) after(values []T, key int64) int {
	i, _ := slices.BinarySearchFunc(values, key+1, func(v T, k int64) int { return cmp.Compare(s.key(&v), k) })
	return i
}

func (s *series[T]) page(c *marketcache.Cache, id marketcache.AssetID, from int64) any {
	values, through := s.view(c, id)
	values = values[s.after(values, from):]
	return &page[T]{through, len(values) > pageValues, values[:min(len(values), pageValues)]}
}

func (s *series[T]) load(c *marketcache.Cache, id marketcache.AssetID, whole bool,
	ask func(from int64, page any) error) (put func() bool, err error) {
	from := int64(0)
	if held, _ := s.view(c, id); len(held) > 1 && !whole {
		from = s.key(&held[len(held)-2]) // the newest held value comes too, for comparison
	}
	whole = from == 0
	var news []T
	p := page[T]{More: true}
	for p.More {
		p = page[T]{}
		if err := ask(from, &p); err != nil {
			return nil, err
		}
		news = append(news, p.Values...)
		if len(news) > 0 {
			from = s.key(&news[len(news)-1])
		}
	}
	return func() bool {
		held, _ := s.view(c, id)
		switch {
		case whole:
			s.replace(c, id, news, p.Through)
		case len(news) == 0 || len(held) == 0 || news[0] != held[len(held)-1]:
			return false
		default:
			s.append(c, id, news[1:], p.Through)
		}
		return true
	}, nil
}
