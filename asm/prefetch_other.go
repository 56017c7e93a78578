//go:build !amd64 || purego || noasm

package asm

func prefetchAt(x *byte, size int, at *int32, n int) {}

func prefetchLines(x *byte, n int) {}
