package replica

import (
	"errors"
	"slices"
	"time"

	"ballast/marketcache"
)

// header starts every message of the stream.
type header struct {
	Topic topic
	Epoch uint64
	ID    marketcache.AssetID // the leader's; 0 if the datum is about all assets
	// Seq numbers the values of one datum within an epoch, ascending.
	Seq             uint64
	Received, Proof marketcache.Instant // see marketcache.Snapshot
}

// proof is a confirmation: at At, a value was still what the venue says.
type proof struct {
	Topic topic               `json:"k"`
	ID    marketcache.AssetID `json:"i"` // the leader's
	Seq   uint64              `json:"s"`
	At    marketcache.Instant `json:"t"` // of the leader's clock
}

// beat is a heartbeat: the leader's state and the newest confirmations of all values.
type beat struct {
	Leader             string
	At                 marketcache.Instant
	Connected, Breaker bool
	LastMessage        marketcache.Instant
	VenueMs            int64 // the venue's clock at At, ms since 1970 UTC
	Weight             marketcache.VenueWeight
	Failure            string // the newest failure of the venue, at FailedAt (0: none)
	FailedAt           marketcache.Instant
	// Cadences of marks and of the rest of the contexts.
	MarkCadence, SlowCadence time.Duration
	Proofs                   []proof
}

// walletQuestion asks the leader for a wallet, or for its deposits and withdrawals after SinceMs.
type walletQuestion struct {
	Wallet   marketcache.Wallet
	Setting  string // asset whose leverage setting is needed; empty: none
	Mode     marketcache.AccountMode
	SinceMs  int64
	Patience time.Duration
	Caller   marketcache.Caller
}

// walletAnswer is the account or the list, or an error.
type walletAnswer struct {
	Failure *failure
	Account marketcache.Account
	Flows   []marketcache.Flow
}

// noBound stands in a message for a pool's HeldMostUSD without bound: JSON has no infinity.
const noBound = -1

// replaceBound returns the account with another HeldMostUSD where it is from.
func replaceBound(a marketcache.Account, from, to float64) marketcache.Account {
	a.Pools = slices.Clone(a.Pools)
	for i := range a.Pools {
		if p := &a.Pools[i]; p.HeldMostUSD == from {
			p.HeldMostUSD = to
		}
	}
	return a
}

// historyQuestion requests the values of a history after a key.
type historyQuestion struct {
	Topic topic
	Asset marketcache.AssetID // the leader's
	From  int64
}

// failure is an error of the venue in a message.
type failure struct {
	Kind   int // index in failures
	Wait   time.Duration
	Detail string
	Status int
}

var failures = []error{marketcache.ErrUnavailable, marketcache.ErrBudget, marketcache.ErrVenue, marketcache.ErrShare,
	marketcache.ErrContradiction}

// failureOf converts an error for a message.
func failureOf(err error) *failure {
	f := &failure{Detail: err.Error()}
	var e *marketcache.VenueError
	if errors.As(err, &e) {
		f = &failure{max(0, slices.Index(failures, e.Kind)), e.Wait, e.Detail, e.Status}
		if e.Err != nil {
			f.Detail += ": " + e.Err.Error()
		}
	}
	return f
}

func (f *failure) error() error {
	kind := failures[min(max(f.Kind, 0), len(failures)-1)]
	return &marketcache.VenueError{Kind: kind, Wait: f.Wait, Detail: f.Detail, Status: f.Status}
}
