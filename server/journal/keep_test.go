package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ballast/internal/store"
)

// TestKept: old decisions go, by whole blocks, with the photographs that no other needs.
func TestKept(t *testing.T) {
	s := start(t, t.TempDir(), func(c *Config) { c.Mode = Full })
	shared := part(1, 5000)
	first := part(2, 100)
	now := time.Now()
	for i := range 4 * blockCount {
		e := entry(fmt.Sprintf("r%04d", i), 1, now.Add(-100*time.Hour+time.Duration(i)*time.Minute))
		parts := []store.PhotographPart{shared}
		if i == 0 {
			parts = append(parts, first)
		}
		e.Photograph = photograph{store.Photograph{Data: []byte("photo"), Parts: parts}}
		s.Record(e)
		if i%50 == 0 {
			s.Flush(t.Context())
		}
	}
	s.Flush(t.Context())
	found, err := s.Find(t.Context(), "r0000", "")
	if err != nil || len(found) != 1 || !found[0].Photographed || found[0].InputsDigest != "in" ||
		found[0].AnswerDigest != "out" {
		t.Fatalf("%+v %v", found, err)
	}
	s.stop()
	db := opened(t, s.dir)
	sums, err := db.DecisionSums()
	if err != nil || sums.Bytes != s.Stats().Bytes {
		t.Errorf("%+v, counted %d, %v", sums, s.Stats().Bytes, err)
	}
	j := New(Config{Mode: Full, Store: db, MaxAge: 100*time.Hour - blockCount*time.Minute, Log: slog.Default()})
	j.dropOld(now)
	if ids, _, _ := (&started{Journal: j, t: t}).pageOnly(); len(ids) != 3*blockCount || ids[len(ids)-1] != "r0256" {
		t.Errorf("by age: %d are left", len(ids))
	}
	for id, want := range map[string]string{"r0000": "", "r0256": "photo"} {
		if data, err := db.PhotographsOf(id, 0); err != nil || string(bytes.Join(data, nil)) != want {
			t.Errorf("photograph of %s: %q %v", id, data, err)
		}
	}
	for digest, want := range map[byte]int{1: 5000, 2: 0} {
		if data, err := db.PhotographPart([32]byte{digest}); err != nil || len(data) != want {
			t.Errorf("part %d: %d bytes, %v", digest, len(data), err)
		}
	}
	j.cfg.MaxAge, j.cfg.MaxBytes = 0, j.Stats().Bytes-1
	j.dropOld(now)
	if ids, _, _ := (&started{Journal: j, t: t}).pageOnly(); len(ids) != 2*blockCount || ids[0] != "r1023" {
		t.Errorf("by bytes: %d are left", len(ids))
	}
	j.cfg.MaxBytes = 1
	j.dropOld(now)
	if data, err := db.PhotographPart(shared.Digest); err != nil || data != nil || j.Stats().Bytes != 0 {
		t.Errorf("a part that nobody needs: %d bytes, %v, %+v", len(data), err, j.Stats())
	}
}

// pageOnly is page of a journal whose writer does not run.
func (s *started) pageOnly() (ids []string, next string, err error) {
	p, err := s.Page(context.Background(), &Query{Limit: 5000})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, d := range p.Decisions {
		ids = append(ids, d.RequestID)
	}
	return ids, p.Next, nil
}

func part(name byte, size int) store.PhotographPart {
	return store.PhotographPart{Digest: [32]byte{name}, Data: func() []byte { return make([]byte, size) }}
}

// photograph is one whose encoding is known.
type photograph struct{ kept store.Photograph }

func (p photograph) Encode() (store.Photograph, string, string, error) {
	return p.kept, "in", "out", nil
}

// spoilt is a photograph that cannot be encoded.
type spoilt struct{}

func (spoilt) Encode() (store.Photograph, string, string, error) { panic("spoilt") }

// TestSpoiltPhotograph: a decision that cannot be encoded costs itself.
func TestSpoiltPhotograph(t *testing.T) {
	s := start(t, t.TempDir(), func(c *Config) { c.Mode = Full })
	s.Record(entry("before", 1, noon))
	e := entry("spoilt", 1, noon)
	e.Photograph = spoilt{}
	s.Record(e)
	s.Record(entry("after", 1, noon))
	s.wants("all", Query{}, "after", "before")
	if st := s.Stats(); st.Dropped != 1 || st.Recorded != 2 || st.LastError == nil {
		t.Errorf("%+v", st)
	}
}

// TestGate: decisions of the gate are on disk when Wait returns, and one that cannot be written at the first try is
// never written, while others wait for the disk.
func TestGate(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, func(c *Config) { c.Strict = true })
	record := func(id string, firstTry bool) error {
		t.Helper()
		g, err := s.RecordGate(entry(id, 1, noon), firstTry)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return g.Wait(ctx)
	}
	if err := record("first", true); err != nil {
		t.Fatal(err)
	}
	behind(t, dir, "CREATE TRIGGER full BEFORE INSERT ON decision_blocks BEGIN SELECT RAISE(FAIL, 'no room'); END")
	if err := record("refused", true); err == nil || !strings.Contains(err.Error(), "no room") {
		t.Errorf("written to a disk without room: %v", err)
	}
	record("waits", false)
	s.Record(entry("usual", 1, noon))
	if s.Stats().LastError == nil {
		t.Error("no error is told")
	}
	behind(t, dir, "DROP TRIGGER full")
	if err := record("later", true); err != nil {
		t.Error(err)
	}
	s.wants("after the disk has room again", Query{}, "later", "usual", "waits", "first")
}

// TestGateIsBounded: a disk that takes nothing does not fill the memory.
func TestGateIsBounded(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	behind(t, dir, "CREATE TRIGGER full BEFORE INSERT ON decision_blocks BEGIN SELECT RAISE(FAIL, 'no room'); END")
	j := New(Config{Mode: Verdicts, Store: db, Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	for i := range maxClosed*blockCount + maxGate {
		if _, err := j.RecordGate(entry("x", 1, noon), false); err != nil {
			t.Fatal(i, err)
		}
		if i == maxClosed*blockCount {
			j.cycle()
		}
	}
	if room := j.GateRoom(); room {
		t.Error("there is room")
	}
	j.cycle()
	for range 2 {
		j.RecordGate(entry("x", 1, noon), false)
	}
	if _, err := j.RecordGate(entry("x", 1, noon), false); !errors.Is(err, ErrFull) || j.Stats().Dropped == 0 {
		t.Errorf("%v, %+v", err, j.Stats())
	}
}

// TestTail: decisions that do not wait for the disk outlive a kill, once, also in a journal that is not strict any
// more.
func TestTail(t *testing.T) {
	dir := t.TempDir()
	open := func(strict bool) (*Journal, func()) {
		db, err := store.OpenMain(dir)
		if err != nil {
			t.Fatal(err)
		}
		return New(Config{Mode: Verdicts, Store: db, Strict: strict, Log: slog.Default()}), func() { db.Close() }
	}
	put := func(j *Journal, id string) {
		if _, err := j.RecordGate(entry(id, 1, noon), false); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(j *Journal, want string) {
		t.Helper()
		if ids, _, _ := (&started{Journal: j, t: t}).pageOnly(); strings.Join(ids, " ") != want {
			t.Errorf("%v, want %s", ids, want)
		}
	}
	j, kill := open(true)
	put(j, "a")
	before := &tail{files: j.tail.files}
	j.cycle()
	if j.tail.sizes != [2]int64{} {
		t.Errorf("what is in the database is still in the tail: %v", j.tail.sizes)
	}
	before.put(appendLine(nil, &slot{Entry: *entry("a", 1, noon)}, "", ""), func() {}) // killed before it was emptied
	put(j, "b")
	put(j, "c")
	kill()
	j, kill = open(false)
	j.cycle()
	wants(j, "c b a")
	put(j, "d") // of a journal that is not strict
	kill()
	j, kill = open(true)
	defer kill()
	j.cycle()
	wants(j, "c b a")
	for i := range 3 * tailBytes / 1000 {
		put(j, fmt.Sprint(i))
		if i%100 == 0 {
			taken := j.tail.marked(func() { j.take() })
			put(j, "meanwhile")
			j.tail.written(taken)
		}
	}
	if sizes := j.tail.sizes; sizes[0]+sizes[1] > 2*tailBytes {
		t.Errorf("the tail grows: %v", sizes)
	}
}

// TestGatePhotographs: a decision of the gate is kept without its photograph when that cannot be encoded, or when too
// many wait with one.
func TestGatePhotographs(t *testing.T) {
	db := opened(t, t.TempDir())
	j := New(Config{Mode: Full, Store: db, Log: slog.New(slog.DiscardHandler)})
	gate := func(i int, p Photograph) {
		e := entry(fmt.Sprint("g", i), 1, noon)
		e.Kind, e.Gate.Did, e.Photograph = Gate, "allowed", p
		if _, err := j.RecordGate(e, false); err != nil {
			t.Fatal(err)
		}
	}
	gate(0, spoilt{})
	for i := range maxGateShots + 1 { // two more than may wait with one
		gate(i+1, photograph{store.Photograph{Data: []byte{1}}})
	}
	j.cycle()
	all, with := 0, 0
	if _, err := j.Each(noon.Add(-time.Hour), noon.Add(time.Hour), func(d *Decision) bool {
		all++
		if d.Photographed {
			with++
		}
		return true
	}); err != nil || all != maxGateShots+2 || with != maxGateShots-1 {
		t.Errorf("%d decisions, %d photographed, %v", all, with, err)
	}
	if s := j.Stats(); s.Dropped != 0 || s.LastError == nil {
		t.Errorf("%+v", s)
	}
}
