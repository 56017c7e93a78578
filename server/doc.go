// Package server is the HTTP service. It decides whether and how a request is answered; the arithmetic
// is in package risk.
//
// # Order of checks
//
// Header lines, HTTP version, route, method, authorization, rate limit, content type, body size, JSON,
// fields, asset rules, admission. The first check that fails determines the answer.
//
// # Memory
//
// Each request has an exchange and, from admission on, a ticket, a Scratch for its assessment, and a body
// for its answer. They come from bounded or pooled free lists, so that a warm request allocates nothing.
// fasthttp reuses its buffers as soon as a handler returns; what is kept longer is copied.
//
// # Panics
//
// A panic in a handler is answered with 500, logged with its stack and counted. The exchange and Scratch
// that it may have left half-written are discarded.
package server
