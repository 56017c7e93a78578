package relay

import (
	"time"

	"github.com/goccy/go-json"
	"github.com/nats-io/nats.go"

	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
)

// carried is a stream that replicas want. Guarded by term.mu.
type carried struct {
	stream
	slot      *slot
	wantedBy  map[string]bool
	idleSince marketcache.Instant // when the last replica let go

	last         []byte // the newest message of a book
	lastAt       marketcache.Instant
	lastLine     int64
	subscribedAt marketcache.Instant // on the present line; 0: not yet
	renew        bool                // subscribe again: somebody waits for a first message
}

// How old the last message of a stream may be to serve as a newcomer's first. It is given
// for books only, whose own time says how old it is; a newcomer to a quieter stream gets
// what the venue says when it is subscribed again. A coarse book decides no age.
const (
	repeatFull   = time.Second
	repeatCoarse = 4 * time.Second
	// renewEvery is the least time between two subscriptions to one stream, and how long
	// contexts may be quiet before one is made for a newcomer.
	renewEvery = 2 * time.Second
)

// takeWant takes in what a replica wants.
func (t *term) takeWant(m *nats.Msg) {
	id := header(m, headerReplica)
	wants := readWants(m.Data)
	now := marketcache.Now()
	var fresh []*carried
	t.mu.Lock()
	r := t.replicas[id]
	if r == nil {
		r = &replica{}
		t.replicas[id] = r
	}
	r.told = now
	before, slotOf := r.streams, r.slotOf
	r.streams, r.slotOf = make(map[string]bool, len(wants)), map[int]int{}
	refused := 0
	for _, w := range wants {
		c := t.streams[w.stream]
		if c == nil {
			st, ok := parseStream(w.stream)
			if !ok {
				continue
			}
			near, known := r.slotOf[w.socket]
			if !known {
				near, known = slotOf[w.socket]
			}
			if !known {
				near = -1
			}
			if c = t.place(st, near); c == nil {
				refused++
				continue
			}
		}
		r.slotOf[w.socket] = c.slot.index
		r.streams[w.stream] = true
		c.wantedBy[id] = true
		if w.fresh {
			fresh = append(fresh, c)
		}
	}
	for s := range before {
		if !r.streams[s] {
			t.unwant(id, s, now)
		}
	}
	t.mu.Unlock()
	for _, c := range fresh {
		t.first(c)
	}
	if refused > 0 && t.u.stats.noRoom.Add(int64(refused)) == int64(refused) {
		t.u.log.Warn("more streams are wanted than the venue grants an address", "refused", refused)
	}
}

// unwant takes a replica's interest from a stream. Called with mu held.
func (t *term) unwant(id, name string, now marketcache.Instant) {
	if c := t.streams[name]; c != nil {
		delete(c.wantedBy, id)
		if len(c.wantedBy) == 0 {
			c.idleSince = now
		}
	}
}

// retired is a stream that a slot carried until a moment ago. Its frames may still be
// under way, and would pass for those of another stream of the topic.
type retired struct {
	id string
	at marketcache.Instant
}

const retiredFor = 30 * time.Second

// place gives a stream a slot: the one near which it belongs, else the emptiest. No slot
// carries two streams of one topic. It returns nil when there is no room. Called with mu
// held.
func (t *term) place(st stream, near int) *carried {
	if len(t.streams) >= maxStreams {
		return nil
	}
	best := -1
	for i, s := range t.slots {
		r, was := s.retired[st.topic()]
		if s.topics[st.topic()] != nil || was && r.id != st.id {
			continue
		}
		if i == near {
			best = i
			break
		}
		if best < 0 || len(s.topics) < len(t.slots[best].topics) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	c := &carried{stream: st, slot: t.slots[best], wantedBy: map[string]bool{}}
	t.streams[st.id] = c
	c.slot.topics[st.topic()] = c
	poke(c.slot.wake)
	return c
}

// first gives a newcomer to a stream its first message, or sees to it that one comes.
func (t *term) first(c *carried) {
	t.pub.Lock()
	defer t.pub.Unlock()
	now := marketcache.Now()
	t.mu.Lock()
	limit := repeatCoarse
	if c.figures == 0 {
		limit = repeatFull
	}
	quiet := now.Sub(c.lastAt)
	repeat := c.lastAt != 0 && c.last != nil && quiet <= limit
	data, s := c.last, stamp{at: now, line: c.lastLine, again: true}
	if !repeat && c.subscribedAt != 0 && now.Sub(c.subscribedAt) >= renewEvery && (c.channel == channelBook || quiet >= renewEvery) {
		c.renew = true
		poke(c.slot.wake)
	}
	t.mu.Unlock()
	if repeat {
		t.u.stats.repeats.Add(1)
		t.publish(kindData+"."+c.id, s, data)
	}
}

// pass takes in one message of the venue and publishes it.
func (t *term) pass(l *line, data []byte, arrival marketcache.Instant) {
	channel, coin, ok := hyperliquid.ReadTopic(data)
	switch {
	case !ok:
		if string(data) != hyperliquid.Greeting {
			t.u.stats.unrouted.Add(1)
		}
	case string(channel) == hyperliquid.ChannelPong:
		if t.prove(l) {
			t.beat()
		}
	case string(channel) == hyperliquid.ChannelSubscribed:
	case string(channel) == hyperliquid.ChannelError:
		t.passError(data, arrival)
	default:
		t.passData(l, topic{string(channel), string(coin)}, data, arrival)
	}
}

func (t *term) passData(l *line, of topic, data []byte, arrival marketcache.Instant) {
	t.pub.Lock()
	defer t.pub.Unlock()
	t.mu.Lock()
	c := l.slot.topics[of]
	if c != nil {
		c.lastAt, c.lastLine = arrival, l.id
		if c.channel == channelBook {
			c.last = data
		}
	}
	t.mu.Unlock()
	if c == nil { // dropped a moment ago
		t.u.stats.unrouted.Add(1)
		return
	}
	t.u.stats.messages.Add(1)
	t.publish(kindData+"."+c.id, stamp{at: arrival, line: l.id}, data)
}

// passError passes on an error frame of the venue. That something was subscribed already
// is of renewals that crossed.
func (t *term) passError(data []byte, arrival marketcache.Instant) {
	t.u.stats.errorFrames.Add(1)
	var in struct {
		Data string `json:"data"`
	}
	if readJSON(data, &in) == nil && len(in.Data) > 7 && in.Data[:7] == "Already" {
		return
	}
	t.pub.Lock()
	defer t.pub.Unlock()
	t.publish(kindError, stamp{at: arrival}, data)
}

// takePing asks for a pong on the lines that a replica names.
func (t *term) takePing(data []byte) {
	var ids []int64
	if json.Unmarshal(data, &ids) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		if l := t.up[id]; l != nil {
			l.asked = true
			poke(l.slot.wake)
		}
	}
}
