package marketcache

import "sync/atomic"

// Series keeps the newest values of a history, such as hourly bars. One writer appends; any number of
// readers take views.
//
// A view is an ordinary slice, oldest first, that never changes. It needs no copy, because the writer
// only writes behind the end of all views:
//
//	buffer  [ dropped | ....view.... | next append ... spare ]
//
// When the buffer is full, the newest Cap values are copied to a new one. Old views keep the old
// buffer alive until their readers drop them.
type Series[T any] struct {
	view atomic.Pointer[[]T]
	cap  int
	buf  []T // writer only; view is a suffix of buf
}

// spareShare sets the spare capacity of a new buffer, 1/spareShare of its values. The spare is small
// because a service holds hundreds of histories, each growing by one value per hour or minute.
const spareShare = 32

// newSeries returns a series of at most n values. Memory is allocated as values arrive.
func newSeries[T any](n int) *Series[T] {
	return &Series[T]{cap: n}
}

// View returns the values held, oldest first. The caller must not write to it.
func (r *Series[T]) View() []T {
	if p := r.view.Load(); p != nil {
		return *p
	}
	return nil
}

// Append adds values, oldest first, dropping the oldest beyond the series' size. One goroutine at a time.
func (r *Series[T]) Append(values ...T) {
	if len(values) == 0 {
		return
	}
	if len(values) >= r.cap {
		r.Replace(values)
		return
	}
	if len(r.buf)+len(values) > cap(r.buf) {
		keep := r.buf[max(0, len(r.buf)+len(values)-r.cap):]
		// Histories arrive in a few large pieces and then grow by single values.
		room := len(keep) + len(values)
		grown := make([]T, len(keep), min(room+room/spareShare+16, r.cap+r.cap/8+len(values)))
		copy(grown, keep)
		r.buf = grown
	}
	r.buf = append(r.buf, values...)
	r.publish()
}

// Replace replaces the whole history by a copy of values.
func (r *Series[T]) Replace(values []T) {
	values = values[max(0, len(values)-r.cap):]
	r.buf = append(make([]T, 0, len(values)+len(values)/spareShare+1), values...)
	r.publish()
}

func (r *Series[T]) publish() {
	v := r.buf[max(0, len(r.buf)-r.cap):len(r.buf):len(r.buf)]
	r.view.Store(&v)
}
