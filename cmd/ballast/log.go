package main

import (
	"bytes"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// logBytes is the size of the buffer for a slow reader of the log; lines beyond it are dropped and counted.
const logBytes = 1 << 20

// logBuffer decouples logging from the log's reader, so that no caller waits for the reader.
type logBuffer struct {
	to      io.Writer
	format  string
	mu      sync.Mutex
	waiting []byte
	closed  bool
	news    chan struct{} // signals new lines, or the end
	ended   chan struct{}
	dropped atomic.Uint64 // lines
}

// newLogBuffer returns a buffer for lines in a --log-format.
func newLogBuffer(to io.Writer, format string) *logBuffer {
	b := &logBuffer{to: to, format: format, news: make(chan struct{}, 1), ended: make(chan struct{})}
	go b.run()
	return b
}

// Write implements io.Writer for one line. It never waits and never fails.
func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	if b.closed || len(b.waiting)+len(line) > logBytes {
		b.dropped.Add(1)
	} else {
		b.waiting = append(b.waiting, line...)
	}
	b.mu.Unlock()
	b.wake()
	return len(line), nil
}

func (b *logBuffer) wake() {
	select {
	case b.news <- struct{}{}:
	default:
	}
}

func (b *logBuffer) run() {
	defer close(b.ended)
	var text []byte
	told := uint64(0)
	for range b.news {
		b.mu.Lock()
		text, b.waiting = b.waiting, text[:0]
		closed := b.closed
		dropped := b.dropped.Load()
		b.mu.Unlock()
		if n, err := b.to.Write(text); err != nil {
			b.dropped.Add(uint64(bytes.Count(text[n:], []byte("\n"))))
		} else if dropped > told && b.tell(dropped-told) {
			told = dropped
		}
		if closed {
			return
		}
	}
}

// tell writes past the buffer, which may be full, that lines were dropped. It reports whether it could.
func (b *logBuffer) tell(dropped uint64) bool {
	var line bytes.Buffer
	newLogger(b.format, &line).Warn("lines of the log were dropped: its reader was too slow", "lines", dropped)
	_, err := b.to.Write(line.Bytes())
	return err == nil
}

// close writes the remaining lines, for at most limit.
func (b *logBuffer) close(limit time.Duration) {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wake()
	select {
	case <-b.ended:
	case <-time.After(limit):
	}
}

// logLevel is the lowest level that is logged: --log-level.
var logLevel slog.LevelVar

func setLogLevel(level string) {
	var from slog.Level
	if err := from.UnmarshalText([]byte(level)); err != nil {
		panic("BUG: --log-level: " + err.Error()) // the flag accepts no other value
	}
	logLevel.Set(from)
}

// newLogger returns a logger that writes lines from logLevel up.
func newLogger(format string, to io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: &logLevel, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindDuration { // JSON would have a number without a unit
			return slog.String(a.Key, a.Value.Duration().String())
		}
		return a
	}}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}
