// Package bench gathers what measures the whole service rather than a package of it.
//
//	load         the load generator, with cmd/ballast-load
//	yardstick    servers to compare with: the same bytes without the work
//	compare      starts all of them and measures in alternating rounds (make load)
//	plots        draws the results of compare
//	results      what it has written
//
// The package itself has one gate: a warm validation over a real socket allocates nothing,
// counted in the whole process.
package bench
