package server

import (
	"sync"
	"time"
)

// throttle lets through a bounded number of events a second.
type throttle struct {
	perSecond int

	mu      sync.Mutex
	second  int64 // the second that count belongs to
	count   int
	dropped int
}

// allow reports whether the event may pass, and how many have not since the last one.
func (t *throttle) allow() (dropped int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := time.Now().Unix(); now != t.second {
		t.second, t.count = now, 0
	}
	if t.count == t.perSecond {
		t.dropped++
		return 0, false
	}
	t.count++
	dropped, t.dropped = t.dropped, 0
	return dropped, true
}
