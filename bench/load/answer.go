package load

import (
	"bytes"
	"errors"
)

// Bounds of an answer.
const (
	maxAnswerHead = 16 << 10
	maxAnswerBody = 64 << 20
)

// Errors of an invalid answer.
var (
	errMalformed = errors.New("not an HTTP/1.x answer")
	errHeadSize  = errors.New("the head of the answer is too large")
	errLength    = errors.New("the answer has no usable Content-Length")
	errSurplus   = errors.New("bytes behind the answer")
)

var (
	headEnd = []byte("\r\n\r\n")
	colon   = []byte(":")
)

// answer parses one HTTP answer from the pieces in which it arrives. It extracts the status, the
// length and whether the server closes the connection; all other bytes are counted and discarded.
type answer struct {
	status int
	close  bool // the server closes the connection after the answer
	size   int  // bytes read, head included

	keep bool   // keep the body
	body []byte // valid until the next reset

	inBody bool
	left   int    // bytes of the body not yet received
	head   []byte // received part of an incomplete head
}

// reset prepares for the next answer.
func (a *answer) reset(keep bool) {
	*a = answer{keep: keep, head: a.head[:0], body: a.body[:0]}
}

// feed parses the next piece and reports whether the answer is complete. After an error the
// connection cannot be used any more.
func (a *answer) feed(b []byte) (done bool, err error) {
	a.size += len(b)
	for !a.inBody {
		if b, err = a.feedHead(b); err != nil || b == nil {
			return false, err
		}
	}
	if len(b) > a.left {
		return false, errSurplus
	}
	if a.keep {
		a.body = append(a.body, b...)
	}
	a.left -= len(b)
	return a.left == 0, nil
}

// feedHead parses a piece of a head. It returns the bytes after the head, nil while the head is
// incomplete.
func (a *answer) feedHead(b []byte) (rest []byte, err error) {
	head, was := b, len(a.head)
	if was > 0 { // the head arrives in several pieces
		a.head = append(a.head, b[:min(len(b), maxAnswerHead-was)]...)
		head = a.head
	}
	end := bytes.Index(head[:min(len(head), maxAnswerHead)], headEnd)
	switch {
	case end < 0 && len(head) >= maxAnswerHead:
		return nil, errHeadSize
	case end < 0:
		if was == 0 {
			a.head = append(a.head, b...)
		}
		return nil, nil
	}
	err = a.parseHead(head[:end])
	a.head = a.head[:0]
	return b[end+len(headEnd)-was:], err
}

// parseHead parses a head without its final empty line. After an interim answer (1xx) it expects
// the head of the final answer.
func (a *answer) parseHead(head []byte) error {
	line, head, more := bytes.Cut(head, headEnd[:2])
	// HTTP/1.1 200 OK
	if bytes.IndexByte(line, '\n') >= 0 || len(line) < 12 || string(line[:7]) != "HTTP/1." || line[8] != ' ' ||
		len(line) > 12 && line[12] != ' ' {
		return errMalformed
	}
	status, ok := decimal(line[9:12])
	if !ok || status < 100 || status >= len(tally{}.statuses) || line[7] != '0' && line[7] != '1' {
		return errMalformed
	}
	old := line[7] == '0' // HTTP/1.0 closes unless it says otherwise
	length, closes, keeps := -1, false, false
	for more {
		line, head, more = bytes.Cut(head, headEnd[:2])
		name, value, found := bytes.Cut(line, colon)
		if !found || bytes.IndexByte(line, '\n') >= 0 {
			return errMalformed
		}
		switch value = bytes.Trim(value, " \t"); {
		case isHeader(name, "content-length"):
			n, ok := decimal(value)
			if !ok || n > maxAnswerBody || length >= 0 && length != n {
				return errLength
			}
			length = n
		case isHeader(name, "transfer-encoding"):
			return errLength
		case isHeader(name, "connection"):
			closes, keeps = isHeader(value, "close"), isHeader(value, "keep-alive")
		}
	}
	switch {
	case status < 200:
		if status == 101 || length > 0 {
			return errMalformed
		}
		return nil
	case status == 204 || status == 304:
		length = 0
	case length < 0:
		return errLength
	}
	a.status, a.left, a.inBody = status, length, true
	a.close = closes || old && !keeps
	return nil
}

// isHeader compares without case; lower is in lower case.
func isHeader(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i := range name {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// decimal parses a number of at most nine digits, without other characters.
func decimal(b []byte) (n int, ok bool) {
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}
