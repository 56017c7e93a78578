// Package auth knows who may ask: the API keys, their durable store, and limits on how
// often one key or one guessing address is heard.
//
// # Keys
//
// A key is "blst_" and 40 base62 characters, 34 of them random (202 bits) and 6 a
// checksum, so that a scanner of leaked secrets can tell one from chance. Only its
// SHA-256 is stored: with so many random bits a slow hash would add nothing.
//
// # Store
//
// One JSON file, replaced atomically under an advisory lock, is the whole store. Any
// number of processes may write it; a running service sees a change within a quarter of
// a second and swaps its table, an immutable value behind one pointer. A file that cannot
// be read whole is refused loudly and the last good table stays in force.
//
// Looking a key up takes no lock, allocates nothing and takes the same time for a key
// that is unknown, wrong or revoked.
package auth
