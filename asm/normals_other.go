//go:build !amd64 || purego || noasm

package asm

func normalRowsAVX2(o *philoxPrefix, first uint32, rows *float64, stride, groups int) {
	panic("BUG: no assembly")
}

func attemptsAVX2(o *philoxPrefix, first uint32, x, u *float64, groups int) {
	panic("BUG: no assembly")
}
