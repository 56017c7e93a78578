package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"slices"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
)

const (
	// blockCount is how many decisions a block has at most.
	blockCount = 256
	// maxClosed is how many full blocks may wait for a disk that takes no writes. Then decisions stay in their queues.
	maxClosed = 64
	// dropEvery is how often old decisions are removed.
	dropEvery = time.Minute
	// maxOpen is how long a block is open.
	maxOpen = time.Hour
	// lastWrite is how long the writer tries to write the rest at the end.
	lastWrite = 5 * time.Second
)

// book is what the writer has not put away: full blocks, the open one, and photographs. A copy of it is its state
// before what is added later, if it is pinned: then slices only grow.
type book struct {
	packer      *packer
	pinned      bool
	closed      []store.DecisionBlock // full ones that are not on disk
	photographs []store.Photograph    // that are not on disk
	told        []byte                // lines that are not on disk and are to be published

	id              int64 // of the open block
	lines           []byte
	count, unsaved  int // decisions of the open block; those that are not on disk, closed blocks included
	opened          time.Time
	firstMs, lastMs int64
	marks           []uint32
	// stored is the size of the open block on disk, replaced that of closed ones that were open there.
	stored, replaced int
}

// Run writes what is recorded until ctx ends, and then the rest.
func (j *Journal) Run(ctx context.Context) {
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	if j.cfg.Mode == Off {
		return
	}
	var dropped time.Time
	for {
		var done chan struct{}
		select {
		case <-ctx.Done():
			j.end()
			return
		case <-tick.C:
		case <-j.wake:
		case done = <-j.flush:
		}
		j.cycle()
		if done != nil {
			close(done)
		}
		if time.Since(dropped) >= dropEvery {
			dropped = time.Now()
			j.dropOld(dropped)
		}
	}
}

// end writes the rest.
func (j *Journal) end() {
	for until := time.Now().Add(lastWrite); ; time.Sleep(100 * time.Millisecond) {
		j.cycle()
		if j.book.unsaved == 0 || time.Now().After(until) {
			j.tail.close(filepath.Dir(j.cfg.Store.Path()))
			return
		}
	}
}

// cycle writes what was recorded up to now.
func (j *Journal) cycle() {
	var usual []slot
	var gate []*GateEntry
	taken := j.tail.marked(func() { usual, gate = j.take() })
	for i := range usual {
		j.add(&usual[i])
	}
	var strict []*GateEntry
	for _, g := range gate {
		if g.strict {
			strict = append(strict, g)
		} else {
			j.add(&g.slot)
		}
	}
	if len(strict) == 0 {
		j.write()
	} else {
		j.writeStrict(strict)
	}
	for _, g := range gate {
		close(g.done)
	}
	if j.book.unsaved == 0 {
		j.tail.written(taken)
	}
}

// take takes what was recorded. The slots are the writer's until the next call. While the disk takes no writes,
// only so much is taken that memory is bounded.
func (j *Journal) take() (usual []slot, gate []*GateEntry) {
	stuck := len(j.book.closed) >= maxClosed
	j.mu.Lock()
	defer j.mu.Unlock()
	if !stuck {
		usual, j.front, j.back = j.front[:j.used], j.back, j.front
		j.used, j.spill = 0, 0
		gate, j.gate = j.gate, nil
		return usual, gate
	}
	waiting := j.gate[:0]
	for _, g := range j.gate { // strict ones learn that nothing can be written
		if g.strict {
			gate = append(gate, g)
		} else {
			waiting = append(waiting, g)
		}
	}
	j.gate = waiting
	return nil, gate
}

// add adds a decision to the open block. One that cannot be encoded costs itself, one of the gate its photograph alone.
func (j *Journal) add(s *slot) (err error) {
	before := j.book
	err = j.super.Guard("journal", func() error { return j.book.add(s, j.cfg.Publish != nil) })
	if err != nil {
		j.book = before
		j.failed(err)
		if s.Kind == Gate && s.Photograph != nil {
			s.Photograph = nil
			return j.add(s)
		}
		j.dropped.Add(1)
	}
	return err
}

func (b *book) add(s *slot, tell bool) error {
	if s.Resolve != nil {
		s.Resolve(&s.Entry)
	}
	inputs, answer := "", ""
	if s.Photograph != nil {
		kept, in, out, err := s.Photograph.Encode()
		if err != nil {
			return fmt.Errorf("photograph of %s: %w", s.RequestID, err)
		}
		kept.RequestID, kept.Place, kept.Block = string(s.RequestID), s.Index, b.id
		b.photographs = append(b.photographs, kept)
		inputs, answer = in, out
	}
	begin := len(b.lines)
	b.lines = appendLine(b.lines, s, inputs, answer)
	if tell {
		b.told = append(b.told, b.lines[begin:]...)
	}
	b.added(s.RequestID, &s.Wallet, s.AtMs)
	return nil
}

// addLine adds a line that is a decision.
func (b *book) addLine(text []byte, d *Decision) {
	wallet, _ := marketcache.ParseWallet([]byte(d.Wallet))
	b.lines = append(b.lines, text...)
	b.added([]byte(d.RequestID), &wallet, d.At.UnixMilli())
}

// added counts the decision whose line was added.
func (b *book) added(requestID []byte, wallet *marketcache.Wallet, atMs int64) {
	if b.count == 0 {
		b.opened, b.firstMs = time.Now(), atMs
	}
	b.firstMs = min(b.firstMs, atMs)
	b.lastMs = max(b.lastMs, atMs)
	b.marks = append(b.marks, mark(requestID))
	if wallet := mark(wallet[:]); !slices.Contains(b.marks, wallet) {
		b.marks = append(b.marks, wallet)
	}
	b.count++
	b.unsaved++
	if b.count == blockCount {
		b.closed = append(b.closed, b.block())
		b.replaced += b.stored
		b.next()
	}
}

// next begins the next block.
func (b *book) next() {
	b.id, b.count, b.stored = b.id+1, 0, 0
	if b.pinned {
		b.lines, b.marks = nil, nil
	}
	b.lines, b.marks, b.lastMs = b.lines[:0], b.marks[:0], 0
}

// mark is the mark of a request id or a wallet in a block.
func mark(of []byte) uint32 { return crc32.Checksum(of, castagnoli) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// block returns the open block as it is kept.
func (b *book) block() store.DecisionBlock {
	marks := make([]byte, 0, 4*len(b.marks))
	for _, m := range b.marks {
		marks = binary.LittleEndian.AppendUint32(marks, m)
	}
	return store.DecisionBlock{ID: b.id, FirstMs: b.firstMs, LastMs: b.lastMs, Count: b.count, Marks: marks,
		Data: b.packer.pack(b.lines)}
}

// write writes what is not on disk. What cannot be written stays for the next time.
func (j *Journal) write() error {
	b := &j.book
	if b.unsaved == 0 {
		return nil
	}
	blocks := b.closed
	parts := 0
	err := j.super.Guard("journal", func() (err error) {
		if b.count > 0 {
			blocks = append(slices.Clip(blocks), b.block())
		}
		parts, err = j.cfg.Store.PutDecisions(blocks, b.photographs)
		return err
	})
	if err != nil {
		j.failed(err)
		return err
	}
	j.recorded.Add(uint64(b.unsaved))
	added := parts - b.stored - b.replaced
	for i := range blocks {
		b.stored = blocks[i].Size()
		added += b.stored
	}
	for i := range b.photographs {
		added += len(b.photographs[i].Data)
	}
	if b.count == 0 {
		b.stored = 0
	}
	j.bytes.Add(int64(added))
	j.oldestMs.CompareAndSwap(0, blocks[0].FirstMs)
	told := b.told
	b.closed, b.photographs, b.told, b.unsaved, b.replaced = nil, nil, nil, 0, 0
	for line := range bytes.Lines(told) {
		if d, err := decode(line); err == nil {
			j.cfg.Publish(d.Wallet, d.JSON())
		}
	}
	return nil
}

// writeStrict writes decisions of the gate that wait to be handed on, and all others. If the disk takes no writes they
// are taken back, because what they say does not happen then.
func (j *Journal) writeStrict(all []*GateEntry) {
	before := j.book
	j.book.pinned = true
	for _, g := range all {
		g.err = j.add(&g.slot)
	}
	if err := j.write(); err != nil {
		j.book = before
		for _, g := range all {
			g.err = err
		}
	}
	j.book.pinned = false
}

// dropOld removes what is kept no longer. A block that is open for long is closed, so that it can become old.
func (j *Journal) dropOld(now time.Time) {
	if b := &j.book; b.count > 0 && b.unsaved == 0 && now.Sub(b.opened) > maxOpen {
		b.next()
	}
	var before int64
	if j.cfg.MaxAge > 0 {
		before = now.Add(-j.cfg.MaxAge).UnixMilli()
	}
	most := j.cfg.MaxBytes
	if most == 0 {
		most = 1 << 62
	}
	if oldest := j.oldestMs.Load(); oldest >= before && j.bytes.Load() <= most {
		return
	}
	_, left, err := j.cfg.Store.DropDecisions(before, most)
	if err != nil {
		j.failed(err)
		return
	}
	j.note(left)
	if left.NewestID == 0 && j.book.unsaved == 0 { // the open block among them
		j.book.next()
	}
}
