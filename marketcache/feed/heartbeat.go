package feed

import (
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Heartbeat finds connections that are half-open: they look open and nothing comes. Only silence
// tells. After pingIdle of silence a ping is due; pongTimeout later the connection is dead,
// together within 5 s. A pong says that the connection lives, and nothing of any datum. The
// reader of the connection and its writer share a Heartbeat.
type Heartbeat struct {
	lastFrame atomic.Int64        // Instant
	pinged    atomic.Int64        // Instant of the ping without a pong yet, 0: none
	lastPing  marketcache.Instant // the writer's
}

const (
	pingIdle    = 1500 * time.Millisecond
	pingEvery   = 15 * time.Second // at least: venues close connections that say nothing
	pongTimeout = 2500 * time.Millisecond
)

// Start begins a connection. It is not safe for concurrent use with the other methods.
func (h *Heartbeat) Start(now marketcache.Instant) {
	h.lastFrame.Store(int64(now))
	h.pinged.Store(0)
	h.lastPing = now
}

// Frame records that a frame of any kind arrived.
func (h *Heartbeat) Frame(at marketcache.Instant) { h.lastFrame.Store(int64(at)) }

// Pong records that a pong arrived.
func (h *Heartbeat) Pong() { h.pinged.Store(0) }

// Ping records that a ping is about to be sent.
func (h *Heartbeat) Ping(now marketcache.Instant) {
	h.lastPing = now
	h.pinged.Store(int64(now))
}

// Check reports whether the connection is dead, and else whether a ping is due.
func (h *Heartbeat) Check(now marketcache.Instant) (due, dead bool) {
	silence := now.Sub(marketcache.Instant(h.lastFrame.Load()))
	if ping := marketcache.Instant(h.pinged.Load()); ping != 0 {
		waited := now.Sub(ping)
		if min(waited, silence) >= pongTimeout { // a frame may have come after the ping
			return false, true
		}
		if waited < pingEvery {
			return false, false
		} // frames come but pongs do not: ask again
	}
	return now.Sub(h.lastPing) >= pingEvery || min(silence, now.Sub(h.lastPing)) >= pingIdle, false
}
