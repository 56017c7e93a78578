package main

import (
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/internal/promtext"
	"ballast/server/alerts"
	"ballast/server/replicas"
)

// watch implements server.Watch: replicas share the results of monitor calls and the wallets' last regimes.
type watch struct {
	bus     *replicas.Bus // set by follow before any request is served
	regimes *replicas.Regimes
	node    *replicas.Node
	calls   atomic.Uint64
	opened  time.Time
	started atomic.Bool // the bus has been ready at least once
	log     *slog.Logger
}

// busPatience is how long a replica that starts waits for the bus before it is ready without it.
const busPatience = 10 * time.Second

func newWatch(node *replicas.Node, log *slog.Logger) *watch {
	return &watch{regimes: node.NewRegimes(), node: node, opened: time.Now(), log: log}
}

// follow starts the bus and delivers the results of other replicas to the hub. A replica that is
// cut off from the others closes its alert sockets, because silence would look like an
// all-clear, and accepts no new ones until it receives everything again.
func (w *watch) follow(hub *alerts.Hub) {
	hub.SetAccepting(false)
	w.bus = w.node.NewBus(hub.Deliver,
		func(reason string) {
			w.log.Error("cut off from the other replicas, alert sockets closed", "reason", reason)
			hub.SetAccepting(false)
			hub.CloseAll(websocket.CloseTryAgainLater, "this replica may miss alerts, connect to another")
		},
		func() {
			if w.started.Swap(true) {
				w.log.Info("alerts of the other replicas are heard again")
			}
			hub.SetAccepting(true)
		})
}

// ready reports whether the alert bus has been ready at least once, or was waited for. Before that, the replica
// is not ready.
func (w *watch) ready() bool { return w.started.Load() || time.Since(w.opened) > busPatience }

// degraded reports whether alerts of other replicas may be missed now, or NATS does not answer.
func (w *watch) degraded() bool { return !w.bus.Ready() || w.node.Trouble() != "" }

// writeMetrics writes the metrics of the alert bus and the shared regimes.
func (w *watch) writeMetrics(p *promtext.Page) {
	s := &w.bus.Stats
	p.Switch("ballast_bus_ready", "1 while results of the other replicas are heard.", w.bus.Ready())
	p.Count("ballast_bus_published_total", "Results of monitor calls that NATS has taken.", s.Published.Load())
	p.Count("ballast_bus_unacknowledged_total", "Results that it has not confirmed.", s.Unacknowledged.Load())
	p.Count("ballast_bus_received_total", "Results of other replicas.", s.Received.Load())
	p.Count("ballast_bus_garbage_total", "Messages that are no results.", s.Garbage.Load())
	p.Count("ballast_bus_cuts_total",
		"Times that the other replicas were not heard and alert sockets were closed.", s.Cuts.Load())
	p.Count("ballast_bus_consumer_resets_total",
		"Times that the reading of results was begun again.", s.ConsumerResets.Load())
	p.Count("ballast_regimes_alone_total",
		"Monitor calls whose regimes were compared with what this replica alone saw.", w.regimes.Failures.Load())
}

// Remember implements server.Watch.
func (w *watch) Remember(ctx context.Context, r *alerts.Result) {
	r.ID = w.nextID()
	now := make(map[string]uint8, len(r.Positions))
	for i := range r.Positions {
		if p := &r.Positions[i]; p.HasRegime {
			now[p.Asset] = p.Regime
		}
	}
	previous, err := w.regimes.Exchange(ctx, r.Wallet, now)
	if err != nil { // fall back to what this replica itself saw last
		w.log.Warn("regimes of a wallet not shared", "error", err.Error())
	}
	for i := range r.Positions {
		r.Positions[i].PreviousRegime = previous[r.Positions[i].Asset]
	}
}

// Publish implements server.Watch.
func (w *watch) Publish(ctx context.Context, r *alerts.Result) error {
	if r.ID == "" { // not of a monitor call
		r.ID = w.nextID()
	}
	return w.bus.Publish(ctx, r)
}

func (w *watch) nextID() string { return w.node.ID() + "-" + strconv.FormatUint(w.calls.Add(1), 10) }
