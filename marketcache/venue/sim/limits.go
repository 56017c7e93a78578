package sim

import "sync"

// Limits are the venue's limits for one address. In a Config a limit that is absent is
// that of DefaultLimits, and a negative one is none.
type Limits map[string]int

// The names of the limits; Stats counts refusals by them.
const (
	overConnections    = "connections"    // open at a time; the handshake gets a 429 beyond
	overNewConnections = "newConnections" // a minute, likewise
	overSubscriptions  = "subscriptions"
	overMessages       = "messages"        // sent a minute
	overUsers          = "users"           // distinct, over all subscriptions
	overWeight         = "weight"          // of info requests a minute, 429 beyond
	tooSilent          = "silence"         // seconds without a frame to it, then a socket is dropped (1006)
	badSubscription    = "badSubscription" // a reason of refusals only
)

// The venue's limits, none, and those of a Config that says nothing.
var (
	VenueLimits   = Limits{overConnections: 10, overNewConnections: 30, overSubscriptions: 1000, overMessages: 2000, overUsers: 15, overWeight: 1200, tooSilent: 60}
	NoLimits      = Limits{overSubscriptions: -1, overMessages: -1, overUsers: -1, tooSilent: -1}
	DefaultLimits = Limits{overSubscriptions: 1000, overMessages: 2000, overUsers: 15, tooSilent: 60}
)

// meter adds up what was spent in the last minute, by the second.
type meter struct {
	second int64
	spent  [60]int
	sum    int
}

// add forgets what is a minute old and adds n.
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

// usage is what one address does.
type usage struct {
	conns, subs int
	users       map[string]int    // subscriptions by user
	minute      map[string]*meter // by the limit of it
}

// ledger keeps the usage of all addresses within the limits.
type ledger struct {
	limits Limits

	mu      sync.Mutex
	byIP    map[string]*usage
	peak    map[string]int // the most that one address has reached of each limit
	refused map[string]int64
}

func newLedger(l Limits) *ledger {
	return &ledger{limits: l, byIP: map[string]*usage{}, peak: map[string]int{}, refused: map[string]int64{}}
}

// of locks the ledger and returns an address's usage.
func (l *ledger) of(ip string) *usage {
	l.mu.Lock()
	if l.byIP[ip] == nil {
		l.byIP[ip] = &usage{users: map[string]int{}, minute: map[string]*meter{overNewConnections: {}, overMessages: {}, overWeight: {}}}
	}
	return l.byIP[ip]
}

// within checks a number against its limit and notes it as a peak, or as a refusal. The
// lock is held.
func (l *ledger) within(n int, limit string) bool {
	if most := l.limits[limit]; most > 0 && n > most {
		l.refused[limit]++
		return false
	}
	l.peak[limit] = max(l.peak[limit], n)
	return true
}

// refuse counts a refusal that is none of a number.
func (l *ledger) refuse(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[reason]++
}

// connect admits a new connection.
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

// disconnect ends a connection that was admitted.
func (l *ledger) disconnect(ip string) {
	l.of(ip).conns--
	l.mu.Unlock()
}

// spend takes n from an address's minute of messages or weight; false when it is exhausted.
func (l *ledger) spend(ip, limit string, n int, nowMs int64) bool {
	m := l.of(ip).minute[limit]
	defer l.mu.Unlock()
	if !l.within(m.add(0, nowMs)+n, limit) {
		return false
	}
	m.add(n, nowMs)
	return true
}

// subscribe admits a subscription, of a user unless that is "". It returns the limit
// that refuses it, else "".
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

// unsubscribe ends a subscription that was admitted.
func (l *ledger) unsubscribe(ip, user string) {
	u := l.of(ip)
	defer l.mu.Unlock()
	u.subs--
	if u.users[user]--; u.users[user] <= 0 {
		delete(u.users, user)
	}
}

// charge adds weight that was not known before: it may overdraw, not refuse.
func (l *ledger) charge(ip string, weight int, nowMs int64) {
	m := l.of(ip).minute[overWeight]
	defer l.mu.Unlock()
	l.peak[overWeight] = max(l.peak[overWeight], m.add(weight, nowMs))
}

// totals are the subscriptions and the weight of the last minute, of all addresses.
func (l *ledger) totals(nowMs int64) (subs, weight int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.byIP {
		subs += u.subs
		weight += u.minute[overWeight].add(0, nowMs)
	}
	return subs, weight
}
