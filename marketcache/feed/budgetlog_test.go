package feed

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// After the wall clock has stepped back, old weight counts once more at most, and refunds arrive.
func TestBudgetLogAfterStepBack(t *testing.T) {
	dir := t.TempDir()
	l, err := OpenBudgetLog(dir, 1200)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for i := range 400 {
		if i == 200 {
			now = now.Add(-time.Hour)
		}
		now = now.Add(time.Second)
		l.refund(l.spend(30, now), 10)
	}
	l.close()
	data, err := os.ReadFile(filepath.Join(dir, "budget"))
	sum := 0
	for _, s := range readBudgetLog(data, 1200, now) {
		sum += s.weight
	}
	if err != nil || sum < 60*20 || sum > 62*20 {
		t.Errorf("%d spent in a minute, %v", sum, err)
	}
}

// TestBudgetLog restarts at random moments: the weight that the file reports for the last minute is
// at least the weight that was spent.
func TestBudgetLog(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			toTheFuture()
			dir := t.TempDir()
			var spends []pastSpend
			began := time.Now()
			for range 1 + r.IntN(4) { // number of restarts
				l, err := OpenBudgetLog(dir, 1200)
				if err != nil {
					t.Fatal(err)
				}
				truth, told := 0, 0
				for _, s := range spends {
					if time.Since(began)-s.ago < time.Minute {
						truth += s.weight
					}
				}
				for _, p := range l.past {
					told += p.weight
					if p.ago < 0 || p.ago > time.Minute {
						t.Errorf("the log reports weight of %v ago", p.ago)
					}
				}
				if told < truth {
					t.Errorf("the log reports %d, spent %d", told, truth)
				}
				if told > truth+3*1200/20+1200 {
					t.Errorf("the log reports %d, spent only %d", told, truth)
				}
				for range r.IntN(30) {
					w := 2 + r.IntN(100)
					l.spend(w, time.Now())
					spends = append(spends, pastSpend{w, time.Since(began)})
					time.Sleep(time.Duration(r.Int64N(int64(5 * time.Second))))
				}
				l.close()
			}
		})
	}
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "budget"), []byte("this is not a record at all, and odd"), 0o600)
	l, err := OpenBudgetLog(dir, 1200)
	if err != nil || len(l.past) != 1 || l.past[0].weight != 600 {
		t.Fatalf("a file without a valid record: %v %v", l, err)
	}
	if b := NewQueue(1200, l); b.Used() != 600 {
		t.Errorf("after a file without a valid record %d count as used, want 600", b.Used())
	} else {
		b.Close()
	}
	// A damaged file counts as half of the budget spent.
	l, err = OpenBudgetLog(t.TempDir(), 1200)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for i := range 5 {
		l.spend(24, time.Now().Add(time.Duration(i-5)*time.Second))
	}
	second := l.spend(100, time.Now())
	l.refund(second, 76)
	whole, err := os.ReadFile(l.file.Name())
	if err != nil {
		t.Fatal(err)
	}
	for at := range whole {
		b := slices.Clone(whole)
		b[at] ^= 4
		told := 0
		for _, p := range readBudgetLog(b, 1200, time.Now()) {
			told += p.weight
		}
		if told < 5*24+600 || told > 6*24+600 { // at most one of six slots is lost; damage counts as 600
			t.Fatalf("damage at byte %d: the log reports %d, want %d spent plus 600 for the damage", at, told, 6*24)
		}
	}
}
