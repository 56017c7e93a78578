package watches

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ballast/server/alerts"
)

const (
	began    = "alert.began high_risk_score warning"
	turned   = "alert.critical high_risk_score critical"
	critical = "alert.began high_risk_score critical"
	ended    = "alert.ended high_risk_score "
)

// TestToldOnce: a standing breach is told when it begins, when it turns critical and when it ends, however many calls
// find it, and a shift of regime when it comes.
func TestToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		b := w.book(&Memory{})
		defer w.run(b)()
		w.set(func() { w.score[aWallet] = 50 })
		w.watch(b, "key_a", aWallet, aURL)
		passes(time.Minute)
		w.want("nothing breaches")
		var want []string
		for _, row := range []struct {
			score float64
			told  []string
		}{
			{71, []string{began}}, {90, []string{turned}}, {75, nil}, {99, nil}, {60, []string{ended + "critical"}},
			{88, []string{critical}}, {70, []string{ended + "critical"}}, {71, []string{began}},
			{70, []string{ended + "warning"}},
		} {
			w.set(func() { w.score[aWallet] = row.score })
			passes(time.Minute)
			want = append(want, row.told...)
			w.want(fmt.Sprint("score ", row.score), want...)
		}
		w.set(func() { w.regime = 2 })
		passes(time.Minute)
		want = append(want, "regime.shifted regime_shift critical")
		w.want("crisis", want...)
		w.set(func() { w.score[aWallet] = 95 })
		passes(time.Minute)
		w.set(func() { delete(w.score, aWallet) })
		passes(time.Minute)
		w.want("the position is gone", append(want, critical, ended+"critical")...)
		seen := map[string]bool{}
		for _, p := range w.got {
			if seen[p.id] {
				t.Errorf("the id %s came twice", p.id)
			}
			seen[p.id] = true
		}
		if last := w.got[len(w.got)-1].Data; last.Current != nil {
			t.Errorf("a position that is gone has a value: %v", *last.Current)
		}
		if s, _ := b.Get(ID{"key_a", aWallet}); s.Posted != uint64(len(w.got)) || len(s.Waiting) > 0 ||
			len(s.Standing) > 0 {
			t.Errorf("%+v", s.Record)
		}
	})
}

// TestSchedule: a wallet is called as often as its most frequent watch asks, on behalf of that key, also when calls
// fail; how they go is shown.
func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		b := w.book(&Memory{})
		defer w.run(b)()
		for key, every := range map[string]int{"key_a": 10, "key_b": 30} {
			_, _, err := b.Put(t.Context(), ID{key, aWallet}, &alerts.WatchConfig{EveryS: every})
			if err != nil {
				t.Fatal(err)
			}
		}
		passes(time.Minute + time.Second)
		if n := len(w.asked()); n < 7 || n > 8 || w.asked()[2] != aWallet+" key_a" {
			t.Errorf("%d calls in a minute: %v", n, w.asked())
		}
		w.set(func() { w.fail = errors.New("stale_market_data: SOL is too old") })
		passes(25 * time.Second)
		s, _ := b.Get(ID{"key_b", aWallet})
		if c := s.Calls; c.Failures < 2 || !strings.Contains(c.Error, "too old") || c.GoodAt.IsZero() ||
			!c.At.After(c.GoodAt) || b.Health().Failing != 2 {
			t.Errorf("%+v, %+v", c, b.Health())
		}
		w.set(func() { w.fail = nil })
		passes(11 * time.Second)
		if s, _ := b.Get(ID{"key_b", aWallet}); s.Calls.Failures != 0 || s.Calls.Error != "" {
			t.Errorf("%+v", s.Calls)
		}
		if found, err := b.Remove(t.Context(), ID{"key_a", aWallet}); !found || err != nil {
			t.Error(found, err)
		}
		passes(30 * time.Second)
		w.set(func() { w.calls = nil })
		passes(time.Minute + time.Second)
		if n := len(w.asked()); n < 2 || n > 3 || w.asked()[0] != aWallet+" key_b" {
			t.Errorf("%v", w.asked())
		}
		_, _ = b.Remove(t.Context(), ID{"key_b", aWallet})
		w.set(func() { w.calls = nil })
		passes(time.Hour)
		if len(w.asked()) > 0 {
			t.Errorf("%v", w.asked())
		}
	})
}

// TestLongCalls: a call that takes longer than its interval is not made twice at once, and hinders no other.
func TestLongCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		b := w.book(&Memory{})
		at, most := map[string]int{}, 0
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			b.Run(ctx, func(wallet, key string, spare bool) (*alerts.Result, error) {
				w.set(func() {
					at[wallet]++
					most = max(most, at[wallet])
				})
				if wallet == aWallet {
					time.Sleep(45 * time.Second)
				}
				w.set(func() { at[wallet]-- })
				return w.check(wallet, key, spare)
			})
		}()
		w.watch(b, "key_a", aWallet, "")
		w.watch(b, "key_a", another, "")
		passes(10 * time.Minute)
		cancel()
		<-done
		n := 0
		for _, call := range w.asked() {
			if strings.HasPrefix(call, another) {
				n++
			}
		}
		if most != 1 || n < 59 {
			t.Errorf("%d calls for a wallet at once; %d for the other one in ten minutes", most, n)
		}
	})
}

// TestBackOff: a receiver that is down gets the event again and again, ever more rarely, for 24 hours; then it is
// dead, and what comes later is posted when the receiver is back.
func TestBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		b := w.book(&Memory{})
		defer w.run(b)()
		w.set(func() { w.down = errors.New("the receiver answered 500") })
		w.set(func() { w.score[aWallet] = 75 })
		start := time.Now()
		w.watch(b, "key_a", aWallet, aURL)
		passes(23*time.Hour + 59*time.Minute)
		state := func() State {
			s, _ := b.Get(ID{"key_a", aWallet})
			return s
		}
		if s := state(); len(s.Dead) > 0 || len(s.Waiting) != 1 || s.Waiting[0].Attempts != len(w.tried()) {
			t.Fatalf("before 24 hours: %+v", s.Record)
		}
		passes(2 * time.Minute)
		s := state()
		if len(s.Dead) != 1 || len(s.Waiting) != 0 || s.DeadTotal != 1 || !strings.Contains(s.Dead[0].Error, "500") ||
			b.Stats.Dead.Load() != 1 || s.Dead[0].GaveUpAt.Sub(s.Dead[0].QueuedAt) < keepTrying {
			t.Errorf("after 24 hours: %+v", s.Record)
		}
		tries := w.tried()
		last := tries[len(tries)-1].Sub(start)
		if n := len(tries); n < 90 || n > 250 || last < keepTrying || last > keepTrying+2*time.Second {
			t.Errorf("%d posts, the last after %v", n, last)
		}
		for i := 1; i < len(tries)-1; i++ {
			gap, mean := tries[i].Sub(tries[i-1]), min(firstPause<<min(i-1, 10), maxPause)
			if gap < mean/2 || gap > mean*3/2+2*time.Second {
				t.Errorf("pause %d is %v, want about %v", i, gap, mean)
			}
		}
		w.set(func() { w.down, w.score[aWallet] = nil, 99 })
		passes(maxPause * 2)
		w.want("the receiver is back", turned)
		if s := state(); s.Misses != 0 || s.Error != "" || !s.RetryAt.IsZero() || s.Posted != 1 {
			t.Errorf("%+v", s.Record)
		}
	})
}

// TestOrder: while a receiver is down everything that happens waits, and arrives in its order; what is in the way for
// too long is given up.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		b := w.book(&Memory{})
		defer w.run(b)()
		w.set(func() { w.score[aWallet] = 75 })
		w.set(func() { w.down = errors.New("down") })
		w.watch(b, "key_a", aWallet, aURL)
		passes(time.Minute)
		for _, score := range []float64{90, 50, 75, 50} {
			w.set(func() { w.score[aWallet] = score })
			passes(time.Minute)
		}
		w.set(func() { w.down = nil })
		passes(maxPause * 2)
		w.want("back", began, turned, ended+"critical", began, ended+"warning")
		w.set(func() { w.down = errors.New("down") })
		for i := range maxWaiting + 100 { // each call finds a begin or an end
			w.set(func() { w.score[aWallet] = float64(50 + 25*(i%2)) })
			passes(10 * time.Second)
		}
		if s, _ := b.Get(ID{"key_a", aWallet}); len(s.Waiting) > maxWaiting || len(s.Dead) != maxDead ||
			s.DeadTotal < 90 {
			t.Errorf("%d wait, %d are dead", len(s.Waiting), s.DeadTotal)
		}
	})
}

// TestSlowReceivers: receivers that take ten seconds and fail hinder none of the others.
func TestSlowReceivers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		b := w.book(&Memory{})
		defer w.run(b)()
		w.slow = 10 * time.Second
		for i := range 50 {
			name := fmt.Sprintf("0x%040x", i)
			w.set(func() { w.score[name] = 75 })
			w.watch(b, "key_slow", name, aURL)
		}
		w.set(func() { w.score[another] = 75 })
		w.watch(b, "key_a", another, "https://two.example/")
		w.watch(b, "key_slow", another, "https://three.example/")
		passes(2 * time.Second)
		if told := w.told(); !slices.Equal(told, []string{began, began}) {
			t.Errorf("%q", told)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if n := b.busy["//one.example"]; n != maxPostsOfHost || b.posts != n {
			t.Errorf("%d posts to one host at once, %d in all", n, b.posts)
		}
	})
}

// TestRevoked: the watches of a key that is revoked end, those of others go on.
func TestRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		revoked := false
		b := w.book(&Memory{})
		b.cfg.Revoked = func(key string) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return revoked && key == "key_a"
		}
		defer w.run(b)()
		w.watch(b, "key_a", aWallet, aURL)
		w.watch(b, "key_b", aWallet, aURL)
		passes(time.Minute)
		w.set(func() { revoked, w.calls, w.score[aWallet] = true, nil, 75 })
		passes(time.Minute)
		if _, there := b.Get(ID{"key_a", aWallet}); there || len(b.Of("")) != 1 ||
			slices.Contains(w.asked(), aWallet+" key_a") {
			t.Errorf("%v", w.asked())
		}
		w.want("only the other key is told", began)
	})
}

// TestLimits: a key has a bounded number of watches, and all keys together.
func TestLimits(t *testing.T) {
	w := newWorld(t)
	b := w.book(&Memory{})
	refused := 0
	for i := range maxAll + 100 {
		key := fmt.Sprintf("key_%d", i/(maxOfKey+1))
		_, _, err := b.Put(t.Context(), ID{key, fmt.Sprintf("0x%040x", i)}, &alerts.WatchConfig{EveryS: 10})
		if err != nil {
			if !errors.As(err, new(*Refusal)) {
				t.Fatal(err)
			}
			refused++
		}
	}
	if n := len(b.Of("")); n != maxAll || refused != 100 || len(b.Of("key_0")) != maxOfKey {
		t.Errorf("%d watches, %d of one key, %d refused", n, len(b.Of("key_0")), refused)
	}
	first := ID{"key_0", fmt.Sprintf("0x%040x", 0)}
	if _, _, err := b.Put(t.Context(), first, &alerts.WatchConfig{EveryS: 20}); err != nil {
		t.Errorf("one that is there cannot be changed: %v", err)
	}
}

// TestSet: the secret stays when none is sent, a new receiver is told what stands, and without a webhook nothing waits.
func TestSet(t *testing.T) {
	id, at := ID{"key_a", aWallet}, time.Now()
	c := &alerts.WatchConfig{EveryS: 10, Thresholds: alerts.DefaultThresholds(), URL: aURL}
	first, made := set(nil, id, c, at)
	if made == "" || first.Webhook.Secret != made {
		t.Errorf("%q, %+v", made, first.Webhook)
	}
	result := &alerts.Result{Wallet: aWallet, AtMs: at.UnixMilli(), Positions: []alerts.Position{{Asset: "SOL",
		RiskScore: 75, LiquidationDistancePct: 50}}}
	standing := first.after(result, at)
	if len(standing.Waiting) != 1 || len(first.Waiting) != 0 || standing.after(result, at) != standing {
		t.Errorf("%+v", standing)
	}
	c.EveryS = 20
	second, again := set(standing, id, c, at.Add(time.Hour))
	if again != "" || second.Webhook.Secret != made || second.EveryS != 20 || len(second.Standing) != 1 ||
		!second.Since.Equal(first.Since) {
		t.Errorf("%+v", second)
	}
	c.URL, c.Secret = "https://two.example/", "whsec_"+strings.Repeat("A", 32)
	moved, _ := set(second, id, c, at)
	if moved.Webhook.Secret != c.Secret || len(moved.Standing) != 0 || len(moved.Waiting) != 1 {
		t.Errorf("%+v", moved)
	}
	if told := moved.after(result, at); len(told.Waiting) != 2 {
		t.Errorf("the new receiver is not told what stands: %+v", told)
	}
	c.URL, c.Secret = "", ""
	gate := &alerts.Result{Wallet: aWallet, AtMs: at.UnixMilli() + 1, StopsRemoved: []string{"SOL"}}
	if told := standing.after(gate, at); len(told.Waiting) != 2 || told.Waiting[1].Type != StopRemoved ||
		len(told.Standing) != 1 {
		t.Errorf("the word of the gate: %+v", told)
	}
	if without, _ := set(moved, id, c, at); without.Webhook != nil || len(without.Waiting) != 0 {
		t.Errorf("%+v", without)
	}
	late := *result
	late.AtMs, late.Positions = result.AtMs-1, nil
	if standing.after(&late, at) != standing {
		t.Error("a call that took long ended what a later one found")
	}
}

// TestBody: what is posted, byte for byte.
func TestBody(t *testing.T) {
	value := 1.5
	e := Event{Type: Began, Kind: alerts.LiquidationProximity, Asset: `xyz:"A`, SinceMs: 1795795136131,
		AtMs: 1795795136131, Critical: true, Current: &value, Threshold: 5}
	const alert = `","timestamp":"2026-11-27T15:58:56.131Z","data":{"alert_type":"liquidation_proximity","wallet":"` +
		aWallet + `","asset":"xyz:\"A","severity":"critical","message":"xyz:\"A: `
	const since = `,"threshold":5,"since":"2026-11-27T15:58:56.131Z"}}`
	compare := func(want string) {
		t.Helper()
		if got := string(e.body(aWallet)); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	compare(`{"type":"alert.began` + alert + `liquidation is 1.5 % away, less than 5 %",` +
		`"timestamp":"2026-11-27T15:58:56.131Z","current_value":1.5` + since)
	e.Type, e.Current = Ended, nil
	compare(`{"type":"alert.ended` + alert + `liquidation_proximity has ended: the position is gone",` +
		`"timestamp":"2026-11-27T15:58:56.131Z","current_value":null` + since)
	value, e.Current = 7.123, &value
	compare(`{"type":"alert.ended` + alert + `liquidation_proximity has ended: now 7.12, the threshold is 5",` +
		`"timestamp":"2026-11-27T15:58:56.131Z","current_value":7.123` + since)
	r := &Record{Key: "key_a", Wallet: aWallet}
	id := e.id(r)
	other := e
	other.SinceMs++
	if id != e.id(&Record{Key: "key_a", Wallet: aWallet, EveryS: 20}) || id == other.id(r) ||
		id == e.id(&Record{Key: "key_b", Wallet: aWallet}) || !strings.HasPrefix(id, "msg_") {
		t.Errorf("%s", id)
	}
}
