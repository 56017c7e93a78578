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

	"ballast/internal/filelock"
)

// Limits of the embedded server. They bound what a bug or a flood can take, and lie far
// above need: the buckets hold some hundred bytes a key or wallet.
const (
	embeddedMemory = 32 << 20 // bytes of memory: consumers
	embeddedStore  = 1 << 30  // bytes of file streams
	embeddedStart  = 30 * time.Second
	reviveEvery    = 2 * time.Second
)

// ErrInUse says that another process has the embedded server's directory open.
var ErrInUse = errors.New("in use by another process")

// embedded is a NATS server inside this process, whose store may come and go with the disk
// that it is on. A nil one is none.
type embedded struct {
	server *server.Server
	dir    string
	log    *slog.Logger
	once   sync.Once

	// Used by the goroutine that calls revive.
	lock    *os.File  // of dir; nil: not taken yet
	revived time.Time // last attempt to open the store

	sick  atomic.Pointer[string]
	tried chan struct{} // closed after the first attempt to open the store
}

// startEmbedded starts a server for dataDir/nats. Its store is opened by revive. The directory
// is locked first: two servers over one store would destroy it.
func startEmbedded(dataDir string, log *slog.Logger) (*embedded, error) {
	e := &embedded{dir: filepath.Join(dataDir, "nats"), log: log, tried: make(chan struct{})}
	if err := e.claim(); errors.Is(err, ErrInUse) {
		return nil, fmt.Errorf("cluster: embedded server: %s: %w", e.dir, err)
	}
	options := &server.Options{ServerName: "ballast", DontListen: true, NoSigs: true}
	var err error
	if e.server, err = server.NewServer(options); err != nil {
		return nil, fmt.Errorf("cluster: embedded server: %w", err)
	}
	e.server.SetLoggerV2(&serverLog{log: log}, log.Enabled(context.Background(), slog.LevelDebug), false, false)
	e.server.Start()
	// Start would not go on without a store, and Healthz looks at no stream without this.
	options.JetStream = true
	opening := storeOpening
	e.sick.Store(&opening)
	return e, nil
}

// claim makes the directory and takes its lock, unless that is done.
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
		if errors.Is(err, filelock.ErrHeld) {
			err = ErrInUse
		}
		return err
	}
	e.lock = f
	return nil
}

// stop ends the server, waits until its files are closed, and lets go of the directory.
func (e *embedded) stop() {
	if e == nil {
		return
	}
	e.once.Do(func() {
		e.server.Shutdown()
		e.server.WaitForShutdown()
		if e.lock != nil {
			e.lock.Close()
		}
	})
}

// revive opens the store, at first and after a write has failed, mostly for want of space: the
// server then refuses all writes of that stream, or switches the store off, until it is
// started anew.
func (e *embedded) revive() {
	before, sick := *e.sick.Load(), e.sickness()
	if sick != "" && time.Since(e.revived) < reviveEvery {
		return
	}
	if sick != "" {
		if before == "" {
			e.sick.Store(&sick)
		}
		e.revived = time.Now()
		if err := e.open(); err != nil {
			sick = err.Error()
		} else {
			sick = e.sickness()
		}
	}
	e.sick.Store(&sick)
	switch {
	case sick != "" && (before == "" || before == storeOpening):
		e.log.Error("the embedded server's store cannot be written: is the disk full or read-only? Keys that are known are judged; none can be issued",
			"directory", e.dir, "error", sick)
	case sick == "" && before != "" && before != storeOpening:
		e.log.Info("the embedded server's store works again", "directory", e.dir)
	}
}

// storeOpening is the sickness before the first attempt.
const storeOpening = "not open yet"

// open starts the store, anew if it runs.
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
	// Without its index of a stream the server reads all messages and compares their checksums;
	// it would stumble over a damaged one later. What it drops comes back from the audit file.
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
		e.server.ShutdownJetStream() // it may be half on
	}
	return err
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

// serverLog hands the server's log to slog. What the server finds wrong with its files it says
// in warnings and errors; the rest is at debug level.
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
