package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"ballast/server/alerts"
	"ballast/server/cluster"
	"ballast/server/mailer"
)

// replica is what this process has in common with others, or keeps beyond its life: its
// membership of the cluster, the keys, and the socket through which they are changed.
type replica struct {
	node    *cluster.Node
	keys    *cluster.Keys
	control *control
	watch   *watch

	run  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup
}

// replicaConfig says how to join.
type replicaConfig struct {
	natsURL     string // empty: an embedded server on dataDir
	servers     int    // of a cluster outside, that keep each bucket
	dataDir     string // its lock is held
	keyMaxStale time.Duration
	mail        *mailer.Mailer // nil: none
	log         *slog.Logger
}

// embeddedLoad bounds the opening of the embedded store and the reading of its keys.
const embeddedLoad = time.Minute

// openReplica joins. The embedded store's keys are there when it returns, if the disk can be
// read; those of a cluster outside come when the cluster answers.
func openReplica(cfg replicaConfig) (*replica, error) {
	ctx, cancel := context.WithTimeout(context.Background(), embeddedLoad)
	defer cancel()
	node, err := cluster.Open(ctx, cluster.Config{URL: cfg.natsURL, DataDir: cfg.dataDir, Replicas: cfg.servers, Log: cfg.log})
	if err != nil {
		return nil, err
	}
	r := &replica{node: node, watch: newWatch(node, cfg.log), stop: func() {}}
	r.keys = cluster.NewKeys(node, cluster.KeysConfig{DataDir: cfg.dataDir, MaxStale: cfg.keyMaxStale, Log: cfg.log})
	if node.Embedded() {
		if err := r.keys.Load(ctx); err != nil {
			cfg.log.Error("the key store cannot be read; keys are judged by its audit file", "judged", r.keys.Loaded(), "error", err)
		}
	}
	r.control = startControl(cfg.dataDir, r.keys, cfg.mail, cfg.log)
	r.run, r.stop = context.WithCancel(context.Background())
	r.wg.Go(func() {
		supervise(r.run, cfg.log, "keys", func(ctx context.Context) error { r.keys.Run(ctx); return ctx.Err() })
	})
	return r, nil
}

// follow brings what the other replicas find to the hub, until shutdown.
func (r *replica) follow(hub *alerts.Hub) {
	r.watch.follow(hub)
	r.wg.Go(func() {
		if err := r.watch.bus.Run(r.run); r.run.Err() == nil { // it guards its own goroutines
			r.watch.log.Error("the bus has ended", "error", err)
		}
	})
}

// ready reports whether everything has been heard once that a replica must know.
func (r *replica) ready() bool { return r.keys.Loaded() && r.watch.ready() }

// shutdown leaves, and writes down when keys were last used.
func (r *replica) shutdown() {
	r.control.close()
	r.stop()
	r.wg.Wait()
	r.keys.Close()
	r.node.Close()
}

// register adds the figures of keys and cluster to a set.
func (r *replica) register(set *metrics.Set) {
	for name, of := range map[string]func(*cluster.KeysStats) uint64{
		"entries_ignored_total":  func(s *cluster.KeysStats) uint64 { return s.Ignored },
		"entries_deleted_total":  func(s *cluster.KeysStats) uint64 { return s.Vanished },
		"conflicts_total":        func(s *cluster.KeysStats) uint64 { return s.Conflicts },
		"watch_losses_total":     func(s *cluster.KeysStats) uint64 { return s.Missed },
		"audit_errors_total":     func(s *cluster.KeysStats) uint64 { return s.AuditErrors },
		"last_used_errors_total": func(s *cluster.KeysStats) uint64 { return s.UseErrors },
	} {
		set.NewGauge("ballast_keys_"+name, func() float64 {
			s := r.keys.Stats()
			return float64(of(&s))
		})
	}
	r.watch.register(set)
	set.NewGauge("ballast_cluster_last_contact_seconds", func() float64 { return r.node.LastContact().Seconds() })
	set.NewGauge("ballast_cluster_reconnects_total", func() float64 { return float64(r.node.Stats().Reconnects) })
	set.NewGauge("ballast_cluster_panics_total", func() float64 { return float64(r.node.Stats().Panics) })
}
