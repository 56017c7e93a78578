// Package relay lets replicas behind one egress address share one connection to the
// venue, and with it the venue's limits for an address: request weight, connections,
// subscriptions, messages.
//
//	adapter ── HTTP and WebSocket in memory ── Local ──┐
//	adapter ── HTTP and WebSocket in memory ── Local ──┼── NATS ── Upstream ── the venue
//	adapter ── HTTP and WebSocket in memory ── Local ──┘          (the lease's holder)
//
// Local speaks the venue's protocol to the adapter of its own process, so that the
// adapter, its watchdogs and its clock are the same code in every replica, the holder's
// included. Upstream runs in every replica and works while the replica holds the lease.
//
// # Subjects
//
//	<subject>.down.<epoch>.beat             the holder lives; its lines and what each has proven
//	<subject>.down.<epoch>.data.<stream>    one message of the venue, as it came
//	<subject>.down.<epoch>.error            an error frame of the venue
//	<subject>.up.<epoch>.want               what a replica listens to (request, reply)
//	<subject>.up.<epoch>.ask                a question (request, reply in parts)
//	<subject>.up.<epoch>.ping               a replica would like to know that a line lives
//
// A line is one connection of the holder to the venue. Every message down carries a
// sequence number of its epoch, the holder's clock and, for data, its line. A Local takes
// in all of down through one subscription, because the order between data and beats is
// what its pongs stand on.
//
// # What is never made fresh
//
//   - Epochs: a Local follows the highest it has seen; questions go to that epoch's
//     subject, and whatever carries a lower one is dropped. A holder that was frozen and
//     wakes talks to nobody, and stops before its next word because its lease is gone.
//   - Loss: a gap in the sequence closes all virtual sockets, and the adapter starts from
//     fresh snapshots.
//   - Delay: the time on the bus is measured against the holder's clock (offset.go), and
//     the adapter dates a message back by it. When no beat is younger than
//     LocalConfig.BeatLimit, the virtual sockets are closed.
//   - Pongs: a ping of the adapter is answered when the holder has got a pong on every
//     line that feeds this virtual socket, for a ping of its own that it sent after the
//     adapter's, and everything that came before that pong has been handed on.
//   - Copies: an answer that is not of this very question says how old it is, and the
//     adapter dates it back. The venue's clock is never answered from a copy, and a copy
//     carries no Date.
//
// # Who spends what
//
// The holder keeps the address's request weight with the adapter's own meter. Each
// adapter keeps its own too, as if it were alone: that paces it and orders its questions.
// What the holder cannot grant in time it refuses to the one who asked, by a 429 that
// concerns that question only. Beats carry what has been spent, so that a successor does
// not spend the minute twice.
package relay
