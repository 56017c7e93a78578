// Package alerts serves the alert socket: clients subscribe to wallets, and each monitor
// result of such a wallet is judged by every subscriber's own thresholds.
//
// A result enters through Hub.Deliver, is judged once for each distinct set of
// thresholds, encoded once, and the same bytes are queued for all sockets that asked for
// them. Deliver never waits for a socket: each has a bounded queue, and one that does not
// keep up is closed with 1013, because a stream with a hole in it would be a false
// all-clear.
//
// # What a socket costs
//
// An idle socket is one goroutine blocked in a read, with a buffer of 136 bytes, and
// nothing else: no goroutine for writing, no timer, no read or write buffers. Writers
// run only while something is queued; one goroutine of the hub does the pings and
// deadlines of all sockets.
//
// The handshake is the library's (fasthttp/websocket). Its connection is not used after
// that: it would keep alive the request context of fasthttp and three buffers of
// 4-8 KiB for every idle socket. So frames are read and written here (frame.go), and the
// fasthttp server that calls Hub.Upgrade must have KeepHijackedConns set, which leaves
// the closing of connections to the hub.
//
// # Locks
//
// From the outside in: shard.mu (who listens to what), registry.mu (which sockets are
// there), socket.mu (what is queued), writers.mu (who has something queued).
package alerts
