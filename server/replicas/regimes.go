package replicas

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// regimeConfig is the bucket of regimes. A value is a JSON object from asset to state.
var regimeConfig = jetstream.KeyValueConfig{
	Bucket:       regimeBucket,
	Description:  "ballast: regimes at each wallet's previous monitor call",
	TTL:          30 * 24 * time.Hour,
	MaxBytes:     128 << 20, // about half a million wallets
	MaxValueSize: maxRegimes,
}

const (
	regimeBucket = "regimes"
	maxRegimes   = 256 << 10 // bytes of one value

	// ownRegimes is the minimum number of wallets that this replica remembers; twice as many is the maximum.
	ownRegimes = 10_000
)

// Regimes remembers, for all replicas together, the regimes of a wallet's assets at its previous monitor
// call: 0 normal, 1 stressed, 2 crisis. It is safe for concurrent use.
type Regimes struct {
	n        *Node
	bucket   bucket
	Failures atomic.Uint64 // failed exchanges, mostly answered from this replica's memory

	mu  sync.Mutex
	own recent[ownRegime] // what this replica saw, by wallet
}

// ownRegime is the last state of a wallet that this replica saw.
type ownRegime struct {
	states map[string]uint8
	rev    uint64 // newest revision of the wallet's value that this replica has read or written
	ahead  bool   // states are newer than that revision: they are not in the bucket
}

// NewRegimes returns a Regimes. It needs no goroutine.
func (n *Node) NewRegimes() *Regimes {
	return &Regimes{n: n, bucket: bucket{n: n, cfg: regimeConfig}, own: recent[ownRegime]{limit: ownRegimes}}
}

// Exchange returns the states of assets at the wallet's previous monitor call on any replica, nil at the
// first call, and stores the states in now. wallet is 0x and 40 lower-case hexadecimal digits. Exchange
// takes at most Timing.Ack; without a connection it does not wait.
//
// With an error, the returned states are still the best known: if the cluster does not answer, the states
// that this replica saw last. Other replicas then do not get the states in now until this replica calls
// Exchange for the wallet again. Simultaneous calls on two replicas may return the same previous states.
// The caller owns the map.
func (r *Regimes) Exchange(ctx context.Context, wallet string, now map[string]uint8) (previous map[string]uint8,
	err error) {
	if !validWallet(wallet) {
		return nil, fmt.Errorf("replicas: regimes: malformed wallet %.80q", wallet)
	}
	next := make(map[string]uint8, len(now)) // not nil, even without assets
	maps.Copy(next, now)
	ctx, cancel := context.WithTimeout(ctx, r.n.time.Ack)
	defer cancel()
	previous, err = r.exchange(ctx, wallet, next)
	if err != nil {
		r.Failures.Add(1)
		err = fmt.Errorf("replicas: regimes: %w", err)
	}
	return maps.Clone(previous), err
}

// exchange exchanges through the bucket, or with this replica's memory if that fails.
func (r *Regimes) exchange(ctx context.Context, wallet string, next map[string]uint8) (stored map[string]uint8,
	err error) {
	data, _ := json.Marshal(next) // never fails
	reached, read := false, uint64(0)
	written, err := r.bucket.edit(ctx, wallet, func(value []byte, revision uint64) ([]byte, error) {
		reached, read, stored = true, revision, nil
		if value != nil {
			var garbage error
			if stored, garbage = decodeRegimes(value); garbage != nil {
				r.n.log.Debug("garbage in the bucket of regimes", "key", wallet, "error", garbage)
			}
		}
		if stored != nil && maps.Equal(stored, next) {
			return value, nil
		}
		return data, nil
	})
	if !reached {
		return r.remember(wallet, ownRegime{states: next, ahead: true}).states, err
	}
	if err != nil {
		written = read
	}
	own := r.remember(wallet, ownRegime{states: next, rev: written, ahead: err != nil})
	if own.ahead && own.rev == read {
		stored = own.states // kept while the bucket was unavailable; the bucket has nothing newer
	}
	return stored, err
}

// remember replaces what this replica remembers of a wallet, and returns the old value. Revision 0 keeps the
// revision.
func (r *Regimes) remember(wallet string, o ownRegime) (old ownRegime) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old, _ = r.own.get(wallet)
	o.rev = cmp.Or(o.rev, old.rev)
	r.own.put(wallet, o)
	return old
}

func decodeRegimes(data []byte) (states map[string]uint8, err error) {
	if err := json.Unmarshal(data, &states); err != nil {
		return nil, err
	}
	for asset, state := range states {
		if state > maxRegime {
			return nil, fmt.Errorf("state %d of %.80q, at most %d", state, asset, maxRegime)
		}
	}
	return states, nil
}
