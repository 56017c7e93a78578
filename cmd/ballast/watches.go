package main

import (
	"context"
	"log/slog"
	"time"

	"ballast/server/watches"
)

// shareCalls is how often a replica tells the others how the calls of watches go.
const shareCalls = time.Minute

// openWatches reads the watches of the data directory, or takes part in those that replicas share.
func (r *replica) openWatches(toPrivate bool, log *slog.Logger) error {
	c := watches.Config{Store: watches.NewLocal(r.db), Revoked: r.keys.Store().Revoked, Version: version,
		AllowPrivate: toPrivate, Log: log}
	if r.join == nil {
		r.watched = watches.New(c)
		return r.watched.Load(r.run)
	}
	own, err := r.db.Watches()
	if err != nil {
		return err
	}
	if len(own) > 0 {
		log.Warn("the watches of this data directory are not made: replicas share theirs, in the cluster; set "+
			"them again", "watches", len(own))
	}
	shared := r.join.node.NewWatches()
	c.Store, c.Held, c.ShareEvery = shared, shared.Held, shareCalls
	r.watched = watches.New(c)
	r.keep("watches", log, func(ctx context.Context) { shared.Run(ctx, r.watched) })
	return nil
}
