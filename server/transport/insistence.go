package transport

import "time"

// Insistence tells callers that return at once after their refusals from others. To the service, an open loop
// that always takes the connection that was free last looks the same.
type Insistence struct {
	refusedAt int64 // instant, ns, of the newest refusal for overload, until the next request; 0: none
	count     int   // returns at once, less otherCounts for each later return
}

const (
	returnTime   = 2 * time.Millisecond
	insistsFrom  = 16
	mostInsisted = 32
	otherCounts  = 8
)

// Refused records that a request is refused for overload.
func (i *Insistence) Refused(at int64) { i.refusedAt = at }

// Came records that a request arrived at an instant, which counts after a refusal only.
func (i *Insistence) Came(at int64) {
	switch {
	case i.refusedAt == 0:
		return
	case at-i.refusedAt <= int64(returnTime):
		i.count = min(i.count+1, mostInsisted)
	default:
		i.count = max(i.count-otherCounts, 0)
	}
	i.refusedAt = 0
}

// Insists reports whether the caller returns at once after its refusals.
func (i *Insistence) Insists() bool { return i.count >= insistsFrom }
