// Package replica keeps the caches of several processes equal over NATS, so that only one of them talks
// to the venue. Replicas share values, not sockets.
//
//	leader    feed ── cache ── publisher ──┐  memory stream, the last message a subject
//	                    │                  ├───────────────── ordered consumer ── cache  follower
//	                    └── service ───────┘  clock, wallet, history
//
// The leader holds a lease. It runs an ordinary feed into its cache, a new feed for each term, and
// publishes the changes. A follower applies them to its own cache and parses no venue messages.
//
// # Messages
//
// A message holds the complete value of one datum (codec.go), and the times at which the leader received
// the value and last confirmed it. The publisher reads the cache every 10 ms, so a datum that changes
// more often is sent once. A confirmation of a value already sent is a small message with that value's
// number. Four times a second a heartbeat says that the leader is alive and repeats the newest
// confirmations.
//
//	<name>.v.<topic>.<asset>    values, in the stream; one message is kept per subject
//	<name>.<epoch>.<endpoint>  requests to the leader of one term
//
// The stream is also the snapshot for late joiners; what a slow follower has not read is replaced by
// newer values. NATS acknowledges heartbeats with their sequence number in the stream. A number that the
// leader did not expect means that messages were lost, or the whole stream, which is in memory only. The
// leader then publishes everything again.
//
// Of histories (bars, paid funding, minute samples) the newest value is sent. A follower that lacks it
// requests all values after its own newest, or all if they differ. Wallets are read by the leader for all replicas.
//
// # Why data never look fresher than they are
//
//   - Epochs: every term has a higher epoch than all terms before. A follower drops messages of a
//     lower epoch, and a leader publishes only while it holds the lease. The lease alone tells which
//     term is the newest: messages of a higher epoch than its are ignored until the lease has it.
//   - Clocks: times are of the leader's monotonic clock. A follower bounds the offset between the
//     clocks by round trips (offset.go), uses the bound that makes data older, and applies nothing
//     before it has one.
//   - Silence: without a heartbeat for 3 seconds the venue counts as disconnected, and all
//     data age.
//   - Takeover: a new leader's value that is older than the held one is applied only after the new
//     leader has confirmed it.
package replica
