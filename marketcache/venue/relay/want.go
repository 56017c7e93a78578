package relay

import (
	"context"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"ballast/marketcache"
)

// What a replica wants is told whole, every second and whenever it has changed, so that
// nothing is lost for good and a replica that has died is forgotten. One line a stream:
//
//	<virtual socket> <new, "+" or "-"> <stream>
//
// The holder keeps the streams of one virtual socket on one line of its own if it can,
// so that a line that breaks takes one virtual socket of each replica with it. The answer
// to a want is also how the holder's clock is read.
const (
	wantEvery   = time.Second
	wantPause   = 20 * time.Millisecond // gathers a burst of subscriptions
	wantTimeout = 1500 * time.Millisecond
)

// tell tells the holder what is wanted until ctx ends.
func (l *Local) tell(ctx context.Context) {
	t := time.NewTimer(0)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.changed:
			if !sleep(ctx, wantPause) {
				return
			}
		case <-t.C:
		}
		l.tellOnce(ctx)
		t.Reset(wantEvery)
	}
}

// tellOnce tells the holder, if there is one, and reads its clock.
func (l *Local) tellOnce(ctx context.Context) {
	l.mu.Lock()
	t := l.term
	if t == nil || t.dark {
		l.mu.Unlock()
		return
	}
	body, fresh := l.wanted()
	subject := l.subjects.up(t.epoch, kindWant)
	l.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, wantTimeout)
	defer cancel()
	m := &nats.Msg{Subject: subject, Data: body, Header: nats.Header{headerReplica: []string{l.cfg.Replica}}}
	sent := marketcache.Now()
	answer, err := l.cfg.NATS.RequestMsgWithContext(ctx, m)
	received := marketcache.Now()
	if err != nil {
		return // told again in a second
	}
	s, ok := readStamp(header(answer, headerStamp))
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.term != t {
		return
	}
	was := l.ready()
	t.offset.add(sent, received, s.at)
	for _, sub := range fresh {
		sub.asked = true
	}
	if !was && l.ready() {
		l.announce()
	}
}

// wanted lists the streams of all virtual sockets, and returns those that are new.
func (l *Local) wanted() (body []byte, fresh []*listening) {
	sockets := make([]*socket, 0, len(l.sockets))
	for s := range l.sockets {
		sockets = append(sockets, s)
	}
	sort.Slice(sockets, func(i, j int) bool { return sockets[i].id < sockets[j].id })
	for _, s := range sockets {
		for id, sub := range s.subs {
			mark := " - "
			if !sub.asked {
				mark = " + "
				fresh = append(fresh, sub)
			}
			body = append(append(append(strconv.AppendInt(body, int64(s.id), 10), mark...), id...), '\n')
		}
	}
	return body, fresh
}

// want is one line of what a replica wants.
type want struct {
	socket int
	fresh  bool
	stream string
}

// readWants reads a body; lines that are none are passed over.
func readWants(body []byte) []want {
	var all []want
	for line := range strings.SplitSeq(string(body), "\n") {
		number, rest, _ := strings.Cut(line, " ")
		mark, id, ok := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		if err == nil && ok {
			all = append(all, want{n, mark == "+", id})
		}
	}
	return all
}
