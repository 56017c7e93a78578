// Package asm holds the kernels: the loops that dominate the time of a simulation or of a
// replay. Each kernel exists in Go and, for amd64 with AVX2, in assembly.
//
// Contract of a kernel. The assembly returns the same bits as the Go loop, for every length and
// alignment. Each lane does the operations of one element, in the same order, with the same
// roundings: a product and a sum round separately and are never fused, unless the Go loop says
// math.FMA. A kernel allocates nothing, keeps no pointer and calls no function. It returns after
// some tens of microseconds, because assembly cannot be preempted; longer work is split, here or
// by the caller. The Go wrapper checks the slices; the assembly checks nothing.
//
//	kernel                           equal Go loop                        lanes               error
//	Paths                            pathsGeneric                         4 antithetic pairs  none
//	WeightedSum, WeightedSum32       weightedSumGeneric, ...              4 elements          none
//	PathLoss                         pathLossGeneric                      4 paths             none
//	Above, Below, AboveRows,         aboveGeneric, ...                    4 elements          none
//	AboveSum, CountAbove, Extremes,
//	NextAbove
//	NormalRows, Attempts             normalRowsGeneric, attemptsGeneric   4 pairs of draws    none
//	Shape                            shapeGeneric                         4 draws             none
//	Moves                            movesGeneric                         4 moves             none
//	Mix                              mixGeneric                           4 pairs of draws    none
//
// Assembly is used if the processor has AVX2, FMA, BMI and LZCNT, the operating system saves the
// AVX registers, and neither build tag purego nor noasm is set. This is decided once, at program
// start; Kernels lists the kernels that use assembly.
//
// The programs in _avo, a separate module, generate the assembly (make gen). Where a kernel
// omits or reorders operations, its program explains why the bits are the same.
package asm
