//go:build !amd64 || purego || noasm

package asm

// bothWays runs a check the only way that this build has.
func bothWays(run func(name string)) { run("Go") }
