package sim

import (
	"sync"
	"time"
)

// Limits are the venue's limits for one address. In a Config a field that is 0 is that of
// DefaultLimits, and a negative one is no limit.
type Limits struct {
	Connections    int           `json:"connections"`    // open at a time; the handshake gets a 429 beyond
	NewConnections int           `json:"newConnections"` // a minute, likewise
	Subscriptions  int           `json:"subscriptions"`
	Messages       int           `json:"messages"` // sent a minute
	Users          int           `json:"users"`    // distinct, over all subscriptions
	Weight         int           `json:"weight"`   // of info requests a minute, 429 beyond
	Silence        time.Duration `json:"-"`        // without a frame to it a socket is dropped (1006)
}

// The venue's limits, none, and those of a Config that says nothing.
var (
	VenueLimits   = Limits{10, 30, 1000, 2000, 15, 1200, time.Minute}
	NoLimits      = Limits{-1, -1, -1, -1, -1, -1, -1}
	DefaultLimits = Limits{-1, -1, 1000, 2000, 15, -1, time.Minute}
)

// orDefault fills in what is 0.
func (l Limits) orDefault() Limits {
	fill := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	fill(&l.Connections, DefaultLimits.Connections)
	fill(&l.NewConnections, DefaultLimits.NewConnections)
	fill(&l.Subscriptions, DefaultLimits.Subscriptions)
	fill(&l.Messages, DefaultLimits.Messages)
	fill(&l.Users, DefaultLimits.Users)
	fill(&l.Weight, DefaultLimits.Weight)
	if l.Silence == 0 {
		l.Silence = DefaultLimits.Silence
	}
	return l
}

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
	conns, subs              int
	users                    map[string]int // subscriptions by user
	opened, messages, weight meter
}

// The reasons of refusals, as Stats counts them.
const (
	overConnections    = "connections"
	overNewConnections = "newConnections"
	overSubscriptions  = "subscriptions"
	overMessages       = "messages"
	overUsers          = "users"
	overWeight         = "weight"
	tooSilent          = "silence"
	badSubscription    = "badSubscription"
)

// ledger keeps the usage of all addresses within the limits.
type ledger struct {
	limits Limits

	mu      sync.Mutex
	byIP    map[string]*usage
	peak    Limits // the most that one address has reached
	refused map[string]int64
}

func newLedger(l Limits) *ledger {
	return &ledger{limits: l, byIP: map[string]*usage{}, refused: map[string]int64{}}
}

// of returns an address's usage. The lock is held.
func (l *ledger) of(ip string) *usage {
	u := l.byIP[ip]
	if u == nil {
		u = &usage{users: map[string]int{}}
		l.byIP[ip] = u
	}
	return u
}

// within checks a number against its limit and notes it as a peak, or as a refusal. The
// lock is held.
func (l *ledger) within(n, limit int, peak *int, reason string) bool {
	if limit > 0 && n > limit {
		l.refused[reason]++
		return false
	}
	*peak = max(*peak, n)
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
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.of(ip)
	if !l.within(u.opened.add(0, nowMs)+1, l.limits.NewConnections, &l.peak.NewConnections, overNewConnections) ||
		!l.within(u.conns+1, l.limits.Connections, &l.peak.Connections, overConnections) {
		return false
	}
	u.opened.add(1, nowMs)
	u.conns++
	return true
}

// disconnect ends a connection that was admitted.
func (l *ledger) disconnect(ip string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of(ip).conns--
}

// message admits a client's frame.
func (l *ledger) message(ip string, nowMs int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.within(l.of(ip).messages.add(1, nowMs), l.limits.Messages, &l.peak.Messages, overMessages)
}

// subscribe admits a subscription, of a user unless that is "". It returns the reason
// of a refusal, else "".
func (l *ledger) subscribe(ip, user string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.of(ip)
	if !l.within(u.subs+1, l.limits.Subscriptions, &l.peak.Subscriptions, overSubscriptions) {
		return overSubscriptions
	}
	if user != "" {
		n := len(u.users)
		if u.users[user] == 0 {
			n++
		}
		if !l.within(n, l.limits.Users, &l.peak.Users, overUsers) {
			return overUsers
		}
		u.users[user]++
	}
	u.subs++
	return ""
}

// unsubscribe ends a subscription that was admitted.
func (l *ledger) unsubscribe(ip, user string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.of(ip)
	u.subs--
	if user != "" {
		if u.users[user]--; u.users[user] == 0 {
			delete(u.users, user)
		}
	}
}

// spend takes weight from an address's minute; false when it is exhausted.
func (l *ledger) spend(ip string, weight int, nowMs int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := &l.of(ip).weight
	if !l.within(m.add(0, nowMs)+weight, l.limits.Weight, &l.peak.Weight, overWeight) {
		return false
	}
	m.add(weight, nowMs)
	return true
}

// charge adds weight that was not known before.
func (l *ledger) charge(ip string, weight int, nowMs int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.peak.Weight = max(l.peak.Weight, l.of(ip).weight.add(weight, nowMs))
}

// totals are the subscriptions and the weight of the last minute, of all addresses.
func (l *ledger) totals(nowMs int64) (subs, weight int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, u := range l.byIP {
		subs += u.subs
		weight += u.weight.add(0, nowMs)
	}
	return subs, weight
}
