package feed

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"ballast/marketcache"
)

// Subscription is the state of one stream on a connection; S names the stream. The reader of the
// connection and its writer share it.
type Subscription[S comparable] struct {
	Stream      S
	askedAt     atomic.Int64 // Instant of the last subscribing, 0: none
	answered    atomic.Bool  // since: acknowledged, or a message has come
	lastMessage atomic.Int64 // Instant at which the last good message arrived
	broken      atomic.Bool  // later messages cannot be used: the stream must begin anew
}

// Ask records that the stream is about to be subscribed.
func (s *Subscription[S]) Ask(now marketcache.Instant) {
	s.answered.Store(false)
	s.broken.Store(false)
	s.askedAt.Store(int64(now))
}

// Acknowledge records that the venue has granted the stream.
func (s *Subscription[S]) Acknowledge() { s.answered.Store(true) }

// Answered reports whether the venue has granted the stream.
func (s *Subscription[S]) Answered() bool { return s.answered.Load() }

// Receive records a good message. interval is how long after the one before it on this
// subscription it came, 0 for the first.
func (s *Subscription[S]) Receive(at marketcache.Instant) (interval time.Duration) {
	last := s.lastMessage.Swap(int64(at))
	if s.answered.Swap(true) && last > s.askedAt.Load() {
		interval = at.Sub(marketcache.Instant(last))
	}
	return interval
}

// First reports whether no good message has come since the stream was subscribed.
func (s *Subscription[S]) First() bool { return s.lastMessage.Load() <= s.askedAt.Load() }

// Break records that later messages cannot be used until the stream begins anew.
func (s *Subscription[S]) Break() { s.broken.Store(true) }

// Broken reports whether Break was called since the stream was subscribed.
func (s *Subscription[S]) Broken() bool { return s.broken.Load() }

// Silence returns how long the stream has said nothing.
func (s *Subscription[S]) Silence(now marketcache.Instant) time.Duration {
	return now.Sub(marketcache.Instant(max(s.askedAt.Load(), s.lastMessage.Load())))
}

func (s *Subscription[S]) waited(now marketcache.Instant) time.Duration {
	return now.Sub(marketcache.Instant(s.askedAt.Load()))
}

// Suspects are streams for which the venue may have closed a connection. A venue may close one
// without a word when it does not like a subscription, and with it all other streams of the
// connection. So what had not been answered when a connection was lost is asked for alone the
// next time; what was asked for alone and not answered is set aside for a while. Safe for
// concurrent use.
type Suspects[S comparable] struct {
	log *slog.Logger

	mu sync.Mutex
	of map[S]suspicion
}

type suspicion struct {
	aside bool // not asked for until then
	until marketcache.Instant
}

const (
	answerTime   = 1500 * time.Millisecond // a venue acknowledges, or closes, within
	suspectFor   = 2 * time.Minute
	setAsideFor  = 10 * time.Minute
	unansweredIn = 3 * time.Second // what was asked for that long before a loss may be its cause
)

// NewSuspects returns no suspects.
func NewSuspects[S comparable](log *slog.Logger) *Suspects[S] {
	return &Suspects[S]{log: log, of: map[S]suspicion{}}
}

// Lost records that a connection was lost that carried the streams of sent.
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

// Next returns the streams of add to ask for now on a connection that already carries those of
// sent. With alone it is a single suspect, and nothing else is to be asked for beside it.
func (q *Suspects[S]) Next(add []*Subscription[S], sent map[S]*Subscription[S], now marketcache.Instant) (ask []*Subscription[S], alone bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.of) == 0 {
		return add, false
	}
	waiting := false // for the answer to a stream, perhaps a suspect
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

// Aside returns how many streams are set aside.
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
