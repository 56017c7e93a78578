// Package replica keeps the caches of several processes alike over NATS, so that one of
// them alone talks to the venue: replicas share values, not sockets.
//
//	leader    feed ── cache ── publisher ──┐  memory stream, the last message a subject
//	                    │                  ├───────────────── ordered consumer ── cache  follower
//	                    └── service ───────┘  clock, wallet, history
//
// The leader is the holder of a lease. It runs an ordinary feed into its cache, a new one
// for each term, and publishes what changed there. A follower applies that to its own
// cache and parses nothing of the venue's.
//
// # What is sent
//
// Every message is the whole value of one datum (codec.go) with its stamps: when it was
// received, and the last proof that it was what the venue says. The publisher looks at
// the cache every Config.Every (10 ms), so that a datum that changes more often is sent
// once. A proof of a value that was sent before goes in a small message of its own, which
// names the number of that value. Four times a second a beat says that the leader lives,
// and repeats the newest proofs.
//
//	<name>.v.<kind>.<asset>    values, in the stream; one message is kept a subject
//	<name>.<epoch>.<endpoint>  questions to the leader of one term
//
// The stream is the late joiner's snapshot, and what a slow follower has not read is
// replaced by what is newer. Beats are acknowledged with the number that the stream gives
// them: when it is not the one expected, messages were lost, or the stream with the
// server's memory, and the leader publishes everything again.
//
// Histories (bars, paid funding, minute samples) come as their newest values; a follower
// that lacks more asks for all after its newest. Wallets are read by the leader, for all.
//
// # What is never made fresh
//
//   - Epochs: every term has a greater one than all before. A follower drops what carries a
//     lower epoch than it has heard, and a leader publishes only while it holds the lease.
//   - Clocks: stamps are the leader's monotonic clock. A follower bounds the offset to its
//     own by round trips (offset.go), takes the bound that makes everything older, and
//     applies nothing before it has one.
//   - Silence: without a beat younger than Config.Silence the venue counts as not
//     connected, and everything ages.
//   - A value that a new leader had from an earlier time than the one held is applied when
//     the leader proves it later.
package replica
