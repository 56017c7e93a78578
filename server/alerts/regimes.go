package alerts

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"sync"
	"time"

	"ballast/internal/supervise"
)

const (
	// regimesEvery is how often Run writes down what has changed.
	regimesEvery = time.Second
	// regimesKept is how long the regimes of a wallet are kept that no monitor call has changed.
	regimesKept = 30 * 24 * time.Hour
	// regimesHeld is the number of wallets in memory at most.
	regimesHeld = 20_000
)

// RegimeTable keeps the regimes of wallets on disk: package store.
type RegimeTable interface {
	Regimes(wallet string) (states string, err error)
	PutRegimes(states map[string]string, at time.Time) error
	ForgetRegimes(before time.Time) error
}

// Regimes remembers the regimes that each wallet's previous monitor call saw, for a service that shares nothing
// with others. They are on disk a second later. It is safe for concurrent use.
type Regimes struct {
	table RegimeTable
	log   *supervise.Supervisor

	mu    sync.Mutex
	held  map[string]map[string]uint8 // by wallet, then asset
	dirty map[string]struct{}         // wallets whose regimes are not on disk
}

// NewRegimes returns Regimes that are kept in a table.
func NewRegimes(table RegimeTable, log *slog.Logger) *Regimes {
	return &Regimes{
		table: table, log: supervise.New(log), held: map[string]map[string]uint8{}, dirty: map[string]struct{}{},
	}
}

// Remember sets the previous regimes of a result's positions, and remembers its regimes for the next call.
func (g *Regimes) Remember(_ context.Context, r *Result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	previous := g.of(r.Wallet)
	known, same := 0, true
	for i := range r.Positions {
		p := &r.Positions[i]
		old, ok := previous[p.Asset]
		p.PreviousRegime = old
		if p.HasRegime {
			known++
			same = same && ok && old == p.Regime
		}
	}
	if same && known == len(previous) {
		return
	}
	now := make(map[string]uint8, known)
	for i := range r.Positions {
		if p := &r.Positions[i]; p.HasRegime {
			now[p.Asset] = p.Regime
		}
	}
	g.held[r.Wallet] = now
	g.dirty[r.Wallet] = struct{}{}
}

// Publish does nothing: there are no other replicas.
func (g *Regimes) Publish(context.Context, *Result) error { return nil }

// of returns the regimes of a wallet, from memory or from disk.
func (g *Regimes) of(wallet string) map[string]uint8 {
	if states, ok := g.held[wallet]; ok {
		return states
	}
	var states map[string]uint8
	text, err := g.table.Regimes(wallet)
	if err == nil && text != "" {
		err = json.Unmarshal([]byte(text), &states)
	}
	if err != nil {
		g.log.Warn("the regimes of a wallet cannot be read", "error", err)
	}
	if len(g.held) >= regimesHeld {
		maps.DeleteFunc(g.held, func(w string, _ map[string]uint8) bool { _, dirty := g.dirty[w]; return !dirty })
	}
	if len(g.held) >= regimesHeld { // the disk has taken nothing for long
		clear(g.held)
		clear(g.dirty)
	}
	g.held[wallet] = states
	return states
}

// Run writes down what changes until ctx ends.
func (g *Regimes) Run(ctx context.Context) {
	tick := time.NewTicker(regimesEvery)
	defer tick.Stop()
	var forgotten time.Time
	for {
		now := time.Now()
		if now.Sub(forgotten) >= 24*time.Hour && g.table.ForgetRegimes(now.Add(-regimesKept)) == nil {
			forgotten = now
		}
		select {
		case <-tick.C:
			g.flush()
		case <-ctx.Done():
			g.flush()
			return
		}
	}
}

// flush writes down what has changed since the last time. What a full disk does not take stays for the next.
func (g *Regimes) flush() {
	g.mu.Lock()
	changed := make(map[string]string, len(g.dirty))
	for wallet := range g.dirty {
		text, _ := json.Marshal(g.held[wallet]) // never fails
		changed[wallet] = string(text)
	}
	clear(g.dirty)
	g.mu.Unlock()
	if len(changed) == 0 {
		return
	}
	if err := g.table.PutRegimes(changed, time.Now()); err != nil {
		g.log.Warn("the regimes of wallets are not written down; trying on", "error", err)
		g.mu.Lock()
		defer g.mu.Unlock()
		for wallet := range changed {
			if _, held := g.held[wallet]; held {
				g.dirty[wallet] = struct{}{}
			}
		}
	}
}
