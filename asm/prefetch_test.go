package asm

import (
	"slices"
	"testing"
)

// A prefetch changes no memory, and an address that is not mapped causes no fault.
func TestPrefetch(t *testing.T) {
	x := []float64{1, 2, 3}
	Prefetch(x, []int32{0, 2, 1 << 30, -1 << 31})
	Prefetch(x, nil)
	Prefetch([]float64(nil), []int32{1})
	PrefetchLines(&x[0], 1000)
	PrefetchLines(&x[0], 0)
	PrefetchLines[float64](nil, 3)
	if !slices.Equal(x, []float64{1, 2, 3}) {
		t.Error(x)
	}
}
