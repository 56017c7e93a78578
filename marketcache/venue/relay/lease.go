package relay

import "time"

// Lease says whether this replica is the one that talks to the venue.
type Lease interface {
	// Held reports whether the lease is held at this moment, and the number of the tenure,
	// higher for each. It must turn false by the clock, with no help of the network, before
	// another replica can hold the lease. It is asked before every message.
	Held() (epoch uint64, held bool)
}

// leasePoll is how often the lease is looked at when there is nothing to say.
const leasePoll = 50 * time.Millisecond
