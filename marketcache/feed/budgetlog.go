package feed

import (
	"encoding/json"
	"slices"
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
	first   int64         // number of the first of spent
	written chan struct{} // closed when the last write has ended
}

// spentSecond is the weight granted in a second.
type spentSecond struct {
	UntilMs  int64 `json:"until_ms"` // its end by the wall clock
	Weight   int   `json:"weight"`
	recorded int   // weight in the archive
}

// pastSpend is weight that a previous process spent; ago is a lower bound on how long ago.
type pastSpend struct {
	weight int
	ago    time.Duration
}

// writePatience is how long a grant waits for its record: a disk that does not answer costs the record, not the grant.
const writePatience = 100 * time.Millisecond

// OpenBudgetLog opens the log of a budget of limit weight per minute. A record that cannot be understood counts as
// half of the budget, spent just now. Seconds of the future count for nothing: with the clock as it is, nobody knows
// when they were, and a start must not wait for them.
func OpenBudgetLog(a Archive, limit int) (*BudgetLog, error) {
	parts, err := a.Load(spentName)
	if err != nil {
		return nil, err
	}
	l := &BudgetLog{archive: a, ahead: limit / 30, first: 1, written: make(chan struct{})}
	close(l.written)
	now := time.Now().UnixMilli()
	if value := parts[spentName]; value != nil && json.Unmarshal(unseal(value), &l.spent) != nil {
		l.spent = []spentSecond{{UntilMs: now, Weight: limit / 2}}
	}
	l.spent = slices.DeleteFunc(l.spent, func(s spentSecond) bool { return s.UntilMs > now+1000 || s.Weight <= 0 })
	l.roll(now)
	for _, s := range l.spent { // they stay in the log, to survive a second restart within the minute
		l.past = append(l.past, pastSpend{s.Weight, time.Duration(max(0, now-s.UntilMs)) * time.Millisecond})
	}
	return l, nil
}

// roll forgets seconds that ended over a minute ago. None ends more than a second from now, unless the wall clock has
// stepped back: such seconds end then.
func (l *BudgetLog) roll(nowMs int64) {
	for i := range l.spent {
		l.spent[i].UntilMs = min(l.spent[i].UntilMs, nowMs+1000)
	}
	for len(l.spent) > 0 && nowMs-l.spent[0].UntilMs > budgetWindow.Milliseconds() {
		l.spent = l.spent[1:]
		l.first++
	}
}

// spend records weight before it is spent and returns the number of its second. Disk errors are ignored, because they
// matter only to the next start.
func (l *BudgetLog) spend(weight int, at time.Time) (second int64) {
	if l == nil {
		return 0
	}
	ms := at.UnixMilli()
	l.roll(ms)
	if n := len(l.spent); n == 0 || l.spent[n-1].UntilMs <= ms {
		l.spent = append(l.spent, spentSecond{UntilMs: ms + 1000})
	}
	newest := &l.spent[len(l.spent)-1]
	if newest.Weight += weight; newest.Weight > newest.recorded {
		l.save(l.ahead)
	}
	return l.first + int64(len(l.spent)) - 1
}

// refund subtracts unused weight from the second that recorded it; number 0 is none.
func (l *BudgetLog) refund(second int64, weight int) {
	if l != nil && second >= l.first {
		s := &l.spent[second-l.first]
		s.Weight = max(0, s.Weight-weight)
	}
}

// save writes the log, with ahead more for the newest second. It does nothing while an earlier write hangs.
func (l *BudgetLog) save(ahead int) {
	select {
	case <-l.written:
	default:
		return
	}
	newest := len(l.spent) - 1
	l.spent[newest].recorded = l.spent[newest].Weight + ahead
	seconds := slices.Clone(l.spent)
	seconds[newest].Weight += ahead
	value, _ := json.Marshal(seconds)
	written := make(chan struct{})
	l.written = written
	go func() {
		defer close(written)
		_ = l.archive.Save(spentName, map[string][]byte{spentName: seal(value)})
	}()
	select {
	case <-written:
	case <-time.After(writePatience):
	}
}

// close writes what was given back.
func (l *BudgetLog) close() {
	if l != nil && len(l.spent) > 0 {
		l.save(0)
	}
}
