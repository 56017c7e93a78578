//go:build !amd64 || purego || noasm

package asm

func aboveAVX2(values, x *float64, n int, t float64) int { panic("BUG: no assembly") }

func belowAVX2(values, x *float64, n int, t float64) int { panic("BUG: no assembly") }

func aboveRowsAVX2(values *float64, rows *int32, x *float64, n int, t float64) int {
	panic("BUG: no assembly")
}

func aboveSumAVX2(values, x, y *float64, n int, scale, t float64) int { panic("BUG: no assembly") }

func countAboveAVX2(x *float64, n int, t float64) int { panic("BUG: no assembly") }

func extremesAVX2(x *float64, n int) (smallest, largest float64) { panic("BUG: no assembly") }

func nextAboveAVX2(x *float64, n int, t float64) float64 { panic("BUG: no assembly") }
