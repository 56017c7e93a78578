package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Supervisor keeps the goroutines of a feed running through panics, and logs warnings at a
// bounded rate. Safe for concurrent use.
type Supervisor struct {
	log    *slog.Logger
	panics atomic.Int64

	mu       sync.Mutex
	warnings map[string]*warning // by key
}

// warning is what the Supervisor knows of one key's warnings.
type warning struct {
	next       marketcache.Instant // the next one may be logged from then on
	suppressed int                 // since the last that was logged
}

const (
	restartPauseMax = 10 * time.Second // before a goroutine that panicked is started again
	warnEvery       = 10 * time.Second
)

// NewSupervisor returns a supervisor that writes to log.
func NewSupervisor(log *slog.Logger) *Supervisor {
	return &Supervisor{log: log, warnings: map[string]*warning{}}
}

// Run runs fn until it returns or ctx ends, and starts it again after a panic.
func (s *Supervisor) Run(ctx context.Context, name string, fn func(context.Context)) {
	pause := 100 * time.Millisecond
	for ctx.Err() == nil {
		if s.Guard(name, func() error { fn(ctx); return nil }) == nil || Sleep(ctx, pause) != nil {
			return
		}
		pause = min(2*pause, restartPauseMax)
	}
}

// ErrPanic marks the errors that Guard makes of panics.
var ErrPanic = errors.New("panic")

// Guard runs fn. It turns a panic into an error, which it counts and logs with its stack.
func (s *Supervisor) Guard(name string, fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.panics.Add(1)
			s.log.Error("venue feed panic", "in", name, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("%w in %s: %v", ErrPanic, name, r)
		}
	}()
	return fn()
}

// Panics returns the number of panics recovered.
func (s *Supervisor) Panics() int64 { return s.panics.Load() }

// Warn logs each text at most once in 10 s, with the number of warnings suppressed in between.
// Texts must be literals: the supervisor remembers each.
func (s *Supervisor) Warn(text string, args ...any) { s.WarnEvery(text, warnEvery, text, args...) }

// WarnEvery is Warn with an interval, and a key in place of the text to tell warnings apart.
func (s *Supervisor) WarnEvery(key string, interval time.Duration, text string, args ...any) {
	s.mu.Lock()
	w := s.warnings[key]
	if w == nil {
		w = &warning{}
		s.warnings[key] = w
	}
	now := marketcache.Now()
	suppressed, due := w.suppressed, now >= w.next
	if due {
		w.next, w.suppressed = now.Add(interval), 0
	} else {
		w.suppressed++
	}
	s.mu.Unlock()
	if due {
		s.log.Warn(text, append(args, "more", suppressed)...)
	}
}
