//go:build !amd64 || purego || noasm

package asm

// avx2 is false: this build has no assembly.
const avx2 = false
