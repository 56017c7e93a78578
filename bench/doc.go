// Package bench holds the benchmarks of the whole service.
//
//	load         the load generator, with cmd/ballast-load
//	yardstick    reference servers: they send the same bytes without computing them
//	compare      starts all of them and measures in alternating rounds (make load)
//	results      result files of compare
//
// The package itself has one test: a warm validation over a real socket allocates nothing in the
// whole process.
package bench
