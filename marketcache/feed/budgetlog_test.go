package feed

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"
)

func openBudgetLog(t *testing.T, a Archive) *BudgetLog {
	t.Helper()
	l, err := OpenBudgetLog(a, 1200)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *BudgetLog) told() (sum int) {
	for _, s := range l.past {
		sum += s.weight
	}
	return sum
}

// TestBudgetLog ends processes at random moments, in order or by a crash: the next one is told at least what was
// spent in the last minute, and little more.
func TestBudgetLog(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			m, began := &memory{}, time.Now()
			var spends []pastSpend // ago: since began
			excess, crashed := 0, 0
			for range 1 + r.IntN(5) {
				l := openBudgetLog(t, m)
				truth, about := 0, 0
				for _, s := range spends {
					if age := time.Since(began) - s.ago; age < time.Minute {
						truth += s.weight
						about += s.weight
					} else if age < time.Minute+2*time.Second {
						about += s.weight
					}
				}
				if told := l.told(); told < truth || told > about+excess+crashed*1200/30 {
					t.Errorf(
						"the log tells %d, spent %d in a minute, %d in a little more; %d crashes, %d given back late",
						told, truth, about, crashed, excess)
				}
				for _, p := range l.past {
					if p.ago < 0 || p.ago > time.Minute {
						t.Errorf("the log tells of weight %v ago", p.ago)
					}
				}
				late := 0
				for range r.IntN(30) {
					weight := 2 + r.IntN(100)
					back := r.IntN(weight)
					second := l.spend(weight, time.Now())
					late += back
					l.refund(second, back)
					spends = append(spends, pastSpend{weight - back, time.Since(began)})
					time.Sleep(time.Duration(r.Int64N(int64(3 * time.Second))))
				}
				if r.IntN(2) == 0 {
					l.close()
				} else {
					crashed++
					excess += late
				}
			}
		})
	}
}

// TestBudgetLogWritesAhead: most grants find their weight recorded.
func TestBudgetLogWritesAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		m := &memory{}
		l := openBudgetLog(t, m)
		for range 100 {
			l.spend(4, time.Now())
			time.Sleep(100 * time.Millisecond)
		}
		if n := len(m.writes()); n > 20 {
			t.Errorf("%d writes in ten seconds of an even spend", n)
		}
		// A disk that does not answer keeps a grant for a moment, once.
		synctest.Wait()
		m.saveTime = time.Hour
		at := time.Now()
		for range 50 {
			l.spend(100, time.Now())
		}
		if waited := time.Since(at); waited != writePatience {
			t.Errorf("grants waited %v for the disk", waited)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		m.saveTime = 0
		l.spend(50, time.Now())
		l.close()
		if told := openBudgetLog(t, m).told(); told != 50 {
			t.Errorf("after the disk answers again: %d told, 50 spent", told)
		}
	})
}

func TestBudgetLogUnreadable(t *testing.T) {
	m := &memory{}
	m.Save(spentName, map[string][]byte{spentName: []byte("no record")})
	b := NewQueue(1200, openBudgetLog(t, m))
	defer b.Close()
	if b.Weight().Sum() != 600 {
		t.Errorf("after a record that cannot be read %d count as used, want half", b.Weight().Sum())
	}
	m.onLoad = func() error { return errors.New("input/output error") }
	if _, err := OpenBudgetLog(m, 1200); err == nil {
		t.Error("a disk that does not read was taken for an empty one")
	}
}

// After the wall clock has stepped, the record of the minute before counts for a minute at most; one of the future
// not at all, whatever its weight.
func TestBudgetLogAfterStep(t *testing.T) {
	for step, want := range map[time.Duration]pastSpend{
		-time.Hour: {}, -5 * time.Second: {}, 0: {30, 0}, 50 * time.Second: {30, 50 * time.Second},
		61 * time.Second: {},
	} {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			m := &memory{}
			value, _ := json.Marshal([]spentSecond{{UntilMs: time.Now().Add(-step).UnixMilli(), Weight: 30}})
			m.Save(spentName, map[string][]byte{spentName: seal(value)})
			for range 3 { // it is not renewed by another start
				l := openBudgetLog(t, m)
				if l.told() != want.weight || want.weight > 0 &&
					(l.past[0].ago > want.ago || l.past[0].ago < want.ago-time.Second) {
					t.Errorf("after a step of %v: %v, want %v, at most a second less long ago", step, l.past, want)
				}
				l.refund(0, 30)
				l.refund(l.spend(1, time.Now()), 1)
				l.close()
				time.Sleep(5 * time.Second)
				if want.ago += 5 * time.Second; want.ago > time.Minute {
					want = pastSpend{}
				}
			}
		})
	}
}
