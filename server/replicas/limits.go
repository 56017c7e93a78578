package replicas

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ballast/internal/store"
	"ballast/server/limits"
)

const (
	limitsBucket = "limits"
	limitsEntry  = "state" // the one entry of the bucket
	// maxLimits is the maximum size of the entry, bytes: NATS takes messages of 1 MiB.
	maxLimits = 1000 << 10
	// maxLimitsEvents and maxEventBytes bound the newest events in the entry, from which the copies' audits are made.
	maxLimitsEvents = 100
	maxEventBytes   = 200 << 10
	// limitsStale is how long the limits may be unconfirmed before the replica reports it.
	limitsStale = 5 * time.Second
)

// Limits keeps the policies and the kill switch in the bucket that all replicas share: one entry with all of them,
// so that every replica has the same ones together. A replica that loses contact goes on with those that it knew
// last. All methods are safe for concurrent use.
//
// Limits are never lost to the bucket: a replica that knows newer ones of the same history, or finds none that were
// ever changed, puts its own there. Those of another history in the bucket replace its own.
type Limits struct {
	limits.Live
	node    *Node
	bucket  bucket
	copy    *store.Main               // the database in which this replica keeps a copy; nil: none, for a command
	current atomic.Pointer[time.Time] // when they were last the bucket's; nil: never

	mu     sync.Mutex // serialises what changes Live and the copy
	copied uint64     // revision of the copy, of the history copiedID
	copyID string
}

// limitsState is the entry of the bucket.
type limitsState struct {
	store.Limits
	Events []limitsEvent `json:"events"` // of the newest changes, oldest first
}

// limitsEvent is an event of the audit and the revision of its change.
type limitsEvent struct {
	Revision uint64 `json:"revision"`
	store.Event
}

// NewLimits reads the copy and does not contact the cluster. The limits of a copy are in force at once; without a
// copy none are known before Load or Run has read the bucket. A copy that cannot be read is an error.
func NewLimits(node *Node, copy *store.Main) (*Limits, error) {
	l := &Limits{node: node, copy: copy, bucket: bucket{n: node, cfg: jetstream.KeyValueConfig{
		Bucket: limitsBucket, Description: "ballast: policies and kill switch", MaxValueSize: maxLimits}}}
	if copy == nil {
		return l, nil
	}
	held, err := copy.Limits()
	if err != nil || held.ID == "" {
		return l, err
	}
	l.copied, l.copyID = held.Revision, held.ID
	return l, l.Publish(held)
}

// Load creates the bucket if needed and reads it.
func (l *Limits) Load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, bucketAnswer)
	defer cancel()
	return l.read(ctx)
}

// Run follows the bucket until ctx ends.
func (l *Limits) Run(ctx context.Context) {
	l.bucket.follow(ctx, l.take, func(err error) {
		l.node.supervisor.Warn("the policies and the kill switch cannot be followed; trying on", "error", err)
	})
}

// take takes over what is new in the bucket.
func (l *Limits) take(ctx context.Context, n news) error {
	ctx, cancel := context.WithTimeout(ctx, bucketAnswer)
	defer cancel()
	if n.whole || len(n.entries) > 0 {
		before := l.State()
		if err := l.read(ctx); err != nil {
			return err
		}
		limits.Report(l.node.log, before, l.State())
	}
	l.current.Store(&n.asked)
	return l.keepCopy(nil)
}

// Trouble implements limits.Keeper.
func (l *Limits) Trouble() string {
	at := l.current.Load()
	switch {
	case at == nil && l.node.LastContact() < limitsStale:
		return "" // it has just started
	case at == nil:
		return "the cluster's policies and kill switch were not read yet; those of this replica's copy are in force"
	case time.Since(*at) > limitsStale:
		return fmt.Sprintf("the cluster's policies and kill switch were last confirmed %.0f s ago; those are in force",
			time.Since(*at).Seconds())
	}
	return ""
}

// Change implements limits.Keeper. When it returns the state, the bucket has acknowledged it.
func (l *Limits) Change(ctx context.Context, who string, edit limits.Edit) (*limits.State, error) {
	ctx, cancel := context.WithTimeout(ctx, bucketAnswer)
	defer cancel()
	var next limitsState
	_, err := l.bucket.edit(ctx, limitsEntry, func(text []byte, _ uint64) ([]byte, error) {
		state, ours, err := l.newest(text)
		if err == nil && !ours {
			err = l.accept(state) // or it is not understood, and is not changed either
		}
		if err != nil {
			return nil, err
		}
		next = limitsState{*state.Next(), state.Events}
		events, err := edit(&next.Limits, limits.By(who))
		if err != nil || len(events) == 0 {
			next = *state
			return text, err
		}
		for _, e := range events {
			next.Events = append(next.Events, limitsEvent{next.Revision, e})
		}
		return next.encode()
	})
	if err == nil {
		err = l.accept(&next)
	}
	if err != nil {
		return nil, err
	}
	return l.State(), nil
}

// read reads the bucket's entry and puts it into force. If there is none, or an older one, it writes this replica's.
func (l *Limits) read(ctx context.Context) error {
	var state *limitsState
	_, err := l.bucket.edit(ctx, limitsEntry, func(text []byte, _ uint64) (_ []byte, err error) {
		ours := false
		if state, ours, err = l.newest(text); err != nil || !ours {
			return text, err
		}
		return state.encode()
	})
	if err != nil {
		return err
	}
	return l.accept(state)
}

// newest returns the newer of the bucket's state and this replica's own. ours: it is this replica's own, and must be
// written to the bucket.
func (l *Limits) newest(text []byte) (state *limitsState, ours bool, err error) {
	if state, err = parseLimits(text); err != nil {
		return nil, false, fmt.Errorf("the bucket of policies and kill switch: %w; if no later version runs, delete "+
			"the entry (nats kv del %s %s), and a replica puts its own there", err, limitsBucket, limitsEntry)
	}
	own := l.newer(state)
	if own == nil {
		return state, false, nil
	}
	if own.Revision > 0 {
		l.node.supervisor.Warn("the bucket has no policies and kill switch, or old ones: this replica's are put "+
			"there", "revision", own.Revision)
	}
	if state != nil {
		own.Events = state.Events
	}
	return own, true, nil
}

// newer compares the limits here with those in the bucket (nil: it is empty). It returns ours if they should replace
// them, nil if those in the bucket may stay.
func (l *Limits) newer(there *limitsState) *limitsState {
	own := l.State()
	switch {
	case there == nil && own == nil: // the first replica of all
		first := (&store.Limits{Policies: map[string]store.Policy{}}).Next()
		first.Revision = 0
		return &limitsState{Limits: *first}
	case there == nil:
		return &limitsState{Limits: l.Kept()}
	case own != nil && own.Revision > there.Revision && (own.ID == there.ID || there.Revision == 0):
		return &limitsState{Limits: l.Kept()}
	}
	return nil
}

// accept puts an entry into force here and into the copy.
func (l *Limits) accept(state *limitsState) error {
	if err := l.Publish(&state.Limits); err != nil {
		return fmt.Errorf("the bucket of policies and kill switch: %w", err)
	}
	return l.keepCopy(state)
}

// keepCopy writes the copy if it is not up to date; state is the newest entry that was read, nil if none was. A
// disk that takes no writes is no error: the copy's Trouble tells, and the next comparison tries again.
func (l *Limits) keepCopy(state *limitsState) error {
	if l.copy == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.Kept()
	if now.ID == l.copyID && now.Revision == l.copied {
		return nil
	}
	if l.copied > 0 && now.ID != l.copyID {
		l.node.log.Error("the policies and kill switch of this data directory are replaced by the cluster's, which "+
			"have another history", "revision", l.copied, "of_the_cluster", now.Revision)
	}
	var events []store.Event
	if state != nil && state.ID == l.copyID {
		for _, e := range state.Events {
			if e.Revision > l.copied {
				events = append(events, e.Event)
			}
		}
	}
	err := l.copy.Reopen()
	if err == nil {
		err = l.copy.CopyLimits(&now, events)
	}
	if errors.As(err, new(*store.ReadOnlyError)) {
		l.node.supervisor.Warn("the copy of the policies cannot be written; trying on", "error", err)
		return nil
	}
	if err == nil {
		l.copied, l.copyID = now.Revision, now.ID
	}
	return err
}

// encode returns the entry, without old events that find no room.
func (s *limitsState) encode() ([]byte, error) {
	size := 0
	for i := len(s.Events) - 1; i >= 0; i-- {
		size += len(s.Events[i].Detail)
		if newest := len(s.Events) - 1 - i; newest > 0 && (newest >= maxLimitsEvents || size > maxEventBytes) {
			s.Events = s.Events[i+1:]
			break
		}
	}
	text, err := json.Marshal(s)
	if len(text) > maxLimits {
		return nil, fmt.Errorf("the policies take %d bytes, the cluster keeps %d: shorten or remove some", len(text),
			maxLimits)
	}
	return text, err
}

// parseLimits parses an entry; nil for none. It refuses fields that it does not know, because they could limit
// more.
func parseLimits(text []byte) (*limitsState, error) {
	if text == nil {
		return nil, nil
	}
	var s limitsState
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("its entry cannot be read, perhaps because a later version of ballast wrote it: %w", err)
	}
	if s.ID == "" {
		return nil, errors.New("its entry has no id")
	}
	if s.Policies == nil {
		s.Policies = map[string]store.Policy{}
	}
	return &s, nil
}
