package asm

import (
	"slices"
	"testing"
)

func TestKernelsAreThoseInUse(t *testing.T) {
	bothWays(func(name string) {
		got := Kernels()
		if name == "Go" && got != nil {
			t.Errorf("without assembly: %v", got)
		}
		if name == "assembly" && (!slices.Contains(got, "Paths") || !slices.IsSorted(got)) {
			t.Errorf("with assembly: %v", got)
		}
	})
}
