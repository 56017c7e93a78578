package feed

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Subscription is the state of one stream, named by S, on a connection. The connection's reader
// and writer share it.
type Subscription[S comparable] struct {
	Stream      S
	askedAt     atomic.Int64 // Instant of the last subscribe message, 0: none
	answered    atomic.Bool  // the venue has acknowledged the subscription, or sent a message
	answerAt    atomic.Int64 // Instant of the first good message after subscribing
	lastMessage atomic.Int64 // Instant at which the last good message arrived
	broken      atomic.Bool  // further messages cannot be used until the stream restarts
	renew       atomic.Bool  // the stream is to be restarted; until then further messages are used
}

// Ask records that the stream is about to be subscribed.
func (s *Subscription[S]) Ask(now marketcache.Instant) {
	s.answered.Store(false)
	s.broken.Store(false)
	s.renew.Store(false)
	s.askedAt.Store(int64(now))
}

// Acknowledge records the venue's acknowledgement.
func (s *Subscription[S]) Acknowledge() { s.answered.Store(true) }

// Answered reports whether the venue has acknowledged the stream or sent a message.
func (s *Subscription[S]) Answered() bool { return s.answered.Load() }

// Receive records a good message. interval is the time since the previous message, 0 for the first
// two after subscribing: the first is sent at once, so the second may follow sooner than the
// stream's cadence.
func (s *Subscription[S]) Receive(at marketcache.Instant) (interval time.Duration) {
	s.answered.Store(true)
	last := s.lastMessage.Swap(int64(at))
	switch {
	case last <= s.askedAt.Load():
		s.answerAt.Store(int64(at))
	case last != s.answerAt.Load():
		interval = at.Sub(marketcache.Instant(last))
	}
	return interval
}

// First reports whether no good message has arrived since subscribing.
func (s *Subscription[S]) First() bool { return s.lastMessage.Load() <= s.askedAt.Load() }

// Break records that further messages cannot be used until the stream restarts.
func (s *Subscription[S]) Break() { s.broken.Store(true) }

// Broken reports whether Break was called since subscribing.
func (s *Subscription[S]) Broken() bool { return s.broken.Load() }

// Renew records that the stream is to be restarted, although further messages can be used.
func (s *Subscription[S]) Renew() { s.renew.Store(true) }

// Due reports whether Break or Renew was called since subscribing.
func (s *Subscription[S]) Due() bool { return s.broken.Load() || s.renew.Load() }

// Silence returns the time since the stream's last message.
func (s *Subscription[S]) Silence(now marketcache.Instant) time.Duration {
	return now.Sub(marketcache.Instant(max(s.askedAt.Load(), s.lastMessage.Load())))
}

func (s *Subscription[S]) waited(now marketcache.Instant) time.Duration {
	return now.Sub(marketcache.Instant(s.askedAt.Load()))
}

// Suspects finds streams for which the venue closes a connection. A venue may do so without a
// word when it dislikes a subscription, which ends all streams of the connection. So a stream
// without an answer when a connection is lost is next subscribed alone; if it gets no answer
// again, it is set aside for a while. Safe for concurrent use.
type Suspects[S comparable] struct {
	log *slog.Logger

	mu sync.Mutex
	of map[S]suspicion
}

type suspicion struct {
	aside bool // not subscribed before until
	until marketcache.Instant
}

const (
	answerTime   = 1500 * time.Millisecond // a venue acknowledges or closes within this time
	suspectFor   = 2 * time.Minute
	setAsideFor  = 10 * time.Minute
	unansweredIn = 3 * time.Second // a stream subscribed at most this long before a loss may be its cause
)

// NewSuspects returns an empty set of suspects.
func NewSuspects[S comparable](log *slog.Logger) *Suspects[S] {
	return &Suspects[S]{log: log, of: map[S]suspicion{}}
}

// Lost records the loss of a connection that carried the streams of sent.
func (q *Suspects[S]) Lost(sent map[S]*Subscription[S], now marketcache.Instant) {
	var unanswered []S
	for st, sub := range sent {
		if !sub.Answered() && sub.waited(now) <= unansweredIn {
			unanswered = append(unanswered, st)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, st := range unanswered {
		s := suspicion{until: now.Add(suspectFor)}
		if _, before := q.of[st]; before && len(unanswered) == 1 {
			s = suspicion{aside: true, until: now.Add(setAsideFor)}
			q.log.Warn("a subscription closes the connection and is set aside", "subscription", st, "for", setAsideFor)
		}
		q.of[st] = s
	}
}

// Next returns the streams of add to subscribe now on a connection that already carries those of
// sent. alone means that Next returns a single suspect, and that no other stream may be subscribed
// until it is answered.
func (q *Suspects[S]) Next(add []*Subscription[S], sent map[S]*Subscription[S], now marketcache.Instant) (
	ask []*Subscription[S], alone bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.of) == 0 {
		return add, false
	}
	waiting := false // some stream, perhaps a suspect, has no answer yet
	for st, sub := range sent {
		_, suspect := q.of[st]
		switch {
		case sub.Answered():
			delete(q.of, st)
		case sub.waited(now) < answerTime && suspect:
			return nil, false
		case sub.waited(now) < answerTime:
			waiting = true
		}
	}
	var suspected []*Subscription[S]
	for _, sub := range add {
		s, known := q.of[sub.Stream]
		switch {
		case !known:
			ask = append(ask, sub)
		case now >= s.until:
			delete(q.of, sub.Stream)
			ask = append(ask, sub)
		case !s.aside:
			suspected = append(suspected, sub)
		}
	}
	if len(ask) == 0 && len(suspected) > 0 && !waiting {
		return suspected[:1], true
	}
	return ask, false
}

// Aside returns the number of streams set aside.
func (q *Suspects[S]) Aside() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.of {
		if s.aside {
			n++
		}
	}
	return n
}
