// Package auth knows who may ask: the form of API keys, the table in which a request's
// key is looked up, and limits on how often one key or one guessing address is heard.
//
// # Keys
//
// A key is "blst_" and 40 base62 characters, 34 of them random (202 bits) and 6 a
// checksum, so that a scanner of leaked secrets can tell one from chance. Only its
// SHA-256 is stored: with so many random bits a slow hash would add nothing.
//
// # Table
//
// A Store is what this process knows of the issued keys, in memory; package cluster keeps
// it in step with the durable bucket. A key is written twice at most, when it is issued
// and when it is revoked, and nothing takes a revocation back. So a Store only ever
// merges what it is told: records add up, revoked wins, and neither the order of messages
// nor a repeated or an old one can change the outcome.
//
// Looking a key up takes no lock, allocates nothing and takes the same time for a key
// that is unknown, wrong or revoked.
package auth
