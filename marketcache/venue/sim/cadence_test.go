package sim

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// book holds the fields of an l2Book frame that the tests use.
type book struct {
	Coin   string
	Time   int64
	Levels [2][]map[string]any
	Spread *string
	Fast   *bool
	Sigs   *int `json:"nSigFigs"`
}

func (f frameIn) book(t *testing.T) book {
	t.Helper()
	var b book
	if err := json.Unmarshal(f.Data, &b); err != nil {
		t.Fatalf("%v: %.100s", err, f.Data)
	}
	return b
}

// Acknowledgements have the defaults, and the state follows at once. The plain, the fast and an aggregated book of one
// coin can be told apart on one socket; those of a delisted coin are empty.
func TestSubscriptions(t *testing.T) {
	const user = "0xBA11A57000000000000000000000000000000001"
	s := start(t, Config{Seed: 4, Assets: 12, Manual: true}).dial()
	for _, row := range []struct {
		sub, ack     string
		levels       int
		spread, fast bool
	}{
		{`{"type":"l2Book","coin":"BTC"}`, `{"coin":"BTC","mantissa":null,"nSigFigs":null,"type":"l2Book"}`, 20, false,
			false},
		{`{"type":"l2Book","coin":"BTC","nSigFigs":4}`, `{"coin":"BTC","mantissa":null,"nSigFigs":4,"type":"l2Book"}`,
			20, true, false},
		{`{"type":"l2Book","coin":"xyz:TSLA","fast":true}`,
			`{"coin":"xyz:TSLA","fast":true,"mantissa":null,"nSigFigs":null,"type":"l2Book"}`, 5, false, true},
		{`{"type":"l2Book","coin":"xyz:TSLA","nSigFigs":3,"fast":true}`,
			`{"coin":"xyz:TSLA","fast":true,"mantissa":null,"nSigFigs":3,"type":"l2Book"}`, 5, true, true},
		{`{"type":"l2Book","coin":"CANTO"}`, `{"coin":"CANTO","mantissa":null,"nSigFigs":null,"type":"l2Book"}`, 0,
			false, false},
		{`{"type":"l2Book","coin":"flx:TSLA"}`, `{"coin":"flx:TSLA","mantissa":null,"nSigFigs":null,"type":"l2Book"}`,
			0, false, false},
		{sub: `{"type":"spotState","user":"` + user + `"}`, ack: `{"type":"spotState","user":"` +
			strings.ToLower(user) + `"}`},
		{sub: `{"type":"allMids","dex":"xyz"}`, ack: `{"dex":"xyz","type":"allMids"}`},
	} {
		s.send(subscribe(row.sub))
		f := s.next()
		if f.Channel != "subscriptionResponse" ||
			string(f.Data) != `{"method":"subscribe","subscription":`+row.ack+`}` {
			t.Errorf("%s: %s %s", row.sub, f.Channel, f.Data)
		}
		if f = s.next(); !strings.Contains(row.sub, `"`+f.Channel+`"`) {
			t.Errorf("%s: then %s %.100s, want the state", row.sub, f.Channel, f.Data)
		}
		if f.Channel != "l2Book" {
			continue
		}
		if b := f.book(t); len(b.Levels[0]) != row.levels || len(b.Levels[1]) != row.levels ||
			(b.Spread != nil) != row.spread || (b.Fast != nil) != row.fast || b.Sigs != nil {
			t.Errorf("%s: %.200s", row.sub, f.Data)
		}
	}
}

// One invalid book subscription closes the socket without a message; other invalid subscriptions
// get an error frame.
func TestBadSubscriptionKillsTheSocket(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 12})
	fatal := []string{
		`{"type":"l2Book","coin":"NOPE"}`, `{"type":"l2Book","coin":"btc"}`, `{"type":"l2Book","coin":"XYZ:TSLA"}`,
		`{"type":"l2Book","coin":"BTC","nSigFigs":1}`, `{"type":"l2Book","coin":"BTC","nSigFigs":6}`,
	}
	for _, sub := range fatal {
		t.Run(sub, func(t *testing.T) {
			t.Parallel()
			s := r.dial()
			s.send(subscribe(`{"type":"allMids"}`))
			s.until("allMids")
			s.send(subscribe(sub))
			began := time.Now()
			s.ws.SetReadDeadline(began.Add(5 * time.Second))
			for {
				_, b, err := s.ws.ReadMessage()
				if err == nil && !strings.Contains(string(b), `"error"`) {
					continue // frames of the other streams
				}
				if !websocket.IsCloseError(err, websocket.CloseAbnormalClosure) {
					t.Errorf("%.100s %v", b, err)
				}
				break
			}
			if d := time.Since(began); d < 90*time.Millisecond || d > 1500*time.Millisecond {
				t.Errorf("after %v", d)
			}
		})
	}
	t.Cleanup(func() {
		if n := r.Stats().Refused[badSubscription]; n != int64(len(fatal)) {
			t.Errorf("%d counted", n)
		}
	})
}
