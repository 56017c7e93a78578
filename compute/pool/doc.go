// Package pool runs computations of 0.5 ms or more on separate threads, so that they do not delay requests.
//
// A request that computes for milliseconds in its own goroutine occupies one of the few processors (Ps)
// that the Go scheduler has for connections, and all requests behind it wait. A worker of this package
// has its own thread, locked to it, pinned to one CPU, and of low priority, so that the operating system
// runs a connection's thread first. The scheduler gets one additional P for each computing worker, so
// that connections keep theirs. Workers own their memory and take the chunks of a job from an atomic
// counter; the caller only waits.
//
// Passing a job to a worker costs a thread wake-up, about 15 us: shorter computations should run in place.
package pool
