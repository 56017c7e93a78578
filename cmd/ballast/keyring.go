package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"syscall"
	"time"

	"ballast/internal/store"
	"ballast/server/auth"
	"ballast/server/mailer"
	"ballast/server/replicas"
)

// keyring manages keys: those of a data directory, or those that the replicas of a cluster share.
type keyring interface {
	Issue(ctx context.Context, email string, role auth.Role) (key string, made auth.Key, err error)
	List(ctx context.Context) ([]auth.Key, error)
	Revoke(ctx context.Context, id string) error
}

// issued is a new key, in the form that --json prints.
type issued struct {
	ID      string    `json:"id"`
	Key     string    `json:"key,omitempty"` // "" after it has been mailed
	Email   string    `json:"email"`
	Role    auth.Role `json:"role"`
	Created time.Time `json:"created"`
	Mailed  bool      `json:"mailed,omitempty"`
}

// revokeTime bounds the revocation of a key that could not be mailed or printed.
const revokeTime = 10 * time.Second

// send mails the key and clears it. If the mail fails, it revokes the key.
func (i *issued) send(ctx context.Context, m *mailer.Mailer, ring keyring) error {
	err := m.SendKey(ctx, i.Email, i.Key, i.ID)
	i.Key = ""
	if err == nil {
		i.Mailed = true
		return nil
	}
	return i.takeBack(ctx, "mailed", err, ring)
}

// takeBack revokes a key that was not mailed or printed because of err: its owner did not get it, and
// somebody else might have.
func (i *issued) takeBack(ctx context.Context, done string, err error, ring keyring) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTime)
	defer cancel()
	if failed := ring.Revoke(ctx, i.ID); failed != nil {
		return fmt.Errorf("the key was not %s, and it is STILL GOOD because it could not be revoked (%v): "+
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

func untilInterrupted() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// commandLog is the log of commands.
func commandLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
}

// oldKeys is where releases before 0.3.0 kept keys.
const oldKeys = "keys.audit"

// openDatabase opens the database of a data directory, and makes it if it is missing.
func openDatabase(dataDir string) (*store.Main, error) {
	if missing(dataDir, store.MainFile) && !missing(dataDir, oldKeys) {
		return nil, fmt.Errorf("--data-dir %s: %s has the keys of a release before 0.3.0: start release 0.3.0 once, "+
			"which takes them over, or move the file away to begin without keys", dataDir, oldKeys)
	}
	return store.OpenMain(dataDir)
}

// openExisting opens the database of a data directory for a command. A directory that does not exist, or has no
// keys, may be misspelt: that is an error, and nothing is made.
func openExisting(dataDir string) (*store.Main, error) {
	if _, err := os.Stat(dataDir); err != nil {
		return nil, fmt.Errorf("--data-dir: %w: want the data directory of the service", err)
	}
	if missing(dataDir, store.MainFile) && missing(dataDir, oldKeys) {
		return nil, fmt.Errorf("--data-dir %s: there is no %s in it: want the data directory of the service",
			dataDir, store.MainFile)
	}
	return openDatabase(dataDir)
}

func missing(dataDir, name string) bool {
	_, err := os.Stat(filepath.Join(dataDir, name))
	return errors.Is(err, fs.ErrNotExist)
}

// operator names the user who runs the command, for the audit.
func operator() string {
	if name := os.Getenv("SUDO_USER"); name != "" {
		return name
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprint("uid ", os.Getuid())
}

// withKeyring runs do with the keys of the cluster if --nats-url names one, else with those of the data directory,
// until the command is interrupted. change says that do changes keys, and mayMake that the directory may be made.
func (f *keysFlags) withKeyring(change, mayMake bool, do func(context.Context, keyring) error) error {
	ctx, stop := untilInterrupted()
	defer stop()
	if f.NATSURL != "" {
		return f.withCluster(ctx, func(keys *replicas.Keys) error { return do(ctx, keys) })
	}
	open := openExisting
	if mayMake {
		open = openDatabase
	}
	return f.withDatabase(open, "keys", change, func(db *store.Main) error {
		keys, err := auth.NewKeys(db, operator(), commandLog())
		if err != nil {
			return err
		}
		return do(ctx, keys)
	})
}

// Timeouts of a command that works on a cluster.
const (
	keysOpen   = 15 * time.Second
	clusterTry = 100 * time.Millisecond
)

// withCluster runs do with the keys of the cluster.
func (f *keysFlags) withCluster(ctx context.Context, do func(*replicas.Keys) error) error {
	return withNode(ctx, f.NATSURL, func(node *replicas.Node) (*replicas.Keys, error) {
		return replicas.NewKeys(node, replicas.KeysConfig{})
	}, do)
}
