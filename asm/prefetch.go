package asm

import "unsafe"

// Prefetch starts loading the first cache line of x[i], for each i of at, into the processor's caches. It
// does not wait, so the loads overlap. It changes no result.
func Prefetch[T any](x []T, at []int32) {
	if len(x) > 0 && len(at) > 0 {
		prefetchAt((*byte)(unsafe.Pointer(&x[0])), int(unsafe.Sizeof(x[0])), &at[0], len(at))
	}
}

// PrefetchLines does the same with n cache lines from the start of *x on.
func PrefetchLines[T any](x *T, n int) {
	prefetchLines((*byte)(unsafe.Pointer(x)), n)
}
