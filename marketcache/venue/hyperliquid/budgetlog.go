package hyperliquid

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"
)

// budgetLog keeps on disk what was spent in the last minute, so that a process that
// restarts does not spend the venue's minute twice. Weight is written down in blocks
// before any of it is spent, so a crash can only make the record too high:
//
//	slot   0 ┌ crc32c  4 B ┬ weight 4 B ┬ wall clock, ms 8 B ┐
//	slot   1 │ ...                                            │   block n is in slot n%64
//
// What is spent of a block is spent before the next block is opened; of the last one,
// before the restart. What a request reserved and did not weigh is taken off its block
// again, or the record of a warm-up would stand so high that a restart had to sit out
// the minute. It is not synced: a machine that lost power takes longer than a minute to
// come back. A nil log keeps nothing.
type budgetLog struct {
	file   *os.File
	next   int64 // number of the next block
	left   int   // weight left of the open block
	block  int   // weight of a block
	weight [budgetSlots]int
	wallMs [budgetSlots]int64
}

const (
	budgetSlots    = 64
	budgetSlotSize = 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// openBudgetLog opens the record in dir. spent are the weights that a former process
// may have spent within the last minute, with the time since then at least.
func openBudgetLog(dir string, limit int, now time.Time) (l *budgetLog, spent []pastSpend, err error) {
	path := filepath.Join(dir, "budget")
	old, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, nil, err
	}
	spent = readBudgetLog(old, limit, now)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, spent, err
	}
	l = &budgetLog{file: file, block: max(limit/50, 1)}
	// The past must outlive a second restart within the minute.
	for _, s := range spent {
		l.write(s.weight, now.Add(-s.ago))
	}
	return l, spent, nil
}

// pastSpend is weight that was spent at least ago before now.
type pastSpend struct {
	weight int
	ago    time.Duration
}

// readBudgetLog returns what the file says was spent in the last minute. A slot that does not
// check counts as the largest that does, spent just now; all of them together, and a file of
// nothing else, as half of the budget.
func readBudgetLog(data []byte, limit int, now time.Time) []pastSpend {
	type block struct {
		weight int
		ms     int64
	}
	var found []block
	damaged, largest := 0, 0
	if len(data)%budgetSlotSize != 0 {
		damaged++
	}
	for ; len(data) >= budgetSlotSize; data = data[budgetSlotSize:] {
		slot := data[:budgetSlotSize]
		if crc32.Checksum(slot[4:], castagnoli) != binary.LittleEndian.Uint32(slot) {
			if anyNonZero(slot) {
				damaged++
			}
			continue
		}
		weight := int(int32(binary.LittleEndian.Uint32(slot[4:])))
		if weight > 0 {
			largest = max(largest, weight, limit/50)
			found = append(found, block{weight, int64(binary.LittleEndian.Uint64(slot[8:]))})
		}
	}
	var spent []pastSpend
	for _, b := range found {
		// The block ended when the next one was opened.
		end := now.UnixMilli()
		for _, o := range found {
			if o.ms > b.ms {
				end = min(end, o.ms)
			}
		}
		ago := time.Duration(max(0, now.UnixMilli()-end)) * time.Millisecond
		if ago <= budgetWindow {
			spent = append(spent, pastSpend{b.weight, ago})
		}
	}
	if damaged > 0 {
		weight := limit / 2
		if largest > 0 {
			weight = min(weight, damaged*largest)
		}
		spent = append(spent, pastSpend{weight, 0})
	}
	return spent
}

func anyNonZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return true
		}
	}
	return false
}

// spend writes down weight before it is spent and returns the block it stands in. A disk
// that does not take it is nobody's concern but the next start's.
func (l *budgetLog) spend(weight int) (block int64) {
	if l == nil {
		return 0
	}
	if weight > l.left {
		more := max(l.block, weight)
		l.write(more, time.Now())
		l.left += more
	}
	l.left -= weight
	return l.next - 1
}

// refund takes weight off a block that was reserved there and not spent.
func (l *budgetLog) refund(block int64, weight int) {
	slot := block % budgetSlots
	if l == nil || weight <= 0 || block < 0 || l.next-block > budgetSlots {
		return
	}
	l.weight[slot] = max(0, l.weight[slot]-weight)
	l.save(slot)
}

func (l *budgetLog) write(weight int, at time.Time) {
	slot := l.next % budgetSlots
	l.weight[slot], l.wallMs[slot] = weight, at.UnixMilli()
	l.next++
	l.save(slot)
}

func (l *budgetLog) save(slot int64) {
	var b [budgetSlotSize]byte
	binary.LittleEndian.PutUint32(b[4:], uint32(l.weight[slot]))
	binary.LittleEndian.PutUint64(b[8:], uint64(l.wallMs[slot]))
	binary.LittleEndian.PutUint32(b[:], crc32.Checksum(b[4:], castagnoli))
	l.file.WriteAt(b[:], slot*budgetSlotSize)
}

func (l *budgetLog) close() { l.file.Close() }
