package alerts

import (
	"math"
	"slices"
	"sync"

	"ballast/marketcache"
)

// Index of the subscriptions: wallet -> audience -> groups of equal thresholds -> sockets.

const (
	shardCount = 64
	// maxGroups is the maximum number of distinct thresholds per wallet, and bounds the cost of a
	// monitor call. It applies separately to clients with an API key and to clients without.
	maxGroups = 8
)

// shard holds the audiences of some of the wallets.
type shard struct {
	mu        sync.Mutex
	audiences map[marketcache.Wallet]*audience

	// scratch memory of Deliver
	alerts []Alert
	text   []byte
	woken  []*socket
}

// audience holds all subscriptions to one wallet.
type audience struct {
	wallet    marketcache.Wallet
	groups    []*group
	standings []*standing // by thresholds that differ
}

// group holds the subscriptions with equal thresholds, which get the same bytes.
type group struct {
	thresholds Thresholds
	members    []*subscription
	keyed      bool // the client of the first member has sent an API key
}

// subscription is the subscription of one socket to one wallet.
type subscription struct {
	socket   *socket
	audience *audience
	group    *group    // nil: removed to make room for another client's group
	at       int       // index in group.members
	standing *standing // nil: the socket is told no details
}

func (h *Hub) shardOf(w marketcache.Wallet) *shard { return &h.shards[w[len(w)-1]%shardCount] }

// add adds a subscription to the group with these thresholds, which it creates if necessary. It
// returns false if there is no room for another group.
func (a *audience) add(sub *subscription, th Thresholds) bool {
	var g *group
	if i := slices.IndexFunc(a.groups, func(g *group) bool { return g.thresholds == th }); i >= 0 {
		g = a.groups[i]
	} else if a.makeRoom(sub.socket.client) {
		g = &group{thresholds: th, keyed: sub.socket.client.Keyed}
		a.groups = append(a.groups, g)
	} else {
		return false
	}
	sub.group, sub.at = g, len(g.members)
	g.members = append(g.members, sub)
	return true
}

// makeRoom reports whether a client may have one more group. If there are maxGroups groups already, one
// must be dropped: a group all of whose clients have at least two groups more than this client. Of several
// such groups it drops the one with the largest minimum, over its clients, of groups per client.
func (a *audience) makeRoom(client Client) bool {
	var rivals []*group
	has := map[Client]int{} // number of groups per client
	for _, g := range a.groups {
		if g.keyed == client.Keyed {
			rivals = append(rivals, g)
			for c := range g.clients() {
				has[c]++
			}
		}
	}
	if len(rivals) < maxGroups {
		return true
	}
	var victim *group
	limit := has[client] + 1
	for _, g := range rivals {
		least := math.MaxInt
		for c := range g.clients() {
			least = min(least, has[c])
		}
		if least > limit {
			victim, limit = g, least
		}
	}
	if victim == nil {
		return false
	}
	for _, sub := range victim.members {
		sub.group = nil
		sub.socket.crowdOut()
	}
	a.drop(victim)
	return true
}

// clients returns the clients of a group's members.
func (g *group) clients() map[Client]bool {
	all := map[Client]bool{}
	for _, sub := range g.members {
		all[sub.socket.client] = true
	}
	return all
}

// remove removes a subscription from its group, and drops the group if it is empty then.
func (a *audience) remove(sub *subscription) {
	g := sub.group
	last := g.members[len(g.members)-1]
	g.members[sub.at], last.at = last, sub.at
	g.members = slices.Delete(g.members, len(g.members)-1, len(g.members))
	sub.group = nil
	if len(g.members) == 0 {
		a.drop(g)
	}
}

// drop removes a group from the audience.
func (a *audience) drop(g *group) {
	a.groups = slices.DeleteFunc(a.groups, func(o *group) bool { return o == g })
}

// subscribe subscribes a socket to a wallet, or replaces the thresholds of its subscription, and
// queues the confirmation before any alert about the wallet. On failure it tells the client why
// and closes the socket. Called by the socket's reader.
func (h *Hub) subscribe(s *socket, c AlertConfig) bool {
	confirmation := textPacket([]byte(`{"subscribed":"` + c.Wallet.String() + `"}`))
	sh := h.shardOf(c.Wallet)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sub := s.find(c.Wallet)
	switch {
	case sub == nil && len(s.subs) == maxWallets:
		s.refuse(&configFault{detail: "more than 64 wallets on one connection"})
		return false
	case sub == nil:
		a := sh.audiences[c.Wallet]
		if a == nil {
			a = &audience{wallet: c.Wallet}
			sh.audiences[c.Wallet] = a
		}
		sub = &subscription{socket: s, audience: a}
		s.subs = append(s.subs, sub)
		h.subscribed.Add(1)
	case sub.group == nil: // the socket is being closed
		return false
	case sub.group.thresholds == c.Thresholds:
		s.send(confirmation)
		return true
	default:
		sub.audience.remove(sub)
		h.unfollow(sub)
	}
	if !sub.audience.add(sub, c.Thresholds) {
		s.crowdOut()
		return false
	}
	sub.audience.follow(sub, c.Thresholds)
	s.send(confirmation)
	return true
}

// unsubscribe removes all subscriptions of a socket. Called by the socket's reader.
func (h *Hub) unsubscribe(s *socket) {
	for _, sub := range s.subs {
		h.forget(sub)
	}
	s.subs = nil
}

func (h *Hub) forget(sub *subscription) {
	a := sub.audience
	sh := h.shardOf(a.wallet)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if sub.group != nil {
		a.remove(sub)
	}
	h.unfollow(sub)
	sh.dropEmpty(a)
	h.subscribed.Add(-1)
}

// keepAlerts is the maximum capacity of the scratch slice that a shard keeps, in alerts.
const keepAlerts = 256

// Deliver judges a result for all subscriptions to its wallet and queues the alerts. It never
// waits for a socket. Sockets get results in the order of the calls. Results of concurrent calls
// come in any order, but in the same order on every socket.
func (h *Hub) Deliver(r *Result) {
	w, ok := marketcache.ParseWallet([]byte(r.Wallet))
	if !ok {
		return
	}
	sh := h.shardOf(w)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	a := sh.audiences[w]
	if a == nil {
		return
	}
	woken := sh.woken[:0] // handed over after the loop: running writers would slow the loop down
	for _, g := range a.groups {
		sh.alerts = Judge(sh.alerts[:0], r, &g.thresholds)
		st := a.standing(g.thresholds)
		if st != nil {
			st.update(sh.alerts, len(r.StopsRemoved) > 0)
		}
		if len(sh.alerts) == 0 {
			continue
		}
		var plain, detailed *packet
		for _, sub := range g.members {
			p := &plain
			if sub.standing != nil {
				p = &detailed
			}
			if *p == nil {
				*p = sh.pack(sub.standing)
			}
			if sub.socket.enqueue(*p) {
				woken = append(woken, sub.socket)
			}
		}
	}
	sh.updateUnwatched(a, r)
	h.writers.wake(woken...)
	clear(woken)
	sh.woken = woken
	clear(sh.alerts[:cap(sh.alerts)]) // drops the references to the result's strings
	if cap(sh.alerts) > keepAlerts {
		sh.alerts = nil
	}
}

// pack encodes the shard's alerts, one frame per alert, with details if st is not nil, into a packet that the sockets
// of a group share.
func (sh *shard) pack(st *standing) *packet {
	p := &packet{weight: len(sh.alerts), alerts: len(sh.alerts)}
	for i := range sh.alerts {
		if st == nil {
			sh.text = sh.alerts[i].AppendJSON(sh.text[:0])
		} else {
			sh.text = st.appendDetails(sh.text[:0], &sh.alerts[i])
		}
		if p.frames == nil {
			p.frames = make([]byte, 0, len(sh.alerts)*(len(sh.text)+len(sh.text)/8))
		}
		p.frames = appendFrame(p.frames, opText, sh.text)
	}
	return p
}
