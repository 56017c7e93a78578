//go:build !amd64 || purego || noasm

package asm

// bothWays runs a check without assembly, which this build does not have.
func bothWays(run func(name string)) { run("Go") }
