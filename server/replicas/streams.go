package replicas

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// create makes a stream or bucket on the configured number of servers, or on one if too few are up.
func create[T any](n *Node, makeOn func(servers int) (T, error)) (T, error) {
	made, err := makeOn(n.replicas)
	if err != nil && n.replicas > 1 {
		made, err = makeOn(1)
	}
	return made, err
}

// Bucket returns the key-value bucket of cfg and creates it if it does not exist, on disk and on the
// configured number of servers. Replicas may do so concurrently. An existing bucket keeps its limits,
// which its operator may have changed; only the number of servers is raised.
func (n *Node) Bucket(ctx context.Context, cfg jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	cfg.Storage = jetstream.FileStorage
	kv, err := n.js.KeyValue(ctx, cfg.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = create(n, func(servers int) (jetstream.KeyValue, error) {
			cfg.Replicas = servers
			return n.js.CreateKeyValue(ctx, cfg)
		})
		if errors.Is(err, jetstream.ErrBucketExists) {
			kv, err = n.js.KeyValue(ctx, cfg.Bucket)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("replicas: bucket %s: %w", cfg.Bucket, err)
	}
	if stream, err := n.js.Stream(ctx, "KV_"+cfg.Bucket); err == nil {
		n.raise(ctx, stream)
	}
	return kv, nil
}

// ensureStream returns the stream of cfg and creates it if it does not exist, like Bucket: acknowledged
// messages survive a restart of the server.
func (n *Node) ensureStream(ctx context.Context, cfg jetstream.StreamConfig) (jetstream.Stream, error) {
	cfg.Storage = jetstream.FileStorage
	stream, err := n.js.Stream(ctx, cfg.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = create(n, func(servers int) (jetstream.Stream, error) {
			cfg.Replicas = servers
			return n.js.CreateStream(ctx, cfg)
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			stream, err = n.js.Stream(ctx, cfg.Name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("replicas: stream %s: %w", cfg.Name, err)
	}
	if have := stream.CachedInfo().Config.Subjects; !slices.Equal(have, cfg.Subjects) {
		return nil, fmt.Errorf("replicas: stream %s holds subjects %v, not %v: it belongs to something else",
			cfg.Name, have, cfg.Subjects)
	}
	n.raise(ctx, stream)
	return stream, nil
}

// raise stores stream on more servers if configured. The stream is used even if that fails: too few
// servers may be up.
func (n *Node) raise(ctx context.Context, stream jetstream.Stream) {
	cfg := stream.CachedInfo().Config
	have := cfg.Replicas
	if have >= n.replicas {
		return
	}
	cfg.Replicas = n.replicas
	if _, err := n.js.UpdateStream(ctx, cfg); err != nil {
		n.log.Warn("a stream is on fewer servers than asked for", "stream", cfg.Name, "have", have, "want", n.replicas,
			"error", err)
	}
}
