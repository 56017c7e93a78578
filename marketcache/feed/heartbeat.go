package feed

import (
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Heartbeat detects half-open connections: they look open, but nothing arrives. After pingIdle
// of silence a ping is due; pongTimeout later the connection counts as dead, within 5 s in all. A
// pong proves that the connection lives; it says nothing about the age of any data. A new connection is
// pinged at once, unless a frame has come. The connection's reader and writer share a Heartbeat.
type Heartbeat struct {
	heard     atomic.Bool         // a frame has arrived
	lastFrame atomic.Int64        // Instant
	pinged    atomic.Int64        // Instant of the unanswered ping, 0: none
	lastPing  marketcache.Instant // used by the writer only
}

const (
	pingIdle    = 1500 * time.Millisecond
	pingEvery   = 15 * time.Second // at the latest: venues close idle connections
	pongTimeout = 2500 * time.Millisecond
)

// Start resets the state for a new connection. It is not safe for concurrent use with the other methods.
func (h *Heartbeat) Start(now marketcache.Instant) {
	h.heard.Store(false)
	h.lastFrame.Store(int64(now))
	h.pinged.Store(0)
	h.lastPing = now
}

// Frame records that a frame of any kind arrived.
func (h *Heartbeat) Frame(at marketcache.Instant) {
	h.lastFrame.Store(int64(at))
	h.heard.Store(true)
}

// Heard reports whether a frame has arrived on the connection.
func (h *Heartbeat) Heard() bool { return h.heard.Load() }

// Pong records that a pong arrived.
func (h *Heartbeat) Pong() { h.pinged.Store(0) }

// Ping records that a ping is about to be sent.
func (h *Heartbeat) Ping(now marketcache.Instant) {
	h.lastPing = now
	h.pinged.Store(int64(now))
}

// Check reports whether the connection is dead, or whether a ping is due.
func (h *Heartbeat) Check(now marketcache.Instant) (due, dead bool) {
	silence := now.Sub(marketcache.Instant(h.lastFrame.Load()))
	if ping := marketcache.Instant(h.pinged.Load()); ping != 0 {
		waited := now.Sub(ping)
		if min(waited, silence) >= pongTimeout { // no frame since the ping either
			return false, true
		}
		if waited < pingEvery {
			return false, false
		} // frames arrive but no pong: ping again
	} else if !h.Heard() {
		return true, false
	}
	return now.Sub(h.lastPing) >= pingEvery || min(silence, now.Sub(h.lastPing)) >= pingIdle, false
}
