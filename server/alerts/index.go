package alerts

import (
	"math"
	"slices"
	"sync"

	"ballast/marketcache"
)

// Who listens to what: wallet -> audience -> groups of equal thresholds -> sockets.

const (
	shardCount = 64
	// maxGroups bounds the sets of thresholds by which one wallet is judged, and with it the cost
	// of a monitor call: so many of clients with a key, so many of others.
	maxGroups = 8
)

// shard holds the audiences of some of the wallets.
type shard struct {
	mu        sync.Mutex
	audiences map[marketcache.Wallet]*audience

	// working space of Deliver
	alerts []Alert
	text   []byte
}

// audience is all subscriptions to one wallet.
type audience struct {
	wallet marketcache.Wallet
	groups []*group
}

// group is the subscriptions with the same thresholds: they get the same bytes.
type group struct {
	thresholds Thresholds
	at         int // in audience.groups
	members    []*subscription
	keyed      bool // the first member showed a key
}

// subscription is one wallet of one socket.
type subscription struct {
	socket   *socket
	audience *audience
	group    *group // nil: it had to make room for another client's
	at       int    // in group.members
}

func (h *Hub) shardOf(w marketcache.Wallet) *shard { return &h.shards[w[len(w)-1]%shardCount] }

// add puts a subscription into the group with these thresholds; false: there is no room for
// another group.
func (a *audience) add(sub *subscription, th Thresholds) bool {
	var g *group
	if i := slices.IndexFunc(a.groups, func(g *group) bool { return g.thresholds == th }); i >= 0 {
		g = a.groups[i]
	} else if a.makeRoom(sub.socket.client) {
		g = &group{thresholds: th, at: len(a.groups), keyed: sub.socket.client.Keyed}
		a.groups = append(a.groups, g)
	} else {
		return false
	}
	sub.group, sub.at = g, len(g.members)
	g.members = append(g.members, sub)
	return true
}

// makeRoom sees to it that a client may have one more group. When there are too many, one goes
// whose members all have two more than the client: the first of those who have most.
func (a *audience) makeRoom(client Client) bool {
	count := 0
	has := map[Client]int{} // groups
	for _, g := range a.groups {
		if g.keyed != client.Keyed {
			continue
		}
		count++
		seen := map[Client]bool{}
		for _, sub := range g.members {
			if c := sub.socket.client; !seen[c] {
				seen[c] = true
				has[c]++
			}
		}
	}
	if count < maxGroups {
		return true
	}
	var most *group
	limit := has[client] + 1
	for _, g := range a.groups {
		fewest := math.MaxInt
		for _, sub := range g.members {
			fewest = min(fewest, has[sub.socket.client])
		}
		if g.keyed == client.Keyed && fewest > limit {
			most, limit = g, fewest
		}
	}
	if most == nil {
		return false
	}
	for _, sub := range most.members {
		sub.group = nil
		sub.socket.crowdOut()
	}
	a.drop(most)
	return true
}

// remove takes a subscription out of its group, and the group away when it was the last.
func (a *audience) remove(sub *subscription) {
	g := sub.group
	last := g.members[len(g.members)-1]
	g.members[sub.at], last.at = last, sub.at
	g.members[len(g.members)-1] = nil
	g.members = g.members[:len(g.members)-1]
	sub.group = nil
	if len(g.members) == 0 {
		a.drop(g)
	}
}

// drop takes a group away.
func (a *audience) drop(g *group) {
	end := a.groups[len(a.groups)-1]
	a.groups[g.at], end.at = end, g.at
	a.groups[len(a.groups)-1] = nil
	a.groups = a.groups[:len(a.groups)-1]
}

// subscribe makes a socket hear of a wallet, or changes the thresholds by which it does,
// and queues the confirmation before any alert of it. When it cannot, the socket is told and
// closed. Called by the socket's reader.
func (h *Hub) subscribe(s *socket, c AlertConfig) bool {
	text := append([]byte(nil), `{"subscribed":"`...)
	confirmation := textPacket(append(c.Wallet.Append(text), `"}`...))
	sh := h.shardOf(c.Wallet)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sub := s.find(c.Wallet)
	switch {
	case sub == nil && len(s.subs) == maxWallets:
		s.refuse("more than 64 wallets on one connection")
		return false
	case sub == nil:
		a := sh.audiences[c.Wallet]
		if a == nil {
			a = &audience{wallet: c.Wallet}
			sh.audiences[c.Wallet] = a
		}
		sub = &subscription{socket: s, audience: a}
		if !a.add(sub, c.Thresholds) {
			s.crowdOut()
			return false
		}
		s.subs = append(s.subs, sub)
		h.stats.subscriptions.Add(1)
	case sub.group == nil: // being closed
		return false
	case sub.group.thresholds != c.Thresholds:
		sub.audience.remove(sub)
		if !sub.audience.add(sub, c.Thresholds) {
			s.crowdOut()
			return false
		}
	}
	s.send(confirmation)
	return true
}

// unsubscribe forgets all subscriptions of a socket. Called by its reader.
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
	if len(a.groups) == 0 && sh.audiences[a.wallet] == a {
		delete(sh.audiences, a.wallet)
	}
	h.stats.subscriptions.Add(-1)
}

// keepAlerts bounds the working space that a shard keeps.
const keepAlerts = 256

// Deliver judges a result for everyone who has subscribed to its wallet and queues what
// breaches their thresholds. It never waits for a socket. Sockets see results in the
// order of the calls; those of calls at the same time in any order, but the same one on
// every socket.
func (h *Hub) Deliver(r *Result) {
	w, ok := parseWallet(r.Wallet)
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
	var woken chain // handed over at the end: the writers would slow the rest down
	for _, g := range a.groups {
		sh.alerts = Judge(sh.alerts[:0], r, &g.thresholds)
		if len(sh.alerts) == 0 {
			continue
		}
		p := sh.pack()
		for _, sub := range g.members {
			if sub.socket.enqueue(p) {
				woken.add(sub.socket)
			}
		}
	}
	h.writers.wake(woken)
	clear(sh.alerts[:cap(sh.alerts)]) // no text of the result is kept
	if cap(sh.alerts) > keepAlerts {
		sh.alerts = nil
	}
}

// pack encodes the shard's alerts, one frame each, into bytes that all who get them
// share.
func (sh *shard) pack() *packet {
	p := &packet{weight: len(sh.alerts), alerts: len(sh.alerts)}
	for i := range sh.alerts {
		sh.text = sh.alerts[i].AppendJSON(sh.text[:0])
		if p.frames == nil {
			p.frames = make([]byte, 0, len(sh.alerts)*(len(sh.text)+len(sh.text)/8))
		}
		p.frames = appendFrame(p.frames, opText, sh.text)
	}
	return p
}

// parseWallet reads an address without allocating.
func parseWallet(s string) (marketcache.Wallet, bool) {
	var text [42]byte
	if len(s) != len(text) {
		return marketcache.Wallet{}, false
	}
	copy(text[:], s)
	return marketcache.ParseWallet(text[:])
}
