// Package api is the JSON of the HTTP interface: a strict parser of request bodies, the writers of
// answers, and the table of errors.
//
// Parsing is stricter than usual: a request about money is understood completely or refused. Writing is
// hand-made because most of an answer is numbers, and writing a number in fixed point takes a quarter of
// the time of writing its shortest decimal.
//
// Reading an accepted request and writing its full answer allocate nothing.
package api
