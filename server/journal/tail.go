package journal

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// tail keeps decisions of the gate whose actions do not wait for the disk: each is written to a file, without waiting
// until the disk has it, before its action is handed on. So it outlives the process, though not a power failure, and is
// read at the next start. There are two files, so that one can be emptied when all in it is in the database.
type tail struct {
	mu      sync.Mutex
	files   [2]*os.File
	sizes   [2]int64
	current int
}

// tailBytes is the size from which the other file is used.
const tailBytes = 1 << 20

// tailFile begins the names of the files.
const tailFile = "decisions.tail"

func tailName(dir string, i int) string { return filepath.Join(dir, tailFile+strconv.Itoa(i)) }

// openTail opens the files in a directory, and returns what they have.
func openTail(dir string) (t *tail, lines []byte, err error) {
	t = &tail{}
	for i := range t.files {
		name := tailName(dir, i)
		text, bad := os.ReadFile(name)
		if bad != nil && !errors.Is(bad, os.ErrNotExist) {
			err = errors.Join(err, bad)
		}
		lines = append(lines, text...)
		t.sizes[i] = int64(len(text))
		t.files[i], bad = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		err = errors.Join(err, bad)
	}
	return t, lines, err
}

// put writes a line, and calls queued before a mark can be made that has it.
func (t *tail) put(line []byte, queued func()) (err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f := t.files[t.current]; f != nil {
		if _, err = f.Write(line); err == nil {
			t.sizes[t.current] += int64(len(line))
		} else { // a part of the line would spoil the next one
			err = errors.Join(err, f.Truncate(t.sizes[t.current]))
		}
	}
	queued()
	return err
}

// marked calls f, and returns how much the files have of what was queued before.
func (t *tail) marked(f func()) [2]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
	return t.sizes
}

// written empties the files of which all is in the database: what they had at the mark.
func (t *tail) written(mark [2]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range t.files {
		if size := t.sizes[i]; size > 0 && size == mark[i] && f != nil && f.Truncate(0) == nil {
			t.sizes[i] = 0
		}
	}
	if other := 1 - t.current; t.sizes[t.current] > tailBytes && t.sizes[other] == 0 {
		t.current = other
	}
}

// close closes the files, and removes those that have nothing.
func (t *tail) close(dir string) {
	for i, f := range t.files {
		if f != nil && f.Close() == nil && t.sizes[i] == 0 {
			os.Remove(tailName(dir, i))
		}
	}
}

// readTail adds the decisions of a tail that the database does not have. A line that was cut by a power failure is left
// out.
func (j *Journal) readTail(lines []byte) {
	for text := range bytes.Lines(lines) {
		d, err := decode(text)
		if err != nil || !bytes.HasSuffix(text, []byte("\n")) || j.has(d) {
			continue
		}
		j.book.addLine(text, d)
	}
}

// has reports whether the database has a decision.
func (j *Journal) has(d *Decision) bool {
	fromMs := d.At.UnixMilli()
	heads, err := j.Store.DecisionHeads(1<<62, fromMs, fromMs+1, false, headsAtOnce)
	if err != nil {
		return false
	}
	q := Query{RequestID: d.RequestID}
	for i := range heads {
		if !q.mayHave(&heads[i]) {
			continue
		}
		held, _ := j.block(heads[i].ID)
		for _, text := range held {
			if q.mayBe(text) {
				if other, err := decode(text); err == nil && q.wants(other) && other.At.Equal(d.At) {
					return true
				}
			}
		}
	}
	return false
}
