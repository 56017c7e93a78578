// Package alerts serves the alert socket: clients subscribe to wallets, and each monitor
// result of such a wallet is judged by every subscriber's own thresholds.
//
// A result enters through Hub.Deliver. It is judged and encoded once for each distinct set of
// thresholds, and the same bytes are queued for all sockets with that set. Deliver never waits
// for a socket: each socket has a bounded queue, and a socket whose queue is full is closed with
// code 1013, because a subscriber would take a missing alert for an all-clear.
//
// # What a socket costs
//
// An idle socket costs one goroutine blocked in a read and a buffer of 136 bytes: no goroutine
// for writing, no other buffers. Writers run only while packets are queued. The reader sends the pings and
// enforces the deadlines: its read deadline is when the next ping or deadline is due.
//
// The handshake uses the library fasthttp/websocket. The library's connection is not used after the
// handshake: it would keep the request context of fasthttp and three buffers of 4-8 KiB alive for every
// idle socket. So this package reads and writes the frames itself (frame.go). The fasthttp server that
// calls Hub.Upgrade must set KeepHijackedConns, so that the hub closes the connections.
//
// # Locks
//
// Locking order, outermost first: shard.mu (subscriptions), Hub.mu (open sockets),
// socket.mu (queue of a socket), writers.mu (sockets with a queue to write).
package alerts
