package alerts

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/fasthttp/websocket"
)

// Frames of RFC 6455. Every frame of the server is a whole message, unmasked.

const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xA

	finBit   = 0x80
	rsvBits  = 0x70
	opBits   = 0x0f
	maskBit  = 0x80
	sizeBits = 0x7f

	maxControl = 125 // bytes of a control frame's payload
	// maxMessage bounds the bytes and the number of frames of a client's message: a frame without
	// payload costs time as well.
	maxMessage = 4 << 10
	// smallRead is the size of an idle socket's read buffer, which fits the longest control frame.
	smallRead = 2 + 4 + maxControl + 5
)

// appendFrame appends an unmasked frame that is a whole message.
func appendFrame(dst []byte, op byte, payload []byte) []byte {
	dst = append(dst, finBit|op)
	switch n := len(payload); {
	case n <= maxControl:
		dst = append(dst, byte(n))
	case n < 1<<16:
		dst = binary.BigEndian.AppendUint16(append(dst, 126), uint16(n))
	default:
		dst = binary.BigEndian.AppendUint64(append(dst, 127), uint64(n))
	}
	return append(dst, payload...)
}

// closeFrame returns a close frame with a code and a reason.
func closeFrame(code int, reason string) []byte {
	return appendFrame(nil, opClose, websocket.FormatCloseMessage(code, reason[:min(len(reason), maxControl-2)]))
}

// broken returns a client's protocol violation, with the code and the reason of the server's close frame.
func broken(reason string) error {
	return &websocket.CloseError{Code: websocket.CloseProtocolError, Text: reason}
}

var errNotMinimal = broken("length in more bytes than it needs")

// frameReader reads a client's frames. An incomplete message has a buffer from a pool. A frameReader
// that waits for a new message holds no memory besides itself.
type frameReader struct {
	// hijacked reads the bytes that fasthttp may have read ahead. It is nil when they are consumed;
	// reads then go to conn.
	hijacked io.Reader
	conn     io.Reader
	// expired is called when the read deadline has passed. It sets the next deadline, or returns why
	// reading ends.
	expired func() error

	small      [smallRead]byte
	from, upto uint8 // unread bytes in small

	message    []byte // payload of the current data message, nil without a message
	op         byte   // opcode of the message
	unfinished bool   // the message has more frames
	frames     int
}

var messagePool = sync.Pool{New: func() any { return new([maxMessage]byte) }}

// next returns the next message or control frame. The payload is valid until the following
// call. A *websocket.CloseError means that the client broke the protocol, so that its further bytes cannot
// be parsed; any other error means the end of the connection.
func (f *frameReader) next() (op byte, payload []byte, err error) {
	if !f.unfinished {
		f.release()
	}
	for {
		head, err := f.need(2)
		if err != nil {
			return 0, nil, err
		}
		op, fin, short := head[0]&opBits, head[0]&finBit != 0, int(head[1]&sizeBits)
		if err := f.check(head[0], head[1]); err != nil {
			return 0, nil, err
		}
		size, mask, err := f.header(short)
		if err != nil {
			return 0, nil, err
		}
		if op >= opClose {
			payload, err := f.control(op, int(size), mask)
			return op, payload, err
		}
		if op != opContinuation {
			f.op, f.frames = op, 0
		}
		if size > uint64(maxMessage-len(f.message)) {
			return 0, nil, &websocket.CloseError{Code: websocket.CloseMessageTooBig, Text: "message over 4096 bytes"}
		}
		if f.frames++; f.frames > maxMessage {
			return 0, nil, &websocket.CloseError{Code: websocket.CloseMessageTooBig,
				Text: "message in over 4096 frames"}
		}
		if err := f.data(int(size), mask); err != nil {
			return 0, nil, err
		}
		if f.unfinished = !fin; fin {
			return f.op, f.message, nil
		}
	}
}

// check validates the first two bytes of a frame.
func (f *frameReader) check(b0, b1 byte) error {
	fin, op := b0&finBit != 0, b0&opBits
	if b0&rsvBits != 0 {
		return broken("reserved bit set")
	}
	switch op {
	case opClose, opPing, opPong:
		if !fin {
			return broken("fragmented control frame")
		}
		if b1&sizeBits > maxControl {
			return broken("control frame over 125 bytes")
		}
	case opText, opBinary:
		if f.unfinished {
			return broken("new message before the end of the last")
		}
	case opContinuation:
		if !f.unfinished {
			return broken("continuation of no message")
		}
	default:
		return broken("unknown opcode " + strconv.Itoa(int(op)))
	}
	if b1&maskBit == 0 {
		return broken("frame without mask")
	}
	return nil
}

// header reads the rest of a frame's header.
func (f *frameReader) header(short int) (size uint64, mask [4]byte, err error) {
	width, minSize := 0, uint64(0) // bytes of the length field, and the least payload size that needs it
	switch short {
	case 126:
		width, minSize = 2, maxControl+1
	case 127:
		width, minSize = 8, 1<<16
	default:
		size = uint64(short)
	}
	n := 2 + width + len(mask)
	head, err := f.need(n)
	if err != nil {
		return 0, mask, err
	}
	for _, b := range head[2 : 2+width] {
		size = size<<8 | uint64(b)
	}
	if size < minSize {
		return 0, mask, errNotMinimal
	}
	copy(mask[:], head[n-len(mask):n])
	f.from += uint8(n)
	return size, mask, nil
}

// control reads the payload of a control frame.
func (f *frameReader) control(op byte, size int, mask [4]byte) ([]byte, error) {
	payload, err := f.need(size)
	if err != nil {
		return nil, err
	}
	payload = payload[:size]
	f.from += uint8(size)
	unmask(payload, mask)
	if op != opClose || size == 0 {
		return payload, nil
	}
	if size == 1 || !closeCodeOK(int(binary.BigEndian.Uint16(payload))) {
		return nil, broken("bad close code")
	}
	if !utf8.Valid(payload[2:]) {
		return nil, broken("close reason is not UTF-8")
	}
	return payload, nil
}

// closeCodeOK reports whether RFC 6455 allows a client to send this close code.
func closeCodeOK(code int) bool {
	return code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code <= 4999
}

// data appends the payload of a data frame to the message.
func (f *frameReader) data(size int, mask [4]byte) error {
	if f.message == nil {
		f.message = messagePool.Get().(*[maxMessage]byte)[:0]
	}
	start := len(f.message)
	part := f.message[start : start+size]
	n := copy(part, f.small[f.from:f.upto])
	f.from += uint8(n)
	for n < size {
		m, err := f.Read(part[n:])
		n += m
		if err != nil && n < size {
			return err
		}
	}
	unmask(part, mask)
	f.message = f.message[:start+size]
	return nil
}

func unmask(b []byte, mask [4]byte) {
	for i := range b {
		b[i] ^= mask[i&3]
	}
}

// release returns the message's buffer to the pool.
func (f *frameReader) release() {
	if f.message != nil {
		messagePool.Put((*[maxMessage]byte)(f.message[:maxMessage]))
		f.message = nil
	}
}

// need returns the unread bytes of small, reading until there are at least n.
func (f *frameReader) need(n int) ([]byte, error) {
	if f.from == f.upto || int(f.from)+n > len(f.small) {
		f.upto = uint8(copy(f.small[:], f.small[f.from:f.upto]))
		f.from = 0
	}
	for int(f.upto-f.from) < n {
		m, err := f.Read(f.small[f.upto:])
		f.upto += uint8(m)
		if err != nil && int(f.upto-f.from) < n {
			return nil, err
		}
	}
	return f.small[f.from:f.upto], nil
}

// Read reads from the connection. The bytes that fasthttp read ahead are in a buffered reader
// that does not tell how many it has left. A short read means that it is empty; it is then
// released, because it holds 8 KiB.
func (f *frameReader) Read(p []byte) (n int, err error) {
	for {
		if f.hijacked == nil {
			n, err = f.conn.Read(p)
		} else if n, err = f.hijacked.Read(p); n < len(p) {
			f.hijacked = nil
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if err = f.expired(); err != nil || n > 0 {
			return n, err
		}
	}
}
