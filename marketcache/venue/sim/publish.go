package sim

import (
	"fmt"

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
		if t.stream.everyMs == 0 || nowMs < t.due {
			continue
		}
		// Due times of one stream are spread over its period, on the grid of ticks.
		every := t.stream.everyMs
		t.due = floorDiv(nowMs, every)*every + every
		if every > tickMs {
			t.due += (t.phase & 0xffff) % (every / tickMs) * tickMs
		}
		if fr := e.frameOf(t, f); fr != nil {
			for c := range t.conns {
				c.send(fr)
			}
		}
	}
}

// frameOf makes a topic's next frame, nil when there is nothing to say. One caller at
// a time for a topic: the hub's lock is held, or the topic is the caller's own.
func (e *Exchange) frameOf(t *topic, f *faults) []byte {
	if f.on("stall", t.sub.Coin) {
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

// idleMs is the silence after which the venue closes a socket.
const idleMs = 60_000

// closeOverdue closes sockets that the faults or the venue's rule of silence end.
func (e *Exchange) closeOverdue(f *faults, nowMs int64) {
	e.hub.mu.Lock()
	conns := e.hub.list()
	e.hub.mu.Unlock()
	for _, c := range conns {
		life := f.times["disconnect"].Milliseconds()
		switch {
		case f.on("down", ""):
			c.drop()
		case life > 0 && nowMs-c.opened >= life:
			c.close(websocket.CloseNormalClosure, "")
		case nowMs-c.sent.Load() > idleMs && !f.on("stall", "") && !f.on("half-open", ""):
			c.close(websocket.CloseNormalClosure, "Inactive")
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
	if minute := e.nowMs() / 60_000; minute != c.minute {
		c.minute, c.count = minute, 0
	}
	if c.count++; e.cfg.MaxMessages > 0 && c.count > e.cfg.MaxMessages {
		e.complain(c, errTooManyMessages, e.cfg.MaxMessages)
		return
	}
	var in hyperliquid.ClientFrame
	if err := json.Unmarshal(data, &in); err != nil {
		e.complain(c, "Error parsing JSON into valid websocket request: %s", cut(data))
		return
	}
	switch in.Method {
	case "ping":
		e.reply(c, hyperliquid.ChannelPong, nil)
	case "subscribe":
		e.subscribe(c, in.Subscription)
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
		e.complain(c, "Error parsing JSON into valid websocket request: %s", cut(data))
	}
}

// cut bounds what is echoed of a client's bytes.
func cut(b []byte) []byte { return b[:min(len(b), 1024)] }

// subscribe adds a subscription, acknowledges it and sends the present state.
func (e *Exchange) subscribe(c *conn, raw []byte) {
	t, good := parseTopic(raw)
	if !good || !e.source.knows(&t.sub) {
		e.complain(c, "Invalid subscription %s", cut(raw))
		return
	}
	t, v := e.hub.add(c, t, e.cfg.MaxSubscriptions, e.cfg.MaxUsers)
	switch v {
	case already:
		e.complain(c, "Already subscribed: %s", cut(raw))
		return
	case tooManyChannels:
		e.complain(c, errTooManyChannels, e.cfg.MaxSubscriptions)
		return
	case tooManyUsers:
		e.complain(c, errTooManyUsers, e.cfg.MaxUsers)
		return
	}
	e.acknowledge(c, "subscribe", t)
	// A private copy of the topic has pushed nothing yet: the newcomer gets the whole
	// state, the others' change detection is not disturbed.
	first := topic{key: t.key, sub: t.sub, stream: t.stream, channel: t.channel, prefix: t.prefix}
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
		e.complain(c, "Error parsing JSON into valid websocket request: %s", cut(data))
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
