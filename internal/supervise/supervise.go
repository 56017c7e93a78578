// Package supervise restarts goroutines after panics, and logs repeated messages at a bounded rate.
package supervise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Supervisor recovers and counts panics and logs at a bounded rate. Safe for concurrent use.
type Supervisor struct {
	Log    *slog.Logger
	panics atomic.Uint64

	mu       sync.Mutex
	messages map[string]*message // by key
}

// message is the state of one key's messages.
type message struct {
	next       time.Time // when the next one may be logged
	suppressed int       // since the last that was logged
}

const (
	restartPauseMin = 100 * time.Millisecond // before a goroutine that panicked is started again
	restartPauseMax = 10 * time.Second
	warnEvery       = 10 * time.Second
)

// New returns a supervisor that writes to log.
func New(log *slog.Logger) *Supervisor {
	return &Supervisor{Log: log, messages: map[string]*message{}}
}

// Run runs fn until it returns or ctx ends, and starts it again after a panic.
func (s *Supervisor) Run(ctx context.Context, name string, fn func(context.Context)) {
	for pause := restartPauseMin; ctx.Err() == nil; pause = min(2*pause, restartPauseMax) {
		if s.Guard(name, func() error { fn(ctx); return nil }) == nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// ErrPanic marks the errors that Guard makes of panics.
var ErrPanic = errors.New("panic")

// Guard runs fn. It turns a panic into an error, which it counts and logs with its stack.
func (s *Supervisor) Guard(name string, fn func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			s.Panicked(r, "in", name)
			err = fmt.Errorf("%w in %s: %v", ErrPanic, name, r)
		}
	}()
	return fn()
}

// Recover recovers a goroutine's panic. It must be deferred directly.
func (s *Supervisor) Recover(name string) {
	if r := recover(); r != nil {
		s.Panicked(r, "in", name)
	}
}

// Panicked counts and logs a panic, with the stack of the goroutine that recovers it.
func (s *Supervisor) Panicked(r any, where ...any) {
	s.panics.Add(1)
	s.Log.Error("panic", append(where, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))...)
}

// Panics returns the number of panics recovered.
func (s *Supervisor) Panics() uint64 { return s.panics.Load() }

// Warn logs each text at most once in 10 s, with the number of warnings suppressed in between.
// Texts must be literals: the supervisor remembers each.
func (s *Supervisor) Warn(text string, args ...any) { s.WarnEvery(text, warnEvery, text, args...) }

// WarnEvery is Warn with an interval, and a key in place of the text to tell warnings apart.
func (s *Supervisor) WarnEvery(key string, interval time.Duration, text string, args ...any) {
	if suppressed, ok := s.Allow(key, interval); ok {
		s.Log.Warn(text, append(args, "more", suppressed)...)
	}
}

// Allow reports whether a message with a key may be logged, once per interval, and how many were
// suppressed since the last. It allocates nothing for a known key.
func (s *Supervisor) Allow(key string, interval time.Duration) (suppressed int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[key]
	if m == nil {
		m = &message{}
		s.messages[key] = m
	}
	now := time.Now()
	if now.Before(m.next) {
		m.suppressed++
		return 0, false
	}
	suppressed = m.suppressed
	m.next, m.suppressed = now.Add(interval), 0
	return suppressed, true
}
