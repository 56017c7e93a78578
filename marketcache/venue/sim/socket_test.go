package sim

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

func subscribe(s string) string { return `{"method":"subscribe","subscription":` + s + `}` }

func TestEveryStreamHasAState(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	for kind, stream := range streams {
		if kind == fastBooks || stream.events {
			continue // an interval, not a type; or without a state
		}
		t.Run(kind, func(t *testing.T) {
			s := r.dial()
			s.send(subscribe(`{"type":"` + kind + `","coin":"BTC","user":"` + Wallets[2].Address + `"}`))
			if f := s.next(); f.Channel != "subscriptionResponse" {
				t.Fatalf("%s %s", f.Channel, f.Data)
			}
			if f := s.next(); f.Channel != kind || len(f.Data) == 0 {
				t.Errorf("%s %.80s", f.Channel, f.Data)
			}
		})
	}
}

func TestSocketErrors(t *testing.T) {
	s := start(t, Config{Seed: 4, Manual: true}).dial()
	rows := []struct{ name, send, channel, data string }{
		{"ping", `{"method":"ping"}`, "pong", ""},
		{"not JSON", `hello "you"`, "error", `Error parsing JSON into valid websocket request: hello "you"`},
		{"unknown method", `{"method":"x"}`, "error",
			`Error parsing JSON into valid websocket request: {"method":"x"}`},
		{"unknown stream", subscribe(`{"type":"x"}`), "error",
			`Error parsing JSON into valid websocket request: {"method":"subscribe","subscription":{"type":"x"}}`},
		{"unknown dex", subscribe(`{"type":"allMids","dex":"nope"}`), "error",
			`Invalid subscription {"type":"allMids","dex":"nope"}`},
		{"bad address", subscribe(`{"type":"spotState","user":"0x1"}`), "error",
			`Error parsing JSON into valid websocket request: {"method":"subscribe",` +
				`"subscription":{"type":"spotState","user":"0x1"}}`},
		{"not subscribed", `{"method":"unsubscribe","subscription":{"type":"allMids"}}`, "error",
			`Already unsubscribed: {"type":"allMids"}`},
	}
	for _, row := range rows {
		s.send(row.send)
		f := s.next()
		var text string
		_ = json.Unmarshal(f.Data, &text)
		if f.Channel != row.channel || text != row.data {
			t.Errorf("%s: %s %s", row.name, f.Channel, f.Data)
		}
	}
	s.send(subscribe(`{"type":"allMids"}`))
	s.until("allMids")
	s.send(`{"method":"unsubscribe","subscription":{"type":"allMids"}}`)
	if f := s.next(); f.Channel != "subscriptionResponse" || !strings.Contains(string(f.Data), `"unsubscribe"`) {
		t.Errorf("%s %s", f.Channel, f.Data)
	}
}

// Books are sent on their schedule, with the same bytes to every subscriber.
func TestPushes(t *testing.T) {
	now, advance := movedClock()
	r := start(t, Config{Seed: 4, Manual: true, Now: now,
		Every: map[string]time.Duration{"l2Book": 500 * time.Millisecond}})
	a, b := r.dial(), r.dial()
	for _, s := range []*socket{a, b} {
		s.send(subscribe(`{"type":"l2Book","coin":"BTC"}`))
		s.until("l2Book")
	}
	last := ""
	for range 20 {
		advance(500 * time.Millisecond)
		r.step(true)
		x, y := a.next(), b.next()
		if x.Channel != "l2Book" || string(x.Data) != string(y.Data) {
			t.Fatalf("%s %.80s and %.80s", x.Channel, x.Data, y.Data)
		}
		if string(x.Data) == last {
			t.Fatal("a book of the same time was pushed again")
		}
		last = string(x.Data)
	}
	advance(20 * time.Millisecond)
	r.step(true) // before the next push
	a.ws.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if _, b, err := a.ws.ReadMessage(); err == nil {
		t.Errorf("a push before its time: %.80s", b)
	}
}

func TestIdleSocketIsClosed(t *testing.T) {
	now, advance := movedClock()
	r := start(t, Config{Seed: 4, Manual: true, Now: now})
	s := r.dial()
	advance(61 * time.Second)
	r.step(true)
	s.ws.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, _, err := s.ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseAbnormalClosure) {
		t.Errorf("after a minute of silence: %v", err)
	}
}

// wait reads frames up to the next one of the channel that contains a text; those of other channels are kept for
// later calls.
func (s *socket) wait(channel, text string) {
	s.t.Helper()
	for i := range 100 {
		var f frameIn
		if i < len(s.kept) {
			f = s.kept[i]
		} else {
			f = s.next()
			s.kept = append(s.kept, f)
		}
		if f.Channel == channel && strings.Contains(string(f.Data), text) {
			return
		}
	}
	s.t.Fatalf("no frame of channel %s with %s", channel, text)
}
