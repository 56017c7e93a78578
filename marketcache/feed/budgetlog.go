package feed

import (
	"encoding/json"
	"time"
)

// BudgetLog keeps the weight spent in the last minute in an Archive, so that a restarted process does not spend it
// again. Weight is recorded before it is spent, with some in advance, so that most grants wait for no write; weight
// that was not used is given back with the next write, and at the end. After a crash the record is therefore right or
// somewhat too high. A nil log keeps nothing. The budget's lock guards it.
type BudgetLog struct {
	past    []pastSpend // weight of previous processes
	archive Archive
	ahead   int           // recorded in advance
	spent   []spentSecond // of the last minute, oldest first
	seconds int64         // number of the newest of spent
	written chan struct{} // closed when the last write has ended
}

// spentSecond is the weight granted in a second.
type spentSecond struct {
	number   int64
	began    time.Time
	weight   int
	recorded int // weight in the archive
}

// pastSpend is weight that a previous process spent; ago is a lower bound on how long ago.
type pastSpend struct {
	weight int
	ago    time.Duration
}

// savedSpend is the form of a spentSecond in the archive.
type savedSpend struct {
	Weight  int   `json:"weight"`
	UntilMs int64 `json:"until_ms"` // end of the second
}

// writePatience is how long a grant waits for its record: a disk that does not answer costs the record, not the grant.
const writePatience = 100 * time.Millisecond

// OpenBudgetLog opens the log of a budget of limit weight per minute.
func OpenBudgetLog(a Archive, limit int) (*BudgetLog, error) {
	parts, err := a.Load(spentName)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	l := &BudgetLog{past: readSpent(parts[spentName], limit, now), archive: a, ahead: limit / 30, written: make(chan struct{})}
	close(l.written)
	for _, s := range l.past { // recorded again, to survive a second restart within the minute
		l.seconds++
		l.spent = append(l.spent, spentSecond{l.seconds, now.Add(-s.ago - time.Second), s.weight, s.weight})
	}
	return l, nil
}

// readSpent returns the weight spent in the last minute. A record that cannot be read counts as half of the budget,
// spent just now.
func readSpent(value []byte, limit int, now time.Time) (spent []pastSpend) {
	if value == nil {
		return nil
	}
	var seconds []savedSpend
	if json.Unmarshal(value, &seconds) != nil {
		return []pastSpend{{limit / 2, 0}}
	}
	for _, s := range seconds {
		ago := time.Duration(max(0, now.UnixMilli()-s.UntilMs)) * time.Millisecond
		if ago <= budgetWindow && s.Weight > 0 {
			spent = append(spent, pastSpend{s.Weight, ago})
		}
	}
	return spent
}

// spend records weight before it is spent and returns the number of its second. Disk errors are ignored, because they
// matter only to the next start.
func (l *BudgetLog) spend(weight int, at time.Time) (second int64) {
	if l == nil {
		return 0
	}
	for len(l.spent) > 0 && at.Sub(l.spent[0].began) > budgetWindow+time.Second {
		l.spent = l.spent[1:]
	}
	if n := len(l.spent); n == 0 || at.Sub(l.spent[n-1].began) >= time.Second {
		l.seconds++
		l.spent = append(l.spent, spentSecond{number: l.seconds, began: at})
	}
	newest := &l.spent[len(l.spent)-1]
	if newest.weight += weight; newest.weight > newest.recorded {
		l.save(l.ahead, at)
	}
	return newest.number
}

// refund subtracts unused weight from the second that recorded it.
func (l *BudgetLog) refund(second int64, weight int) {
	if l == nil {
		return
	}
	for i := range l.spent {
		if s := &l.spent[i]; s.number == second {
			s.weight = max(0, s.weight-weight)
		}
	}
}

// save writes the log, with ahead more for the newest second. It does nothing while an earlier write hangs.
func (l *BudgetLog) save(ahead int, now time.Time) {
	select {
	case <-l.written:
	default:
		return
	}
	seconds := make([]savedSpend, len(l.spent))
	for i := range l.spent {
		s := &l.spent[i]
		if s.recorded = s.weight; i == len(l.spent)-1 {
			s.recorded += ahead
		}
		seconds[i] = savedSpend{s.recorded, now.UnixMilli() + s.began.Add(time.Second).Sub(now).Milliseconds() + 1}
	}
	value, _ := json.Marshal(seconds)
	written := make(chan struct{})
	l.written = written
	go func() {
		defer close(written)
		_ = l.archive.Save(spentName, map[string][]byte{spentName: value})
	}()
	select {
	case <-written:
	case <-time.After(writePatience):
	}
}

// close writes what was given back.
func (l *BudgetLog) close() {
	if l != nil && len(l.spent) > 0 {
		l.save(0, time.Now())
	}
}
