// Package api is the JSON of the HTTP interface: the strict reader of request bodies,
// the writer of assessments, and the one table of errors.
//
// Reading is stricter than most parsers: a request about money is either understood
// whole or refused. Writing is by hand because most of an answer is numbers: a
// fixed-point number costs a quarter of one with the fewest possible digits.
//
// Nothing here allocates on the path of an accepted request.
package api
