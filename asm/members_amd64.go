//go:build amd64 && !purego && !noasm

package asm

var _ = register("members")

//go:noescape
func membersAVX2(dst *byte, keys *Key, x *float64, n int) (written, done int)
