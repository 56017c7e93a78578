package watches

import (
	"maps"
	"slices"
	"time"

	"ballast/server/alerts"
	"ballast/server/webhook"
)

// ID names a watch: a key watches a wallet once.
type ID struct{ Key, Wallet string }

// Record is a watch. It is immutable: a change makes a new one.
type Record struct {
	Key        string            `json:"key"`    // id of the API key
	Wallet     string            `json:"wallet"` // in lower case
	EveryS     int               `json:"every_s"`
	Thresholds alerts.Thresholds `json:"thresholds"`
	Webhook    *webhook.Target   `json:"webhook,omitempty"`
	Since      time.Time         `json:"since"` // when it was first set

	// JudgedMs is the time of the newest result that changed something, by the venue's clock.
	JudgedMs int64            `json:"judged_ms,omitempty"`
	Standing []Condition      `json:"standing,omitempty"` // in the order of their begin
	Regimes  map[string]uint8 `json:"regimes,omitempty"`  // at the last result, but for normal ones

	Waiting []Event   `json:"waiting,omitempty"` // to be posted, in this order
	Misses  int       `json:"misses,omitempty"`  // posts in a row that failed
	RetryAt time.Time `json:"retry_at,omitzero"` // before which nothing is posted; zero: at once
	Error   string    `json:"error,omitempty"`   // of the last post, if it failed
	Dead    []Event   `json:"dead,omitempty"`    // given up, the newest ones
	// The numbers of posts that succeeded, and of events that were given up.
	Posted    uint64 `json:"posted,omitempty"`
	DeadTotal uint64 `json:"dead_total,omitempty"`

	Calls Calls `json:"calls"` // shared now and then, for other replicas

	Revision uint64 `json:"-"` // of the store, in a store that others change
}

// ID returns the name of the watch.
func (r *Record) ID() ID { return ID{r.Key, r.Wallet} }

// Condition is a breach that stands.
type Condition struct {
	Kind      alerts.Kind `json:"kind"`
	Asset     string      `json:"asset,omitempty"` // "": the portfolio
	SinceMs   int64       `json:"since_ms"`
	Critical  bool        `json:"critical,omitempty"` // it was, once: it is told so once
	Threshold float64     `json:"threshold"`
}

// Calls says how the monitor calls of a wallet go.
type Calls struct {
	At       time.Time `json:"at,omitzero"`        // of the last one; zero: none was made
	GoodAt   time.Time `json:"good_at,omitzero"`   // of the last one that succeeded
	Failures int       `json:"failures,omitempty"` // in a row
	Error    string    `json:"error,omitempty"`    // of the last one, if it failed
}

// clone returns a copy whose lists may be changed.
func (r *Record) clone() *Record {
	c := *r
	c.Standing, c.Waiting, c.Dead = slices.Clone(r.Standing), slices.Clone(r.Waiting), slices.Clone(r.Dead)
	c.Regimes = maps.Clone(r.Regimes)
	return &c
}

// set returns the record with what its key asks for; now may be nil. An empty secret keeps the one that is there, or
// makes one, which is returned. To a new URL everything that stands is told as if it began then.
func set(now *Record, id ID, c *alerts.WatchConfig, at time.Time) (next *Record, made string) {
	next = &Record{Key: id.Key, Wallet: id.Wallet, Since: at}
	if now != nil {
		next = now.clone()
	}
	next.EveryS, next.Thresholds = c.EveryS, c.Thresholds
	old := next.Webhook
	if next.Webhook = nil; c.URL == "" {
		next.Waiting, next.Misses, next.RetryAt, next.Error = nil, 0, time.Time{}, ""
		return next, ""
	}
	to := &webhook.Target{URL: c.URL, Secret: c.Secret}
	if to.Secret == "" && old != nil {
		to.Secret = old.Secret
	}
	if to.Secret == "" {
		made = webhook.NewSecret()
		to.Secret = made
	}
	next.Webhook = to
	if old == nil || old.URL != to.URL {
		next.Standing, next.Regimes, next.JudgedMs = nil, nil, 0
	}
	next.Misses, next.RetryAt, next.Error = 0, time.Time{}, "" // whoever changes it wants to see it work
	return next, made
}
