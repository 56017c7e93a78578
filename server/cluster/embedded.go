package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"ballast/internal/filelock"
)

// Limits of the embedded server, far above its needs (some hundred bytes per key or wallet), in case of
// a bug or a flood.
const (
	embeddedMemory = 32 << 20 // bytes of memory, for consumers
	embeddedStore  = 1 << 30  // bytes of streams on disk
	embeddedStart  = 30 * time.Second
	reopenEvery    = 2 * time.Second
)

// ErrInUse: another process has the embedded server's directory open.
var ErrInUse = errors.New("in use by another process")

// embedded is a NATS server in this process. Its store can be reopened when the disk has recovered. A
// nil embedded means that an external cluster is used.
type embedded struct {
	server *server.Server
	dir    string
	log    *slog.Logger

	// Used only by the goroutine that calls checkStore.
	lock     *os.File  // lock on dir; nil: not held yet
	lastOpen time.Time // last attempt to open the store
	failing  bool      // the last attempt failed, which has been logged

	trouble atomic.Pointer[string]
	tried   chan struct{} // closed after the first attempt to open the store
}

// embed starts a server in this process and connects to it.
func (n *Node) embed(dataDir string) (err error) {
	if dataDir == "" {
		return errors.New("cluster: an embedded server needs a data directory")
	}
	n.replicas = 1
	if n.srv, err = startEmbedded(dataDir, n.log); err == nil {
		n.nc, err = nats.Connect("", append(n.options(), nats.InProcessServer(n.srv.server))...)
	}
	if err != nil {
		n.srv.stop()
		return fmt.Errorf("cluster: embedded server: %w", err)
	}
	n.lost.Store(nil)
	return nil
}

// startEmbedded starts a server for dataDir/nats. checkStore opens its store later. Two servers would destroy
// the store, so dataDir/nats is locked first. The program's lock of dataDir is not enough: on a read-only disk
// without a lock file the program locks the directory instead, and once the disk takes writes again another
// process could create the lock file and lock that.
func startEmbedded(dataDir string, log *slog.Logger) (*embedded, error) {
	e := &embedded{dir: filepath.Join(dataDir, "nats"), log: log, tried: make(chan struct{})}
	if err := e.claim(); errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("%s: %w", e.dir, ErrInUse)
	}
	options := &server.Options{ServerName: "ballast", DontListen: true, NoSigs: true}
	var err error
	if e.server, err = server.NewServer(options); err != nil {
		return nil, err
	}
	e.server.SetLoggerV2(&serverLog{log: log}, log.Enabled(context.Background(), slog.LevelDebug), false, false)
	e.server.Start()
	// Set after Start, which would otherwise open a store. Healthz checks streams only with this option.
	options.JetStream = true
	e.trouble.Store(new("not open yet"))
	return e, nil
}

// claim creates and locks the directory, unless that is done already.
func (e *embedded) claim() error {
	if e.lock != nil {
		return nil
	}
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(e.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := filelock.Take(f, 0); err != nil {
		f.Close()
		return err
	}
	e.lock = f
	return nil
}

// stop stops the server, waits until its files are closed, and unlocks the directory.
func (e *embedded) stop() {
	if e == nil {
		return
	}
	e.server.Shutdown()
	e.server.WaitForShutdown()
	e.lock.Close() // may be nil
}

// checkStore opens the store at the start, and again after a write has failed, mostly for lack of space. After
// a failed write the server refuses all writes to that stream, or disables the store, until it is reopened.
func (e *embedded) checkStore() {
	trouble := e.storeError()
	if trouble != "" {
		if time.Since(e.lastOpen) < reopenEvery {
			return
		}
		if *e.trouble.Load() == "" {
			e.trouble.Store(new(trouble))
		}
		e.lastOpen = time.Now()
		if err := e.open(); err != nil {
			trouble = err.Error()
		} else {
			trouble = e.storeError()
		}
	}
	e.trouble.Store(&trouble)
	switch {
	case trouble != "" && !e.failing:
		e.log.Error("the embedded server's store cannot be written: is the disk full or read-only? Keys that are known are judged; none can be issued",
			"directory", e.dir, "error", trouble)
	case trouble == "" && e.failing:
		e.log.Info("the embedded server's store works again", "directory", e.dir)
	}
	e.failing = trouble != ""
}

// open opens the store, restarting it if it runs.
func (e *embedded) open() error {
	if err := e.claim(); err != nil {
		return err
	}
	if err := writable(e.dir); err != nil {
		return err
	}
	if e.server.JetStreamEnabled() {
		if err := e.server.ShutdownJetStream(); err != nil {
			return err
		}
	}
	// The streams' index files are removed, so that the server reads all messages and verifies their
	// checksums now. It drops damaged messages; lost keys are restored from the audit file.
	indexes, err := filepath.Glob(filepath.Join(e.dir, "jetstream", "*", "streams", "*", "msgs", "index.db"))
	for _, index := range indexes {
		err = errors.Join(err, os.Remove(index))
	}
	if err != nil {
		return err
	}
	err = e.server.EnableJetStream(&server.JetStreamConfig{
		StoreDir: e.dir, MaxMemory: embeddedMemory, MaxStore: embeddedStore, SyncAlways: true, Strict: true,
	})
	if err != nil {
		e.server.ShutdownJetStream() // it may be half started
	}
	return err
}

// storeError returns why the server cannot write, "" if it can.
func (e *embedded) storeError() string {
	if !e.server.JetStreamEnabled() {
		return "switched off"
	}
	// Other errors are temporary, such as one about a stream being created.
	if text := e.server.Healthz(nil).Error; strings.Contains(text, "write error") {
		return text
	}
	return ""
}

// writable reports whether a megabyte can be written under dir.
func writable(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "room"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 1<<20))
	return errors.Join(err, f.Sync(), f.Close())
}

// serverLog passes the server's log to slog. The server reports damaged files as warnings and errors;
// everything else is logged at debug level.
type serverLog struct{ log *slog.Logger }

func (l *serverLog) write(level slog.Level, format string, v []any) {
	l.log.Log(context.Background(), level, "nats-server: "+strings.TrimSpace(fmt.Sprintf(format, v...)))
}

func (l *serverLog) Noticef(format string, v ...any) { l.write(slog.LevelDebug, format, v) }
func (l *serverLog) Warnf(format string, v ...any)   { l.write(slog.LevelWarn, format, v) }
func (l *serverLog) Errorf(format string, v ...any)  { l.write(slog.LevelWarn, format, v) }
func (l *serverLog) Fatalf(format string, v ...any)  { l.write(slog.LevelError, format, v) }
func (l *serverLog) Debugf(format string, v ...any)  { l.write(slog.LevelDebug, format, v) }
func (l *serverLog) Tracef(format string, v ...any)  { l.write(slog.LevelDebug, format, v) }
