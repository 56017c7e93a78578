//go:build !amd64 || purego || noasm

package asm

func movesAVX2(z *float64, n int, scale, most float64) { panic("BUG: no assembly") }
