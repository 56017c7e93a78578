package load

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// read passes text to an answer parser in pieces of the given size. It returns the parser, whether
// the answer was complete, and the error.
func read(text string, piece int, keep bool) (a answer, done bool, err error) {
	a.reset(keep)
	for rest := []byte(text); len(rest) > 0; {
		n := min(piece, len(rest))
		if done, err = a.feed(rest[:n]); err != nil {
			return a, false, err
		}
		if rest = rest[n:]; done && len(rest) > 0 {
			return a, false, errSurplus // a complete answer takes no further bytes
		}
	}
	return a, done, nil
}

func TestAnswer(t *testing.T) {
	long := strings.Repeat("x", 5000)
	rows := []struct {
		name, text string
		status     int
		body       string
		close      bool
		err        error
	}{
		{"plain", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", false, nil},
		{"case and blanks", "HTTP/1.1 503 Service Unavailable\r\ncOnTeNt-LeNgTh:\t 2 \r\nX: y\r\n\r\nhi", 503, "hi",
			false,
			nil},
		{"no reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, "", false, nil},
		{"long", "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + long, 200, long, false, nil},
		{"closes", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", 200, "", true, nil},
		{"old", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", 200, "", true, nil},
		{"old, stays", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n", 200, "", false, nil},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", 204, "", false, nil},
		{"interim", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!", 200, "!", false,
			nil},
		{"same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n!", 200, "!", false,
			nil},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n!", 0, "", false, errLength},
		{"no length", "HTTP/1.1 200 OK\r\n\r\n", 0, "", false, errLength},
		{"signed length", "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n!", 0, "", false, errLength},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0, "", false, errLength},
		{"surplus", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!!", 0, "", false, errSurplus},
		{"HTTP/2", "HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n", 0, "", false, errMalformed},
		{"not HTTP", "SSH-2.0-x and so on\r\n\r\n", 0, "", false, errMalformed},
		{"status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n", 0, "", false, errMalformed},
		{"status 600", "HTTP/1.1 600 OK\r\nContent-Length: 0\r\n\r\n", 0, "", false, errMalformed},
		{"switching", "HTTP/1.1 101 Switching\r\n\r\n", 0, "", false, errMalformed},
		{"no colon", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", 0, "", false, errMalformed},
		{"endless head", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", maxAnswerHead) + "\r\n\r\n", 0, "", false,
			errHeadSize},
	}
	for _, row := range rows {
		for _, piece := range []int{1 << 20, 1, 2, 3, 7, 100} {
			a, done, err := read(row.text, piece, true)
			if !errors.Is(err, row.err) {
				t.Errorf("%s in pieces of %d: %v, want %v", row.name, piece, err, row.err)
			}
			if row.err == nil && (!done || a.status != row.status || string(a.body) != row.body ||
				a.close != row.close ||
				a.size != len(row.text)) {
				t.Errorf("%s in pieces of %d: done %v, %+v", row.name, piece, done, a)
			}
		}
	}
	if _, done, err := read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi", 9, false); done || err != nil {
		t.Errorf("an incomplete answer: done %v, error %v", done, err)
	}
}

// The parser must not allocate once its buffers have grown, and must not keep data of the previous
// answer.
func TestAnswerAllocs(t *testing.T) {
	var a answer
	text := []byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
	if n := testing.AllocsPerRun(100, func() {
		a.reset(false)
		for _, piece := range [][]byte{text[:10], text[10:40], text[40:]} {
			a.feed(piece)
		}
		if a.status != 200 || a.left != 0 {
			t.Fatalf("parsed answer: %+v", a)
		}
	}); n != 0 {
		t.Errorf("%v allocations per answer, want 0", n)
	}
}

// FuzzAnswer: the size of the pieces does not change the result, and net/http parses every answer
// that the parser accepts to the same status and body.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"), uint8(3))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 No\r\nRetry-After: 1\r\nConnection: "+
		"close\r\ncontent-length:0\r\n\r\n"), uint8(1))
	f.Add([]byte("HTTP/1.0 304 Not Modified\r\nContent-Length: 9\r\n\r\n"), uint8(200))
	f.Fuzz(func(t *testing.T, text []byte, piece uint8) {
		whole, done, err := read(string(text), len(text)+1, true)
		cut, cutDone, cutErr := read(string(text), int(piece)+1, true)
		if (err == nil) != (cutErr == nil) || done != cutDone {
			t.Fatalf("whole: done %v, error %v; in pieces: done %v, error %v", done, err, cutDone, cutErr)
		}
		if err != nil || !done {
			return
		}
		if whole.status != cut.status || whole.close != cut.close || !bytes.Equal(whole.body, cut.body) ||
			whole.size != len(text) {
			t.Fatalf("whole %+v, in pieces %+v", whole, cut)
		}
		response, err := finalResponse(text)
		if err != nil {
			return // net/http checks more and may reject the answer
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != whole.status || !bytes.Equal(body, whole.body) {
			t.Fatalf("net/http: status %d, body %q, error %v; our parser: status %d, body %q", response.StatusCode,
				body, err,
				whole.status, whole.body)
		}
	})
}

// finalResponse returns the first answer in text that is not an interim answer (1xx).
func finalResponse(text []byte) (*http.Response, error) {
	r := bufio.NewReader(bytes.NewReader(text))
	for {
		response, err := http.ReadResponse(r, nil)
		if err != nil || response.StatusCode >= 200 {
			return response, err
		}
	}
}
