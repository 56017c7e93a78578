package hyperliquid

import (
	"log/slog"
	"sync"
	"time"

	"ballast/marketcache"
)

// suspects are streams that may be what the venue closed a connection for. It closes one
// without a word when it does not like a subscription, and with it all other streams of that
// connection. So what had not been answered when a connection was lost is asked for alone the
// next time; what was asked for alone and not answered is set aside for a while.
type suspects struct {
	log *slog.Logger

	mu sync.Mutex
	of map[stream]suspicion
}

type suspicion struct {
	aside bool // not asked for until then
	until marketcache.Instant
}

const (
	answerTime   = 1500 * time.Millisecond // the venue acknowledges, or closes, within
	suspectFor   = 2 * time.Minute
	setAsideFor  = 10 * time.Minute
	unansweredIn = 3 * time.Second // the loss of a connection is laid to what was sent so shortly before
)

func newSuspects(log *slog.Logger) *suspects {
	return &suspects{log: log, of: map[stream]suspicion{}}
}

// lost takes in that a connection was lost that carried the streams of sent.
func (q *suspects) lost(sent map[stream]*subscription, now marketcache.Instant) {
	var unanswered []stream
	for st, sub := range sent {
		if !sub.answered.Load() && now.Sub(marketcache.Instant(sub.sentAt.Load())) <= unansweredIn {
			unanswered = append(unanswered, st)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, st := range unanswered {
		s := suspicion{until: now.Add(suspectFor)}
		if _, before := q.of[st]; before && len(unanswered) == 1 {
			s = suspicion{aside: true, until: now.Add(setAsideFor)}
			q.log.Warn("a subscription closes the connection and is set aside", "subscription", st.body(), "for", setAsideFor)
		}
		q.of[st] = s
	}
}

// next returns which of the streams to ask for now, given those that the connection carries.
// alone says that it is one suspect, which is to go by itself.
func (q *suspects) next(add []*subscription, sent map[stream]*subscription, now marketcache.Instant) (ask []*subscription, alone bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.of) == 0 {
		return add, false
	}
	waiting := false // for the answer to something, perhaps to a suspect
	for st, sub := range sent {
		answered := sub.answered.Load()
		if _, suspect := q.of[st]; suspect && answered {
			delete(q.of, st)
		}
		asked := now.Sub(marketcache.Instant(sub.sentAt.Load()))
		if !answered && asked < answerTime {
			waiting = true
			if _, suspect := q.of[st]; suspect {
				return nil, false
			}
		}
	}
	var suspected []*subscription
	for _, sub := range add {
		s, known := q.of[sub.stream]
		switch {
		case !known:
			ask = append(ask, sub)
		case now >= s.until:
			delete(q.of, sub.stream)
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

// aside returns how many streams are set aside.
func (q *suspects) aside() (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.of {
		if s.aside {
			n++
		}
	}
	return n
}
