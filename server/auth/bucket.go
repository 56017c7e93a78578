package auth

import (
	"sync/atomic"
	"time"
)

// bucket is a rate limiter in one atomic word (GCRA, ITU-T I.371): the theoretical arrival time of the
// next request. A whole minute's allowance may be used at once. The zero value has the full allowance.
type bucket struct{ due atomic.Int64 } // ns

// Quota is the state of a rate limit.
type Quota struct {
	Limit     int           // requests per minute, 0: no limit
	Remaining int           // requests that would be allowed now
	Reset     time.Duration // until the full allowance is available
	Wait      time.Duration // until the next request is allowed; 0: now
}

// take counts one request at now (ns) against perMinute. Over the limit, ok is false and nothing is
// counted.
func (b *bucket) take(now int64, perMinute int) (q Quota, ok bool) {
	const window = int64(time.Minute)
	step := window / int64(perMinute)
	for {
		due := b.due.Load()
		next := max(due, now) + step
		if ahead := next - now; ahead > window {
			return Quota{Limit: perMinute, Reset: time.Duration(due - now), Wait: time.Duration(ahead - window)}, false
		}
		if b.due.CompareAndSwap(due, next) {
			left := next - now
			return Quota{Limit: perMinute, Remaining: int((window - left) / step), Reset: time.Duration(left)}, true
		}
	}
}
