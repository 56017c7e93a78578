package alerts

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/fasthttp/websocket"
)

// serverFrame is a frame sent by the server.
type serverFrame struct {
	op      byte
	payload string
}

func (f serverFrame) String() string {
	if f.op == opClose && len(f.payload) >= 2 {
		return fmt.Sprintf("close %d %s", binary.BigEndian.Uint16([]byte(f.payload)), f.payload[2:])
	}
	return fmt.Sprintf("%x %q", f.op, f.payload)
}

// code returns the code of a close frame; 0 for other frames.
func (f serverFrame) code() int {
	if f.op != opClose || len(f.payload) < 2 {
		return 0
	}
	return int(binary.BigEndian.Uint16([]byte(f.payload)))
}

// readFrame reads one frame of the server, which must be complete and unmasked.
func readFrame(r io.Reader) (serverFrame, error) {
	var head [2]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return serverFrame{}, err
	}
	if head[0]&finBit == 0 || head[0]&rsvBits != 0 || head[1]&maskBit != 0 {
		return serverFrame{}, fmt.Errorf("header % x", head)
	}
	size := uint64(head[1])
	switch size {
	case 126:
		var b [2]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return serverFrame{}, io.ErrUnexpectedEOF
		}
		size = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return serverFrame{}, io.ErrUnexpectedEOF
		}
		size = binary.BigEndian.Uint64(b[:])
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(r, payload); err != nil {
		return serverFrame{}, io.ErrUnexpectedEOF
	}
	return serverFrame{head[0] & opBits, string(payload)}, nil
}

// readFrames parses all frames in b.
func readFrames(t *testing.T, b []byte) (frames []serverFrame) {
	r := bytes.NewReader(b)
	for {
		f, err := readFrame(r)
		if err == io.EOF {
			return frames
		}
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
}

func TestFramesOfTheServer(t *testing.T) {
	var all []byte
	sizes := []int{0, 1, 125, 126, 127, 65535, 65536, 70000}
	for _, n := range sizes {
		all = appendFrame(all, opText, bytes.Repeat([]byte("x"), n))
	}
	all = append(all, closeFrame(1001, strings.Repeat("y", 200))...)
	all = append(all, closeFrame(websocket.CloseNoStatusReceived, "not sent")...)
	frames := readFrames(t, all)
	if len(frames) != len(sizes)+2 {
		t.Fatalf("%d frames", len(frames))
	}
	for i, n := range sizes {
		if frames[i].op != opText || len(frames[i].payload) != n {
			t.Errorf("frame %d: %x of %d bytes, want %d", i, frames[i].op, len(frames[i].payload), n)
		}
	}
	if f := frames[len(sizes)]; f.code() != 1001 || len(f.payload) != maxControl {
		t.Errorf("%v", f)
	}
	if f := frames[len(sizes)+1]; f.op != opClose || f.payload != "" {
		t.Errorf("%v", f)
	}
}

// The frames read do not depend on how the bytes are split, and memory is held only while a message
// is read.
func TestReadAnyPieces(t *testing.T) {
	long := strings.Repeat("abcdefg ", maxMessage/8)
	var in []byte
	in = append(in, clientFrame(finBit|opText, "hello")...)
	in = append(in, clientFrame(finBit|opPing, strings.Repeat("p", maxControl))...)
	in = append(in, clientFrame(opText, "one")...)
	in = append(in, clientFrame(opContinuation, "")...)
	in = append(in, clientFrame(finBit|opPong, "")...)
	in = append(in, clientFrame(finBit|opContinuation, " two")...)
	in = append(in, clientFrame(finBit|opBinary, long)...)
	in = append(in, clientFrame(finBit|opText, "")...)
	in = append(in, clientFrame(finBit|opClose, "\x03\xe8bye")...)
	want := fmt.Sprintf(`1 "hello", 9 %q, a "", 1 "one two", 2 %q, 1 "", close 1000 bye, `,
		strings.Repeat("p", maxControl), long)
	for name, reader := range map[string]func(io.Reader) io.Reader{
		"at once":           func(r io.Reader) io.Reader { return r },
		"byte by byte":      iotest.OneByteReader,
		"in halves":         iotest.HalfReader,
		"error with data":   iotest.DataErrReader,
		"through a buffer":  func(r io.Reader) io.Reader { return bufio.NewReaderSize(r, 64) },
		"a big one before":  func(r io.Reader) io.Reader { return bufio.NewReaderSize(r, 8<<10) },
		"a tiny one before": func(r io.Reader) io.Reader { return bufio.NewReaderSize(iotest.HalfReader(r), 16) },
	} {
		source := bytes.NewReader(in)
		through := reader(source)
		f := frameReader{conn: through}
		if b, ok := through.(*bufio.Reader); ok {
			// As after a handshake: some bytes are already in the buffer, the rest comes from the
			// connection.
			_, _ = b.Peek(1)
			f = frameReader{conn: source, hijacked: b}
		}
		got := ""
		for {
			op, payload, err := f.next()
			if err != nil {
				if err != io.EOF {
					t.Errorf("%s: %v", name, err)
				}
				break
			}
			got += serverFrame{op, string(payload)}.String() + ", "
		}
		if got != want {
			t.Errorf("%s: got %.300s", name, got)
		}
		if f.message != nil {
			t.Errorf("%s: a buffer is held while nothing is read", name)
		}
	}
}

// A message that is cut off at any byte ends the connection and is never delivered.
func TestCutOff(t *testing.T) {
	whole := append(clientFrame(opText, "first"), clientFrame(finBit|opContinuation, strings.Repeat("x", 300))...)
	for n := range whole {
		f := frameReader{conn: bytes.NewReader(whole[:n])}
		if op, payload, err := f.next(); err != io.EOF {
			t.Fatalf("cut at %d: %x %q %v", n, op, payload, err)
		}
	}
}

// script is a connection whose client sends some bytes and then nothing.
type script struct {
	net.Conn
	in  *bytes.Reader
	out bytes.Buffer
}

func (s *script) Read(p []byte) (int, error)       { return s.in.Read(p) }
func (s *script) Write(p []byte) (int, error)      { return s.out.Write(p) }
func (s *script) Close() error                     { return nil }
func (s *script) SetDeadline(time.Time) error      { return nil }
func (s *script) SetReadDeadline(time.Time) error  { return nil }
func (s *script) SetWriteDeadline(time.Time) error { return nil }

type hijacker struct {
	http.ResponseWriter
	s *script
}

func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.s, bufio.NewReadWriter(bufio.NewReader(h.s), bufio.NewWriter(h.s)), nil
}

// libraryReads parses in with the library's connection. It returns the frames that the library reads,
// the code of the close frame that it sends, and its final error.
func libraryReads(t testing.TB, in []byte) (got []serverFrame, code int, err error) {
	r := httptest.NewRequest("GET", "/", nil)
	for k, v := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "13",
		"Sec-Websocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
		r.Header.Set(k, v)
	}
	s := &script{in: bytes.NewReader(in)}
	ws, err := (&websocket.Upgrader{}).Upgrade(hijacker{httptest.NewRecorder(), s}, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.out.Reset()
	ws.SetReadLimit(maxMessage)
	note := func(op byte) func(string) error {
		return func(data string) error { got = append(got, serverFrame{op, data}); return nil }
	}
	ws.SetPingHandler(note(opPing))
	ws.SetPongHandler(note(opPong))
	ws.SetCloseHandler(func(code int, text string) error {
		payload := ""
		if code != websocket.CloseNoStatusReceived {
			payload = string(binary.BigEndian.AppendUint16(nil, uint16(code))) + text
		}
		got = append(got, serverFrame{opClose, payload})
		return nil
	})
	for {
		kind, message, err := ws.ReadMessage()
		if err != nil {
			if f, readErr := readFrame(&s.out); readErr == nil {
				code = f.code()
			}
			return got, code, err
		}
		got = append(got, serverFrame{byte(kind), string(message)})
	}
}

// This parser and the library's understand any bytes of a client in the same way.
func FuzzFrames(f *testing.F) {
	for _, row := range wireTable {
		f.Add(row.in)
	}
	f.Add(append(clientFrame(opText, "a"), clientFrame(finBit|opContinuation, "b")...))
	f.Fuzz(func(t *testing.T, in []byte) {
		want, wantCode, wantErr := libraryReads(t, in)
		r := frameReader{conn: bytes.NewReader(in)}
		var got []serverFrame
		code := 0
		for {
			op, payload, err := r.next()
			if err == nil {
				got = append(got, serverFrame{op, string(payload)})
				if op == opClose {
					break // the library stops reading here
				}
				continue
			}
			if v, ok := errors.AsType[*websocket.CloseError](err); ok {
				// the library accepts lengths that are not in their shortest form
				if code = v.Code; v == errNotMinimal {
					want, wantCode = want[:min(len(got), len(want))], code
				}
			} else if err != io.EOF {
				t.Fatal(err)
			}
			if r.unfinished && r.frames > maxMessage {
				t.Skip("the library does not count frames")
			}
			break
		}
		last := func(frames []serverFrame) serverFrame {
			if len(frames) == 0 {
				return serverFrame{}
			}
			return frames[len(frames)-1]
		}
		switch {
		case code == websocket.CloseMessageTooBig && errors.Is(wantErr, websocket.ErrReadLimit):
			wantCode = code // the library sends no close frame for a length of 2^63 or more
		case code == websocket.CloseProtocolError && last(want).op == opClose:
			// By the protocol a single byte is no valid code; the library treats it as no code.
			want = want[:len(want)-1]
			wantCode = code
		case last(got).code() == 1014:
			got = got[:len(got)-1] // registered later than the library was written
			wantCode = code
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || code != wantCode {
			t.Errorf("% x:\n got %v, closes %d\nwant %v, closes %d (%v)", in, got, code, want, wantCode, wantErr)
		}
	})
}
