package journal

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"ballast/internal/store"
	"ballast/internal/supervise"
)

// Mode says what is recorded.
type Mode string

// The modes.
const (
	Off      Mode = "off"
	Verdicts Mode = "verdicts"
	Full     Mode = "full" // verdicts, and what they were computed from
)

// Config configures a Journal. Store is required.
type Config struct {
	Mode  Mode
	Store *store.Main
	// Strict: the gate waits until its decision is on disk.
	Strict   bool
	MaxBytes int64         // of all that is kept; 0: no limit
	MaxAge   time.Duration // of a decision; 0: no limit

	// Publish is told each decision and its account ("": not known), as JSON, after it is on disk. It must not wait.
	// nil: nobody is.
	Publish func(account string, decision []byte)
	Log     *slog.Logger
}

// Photograph is what one answer was computed from, and the answer.
type Photograph interface {
	// Encode is called once, on the writer's goroutine, where it may take its time. It returns Data and Parts; the
	// digests are those of the inputs and of the answer, SHA-256 in hexadecimal.
	Encode() (kept store.Photograph, inputsDigest, answerDigest string, err error)
}

const (
	// writeEvery is how long a decision waits at most to be written.
	writeEvery = time.Second
	// slotText is the room for request id, request and violations of a decision, bytes. Longer ones share spillBytes.
	slotText   = 640
	spillBytes = 8 << 20
	// maxGate is how many decisions of the gate may wait to be written. Increases are refused from half of it on.
	maxGate = 1 << 16
	// maxGateShots is how many of them may have a photograph, which is larger: later ones are written without.
	maxGateShots = 1024
)

// Journal records decisions, and reads what was recorded. Create it with New; nil records nothing. Safe for concurrent
// use.
type Journal struct {
	Reader
	cfg   Config
	super *supervise.Supervisor
	wake  chan struct{}
	flush chan chan struct{}

	mu    sync.Mutex
	front []slot // being filled
	used  int    // of front
	spill int    // bytes of texts that are longer than a slot's
	gate  []*GateEntry
	back  []slot // being written

	tail *tail // of a strict journal; without files otherwise

	recorded, dropped, unreadable atomic.Uint64
	bytes, oldestMs               atomic.Int64
	lastError                     atomic.Pointer[Failure]
	book                          book // of the writer
}

// Failure is an error and when it was.
type Failure struct {
	Text string
	At   time.Time
}

// New returns a journal on a store. The caller runs Run.
func New(cfg Config) *Journal {
	j := &Journal{cfg: cfg, super: supervise.New(cfg.Log), wake: make(chan struct{}, 1),
		flush: make(chan chan struct{})}
	j.Reader = Reader{Store: cfg.Store, damaged: j.damaged}
	sums, err := cfg.Store.DecisionSums()
	if err != nil { // the tables of decisions are damaged
		j.failed(err)
	}
	j.note(sums)
	j.book = book{packer: &packer{}, id: sums.NewestID + 1}
	j.tail = &tail{}
	if cfg.Mode != Off {
		j.openTail()
		slots := max(2048, 1024*runtime.GOMAXPROCS(0))
		j.front, j.back = newSlots(slots), newSlots(slots)
	}
	return j
}

// openTail reads what a process that was killed has left, and opens the files for more.
func (j *Journal) openTail() {
	dir := filepath.Dir(j.cfg.Store.Path())
	left, _ := filepath.Glob(filepath.Join(dir, tailFile+"?"))
	if len(left) == 0 && !j.cfg.Strict {
		return
	}
	opened, lines, err := openTail(dir)
	if err != nil {
		j.failed(err)
	}
	j.tail = opened
	j.readTail(lines)
}

func newSlots(n int) []slot {
	slots, text := make([]slot, n), make([]byte, n*slotText)
	for i := range slots {
		slots[i].own = text[i*slotText : i*slotText : (i+1)*slotText]
	}
	return slots
}

// slot is a decision that waits to be written, with its own copies of what belongs to the request.
type slot struct {
	Entry
	revision   uint64
	verdict    string // "": none applies
	violations []byte // JSON
	own        []byte
}

// fill copies an entry into the slot. It returns how many bytes do not fit into the slot's own memory.
func (s *slot) fill(e *Entry) (more int) {
	own := s.own
	*s = slot{Entry: *e, own: own}
	text := append(append(own, e.RequestID...), e.Request...)
	id := len(e.RequestID)
	s.RequestID, s.Request = text[:id:id], text[id:len(text):len(text)]
	if v := e.Verdict; v != nil && v.Applies {
		s.verdict, s.revision = v.Outcome.String(), v.Revision
		begin := len(text)
		text = appendViolations(text, v.Violations)
		s.violations = text[begin:]
	}
	s.Verdict = nil
	if cap(text) > cap(own) {
		return cap(text)
	}
	return 0
}

// Mode returns what is recorded.
func (j *Journal) Mode() Mode {
	if j == nil {
		return Off
	}
	return j.cfg.Mode
}

// Strict reports whether the gate waits for its decisions.
func (j *Journal) Strict() bool { return j.Mode() != Off && j.cfg.Strict }

// Record records a decision. It does not wait, and allocates nothing for a usual request; when the writer does not
// keep up, the decision is dropped and counted.
func (j *Journal) Record(e *Entry) {
	if j.Mode() == Off {
		return
	}
	j.mu.Lock()
	room := j.used < len(j.front) && j.spill < spillBytes
	if room {
		j.spill += j.front[j.used].fill(e)
		j.used++
	}
	half := j.used == len(j.front)/2
	j.mu.Unlock()
	if !room {
		j.dropped.Add(1)
	} else if half {
		j.wakeUp()
	}
}

func (j *Journal) wakeUp() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// GateEntry is a decision of the gate on its way to the disk.
type GateEntry struct {
	slot
	strict bool // written at the first try or never
	done   chan struct{}
	err    error // set before done is closed
}

// ErrFull: so many decisions of the gate wait to be written that no more are taken.
var ErrFull = errors.New("too many decisions wait to be written")

// RecordGate records a decision of the gate, which is never dropped for those of others. With firstTry the entry is
// written at the first try or never: Wait tells. Without, a strict journal lets it outlive the process from now on. It
// returns ErrFull, and counts the decision as dropped, when the disk
// has taken none for so long that memory would not be bounded.
func (j *Journal) RecordGate(e *Entry, firstTry bool) (*GateEntry, error) {
	if j.Mode() == Off {
		return nil, nil
	}
	g := &GateEntry{strict: firstTry, done: make(chan struct{})}
	g.fill(e)
	n := 0
	queue := func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if n = len(j.gate); n >= maxGateShots {
			g.Photograph = nil
		}
		if n < maxGate {
			j.gate = append(j.gate, g)
		}
	}
	if j.cfg.Strict && !firstTry {
		if err := j.tail.put(appendLine(nil, &g.slot, "", ""), queue); err != nil {
			j.failed(err)
		}
	} else {
		queue()
	}
	if n >= maxGate {
		j.dropped.Add(1)
		return nil, ErrFull
	}
	if j.cfg.Strict || n == maxGate/4 {
		j.wakeUp()
	}
	return g, nil
}

// GateRoom reports whether decisions of the gate about increases are taken: no more than half of what may wait waits.
func (j *Journal) GateRoom() bool {
	if j.Mode() == Off {
		return true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.gate) < maxGate/2
}

// Wait waits until the decision is on disk. An error says why it is not, or that ctx has ended before; then it may
// still be written if the writer was at it.
func (g *GateEntry) Wait(ctx context.Context) error {
	if g == nil {
		return nil
	}
	select {
	case <-g.done:
		return g.err
	case <-ctx.Done():
		return errors.New("the disk takes too long")
	}
}

// Flush writes what was recorded so far, so that a reader finds it; it waits for that until ctx ends.
func (j *Journal) Flush(ctx context.Context) {
	if j.Mode() == Off {
		return
	}
	done := make(chan struct{})
	select {
	case j.flush <- done:
	case <-ctx.Done():
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Stats are the figures of a journal.
type Stats struct {
	Mode              Mode
	Recorded, Dropped uint64    // since the start
	Unreadable        uint64    // blocks that a reader found damaged since the start
	Oldest            time.Time // decision that is kept; zero: there is none
	Bytes             int64     // of all that is kept
	LastError         *Failure  // nil: there was none
}

// Stats returns the figures.
func (j *Journal) Stats() Stats {
	if j == nil {
		return Stats{Mode: Off}
	}
	s := Stats{Mode: j.cfg.Mode, Recorded: j.recorded.Load(), Dropped: j.dropped.Load(),
		Unreadable: j.unreadable.Load(), Bytes: j.bytes.Load(), LastError: j.lastError.Load()}
	if ms := j.oldestMs.Load(); ms > 0 {
		s.Oldest = time.UnixMilli(ms).UTC()
	}
	return s
}

func (j *Journal) note(s store.DecisionSums) {
	j.bytes.Store(s.Bytes)
	j.oldestMs.Store(s.OldestMs)
}

func (j *Journal) failed(err error) {
	j.lastError.Store(&Failure{err.Error(), time.Now().UTC()})
	j.super.Warn("decisions cannot be recorded", "error", err.Error())
}

// damaged notes that a reader found a damaged block.
func (j *Journal) damaged(err error) {
	j.unreadable.Add(1)
	j.lastError.Store(&Failure{err.Error(), time.Now().UTC()})
	j.super.Warn("decisions cannot be read", "error", err.Error())
}
