package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"ballast/server/auth"
	"ballast/server/cluster"
	"ballast/server/mailer"
)

// keyring manages keys: through the service that runs on the data directory, or in the store itself.
type keyring interface {
	// issue makes a key. With mayMail the running service may mail the key instead of returning it.
	issue(ctx context.Context, email string, mayMail bool) (*issued, error)
	list(ctx context.Context) ([]auth.Key, error)
	revoke(ctx context.Context, id string) error
	rebuild(ctx context.Context) (cluster.PutBack, error)
	close()
}

// issued is a new key, in the form that --json prints.
type issued struct {
	ID      string    `json:"id"`
	Key     string    `json:"key,omitempty"` // "" after it has been mailed
	Email   string    `json:"email"`
	Created time.Time `json:"created"`
	Mailed  bool      `json:"mailed,omitempty"`
}

// revokeTime bounds the revocation of a key that could not be mailed or printed.
const revokeTime = 10 * time.Second

// send mails the key and clears it. If the mail fails, it revokes the key.
func (i *issued) send(ctx context.Context, m *mailer.Mailer, revoke func(context.Context, string) error) error {
	err := m.SendKey(ctx, i.Email, i.Key, i.ID)
	i.Key = ""
	if err == nil {
		i.Mailed = true
		return nil
	}
	return i.takeBack(ctx, "mailed", err, revoke)
}

// takeBack revokes a key that was not mailed or printed because of err: its owner did not get it, and
// somebody else might have.
func (i *issued) takeBack(ctx context.Context, done string, err error, revoke func(context.Context, string) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTime)
	defer cancel()
	if failed := revoke(ctx, i.ID); failed != nil {
		return fmt.Errorf("the key was not %s, and it is STILL GOOD because it could not be revoked (%w): "+
			"revoke %s by hand; it was not %s because: %w", done, failed, i.ID, done, err)
	}
	return fmt.Errorf("the key was not %s and has been revoked (id %s): %w", done, i.ID, err)
}

// explainID adds the id to the error for an unknown key.
func explainID(err error, id string) error {
	if errors.Is(err, auth.ErrNoSuchKey) {
		return fmt.Errorf("no key with id %q: `ballast keys list` shows the ids", id[:min(len(id), 64)])
	}
	return err
}

// Timeouts of a keys command.
const (
	keysOpen   = 15 * time.Second // to reach the service or the store
	clusterTry = 100 * time.Millisecond
)

// openKeyring opens the cluster if --nats-url names one, else the service that runs on the data
// directory, else the store in that directory. With a cluster, the audit files are those of the
// replicas; the command opens one only if auditDir names its directory.
func (f *keysFlags) openKeyring(ctx context.Context, auditDir string) (keyring, error) {
	ctx, cancel := context.WithTimeout(ctx, keysOpen)
	defer cancel()
	if f.NATSURL != "" {
		return f.openCluster(ctx, auditDir)
	}
	for {
		lock, err := lockData(f.DataDir, 0)
		if err == nil {
			return f.openStore(ctx, lock)
		}
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		conn, err := dialControl(ctx, f.DataDir)
		if err == nil {
			conn.Close()
			return controlClient{f.DataDir}, nil
		}
		// The lock is held by another keys command, or by a service that has not opened its socket yet.
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("data directory %s is in use, and nothing that uses it answers: restart the service, or end the command that has it: %w", f.DataDir, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// storeKeys manages keys in a store that this process has opened.
type storeKeys struct {
	node *cluster.Node
	keys *cluster.Keys
	lock *os.File // of the data directory, nil for a cluster
}

// openStore opens the key store in a data directory.
func (f *keysFlags) openStore(ctx context.Context, lock *os.File) (keyring, error) {
	s := &storeKeys{lock: lock}
	err := s.open(ctx, cluster.Config{DataDir: f.DataDir}, f.DataDir)
	if err == nil {
		err = s.keys.Load(ctx)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// openCluster connects to an outside cluster.
func (f *keysFlags) openCluster(ctx context.Context, auditDir string) (keyring, error) {
	s := &storeKeys{}
	err := s.open(ctx, cluster.Config{URL: f.NATSURL}, auditDir)
	for err == nil {
		if err = s.keys.Load(ctx); err == nil {
			return s, nil
		}
		if !errors.Is(err, cluster.ErrDown) {
			break
		}
		select {
		case <-ctx.Done():
		case <-s.node.Woken():
			err = nil
		case <-time.After(clusterTry):
			err = nil
		}
	}
	s.close()
	return nil, fmt.Errorf("--nats-url: %w", err)
}

func (s *storeKeys) open(ctx context.Context, cfg cluster.Config, auditDir string) (err error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	cfg.Log = log
	if s.node, err = cluster.Open(ctx, cfg); err != nil {
		return err
	}
	s.keys = cluster.NewKeys(s.node, cluster.KeysConfig{DataDir: auditDir})
	return nil
}

func (s *storeKeys) issue(ctx context.Context, email string, _ bool) (*issued, error) {
	key, k, err := s.keys.Issue(ctx, email)
	if err != nil {
		return nil, err
	}
	return &issued{ID: k.ID, Key: key, Email: k.Email, Created: k.Created}, nil
}

func (s *storeKeys) list(ctx context.Context) ([]auth.Key, error) { return s.keys.List(ctx) }

func (s *storeKeys) revoke(ctx context.Context, id string) error {
	err := s.keys.Revoke(ctx, id)
	if errors.Is(err, cluster.ErrNotDurable) { // the revocation is only in the memory of this process, which ends now
		return fmt.Errorf("not revoked: %w", err)
	}
	return explainID(err, id)
}

func (s *storeKeys) rebuild(ctx context.Context) (cluster.PutBack, error) { return s.keys.Rebuild(ctx) }

func (s *storeKeys) close() {
	if s.keys != nil {
		s.keys.Close()
	}
	if s.node != nil {
		s.node.Close()
	}
	if s.lock != nil {
		s.lock.Close()
	}
}
