package marketcache

import (
	"slices"
	"sync"
	"testing"

	"ballast/internal/race"
)

// FuzzSeries compares the series with a plain slice. Each byte is an operation: the low bits give the
// number of values, the top bit selects replace instead of append. Views returned earlier must
// never change, whatever the caller does with the values.
func FuzzSeries(f *testing.F) {
	f.Add(uint8(4), []byte{1, 2, 3, 0x82, 7, 1, 1, 1})
	f.Add(uint8(3), []byte{0, 1, 3, 2, 4, 6, 0x81, 1, 0x85, 0x80})
	f.Add(uint8(1), []byte{1, 1, 0x80, 2})
	f.Add(uint8(16), []byte{15, 15, 1, 1, 1, 0x8f, 3})
	f.Fuzz(func(t *testing.T, size uint8, ops []byte) {
		n := int(size%40) + 1
		r := newSeries[int](n)
		var model []int
		next := 0
		type handed struct{ view, copy []int }
		var views []handed
		for _, op := range ops[:min(len(ops), 200)] {
			values := make([]int, op&0x3f)
			for i := range values {
				next++
				values[i] = next
			}
			if op&0x80 != 0 {
				r.Replace(values)
				model = slices.Clone(values)
			} else {
				r.Append(values...)
				model = append(model, values...)
			}
			clear(values)
			model = model[max(0, len(model)-n):]
			v := r.View()
			if !slices.Equal(v, model) {
				t.Fatalf("view %v, want %v", v, model)
			}
			if cap(v) != len(v) {
				t.Fatalf("a reader could append into the series: len %d, cap %d", len(v), cap(v))
			}
			views = append(views, handed{v, slices.Clone(v)})
		}
		for i, h := range views {
			if !slices.Equal(h.view, h.copy) {
				t.Fatalf("view %d changed after it was handed out: %v, was %v", i, h.view, h.copy)
			}
		}
	})
}

// Readers run against the writer: each view is a run of consecutive numbers, is never longer than
// the series, and never changes.
func TestSeriesHammer(t *testing.T) {
	const size = 50
	r := newSeries[int](size)
	rounds := 50_000
	if testing.Short() || race.Enabled {
		rounds = 5_000
	}
	stop := make(chan struct{})
	var done sync.WaitGroup
	consecutive := func(v []int) bool {
		for i := 1; i < len(v); i++ {
			if v[i] != v[i-1]+1 {
				return false
			}
		}
		return len(v) <= size
	}
	for range 3 {
		done.Go(func() {
			var kept []int
			last := 0
			for {
				select {
				case <-stop:
					return
				default:
				}
				v := r.View()
				if len(v) == 0 {
					continue
				}
				if !consecutive(v) || !consecutive(kept) || v[len(v)-1] < last {
					t.Errorf("view %v after %d, kept %v", v, last, kept)
					return
				}
				last, kept = v[len(v)-1], v
			}
		})
	}
	next := 0
	for i := range rounds {
		values := make([]int, 1+i%7)
		for j := range values {
			next++
			values[j] = next
		}
		if i%97 == 0 {
			r.Replace(values)
		} else {
			r.Append(values...)
		}
	}
	close(stop)
	done.Wait()
}
