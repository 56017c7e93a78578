package sim

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

func subscription(s string) string { return `{"method":"subscribe","subscription":` + s + `}` }

func TestSubscribeAcknowledgesWithDefaults(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	user := "0xBA11A57000000000000000000000000000000001"
	rows := []struct{ sub, ack, channel string }{
		{`{"type":"l2Book","coin":"BTC"}`, `{"coin":"BTC","mantissa":null,"nSigFigs":null,"type":"l2Book"}`, "l2Book"},
		{`{"type":"l2Book","coin":"BTC","nSigFigs":4}`, `{"coin":"BTC","mantissa":null,"nSigFigs":4,"type":"l2Book"}`, "l2Book"},
		{`{"type":"userFills","user":"` + user + `"}`,
			`{"aggregateByTime":false,"type":"userFills","user":"0xba11a57000000000000000000000000000000001"}`, "userFills"},
		{`{"type":"userEvents","user":"` + user + `"}`, `{"type":"userEvents","user":"0xba11a57000000000000000000000000000000001"}`, "user"},
		{`{"type":"candle","coin":"ETH","interval":"1h"}`, `{"coin":"ETH","interval":"1h","type":"candle"}`, "candle"},
		{`{"type":"allMids","dex":"xyz"}`, `{"dex":"xyz","type":"allMids"}`, "allMids"},
		{`{"type":"clearinghouseState","user":"` + user + `"}`,
			`{"dex":"","type":"clearinghouseState","user":"0xba11a57000000000000000000000000000000001"}`, "clearinghouseState"},
	}
	for _, row := range rows {
		t.Run(row.sub, func(t *testing.T) {
			s := r.dial()
			s.send(subscription(row.sub))
			f := s.next()
			want := `{"method":"subscribe","subscription":` + row.ack + `}`
			if f.Channel != "subscriptionResponse" || string(f.Data) != want {
				t.Errorf("%s %s, want %s", f.Channel, f.Data, want)
			}
			if f = s.next(); f.Channel != row.channel {
				t.Errorf("then %s %.100s, want the state on %s", f.Channel, f.Data, row.channel)
			}
		})
	}
}

func TestEveryStreamHasAState(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	for kind, st := range streams {
		if kind == fastBooks {
			continue // an interval, not a type
		}
		t.Run(kind, func(t *testing.T) {
			s := r.dial()
			s.send(subscription(`{"type":"` + kind + `","coin":"BTC","interval":"1h","user":"` + Wallets[2].Address + `"}`))
			if f := s.next(); f.Channel != "subscriptionResponse" {
				t.Fatalf("%s %s", f.Channel, f.Data)
			}
			want := kind
			if st.channel != "" {
				want = st.channel
			}
			if f := s.next(); f.Channel != want || len(f.Data) == 0 {
				t.Errorf("%s %.80s", f.Channel, f.Data)
			}
		})
	}
}

func TestSocketErrors(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true, Limits: Limits{overMessages: 30}})
	s := r.dial()
	rows := []struct{ name, send, channel, data string }{
		{"ping", `{"method":"ping"}`, "pong", ""},
		{"not JSON", `hello "you"`, "error", `Error parsing JSON into valid websocket request: hello "you"`},
		{"unknown method", `{"method":"x"}`, "error", `Error parsing JSON into valid websocket request: {"method":"x"}`},
		{"unknown stream", subscription(`{"type":"x"}`), "error", `Error parsing JSON into valid websocket request: {"method":"subscribe","subscription":{"type":"x"}}`},
		{"webData2", subscription(`{"type":"webData2","user":"0xba11a57000000000000000000000000000000001"}`), "error",
			`Error parsing JSON into valid websocket request: {"method":"subscribe","subscription":{"type":"webData2","user":"0xba11a57000000000000000000000000000000001"}}`},
		{"array of coins", subscription(`{"type":"bbo","coin":["BTC","ETH"]}`), "error",
			`Error parsing JSON into valid websocket request: {"method":"subscribe","subscription":{"type":"bbo","coin":["BTC","ETH"]}}`},
		{"post without id", `{"method":"post"}`, "error", `Error parsing JSON into valid websocket request: {"method":"post"}`},
		{"unknown dex", subscription(`{"type":"allMids","dex":"nope"}`), "error", `Invalid subscription {"type":"allMids","dex":"nope"}`},
		{"bad address", subscription(`{"type":"userFills","user":"0x1"}`), "error",
			`Error parsing JSON into valid websocket request: {"method":"subscribe","subscription":{"type":"userFills","user":"0x1"}}`},
		{"not subscribed", `{"method":"unsubscribe","subscription":{"type":"allMids"}}`, "error", `Already unsubscribed: {"type":"allMids"}`},
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
	s.send(subscription(`{"type":"allMids"}`))
	s.until("allMids")
	s.send(subscription(`{"type":"allMids"}`))
	if f := s.until("error"); !strings.HasPrefix(string(f.Data), `"Already subscribed`) {
		t.Errorf("%s", f.Data)
	}
	s.send(`{"method":"unsubscribe","subscription":{"type":"allMids"}}`)
	if f := s.next(); f.Channel != "subscriptionResponse" || !strings.Contains(string(f.Data), `"method":"unsubscribe"`) {
		t.Errorf("%s %s", f.Channel, f.Data)
	}
	for range 30 {
		s.send(`{"method":"ping"}`)
	}
	if f := s.until("error"); string(f.Data) != `"Cannot send more than 30 messages per minute."` {
		t.Errorf("%s", f.Data)
	}
}

func TestLimitsOfAnAddress(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true, Limits: Limits{overMessages: -1}})
	a, b := r.dial(), r.dial() // two sockets of one address share the limits
	for i := range 15 {
		s := []*socket{a, b}[i%2]
		s.send(subscription(fmt.Sprintf(`{"type":"userFills","user":"0x%040d"}`, i)))
		s.until("subscriptionResponse")
	}
	a.send(subscription(`{"type":"userFills","user":"0x00000000000000000000000000000000000000aa"}`))
	if f := a.until("error"); string(f.Data) != `"Cannot track more than 15 total users."` {
		t.Errorf("%s", f.Data)
	}
	a.send(subscription(`{"type":"userEvents","user":"0x0000000000000000000000000000000000000003"}`))
	a.until("subscriptionResponse") // a user that is already subscribed does not count again
	names := r.market.assets
	sent := 16
	for _, p := range []string{"", `,"nSigFigs":5`, `,"nSigFigs":4`, `,"nSigFigs":3`, `,"nSigFigs":2`, `,"nSigFigs":5,"mantissa":2`, `,"nSigFigs":5,"mantissa":5`} {
		for _, x := range names {
			if sent < 1000 && x.life != unopened {
				b.send(subscription(`{"type":"l2Book","coin":"` + x.name + `"` + p + `}`))
				b.until("subscriptionResponse")
				sent++
			}
		}
	}
	for _, i := range []string{"1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "8h", "12h"} {
		for _, x := range names {
			if sent < 1000 {
				b.send(subscription(`{"type":"candle","coin":"` + x.name + `","interval":"` + i + `"}`))
				b.until("subscriptionResponse")
				sent++
			}
		}
	}
	a.send(subscription(`{"type":"allMids"}`))
	if f := a.until("error"); string(f.Data) != `"Cannot subscribe to more than 1000 channels."` {
		t.Errorf("%s", f.Data)
	}
	if n := r.Stats().Subscriptions; n != 1000 {
		t.Errorf("%d subscriptions", n)
	}
	b.ws.Close()
	deadline := time.Now().Add(5 * time.Second)
	for r.Stats().Subscriptions > 20 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	a.send(subscription(`{"type":"allMids"}`))
	a.until("allMids")
}

func TestPost(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	s := r.dial()
	s.send(`{"method":"post","id":7,"request":{"type":"info","payload":{"type":"l2Book","coin":"ETH"}}}`)
	var a struct {
		ID       int
		Response struct {
			Type    string
			Payload struct {
				Type string
				Data struct{ Coin string }
			}
		}
	}
	if err := json.Unmarshal(s.until("post").Data, &a); err != nil {
		t.Fatal(err)
	}
	if a.ID != 7 || a.Response.Type != "info" || a.Response.Payload.Type != "l2Book" || a.Response.Payload.Data.Coin != "ETH" {
		t.Errorf("%+v", a)
	}
	for _, bad := range []string{`{"type":"action","payload":{}}`, `{"type":"info","payload":{"type":"x"}}`} {
		s.send(`{"method":"post","id":8,"request":` + bad + `}`)
		if f := s.until("post"); !strings.Contains(string(f.Data), `"type":"error"`) {
			t.Errorf("%s: %s", bad, f.Data)
		}
	}
}

// Books are sent on their schedule, with the same bytes to every subscriber.
func TestPushes(t *testing.T) {
	c := &clock{t: testStart}
	var mu sync.Mutex
	now := func() time.Time { mu.Lock(); defer mu.Unlock(); return c.now() }
	advance := func(d time.Duration) { mu.Lock(); c.t = c.t.Add(d); mu.Unlock() }
	r := start(t, Config{Seed: 4, Manual: true, Now: now, Every: map[string]time.Duration{"l2Book": 500 * time.Millisecond}})
	a, b := r.dial(), r.dial()
	for _, s := range []*socket{a, b} {
		s.send(subscription(`{"type":"l2Book","coin":"BTC"}`))
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
	c := &clock{t: testStart}
	var mu sync.Mutex
	r := start(t, Config{Seed: 4, Manual: true, Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return c.t }})
	s := r.dial()
	mu.Lock()
	c.t = c.t.Add(61 * time.Second)
	mu.Unlock()
	r.step(true)
	s.ws.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, _, err := s.ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseAbnormalClosure) {
		t.Errorf("after a minute of silence: %v", err)
	}
}

func TestControlFrames(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	s := r.dial()
	pong := make(chan string, 1)
	s.ws.SetPongHandler(func(data string) error { pong <- data; return nil })
	if err := s.ws.WriteControl(websocket.PingMessage, []byte("abc"), time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	s.send(`{"method":"ping"}`)
	s.until("pong")
	select {
	case data := <-pong:
		if data != "abc" {
			t.Errorf("pong %q", data)
		}
	default:
		t.Error("no pong")
	}
	_ = s.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1000, ""), time.Now().Add(time.Second))
	s.ws.SetReadDeadline(time.Now().Add(5 * time.Second))
	if _, _, err := s.ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("answer to a close: %v", err)
	}
}
