package relay

import (
	"context"
	"time"
)

// Lease says whether this replica is the one that talks to the venue.
type Lease interface {
	// Held reports whether the lease is held now. It must turn false by the clock, with
	// no help of the network, before another replica can hold it.
	Held() bool
	// Epoch is the number of the tenure, higher for each.
	Epoch() uint64
	// Changed gets a token, or is closed, when Held or Epoch may have changed.
	Changed() <-chan struct{}
}

// leasePoll is how often the lease is looked at when nobody says that it has changed:
// it ends by the clock.
const leasePoll = 100 * time.Millisecond

// awaitLease waits until the lease may have changed, or for leasePoll.
func awaitLease(ctx context.Context, l Lease) {
	t := time.NewTimer(leasePoll)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case _, open := <-l.Changed():
		if !open { // closed for good, perhaps: do not spin
			select {
			case <-ctx.Done():
			case <-t.C:
			}
		}
	case <-t.C:
	}
}
