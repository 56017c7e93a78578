//go:build !amd64 || purego || noasm

package asm

func setPairs(t *PathTable) { t.pairs = nil }

func paths(k *PathKernel, first uint32, pnl []float64) (liquidated int) {
	return pathsGeneric(k, first, pnl)
}
