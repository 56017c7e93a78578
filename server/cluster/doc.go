// Package cluster is what replicas of the service share, over one engine: NATS.
//
// A Node is one replica's membership: its connection, and, when no cluster is named, the
// server itself, embedded, which listens on nothing. Everything above it speaks to the
// same client API, so that one machine and many run the same code.
//
// # What travels
//
//   - Bus: what monitor calls found, to every replica, each exactly once and in order; or
//     the replica is told that it may have missed something.
//   - Regimes: the liquidity regimes that a wallet's previous monitor call saw.
//   - Lease: which one replica feeds the others with market data.
//
// # What is promised
//
// A result whose Publish returned nil reaches every replica whose Bus is ready, or that
// Bus reports that it was cut. Nothing else is promised: a result whose Publish failed may
// reach the others or not.
//
// A NATS server acknowledges before its disk has, unless it runs with sync_interval
// "always". The embedded server does so; what an external cluster keeps through a power
// failure is its operator's choice.
package cluster
