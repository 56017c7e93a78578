//go:build !amd64 || purego || noasm

package asm

func membersAVX2(dst *byte, keys *Key, x *float64, n int) (written, done int) {
	panic("BUG: no assembly")
}
