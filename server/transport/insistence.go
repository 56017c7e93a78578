package transport

import "time"

// Insistence tells callers that return at once after a refusal from others. To the service, an open loop
// that always takes the connection that was free last looks the same.
type Insistence struct {
	refusedAt int64 // instant, ns, of the newest refusal for overload, until the next request; 0: none
	insists   bool
}

// returnTime is the longest time from a refusal to the next request of a caller that does not wait.
// A generator takes less, an open loop mostly more.
const returnTime = 2 * time.Millisecond

// Refused records that a request is refused for overload.
func (i *Insistence) Refused(at int64) { i.refusedAt = at }

// Came records that a request arrived at an instant, which counts after a refusal only.
func (i *Insistence) Came(at int64) {
	if i.refusedAt != 0 {
		i.insists, i.refusedAt = at-i.refusedAt <= int64(returnTime), 0
	}
}

// Insists reports whether the caller returned at once after its newest refusal.
func (i *Insistence) Insists() bool { return i.insists }
