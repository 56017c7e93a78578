//go:build amd64 && !purego && !noasm

package asm

// bothWays runs a check with assembly, if this machine supports it, and without.
func bothWays(run func(name string)) {
	if avx2 {
		run("assembly")
	}
	was := avx2
	avx2 = false
	defer func() { avx2 = was }()
	run("Go")
}
