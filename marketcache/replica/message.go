package replica

import (
	"errors"
	"slices"
	"time"

	"ballast/marketcache"
)

// header begins every message of the stream.
type header struct {
	Kind  kind
	Epoch uint64
	ID    marketcache.AssetID // the leader's; 0 where there is none
	// Seq numbers the values of one datum in an epoch, rising.
	Seq             uint64
	Received, Proof marketcache.Instant // see marketcache.Snapshot
}

// proof says until when a value was what the venue says.
type proof struct {
	Kind kind                `json:"k"`
	ID   marketcache.AssetID `json:"i"` // the leader's
	Seq  uint64              `json:"s"`
	At   marketcache.Instant `json:"t"` // the leader's
}

// beat is what the leader says of itself, and the newest proofs of all values.
type beat struct {
	Leader             string
	At                 marketcache.Instant
	Connected, Breaker bool
	LastMessage        marketcache.Instant
	VenueMs            int64 // the venue's clock at At, ms since 1970 UTC
	Spent              int   // request weight of the last minute
	// How often marks, and the rest of the contexts, are renewed.
	MarkCadence, SlowCadence time.Duration
	Proofs                   []proof
}

// walletQuestion asks the leader to read a wallet.
type walletQuestion struct {
	Wallet   marketcache.Wallet
	Setting  string // asset whose leverage setting is needed, empty: none
	Patience time.Duration
	Caller   marketcache.Caller
}

// walletAnswer is the account, or why there is none.
type walletAnswer struct {
	Failure failure
	Account marketcache.Account
}

// historyQuestion asks for the values of a history after a key.
type historyQuestion struct {
	Kind  kind
	Asset marketcache.AssetID // the leader's
	From  int64
}

// failure is an error of the venue on its way to a follower.
type failure struct {
	Kind   int // index of failures; 0: none
	Wait   time.Duration
	Detail string
	Status int
}

var failures = []error{nil, marketcache.ErrUnavailable, marketcache.ErrBudget, marketcache.ErrVenue, marketcache.ErrShare}

// failureOf returns what is to be sent of an error.
func failureOf(err error) (f failure) {
	if err == nil {
		return f
	}
	known := slices.IndexFunc(failures, func(kind error) bool { return kind != nil && errors.Is(err, kind) })
	f = failure{Kind: max(1, known), Detail: err.Error()}
	var e *marketcache.VenueError
	if errors.As(err, &e) {
		f.Wait, f.Detail, f.Status = e.Wait, e.Detail, e.Status
		if e.Err != nil {
			f.Detail += ": " + e.Err.Error()
		}
	}
	return f
}

func (f *failure) error() error {
	kind := failures[min(max(f.Kind, 1), len(failures)-1)]
	return &marketcache.VenueError{Kind: kind, Wait: f.Wait, Detail: f.Detail, Status: f.Status}
}
