// Package auth authenticates requests: it defines the form of API keys, holds the table in which
// a request's key is looked up, and limits the rate of each key and of addresses with bad keys.
//
// # Keys
//
// A key is "blst_" and 40 base62 characters: 34 random ones (202 bits) and a checksum of 6, by which
// scanners for leaked secrets recognise keys. Only its SHA-256 is stored; with so many random bits a
// slow hash would add nothing.
//
// # Table
//
// A Store holds the issued keys in memory. Keys follow the database of the data directory, which commands
// change while the service runs; package replicas follows a bucket that replicas share. A key is written
// at most twice, when it is issued and when it is revoked, and a revocation is final. So a Store only
// merges records: a new record is added, a revoked record wins, and reordered, repeated or old messages
// do not change the outcome.
//
// A lookup takes no lock, allocates nothing, and takes the same time for unknown, wrong and revoked keys.
package auth
