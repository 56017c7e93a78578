package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"ballast/internal/promtext"
	"ballast/internal/supervise"
	"ballast/server/alerts"
	"ballast/server/cluster"
	"ballast/server/mailer"
)

// replica holds what this process shares with other replicas or keeps beyond its life: the
// cluster membership, the keys, and the socket through which keys are managed.
type replica struct {
	node    *cluster.Node
	keys    *cluster.Keys
	control *control
	watch   *watch

	run  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup
}

// replicaConfig configures a replica.
type replicaConfig struct {
	natsURL     string // empty: an embedded server in dataDir
	servers     int    // number of NATS servers that store each bucket; for an outside cluster
	dataDir     string // the caller holds its lock
	keyMaxStale time.Duration
	mail        *mailer.Mailer // nil: keys are not mailed
	log         *slog.Logger
}

// embeddedLoad bounds opening the embedded store and reading its keys.
const embeddedLoad = time.Minute

// openReplica joins the cluster. When it returns, an embedded store's keys are loaded, if the disk
// can be read; the keys of an outside cluster arrive when the cluster answers.
func openReplica(cfg replicaConfig) (*replica, error) {
	ctx, cancel := context.WithTimeout(context.Background(), embeddedLoad)
	defer cancel()
	node, err := cluster.Open(ctx, cluster.Config{URL: cfg.natsURL, DataDir: cfg.dataDir, Replicas: cfg.servers, Log: cfg.log})
	if err != nil {
		return nil, err
	}
	r := &replica{node: node, watch: newWatch(node, cfg.log), stop: func() {}}
	r.keys = cluster.NewKeys(node, cluster.KeysConfig{DataDir: cfg.dataDir, MaxStale: cfg.keyMaxStale})
	if node.Embedded() {
		if err := r.keys.Load(ctx); err != nil {
			cfg.log.Error("the key store cannot be read; keys are judged by its audit file", "judged", r.keys.Loaded(), "error", err)
		}
	}
	r.control = startControl(cfg.dataDir, r.keys, cfg.mail, cfg.log)
	r.run, r.stop = context.WithCancel(context.Background())
	r.wg.Go(func() { supervise.New(cfg.log).Run(r.run, "keys", r.keys.Run) })
	return r, nil
}

// follow delivers the monitor results of other replicas to the alert hub until shutdown.
func (r *replica) follow(hub *alerts.Hub) {
	r.watch.follow(hub)
	r.wg.Go(func() { r.watch.bus.Run(r.run) }) // guards its own goroutines against panics
}

// ready reports whether keys and alert bus have been read at least once.
func (r *replica) ready() bool { return r.keys.Loaded() && r.watch.ready() }

// shutdown leaves the cluster and saves when keys were last used.
func (r *replica) shutdown() {
	r.control.close()
	r.stop()
	r.wg.Wait()
	r.keys.Close()
	r.node.Close()
}

// writeMetrics writes the metrics of keys and cluster.
func (r *replica) writeMetrics(p *promtext.Page) {
	k := r.keys.Stats()
	p.Counter("ballast_keys_entries_ignored_total", "Entries of the key store that are no keys.", float64(k.Ignored.Load()))
	p.Counter("ballast_keys_entries_deleted_total", "Entries of the key store that were deleted; their keys stay in force.", float64(k.Vanished.Load()))
	p.Counter("ballast_keys_conflicts_total", "Keys refused: an id used twice, or more keys than can be held.", float64(k.Conflicts.Load()))
	p.Counter("ballast_keys_watch_losses_total", "Times that the key store was read again because a change had been missed.", float64(k.Missed.Load()))
	p.Counter("ballast_keys_audit_errors_total", "Times that the audit file of the keys was not written.", float64(k.AuditErrors.Load()))
	p.Counter("ballast_keys_last_used_errors_total", "Times that the last use of keys was not written down.", float64(k.UseErrors.Load()))
	r.watch.writeMetrics(p)
	p.Switch("ballast_cluster_trouble", "1 while the key store cannot be written, or NATS does not answer.", r.node.Trouble() != "")
	p.Gauge("ballast_cluster_last_contact_seconds", "Time since NATS last answered this replica.", r.node.LastContact().Seconds())
	p.Counter("ballast_cluster_reconnects_total", "Connections to NATS that came back.", float64(r.node.Reconnects()))
	p.Counter("ballast_cluster_panics_total", "Panics in what replicas share, each of which cost one message.", float64(r.node.Panics()))
}
