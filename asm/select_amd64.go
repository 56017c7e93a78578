//go:build amd64 && !purego && !noasm

package asm

var _ = register("select")

// In all kernels below, n is a multiple of 4, except in nextAboveAVX2.

//go:noescape
func aboveAVX2(values, x *float64, n int, t float64) int

//go:noescape
func belowAVX2(values, x *float64, n int, t float64) int

//go:noescape
func aboveRowsAVX2(values *float64, rows *int32, x *float64, n int, t float64) int

//go:noescape
func aboveSumAVX2(values, x, y *float64, n int, scale, t float64) int

//go:noescape
func countAboveAVX2(x *float64, n int, t float64) int

//go:noescape
func extremesAVX2(x *float64, n int) (smallest, largest float64)

// n is at least 16.
//
//go:noescape
func nextAboveAVX2(x *float64, n int, t float64) float64
