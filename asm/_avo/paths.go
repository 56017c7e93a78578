//go:build ignore

// Paths writes the assembly of the path kernel.
//
//	go run paths.go -out ../paths_amd64.s
package main

import "ballast/asm/_avo/pathkernel"

func main() { pathkernel.Write() }
