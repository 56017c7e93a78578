package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Limits of the embedded server. They bound what a bug or a flood can take, and lie far
// above need: the bus keeps 60 s of results, the buckets some hundred bytes a key or
// wallet.
const (
	embeddedMemory = 128 << 20 // bytes of memory streams: the bus, and its consumers
	embeddedStore  = 1 << 30   // bytes of file streams
	embeddedStart  = 30 * time.Second
	reviveEvery    = 2 * time.Second
)

// ErrInUse says that another process has the embedded server's directory open.
var ErrInUse = errors.New("in use by another process")

// embedded is a NATS server inside this process. A nil one is none.
type embedded struct {
	server *server.Server
	dir    string
	unlock func()
	log    *serverLog
	once   sync.Once

	revived time.Time // last attempt; zero: not needed
	sick    atomic.Pointer[string]
}

// startEmbedded starts a server over dataDir/nats and waits until it serves. The
// directory is locked first: two servers over one store would destroy it.
func startEmbedded(ctx context.Context, dataDir string, log *slog.Logger) (*embedded, error) {
	dir := filepath.Join(dataDir, "nats")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cluster: embedded server: %w", err)
	}
	unlock, err := lockDir(dir)
	if err != nil {
		return nil, fmt.Errorf("cluster: embedded server: %s: %w", dir, err)
	}
	if err := errors.Join(writable(dir), checkStore(dir)); err != nil {
		unlock()
		return nil, fmt.Errorf("cluster: embedded server: %s: %w", dir, err)
	}
	e := &embedded{dir: dir, unlock: unlock, log: &serverLog{log: log}}
	e.server, err = server.NewServer(&server.Options{
		ServerName:             "ballast",
		DontListen:             true,
		NoSigs:                 true,
		JetStream:              true,
		DisableJetStreamBanner: true,
		StoreDir:               dir,
		JetStreamMaxMemory:     embeddedMemory,
		JetStreamMaxStore:      embeddedStore,
		SyncAlways:             true,
	})
	if err != nil {
		unlock()
		return nil, fmt.Errorf("cluster: embedded server in %s: %w", dir, err)
	}
	e.server.SetLoggerV2(e.log, log.Enabled(ctx, slog.LevelDebug), false, false)
	started := make(chan struct{})
	go func() {
		defer close(started)
		e.server.Start()
	}()
	select {
	case <-started:
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(embeddedStart):
		err = errors.New("does not start")
	}
	if err == nil {
		err = e.log.failure()
	}
	if err == nil && !e.server.JetStreamEnabled() {
		err = errors.New("JetStream did not start")
	}
	if err != nil {
		<-started // a server that is still starting cannot be shut down
		e.stop()
		return nil, fmt.Errorf("cluster: embedded server in %s: %w", dir, err)
	}
	return e, nil
}

// stop ends the server, waits until its files are closed, and lets go of the directory.
func (e *embedded) stop() {
	if e == nil {
		return
	}
	e.once.Do(func() {
		well := e.sickness() == "" // or files may be torn
		e.server.Shutdown()
		e.server.WaitForShutdown()
		if well {
			if err := writeManifest(e.dir); err != nil {
				e.log.log.Warn("the embedded server's files are left as after a crash", "directory", e.dir, "error", err)
			}
		}
		e.unlock()
	})
}

// revive starts the store again after a write has failed, mostly for want of space. The
// server then refuses all writes of that stream, or switches the store off, until it is
// started anew.
func (e *embedded) revive() {
	if e == nil {
		return
	}
	sick := e.sickness()
	e.sick.Store(&sick)
	if sick == "" {
		return
	}
	if !e.revived.IsZero() && time.Since(e.revived) < reviveEvery {
		return
	}
	if e.revived.IsZero() {
		e.log.log.Error("the embedded server cannot write: is the disk full?", "directory", e.dir, "error", sick)
	}
	e.revived = time.Now()
	if err := writable(e.dir); err != nil {
		e.log.log.Debug("the embedded server's store stays off", "error", err)
		return
	}
	err := e.server.ShutdownJetStream()
	if err == nil {
		err = e.server.EnableJetStream(&server.JetStreamConfig{
			StoreDir: e.dir, MaxMemory: embeddedMemory, MaxStore: embeddedStore, SyncAlways: true, Strict: true,
		})
	}
	if err != nil {
		e.log.log.Debug("the embedded server's store does not start", "error", err)
		return
	}
	e.revived = time.Time{}
	e.log.log.Info("the embedded server's store works again", "directory", e.dir)
}

// sickness returns why the server cannot write, or nothing.
func (e *embedded) sickness() string {
	if !e.server.JetStreamEnabled() {
		return "switched off"
	}
	// Other complaints pass by themselves, such as one about a stream that is being made.
	if text := e.server.Healthz(nil).Error; strings.Contains(text, "write error") {
		return text
	}
	return ""
}

// writable reports whether a megabyte fits under dir.
func writable(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "room"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 1<<20))
	return errors.Join(err, f.Sync(), f.Close())
}

// serverLog hands the server's log to slog, all of it at debug level: what matters to an
// operator, this package says itself. It keeps what the server calls fatal, because the
// server reports a failed start in no other way.
type serverLog struct {
	log   *slog.Logger
	mu    sync.Mutex
	fatal error
}

func (l *serverLog) write(level, format string, v []any) {
	l.log.Debug("nats-server: "+strings.TrimSpace(fmt.Sprintf(format, v...)), "severity", level)
}

func (l *serverLog) Noticef(format string, v ...any) { l.write("notice", format, v) }
func (l *serverLog) Warnf(format string, v ...any)   { l.write("warning", format, v) }
func (l *serverLog) Errorf(format string, v ...any)  { l.write("error", format, v) }
func (l *serverLog) Debugf(format string, v ...any)  { l.write("debug", format, v) }
func (l *serverLog) Tracef(format string, v ...any)  { l.write("trace", format, v) }

func (l *serverLog) Fatalf(format string, v ...any) {
	l.write("fatal", format, v)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fatal = fmt.Errorf(format, v...)
}

func (l *serverLog) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}
