//go:build amd64 && !purego && !noasm

package asm

//go:noescape
func prefetchAt(x *byte, size int, at *int32, n int)

//go:noescape
func prefetchLines(x *byte, n int)
