// Package bench holds the benchmarks of the whole service.
//
//	load         the load generator, with cmd/ballast-load
//	yardstick    reference servers, which send the same bytes without computing them, and what compares with
//	             them (make load)
//	results      the diary of November 2026, and its pictures
//
// The package itself has one test: a warm validation over a real socket allocates nothing in the
// whole process.
package bench
