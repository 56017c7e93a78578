package sim

import (
	"maps"
	"sync"
)

// Limits are the venue's limits for one address. In a Config a missing limit is that of DefaultLimits, a
// negative one means no limit.
type Limits map[string]int

// Names of the limits, under which Stats counts refusals.
const (
	overConnections    = "connections"    // open at the same time; 429 at the handshake beyond
	overNewConnections = "newConnections" // per minute; 429 at the handshake beyond
	overSubscriptions  = "subscriptions"
	overMessages       = "messages"        // sent per minute
	overUsers          = "users"           // distinct users over all subscriptions
	overWeight         = "weight"          // of info requests per minute; 429 beyond
	overActions        = "actions"         // of an account that has not traded; one more for each USD traded
	tooSilent          = "silence"         // seconds without a frame, after which a socket is dropped (1006)
	badSubscription    = "badSubscription" // only counts refusals
)

// The venue's limits, no limits, and the limits of a Config without any.
var (
	VenueLimits = Limits{
		overConnections: 10, overNewConnections: 30, overSubscriptions: 1000, overMessages: 2000, overUsers: 15,
		overWeight: 1200, overActions: 10_000, tooSilent: 60,
	}
	NoLimits      = Limits{overSubscriptions: -1, overMessages: -1, overUsers: -1, tooSilent: -1}
	DefaultLimits = Limits{overSubscriptions: 1000, overMessages: 2000, overUsers: 15, tooSilent: 60}
)

// meter sums what was spent in the last minute, by second.
type meter struct {
	second int64
	spent  [60]int
	sum    int
}

// add removes what is older than a minute and adds n.
func (m *meter) add(n int, nowMs int64) int {
	now := nowMs / 1000
	for m.second = max(m.second, now-60); m.second < now; {
		m.second++
		at := &m.spent[m.second%60]
		m.sum -= *at
		*at = 0
	}
	m.spent[m.second%60] += n
	m.sum += n
	return m.sum
}

// usage is what one address uses.
type usage struct {
	conns, subs int
	users       map[string]int    // subscriptions by user
	minute      map[string]*meter // by limit
}

// ledger holds the usage of all addresses.
type ledger struct {
	limits Limits

	mu      sync.Mutex
	byIP    map[string]*usage
	peak    map[string]int // highest usage of one address, by limit
	refused map[string]int64
}

// of locks the ledger and returns an address's usage. The caller unlocks.
func (l *ledger) of(ip string) *usage {
	l.mu.Lock()
	if l.byIP[ip] == nil {
		minute := map[string]*meter{overNewConnections: {}, overMessages: {}, overWeight: {}}
		l.byIP[ip] = &usage{users: map[string]int{}, minute: minute}
	}
	return l.byIP[ip]
}

// within checks n against a limit and records it as a peak or a refusal. The caller holds the lock.
func (l *ledger) within(n int, limit string) bool {
	if bound := l.limits[limit]; bound > 0 && n > bound {
		l.refused[limit]++
		return false
	}
	l.peak[limit] = max(l.peak[limit], n)
	return true
}

// refuse counts a refusal for a reason that is not a limit.
func (l *ledger) refuse(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[reason]++
}

// connect admits a new connection, or returns false.
func (l *ledger) connect(ip string, nowMs int64) bool {
	u := l.of(ip)
	defer l.mu.Unlock()
	m := u.minute[overNewConnections]
	if !l.within(m.add(0, nowMs)+1, overNewConnections) || !l.within(u.conns+1, overConnections) {
		return false
	}
	m.add(1, nowMs)
	u.conns++
	return true
}

// disconnect ends an admitted connection.
func (l *ledger) disconnect(ip string) {
	l.of(ip).conns--
	l.mu.Unlock()
}

// spend takes n from an address's messages or weight per minute; it returns false when too little is left.
func (l *ledger) spend(ip, limit string, n int, nowMs int64) bool {
	m := l.of(ip).minute[limit]
	defer l.mu.Unlock()
	if !l.within(m.add(0, nowMs)+n, limit) {
		return false
	}
	m.add(n, nowMs)
	return true
}

// subscribe admits a subscription; user is "" for one without a user. It returns the name of the limit
// that refuses it, or "".
func (l *ledger) subscribe(ip, user string) string {
	u := l.of(ip)
	defer l.mu.Unlock()
	users := len(u.users)
	if user != "" && u.users[user] == 0 {
		users++
	}
	switch {
	case !l.within(u.subs+1, overSubscriptions):
		return overSubscriptions
	case !l.within(users, overUsers):
		return overUsers
	}
	u.subs++
	if user != "" {
		u.users[user]++
	}
	return ""
}

// unsubscribe ends an admitted subscription.
func (l *ledger) unsubscribe(ip, user string) {
	u := l.of(ip)
	defer l.mu.Unlock()
	u.subs--
	if u.users[user]--; u.users[user] <= 0 {
		delete(u.users, user)
	}
}

// charge adds weight that is known only after the request; it may exceed the limit.
func (l *ledger) charge(ip string, weight int, nowMs int64) {
	m := l.of(ip).minute[overWeight]
	defer l.mu.Unlock()
	l.peak[overWeight] = max(l.peak[overWeight], m.add(weight, nowMs))
}

// report adds the figures of all addresses to s.
func (l *ledger) report(s *Stats, nowMs int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.byIP {
		s.Subscriptions += u.subs
		s.WeightMinute += u.minute[overWeight].add(0, nowMs)
	}
	s.Peak, s.Refused = maps.Clone(l.peak), maps.Clone(l.refused)
}
