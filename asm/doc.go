// Package asm holds the kernels: loops that decide how long a simulation, or the writing of
// an answer, takes, in Go and, for amd64 with AVX2, in assembly.
//
// What a kernel promises. Its assembly returns the bits of its Go loop, for every
// length and alignment; each lane does the operations of one element, in the same
// order, with the same roundings (a product and a sum are two of them, never one fused
// operation, unless the Go loop says math.FMA). It allocates nothing, keeps no pointer,
// calls nothing, and returns after some tens of microseconds, because assembly is not
// preempted: longer work is cut into pieces, here or by the caller. Slices are checked in
// Go before assembly sees them; it checks nothing.
//
//	kernel                           the Go loop it equals  lanes                  error
//	Paths                            pathsGeneric           4 antithetic pairs     none
//	WeightedSum                       weightedSumGeneric      4 elements of the sum  none
//	CoarseSum                        coarseSumGeneric       16 elements            none
//	Above, Below, AboveRows,         aboveGeneric and so    4 elements             none
//	AboveSum, CountAbove, Extremes   on
//	NormalRows, Attempts             boxMullerBatch, Uniform       4 pairs of draws       none
//	Shape                            shapeGeneric           4 draws                none
//	Mix                              mixGeneric             4 pairs of draws       none
//	AppendFixedFields                          appendFixedFieldsGeneric         4 numbers              half a last decimal
//
// Whether assembly is used is decided once, when the program starts: the processor has
// AVX2, FMA, BMI and LZCNT, the operating system saves the registers, and neither build
// tag purego nor noasm is set. Kernels tells.
//
// The text of the assembly comes out of the programs in _avo, a module of their own
// (make gen). What a kernel leaves out or does in another order, and why the bits are
// the same, is said in its program.
package asm
