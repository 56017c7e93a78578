package relay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"ballast/marketcache"
	"ballast/marketcache/venue/hyperliquid"
	"ballast/marketcache/venue/sim"
)

func TestStreamNames(t *testing.T) {
	for _, row := range []struct{ subscription, id string }{
		{`{"type":"l2Book","coin":"BTC"}`, "l2Book.BTC.0"},
		{`{"coin":"kPEPE","nSigFigs":4,"type":"l2Book"}`, "l2Book.kPEPE.4"},
		{`{"type":"l2Book","coin":"xyz:A.B *>%"}`, "l2Book.xyz:A%2EB%20%2A%3E%25.0"},
		{`{"type":"activeAssetCtx","coin":"ETH"}`, "activeAssetCtx.ETH"},
		{`{"type":"allDexsAssetCtxs"}`, "allDexsAssetCtxs"},
		{`{"type":"l2Book"}`, ""},
		{`{"type":"l2Book","coin":"BTC","nSigFigs":7}`, ""},
		{`{"type":"l2Book","coin":"BTC","fast":true}`, ""},
		{`{"type":"userFills","user":"0x01"}`, ""},
		{`{"type":"trades","coin":"BTC"}`, ""},
		{`[]`, ""},
	} {
		s, ok := readSubscription([]byte(row.subscription))
		if ok != (row.id != "") || ok && s.id != row.id {
			t.Errorf("%s: %q, %v", row.subscription, s.id, ok)
		}
		if !ok {
			continue
		}
		back, ok := parseStream(s.id)
		again, also := readSubscription([]byte(back.body()))
		if !ok || !also || back != s || again != s {
			t.Errorf("%s: back %+v, again %+v", row.subscription, back, again)
		}
		epoch, kind, id, ok := subjects("a.b").read(subjects("a.b").down(7, kindData+"."+s.id))
		if !ok || epoch != 7 || kind != kindData || id != s.id {
			t.Errorf("%s: subject reads %d %q %q", s.id, epoch, kind, id)
		}
	}
}

// FuzzStream: whatever a replica names, what is accepted names one subscription that reads
// back the same and is one subject.
func FuzzStream(f *testing.F) {
	for _, s := range []string{"l2Book.BTC.0", "l2Book.%41.4", "l2Book.%2E.2", "allDexsAssetCtxs", "activeAssetCtx.x", "l2Book.B C.0", "l2Book..0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		s, ok := parseStream(id)
		if !ok {
			return
		}
		if bytes.ContainsAny([]byte(id), " \t\r\n*>") || bytes.Contains([]byte(id), []byte("..")) {
			t.Fatalf("%q is not a subject", id)
		}
		if back, ok := readSubscription([]byte(s.body())); ok && back != s {
			t.Fatalf("%q: %s reads %+v", id, s.body(), back)
		}
	})
}

func TestStampReads(t *testing.T) {
	for _, s := range []stamp{{seq: 1, at: 2, line: 3}, {seq: 1 << 60, at: -5, line: 0}, {seq: 9, at: 8, line: 7, again: true}} {
		if back, ok := readStamp(s.header()[headerStamp][0]); !ok || back != s {
			t.Errorf("%+v reads %+v", s, back)
		}
	}
	for _, bad := range []string{"", "1", "1 2", "x 2 3", "1 x 3", "-1 2 3"} {
		if s, ok := readStamp(bad); ok {
			t.Errorf("%q reads %+v", bad, s)
		}
	}
}

// TestOffset draws clocks and delays: what the holder did is never taken to have happened
// later than it did, and a clock that stepped is believed anew at once.
func TestOffset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var o offset
		truth := time.Duration(r.Int64N(int64(48*time.Hour)) - int64(24*time.Hour)) // ours less theirs
		now := marketcache.Instant(int64(72 * time.Hour))
		for n := range 60 {
			if n == 30 {
				truth += time.Duration(r.Int64N(int64(20*time.Second)) - int64(10*time.Second))
			}
			there, back := time.Duration(r.Int64N(int64(50*time.Millisecond))), time.Duration(r.Int64N(int64(50*time.Millisecond)))
			theirs := now.Add(there - truth)
			o.add(now, now.Add(there+back), theirs)
			now = now.Add(there + back)
			low, known := o.low(now)
			if !known {
				t.Fatal("nothing known after a reading")
			}
			// A step that one round trip cannot tell from delay may go unseen by as much.
			if low > truth+100*time.Millisecond || low < truth-100*time.Millisecond || n < 30 && low > truth {
				t.Fatalf("low %v, truth %v", low, truth)
			}
			now = now.Add(time.Second)
		}
		if _, known := o.low(now.Add(time.Minute)); known {
			t.Fatal("an old reading counts")
		}
	}
}

// TestMinute sends bursts at a limit: no window of a minute holds more.
func TestMinute(t *testing.T) {
	m := newMinute(20)
	m.assume(5, 1e9)
	var taken []marketcache.Instant
	r := rand.New(rand.NewPCG(3, 4))
	now := marketcache.Instant(2e9)
	for range 3000 {
		keep := r.IntN(3) * 5
		wait, ok := m.take(now, keep)
		if ok {
			taken = append(taken, now)
		} else if wait <= 0 || wait > time.Minute+time.Millisecond {
			t.Fatalf("wait %v", wait)
		}
		now = now.Add(time.Duration(r.Int64N(int64(2 * time.Second))))
	}
	for i, at := range taken {
		n := 0
		for _, o := range taken[:i+1] {
			if at.Sub(o) <= time.Minute {
				n++
			}
		}
		if n > 20 || at < marketcache.Instant(61e9) && n > 15 {
			t.Fatalf("%d in a minute", n)
		}
	}
	if len(taken) < 500 {
		t.Errorf("%d taken", len(taken))
	}
}

// TestPlacement draws wants of the adapter's form and of any: no slot ever carries two
// precisions of a coin, nor one right after another.
func TestPlacement(t *testing.T) {
	u := NewUpstream(UpstreamConfig{})
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 5))
		term := newTerm(u, 1)
		for coin := range 100 {
			for p, figures := range []int{0, 4, 3, 2} {
				st, _ := stream{channel: channelBook, coin: fmt.Sprint("C", coin), figures: figures}.named()
				near := (coin + 2*p) % 8 % 5
				if seed%2 == 0 {
					near = r.IntN(6) - 1
				}
				if term.place(st, near) == nil {
					t.Fatalf("no room for %s", st.id)
				}
			}
		}
		for _, s := range term.slots {
			for of, c := range s.topics {
				if c.topic() != of || c.slot != s || term.streams[c.id] != c {
					t.Fatalf("%v holds %s", of, c.id)
				}
			}
			if n := len(s.topics); seed%2 == 0 && (n < 50 || n > 120) {
				t.Errorf("%d streams of 400 in one slot", n)
			}
		}
		if len(term.streams) != 400 {
			t.Fatalf("%d streams", len(term.streams))
		}
	}
	term := newTerm(u, 1)
	full, _ := parseStream("l2Book.BTC.0")
	coarse, _ := parseStream("l2Book.BTC.4")
	term.slots[2].retired[full.topic()] = retired{full.id, marketcache.Now()}
	if c := term.place(coarse, 2); c.slot.index == 2 {
		t.Error("another precision on a line that may still say the old one")
	}
	if c := term.place(full, 2); c.slot.index != 2 {
		t.Error("the same stream may come back")
	}
}

// TestKeys: which questions are equal.
func TestKeys(t *testing.T) {
	const now = 1_800_002_400_000 // 40 minutes past the hour
	key := func(body string, at int64) string {
		q, ok := hyperliquid.ReadQuestion([]byte(body), at)
		if !ok {
			t.Fatal(body)
		}
		return keyOf(&q, []byte(body), at)
	}
	candles := func(start, end int64) string {
		return fmt.Sprintf(`{"type":"candleSnapshot","req":{"coin":"BTC","interval":"1h","startTime":%d,"endTime":%d}}`, start, end)
	}
	funding := func(start int64) string {
		return fmt.Sprintf(`{"type":"fundingHistory","coin":"BTC","startTime":%d}`, start)
	}
	const hour = int64(hourMs)
	start := int64(now) - 700*hour
	for name, row := range map[string]struct {
		a, b  string
		later int64
		equal bool
	}{
		"candles up to now, a second apart":  {candles(0, now+hour), candles(0, now+hour+1000), 1000, true},
		"candles across the hour":            {candles(0, now+hour), candles(0, now+2*hour), hour, false},
		"candles of another start":           {candles(0, now+hour), candles(5, now+hour), 0, false},
		"candles with an end":                {candles(0, now-hour), candles(0, now-hour+1), 0, false},
		"funding from the same gap":          {funding(start), funding(start + 1000), 1000, true},
		"funding from another hour":          {funding(start), funding(start + hour), 0, false},
		"funding from around the row itself": {funding(start - start%hour + 20), funding(start - start%hour + 80), 0, false},
		"books":                              {`{"type":"l2Book","coin":"A"}`, `{"type":"l2Book","coin":"A"}`, hour, true},
		"books of two precisions":            {`{"type":"l2Book","coin":"A"}`, `{"type":"l2Book","coin":"A","nSigFigs":4}`, 0, false},
	} {
		if got := key(row.a, now) == key(row.b, now+row.later); got != row.equal {
			t.Errorf("%s: equal %v", name, got)
		}
	}
}

// TestCopies asks through a Local: what is a copy says how old it is and tells no time of
// the venue's; the venue's clock is never a copy; an answer of many parts is the venue's
// to the byte.
func TestCopies(t *testing.T) {
	t.Parallel()
	venue, behind := startVenue(t, sim.Config{Assets: 4, Manual: true})
	// A web server in front of the venue, which stamps a Date as the real one's does.
	target, err := url.Parse(behind)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: transport})
	defer front.Close()
	base := front.URL
	g := newGang(t)
	nc := connect(t, g.nats.ClientURL(), nil)
	l := NewLocal(LocalConfig{NATS: nc, Subject: "t", Replica: "r", Logger: testLog(t, "r")})
	u := NewUpstream(UpstreamConfig{NATS: nc, Subject: "t", Replica: "r", Lease: g.leases.view(), BaseURL: base, Logger: testLog(t, "r")})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { l.Run(ctx) })
	wg.Go(func() { u.Run(ctx) })
	defer wg.Wait()
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DialContext: l.Dial, DisableKeepAlives: true}, Timeout: 20 * time.Second}
	ask := func(to, body string) (int, http.Header, []byte) {
		t.Helper()
		c := client
		if to != BaseURL {
			c = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 20 * time.Second}
		}
		res, err := c.Post(to+"/info", "application/json", bytes.NewReader([]byte(body)))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, res.Header, b
	}
	if status, h, _ := ask(BaseURL, `{"type":"meta"}`); status != 503 || h.Get("Date") != "" {
		t.Errorf("without a holder: %d, %v", status, h)
	}
	g.leases.give(0)
	within(t, settle, "a holder", func() bool { return l.Stats().Ready })

	const caps = `{"type":"perpsAtOpenInterestCap"}`
	status, h, first := ask(BaseURL, caps)
	if status != 200 || h.Get("Date") == "" || h.Get("Age") != "" {
		t.Errorf("first: %d %v", status, h)
	}
	time.Sleep(1100 * time.Millisecond)
	status, h, second := ask(BaseURL, caps)
	if age, _ := strconv.Atoi(h.Get("Age")); status != 200 || h.Get("Date") != "" || age < 2 || age > 20 || !bytes.Equal(first, second) {
		t.Errorf("copy: %d %v", status, h)
	}
	if n := venue.Stats().Info["perpsAtOpenInterestCap"]; n != 1 {
		t.Errorf("the venue was asked %d times", n)
	}
	for n := range int64(3) {
		if _, h, _ := ask(BaseURL, `{"type":"exchangeStatus"}`); h.Get("Date") == "" || h.Get("Age") != "" || venue.Stats().Info["exchangeStatus"] != n+1 {
			t.Errorf("clock: %v", h)
		}
	}
	// The universe's first asset, all bars: some hundred KB.
	var coin string
	_, _, meta := ask(base, `{"type":"meta"}`)
	var m hyperliquid.Meta
	if err := readJSON(meta, &m); err != nil {
		t.Fatal(err)
	}
	coin = m.Universe[0].Name
	bars := `{"type":"candleSnapshot","req":{"coin":"` + coin + `","interval":"1h","startTime":0,"endTime":` + strconv.FormatInt(time.Now().Add(-2*time.Hour).UnixMilli(), 10) + `}}`
	_, _, want := ask(base, bars)
	_, _, got := ask(BaseURL, bars)
	if len(want) < partBytes || !bytes.Equal(want, got) {
		t.Errorf("%d bytes through the relay, %d from the venue", len(got), len(want))
	}
	if status, _, b := ask(BaseURL, `{"no":"type"}`); status != 422 || len(b) == 0 {
		t.Errorf("not a question: %d %q", status, b)
	}
	venue.SetFaults("429:7")
	if status, h, _ := ask(BaseURL, `{"type":"userRole","user":"0x0000000000000000000000000000000000000001"}`); status != 429 || h.Get("Retry-After") != "7" || h.Get(hyperliquid.HeaderRefusal) == "" {
		t.Errorf("refused by the venue: %d %v", status, h)
	}
	venue.SetFaults("502")
	if status, _, _ := ask(BaseURL, `{"type":"meta"}`); status != 429 && status != 502 {
		t.Errorf("a broken venue: %d", status)
	}
}

// TestJoin: who shares an answer.
func TestJoin(t *testing.T) {
	var a answers
	a.init()
	now := marketcache.Now()
	first, mine := a.join("k", time.Second, 3, now)
	if !mine {
		t.Fatal("nobody to join")
	}
	if f, mine := a.join("k", time.Second, 5, now); mine || f != first {
		t.Error("less urgent: waits with the first")
	}
	urgent, mine := a.join("k", time.Second, 1, now)
	if !mine || urgent == first {
		t.Error("more urgent: does not wait with the less urgent one")
	}
	urgent.sent = now
	if f, mine := a.join("k", time.Second, 0, now.Add(900*time.Millisecond)); mine || f != urgent {
		t.Error("already asked: shared whatever the urgency")
	}
	if _, mine := a.join("k", time.Second, 0, now.Add(1100*time.Millisecond)); !mine {
		t.Error("asked too long ago")
	}
	f, _ := a.join("broken", time.Second, 0, now)
	f.sent = now
	a.land("broken", f, failure(500, "no"))
	if _, mine := a.join("broken", time.Second, 0, now); !mine {
		t.Error("a failure is kept")
	}
	f, _ = a.join("kept", time.Second, 0, now)
	f.sent = now
	a.land("kept", f, result{status: 200, body: make([]byte, 10)})
	if a.bytes != 10 {
		t.Errorf("%d bytes", a.bytes)
	}
	a.sweep(now.Add(2 * time.Second))
	if a.bytes != 0 || a.flights["kept"] != nil {
		t.Errorf("%d bytes after the sweep", a.bytes)
	}
	if _, mine := a.join("clock", 0, 0, now); !mine {
		t.Error("begins")
	}
	if _, mine := a.join("clock", 0, 0, now); !mine {
		t.Error("a question without copies is shared")
	}
}

// TestHalfOpenIsSilence: a line is given up when a pong is missing and nothing else comes,
// whenever its last frame came.
func TestHalfOpenIsSilence(t *testing.T) {
	const ms = time.Millisecond
	for _, row := range []struct {
		name        string
		ping, frame time.Duration // ago; no ping: -1
		halfOpen    bool
	}{
		{"answered", -1, 4000 * ms, false},
		{"not yet answered", 2400 * ms, 2400 * ms, false},
		{"a frame since", 4000 * ms, 1000 * ms, false},
		{"never a word since", 2600 * ms, 3000 * ms, true},
		{"a frame soon after", 2600 * ms, 2550 * ms, true},
		{"a frame late after", 9000 * ms, 2600 * ms, true},
	} {
		now := marketcache.Now()
		l := &line{lastPing: now.Add(-row.ping)}
		l.lastFrame.Store(int64(now.Add(-row.frame)))
		if row.ping >= 0 {
			l.pings = []marketcache.Instant{l.lastPing}
		}
		if _, halfOpen := l.watch(now); halfOpen != row.halfOpen {
			t.Errorf("%s: half open %v", row.name, halfOpen)
		}
	}
}

// TestNoWordWithoutLease: a holder whose lease has run out says nothing, before anything
// has told it so.
func TestNoWordWithoutLease(t *testing.T) {
	t.Parallel()
	nc := connect(t, startNATS(t, 0).ClientURL(), nil)
	heard, err := nc.SubscribeSync("t.down.>")
	if err != nil {
		t.Fatal(err)
	}
	l := &leases{holder: -1}
	u := NewUpstream(UpstreamConfig{NATS: nc, Subject: "t", Replica: "r", Lease: l.view()})
	defer u.meter.Close()
	l.give(0)
	term := newTerm(u, 1)
	ended := false
	term.end = func() { ended = true }
	term.beat()
	if _, err := heard.NextMsg(settle); err != nil || ended {
		t.Fatalf("with the lease: %v, ended %v", err, ended)
	}
	l.give(-1)
	term.beat()
	term.reply(&nats.Msg{Reply: "t.down.reply"}, failure(200, ""))
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, _, _ := heard.Pending(); n != 0 || !ended || term.seq != 1 {
		t.Errorf("without the lease: %d messages, ended %v", n, ended)
	}
}
