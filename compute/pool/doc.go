// Package pool runs work of half a millisecond and more beside the requests, without
// getting into their way.
//
// A request that computes for milliseconds on its own goroutine holds one of the few
// processors that the scheduler gives to connections, and every plain request behind it
// waits. A worker here has a thread of its own: locked to it, pinned to one processor,
// and of low priority, so that the operating system lets a connection's thread go first.
// While they compute, the scheduler has as many processors more, so that connections keep theirs.
// Workers own their memory and take chunks of a job from an atomic counter themselves;
// whoever has a job only waits.
//
// Handing a job over costs a wake-up of a thread, some 15 us: work that takes less is
// done where it arises.
package pool
