package journal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/klauspost/compress/s2"
)

// packVersion is the first byte of a block's data. After it stand the CRC-32C of the lines, and the lines compressed.
const packVersion = 1

const packHead = 1 + crc32.Size

// errDamaged: a block is not as it was written.
var errDamaged = errors.New("a block of decisions is damaged")

// packer packs lines; its memory is used again.
type packer struct{ buffer []byte }

// pack returns lines as a block keeps them.
func (p *packer) pack(lines []byte) []byte {
	if n := s2.MaxEncodedLen(len(lines)); len(p.buffer) < n {
		p.buffer = make([]byte, n+n/4)
	}
	packed := s2.Encode(p.buffer, lines)
	data := make([]byte, packHead, packHead+len(packed))
	data[0] = packVersion
	binary.LittleEndian.PutUint32(data[1:], crc32.Checksum(lines, castagnoli))
	return append(data, packed...)
}

// unpack returns the lines of a block's data.
func unpack(data []byte) ([]byte, error) {
	if len(data) < packHead || data[0] != packVersion {
		return nil, errDamaged
	}
	if n, err := s2.DecodedLen(data[packHead:]); err != nil || n > maxLines {
		return nil, errDamaged
	}
	lines, err := s2.Decode(nil, data[packHead:])
	if err != nil || crc32.Checksum(lines, castagnoli) != binary.LittleEndian.Uint32(data[1:]) {
		return nil, errDamaged
	}
	return lines, nil
}

// maxLines bounds the lines of a block: requests of batches may have half a megabyte.
const maxLines = blockCount << 20
