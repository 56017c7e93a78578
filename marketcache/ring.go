package marketcache

import "sync/atomic"

// Ring keeps the newest values of a history, such as hourly bars: one writer
// appends, any number of readers take a view.
//
// A view is an ordinary slice, oldest first, that never changes. That costs no copy
// because the writer only ever writes behind the end of every view handed out:
//
//	buffer  [ dropped | ....view.... | next append ... spare ]
//
// When the buffer is full the newest Cap values move to a fresh one; old views keep
// the old buffer alive until their readers let go.
type Ring[T any] struct {
	view atomic.Pointer[[]T]
	cap  int
	buf  []T // writer only; view is a suffix of buf
}

// spareShare is the part of a history that is kept free for what comes, one in so many: a
// service holds hundreds of them, and a value comes an hour or a minute.
const spareShare = 32

// newRing returns a ring of at most n values. Memory is taken as values arrive.
func newRing[T any](n int) *Ring[T] {
	if n < 1 {
		panic("BUG: ring without room")
	}
	return &Ring[T]{cap: n}
}

// View returns the values held, oldest first. The caller must not write to it.
func (r *Ring[T]) View() []T {
	if p := r.view.Load(); p != nil {
		return *p
	}
	return nil
}

// Append adds values, oldest first, dropping the oldest beyond the ring's size. One
// goroutine at a time.
func (r *Ring[T]) Append(values ...T) {
	if len(values) == 0 {
		return
	}
	if len(values) >= r.cap {
		r.Replace(values)
		return
	}
	if len(r.buf)+len(values) > cap(r.buf) {
		keep := r.buf[max(0, len(r.buf)+len(values)-r.cap):]
		// Histories come in few large pieces and then grow by a value an hour or a minute.
		room := len(keep) + len(values)
		grown := make([]T, len(keep), min(room+room/spareShare+16, r.cap+r.cap/8+len(values)))
		copy(grown, keep)
		r.buf = grown
	}
	r.buf = append(r.buf, values...)
	r.publish()
}

// Replace makes values the whole history. They are copied.
func (r *Ring[T]) Replace(values []T) {
	values = values[max(0, len(values)-r.cap):]
	r.buf = append(make([]T, 0, len(values)+len(values)/spareShare+1), values...)
	r.publish()
}

func (r *Ring[T]) publish() {
	v := r.buf[max(0, len(r.buf)-r.cap):len(r.buf):len(r.buf)]
	r.view.Store(&v)
}
