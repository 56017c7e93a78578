package mc

import (
	"encoding/binary"

	"ballast/asm"
)

// Stream numbers separate the uses of one seed.
const (
	streamPaths   = 1 // blocks 0-5: steps 4b..4b+3 of a pair; block 6: the uniforms that decide its liquidations
	streamNormals = 2 // block b: the normals of assets 4b..4b+3 in a pair of draws
	streamMixing  = 3 // block a: attempt a at the mixing variable of a pair
)

// generator is one stream of a seed. Each block of four words is a function of key and counter:
//
//	key      seed[0:4], seed[4:8]
//	counter  block number, number of the pair, stream, seed[8:12]
//
// little-endian; the rest of the seed is not used.
type generator struct{ asm.Philox }

func (g *generator) seed(seed *[32]byte, stream uint32) {
	g.C2, g.C3 = stream, binary.LittleEndian.Uint32(seed[8:])
	g.Schedule(binary.LittleEndian.Uint32(seed[0:]), binary.LittleEndian.Uint32(seed[4:]))
}
