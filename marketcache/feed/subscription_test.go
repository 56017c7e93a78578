package feed

import (
	"log/slog"
	"testing"
	"time"

	"ballast/marketcache"
)

func TestSubscription(t *testing.T) {
	var s Subscription[string]
	at := func(seconds int) marketcache.Instant {
		return marketcache.Instant(time.Hour + time.Duration(seconds)*time.Second)
	}
	s.Ask(at(0))
	if s.Answered() || !s.First() || s.Silence(at(7)) != 7*time.Second {
		t.Error("answered before an answer")
	}
	s.Acknowledge()
	if !s.Answered() || s.Receive(at(1)) != 0 || s.First() {
		t.Error("the first message has an interval")
	}
	if d := s.Receive(at(2)); d != 0 { // the answer came at once, not on the stream's clock
		t.Errorf("interval %v after the answer to the subscription", d)
	}
	if d := s.Receive(at(4)); d != 2*time.Second || s.Silence(at(7)) != 3*time.Second {
		t.Errorf("interval %v, silence %v", d, s.Silence(at(7)))
	}
	s.Break()
	if !s.Broken() {
		t.Error("not broken")
	}
	s.Ask(at(8))
	// the pause before a new subscription is not an interval
	if s.Broken() || s.Receive(at(9)) != 0 || s.Receive(at(10)) != 0 {
		t.Error("an interval across a new subscription")
	}
}

// The venue closes the connection whenever the stream "bad" is subscribed: that stream must be
// found and set aside, and all others must be subscribed in the end.
func TestSuspects(t *testing.T) {
	q := NewSuspects[string](slog.New(slog.DiscardHandler))
	wanted := map[string]*Subscription[string]{}
	for _, name := range []string{"a", "b", "bad", "c", "d"} {
		wanted[name] = &Subscription[string]{Stream: name}
	}
	now := marketcache.Instant(time.Hour)
	sent := map[string]*Subscription[string]{}
	losses := 0
	for range 600 { // one minute
		now = now.Add(100 * time.Millisecond)
		var add []*Subscription[string]
		for name, sub := range wanted {
			if sent[name] == nil {
				add = append(add, sub)
			}
		}
		ask, alone := q.Next(add, sent, now)
		if alone && len(ask) != 1 {
			t.Fatalf("%d suspects at a time", len(ask))
		}
		for _, sub := range ask {
			sub.Ask(now)
			sent[sub.Stream] = sub
		}
		if sent["bad"] != nil {
			losses++
			q.Lost(sent, now.Add(time.Millisecond))
			clear(sent)
			continue
		}
		for _, sub := range sent {
			sub.Acknowledge()
		}
	}
	if len(sent) != 4 || q.Aside() != 1 || losses > 4 {
		t.Errorf("%d streams are granted, %d set aside, after %d losses", len(sent), q.Aside(), losses)
	}
	now = now.Add(setAsideFor)
	if ask, _ := q.Next([]*Subscription[string]{wanted["bad"]}, sent, now); len(ask) != 1 || q.Aside() != 0 {
		t.Error("not asked for again after ten minutes")
	}
}
