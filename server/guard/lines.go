package guard

import (
	"bufio"
	"io"
	"sync"
)

// readLines calls f for each line with its line feed, up to a number of bytes. Of a longer line f gets pieces, with
// whole false. It returns at the end of the input, or at the first error.
func readLines(r io.Reader, most int, f func(line []byte, whole bool) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for whole := true; ; {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		ended := err == nil
		if len(line) > most {
			whole = false
		}
		if len(line) > 0 && (ended || err != bufio.ErrBufferFull || !whole) {
			if err := f(line, whole); err != nil {
				return err
			}
			line = line[:0]
		}
		if ended {
			whole = true
		}
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// lineWriter writes lines of several goroutines, one after the other.
type lineWriter struct {
	mu   sync.Mutex
	w    io.Writer
	open bool // a line whose pieces are being written holds the lock
}

// piece writes a part of a line, or a whole one. All pieces come from one goroutine.
func (l *lineWriter) piece(text []byte) error {
	if !l.open {
		l.mu.Lock()
	}
	l.open = text[len(text)-1] != '\n'
	err := l.write(text)
	if !l.open {
		l.mu.Unlock()
	}
	return err
}

func (l *lineWriter) line(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.write(line)
}

// end ends a last line without a line feed.
func (l *lineWriter) end() {
	if l.open {
		l.open = false
		l.mu.Unlock()
	}
}

// write writes a text; the caller holds the lock.
func (l *lineWriter) write(text []byte) error {
	_, err := l.w.Write(text)
	return err
}
