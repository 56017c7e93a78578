package main

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"ballast/internal/promtext"
	"ballast/internal/store"
	"ballast/internal/supervise"
	"ballast/server"
	"ballast/server/alerts"
	"ballast/server/auth"
	"ballast/server/days"
	"ballast/server/limits"
	"ballast/server/replicas"
	"ballast/server/watches"
)

// replica holds what this process keeps beyond its life, and what it shares with other replicas.
type replica struct {
	db      *store.Main
	keys    serviceKeys
	limits  limits.Keeper
	watch   server.Watch
	days    atomic.Pointer[days.Book] // nil before keepDays
	watched *watches.Book
	join    *membership // nil: shares nothing

	run  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup
}

// membership is what a replica shares with others through NATS.
type membership struct {
	node   *replicas.Node
	keys   *replicas.Keys
	limits *replicas.Limits
	days   *replicas.Days
	watch  *watch

	decisions *replicas.Decisions
}

// serviceKeys are the keys, own or shared, as the service uses them.
type serviceKeys interface {
	keyring
	Store() *auth.Store
	Loaded() bool // whether keys have been read
	Run(ctx context.Context)
}

// openReplica opens the database, whose lock the caller holds, and, with a URL, joins the cluster. The keys of the
// database are known when it returns; those of a cluster arrive when the cluster answers.
func (c *serveCmd) openReplica(log *slog.Logger) (*replica, error) {
	db, err := openDatabase(c.DataDir)
	if err != nil {
		return nil, err
	}
	r := &replica{db: db}
	if trouble := r.db.Trouble(); trouble != nil {
		log.Error("the database cannot be written: the keys that it has are judged, none can be issued or revoked",
			"error", trouble)
	} else if err := r.db.SetCopy(c.NATSURL != ""); err != nil {
		log.Error("the database cannot be written", "error", err)
	}
	r.run, r.stop = context.WithCancel(context.Background())
	if c.NATSURL == "" {
		regimes := alerts.NewRegimes(r.db, log)
		r.watch = regimes
		r.keep("regimes", log, regimes.Run)
		err = r.own(log)
	} else {
		err = r.share(c, log)
	}
	if err == nil {
		err = r.openWatches(c.WebhookAllowPrivate, log)
	}
	if err != nil {
		r.shutdown()
		return nil, err
	}
	r.keep("keys", log, r.keys.Run)
	return r, nil
}

// keep runs what works until shutdown, and again after a panic.
func (r *replica) keep(name string, log *slog.Logger, run func(context.Context)) {
	r.wg.Go(func() { supervise.New(log).Run(r.run, name, run) })
}

// followDatabase calls readers when a command may have changed the database.
func (r *replica) followDatabase(log *slog.Logger, readers ...func() error) {
	lost := supervise.New(log)
	r.keep("database", log, func(ctx context.Context) {
		r.db.Follow(ctx, func(err error) { lost.Warn("the database cannot be followed; trying on", "error", err) },
			readers...)
	})
}

// own reads what the data directory keeps, and follows what commands do to it.
func (r *replica) own(log *slog.Logger) error {
	keys, err := auth.NewKeys(r.db, "service", log)
	if err != nil {
		return err
	}
	own, err := limits.NewLocal(r.db, log)
	if err != nil {
		return err
	}
	r.keys, r.limits = keys, own
	r.followDatabase(log, keys.Follow, own.Follow, r.followDays)
	return nil
}

// share joins the cluster.
func (r *replica) share(c *serveCmd, log *slog.Logger) error {
	node, err := replicas.Open(replicas.Config{URL: c.NATSURL, Replicas: c.NATSReplicas, Log: log})
	if err != nil {
		return err
	}
	r.join = &membership{node: node, watch: newWatch(node, log), decisions: node.NewDecisions()}
	r.join.keys, err = replicas.NewKeys(node, replicas.KeysConfig{Copy: r.db, MaxStale: c.KeyMaxStale})
	if err != nil {
		return err
	}
	if r.join.limits, err = replicas.NewLimits(node, r.db); err != nil {
		return err
	}
	r.join.days = replicas.NewDays(node)
	r.keys, r.limits, r.watch = r.join.keys, r.join.limits, r.join.watch
	r.keep("limits", log, r.join.limits.Run)
	r.followDatabase(log, r.followDays)
	return nil
}

// node returns the membership's node, nil if nothing is shared.
func (r *replica) node() *replicas.Node {
	if r.join == nil {
		return nil
	}
	return r.join.node
}

// follow delivers the monitor results of other replicas to the alert hub until shutdown.
func (r *replica) follow(hub *alerts.Hub) {
	if r.join != nil {
		r.join.watch.follow(hub)
		r.wg.Go(func() { r.join.watch.bus.Run(r.run) }) // guards its own goroutines against panics
	}
}

// ready reports whether keys and policies have been read, and the alert bus was heard or waited for.
func (r *replica) ready() bool {
	return r.keys.Loaded() && r.limits.State() != nil && (r.join == nil || r.join.watch.ready())
}

// degraded reports whether the database cannot be written, or alerts of other replicas may be missed.
func (r *replica) degraded() bool {
	return r.db.Trouble() != nil || r.join != nil && r.join.watch.degraded()
}

// shutdown ends everything and saves when keys were last used.
func (r *replica) shutdown() {
	r.stop()
	r.wg.Wait()
	if r.join != nil {
		r.join.node.Close()
	}
	r.db.Close()
}

// writeMetrics writes the metrics of the database, and of what is shared.
func (r *replica) writeMetrics(p *promtext.Page) {
	p.Switch("ballast_database_trouble", "1 while the database cannot be written.", r.db.Trouble() != nil)
	if r.join != nil {
		r.join.writeMetrics(p)
	}
}

// writeMetrics writes the metrics of the cluster.
func (m *membership) writeMetrics(p *promtext.Page) {
	k := &m.keys.Stats
	p.Count("ballast_keys_entries_ignored_total", "Entries of the bucket of keys that are no keys.", k.Ignored.Load())
	p.Count("ballast_keys_entries_deleted_total",
		"Entries of the bucket of keys that were deleted; their keys stay in force.", k.Vanished.Load())
	p.Count("ballast_keys_conflicts_total", "Keys refused: an id used twice, or more keys than can be held.",
		k.Conflicts.Load())
	p.Count("ballast_keys_watch_losses_total",
		"Times that the bucket of keys was read again because a change had been missed.", k.Missed.Load())
	p.Count("ballast_keys_last_used_errors_total", "Times that the last use of keys was not written down.",
		k.UseErrors.Load())
	p.Count("ballast_decisions_published_total", "Decisions that NATS has taken.", m.decisions.Published.Load())
	p.Count("ballast_decisions_unpublished_total", "Decisions dropped because NATS did not take them in time.",
		m.decisions.Dropped.Load())
	p.Count("ballast_cluster_reconnects_total", "Connections to NATS that came back.", m.node.Reconnects.Load())
	p.Count("ballast_cluster_panics_total", "Panics in what replicas share, each of which cost one message.",
		m.node.Panics())
	m.watch.writeMetrics(p)
	age := m.node.LastContact().Seconds()
	p.Gauge("ballast_cluster_last_contact_seconds", "Time since NATS last answered this replica.", age)
	p.Switch("ballast_cluster_trouble", "1 while NATS does not answer.", m.node.Trouble() != "")
}
