package sim

import (
	"fmt"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/goccy/go-json"

	"ballast/marketcache/venue/hyperliquid"
)

// publish pushes what is due to whoever listens: each frame is made once and the same
// bytes go to every socket.
func (e *Exchange) publish(nowMs int64) {
	f := e.faults.Load()
	e.closeOverdue(f, nowMs)
	if f.on("half-open", "") || f.on("stall", "") {
		return
	}
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	for _, t := range e.hub.topics {
		if t.everyMs == 0 || nowMs < t.due {
			continue
		}
		t.schedule(nowMs, e.tickMs)
		if fr := e.frameOf(t, f); fr != nil {
			for c := range t.conns {
				c.send(fr)
			}
		}
	}
}

// schedule sets the time of the next push: a multiple of the interval, one clock for all
// books; the pushes of other equal streams are spread over it, on the grid of ticks.
func (t *topic) schedule(nowMs, tickMs int64) {
	if t.everyMs == 0 {
		return
	}
	phase := int64(0)
	if n := t.everyMs / tickMs; n > 1 && t.sub.Type != "l2Book" {
		phase = (t.phase & 0xffff) % n * tickMs
	}
	t.due = floorDiv(nowMs-phase, t.everyMs)*t.everyMs + t.everyMs + phase
}

// frameOf makes a topic's next frame, nil when there is nothing to say. One caller at
// a time for a topic: the hub's lock is held, or the topic is the caller's own.
func (e *Exchange) frameOf(t *topic, f *faults) []byte {
	if f.silences(&t.sub) {
		return nil
	}
	buf := append(make([]byte, headerRoom, 4096), t.prefix...)
	buf = e.source.push(buf, t, f)
	if buf == nil {
		return nil
	}
	buf = append(buf, '}')
	return seal(e.spoil(buf, headerRoom, t.sub.Type, f), opText)
}

// spoil applies the faults garbage and truncated to the bytes from start on.
func (e *Exchange) spoil(buf []byte, start int, kind string, f *faults) []byte {
	switch {
	case f.on("garbage", kind):
		return append(buf[:start], "\x00\x7f{]not json "...)
	case f.on("truncated", kind):
		return buf[:start+(len(buf)-start)/2]
	}
	return buf
}

// closeOverdue closes sockets that the faults or the venue's rule of silence end.
func (e *Exchange) closeOverdue(f *faults, nowMs int64) {
	e.hub.mu.Lock()
	conns := e.hub.list()
	e.hub.mu.Unlock()
	silence := e.cfg.Limits.Silence.Milliseconds()
	for _, c := range conns {
		life := f.times["disconnect"].Milliseconds()
		switch {
		case f.on("down", ""):
			c.drop()
		case life > 0 && nowMs-c.opened >= life:
			c.close(websocket.CloseNormalClosure, "")
		case silence > 0 && nowMs-c.sent.Load() > silence && !f.on("stall", "") && !f.on("half-open", ""):
			e.ledger.refuse(tooSilent)
			c.drop()
		}
	}
}

// sendTo sends a frame that answers a client, unless a fault keeps the socket silent.
func (e *Exchange) sendTo(c *conn, fr []byte) {
	f := e.faults.Load()
	if !f.on("stall", "") && !f.on("half-open", "") {
		c.send(fr)
	}
}

// greet sends the first frame, which is not JSON.
func (e *Exchange) greet(c *conn) { e.sendTo(c, frame(opText, []byte(hyperliquid.Greeting))) }

// reply sends a channel and its data.
func (e *Exchange) reply(c *conn, channel string, data []byte) {
	buf := append(make([]byte, headerRoom, headerRoom+64+len(data)), `{"channel":"`+channel+`"`...)
	if data != nil {
		buf = append(append(buf, `,"data":`...), data...)
	}
	buf = append(buf, '}')
	e.sendTo(c, seal(e.spoil(buf, headerRoom, channel, e.faults.Load()), opText))
}

// complain sends an error frame.
func (e *Exchange) complain(c *conn, format string, args ...any) {
	e.reply(c, hyperliquid.ChannelError, encode(fmt.Sprintf(format, args...)))
}

// receive handles one frame of a client.
func (e *Exchange) receive(c *conn, data []byte) {
	if !e.ledger.message(c.ip, e.nowMs()) {
		e.complain(c, "Cannot send more than %d messages per minute.", e.cfg.Limits.Messages)
		return
	}
	var in hyperliquid.ClientFrame
	if err := json.Unmarshal(data, &in); err != nil {
		e.complain(c, errUnreadable, cut(data))
		return
	}
	switch in.Method {
	case "ping":
		e.reply(c, hyperliquid.ChannelPong, nil)
	case "subscribe":
		e.subscribe(c, in.Subscription, data)
	case "unsubscribe":
		t, good := parseTopic(in.Subscription)
		if !good || !e.hub.drop(c, t.key) {
			e.complain(c, "Already unsubscribed: %s", cut(in.Subscription))
			return
		}
		e.acknowledge(c, in.Method, t)
	case "post":
		e.post(c, &in, data)
	default:
		e.complain(c, errUnreadable, cut(data))
	}
}

// cut bounds what is echoed of a client's bytes.
func cut(b []byte) []byte { return b[:min(len(b), 1024)] }

// errUnreadable is the error for what cannot be read, unknown types included.
const errUnreadable = "Error parsing JSON into valid websocket request: %s"

// subscribe adds a subscription, acknowledges it and sends the present state, before
// anything is pushed. A book of what there is not ends the whole socket without a word.
func (e *Exchange) subscribe(c *conn, raw, data []byte) {
	t, good := parseTopic(raw)
	if !good {
		e.complain(c, errUnreadable, cut(data))
		return
	}
	t.everyMs, t.resend = e.every(&t.sub), e.cfg.Cadence == CadenceMainnet
	t.schedule(e.nowMs(), e.tickMs)
	switch e.source.takes(&t.sub) {
	case invalid:
		e.complain(c, "Invalid subscription %s", cut(raw))
		return
	case fatal:
		e.ledger.refuse(badSubscription)
		delay := 100 + key(t.phase).bits(e.nowMs())%700
		time.AfterFunc(time.Duration(delay)*time.Millisecond, c.drop)
		return
	}
	e.hub.mu.Lock()
	defer e.hub.mu.Unlock()
	if c.topics[t.key] != nil {
		e.complain(c, "Already subscribed: %s", t.key)
		return
	}
	shared, refusal := e.hub.add(c, t)
	switch refusal {
	case overSubscriptions:
		e.complain(c, "Cannot subscribe to more than %d channels.", e.cfg.Limits.Subscriptions)
		return
	case overUsers:
		e.complain(c, "Cannot track more than %d total users.", e.cfg.Limits.Users)
		return
	}
	e.acknowledge(c, "subscribe", t)
	// A private copy of the topic has pushed nothing yet: the newcomer gets the whole
	// state, the others' change detection is not disturbed.
	first := topic{key: t.key, sub: t.sub, stream: t.stream, channel: t.channel, prefix: t.prefix, base: shared}
	if fr := e.frameOf(&first, e.faults.Load()); fr != nil {
		e.sendTo(c, fr)
	}
}

func (e *Exchange) acknowledge(c *conn, method string, t *topic) {
	if e.faults.Load().on("no-ack", "") {
		return
	}
	e.reply(c, hyperliquid.ChannelSubscribed, encode(hyperliquid.SubscriptionAck{
		Method: method, Subscription: json.RawMessage(t.key),
	}))
}

// post answers an info request sent over the socket.
func (e *Exchange) post(c *conn, in *hyperliquid.ClientFrame, data []byte) {
	if in.ID == nil || in.Request == nil {
		e.complain(c, errUnreadable, cut(data))
		return
	}
	out := hyperliquid.PostAnswer{ID: *in.ID}
	out.Response.Type = "error"
	switch r, good := decodeInfo(in.Request.Payload); {
	case in.Request.Type != "info":
		out.Response.Payload = encode("Cannot sign here: this exchange takes info requests only")
	case !good:
		out.Response.Payload = encode(string(refused.body))
	default:
		a := e.source.info(r, e.faults.Load())
		if a.status != 200 {
			out.Response.Payload = encode("Error: " + string(a.body))
			break
		}
		out.Response.Type = "info"
		out.Response.Payload = append(append([]byte(`{"type":"`+r.Type+`","data":`), a.body...), '}')
	}
	e.reply(c, hyperliquid.ChannelPost, encode(out))
}
