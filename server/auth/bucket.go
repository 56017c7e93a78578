package auth

import (
	"sync/atomic"
	"time"
)

// bucket limits a rate with one atomic word, the time at which the traffic so far would
// have been in order at exactly the allowed rate (GCRA: ITU-T I.371). A whole minute's
// allowance may come at once. The zero value is a full allowance.
type bucket struct{ due atomic.Int64 } // ns

// Quota is the state of a rate limit.
type Quota struct {
	Limit     int           // requests a minute, 0: no limit
	Remaining int           // requests that would be let through now
	Reset     time.Duration // until the allowance is whole again
	Wait      time.Duration // until the next request is let through, 0 when it is now
}

// take counts one request at now (ns) against perMinute; ok is false, and nothing is
// counted, when it is over the limit.
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
