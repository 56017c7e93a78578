package feed

import (
	"math/rand/v2"
	"testing"
	"time"

	"ballast/marketcache"
)

// In any time up to a minute at most a burst, and for the rest of the time three quarters of the limit evenly, is
// spent; weight that is left to others is always free at once; and what does not fit now fits after the wait that is
// told, not before.
func TestMeter(t *testing.T) {
	const limit, burst = 600, 150
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		m, k := &meter{limit: limit}, ForWallet
		now := marketcache.Instant(time.Hour)
		fits := func(weight, leave int) bool { return m.wait(0, weight, leave, false, now) == 0 }
		var spent []spending
		for range 2000 {
			now = now.Add(time.Duration(r.Int64N(int64(2 * time.Second))))
			m.roll(now)
			weight, leave := 1+r.IntN(60), 30*r.IntN(2)
			if wait := m.wait(0, weight, leave, false, now); wait > 0 {
				now = now.Add(wait - 2*time.Millisecond)
				if m.roll(now); wait > 3*time.Millisecond && fits(weight, leave) {
					t.Fatalf("fits before the wait of %v", wait)
				}
				now = now.Add(2 * time.Millisecond)
				if m.roll(now); !fits(weight, leave) {
					t.Fatalf("does not fit after the wait of %v", wait)
				}
			}
			m.assume(k, weight, now)
			spent = append(spent, spending{at: now, weight: weight})
			if leave > 0 && !fits(leave, 0) {
				t.Fatal("the weight that was left is not free")
			}
			sum := 0
			for i := len(spent) - 1; i >= 0 && now.Sub(spent[i].at) <= budgetWindow; i-- {
				sum += spent[i].weight
				if most := burst + (limit-burst)*now.Sub(spent[i].at).Seconds()/60; float64(sum) > most+1e-6 {
					t.Fatalf("%d in %v, want at most %.1f", sum, now.Sub(spent[i].at), most)
				}
			}
			if sum != m.used() {
				t.Fatalf("%d counts, %d were spent", m.used(), sum)
			}
		}
	}
}

// A meter that always has work spends the whole limit, and begins with the burst.
func TestMeterIsUsedUp(t *testing.T) {
	m, now, sum, atOnce := &meter{limit: 600}, marketcache.Instant(time.Hour), 0, 0
	began, k := now, ForHistory
	for now.Sub(began) < 10*time.Minute {
		if wait := m.wait(0, 5, 0, false, now); wait > 0 {
			now = now.Add(wait)
			m.roll(now)
			continue
		}
		m.assume(k, 5, now)
		if sum += 5; now == began {
			atOnce = sum
		}
	}
	if atOnce != 150 || sum < 5900 || sum > 6000 {
		t.Errorf("%d at once, %d in ten minutes", atOnce, sum)
	}
}

func TestMeterOfOneLargeRead(t *testing.T) {
	m, k, now := &meter{limit: 200}, ForLive, marketcache.Instant(time.Hour)
	if m.wait(0, 104, 20, false, now) != 0 {
		t.Error("a read larger than the burst does not fit an empty minute")
	}
	m.assume(k, 20, now)
	if wait := m.wait(0, 104, 20, false, now); wait != 8*time.Second { // 20 at 150 a minute
		t.Errorf("after a small one it fits in %v", wait)
	}
	if wait := m.wait(0, 100, 0, true, now); wait != 0 {
		t.Errorf("for the start it fits in %v", wait)
	}
	m.halved = now.Add(time.Minute)
	if wait := m.wait(0, 90, 0, true, now); wait <= budgetWindow {
		t.Errorf("more than half a limit fits in %v", wait)
	}
}

// The weight of a read that hangs comes free at the usual pace from its grant on, yet counts against the limit until a
// minute after the read ended. Weight that is given back counts no more.
func TestMeterOfAReadThatHangs(t *testing.T) {
	withQueue(t, func(t *testing.T, q *Queue) {
		acquire := func(weight int) *Grant {
			t.Helper()
			g, err := q.Acquire(t.Context(), Read{Class: ForLive, Weight: weight})
			if err != nil {
				t.Fatalf("%d do not fit: %v", weight, err)
			}
			return g
		}
		hangs := acquire(150)
		time.Sleep(10 * time.Second)
		acquire(75).Release() // 7.5 a second
		hangs.Settle(150, 150)
		acquire(75).Release()
		time.Sleep(budgetWindow)
		if n := q.Weight().Sum(); n != 150 {
			t.Errorf("%d count after a minute", n)
		}
		time.Sleep(time.Millisecond)
		if n := q.Weight().Sum(); n != 0 {
			t.Errorf("%d count later", n)
		}
	})
}
