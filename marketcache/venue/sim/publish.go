package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/goccy/go-json"
)

// publish sends the pushes that are due.
func (e *Exchange) publish(nowMs int64) {
	f := e.faults.Load()
	e.closeOverdue(f, nowMs)
	e.mu.Lock()
	defer e.mu.Unlock()
	var changed map[string]bool // users whose streams are pushed at once
	if e.market != nil {
		changed = e.market.takeChanged()
	}
	for c := range e.conns {
		for _, t := range c.topics {
			if (nowMs >= t.due || changed[t.sub.User]) && !f.mute() {
				e.push(c, t, f)
				t.schedule(nowMs, e.tickMs)
			}
		}
	}
}

// schedule sets the time of the next push. All books are pushed together, at multiples of their cadence.
// Every other stream has its own phase within its cadence, a multiple of the tick; those of a user have the user's.
func (t *topic) schedule(nowMs, tickMs int64) {
	phase := int64(0)
	if n := t.everyMs / tickMs; n > 1 && t.sub.Type != "l2Book" {
		phase = (t.phase & 0xffff) % n * tickMs
	}
	t.due = floorDiv(nowMs-phase, t.everyMs)*t.everyMs + t.everyMs + phase
}

// push sends a topic's next frame, if there is one. The caller holds Exchange.mu.
func (e *Exchange) push(c *conn, t *topic, f *faults) {
	if f.on("stall", t.sub.Coin) {
		return
	}
	if data := e.source.push(t, f); data != nil {
		e.reply(c, cmp.Or(streams[t.sub.Type].channel, t.sub.Type), data)
	}
}

// outgoing is a frame from the server.
type outgoing struct {
	Channel string `json:"channel"`
	Data    any    `json:"data,omitempty"`
}

// closeOverdue closes the sockets that faults or the venue's silence limit end.
func (e *Exchange) closeOverdue(f *faults, nowMs int64) {
	silence := int64(e.cfg.Limits[tooSilent]) * 1000
	life := f.times["disconnect"].Milliseconds()
	for _, c := range e.open() {
		switch {
		case f.on("down", ""):
			c.drop()
		case life > 0 && nowMs-c.opened >= life:
			c.close(websocket.CloseNormalClosure)
		case silence > 0 && nowMs-c.sent.Load() > silence && !f.mute():
			e.ledger.refuse(tooSilent)
			c.drop()
		}
	}
}

// send sends a frame in answer to a client, unless a fault silences the socket.
func (e *Exchange) send(c *conn, data []byte) {
	if !e.faults.Load().mute() {
		c.enqueue(websocket.TextMessage, data)
	}
}

func (e *Exchange) reply(c *conn, channel string, data any) {
	e.send(c, e.faults.Load().spoil(encode(outgoing{channel, data}), channel))
}

func (e *Exchange) complain(c *conn, format string, args ...any) {
	e.reply(c, "error", fmt.Sprintf(format, args...))
}

// receive handles one frame of a client.
func (e *Exchange) receive(c *conn, data []byte) {
	if !e.ledger.spend(c.ip, overMessages, 1, e.nowMs()) {
		e.complain(c, "Cannot send more than %d messages per minute.", e.cfg.Limits[overMessages])
		return
	}
	var in clientFrame
	if err := json.Unmarshal(data, &in); err != nil {
		e.complain(c, errUnreadable, cut(data))
		return
	}
	switch in.Method {
	case "ping":
		e.reply(c, "pong", nil)
	case "subscribe":
		e.subscribe(c, in.Subscription, data)
	case "unsubscribe":
		e.unsubscribe(c, in.Subscription)
	case "post":
		e.reply(c, "post", object{"id": in.ID, "response": e.post(&in.Request, c.ip)})
	default:
		e.complain(c, errUnreadable, cut(data))
	}
}

// cut limits how much of a client's bytes is echoed.
func cut(b []byte) []byte { return b[:min(len(b), 1024)] }

// errUnreadable is the error text for unreadable messages and unknown types.
const errUnreadable = "Error parsing JSON into valid websocket request: %s"

// subscribe adds a subscription, acknowledges it and sends the current state before any push. A
// subscription to a book that does not exist closes the whole socket without a message.
func (e *Exchange) subscribe(c *conn, raw, data []byte) {
	t, good := parseTopic(raw)
	if !good {
		e.complain(c, errUnreadable, cut(data))
		return
	}
	switch e.source.checkSubscription(&t.sub) {
	case invalid:
		e.complain(c, "Invalid subscription %s", cut(raw))
		return
	case fatal:
		e.ledger.refuse(badSubscription)
		delay := 100 + key(t.phase).bits(e.nowMs())%700
		time.AfterFunc(time.Duration(delay)*time.Millisecond, c.drop)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.topics[t.key] != nil {
		e.complain(c, "Already subscribed: %s", t.key)
		return
	}
	switch e.ledger.subscribe(c.ip, t.sub.User) {
	case overSubscriptions:
		e.complain(c, "Cannot subscribe to more than %d channels.", e.cfg.Limits[overSubscriptions])
		return
	case overUsers:
		e.complain(c, "Cannot track more than %d total users.", e.cfg.Limits[overUsers])
		return
	}
	c.topics[t.key] = t
	t.everyMs = e.every(&t.sub)
	t.schedule(e.nowMs(), e.tickMs)
	e.acknowledge(c, "subscribe", t)
	e.push(c, t, e.faults.Load())
}

func (e *Exchange) unsubscribe(c *conn, raw []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, good := parseTopic(raw)
	if !good || c.topics[t.key] == nil {
		e.complain(c, "Already unsubscribed: %s", cut(raw))
		return
	}
	delete(c.topics, t.key)
	e.ledger.unsubscribe(c.ip, t.sub.User)
	e.acknowledge(c, "unsubscribe", t)
}

func (e *Exchange) acknowledge(c *conn, method string, t *topic) {
	e.reply(c, "subscriptionResponse", object{"method": method, "subscription": json.RawMessage(t.key)})
}
