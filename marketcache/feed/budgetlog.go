package feed

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// BudgetLog keeps the weight spent in the last minute on disk, so that a restarted process does
// not spend it again. Each of 64 slots holds the weight granted in one second of the wall clock:
//
//	slot   0 ┌ crc32c  4 B ┬ weight 4 B ┬ wall clock, ms 8 B ┐
//	slot   1 │ ...                                            │   second n is in slot n%64
//
// Weight is written before it is spent, so that after a crash the record is too high at worst.
// Reserved weight that was not used is subtracted from its second: otherwise a restart
// during the warm-up would wait for most of a minute. Nothing is synced to disk: a machine takes
// longer than a minute to restart after a power failure. A nil log keeps nothing.
type BudgetLog struct {
	past  []pastSpend // weight of previous processes
	file  *os.File
	slots [budgetSlots]budgetSlot
}

type budgetSlot struct {
	weight int
	wallMs int64
}

const (
	budgetSlots    = 64
	budgetSlotSize = 16
)

// pastSpend is weight that a previous process spent; ago is a lower bound on how long ago.
type pastSpend struct {
	weight int
	ago    time.Duration
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// OpenBudgetLog opens the log of a budget of limit weight per minute: the file "budget" in dir.
func OpenBudgetLog(dir string, limit int) (*BudgetLog, error) {
	path := filepath.Join(dir, "budget")
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	l := &BudgetLog{past: readBudgetLog(old, limit, now), file: file}
	for _, s := range l.past { // written again, to survive a second restart within the minute
		l.spend(s.weight, now.Add(-s.ago))
	}
	return l, nil
}

// readBudgetLog returns the weight spent in the last minute according to the file. Damaged slots
// together count as half of the budget, spent just now.
func readBudgetLog(data []byte, limit int, now time.Time) (spent []pastSpend) {
	var found []budgetSlot
	damaged := len(data)%budgetSlotSize != 0
	for ; len(data) >= budgetSlotSize; data = data[budgetSlotSize:] {
		slot := [budgetSlotSize]byte(data)
		s := budgetSlot{int(int32(binary.LittleEndian.Uint32(slot[4:]))), int64(binary.LittleEndian.Uint64(slot[8:]))}
		switch {
		case slot == [budgetSlotSize]byte{}: // never written
		case crc32.Checksum(slot[4:], castagnoli) != binary.LittleEndian.Uint32(slot[:]):
			damaged = true
		case s.weight > 0:
			found = append(found, s)
		}
	}
	for _, s := range found {
		end := now.UnixMilli() // latest time of the slot's grants
		for _, o := range found {
			if o.wallMs > s.wallMs {
				end = min(end, o.wallMs)
			}
		}
		if ago := time.Duration(now.UnixMilli()-end) * time.Millisecond; ago <= budgetWindow {
			spent = append(spent, pastSpend{s.weight, ago})
		}
	}
	if damaged {
		spent = append(spent, pastSpend{limit / 2, 0})
	}
	return spent
}

// spend records weight before it is spent and returns the second of its slot. Disk errors are
// ignored, because they matter only to the next start.
func (l *BudgetLog) spend(weight int, at time.Time) (second int64) {
	if l == nil {
		return 0
	}
	second = at.Unix()
	slot := &l.slots[second%budgetSlots]
	if slot.wallMs/1000 < second { // else the same second, or the clock stepped back: add, which is safe
		slot.weight = 0
	}
	if slot.wallMs/1000 != second {
		slot.wallMs = at.UnixMilli()
	}
	slot.weight += weight
	l.save(second)
	return second
}

// refund subtracts unused weight from the second that recorded it.
func (l *BudgetLog) refund(second int64, weight int) {
	if l == nil {
		return
	}
	if slot := &l.slots[second%budgetSlots]; weight > 0 && slot.wallMs/1000 == second {
		slot.weight = max(0, slot.weight-weight)
		l.save(second)
	}
}

func (l *BudgetLog) save(second int64) {
	n := second % budgetSlots
	var b [budgetSlotSize]byte
	binary.LittleEndian.PutUint32(b[4:], uint32(l.slots[n].weight))
	binary.LittleEndian.PutUint64(b[8:], uint64(l.slots[n].wallMs))
	binary.LittleEndian.PutUint32(b[:], crc32.Checksum(b[4:], castagnoli))
	l.file.WriteAt(b[:], n*budgetSlotSize)
}

func (l *BudgetLog) close() {
	if l != nil {
		l.file.Close()
	}
}
