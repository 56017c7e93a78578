package sim

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"slices"
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

// With a chosen interval, unchanged books are sent again.
func TestChosenCadence(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 12, Every: map[string]time.Duration{"l2Book fast": 20 * time.Millisecond}})
	s := r.dial()
	s.send(subscribe(`{"type":"l2Book","coin":"BTC","fast":true}`))
	same, last, began := 0, "", time.Now()
	for range 40 {
		f := s.until("l2Book")
		if string(f.Data) == last {
			same++
		}
		last = string(f.Data)
	}
	if d := time.Since(began); d < 600*time.Millisecond || d > 3*time.Second || same < 10 {
		t.Errorf("40 frames in %v, %d of them unchanged", d, same)
	}
}

// The plain, the fast and an aggregated book of one coin can be told apart on one socket.
func TestVariantsOfABook(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 12, Manual: true})
	s := r.dial()
	rows := []struct {
		sub, ack     string
		levels       int
		spread, fast bool
	}{
		{`{"type":"l2Book","coin":"xyz:TSLA"}`, `{"coin":"xyz:TSLA","mantissa":null,"nSigFigs":null,"type":"l2Book"}`,
			20,
			false, false},
		{`{"type":"l2Book","coin":"xyz:TSLA","fast":true}`,
			`{"coin":"xyz:TSLA","fast":true,"mantissa":null,"nSigFigs":null,"type":"l2Book"}`, 5, false, true},
		{`{"type":"l2Book","coin":"xyz:TSLA","nSigFigs":3,"fast":true}`,
			`{"coin":"xyz:TSLA","fast":true,"mantissa":null,"nSigFigs":3,"type":"l2Book"}`, 5, true, true},
	}
	for _, row := range rows {
		s.send(subscribe(row.sub))
		if f := s.until("subscriptionResponse"); string(f.Data) != `{"method":"subscribe","subscription":`+row.ack+`}` {
			t.Errorf("%s: %s", row.sub, f.Data)
		}
		b := s.until("l2Book").book(t)
		if len(b.Levels[0]) != row.levels || len(b.Levels[1]) != row.levels ||
			(b.Spread != nil) != row.spread || (b.Fast != nil) != row.fast || b.Sigs != nil {
			t.Errorf("%s: %d+%d levels, spread %v, fast %v", row.sub, len(b.Levels[0]), len(b.Levels[1]), b.Spread,
				b.Fast)
		}
	}
	r.post(`{"type":"meta"}`)
	var b map[string]any
	r.info(`{"type":"l2Book","coin":"BTC"}`, &b)
	if b["spread"] != nil {
		t.Error("a full book with a spread")
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

// A subscription to a delisted coin is acknowledged; its book is empty.
func TestDelistedCoinHasEmptyBooks(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 24, Every: map[string]time.Duration{"l2Book": 50 * time.Millisecond}})
	s := r.dial()
	for _, coin := range []string{"CANTO", "flx:TSLA"} {
		s.send(subscribe(`{"type":"l2Book","coin":"` + coin + `"}`))
	}
	acks, empty := 0, map[string]int{}
	for range 20 {
		switch f := s.next(); f.Channel {
		case "subscriptionResponse":
			acks++
		case "l2Book":
			if !strings.HasSuffix(string(f.Data), `"levels":[[],[]]}`) {
				t.Fatalf("%s", f.Data)
			}
			empty[f.book(t).Coin]++
		default:
			t.Fatalf("%s %s", f.Channel, f.Data)
		}
	}
	if acks != 2 || empty["CANTO"] < 2 || empty["flx:TSLA"] < 2 {
		t.Errorf("%d acknowledged, books %v", acks, empty)
	}
}

// fastFrame decodes a frame of fastAssetCtxs.
func fastFrame(t *testing.T, f frameIn) map[string]fastContext {
	t.Helper()
	var text string
	if err := json.Unmarshal(f.Data, &text); err != nil {
		t.Fatal(err)
	}
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]fastContext
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatalf("%v: %.100s", err, b)
	}
	return m
}

// merge applies a fast frame; fields that the frame leaves out stay unchanged.
func merge(have, frame map[string]fastContext) {
	for coin, c := range frame {
		old := have[coin]
		if c.MarkPx != "" {
			old.MarkPx = c.MarkPx
		}
		if c.MidPx != nil {
			old.MidPx = c.MidPx
		}
		have[coin] = old
	}
}

// The first fast frame contains all coins, later frames contain changes. A client that subscribed
// early and one that subscribed late end up with the same values, and their marks are those of
// metaAndAssetCtxs.
func TestFastContexts(t *testing.T) {
	now, advance := movedClock()
	r := start(t, Config{Seed: 4, Assets: 24, Manual: true, Now: now})
	listen := func() (*socket, map[string]fastContext) {
		s := r.dial()
		s.send(subscribe(`{"type":"fastAssetCtxs"}`))
		return s, fastFrame(t, s.until("fastAssetCtxs"))
	}
	a, early := listen()
	if len(early) != 24+24+4 {
		t.Errorf("%d keys", len(early))
	}
	for _, coin := range []string{"BTC", "xyz:TSLA", "@107", "#14880"} {
		if c := early[coin]; c.MarkPx == "" || len(c.MidPx) < 3 {
			t.Errorf("%s: %+v", coin, c)
		}
	}
	if c := early["CANTO"]; c.MarkPx == "" || string(c.MidPx) != "null" {
		t.Errorf("a delisted coin: %+v", c)
	}
	partial := 0
	drain := func(s *socket, have map[string]fastContext) {
		s.send(`{"method":"ping"}`)
		for f := s.next(); f.Channel != "pong"; f = s.next() {
			frame := fastFrame(t, f)
			for coin, c := range frame {
				if c.MarkPx == "" || c.MidPx == nil {
					partial++
				}
				if coin == "@107" || coin == "CANTO" {
					t.Errorf("%s has not changed", coin)
				}
			}
			merge(have, frame)
		}
	}
	step := func(d time.Duration) {
		advance(d)
		r.step(true)
		drain(a, early)
	}
	for range 5 {
		step(1005 * time.Millisecond)
	}
	step(400 * time.Millisecond) // the market moves, although no frame may be due
	b, late := listen()
	_ = r.SetFaults("one-sided:SOL")
	for range 3 {
		step(1005 * time.Millisecond)
	}
	drain(b, late)
	if partial == 0 {
		t.Error("every change is of both fields")
	}
	if string(late["SOL"].MidPx) != "null" {
		t.Errorf("one-sided: mid %s", late["SOL"].MidPx)
	}
	same := func(x, y fastContext) bool {
		return x.MarkPx == y.MarkPx && string(x.MidPx) == string(y.MidPx)
	}
	if !maps.EqualFunc(early, late, same) {
		t.Error("the late listener has another state")
	}
	var both tuple2[metaIn, []assetContext]
	r.info(`{"type":"metaAndAssetCtxs"}`, &both)
	for i, u := range both.first.Universe {
		if c := both.second[i]; late[u.Name].MarkPx != c.MarkPx {
			t.Errorf("%s: mark %s, context %s", u.Name, late[u.Name].MarkPx, c.MarkPx)
		}
	}
	if !slices.Contains(slices.Collect(maps.Keys(late)), "hyna:BTC") {
		t.Error("no coin of a dead dex")
	}
}
