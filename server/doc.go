// Package server is the HTTP service: it decides whether and how a request is answered,
// and does no arithmetic.
//
// # Order of checks
//
// Route, method, authorization, rate limit, content type, body size, JSON, fields, asset
// rules, admission. The first that fails is the answer.
//
// # Memory
//
// A request owns an exchange from its first line to its last, and from admission on a
// ticket, the Scratch that its assessment is computed in, and a body that the answer is
// written to. They come from bounded or pooled free lists, so that a warm request
// allocates nothing. fasthttp reuses its own buffers as soon as a handler returns: what
// is kept longer is copied.
//
// # Faults
//
// A panic in a handler is answered with 500, logged with its stack and counted; the
// exchange and Scratch that it left half-written are thrown away.
package server
