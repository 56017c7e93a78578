package sim

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// handshake tries to open a socket and returns the status of the answer.
func (r *running) handshake() int {
	r.t.Helper()
	ws, resp, err := websocket.DefaultDialer.Dial("ws://"+r.addr+"/ws", nil)
	if err == nil {
		r.t.Cleanup(func() { ws.Close() })
	}
	if resp == nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode
}

func TestConnectionLimits(t *testing.T) {
	now, advance := movedClock()
	r := start(t, Config{Seed: 4, Assets: 4, Manual: true, Now: now, Limits: VenueLimits})
	var open []*socket
	for range 10 {
		open = append(open, r.dial())
	}
	if got := r.handshake(); got != http.StatusTooManyRequests {
		t.Errorf("the eleventh connection: %d", got)
	}
	for _, s := range open {
		s.ws.Close()
	}
	closed := func() {
		t.Helper()
		for end := time.Now().Add(5 * time.Second); r.Stats().Sockets > 0; {
			if time.Now().After(end) {
				t.Fatal("sockets stay open")
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(5 * time.Millisecond) // the limits are updated shortly after the list of sockets
	}
	closed()
	for range 20 {
		r.dial().ws.Close()
		closed()
	}
	if got := r.handshake(); got != http.StatusTooManyRequests {
		t.Errorf("the thirty-first in a minute: %d", got)
	}
	advance(time.Minute)
	r.dial()
	s := r.Stats()
	if s.Peak[overConnections] != 10 || s.Peak[overNewConnections] != 30 || s.Refused[overConnections] != 1 ||
		s.Refused[overNewConnections] != 1 {
		t.Errorf("%+v %v", s.Peak, s.Refused)
	}
}

// Traffic of each socket counts for its IP address, and refusals have the venue's wording.
func TestRefusalsAndPeaks(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 12, Manual: true,
		Limits: Limits{overSubscriptions: 4, overMessages: 12, overUsers: 2}})
	a, b := r.dial(), r.dial()
	send := func(s *socket, sub, want string) {
		t.Helper()
		s.send(subscribe(sub))
		for f := s.next(); ; f = s.next() {
			if f.Channel == "subscriptionResponse" && want == "" || f.Channel == "error" &&
				string(f.Data) == `"`+want+`"` {
				return
			}
			if f.Channel == "error" {
				t.Fatalf("%s: %s", sub, f.Data)
			}
		}
	}
	user := func(i int) string { return fmt.Sprintf(`{"type":"spotState","user":"0x%040d"}`, i) }
	send(a, user(1), "")
	send(b, user(2), "")
	send(a, user(3), "Cannot track more than 2 total users.")
	send(b, `{"type":"allDexsClearinghouseState","user":"`+fmt.Sprintf("0x%040d", 1)+`"}`, "")
	send(a, `{"type":"allMids"}`, "")
	send(b, `{"type":"l2Book","coin":"BTC"}`, "Cannot subscribe to more than 4 channels.")
	send(a, `{"type":"allMids"}`, `Already subscribed: {\"type\":\"allMids\"}`)
	for range 5 {
		a.send(`{"method":"ping"}`)
		a.until("pong")
	}
	send(b, `{"type":"l2Book","coin":"BTC"}`, "Cannot send more than 12 messages per minute.")
	s := r.Stats()
	if s.Peak[overSubscriptions] != 4 || s.Peak[overUsers] != 2 || s.Peak[overMessages] != 12 ||
		s.Peak[overConnections] != 2 {
		t.Errorf("%+v", s.Peak)
	}
	for _, reason := range []string{overUsers, overSubscriptions, overMessages} {
		if s.Refused[reason] != 1 {
			t.Errorf("%s: %d", reason, s.Refused[reason])
		}
	}
}

// Weight is counted over any 60 s, not per calendar minute; the refusal is the page of the venue's
// proxy.
func TestWeightOfAnyMinute(t *testing.T) {
	now, advance := movedClock() // 15 s before a full minute
	r := start(t, Config{Seed: 4, Assets: 4, Manual: true, Now: now, Limits: VenueLimits})
	for range 30 {
		r.post(`{"type":"meta"}`)
	}
	advance(30 * time.Second)
	for range 30 {
		r.post(`{"type":"meta"}`)
	}
	status, header, _ := r.postTo("/info", "application/json", `{"type":"exchangeStatus"}`)
	if status != 429 || header.Get("Content-Type") != "text/html" || header.Get("Retry-After") != "" {
		t.Errorf("%d %v", status, header)
	}
	advance(31 * time.Second)
	if status, _ := r.post(`{"type":"meta"}`); status != 200 {
		t.Errorf("half a minute later: %d", status)
	}
	if s := r.Stats(); s.Peak[overWeight] != 1200 || s.Refused[overWeight] != 1 || s.WeightMinute != 620 {
		t.Errorf("peak %d, refused %v, minute %d", s.Peak[overWeight], s.Refused, s.WeightMinute)
	}
}
