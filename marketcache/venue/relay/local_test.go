package relay

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/goccy/go-json"
	"github.com/nats-io/nats.go"

	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
)

// holder speaks to a Local as an Upstream would, word by word.
type holder struct {
	t     *testing.T
	nc    *nats.Conn
	epoch uint64
	seq   uint64
}

func (h *holder) say(kind string, s stamp, data string) {
	h.t.Helper()
	h.seq++
	s.seq = h.seq
	if s.at == 0 {
		s.at = marketcache.Now()
	}
	m := &nats.Msg{Subject: subjects("t").down(h.epoch, kind), Header: s.header(), Data: []byte(data)}
	if err := h.nc.PublishMsg(m); err != nil {
		h.t.Fatal(err)
	}
}

func (h *holder) beat(lines ...lineState) {
	b, err := json.Marshal(beat{Holder: "h", Lines: lines})
	if err != nil {
		h.t.Fatal(err)
	}
	h.say(kindBeat, stamp{}, string(b))
}

// live beats until it is told to stop.
func (h *holder) live() (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
				h.beat(lineState{ID: 1})
			}
		}
	})
	return sync.OnceFunc(func() { close(done); wg.Wait() })
}

// adapter is a bare client of a Local.
type adapter struct {
	t  *testing.T
	ws *websocket.Conn
}

const bookID = "l2Book.BTC.0"

func book(n string) string {
	return `{"channel":"l2Book","data":{"coin":"BTC","time":` + n + `,"levels":[[],[]]}}`
}

func (a *adapter) send(text string) {
	a.t.Helper()
	if err := a.ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		a.t.Fatal(err)
	}
}

// next returns the next frame that says no age, "" when the connection has ended.
func (a *adapter) next() string {
	a.t.Helper()
	a.ws.SetReadDeadline(time.Now().Add(20 * time.Second))
	for {
		_, b, err := a.ws.ReadMessage()
		if e, isNet := err.(net.Error); isNet && e.Timeout() {
			a.t.Fatal("nothing comes, and the connection stays")
		}
		if err != nil {
			return ""
		}
		if !strings.Contains(string(b), `"channel":"`+hyperliquid.ChannelAge+`"`) {
			return string(b)
		}
	}
}

func (a *adapter) want(what, frame string) {
	a.t.Helper()
	if got := a.next(); got != frame {
		a.t.Fatalf("%s: %q, want %q", what, got, frame)
	}
}

// TestWhatALocalPassesOn drives a Local message by message: every frame that an adapter
// gets, or does not get, in its order.
func TestWhatALocalPassesOn(t *testing.T) {
	t.Parallel()
	s := startNATS(t, 0)
	nc := connect(t, s.ClientURL(), nil)
	l := NewLocal(LocalConfig{NATS: nc, Subject: "t", Replica: "r", Logger: testLog(t, "r"), BeatLimit: 6 * time.Second})
	run(t, l)
	wants := make(chan []want, 1000)
	sub, err := nc.Subscribe("t.up.*.want", func(m *nats.Msg) {
		wants <- readWants(m.Data)
		nc.PublishMsg(&nats.Msg{Subject: m.Reply, Header: stamp{at: marketcache.Now()}.header()})
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	h := &holder{t: t, nc: nc, epoch: 5}
	within(t, settle, "a ready Local", func() bool { h.beat(lineState{ID: 1}); return l.Stats().Ready })

	toBTC := func() *adapter {
		t.Helper()
		a := newAdapter(t, l)
		a.send(`{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC"}}`)
		a.want("acknowledgement", `{"channel":"subscriptionResponse","data":{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC"}}}`)
		within(t, settle, "the holder is told", func() bool {
			w := <-wants
			return len(w) == 1 && w[0].fresh && w[0].stream == bookID
		})
		return a
	}
	data := kindData + "." + bookID
	const pongFrame = `{"channel":"pong"}`

	a := toBTC()
	// A ping with nothing to confirm is answered at once.
	a.send(`{"method":"ping"}`)
	a.want("nothing to confirm", pongFrame)
	h.say(data, stamp{line: 9}, book("0")) // of a line that no beat has named
	h.say(data, stamp{line: 1, again: true}, book("1"))
	h.say(data, stamp{line: 1, again: true}, book("2")) // not for one who has had his first
	h.say(data, stamp{line: 1}, book("3"))
	h.say(kindData+".l2Book.BTC.4", stamp{line: 1}, book("4"))
	a.want("the first", book("1"))
	a.want("the next", book("3"))

	// A pong takes a proof of this line that is newer than the ping.
	a.send(`{"method":"ping"}`)
	within(t, settle, "the ping is read", func() bool { return l.Stats().Pings == 2 })
	early := marketcache.Now().Add(-time.Second)
	h.beat(lineState{ID: 1, Proven: early}, lineState{ID: 2, Proven: marketcache.Now()})
	h.say(data, stamp{line: 1}, book("5"))
	a.want("no pong by another line's proof", book("5"))
	// Its clock is known to a round trip only, and that never in its favour.
	h.beat(lineState{ID: 1, Proven: marketcache.Now().Add(time.Second)}, lineState{ID: 2})
	a.want("a pong by its own", pongFrame)

	// Lower epochs are not heard, whatever they say.
	old := &holder{t: t, nc: nc, epoch: 4}
	old.beat(lineState{ID: 1, Proven: marketcache.Now().Add(time.Hour)})
	old.say(data, stamp{line: 1}, book("6"))
	h.say(data, stamp{line: 1}, book("7"))
	a.want("after a lower epoch", book("7"))
	if n := l.Stats().Stale; n != 2 {
		t.Errorf("%d stale", n)
	}

	// Its age is told when it is one.
	h.say(data, stamp{line: 1, at: marketcache.Now().Add(-2 * time.Second)}, book("8"))
	_, told, err := a.ws.ReadMessage()
	var in struct {
		Channel string
		Data    int64
	}
	if err != nil || json.Unmarshal(told, &in) != nil || in.Channel != hyperliquid.ChannelAge || in.Data < 2000 || in.Data > 20_000 {
		t.Errorf("told %s, %v", told, err)
	}
	a.want("the late message", book("8"))
	h.say(kindError, stamp{}, `{"channel":"error","data":"no"}`)
	a.want("the venue's error", `{"channel":"error","data":"no"}`)
	a.send(`{"method":"subscribe","subscription":{"type":"userFills","user":"0x0"}}`)
	if got := a.next(); !strings.HasPrefix(got, `{"channel":"error","data":"Invalid subscription`) {
		t.Errorf("a stream that is not carried: %q", got)
	}

	// Loss ends the connection.
	h.seq++
	h.say(data, stamp{line: 1}, book("9"))
	a.want("after a gap", "")
	if n := l.Stats().Lost; n != 1 {
		t.Errorf("%d lost", n)
	}

	// So does the end of a line that has fed it, and of no other.
	a, b := toBTC(), newAdapter(t, l)
	h.say(data, stamp{line: 2}, book("10"))
	a.want("from the second line", book("10"))
	h.beat(lineState{ID: 1})
	a.want("after its line's end", "")
	b.send(`{"method":"ping"}`)
	b.want("nothing of that line has reached it", pongFrame)
	b.ws.Close()

	// So does another holder.
	for len(wants) > 0 {
		<-wants
	}
	a = toBTC()
	next := &holder{t: t, nc: nc, epoch: 6}
	next.beat(lineState{ID: 1})
	alive := next.live()
	defer alive()
	a.want("after a turn", "") // and not for want of a sign of life
	alive()
	h.beat(lineState{ID: 1})
	within(t, settle, "the next holder is followed", func() bool {
		next.beat(lineState{ID: 1})
		s := l.Stats()
		return s.Ready && s.Epoch == 6
	})

	// So does silence; and then nobody is asked.
	for len(wants) > 0 {
		<-wants
	}
	a = toBTC()
	a.want("after a silence", "")
	if l.Stats().Ready {
		t.Error("ready without a beat")
	}
}

// newAdapter opens a socket that subscribes to nothing.
func newAdapter(t *testing.T, l *Local) *adapter {
	t.Helper()
	a := &adapter{t, dial(t, l)}
	a.want("greeting", hyperliquid.Greeting)
	return a
}
