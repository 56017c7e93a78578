// Package replicas shares state between the replicas of the service through NATS.
//
// A Node is one replica's membership: its connection. A service that shares nothing does not use this package.
//
// # Guarantees
//
// A result whose Publish returned nil reaches every replica whose Bus is ready, or that Bus reports that
// it was cut. A result whose Publish failed may or may not reach the others.
//
// By default a NATS server acknowledges before data are on disk, unless it runs with sync_interval
// "always": the durability of a cluster is its operator's choice.
package replicas
